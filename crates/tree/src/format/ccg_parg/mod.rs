//! CCG predicate-argument dependencies, `PARG`.
