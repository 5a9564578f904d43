//! The generator of the embedded sample: a hand-written synchronous grammar and lexicon that make German-English pairs, each
//! with gold dependency and constituency trees on both sides and gold links.
//!
//! A sentence is first chosen in an abstract syntax of clauses and participants (`generate`); then each language
//! writes it with its own morphology and order (`german`, `english`). Both build dependency and constituency
//! trees as they write, and mark every word with the concepts it expresses, which gives the links.
//!
//! No other crate uses this one: `cargo xtask sample` runs it, and `treeglot-sample` embeds what it writes.
//!
//! ```
//! use treeglot_sample_generator::{Sizes, generate};
//!
//! let sample = generate(1, Sizes { train: 3, dev: 0, test: 0 });
//! for pair in &sample.train {
//!     println!("{} = {}", pair.source.raw, pair.target.raw);
//! }
//! assert_eq!(sample.train.len(), 3);
//! ```

mod corpus;
mod draft;
mod english;
mod features;
mod generate;
mod german;
#[cfg(test)]
mod golden;
mod lexicon;
mod syntax;

pub use corpus::{SEED, Sizes, generate};
