//! The transition-based parser: words are shifted onto a stack, attached to each other there, and swapped back where a
//! tree is not projective (Nivre 2009); a beam keeps the best sequences of transitions (Zhang and Clark 2008).

mod beam;
mod features;
mod oracle;
mod state;
mod train;

pub(crate) use beam::{BeamParser, TransitionBuffers};
pub(crate) use state::Actions;
pub(crate) use train::{TransitionRounds, train};

use crate::tagger::{Context, Tags};

/// A sentence as the parser sees it.
pub(crate) struct Input<'a> {
    pub(crate) context: &'a Context,
    pub(crate) tags: &'a Tags,
}
