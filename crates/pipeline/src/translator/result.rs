//! What a translator gives.

use super::confidence::Signs;
use treeglot_align::links::Link;
use treeglot_decode::Explanation;
use treeglot_parse::Parse;

/// The translation of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Translated {
    /// Its sentences; one, unless the text was split.
    pub sentences: Vec<Sentence>,
    /// What stands between sentences: a blank, or nothing in scripts without blanks.
    pub joint: &'static str,
}

/// The translations of a sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sentence {
    /// As many as were asked for and found, the best first.
    pub best: Vec<Hypothesis>,
    /// What was narrowed because the sentence is long.
    pub narrowed: Vec<String>,
    /// The trees that parsers gave for it, if explanations were asked for.
    pub parses: Vec<Parse>,
    /// How many words it has, as the models see them.
    pub length: usize,
    /// The number of words before each of its places, where these were asked for.
    pub places: Vec<u32>,
    /// The signs of confidence, if they were asked for.
    pub signs: Option<Signs>,
    /// How far the best translation can be trusted, from 0 to 1, if that was asked for and the bundle can tell.
    pub confidence: Option<f64>,
}

/// A translation of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// As people read it.
    pub text: String,
    /// Its words, separated by blanks, as the models see them.
    pub words: String,
    /// Which of the systems made it.
    pub system: usize,
    /// The values of the system's features.
    pub features: Vec<f64>,
    /// Their weighted sum.
    pub score: f64,
    /// Which rules made it, if that was asked for.
    pub explanation: Option<Explanation>,
    /// The head of each word, from 1 and 0 for the root, if its rules have heads.
    pub tree: Option<Vec<u32>>,
}

impl Translated {
    /// The confidence of the sentence that can be trusted least.
    pub fn confidence(&self) -> Option<f64> {
        self.sentences.iter().filter_map(|sentence| sentence.confidence).min_by(f64::total_cmp)
    }

    /// The best translation of all sentences, in one line.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.sentences.iter().map(Sentence::text).collect();
        texts.join(self.joint)
    }

    /// The links of the best translation's words with those of the source, counted through all sentences, if explanations were
    /// asked for.
    pub fn links(&self) -> Vec<Link> {
        let best = self.sentences.iter().flat_map(|sentence| sentence.best.first());
        let mut links = Vec::new();
        let (mut source, mut target) = (0, 0);
        for explanation in best.flat_map(|best| &best.explanation) {
            links.extend(explanation.links().into_iter().map(|(s, t)| Link::new(source + s, target + t)));
            source += explanation.source.len() as u32;
            target += explanation.words.len() as u32;
        }
        links
    }
}

impl Sentence {
    /// The best translation; empty where there is none.
    pub fn text(&self) -> &str {
        self.best.first().map_or("", |best| &best.text)
    }
}
