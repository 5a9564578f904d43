//! Binarisation of constituency trees, and its inverse.
