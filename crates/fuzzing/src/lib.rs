//! A function for every reader of a file. Mutation tests (`tests/mutations.rs`, under any toolchain) and `cargo fuzz`
//! (`fuzz/`) call them with damaged files: no input may panic, and an error must name the file.
//!
//! To add a reader, write its function in `targets`, a line in the table there, and a small file `seeds/NAME`.
//!
//! ```
//! use treeglot_fuzzing::{Rng, TARGETS, Trial};
//!
//! let target = TARGETS.iter().find(|target| target.name == "conllu").expect("it is in the table");
//! let mut trial = Trial::new(target)?;
//! let damaged = trial.damaged(&mut Rng::new(7));
//! trial.read(&damaged)?;
//! # Ok::<(), treeglot_fuzzing::Failure>(())
//! ```

mod mutate;
mod sealed;
mod targets;
mod trial;

pub use targets::{Damage, Make, TARGETS, Target};
pub use treeglot_text::Rng;
pub use trial::{Seen, Trial};

/// Why a reader refused a file, or why a trial could not be made.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What a reader returns.
pub type Outcome = Result<(), Failure>;
