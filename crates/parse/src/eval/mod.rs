//! Evaluation by the definition of the CoNLL 2018 shared task: words of gold and system are aligned over the characters
//! of the text, then tags, lemmas and dependencies of aligned words are compared.
//!
//! | metric | counts as right |
//! |---|---|
//! | Words | a word that is aligned |
//! | UPOS, XPOS, UFeats, AllTags, Lemmas | its tag, tag, universal features, all three, lemma |
//! | UAS, LAS | its head; its head and universal relation |
//! | CLAS | as LAS, for content words only |
//! | MLAS | as CLAS, with UPOS, universal features and function words attached to it |
//! | BLEX | as CLAS, with the lemma |

mod words;

use crate::error::{Error, Result};
use std::fmt;
use treeglot_text::Place;
use treeglot_tree::DepParse;
use words::{Aligned, Words};

/// The metrics, in the order of the shared task's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DepMetric {
    /// Surface tokens with the right characters.
    Tokens,
    /// Words, after multi-word tokens are split.
    Words,
    /// Universal parts of speech.
    Upos,
    /// Parts of speech of the treebank.
    Xpos,
    /// Universal features.
    UFeats,
    /// UPOS, XPOS and universal features together.
    AllTags,
    /// Lemmas.
    Lemmas,
    /// Heads.
    Uas,
    /// Heads and relations.
    Las,
    /// Heads and relations of content words.
    Clas,
    /// Heads and relations of content words, with tags and function words.
    Mlas,
    /// Heads and relations of content words, with lemmas.
    Blex,
}

impl DepMetric {
    /// All metrics.
    pub const ALL: [Self; 12] = [
        Self::Tokens,
        Self::Words,
        Self::Upos,
        Self::Xpos,
        Self::UFeats,
        Self::AllTags,
        Self::Lemmas,
        Self::Uas,
        Self::Las,
        Self::Clas,
        Self::Mlas,
        Self::Blex,
    ];

    /// Its name in the shared task.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tokens => "Tokens",
            Self::Words => "Words",
            Self::Upos => "UPOS",
            Self::Xpos => "XPOS",
            Self::UFeats => "UFeats",
            Self::AllTags => "AllTags",
            Self::Lemmas => "Lemmas",
            Self::Uas => "UAS",
            Self::Las => "LAS",
            Self::Clas => "CLAS",
            Self::Mlas => "MLAS",
            Self::Blex => "BLEX",
        }
    }
}

impl fmt::Display for DepMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The counts behind one metric; they add up over sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Items of the gold standard.
    pub gold: usize,
    /// Items of the system.
    pub system: usize,
    /// Items that are right.
    pub correct: usize,
    /// Aligned items; `None` where alignment says nothing (tokens, words).
    pub aligned: Option<usize>,
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Counts {
    /// The share of the system's items that are right.
    pub fn precision(&self) -> f64 {
        share(self.correct, self.system)
    }

    /// The share of the gold items that the system has right.
    pub fn recall(&self) -> f64 {
        share(self.correct, self.gold)
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        share(2 * self.correct, self.system + self.gold)
    }

    /// The share of aligned items that are right.
    pub fn aligned_accuracy(&self) -> Option<f64> {
        self.aligned.map(|aligned| share(self.correct, aligned))
    }

    fn add(&mut self, other: &Self) {
        self.gold += other.gold;
        self.system += other.system;
        self.correct += other.correct;
        self.aligned = match (self.aligned, other.aligned) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

/// The counts of all metrics.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evaluation {
    counts: [Counts; DepMetric::ALL.len()],
}

impl Evaluation {
    /// Compares the sentences of a system with those of the gold standard. The two may split the text into sentences,
    /// tokens and words differently, but its characters must be the same.
    pub fn of<'a>(
        gold: impl IntoIterator<Item = &'a DepParse>,
        system: impl IntoIterator<Item = &'a DepParse>,
    ) -> Result<Self> {
        let (gold, system) = (Words::read(gold), Words::read(system));
        if gold.characters != system.characters {
            let same = gold.characters.iter().zip(&system.characters).take_while(|(a, b)| a == b).count();
            let text = |chars: &[char]| chars.iter().skip(same).take(20).collect::<String>();
            return Err(Error::Unequal {
                place: Place::new("evaluation", gold.line_at(same)),
                message: format!(
                    "the gold standard goes on with `{}`, but the system with `{}`",
                    text(&gold.characters),
                    text(&system.characters)
                ),
            });
        }
        let mut evaluation = Self::default();
        evaluation.counts[DepMetric::Tokens as usize] = gold.compare_tokens(&system);
        let aligned = Aligned::new(&gold, &system);
        for metric in &DepMetric::ALL[1..] {
            evaluation.counts[*metric as usize] = aligned.count(*metric);
        }
        Ok(evaluation)
    }

    /// The counts of a metric.
    pub fn get(&self, metric: DepMetric) -> &Counts {
        &self.counts[metric as usize]
    }

    /// Adds the counts of other sentences.
    pub fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| a.add(b));
    }
}

