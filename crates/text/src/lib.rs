//! Text as the other crates see it: files read line by line with errors that name the place, pairs of files read
//! in step, tokens, casing, vocabularies, arrays that need not fit in memory, and the mapped files in which tables and
//! models are stored.
//!
//! ```
//! use treeglot_text::detokenize::{self, Detokenizer};
//! use treeglot_text::tokenize::{Options, Tokenizer};
//!
//! let tokenizer = Tokenizer::new("de", Options::default())?;
//! let mut tokens = String::new();
//! tokenizer.worker().tokenize("Die Katze (sie heißt \"Mo\") schläft.", &mut tokens);
//! assert_eq!(tokens, "Die Katze ( sie heißt &quot; Mo &quot; ) schläft .");
//!
//! let detokenizer = Detokenizer::new("de", detokenize::Options::default())?;
//! let mut text = String::new();
//! detokenizer.worker().detokenize(&tokens, &mut text);
//! assert_eq!(text, "Die Katze (sie heißt \"Mo\") schläft.");
//! # Ok::<(), treeglot_text::tokenize::LanguageError>(())
//! ```
//!
//! Cargo features: `chinese` (jieba's dictionary) and `segmenter` (ICU's, for Japanese) bring what is needed to cut
//! languages into words that write no blanks between them; without them a [`tokenize::Tokenizer`] of such a language is an
//! error that names the feature.

pub mod bitext;
pub mod column;
pub mod detokenize;
mod error;
mod filter;
mod in_order;
pub mod interrupt;
mod io;
mod lines;
pub mod mapped;
pub mod normalize;
mod protect;
mod rng;
mod sentences;
mod side;
pub mod subword;
mod temporary;
pub mod tokenize;
pub mod truecase;
pub mod vocab;

pub use error::{Error, Place, Result, one_line};
pub use filter::filter_lines;
pub use in_order::in_order;
pub use io::{Input, Output, unpacked_name};
pub use lines::{Lines, MAX_LINE};
pub use protect::protected;
pub use rng::Rng;
pub use sentences::SentenceSplitter;
pub use side::Side;
pub use temporary::{TemporaryFolder, remove_unfinished};
