//! Predicate-argument structures to dependency trees (Wu 2012).
