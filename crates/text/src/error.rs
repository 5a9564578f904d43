//! Errors of reading and writing text, each with the place it happened at.

use std::fmt;
use std::io;
use std::sync::Arc;

/// A line of a named input: where an error happened.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        if self.line == 0 { f.write_str(&self.name) } else { write!(f, "{}:{}", self.name, self.line) }
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
    #[error("{place}: {message}")]
    Malformed {
        /// Where.
        place: Place,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A mapped file is truncated, altered or of another kind.
    #[error("{name}: {reason}")]
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
