//! Classes of words, learnt from text by the exchange algorithm (Kneser & Ney 1993; Martin, Liermann & Ney 1998), and models of
//! the classes of words. Each word goes to the class where a model of pairs of classes finds the text most probable, until hardly
//! a word moves.
//!
//! A model of classes is an [`Lm`] whose index has words and whose n-grams are of classes, so that whoever asks it for words
//! needs not know.

use crate::corpus::{self, Corpus};
use crate::error::{Error, Result};
use crate::estimate;
use crate::exchange::{Exchange, Pairs};
use crate::lm::Lm;
use crate::settings::Settings;
use crate::special::{self, EOS};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use treeglot_text::vocab::{Sym, Vocab};
use treeglot_text::{Error as TextError, Input, Lines, Output, Place};

/// The most classes: their pairs are a table in memory.
pub const MAX_CLASSES: usize = 2000;

/// The label of the words of a text that are not listed.
const UNLISTED: &str = "unlisted";

/// How classes are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), group(id = "class-settings"))]
pub struct ClassSettings {
    /// How many classes words are sorted into
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().classes))]
    pub classes: usize,
    /// How often at most all words are looked at
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().rounds))]
    pub rounds: usize,
}

impl Default for ClassSettings {
    fn default() -> Self {
        Self { classes: 100, rounds: 20 }
    }
}

impl ClassSettings {
    /// Whether the numbers mean something.
    pub fn check(&self) -> Result<()> {
        if !(1..=MAX_CLASSES).contains(&self.classes) {
            let why = format!("`classes` must be 1 to {MAX_CLASSES}, not {}", self.classes);
            return Err(Error::Setting(why));
        }
        Ok(())
    }
}

/// The class of each listed word.
#[derive(Clone, Default)]
pub struct Classes {
    words: Vocab,
    labels: Vocab,
    of: Vec<u32>,
}

impl Classes {
    /// Learns classes from text, one sentence a line. `say` is told of each round.
    pub fn learn(
        input: Input,
        settings: &ClassSettings,
        memory: u64,
        mut say: impl FnMut(&str),
    ) -> Result<Self> {
        settings.check()?;
        let Corpus { vocab, mut tokens, .. } = corpus::read(input, true, memory / 4)?;
        let pairs = Pairs::count(&mut tokens, vocab.len())?;
        let mut exchange = Exchange::new(&pairs, settings.classes);
        for round in 1..=settings.rounds {
            let moved = exchange.round();
            say(&format!("round {round}, {moved} words moved, perplexity {:.2}", exchange.perplexity()));
            if moved <= vocab.len() / 1000 {
                break;
            }
        }
        let mut classes = Self::default();
        for (word, &class) in vocab.words().zip(exchange.classes()).skip(special::SPECIAL.len()) {
            classes.add(word, &class.to_string());
        }
        Ok(classes)
    }

    /// Reads lines of a word and its class, as mkcls writes them.
    pub fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Self> {
        let mut classes = Self::default();
        while let Some(line) = lines.next_line()? {
            let mut fields = line.split_ascii_whitespace();
            let (Some(word), Some(label), None) = (fields.next(), fields.next(), fields.next()) else {
                let found = format!("expected a word and its class, but found `{line}`");
                return Err(lines.malformed(found).into());
            };
            if classes.words.get(word).is_some() {
                let twice = format!("`{word}` has a class already: list it once");
                return Err(lines.malformed(twice).into());
            }
            classes.add(word, label);
        }
        if classes.of.is_empty() {
            let message = "no words with classes: expected a word and its class on each line".to_string();
            return Err(TextError::Malformed { place: Place::new(lines.name().clone(), 0), message }.into());
        }
        Ok(classes)
    }

    fn add(&mut self, word: &str, label: &str) {
        self.words.intern(word);
        self.of.push(self.labels.intern(label).0);
    }

    /// The listed words and their classes.
    pub fn listed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.words().zip(self.of.iter().map(|&class| self.labels.word(Sym(class))))
    }

    /// Writes lines of a word and its class, which [`Classes::read`] reads.
    pub fn write(&self, out: &mut Output) -> std::io::Result<()> {
        self.listed().try_for_each(|(word, label)| writeln!(out, "{word}\t{label}"))
    }

    /// A model of the classes of a text's words. Words that are not listed share a class.
    pub fn model(&self, text: Input, settings: &Settings, memory: u64) -> Result<Lm> {
        settings.check()?;
        let Corpus { vocab, tokens, name } = corpus::read(text, settings.skip_symbols, memory / 4)?;
        let mut labels = special::vocabulary();
        let mut symbol = |label: &str| -> Result<Sym> {
            let symbol = labels.intern(label);
            let reserved = || Error::Setting(format!("`{label}` cannot be the name of a class"));
            if symbol <= EOS { Err(reserved()) } else { Ok(symbol) }
        };
        let own: Vec<Sym> =
            self.labels.words().map(|label| symbol(&format!("c{label}"))).collect::<Result<_>>()?;
        let class_of = |word: &str| self.words.get(word).map(|word| own[self.of[word.ix()] as usize]);
        let mut classes = vec![special::UNK, special::BOS, EOS];
        for word in vocab.words().skip(special::SPECIAL.len()) {
            classes.push(class_of(word).map_or_else(|| symbol(UNLISTED), Ok)?);
        }
        let tokens = tokens.map(memory / 4, |word| classes[word as usize].0)?;
        let (estimated, _) = estimate::of_corpus(Corpus { vocab: labels, tokens, name }, settings, memory)?;
        let in_text = vocab.words().zip(&classes).skip(special::SPECIAL.len());
        let in_text = in_text.map(|(word, &class)| (word, class));
        let others = self.words.words().filter(|word| vocab.get(word).is_none());
        let others = others.filter_map(|word| Some((word, class_of(word)?)));
        let words: Vec<(&str, Sym)> = in_text.chain(others).collect();
        Lm::of_classes(estimated.into_ngrams(), settings, &words)
    }
}

