//! The crate from outside: laws of scoring, files in and out, and agreement with KenLM on real data.

mod chart;
mod files;
mod support;
