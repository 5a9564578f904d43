//! All tests of the crate from outside, in one program: linking it once is what makes them quick to build.

mod binarize;
mod ccg;
mod common;
mod compare;
mod depbracket;
mod egret;
mod enju;
mod generate;
mod heads;
mod inorder;
mod join;
mod laws;
mod lift;
mod mosesxml;
mod parses;
mod pas;
mod roundtrip;
mod stats;
mod tiger_align;
mod tigerxml;
