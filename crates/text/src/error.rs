//! Errors of reading and writing text, each with the place it happened at.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

/// A line of a named input: where an error happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file's name as the user gave it, or `standard input`.
    pub name: Arc<str>,
    /// The line, from 1; 0 when the whole file is meant.
    pub line: u64,
}

impl Place {
    /// The place `name:line`.
    pub fn new(name: impl Into<Arc<str>>, line: u64) -> Self {
        Self { name: name.into(), line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.name))?;
        if self.line == 0 { Ok(()) } else { write!(f, ":{}", self.line) }
    }
}

/// What can go wrong between a file and its lines.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is missing or may not be read.
    #[error("{name}: cannot open")]
    Open {
        /// The file.
        name: Arc<str>,
        /// The system's reason.
        source: io::Error,
    },
    /// The file's bytes could not be read (or decompressed) past this place.
    #[error("{place}: cannot read on")]
    Read {
        /// The last line reached.
        place: Place,
        /// The system's reason.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("{name}: cannot write")]
    Write {
        /// The file.
        name: Arc<str>,
        /// The system's reason.
        source: io::Error,
    },
    /// A line is not UTF-8.
    #[error("{place}: not valid UTF-8 at byte {column} of the line")]
    Utf8 {
        /// The line.
        place: Place,
        /// The first bad byte, from 1.
        column: usize,
    },
    /// A line is longer than the limit.
    #[error("{place}: the line has {length} bytes, more than the limit of {limit}")]
    TooLong {
        /// The line.
        place: Place,
        /// Its length in bytes.
        length: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// Two files that must match line by line do not.
    #[error("{longer}: this line has no partner: {shorter} has only {lines} lines")]
    Unequal {
        /// The first line without a partner.
        longer: Place,
        /// The file that ended.
        shorter: Arc<str>,
        /// How many lines it has.
        lines: u64,
    },
    /// The content is not what this reader reads.
    #[error("{place}: {}", one_line(.message))]
    Malformed {
        /// Where.
        place: Place,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A mapped file is truncated, altered or of another kind.
    #[error("{name}: {}", one_line(.reason))]
    Corrupt {
        /// The file.
        name: Arc<str>,
        /// What does not hold.
        reason: String,
    },
    /// A temporary file failed.
    #[error("cannot use a temporary file in {folder}")]
    Temporary {
        /// Where it was.
        folder: String,
        /// The system's reason.
        source: io::Error,
    },
}

impl Error {
    /// The error of a failed temporary file.
    pub fn temporary(source: io::Error) -> Self {
        Self::Temporary { folder: std::env::temp_dir().display().to_string(), source }
    }
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// The longest text that a message quotes, in characters.
const LONGEST_QUOTE: usize = 200;

/// A message as it may be shown: on one line, control characters and line ends escaped, and of what it quotes between
/// backticks no more than 200 characters. Messages hold text of files, of which anything may be expected.
///
/// ```
/// let word = "a\n".repeat(1000);
/// let shown = treeglot_text::one_line(&format!("the word `{word}` is no number")).into_owned();
/// assert!(shown.starts_with(r"the word `a\na\na"));
/// assert!(shown.ends_with("…` is no number"));
/// assert!(shown.chars().count() < 330);
/// ```
pub fn one_line(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST_QUOTE && !message.contains(is_unprintable) {
        return Cow::Borrowed(message);
    }
    let mut shown = String::with_capacity(message.len().min(1024));
    // Text between backticks is at odd positions; where a quoted text has backticks itself, each run is cut alone.
    for (position, text) in message.split('`').enumerate() {
        if position > 0 {
            shown.push('`');
        }
        let longest = if position % 2 == 1 { LONGEST_QUOTE } else { 2 * LONGEST_QUOTE };
        for c in text.chars().take(longest) {
            if is_unprintable(c) {
                shown.extend(c.escape_default());
            } else {
                shown.push(c);
            }
        }
        if text.chars().nth(longest).is_some() {
            shown.push('…');
        }
        if shown.len() > 8 * LONGEST_QUOTE {
            shown.push('…');
            break;
        }
    }
    Cow::Owned(shown)
}

/// Control characters, line and paragraph separators, and marks that turn the direction of what follows.
fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_quotes_little_and_stays_on_one_line() {
        let message = format!("`{}` is not a number, but `7\u{1b}[31m` is\r\n", "x".repeat(1 << 20));
        let error = Error::Malformed { place: Place::new("a\nb", 3), message }.to_string();
        assert!(error.starts_with("a\\nb:3: `xxx"), "{error}");
        assert!(error.ends_with("x…` is not a number, but `7\\u{1b}[31m` is\\r\\n"), "{error}");
        assert!(error.chars().count() < 270, "{error}");
    }

    #[test]
    fn what_is_short_and_plain_is_shown_as_it_is() {
        assert!(matches!(one_line("the head `x` is not a number: Grüße, 世界"), Cow::Borrowed(_)));
        let two_hundred = "ß".repeat(200);
        assert_eq!(one_line(&format!("`{two_hundred}`")), format!("`{two_hundred}`"));
    }

    #[test]
    fn backticks_without_end_do_not_make_a_message_long() {
        assert!(one_line(&"`a".repeat(1 << 20)).chars().count() < 2000);
    }
}
