//! Rules: how they are written as symbols, counted, scored and stored in a table.
//!
//! Everything is a sequence of [`Symbol`]s ([`notation`] writes and reads them as text). A [`Counter`] adds up instances in
//! bounded memory, [`write_table`] scores what was counted, and a [`Table`] is mapped and looked up.
//!
//! ```
//! use treeglot_grammar::{Counter, Kind, ScoreInputs, ScoreSettings, Scratch, Symbol, Table, write_table};
//! use treeglot_text::Input;
//!
//! let instances = "das Haus ||| the house ||| 0-0 1-1 ||| 3\ndas Haus ||| the building ||| 0-0 1-1 ||| 1\n";
//! let scratch = Scratch::new(None);
//! let mut counter = Counter::new(1 << 20, &scratch);
//! counter.add_text(Input { name: "instances".into(), reader: Box::new(instances.as_bytes()) }, 1.0)?;
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("rules.table");
//! let written = write_table(counter.finish()?, &ScoreSettings::moses(), &ScoreInputs::default(), &scratch, &path)?;
//! assert_eq!(written.rules, 2);
//!
//! let table = Table::open(&path)?;
//! let words = ["das", "Haus"].map(|word| Symbol::word(table.vocab().get(word).unwrap()));
//! let node = words.iter().fold(table.root(), |node, &word| table.child(node, word).unwrap());
//! let p: Vec<f64> = table.rules(node).map(|rule| table.probability(rule, 2).value()).collect();
//! assert_eq!(p, [0.75, 0.25]);
//! # Ok::<(), treeglot_grammar::Error>(())
//! ```

mod code;
mod count;
mod counts_file;
mod decimal;
mod discount;
mod error;
pub mod heads;
mod instance;
pub mod notation;
pub mod pattern;
mod read;
mod score;
pub mod shard;
mod significance;
mod sort;
mod spool;
mod symbol;
pub mod table;
mod word_probabilities;

pub use count::{Counted, Counter};
pub use counts_file::is_counts;
pub use decimal::Decimal;
pub use error::{Error, Result};
pub use instance::{Batch, Instance, MAX_ORIGINS, Orientation, RuleLink, RuleSink};
pub use score::{Discount, ScoreInputs, ScoreSettings, Threshold, Written, write_table};
pub use spool::Scratch;
pub use symbol::{Kind, Symbol};
pub use table::{RuleId, Table, TrieNode};
