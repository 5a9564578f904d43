//! Search over forests, k-best derivations and their explanation.
