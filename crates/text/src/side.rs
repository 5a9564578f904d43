//! The two sides of a sentence pair.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A side of a sentence pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// What is translated from.
    Source,
    /// What is translated to.
    Target,
}

impl Side {
    /// Both sides, the source first.
    pub const BOTH: [Self; 2] = [Self::Source, Self::Target];

    /// The other side.
    pub fn other(self) -> Self {
        match self {
            Self::Source => Self::Target,
            Self::Target => Self::Source,
        }
    }

    /// `source` or `target`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Target => "target",
        }
    }

    /// Its place in an array of both sides, the source first.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
