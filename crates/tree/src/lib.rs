//! Dependency and constituency trees: checked types with constant-time queries, readers and writers of the field's
//! formats, and the transforms between them.
//!
//! A *parse* is what a file says ([`DepParse`]); a *tree* is a parse whose structure was checked ([`DepTree`],
//! [`ConTree`]). Positions in memory are 0-based; files and messages count words from 1.

mod arena;
pub mod compare;
pub mod con;
pub mod convert;
pub mod dep;
pub mod error;
mod escape;
pub mod format;
pub mod hypergraph;
pub mod index;
mod kind;
pub mod parse;
pub mod stats;
pub mod transform;

pub use con::{Child, ConBuilder, ConTree};
pub use dep::{DepTree, Roots};
pub use error::{Error, Invalid, Result};
pub use index::{NodeId, Span, WordIx};
pub use kind::{PerTree, TreeKind, TreeSlot};
pub use parse::{DepParse, Field};
