//! Sentences too long to be parsed at once, cut into pieces.

use std::ops::Range;

/// Pieces of at most `longest` words that end at punctuation where there is some in their second half.
pub(crate) fn pieces(words: &[&str], longest: usize) -> Vec<Range<usize>> {
    let longest = longest.max(1);
    let is_end = |w: &usize| words[*w].chars().all(|c| c.is_ascii_punctuation());
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let furthest = (start + longest).min(words.len());
        let end = match furthest == words.len() {
            true => furthest,
            false => (start + longest / 2..furthest).rev().find(is_end).map_or(furthest, |w| w + 1),
        };
        pieces.push(start..end);
        start = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_at_punctuation_and_cover_all_words() {
        let words = ["a", "b", "c", ",", "d", "e", "f", "g", "h", "i", ".", "j"];
        assert_eq!(pieces(&words, 5), [0..4, 4..9, 9..12]);
        assert_eq!(pieces(&words, 100).first(), Some(&(0..12)));
        assert_eq!(pieces(&words, 0).len(), 12);
        assert!(pieces(&[], 5).is_empty());
    }
}
