//! Constituency to dependency by head rules.
