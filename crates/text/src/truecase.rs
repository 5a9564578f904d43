//! Truecasing: the case a word has inside sentences, learned from text.
