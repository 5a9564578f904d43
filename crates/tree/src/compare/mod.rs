//! How much parses of the same sentences agree: parsers with each other (Wu 2012, table 2), parsers with a gold
//! standard (table 3), and constituency trees by their brackets. All figures are sums, so that they can be counted
//! sentence by sentence and file by file.

mod attachment;
mod brackets;
mod in_step;
mod render;

pub use attachment::{Agreement, Attachment, AttachmentScore, PairAgreement, is_punctuation};
pub use brackets::{BracketOptions, BracketScore};
pub use in_step::{InStep, Match, Sentence, check_tokens};
pub use render::ATTACHMENT_COLUMNS;

/// `part / whole`, 0 of nothing.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
