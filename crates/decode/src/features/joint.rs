//! `JointModel0`: a neural joint model (Devlin et al. 2014) as a feature of the search. Its value is the natural logarithm of the
//! probability of each word given the words before and the source words around the one it is affiliated with.
//!
//! In a chart a state has the last words, and the first ones with their source positions, for these lack words before them. They
//! are scored with what is known, which the network has learnt to do, and the difference is added when more is.

use super::{Feature, Item, Shape, Stateful};
use crate::places::place;
use crate::vocab::SentenceVocab;
use std::cell::Cell;
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_joint::{BEGIN, END, HISTORY, JointModel, NOTHING, Sentence, Word, affiliations, linked_to};
use treeglot_text::vocab::Sym;

pub(super) const NAME: &str = "JointModel0";
const START: f32 = 0.3;

struct Entry;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.joint { vec![Box::new(Entry)] } else { Vec::new() }
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

/// The symbol of the source side that each symbol of a target side is affiliated with; words without a link have that of the
/// nearest with one.
pub fn affiliate(target: &[Symbol], links: &[RuleLink], affiliated: &mut Vec<u8>) {
    let mut sources = Vec::new();
    let linked: Vec<Option<u32>> = (0..target.len())
        .map(|at| {
            sources.clear();
            let own = links.iter().filter(|link| usize::from(link.tgt) == at);
            sources.extend(own.map(|link| u32::from(link.src)));
            linked_to(&mut sources)
        })
        .collect();
    affiliated.clear();
    affiliated.extend(affiliations(&linked, 0).map(|source| source.min(u32::from(SENTENCE_END) - 1) as u8));
}

/// What the sentence's end is affiliated with: the position behind the last word.
const SENTENCE_END: u8 = u8::MAX;

/// The sentence's end as a word.
const END_WORD: JointWord = JointWord { word: END, affiliated: SENTENCE_END };

/// A word, looked up, and the symbol of the source side that it is affiliated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointWord {
    pub(super) word: Word,
    pub(super) affiliated: u8,
}

/// The first words, as long as they lack words before them, and the last ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct JointState {
    /// The first words and their source positions.
    first: [(Word, u16); HISTORY],
    /// The last words, the last one first.
    last: [Word; HISTORY],
    open: u8,
    known: u8,
}

impl JointState {
    const BEGIN: Self =
        Self { first: [(0, 0); HISTORY], last: [BEGIN; HISTORY], open: 0, known: HISTORY as u8 };

    /// The words before the next one, as far as they are known.
    fn before(&self) -> [Word; HISTORY] {
        std::array::from_fn(|back| if back < usize::from(self.known) { self.last[back] } else { NOTHING })
    }

    fn push(&mut self, word: Word) {
        self.last.copy_within(..HISTORY - 1, 1);
        self.last[0] = word;
        self.known = (self.known + 1).min(HISTORY as u8);
    }

    fn wait(&mut self, word: Word, at: u16) {
        self.first[usize::from(self.open)] = (word, at);
        self.open += 1;
    }
}

/// A score that was looked up lately.
#[derive(Clone, Copy, Default)]
struct Known {
    key: u64,
    /// The rest of the key, and the sentence.
    rest: u32,
    score: f32,
}

/// How many scores are kept: as many as fit the cache of a core.
const KNOWN: usize = 1 << 15;

/// A joint model with its weight, and what it knows of a sentence; owned by a thread.
pub struct Joint<'m> {
    model: &'m JointModel,
    weight: f32,
    sentence: Sentence,
    /// How many words the sentence has.
    length: u32,
    /// The number of each word of the tables; [`UNSEEN`] where it was not asked for yet.
    words: Vec<u32>,
    known: Vec<Cell<Known>>,
    /// The number of the sentence, not 0.
    number: u16,
}

const UNSEEN: u32 = u32::MAX;

