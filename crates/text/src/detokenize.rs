//! Tokens back to text.
