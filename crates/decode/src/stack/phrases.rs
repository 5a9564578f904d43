//! Phrases made ready for the search: the best translations of a source phrase with their scores weighted and their
//! words scored by the language models, kept from sentence to sentence.

use super::table::PhraseTable;
use crate::derivation::{Applied, dot};
use crate::features::{Features, REORDERING, RuleView};
use crate::guide::GivenWords;
use crate::vocab::{LmWords, SentenceVocab};
use rustc_hash::FxHashMap;
use std::f32::consts::LN_10;
use std::ops::Range;
use treeglot_grammar::{Kind, RuleLink, Symbol};
use treeglot_lm::{AnyTables, ChartState, Left, Lm, State};
use treeglot_text::vocab::Sym;

/// A translation of a source phrase.
#[derive(Debug, Clone)]
pub struct Phrase {
    /// The rule, or that it is an unknown word.
    pub applied: Applied,
    /// All it scores by itself: its features and its words, of which the first lack their context. Moses' estimate.
    pub score: f32,
    /// The part of its words in that.
    pub spoken: f32,
    /// What lexicalised reordering adds to it, by orientation.
    pub backward: [f32; 3],
    /// What it adds to the next phrase: numbers of [`Phrases::forward`], by which orientations can still come, with 1
    /// for monotone and 2 for swap.
    pub forward: [u32; 4],
    /// Its number among the phrases that act alike on all words before them.
    pub class: u32,
    /// Whether what follows it depends on nothing before it.
    pub closed: bool,
    /// Its words.
    words: Range<u32>,
}

/// The language models as a thread holds them.
pub struct Models<'s> {
    vocab: SentenceVocab<'s>,
    /// The words of each model, and its tables.
    lms: Vec<(LmWords<'s>, AnyTables<'s>)>,
}

impl<'s> Models<'s> {
    /// For these vocabularies and models.
    pub fn new(vocab: SentenceVocab<'s>, lms: &'s [Lm]) -> Self {
        Self { vocab, lms: lms.iter().map(|lm| (LmWords::new(lm), lm.tables())).collect() }
    }

    /// The words of the tables and of this sentence.
    pub fn vocab(&self) -> &SentenceVocab<'s> {
        &self.vocab
    }

    /// How many language models there are.
    pub fn len(&self) -> usize {
        self.lms.len()
    }

    /// The tables of one model.
    pub fn tables(&self, lm: usize) -> &AnyTables<'s> {
        &self.lms[lm].1
    }

    /// The number of a word of this sentence that may be in no table.
    pub fn local(&mut self, word: &str) -> Sym {
        self.vocab.local(word)
    }

    /// Forgets the words of the sentence before.
    pub fn next_sentence(&mut self) {
        self.vocab.clear();
    }

    /// What a model calls a word.
    pub fn symbol(&mut self, lm: usize, word: Sym) -> Sym {
        self.lms[lm].0.get(word, &self.vocab)
    }

    /// Scores words that have no context yet.
    fn piece(&mut self, lm: usize, words: &[Sym]) -> (f32, ChartState) {
        let (symbols, tables) = &mut self.lms[lm];
        let symbols = words.iter().map(|&word| symbols.get(word, &self.vocab));
        tables.piece(symbols)
    }
}

/// How phrases are scored and chosen.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// The features and their weights.
    pub features: &'a Features,
    /// How many translations of a source phrase each table may offer; 0 for all.
    pub limit: usize,
}

impl<'a> Choice<'a> {
    /// The weights of the language models.
    fn lm_weights(&self) -> &'a [f32] {
        &self.features.weights()[self.features.lms()]
    }
}

/// The phrases made ready so far; owned by a thread.
#[derive(Default)]
pub struct Phrases {
    phrases: Vec<Phrase>,
    words: Vec<Sym>,
    /// The states of each phrase in each language model, one after the other.
    pieces: Vec<ChartState>,
    /// Which phrases the rules of a source phrase have become, by table and first rule.
    known: FxHashMap<(u32, u32), Range<u32>>,
    /// The numbers of phrases' states, as far as they matter for what stands before.
    classes: FxHashMap<Vec<(Left, State)>, u32>,
    /// What phrases owe to the phrase before, by orientation, and the numbers of that.
    forwards: Vec<[f32; 3]>,
    forward_numbers: FxHashMap<[u32; 3], u32>,
    /// How many phrases there were before the unknown words of this sentence.
    lasting: usize,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    scores: Vec<f32>,
    /// Rules with their scores without language models.
    rules: Vec<(f32, u32)>,
    best: Vec<Chosen>,
    words: Vec<Sym>,
}

/// A rule that is among the best so far.
#[derive(Clone, Copy)]
struct Chosen {
    score: f32,
    /// The score without language models.
    own: f32,
    rule: u32,
}

