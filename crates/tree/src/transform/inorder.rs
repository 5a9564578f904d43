//! Projectivisation by in-order traversal (Graham 2013, algorithm 6.1): it moves words, not heads.
