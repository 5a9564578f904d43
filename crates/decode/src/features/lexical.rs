//! `LexicalModel0`: a lexical translation model (Devlin et al. 2014, section 4.2) as a feature of the search. Its value is the natural
//! logarithm of the probability of what each source word is translated by, its linked target words or nothing, given the
//! source words around it. It knows what is left out, such as the particle of a verb that stands far from it.
//!
//! It sees no target words but those of one rule, so it has no state; only places of source words are asked for.

use super::joint::{Joint, JointState, JointWord};
use super::{Feature, Item, Shape, Stateful};
use crate::places::{place, word_places};
use crate::vocab::SentenceVocab;
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_joint::{HISTORY, JointModel, NOTHING, Word};
use treeglot_text::vocab::Sym;

pub(super) const NAME: &str = "LexicalModel0";
const START: f32 = 0.1;

struct Entry;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.lexical { vec![Box::new(Entry)] } else { Vec::new() }
}

impl Feature for Entry {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn of_rules(&self) -> bool {
        false
    }

    fn start(&self) -> Vec<f32> {
        vec![START]
    }
}

/// The source symbols of a rule that have links, each with the target words that it is linked to, in their order.
pub fn translated(target: &[Symbol], links: &[RuleLink], mut take: impl FnMut(u8, &[Sym])) {
    let mut links: Vec<(u8, u8)> = links.iter().map(|link| (link.src, link.tgt)).collect();
    links.sort_unstable();
    let mut words = Vec::new();
    for of_symbol in links.chunk_by(|a, b| a.0 == b.0) {
        words.clear();
        let at = |&(_, at): &(u8, u8)| target.get(usize::from(at)).copied();
        words.extend(
            of_symbol.iter().filter_map(at).filter(|symbol| symbol.is_word()).filter_map(Symbol::vocab),
        );
        take(of_symbol[0].0, &words);
    }
}

/// A lexical translation model with its weight, and what it knows of a sentence; owned by a thread.
pub struct Lexical<'m> {
    /// Networks of both kinds are looked up alike.
    model: Joint<'m>,
}

impl<'m> Lexical<'m> {
    /// The model with this weight.
    pub fn new(model: &'m JointModel, weight: f32) -> Self {
        Self { model: Joint::new(model, weight) }
    }

    /// Its weight.
    pub fn weight(&self) -> f32 {
        self.model.weight()
    }

    /// Begins a sentence of these words.
    pub fn begin<'w>(&mut self, words: impl Iterator<Item = &'w str> + Clone) {
        self.model.begin(words);
    }

    /// The model's number of these words.
    pub fn number(&self, words: &[Sym], vocab: &SentenceVocab<'_>) -> Word {
        self.model.model().translation(words.iter().map(|&word| vocab.text(word)))
    }

    /// How probable it is that the source word at a place is translated by these words.
    pub fn score(&self, at: u16, translation: Word) -> f32 {
        self.model.score(at, [NOTHING; HISTORY], translation)
    }

    /// The value of a rule whose source words stand at these places, of which some are linked to words.
    pub fn value(&self, places: impl Iterator<Item = u16>, linked: impl Iterator<Item = (u16, Word)>) -> f32 {
        let none: f32 = places.map(|at| self.score(at, NOTHING)).sum();
        none + linked.map(|(at, word)| self.score(at, word) - self.score(at, NOTHING)).sum::<f32>()
    }

    fn of_items(&self, target: impl Iterator<Item = Item<JointWord>>, places: &[u32]) -> f32 {
        let linked = target.filter_map(|item| match item {
            Item::Source(linked) => Some((place(places, linked.affiliated)?, linked.word)),
            _ => None,
        });
        self.value(word_places(places), linked)
    }
}

/// A joint model, a lexical translation model, or both: all features that look at where source words stand.
pub struct Neural<'m> {
    /// The joint model.
    pub joint: Option<Joint<'m>>,
    /// The lexical translation model.
    pub lexical: Option<Lexical<'m>>,
}

impl Neural<'_> {
    /// What is looked up of words by the joint model alone.
    const UNKNOWN: JointWord = JointWord { word: 0, affiliated: 0 };
}

impl Stateful for Neural<'_> {
    type State = JointState;
    type Word = JointWord;
    const PLACED: bool = true;

    fn width(&self) -> usize {
        usize::from(self.joint.is_some()) + usize::from(self.lexical.is_some())
    }

    fn begin_sentence(&mut self, line: &str) {
        self.joint.iter_mut().for_each(|joint| joint.begin_sentence(line));
        self.lexical.iter_mut().for_each(|lexical| lexical.begin(line.split_ascii_whitespace()));
    }

    fn word(&mut self, word: Sym, affiliated: u8, vocab: &SentenceVocab<'_>) -> JointWord {
        self.joint.as_mut().map_or(Self::UNKNOWN, |joint| joint.word(word, affiliated, vocab))
    }

    fn source(&mut self, linked: &[Sym], symbol: u8, vocab: &SentenceVocab<'_>) -> Option<JointWord> {
        let word = self.lexical.as_ref()?.number(linked, vocab);
        Some(JointWord { word, affiliated: symbol })
    }

    fn end(&self) -> JointWord {
        self.joint.as_ref().map_or(Self::UNKNOWN, Stateful::end)
    }

    /// Rules are ranked before their places are known.
    fn estimate(&self, _: impl Iterator<Item = Item<JointWord>> + Clone) -> f32 {
        0.0
    }

    #[inline]
    fn apply<'s>(
        &self,
        target: impl Iterator<Item = Item<JointWord>> + Clone,
        places: &[u32],
        tail: impl Fn(u8) -> &'s JointState,
        state: &mut JointState,
    ) -> f32 {
        let of_lexical = |lexical: &Lexical<'_>| lexical.weight() * lexical.of_items(target.clone(), places);
        let own = self.lexical.as_ref().map_or(0.0, of_lexical);
        let joint = match &self.joint {
            Some(joint) => joint.apply(target, places, tail, state),
            None => {
                *state = JointState::default();
                0.0
            }
        };
        joint + own
    }

    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<JointWord>> + Clone,
        places: &[u32],
        tail: impl Fn(u8) -> &'s JointState,
        values: &mut [f32],
    ) {
        let (of_joint, of_lexical) = values.split_at_mut(usize::from(self.joint.is_some()));
        if let (Some(lexical), [value]) = (&self.lexical, of_lexical) {
            *value = lexical.of_items(target.clone(), places);
        }
        if let Some(joint) = &self.joint {
            joint.values(target, places, tail, of_joint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_symbols_come_with_their_linked_words_in_target_order() {
        let word = |number| Symbol::word(Sym(number));
        let target = [word(7), Symbol::reference(0), word(8), word(9)];
        let links = [RuleLink::new(2, 3), RuleLink::new(0, 2), RuleLink::new(2, 0), RuleLink::new(4, 1)];
        let mut all = Vec::new();
        translated(&target, &links, |symbol, words| all.push((symbol, words.to_vec())));
        assert_eq!(all, [(0, vec![Sym(8)]), (2, vec![Sym(7), Sym(9)]), (4, vec![])]);
    }
}
