//! Phrase-based translation: stack search with the features and the search space of Moses (Koehn 2003; Koehn et al.
//! 2007).
//!
//! A sentence goes through `options` (which phrases its spans have), `future` (what untranslated words will cost),
//! `search` with `cube` (hypotheses from stack to stack, kept in `hypotheses`); `derive` turns a path into a
//! derivation. A [`PhraseSystem`] is read-only and shared by all threads; each has a [`PhraseWorker`] with the buffers.

mod context;
mod coverage;
mod cube;
mod derive;
mod force;
mod future;
mod hypotheses;
mod joint;
mod lexical;
mod operations;
mod options;
mod phrases;
mod reordering;
mod search;
mod system;
mod table;

pub use system::{PhraseSearch, PhraseSystem, PhraseWorker};
pub use table::PhraseTable;
