//! Enju's stand-off format.
