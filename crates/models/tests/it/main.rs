//! Extraction from files: what is read and refused, and the rules of real pairs.

mod files;
mod parses;
mod real;
mod support;
