//! The transition-based parser: words are shifted onto a stack, attached to each other there, and swapped back where a
//! tree is not projective (Nivre 2009). A small network over the encoder's roles (Kiperwasser and Goldberg 2016) gives the
//! probability of every next transition; the best is taken, or a beam keeps the best sequences (Zhang and Clark 2008).

mod loss;
mod net;
mod oracle;
mod search;
mod state;

pub(crate) use loss::Decisions;
pub(crate) use net::{Net, Shape};
pub(crate) use search::{TransitionSearch, best_trees};
