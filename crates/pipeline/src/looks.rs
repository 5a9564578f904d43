//! What a text looks like before anything is done to it: whether it is cut into words already, whether it has capitals, how many words
//! its sentences have and how long they are.

use crate::error::Result;
use std::path::Path;
use treeglot_text::Lines;
use treeglot_text::bitext::Skipped;

/// So many lines are looked at.
const LOOKED_AT: usize = 5000;

/// What a text looks like, by counts over its first lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    lines: u64,
    words: u64,
    characters: u64,
    /// Full stops and commas that stand alone, and those at the end of a word.
    apart: u64,
    attached: u64,
    /// Lines with letters that could be capitals, and those where one is.
    cased: u64,
    capital: u64,
}

impl Look {
    /// Looks at a file. Lines that cannot be read are passed over: whoever trains on them says what is to become of them.
    pub fn at(path: &Path) -> Result<Self> {
        let (mut lines, mut look) = (Lines::open(path)?, Self::default());
        for _ in 0..LOOKED_AT {
            match lines.next_line() {
                Ok(Some(line)) => look.add(line),
                Ok(None) => break,
                Err(error) if Skipped::default().count(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(look)
    }

    fn add(&mut self, line: &str) {
        self.lines += 1;
        for word in line.split_whitespace() {
            self.words += 1;
            self.characters += word.chars().count() as u64;
            let bare = word.trim_end_matches(['.', ',']);
            self.apart += u64::from(bare.is_empty());
            self.attached += u64::from(bare.len() < word.len() && bare.ends_with(char::is_alphabetic));
        }
        self.cased += u64::from(line.contains(char::is_lowercase));
        self.capital += u64::from(line.contains(char::is_uppercase));
    }

    /// Whether it is cut into words already: full stops and commas stand apart from words.
    pub fn is_tokenized(&self) -> bool {
        self.apart >= 10 && self.apart > 10 * self.attached
    }

    /// Whether it is raw text: full stops and commas stand at the ends of words.
    pub fn is_raw(&self) -> bool {
        self.attached >= 2 && self.attached > 4 * self.apart
    }

    /// Whether it is in lower case, in a script that has capitals.
    pub fn is_lowercase(&self) -> bool {
        self.cased >= 20 && self.capital * 100 < self.cased
    }

    /// Whether words of the second language are what the first has several for: its sentences have at most four where the first has
    /// five, and they are longer by a fifth at least. So it is from Spanish into Guarani, Aymara, Nahuatl or Shipibo, and not from
    /// English into German or Czech.
    pub fn has_longer_words_in(&self, other: &Self) -> bool {
        let ratio = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let fewer = ratio(other.words, other.lines) < 0.8 * ratio(self.words, self.lines);
        fewer && ratio(other.characters, other.words) > 1.2 * ratio(self.characters, self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(line: &str) -> Look {
        let mut look = Look::default();
        (0..40).for_each(|_| look.add(line));
        look
    }

    #[test]
    fn tokens_and_lower_case_are_seen() {
        let seen = |line: &str| (look(line).is_tokenized(), look(line).is_lowercase());
        assert!(look("The man, who sleeps.").is_raw() && !look("The man , who sleeps .").is_raw());
        assert_eq!(seen("The man, who sleeps."), (false, false));
        assert_eq!(seen("The man , who sleeps ."), (true, false));
        assert_eq!(seen("the man , who sleeps ."), (true, true));
        assert_eq!(seen("Il dort, non ? Oui !"), (false, false));
        assert_eq!(seen("我有一只猫。"), (false, false), "a script without capitals");
    }

    #[test]
    fn words_that_are_sentences_are_told_by_their_number_and_length() {
        let (spanish, guarani) = (look("ahora no lo quiero comprar"), look("ndajoguasevéima ko'ágã upéva"));
        assert!(spanish.has_longer_words_in(&guarani) && !guarani.has_longer_words_in(&spanish));
        let (english, german) =
            (look("the little dog sees the house"), look("der kleine Hund sieht das Haus"));
        assert!(!english.has_longer_words_in(&german));
    }
}