impl<'m> Joint<'m> {
    /// The model with this weight.
    pub fn new(model: &'m JointModel, weight: f32) -> Self {
        let known = vec![Cell::default(); KNOWN];
        Self { model, weight, sentence: Sentence::default(), length: 0, words: Vec::new(), known, number: 0 }
    }

    /// Its weight.
    pub fn weight(&self) -> f32 {
        self.weight
    }

    /// The model.
    pub fn model(&self) -> &'m JointModel {
        self.model
    }

    /// Begins a sentence of these words.
    pub fn begin<'w>(&mut self, words: impl Iterator<Item = &'w str> + Clone) {
        self.length = words.clone().count() as u32;
        self.model.sentence(words, &mut self.sentence);
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.known.fill(Cell::default());
            self.number = 1;
        }
    }

    /// The model's number of a word.
    pub fn number(&mut self, word: Sym, vocab: &SentenceVocab<'_>) -> Word {
        if let Some(&known) = self.words.get(word.ix()).filter(|&&known| known != UNSEEN) {
            return known as Word;
        }
        let number = self.model.word(vocab.text(word));
        if word.0 < vocab.known() {
            self.words.resize(vocab.known() as usize, UNSEEN);
            self.words[word.ix()] = u32::from(number);
        }
        number
    }

    /// How probable the sentence's end is after these words.
    pub fn end(&self, before: [Word; HISTORY]) -> f32 {
        self.score(self.length.min(u32::from(u16::MAX)) as u16, before, END)
    }

    /// How probable a word is that is affiliated with this source position.
    #[inline]
    pub fn score(&self, at: u16, before: [Word; HISTORY], word: Word) -> f32 {
        let [a, b, c] = before;
        let key = [word, at, a, b].into_iter().fold(0, |key, part| key << 16 | u64::from(part));
        let rest = u32::from(c) << 16 | u32::from(self.number);
        let mixed =
            (key ^ u64::from(c).wrapping_mul(0xff51_afd7_ed55_8ccd)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &self.known[(mixed >> (u64::BITS - KNOWN.ilog2())) as usize];
        let known = slot.get();
        if (known.key, known.rest) == (key, rest) {
            return known.score;
        }
        let score = self.model.score(&self.sentence, u32::from(at), before, word);
        slot.set(Known { key, rest, score });
        score
    }

    /// The source position of a word.
    fn place(&self, word: JointWord, places: &[u32]) -> u16 {
        match word.affiliated {
            SENTENCE_END => self.length.min(u32::from(u16::MAX)) as u16,
            symbol => place(places, symbol).unwrap_or(0),
        }
    }

    /// What a target side adds, and the state of the whole.
    fn put_together<'s>(
        &self,
        target: impl Iterator<Item = Item<JointWord>>,
        places: &[u32],
        tail: impl Fn(u8) -> &'s JointState,
    ) -> (f32, JointState) {
        let (mut sum, mut whole) = (0.0, JointState::default());
        for item in target {
            match item {
                Item::Word(word) => {
                    let at = self.place(word, places);
                    sum += self.score(at, whole.before(), word.word);
                    if usize::from(whole.known) < HISTORY {
                        whole.wait(word.word, at);
                    }
                    whole.push(word.word);
                }
                Item::Tail(k) => sum += self.join(&mut whole, tail(k)),
                Item::Begin => whole = JointState::BEGIN,
                Item::Head(_) | Item::Source(_) => break,
            }
        }
        (sum, whole)
    }

    /// Puts a part behind what there is: how the scores of its first words change.
    fn join(&self, whole: &mut JointState, part: &JointState) -> f32 {
        let mut sum = 0.0;
        let (mut alone, mut joined) = (JointState::default(), *whole);
        for &(word, at) in &part.first[..usize::from(part.open)] {
            if whole.known > 0 {
                sum += self.score(at, joined.before(), word) - self.score(at, alone.before(), word);
            }
            if usize::from(joined.known) < HISTORY {
                joined.wait(word, at);
            }
            alone.push(word);
            joined.push(word);
        }
        if usize::from(part.known) == HISTORY {
            (joined.last, joined.known) = (part.last, part.known);
        }
        *whole = joined;
        sum
    }
}

