//! The words that a network knows, by number. Rare words are known by their last letters, where many end in them: an unseen
//! German compound has the gender and number of its last part.

use rustc_hash::FxHashMap;

/// A word by its number.
pub type Word = u16;

/// Any word that is not known, nor its ending.
pub(crate) const UNKNOWN: Word = 0;
/// The begin of a sentence, and what stands before it.
pub const BEGIN: Word = 1;
/// The end of a sentence, and what stands after it.
pub const END: Word = 2;
/// A word of which nothing is known yet.
pub const NOTHING: Word = 3;

/// The names of these; no word of a text is written so.
const SPECIAL: [&str; 4] = ["\u{1}", "\u{1}<s>", "\u{1}</s>", "\u{1}<null>"];

/// How many letters of rare words are looked at, the most first.
const LETTERS: [usize; 3] = [4, 3, 2];
/// How many rare words must end in the same letters to be known by them.
const SHARED: u32 = 15;

/// What a source word is translated by, as one name: these words, or nothing.
pub(crate) fn translation<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut name = String::new();
    for word in words {
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    if name.is_empty() { SPECIAL[usize::from(NOTHING)].to_string() } else { name }
}

/// The known words of a language, the most frequent first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    names: Vec<String>,
    numbers: FxHashMap<String, Word>,
}

impl Words {
    /// The known words of a text that has each word so often: at most `most`.
    pub fn choose(counts: &FxHashMap<String, u32>, most: usize, min_count: u32) -> Self {
        let mut known: Vec<(&str, u32)> =
            counts.iter().map(|(word, &count)| (word.as_str(), count)).collect();
        known.retain(|(word, _)| !SPECIAL.contains(word));
        known.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let frequent = known.partition_point(|&(_, count)| count >= min_count).min(most);
        let mut endings: FxHashMap<String, u32> = FxHashMap::default();
        for &(word, count) in &known[frequent..] {
            LETTERS.iter().filter_map(|&letters| ending(word, letters)).for_each(|ending| {
                *endings.entry(ending).or_default() += count;
            });
        }
        let mut all: Vec<(String, u32)> =
            known[..frequent].iter().map(|&(word, count)| (word.to_string(), count)).collect();
        all.extend(endings.into_iter().filter(|&(_, count)| count >= SHARED));
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(most);
        Self::named(SPECIAL.iter().map(|name| name.to_string()).chain(all.into_iter().map(|(name, _)| name)))
    }

    /// Words by their names, in order.
    pub fn named(names: impl Iterator<Item = String>) -> Self {
        let names: Vec<String> = names.take(usize::from(Word::MAX)).collect();
        let numbers = names.iter().enumerate().map(|(number, name)| (name.clone(), number as Word)).collect();
        Self { names, numbers }
    }

    /// Their names as lines.
    pub fn text(&self) -> String {
        self.names.join("\n")
    }

    /// The number of a word; of a rare one, that of its ending.
    pub fn number(&self, word: &str) -> Word {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let known = |&letters: &usize| self.numbers.get(&ending(word, letters)?).copied();
        LETTERS.iter().find_map(known).unwrap_or(UNKNOWN)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }
}

/// The name of a word's last letters; none for a word that has not more.
fn ending(word: &str, letters: usize) -> Option<String> {
    let (at, _) = word.char_indices().rev().nth(letters - 1)?;
    (at > 0).then(|| format!("\u{1}{}", &word[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_are_known_by_their_endings() {
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        counts.insert("das".to_string(), 30);
        counts.insert("ein".to_string(), 40);
        for start in 'a'..='z' {
            counts.insert(format!("{start}haus"), 1);
        }
        let words = Words::choose(&counts, 100, 2);
        assert_eq!((words.number("ein"), words.number("das")), (4, 5));
        assert_eq!(words.number("ßhaus"), words.number("ahaus"));
        assert_ne!(words.number("ahaus"), UNKNOWN);
        assert_eq!(words.number("haus"), words.number("maus"));
        assert_eq!((words.number("x"), words.number("qqqqqq")), (UNKNOWN, UNKNOWN));
        let read = Words::named(words.text().split('\n').map(str::to_string));
        assert_eq!(read.number("ahaus"), words.number("ahaus"));
        assert_eq!(read.len(), words.len());
    }
}
