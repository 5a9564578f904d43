//! Tests of the server over real connections.

mod api;
mod common;
mod limits;
mod lives;
