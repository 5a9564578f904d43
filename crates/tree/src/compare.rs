//! Comparing parses of the same sentences: equal roots and heads, precision and recall against gold.