/// The target side of a rule, words under the numbers of the sentence's vocabulary.
fn read_symbols<T: PhraseTable>(
    (number, table): (u32, &T),
    rule: u32,
    vocab: &SentenceVocab<'_>,
    target: &mut Vec<Symbol>,
) {
    table.target(rule, target);
    for symbol in target {
        *symbol = symbol.map(|word| vocab.of_table(number as usize, word));
    }
}

/// Past so many phrases all are forgotten at the begin of a sentence.
const KEPT: usize = 200_000;

impl Phrases {
    /// Forgets the unknown words of the sentence before, and all phrases if they have become too many. Tells whether
    /// all numbers are void.
    pub fn next_sentence(&mut self, lms: usize) -> bool {
        let void = self.lasting > KEPT || self.classes.len() > KEPT;
        if void {
            self.lasting = 0;
            self.known.clear();
            self.classes.clear();
            self.forwards.clear();
            self.forward_numbers.clear();
        }
        self.phrases.truncate(self.lasting);
        self.words.truncate(self.phrases.last().map_or(0, |phrase| phrase.words.end as usize));
        self.pieces.truncate(self.lasting * lms);
        self.forward_number([0.0; 3]);
        void
    }

    /// What the next phrase owes to the one before, by orientation. Number 0 is nothing.
    #[inline]
    pub fn forward(&self, number: u32) -> &[f32; 3] {
        &self.forwards[number as usize]
    }

    fn forward_number(&mut self, scores: [f32; 3]) -> u32 {
        *self.forward_numbers.entry(scores.map(|score| (score + 0.0).to_bits())).or_insert_with(|| {
            self.forwards.push(scores);
            self.forwards.len() as u32 - 1
        })
    }

    /// The number of phrases with these states, and whether they are closed: then only their first words matter.
    fn class(&mut self, pieces: &[ChartState]) -> (u32, bool) {
        let closed = pieces.iter().all(|piece| piece.left.is_full());
        let key = |piece: &ChartState| (piece.left, if closed { State::default() } else { piece.right });
        let next = self.classes.len() as u32;
        (*self.classes.entry(pieces.iter().map(key).collect()).or_insert(next), closed)
    }

    /// How many phrases there were before the unknown words of this sentence: their numbers last.
    pub fn lasting(&self) -> usize {
        self.lasting
    }

    /// A phrase.
    #[inline]
    pub fn get(&self, phrase: u32) -> &Phrase {
        &self.phrases[phrase as usize]
    }

    /// The words of a phrase.
    pub fn words(&self, phrase: u32) -> &[Sym] {
        let words = &self.phrases[phrase as usize].words;
        &self.words[words.start as usize..words.end as usize]
    }

    /// The states of a phrase, one for each of `lms` language models.
    pub fn pieces(&self, phrase: u32, lms: usize) -> &[ChartState] {
        &self.pieces[phrase as usize * lms..][..lms]
    }

    /// The best translations of a source phrase, of these words, by one table, the best first.
    pub fn of_node<'w, T: PhraseTable>(
        &mut self,
        (number, table): (u32, &T),
        (node, words): (T::Node, impl Iterator<Item = &'w Symbol>),
        choice: Choice<'_>,
        models: &mut Models<'_>,
    ) -> Range<u32> {
        let Some(first) = table.rules(node).next() else { return 0..0 };
        if let Some(known) = self.known.get(&(number, first)) {
            return known.clone();
        }
        if choice.features.reads_source() {
            let known = |symbol: &Symbol| symbol.map(|word| models.vocab().of_table(number as usize, word));
            self.scratch.source.clear();
            self.scratch.source.extend(words.map(known));
        }
        self.weigh((number, table), node, choice, models.vocab());
        self.choose(number, table, choice, models);
        let start = self.phrases.len() as u32;
        for at in 0..self.scratch.best.len() {
            let Chosen { own, rule, .. } = self.scratch.best[at];
            let reordering = table.reordering(rule).unwrap_or_default();
            self.read_target(number, table, rule, models.vocab());
            let words = std::mem::take(&mut self.scratch.words);
            self.push(Applied::Rule { table: number, rule }, own, reordering, &words, choice, models);
            self.scratch.words = words;
        }
        self.lasting = self.phrases.len();
        self.known.insert((number, first), start..self.lasting as u32);
        start..self.lasting as u32
    }

    /// Copies a word that no table translates. To be called after all [`Phrases::of_node`] of a sentence.
    pub fn unknown(&mut self, word: Option<Sym>, choice: Choice<'_>, models: &mut Models<'_>) -> u32 {
        let view = RuleView { applied: Applied::Unknown, source: &[], target: &[], links: &[], parse: 0.0 };
        let own = choice.features.weigh(0.0, &view);
        self.push(Applied::Unknown, own, [0.0; REORDERING], word.as_slice(), choice, models);
        self.phrases.len() as u32 - 1
    }

