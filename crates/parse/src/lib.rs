//! Taggers and parsers trained from treebanks, and bridges to external ones.

pub mod constituency;
