//! The translation models, one file each: how rules are read off a pair and applied to an input.
