//! A joint model in stack search: the words of each option with their source positions, scored as far as the phrase alone tells,
//! and the last words of hypotheses beside their other contexts.

use super::context::Context;
use super::options::Options;
use super::phrases::{Models, Phrases};
use super::table::PhraseTable;
use crate::derivation::Applied;
use crate::features::{Joint, affiliate};
use rustc_hash::FxHashMap;
use std::ops::Range;
use treeglot_grammar::Symbol;
use treeglot_joint::{BEGIN, HISTORY, NOTHING, Word};

/// The last words before, the last one first.
type Before = [Word; HISTORY];

/// A joint model with the options of a sentence; owned by a thread.
pub struct JointOptions<'s> {
    joint: Joint<'s>,
    /// The words of all options, and where each option's are.
    words: Vec<(Word, u16)>,
    options: Vec<Range<u32>>,
    /// What the first words of each option score by themselves: those whose scores change behind others.
    alone: Vec<f32>,
    /// What stands before, with the number of the context that another feature knows it by.
    contexts: Vec<(u32, Before)>,
    numbers: FxHashMap<(u32, Before), u32>,
}

impl<'s> JointOptions<'s> {
    /// A model without a sentence.
    pub fn new(joint: Joint<'s>) -> Self {
        Self {
            joint,
            words: Vec::new(),
            options: Vec::new(),
            alone: Vec::new(),
            contexts: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// The model.
    pub fn joint(&mut self) -> &mut Joint<'s> {
        &mut self.joint
    }

    /// Begins a sentence whose options were collected, and adds to their scores.
    pub fn begin<T: PhraseTable>(
        &mut self,
        words: &[&str],
        options: &mut Options,
        (phrases, tables): (&Phrases, &[T]),
        models: &Models<'_>,
    ) {
        self.joint.begin(words.iter().copied());
        self.contexts.clear();
        self.numbers.clear();
        self.words.clear();
        self.options.clear();
        let (mut target, mut links, mut affiliated) = (Vec::new(), Vec::new(), Vec::new());
        for (phrase, span) in options.placed_phrases() {
            let first = self.words.len() as u32;
            target.clear();
            target.extend(phrases.words(phrase).iter().map(|&word| Symbol::word(word)));
            links.clear();
            if let Applied::Rule { table, rule } = phrases.get(phrase).applied {
                tables[table as usize].links(rule, &mut links);
            }
            affiliate(&target, &links, &mut affiliated);
            for (&word, &source) in phrases.words(phrase).iter().zip(&affiliated) {
                let at = (span.start + u32::from(source)).min(u32::from(u16::MAX)) as u16;
                self.words.push((self.joint.number(word, models.vocab()), at));
            }
            self.options.push(first..self.words.len() as u32);
        }
        let weight = self.joint.weight();
        let added: Vec<f32> = self
            .options
            .iter()
            .map(|range| weight * self.score(range, [NOTHING; HISTORY], usize::MAX))
            .collect();
        let order = options.add_scores(&added);
        self.options = order.iter().map(|&option| self.options[option as usize].clone()).collect();
        let alone = |range| self.score(range, [NOTHING; HISTORY], HISTORY);
        self.alone = self.options.iter().map(alone).collect();
    }

    /// The score of the first words of an option behind others.
    fn score(&self, option: &Range<u32>, mut before: Before, most: usize) -> f32 {
        let mut sum = 0.0;
        for &(word, at) in self.words[option.start as usize..option.end as usize].iter().take(most) {
            sum += self.joint.score(at, before, word);
            push(&mut before, word);
        }
        sum
    }

    fn number(&mut self, context: u32, before: Before) -> u32 {
        *self.numbers.entry((context, before)).or_insert_with(|| {
            self.contexts.push((context, before));
            self.contexts.len() as u32 - 1
        })
    }
}

/// Puts a word behind others.
pub fn push(before: &mut Before, word: Word) {
    before.copy_within(..HISTORY - 1, 1);
    before[0] = word;
}

/// Contexts with the last words that a joint model looks at.
pub struct WithJoint<'a, 's, C> {
    /// The other contexts.
    pub inner: C,
    /// The options of the sentence.
    pub options: &'a mut JointOptions<'s>,
}

impl<C: Context> Context for WithJoint<'_, '_, C> {
    fn begin(&mut self) -> u32 {
        let inner = self.inner.begin();
        self.options.number(inner, [BEGIN; HISTORY])
    }

    fn extend(&mut self, context: u32, phrase: u32, option: u32) -> Option<(f32, u32)> {
        let (inner, before) = self.options.contexts[context as usize];
        let (change, inner) = self.inner.extend(inner, phrase, option)?;
        let range = self.options.options[option as usize].clone();
        let joined = self.options.score(&range, before, HISTORY);
        let alone = self.options.alone[option as usize];
        let mut after = before;
        for &(word, _) in &self.options.words[range.start as usize..range.end as usize] {
            push(&mut after, word);
        }
        let change = change + self.options.joint.weight() * (joined - alone);
        Some((change, self.options.number(inner, after)))
    }

    fn finish(&mut self, context: u32) -> Option<f32> {
        let (inner, before) = self.options.contexts[context as usize];
        Some(self.inner.finish(inner)? + self.options.joint.weight() * self.options.joint.end(before))
    }
}
