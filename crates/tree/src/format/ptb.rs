//! Penn Treebank brackets.