impl Stateful for Joint<'_> {
    type State = JointState;
    type Word = JointWord;
    const PLACED: bool = true;

    fn width(&self) -> usize {
        1
    }

    fn begin_sentence(&mut self, line: &str) {
        self.begin(line.split_ascii_whitespace());
    }

    fn word(&mut self, word: Sym, affiliated: u8, vocab: &SentenceVocab<'_>) -> JointWord {
        JointWord { word: self.number(word, vocab), affiliated }
    }

    fn end(&self) -> JointWord {
        END_WORD
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
        let sum;
        (sum, *state) = self.put_together(target, places, tail);
        sum * self.weight
    }

    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<JointWord>> + Clone,
        places: &[u32],
        tail: impl Fn(u8) -> &'s JointState,
        values: &mut [f32],
    ) {
        values[0] = self.put_together(target, places, tail).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_joint::{JointSettings, Predicts, train};

    fn model(folder: &std::path::Path) -> JointModel {
        let texts = [
            ("source", "a b c d\nb a\nc c d\n"),
            ("target", "v w x\nw v y\nx y z\n"),
            ("links", "0-0 1-1 3-2\n0-1\n2-2 0-0\n"),
        ];
        let paths = texts.map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text.repeat(10)).unwrap();
            path
        });
        let (embedding, hidden) = (5, 7);
        let settings = JointSettings { embedding, hidden, epochs: 2, ..JointSettings::default() };
        let to = folder.join("model");
        train([&paths[0], &paths[1], &paths[2]], Predicts::Words, &settings, &to, |_| {}).unwrap();
        JointModel::open(to).unwrap()
    }

    #[test]
    fn however_a_sentence_is_put_together_its_parts_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let model = model(folder.path());
        let mut joint = Joint::new(&model, 1.0);
        joint.begin_sentence("a b c d a b");
        let word = |text: &str, affiliated| Item::Word(JointWord { word: model.word(text), affiliated });
        let words = [("v", 3), ("w", 1), ("x", 0), ("y", 5), ("z", 2)];
        let mut before = [BEGIN; HISTORY];
        let mut whole = 0.0;
        for (text, at) in words {
            whole += joint.score(at, before, model.word(text));
            before = [model.word(text), before[0], before[1]];
        }
        whole += joint.end(before);
        let places = [0, 1, 2, 3, 4, 5];
        let none = JointState::default();
        let piece = |from: usize, to: usize| {
            let items: Vec<_> = words[from..to].iter().map(|&(text, at)| word(text, at as u8)).collect();
            joint.put_together(items.into_iter(), &places, |_| &none)
        };
        for first in 0..=words.len() {
            for second in first..=words.len() {
                let parts = [piece(0, first), piece(first, second), piece(second, words.len())];
                let tail = |k: u8| &parts[usize::from(k)].1;
                let inner = [Item::Tail(1), Item::Tail(2)];
                let (joined, state) = joint.put_together(inner.into_iter(), &places, tail);
                let states = [parts[0].1, state];
                let outer = [Item::Begin, Item::Tail(0), Item::Tail(1), Item::Word(END_WORD)];
                let (rest, _) = joint.put_together(outer.into_iter(), &places, |k| &states[usize::from(k)]);
                let sum = parts.iter().map(|part| part.0).sum::<f32>() + joined + rest;
                assert!((sum - whole).abs() < 1e-3, "{first} {second}: {sum} {whole}");
            }
        }
    }

    #[test]
    fn symbols_of_a_rule_are_affiliated_by_its_links() {
        let word = |number| Symbol::word(Sym(number));
        let target = [word(1), Symbol::reference(0), word(2), word(3)];
        let links = [RuleLink::new(4, 3), RuleLink::new(2, 3), RuleLink::new(0, 0)];
        let mut affiliated = Vec::new();
        affiliate(&target, &links, &mut affiliated);
        assert_eq!(affiliated, [0, 0, 2, 2]);
    }
}
