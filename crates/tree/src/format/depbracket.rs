//! Dependency trees as brackets (Hearne 2008, figures 4 and 5).
