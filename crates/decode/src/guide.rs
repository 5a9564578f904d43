//! What stands for words that rules do not translate: copies of unknown words, and translations that were given, as words of the
//! sentence's vocabulary. Both searches read it.

use crate::derivation::Applied;
use crate::vocab::SentenceVocab;
use serde::{Deserialize, Serialize};
use treeglot_grammar::RuleLink;
use treeglot_models::{Binding, Given, Guidance, Origin};
use treeglot_text::vocab::Sym;

/// What becomes of a word that no table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum UnknownWords {
    /// It is translated by words that it is made of or is another form of, and copied where there are none
    #[default]
    Guess,
    /// It stands in the translation as it is
    Copy,
    /// It is left out
    Drop,
    /// It stands in the translation between ⟦ and ⟧
    Mark,
}

/// What a marked word stands between.
pub const MARKS: [char; 2] = ['\u{27e6}', '\u{27e7}'];

/// A given translation, as words of the sentence's vocabulary.
#[derive(Debug, Default)]
pub struct GivenWords {
    /// Its choices: words, and the logarithm of the probability.
    pub choices: Vec<(Vec<Sym>, f32)>,
    /// The links of each.
    links: Vec<Vec<(u32, u32)>>,
    length: usize,
    origin: Origin,
    lone: bool,
}

/// What stands for words that rules do not translate.
#[derive(Debug, Default)]
pub struct Guide {
    /// By source position, the word that is copied; none for one that is left out.
    pub copies: Vec<Option<Sym>>,
    /// What is given.
    pub given: Vec<GivenWords>,
}

/// Only so many positions can be linked in a rule.
const MOST_LINKED: usize = 200;

impl GivenWords {
    /// What was given, in words of a vocabulary.
    pub fn new(given: &Given, mut local: impl FnMut(&str) -> Sym) -> Self {
        let choices = given
            .choices
            .iter()
            .map(|choice| (choice.words.split_ascii_whitespace().map(&mut local).collect(), choice.log_prob));
        Self {
            choices: choices.collect(),
            links: given.choices.iter().map(|choice| choice.links.clone()).collect(),
            length: given.span.len(),
            origin: given.origin,
            lone: given.binding == Binding::Constraint,
        }
    }

    /// The links of a choice: its own, or all its words with all source words.
    pub fn links(&self, choice: u32) -> Vec<RuleLink> {
        let (choice, most) = (choice as usize, MOST_LINKED as u32);
        let words = self.choices.get(choice).map_or(0, |(words, _)| words.len() as u32).min(most);
        let length = (self.length as u32).min(most);
        let link = |&(source, target): &(u32, u32)| {
            (source < length && target < words).then(|| RuleLink::new(source as u8, target as u8))
        };
        match self.links.get(choice).filter(|own| !own.is_empty()) {
            Some(own) => own.iter().filter_map(link).collect(),
            None => {
                (0..length).flat_map(|i| (0..words).map(move |j| (i, j))).filter_map(|l| link(&l)).collect()
            }
        }
    }

    /// What applying a choice is.
    pub fn applied(&self, given: u32, choice: u32) -> Applied {
        Applied::Given { given, choice, origin: self.origin, lone: self.lone }
    }

    /// Whether one of its choices stands in a target side.
    pub fn is_within<'t>(&self, target: impl Iterator<Item = &'t str>, vocab: &SentenceVocab<'_>) -> bool {
        let target: Vec<&str> = target.collect();
        self.choices.iter().any(|(words, _)| {
            let words: Vec<&str> = words.iter().map(|&word| vocab.text(word)).collect();
            words.is_empty() || target.windows(words.len()).any(|window| window == words)
        })
    }
}

impl Guide {
    /// Reads the words of a sentence.
    pub fn read<'w>(
        &mut self,
        words: impl Iterator<Item = &'w str>,
        guidance: &Guidance,
        unknown: UnknownWords,
        mut local: impl FnMut(&str) -> Sym,
    ) {
        self.copies.clear();
        self.copies.extend(words.map(|word| match unknown {
            UnknownWords::Guess | UnknownWords::Copy => Some(local(word)),
            UnknownWords::Drop => None,
            UnknownWords::Mark => Some(local(&format!("{}{word}{}", MARKS[0], MARKS[1]))),
        }));
        self.given = guidance.given.iter().map(|given| GivenWords::new(given, &mut local)).collect();
    }
}