    /// Makes the choices of a given translation ready. To be called after all [`Phrases::of_node`] of a sentence.
    pub fn given(
        &mut self,
        number: u32,
        given: &GivenWords,
        choice: Choice<'_>,
        models: &mut Models<'_>,
    ) -> Range<u32> {
        let start = self.phrases.len() as u32;
        for (option, (words, log_prob)) in (0..).zip(&given.choices) {
            let target: Vec<Symbol> = words.iter().map(|&word| Symbol::word(word)).collect();
            let applied = given.applied(number, option);
            let view = RuleView { applied, source: &[], target: &target, links: &[], parse: 0.0 };
            let own = choice.features.weigh_given(*log_prob, &view);
            self.push(applied, own, [0.0; REORDERING], words, choice, models);
        }
        start..self.phrases.len() as u32
    }

    /// Weighs the scores of a source phrase's rules, the best first.
    fn weigh<T: PhraseTable>(
        &mut self,
        (number, table): (u32, &T),
        node: T::Node,
        choice: Choice<'_>,
        vocab: &SentenceVocab<'_>,
    ) {
        let features = choice.features;
        let weights = &features.weights()[features.table(number)];
        let Scratch { source, rules, scores, target, links, .. } = &mut self.scratch;
        rules.clear();
        for rule in table.rules(node) {
            table.scores(rule, scores);
            read_symbols((number, table), rule, vocab, target);
            if features.reads_links() {
                table.links(rule, links);
            }
            let applied = Applied::Rule { table: number, rule };
            let view = RuleView { applied, source, target, links, parse: 0.0 };
            rules.push((features.weigh(dot(scores, weights) as f32, &view), rule));
        }
        rules.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }

    /// Picks the best rules, their words included. A word's probability is at most 1: where no weight of a language
    /// model is negative, rules that fall behind without their words need not be looked at.
    fn choose<T: PhraseTable>(
        &mut self,
        number: u32,
        table: &T,
        choice: Choice<'_>,
        models: &mut Models<'_>,
    ) {
        let limit = if choice.limit == 0 { usize::MAX } else { choice.limit };
        let bounded = choice.lm_weights().iter().all(|&weight| weight >= 0.0);
        let mut best = std::mem::take(&mut self.scratch.best);
        best.clear();
        for at in 0..self.scratch.rules.len() {
            let (own, rule) = self.scratch.rules[at];
            let full = best.len() == limit;
            if full && bounded && best.last().is_some_and(|worst| own < worst.score) {
                break;
            }
            self.read_target(number, table, rule, models.vocab());
            let words = std::mem::take(&mut self.scratch.words);
            let score = own + self.alone(&words, choice, models);
            self.scratch.words = words;
            let before = |other: &Chosen| score.total_cmp(&other.score).then(other.rule.cmp(&rule)).is_lt();
            let place = best.partition_point(before);
            if place == limit {
                continue;
            }
            best.truncate(limit - 1);
            best.insert(place, Chosen { score, own, rule });
        }
        self.scratch.best = best;
    }

    /// The weighted scores of words without context.
    fn alone(&self, words: &[Sym], choice: Choice<'_>, models: &mut Models<'_>) -> f32 {
        let of_lm = |(k, weight): (usize, &f32)| weight * LN_10 * models.piece(k, words).0;
        choice.lm_weights().iter().enumerate().map(of_lm).sum()
    }

    fn read_target<T: PhraseTable>(&mut self, number: u32, table: &T, rule: u32, vocab: &SentenceVocab<'_>) {
        let Scratch { target, words, .. } = &mut self.scratch;
        read_symbols((number, table), rule, vocab, target);
        words.clear();
        let known = |symbol: &Symbol| match symbol.kind() {
            Kind::Word(word) => Some(word),
            _ => None,
        };
        words.extend(target.iter().filter_map(known));
    }

    fn push(
        &mut self,
        applied: Applied,
        own: f32,
        mut reordering: [f32; REORDERING],
        words: &[Sym],
        choice: Choice<'_>,
        models: &mut Models<'_>,
    ) {
        let weights = &choice.features.weights()[choice.features.reordering()];
        reordering.iter_mut().zip(weights).for_each(|(value, weight)| *value *= weight);
        let start = self.words.len() as u32;
        self.words.extend_from_slice(words);
        let mut spoken = 0.0;
        for (lm, weight) in choice.lm_weights().iter().enumerate() {
            let (prob, piece) = models.piece(lm, words);
            spoken += weight * LN_10 * prob;
            self.pieces.push(piece);
        }
        let pieces = self.pieces.split_off(self.phrases.len() * models.len());
        let (class, closed) = self.class(&pieces);
        self.pieces.extend(pieces);
        let [m, s, d, ahead @ ..] = reordering;
        let forward = std::array::from_fn(|kept| {
            let keep = |bit: usize, value: f32| if kept & bit == 0 { 0.0 } else { value };
            self.forward_number([keep(1, ahead[0]), keep(2, ahead[1]), ahead[2]])
        });
        let words = start..self.words.len() as u32;
        let (score, backward) = (own + spoken, [m, s, d]);
        self.phrases.push(Phrase { applied, score, spoken, backward, forward, class, closed, words });
    }
}