/// How often words have tags: a class is the words that have a tag more often than others.
#[derive(Default)]
pub struct TagCounts {
    words: Vocab,
    tags: Vocab,
    /// By word, the tags that it has.
    counts: Vec<Vec<(Sym, u64)>>,
}

impl TagCounts {
    /// Counts a word with its tag.
    pub fn add(&mut self, word: &str, tag: &str) {
        let (word, tag) = (self.words.intern(word), self.tags.intern(tag));
        if word.ix() == self.counts.len() {
            self.counts.push(Vec::new());
        }
        let of_word = &mut self.counts[word.ix()];
        match of_word.iter_mut().find(|(known, _)| *known == tag) {
            Some((_, count)) => *count += 1,
            None => of_word.push((tag, 1)),
        }
    }

    /// The class of each word: the tag that it has most often, the first of several.
    pub fn classes(&self) -> Classes {
        let mut classes = Classes::default();
        for (word, tags) in self.words.words().zip(&self.counts) {
            let mut best: Option<(Sym, u64)> = None;
            for &(tag, count) in tags {
                if best.is_none_or(|(_, most)| count > most) {
                    best = Some((tag, count));
                }
            }
            if let Some((tag, _)) = best {
                classes.add(word, self.tags.word(tag));
            }
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    fn input(text: &str) -> Input {
        Input { name: "text".into(), reader: Box::new(std::io::Cursor::new(text.to_string())) }
    }

    #[test]
    fn a_word_is_of_the_class_of_its_most_frequent_tag() {
        let mut counts = TagCounts::default();
        let tagged = [
            ("der", "Nom"),
            ("der", "Dat"),
            ("haus", "Neut"),
            ("der", "Dat"),
            ("die", "Nom"),
            ("die", "Acc"),
        ];
        tagged.iter().for_each(|(word, tag)| counts.add(word, tag));
        let classes = counts.classes();
        assert_eq!(classes.listed().collect::<Vec<_>>(), [("der", "Dat"), ("haus", "Neut"), ("die", "Nom")]);
    }

    /// Sentences in which words of one kind stand in the same places.
    fn text() -> String {
        let (articles, nouns, verbs) = (["the", "a"], ["dog", "cat", "house"], ["runs", "sleeps", "sits"]);
        let mut text = String::new();
        for k in 0..60 {
            let (article, noun, verb) = (articles[k % 2], nouns[k / 2 % 3], verbs[k / 6 % 3]);
            text.push_str(&format!("{article} {noun} {verb}\n"));
        }
        text
    }

    fn learnt(classes: usize) -> Classes {
        let settings = ClassSettings { classes, ..ClassSettings::default() };
        Classes::learn(input(&text()), &settings, 1 << 20, |_| {}).unwrap()
    }

    #[test]
    fn words_that_stand_in_the_same_places_share_a_class() {
        let classes = learnt(3);
        let label = |word: &str| classes.listed().find(|(other, _)| *other == word).unwrap().1.to_string();
        assert_eq!(label("the"), label("a"));
        assert!(label("dog") == label("cat") && label("cat") == label("house"));
        assert!(label("runs") == label("sleeps") && label("sleeps") == label("sits"));
        assert!(
            label("the") != label("dog") && label("dog") != label("runs") && label("the") != label("runs")
        );
    }

    #[test]
    fn a_model_of_classes_takes_words_and_survives_its_file() {
        let classes = learnt(3);
        let lm = classes.model(input(&text()), &Settings::of_order(4), 1 << 20).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lm");
        lm.write(&path).unwrap();
        let mapped = Lm::open(&path).unwrap();
        let score = |lm: &Lm, line: &str| {
            lm.tables().sentence(&words(line).map(|word| lm.symbol(word)).collect::<Vec<_>>()).prob
        };
        assert_eq!(score(&lm, "the dog runs"), score(&lm, "a house sits"));
        assert_eq!(score(&lm, "the dog runs"), score(&mapped, "a cat sleeps"));
        assert!(score(&lm, "the dog runs") > score(&lm, "dog the runs") + 1.0);
        assert_eq!(mapped.symbol("elephant"), special::UNK);
    }

    #[test]
    fn classes_are_read_as_they_are_written() {
        let classes = learnt(3);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("classes");
        let mut out = Output::create(&path).unwrap();
        classes.write(&mut out).unwrap();
        out.finish().unwrap();
        let read = Classes::read(&mut Lines::open(&path).unwrap()).unwrap();
        assert!(classes.listed().eq(read.listed()));
    }

    #[test]
    fn bad_lines_of_classes_are_named() {
        let error = |text: &'static str| {
            Classes::read(&mut Lines::new("classes", text.as_bytes())).err().unwrap().to_string()
        };
        assert!(error("dog 1\ncat\n").starts_with("classes:2: expected a word and its class"));
        assert!(error("dog 1\ndog 2\n").starts_with("classes:2: `dog` has a class already"));
        assert!(error("").starts_with("classes: no words with classes"));
    }
}
