//! Enju's XML format.
