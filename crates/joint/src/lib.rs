//! Neural joint models (Devlin et al. 2014): the probability of a target word given the words before it and the source words
//! around the one it is *affiliated* with, by a feed-forward network whose outputs need no normalisation.
//!
//! [`train`] learns a model from pairs and their links; [`JointModel`] is its mapped file, shared by all threads; a [`Sentence`]
//! has what depends on the source words worked out, so that a look-up is a sum of four rows and a product of two.
//!
//! ```
//! use treeglot_joint::{Affiliation, affiliations};
//!
//! let linked = [Some(2), None, Some(0)];
//! let all: Vec<Affiliation> = affiliations(&linked, 3).collect();
//! assert_eq!(all, [2, 0, 0]);
//! ```

mod affiliation;
mod corpus;
mod ensemble;
mod error;
mod level;
mod model;
mod network;
mod settings;
mod train;
mod words;

pub use affiliation::{Affiliation, affiliations, linked_to};
pub use error::{Error, Result};
pub use model::{JointModel, Sentence};
pub use settings::JointSettings;
pub use train::{Learnt, Predicts, train};
pub use words::{BEGIN, END, NOTHING, Word};

/// How many target words before the one in question a model sees.
pub const HISTORY: usize = 3;

/// How many source words it sees on either side of the affiliated one.
pub const WINDOW: usize = 5;

/// How many source words it sees.
const SEEN: usize = 2 * WINDOW + 1;
