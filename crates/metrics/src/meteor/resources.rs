//! What METEOR knows of a language beyond its stemmer, read from files: function words, synonyms as METEOR takes them
//! from WordNet, and paraphrases.

use crate::ngrams::{EMPTY, extend};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use treeglot_text::Result;
use treeglot_text::vocab::Vocab;
use treeglot_text::{Error, Lines};

/// Words that carry grammar rather than content, which count less: one a line.
pub fn function_words(path: &Path) -> Result<FxHashSet<Box<str>>> {
    let mut lines = Lines::open(path)?;
    let mut words = FxHashSet::default();
    while let Some(line) = lines.next_line()? {
        words.insert(line.into());
    }
    Ok(words)
}

/// Sets of words with one meaning.
#[derive(Debug, Default)]
pub struct Synonyms {
    sets: FxHashMap<Box<str>, Box<[u32]>>,
    /// The base forms of irregular words.
    bases: FxHashMap<Box<str>, Vec<Box<str>>>,
}

/// Endings of English words and what they are replaced by in base forms, from WordNet's morphology.
const ENDINGS: [(&str, &str); 20] = [
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("s", ""),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
];

impl Synonyms {
    /// Reads a file of words and the numbers of their sets, on lines of their own in turn; the file beside it that
    /// ends in `.exceptions` instead, if there is one, has base forms and their irregular forms in the same way.
    pub fn open(path: &Path) -> Result<Self> {
        let mut synonyms = Self::default();
        for_each_pair(path, |word, sets, lines| {
            let number = |set: &str| {
                let wrong = || lines.malformed(format!("`{set}` is not the number of a synonym set"));
                set.parse().map_err(|_| wrong())
            };
            let mut sets = sets.split_ascii_whitespace().map(number).collect::<Result<Vec<u32>>>()?;
            sets.sort_unstable();
            synonyms.sets.insert(word.into(), sets.into());
            Ok(())
        })?;
        let exceptions = path.with_extension("exceptions");
        if exceptions.exists() {
            for_each_pair(&exceptions, |base, forms, _| {
                for form in forms.split_ascii_whitespace() {
                    synonyms.bases.entry(form.into()).or_default().push(base.into());
                }
                Ok(())
            })?;
        }
        Ok(synonyms)
    }

    /// The sets of a word and of its base forms, in order.
    pub fn sets_of(&self, word: &str) -> Vec<u32> {
        let mut sets = self.sets.get(word).map_or(Vec::new(), |own| own.to_vec());
        match self.bases.get(word) {
            Some(bases) => {
                let of_bases = bases.iter().filter_map(|base| self.sets.get(base));
                sets.extend(of_bases.flat_map(|own| own.iter()));
            }
            None => sets.extend(self.base_form(word).into_iter().flatten()),
        }
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// The sets of the regular base form.
    fn base_form(&self, word: &str) -> Option<&[u32]> {
        if word.ends_with("ss") || word.chars().count() <= 2 {
            return None;
        }
        let base = |&(ending, by): &(&str, &str)| {
            let stem = word.strip_suffix(ending)?;
            self.sets.get(format!("{stem}{by}").as_str())
        };
        ENDINGS.iter().find_map(base).map(|sets| &**sets)
    }
}

/// Calls `each` for every two lines of a file.
fn for_each_pair(path: &Path, mut each: impl FnMut(&str, &str, &Lines) -> Result<()>) -> Result<()> {
    let mut lines = Lines::open(path)?;
    while let Some(first) = lines.next_line()? {
        let first = first.to_string();
        let second = lines.next_line()?.map(str::to_string);
        let Some(second) = second else {
            return Err(lines.malformed(format!("the lines come in pairs, but nothing follows `{first}`")));
        };
        each(&first, &second, &lines)?;
    }
    Ok(())
}

/// Phrases that mean the same.
#[derive(Default)]
pub struct Paraphrases {
    vocab: Vocab,
    words: Vec<u32>,
    /// Where each paraphrase ends in `words`.
    ends: Vec<u32>,
    /// The paraphrases of a phrase, by its hash: from where to where in `order`.
    index: FxHashMap<u64, (u32, u32)>,
    order: Vec<u32>,
    longest: usize,
}

/// The number of a word that no paraphrase has.
pub const UNKNOWN: u32 = u32::MAX;

/// A phrase of a sentence that has a paraphrase.
#[derive(Debug, Clone, Copy)]
pub struct Occurrence {
    /// Where the phrase starts.
    pub start: usize,
    /// How many words it has.
    pub length: usize,
    /// Its paraphrase.
    pub paraphrase: u32,
}

impl Paraphrases {
    /// Reads METEOR's file: a probability (which is not used), a phrase and its paraphrase, on three lines.
    pub fn open(path: &Path) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        let mut read = Self::default();
        let mut phrases: Vec<(u64, u32)> = Vec::new();
        while lines.next_line()?.is_some() {
            let hash = match lines.next_line()? {
                Some(phrase) => read.phrase(phrase),
                None => return Err(incomplete(&lines)),
            };
            match lines.next_line()? {
                Some(paraphrase) => {
                    for word in paraphrase.split_ascii_whitespace() {
                        read.words.push(read.vocab.intern(word).0);
                    }
                }
                None => return Err(incomplete(&lines)),
            }
            phrases.push((hash, read.ends.len() as u32));
            let end = u32::try_from(read.words.len());
            read.ends.push(end.map_err(|_| lines.malformed("more paraphrases than fit into memory"))?);
        }
        read.build_index(phrases);
        Ok(read)
    }

    fn phrase(&mut self, phrase: &str) -> u64 {
        let mut hash = EMPTY;
        let mut length = 0;
        for word in phrase.split_ascii_whitespace() {
            hash = extend(hash, u64::from(self.vocab.intern(word).0));
            length += 1;
        }
        self.longest = self.longest.max(length);
        hash
    }

    fn build_index(&mut self, mut phrases: Vec<(u64, u32)>) {
        phrases.sort_unstable();
        let mut start = 0;
        for same in phrases.chunk_by(|a, b| a.0 == b.0) {
            let end = start + same.len() as u32;
            self.index.insert(same[0].0, (start, end));
            start = end;
        }
        self.order = phrases.into_iter().map(|(_, paraphrase)| paraphrase).collect();
    }

    /// The number of a word here.
    pub fn word(&self, word: &str) -> u32 {
        self.vocab.get(word).map_or(UNKNOWN, |sym| sym.0)
    }

    /// The words of a paraphrase.
    pub fn words_of(&self, paraphrase: u32) -> &[u32] {
        let ix = paraphrase as usize;
        let start = if ix == 0 { 0 } else { self.ends[ix - 1] };
        &self.words[start as usize..self.ends[ix] as usize]
    }

    /// All phrases of a sentence that have paraphrases.
    pub fn occurrences(&self, words: &[u32]) -> Vec<Occurrence> {
        let mut found = Vec::new();
        for start in 0..words.len() {
            let mut hash = EMPTY;
            for (ix, &word) in words[start..].iter().take(self.longest).enumerate() {
                if word == UNKNOWN {
                    break;
                }
                hash = extend(hash, u64::from(word));
                let Some(&(first, end)) = self.index.get(&hash) else { continue };
                let of = &self.order[first as usize..end as usize];
                found.extend(of.iter().map(|&paraphrase| Occurrence { start, length: ix + 1, paraphrase }));
            }
        }
        found
    }
}

fn incomplete(lines: &Lines) -> Error {
    lines.malformed(
        "paraphrases are three lines each (probability, phrase, paraphrase), but the last is incomplete",
    )
}
