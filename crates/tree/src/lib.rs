//! Dependency and constituency trees: checked types with constant-time queries, readers and writers of the field's
//! formats, and the transforms between them.
//!
//! A *parse* is what a file says ([`DepParse`]); a *tree* is a parse whose structure was checked ([`DepTree`],
//! [`ConTree`]). Positions in memory are 0-based; files and messages count words from 1.
//!
//! ```
//! use treeglot_tree::format::{ReadTrees, conllu};
//! use treeglot_tree::{Roots, WordIx};
//!
//! let text = "1\tshe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
//! for parse in conllu::Reader::new("two.conllu", text.as_bytes()).trees() {
//!     let parse = parse?;
//!     let tree = parse.checked_tree(Roots::One)?;
//!     assert_eq!(parse.form(tree.root()), "sleeps");
//!     assert_eq!(tree.dependents(tree.root()), [WordIx(0)]);
//!     assert!(tree.is_projective());
//! }
//! # Ok::<(), treeglot_tree::Error>(())
//! ```
//!
//! [`mod@format`] has the table of formats, [`convert`] brings trees from one to another, [`transform`] makes trees
//! projective, continuous or binary and finds heads, [`stats`] and [`compare`] describe treebanks.

mod arena;
pub mod compare;
mod con;
pub mod convert;
mod dep;
mod error;
mod escape;
pub mod format;
pub mod hypergraph;
mod index;
mod kind;
pub mod page;
mod parse;
mod sound;
pub mod stats;
pub mod transform;

pub use con::{Child, ConBuilder, ConTree, Draft};
pub use dep::{DepTree, Roots};
pub use error::{Error, Invalid, Result};
pub use index::{NodeId, Span, WordIx};
pub use kind::{PerTree, TreeKind, TreeSlot};
pub use parse::{DepParse, FIELDS, Field, Note};
pub use sound::{Repairs, SoundTree, TreeCounts};
