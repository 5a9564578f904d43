//! Choosing what to say: random sentences of the abstract syntax that make sense.

mod adverbial;
mod clause;
mod comparison;
mod copular;
mod embedded;
mod np;
mod question;
mod relative;

use crate::lexicon::{Complement, Frame, LEXICON, Noun};
use crate::syntax::{Concept, Sentence};
use std::collections::HashMap;
use std::rc::Rc;
use treeglot_text::Rng;

/// The kinds of sentences; each stands for a construction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Construction {
    Simple,
    Modal,
    Copular,
    Passive,
    Polar,
    Wh,
    Order,
    Adverbial,
    Complement,
    Relative,
    Infinitive,
    RaisedObject,
    Purpose,
    Pair,
    Comparison,
    Long,
}

/// How often each construction is tried, of 100.
const MIX: [(usize, Construction); 16] = [
    (12, Construction::Simple),
    (7, Construction::Modal),
    (3, Construction::Copular),
    (6, Construction::Passive),
    (5, Construction::Polar),
    (9, Construction::Wh),
    (3, Construction::Order),
    (12, Construction::Adverbial),
    (8, Construction::Complement),
    (15, Construction::Relative),
    (5, Construction::Infinitive),
    (5, Construction::RaisedObject),
    (3, Construction::Purpose),
    (3, Construction::Pair),
    (4, Construction::Comparison),
    (4, Construction::Long),
];

/// Generates sentences.
pub(crate) struct Generator {
    rng: Rng,
    next: u32,
    /// The nouns of each list of classes asked for so far.
    nouns: HashMap<Vec<&'static str>, Rc<[&'static Noun]>>,
}

impl Generator {
    /// A generator that always gives the same sentences for a seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), next: 0, nouns: HashMap::new() }
    }

    /// The next sentence.
    pub fn sentence(&mut self) -> Sentence {
        self.next = 0;
        match self.rng.weighted(&MIX) {
            Construction::Simple => self.simple_sentence(),
            Construction::Modal => self.modal_sentence(),
            Construction::Copular => self.copular_sentence(),
            Construction::Passive => self.passive_sentence(),
            Construction::Polar => self.polar_question(),
            Construction::Wh => self.wh_question(),
            Construction::Order => self.order(),
            Construction::Adverbial => self.adverbial_sentence(),
            Construction::Complement => self.complement_sentence(),
            Construction::Relative => self.relative_sentence(),
            Construction::Infinitive => self.infinitive_sentence(),
            Construction::RaisedObject => self.raised_object(),
            Construction::Purpose => self.purpose_sentence(),
            Construction::Pair => self.pair(),
            Construction::Comparison => self.comparison(),
            Construction::Long => self.long_pair(),
        }
    }

    /// The nouns of any of the classes.
    fn nouns_of(&mut self, classes: &[&'static str]) -> Rc<[&'static Noun]> {
        if let Some(nouns) = self.nouns.get(classes) {
            return Rc::clone(nouns);
        }
        let nouns: Rc<[&'static Noun]> = LEXICON.nouns_of(classes).into();
        self.nouns.insert(classes.to_vec(), Rc::clone(&nouns));
        nouns
    }

    fn fresh(&mut self) -> Concept {
        self.next += Concept::PARTS;
        Concept(self.next)
    }

    /// A frame that fits, all equally likely.
    fn frame(&mut self, fits: impl Fn(&Frame) -> bool) -> &'static Frame {
        let fitting = || LEXICON.frames.iter().filter(|f| fits(f));
        let at = self.rng.below(fitting().count());
        fitting().nth(at).expect("the number drawn is below the count")
    }
}

/// A verb that takes no clause and has a real subject.
fn is_plain(frame: &Frame) -> bool {
    frame.complement.is_none() && !frame.roles[0].classes.contains(&"it")
}

/// A plain verb for what people decide to do.
fn is_voluntary(frame: &Frame) -> bool {
    is_plain(frame) && frame.voluntary && frame.roles[0].classes.contains(&"per")
}

/// Whether a verb takes a complement of a kind.
fn takes(frame: &Frame, kind: fn(Complement) -> bool) -> bool {
    frame.complement.is_some_and(kind)
}
