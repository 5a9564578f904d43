//! Documents of translators: HTML, Markdown, SRT, PO and XLIFF. A [`Document`] is cut into what stays as it is, byte for byte, and
//! [`Segment`]s of text with inline tags; a segment's translation is set in its place, the tags where word links say.
//!
//! ```
//! use treeglot_document::{Document, Format, Linked};
//!
//! let page = "<p class=a>Das <b>Haus</b> schläft.</p>";
//! let document = Document::read(Format::Html, page)?;
//! assert_eq!(document.segments()[0].text(), "Das Haus schläft.");
//!
//! let linked = Linked {
//!     text: "The house sleeps.".to_string(),
//!     words: vec![0..3, 4..9, 10..16, 16..17],
//!     links: vec![(0, 0), (1, 1), (2, 2), (3, 3)],
//!     places: vec![1, 2],
//!     ..Linked::default()
//! };
//! assert_eq!(document.write(&[linked]), "<p class=a>The <b>house</b> sleeps.</p>");
//! # Ok::<(), treeglot_document::Error>(())
//! ```

mod confidence;
mod html;
mod inline;
mod markdown;
mod markup;
mod pairs;
mod po;
mod segment;
mod srt;
mod xliff;

pub use confidence::{Rated, confidence_colour};
pub use inline::{Linked, Part};
pub use markup::unescape;
pub use pairs::{PairFormat, read_pairs};
pub use segment::{Document, PLACE, Segment};

use serde::{Deserialize, Serialize};

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Lines of text
    #[default]
    Text,
    /// HTML pages and fragments
    Html,
    /// CommonMark with tables, footnotes and task lists
    Markdown,
    /// Subtitles
    Srt,
    /// Catalogues of gettext: what has no translation gets one, marked as fuzzy
    Po,
    /// XLIFF 1.2 and 2: what has no target gets one
    Xliff,
}

/// What is wrong with a document.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not what its format says.
    #[error("line {line}: {why}")]
    Malformed {
        /// The line.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// The result of reading a document.
pub type Result<T> = std::result::Result<T, Error>;

/// An error at an offset of a text; what it quotes of it is no longer than in other messages.
fn malformed(text: &str, at: usize, why: impl Into<String>) -> Error {
    let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let why = treeglot_text::one_line(&why.into()).into_owned();
    Error::Malformed { line: text[..at].matches('\n').count() + 1, why }
}

impl Document {
    /// Cuts a document.
    pub fn read(format: Format, text: &str) -> Result<Self> {
        match format {
            Format::Text => Ok(segment::lines(text)),
            Format::Html => Ok(html::read(text)),
            Format::Markdown => Ok(markdown::read(text)),
            Format::Srt => Ok(srt::read(text)),
            Format::Po => po::read(text),
            Format::Xliff => xliff::read(text),
        }
    }
}
