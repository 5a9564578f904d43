//! Vocabularies: words as `u32` symbols.
