//! Several sentences of one line as one structure.
