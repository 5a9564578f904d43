//! Links in Pharaoh's notation, `0-0 1-2`: which word of the source a word of the translation comes from.

use crate::metric::Link;
use treeglot_text::{Error, Place};

/// The last position that is taken for one of a sentence.
const LAST: u32 = u16::MAX as u32;

/// The links of one line.
pub fn parse(line: &str, place: &Place) -> Result<Vec<Link>, Error> {
    let wrong = |link: &str| Error::Malformed {
        place: place.clone(),
        message: format!(
            "`{link}` is no link: links are pairs of positions from 0 to {LAST}, as in `0-0 1-2`"
        ),
    };
    let read = |link: &str| -> Option<Link> {
        let (source, target) = link.split_once('-')?;
        let position = |digits: &str| digits.parse().ok().filter(|&position: &u32| position <= LAST);
        Some((position(source)?, position(target)?))
    };
    line.split_ascii_whitespace().map(|link| read(link).ok_or_else(|| wrong(link))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_link_is_named_with_its_place() {
        let place = Place::new("links", 3);
        assert_eq!(parse(" 0-1 12-0", &place).unwrap(), [(0, 1), (12, 0)]);
        for wrong in ["1", "a-1", "1--1", "1-2-3", "4000000000-1"] {
            let error = parse(&format!("0-0 {wrong}"), &place).unwrap_err().to_string();
            assert!(error.starts_with(&format!("links:3: `{wrong}` is no link")), "{error}");
        }
    }
}
