//! CoNLL-U: Universal Dependencies.
