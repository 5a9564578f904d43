//! Taggers and parsers trained from treebanks, and bridges to external ones.
