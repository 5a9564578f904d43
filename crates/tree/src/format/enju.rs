//! Enju's HPSG parses: constituents with heads, words with predicate-argument structure.