impl fmt::Display for Evaluation {
    /// The table of the shared task, in percent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Metric     | Precision |    Recall |  F1 Score | AligndAcc")?;
        write!(f, "-----------+-----------+-----------+-----------+-----------")?;
        for metric in DepMetric::ALL {
            let counts = self.get(metric);
            let percent = [counts.precision(), counts.recall(), counts.f1()].map(|x| 100.0 * x);
            let [p, r, f1] = percent;
            write!(f, "\n{:<11}|{p:>10.2} |{r:>10.2} |{f1:>10.2} |", metric.name())?;
            match counts.aligned_accuracy() {
                Some(accuracy) => write!(f, "{:>10.2}", 100.0 * accuracy)?,
                None => write!(f, "          ")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::format::{ReadTrees, conllu};

    /// One sentence; an entry of several words is a multi-word token and its words. All words hang from the first.
    fn sentence(entries: &[&str]) -> DepParse {
        let mut text = String::new();
        let mut id = 0;
        for entry in entries {
            let parts: Vec<&str> = entry.split(' ').collect();
            let words = if parts.len() > 1 { &parts[1..] } else { &parts[..] };
            if parts.len() > 1 {
                text += &format!("{}-{}\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n", id + 1, id + words.len(), parts[0]);
            }
            for word in words {
                let (head, relation) = if id == 0 { (0, "root") } else { (1, "obj") };
                id += 1;
                text += &format!("{id}\t{word}\tl\tX\t_\t_\t{head}\t{relation}\t_\t_\n");
            }
        }
        conllu::Reader::new("t", text.as_bytes()).next_tree().unwrap().unwrap()
    }

    fn aligned(gold: &[&str], system: &[&str]) -> usize {
        let scores = Evaluation::of([&sentence(gold)], [&sentence(system)]).unwrap();
        scores.get(DepMetric::Words).correct
    }

    #[test]
    fn words_are_aligned_by_their_characters() {
        assert_eq!(aligned(&["go", "home", "now"], &["go", "home", "now"]), 3);
        assert_eq!(aligned(&["gohome"], &["go", "home"]), 0);
        assert_eq!(aligned(&["go", "homenow"], &["go", "home", "now"]), 1);
    }

    #[test]
    fn words_of_split_tokens_are_aligned_by_their_forms() {
        assert_eq!(aligned(&["vom von dem", "Haus"], &["vom von dem", "Haus"]), 3);
        assert_eq!(aligned(&["vom von dem", "Haus"], &["vom", "Haus"]), 1);
        assert_eq!(aligned(&["vom von dem", "Haus"], &["vom von DEM", "Haus"]), 3);
        assert_eq!(aligned(&["abc x b c"], &["abc a b c"]), 2);
        assert_eq!(aligned(&["abc a b c", "de d e"], &["a", "bcd b c d", "e"]), 5);
    }

    #[test]
    fn other_characters_are_an_error_that_shows_them() {
        let error = Evaluation::of([&sentence(&["go", "home"])], [&sentence(&["go", "away"])]).unwrap_err();
        let message = "evaluation:1: the gold standard goes on with `home`, but the system with `away`";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_wrong_head_costs_attachment_but_no_tags() {
        let gold = sentence(&["a", "b", "c", "d"]);
        let mut system = gold.clone();
        system.set_head(treeglot_tree::WordIx(3), Some(treeglot_tree::WordIx(1)));
        let scores = Evaluation::of([&gold], [&system]).unwrap();
        for (metric, f1) in [(DepMetric::Upos, 1.0), (DepMetric::Uas, 0.75), (DepMetric::Las, 0.75)] {
            assert_eq!(scores.get(metric).f1(), f1, "{metric}");
        }
        assert_eq!(scores.get(DepMetric::Las).aligned_accuracy(), Some(0.75));
    }
}
