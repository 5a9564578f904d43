//! Readers and writers of tree formats. Each format is one module with a streaming `Reader` (see [`ReadTrees`]), a
//! `write` function for one tree where a writer makes sense, and its `FORMAT`, which is a line of the table
//! [`FORMATS`]. Whoever has a file and not a certain format in mind asks the table:
//!
//! ```
//! use treeglot_tree::format::{AnyTree, Format, ReadOptions, ReadTrees};
//! # use treeglot_text::Input;
//! # let input = Input { name: "two.ptb".into(), reader: Box::new(&b"(NP (DT the) (NN cat))"[..]) };
//! let format = Format::of_file("two.ptb").expect("a known ending");
//! for tree in format.read(input, &ReadOptions::default())?.trees() {
//!     if let AnyTree::Con(tree) = tree? {
//!         assert_eq!(tree.forms().collect::<Vec<_>>(), ["the", "cat"]);
//!     }
//! }
//! # Ok::<(), treeglot_tree::Error>(())
//! ```

mod any;
pub mod ccg_auto;
pub mod ccg_parg;
mod columns;
pub mod conll09;
pub mod conllu;
pub mod conllx;
pub mod depbracket;
pub mod egret;
pub mod enju;
pub mod enju_so;
pub mod enju_xml;
pub mod mosesxml;
pub mod ptb;
mod records;
pub(crate) mod table;
pub mod tiger_align;
pub mod tigerxml;
pub(crate) mod xml;

pub use any::{AnyReader, AnyTree, ReadOptions};
pub use records::{RecordLayout, Records};
pub use table::{Content, FORMATS, Format, UnknownFormat};

use crate::error::Result;

/// A stream of trees of one format. After an error the reader must not be used again.
pub trait ReadTrees {
    /// What one sentence is read into.
    type Tree;

    /// The next sentence, or `None` at the end of the input.
    fn next_tree(&mut self) -> Result<Option<Self::Tree>>;

    /// The rest of the sentences, as an iterator.
    fn trees(self) -> Trees<Self>
    where
        Self: Sized,
    {
        Trees(Some(self))
    }
}

/// The iterator of [`ReadTrees::trees`]: it ends after the first error.
pub struct Trees<R>(Option<R>);

impl<R: ReadTrees> Iterator for Trees<R> {
    type Item = Result<R::Tree>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.0.as_mut()?.next_tree().transpose();
        if !matches!(item, Some(Ok(_))) {
            self.0 = None;
        }
        item
    }
}
