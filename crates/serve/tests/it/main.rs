//! Tests of the server over real connections.
#![allow(clippy::unwrap_used, reason = "what helpers of tests unwrap, the tests claim to be there")]

mod api;
mod common;
mod limits;
mod lives;
