//! Links between words in Pharaoh format (`0-0 1-2`), read and written.

use crate::error::{Error, Result};
use std::fmt;
use treeglot_text::Place;

/// The largest position that is read: no sentence is that long, and a matrix over it still fits memory.
pub const MAX_POSITION: u32 = 9_999;

/// A link between a source and a target word, by position from 0. Links are ordered as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The source word.
    pub src: u32,
    /// The target word.
    pub tgt: u32,
}

impl Link {
    /// The link `src-tgt`.
    pub fn new(src: u32, tgt: u32) -> Self {
        Self { src, tgt }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.src, self.tgt)
    }
}

/// Parses a line of links; `place` is for the message.
pub fn parse(line: &str, place: &Place) -> Result<Vec<Link>> {
    line.split_ascii_whitespace()
        .map(|item| {
            let position = |text: &str| text.parse().ok().filter(|&position| position <= MAX_POSITION);
            let numbers = item.split_once('-').and_then(|(src, tgt)| Some((position(src)?, position(tgt)?)));
            let (src, tgt) = numbers.ok_or_else(|| Error::BadLink {
                place: place.clone(),
                found: item.to_string(),
                expected: "two positions from 0 to 9999, as in `3-4`",
            })?;
            Ok(Link { src, tgt })
        })
        .collect()
}

/// Links as a line of text.
pub struct Line<'a>(pub &'a [Link]);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, link) in self.0.iter().enumerate() {
            if k > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{link}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_and_written() {
        let place = Place::new("links", 7);
        let links = parse(" 0-0 2-13  1-1 ", &place).unwrap();
        assert_eq!(Line(&links).to_string(), "0-0 2-13 1-1");
        assert!(parse("", &place).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_link_is_an_error_with_its_place() {
        for bad in ["0", "1-", "a-b", "1-2-3", "-1-2", "99999999999-0", "10000-0"] {
            let message = parse(bad, &Place::new("links", 7)).unwrap_err().to_string();
            assert!(message.starts_with("links:7: ") && message.contains(bad), "{message}");
        }
    }
}
