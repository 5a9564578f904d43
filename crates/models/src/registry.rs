//! The models by name.
