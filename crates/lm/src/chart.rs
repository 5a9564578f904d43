//! Scoring pieces of text whose left context is not known yet, and joining them: what a chart decoder needs (Heafield,
//! Koehn & Lavie 2012, section 3). However a sentence is put together, the scores add up to that of the sentence.

use crate::layout::Search;
use crate::score::{Scored, Scorer};
use crate::state::{ChartState, MAX_CONTEXT, State};
use treeglot_text::vocab::Sym;

/// Scores the target side of one rule: its words and variables from left to right.
pub struct RuleScorer<'t, S> {
    scorer: Scorer<'t, S>,
    out: ChartState,
    /// Whether the left side is complete: no further word's probability can change.
    left_done: bool,
    prob: f32,
}

impl<'t, S: Search> Scorer<'t, S> {
    /// Starts scoring a rule whose left context is not known.
    pub fn rule(&self) -> RuleScorer<'t, S> {
        RuleScorer { scorer: *self, out: ChartState::default(), left_done: false, prob: 0.0 }
    }

    /// Puts a piece behind words whose state is known: how its score changes, and the state after it. What
    /// [`Scorer::score`] gives word by word, without looking up again what the piece knows of itself.
    #[inline]
    pub fn append(&self, from: &State, piece: &ChartState) -> (f32, State) {
        let mut rule = self.rule();
        rule.out.right = *from;
        rule.left_done = true;
        rule.piece(piece, 0.0);
        (rule.prob, rule.out.right)
    }

    /// Scores words that have no context yet.
    pub fn piece(&self, words: impl Iterator<Item = Sym>) -> (f32, ChartState) {
        let mut rule = self.rule();
        words.for_each(|word| rule.word(word));
        rule.finish()
    }

    /// Starts scoring a rule at the begin of the sentence.
    pub fn rule_at_begin(&self) -> RuleScorer<'t, S> {
        let mut rule = self.rule();
        rule.out.right = self.begin();
        rule.left_done = true;
        rule
    }
}

impl<S: Search> RuleScorer<'_, S> {
    /// Adds a word.
    pub fn word(&mut self, word: Sym) {
        let before = self.out.right.length;
        let (scored, right) = self.scorer.score(&self.out.right, word);
        self.out.right = right;
        self.charge(&scored, scored.prob);
        if right.length != before + 1 {
            self.left_done = true;
        }
    }

    /// Adds what a variable stands for: its state, and its score as [`RuleScorer::finish`] gave them.
    pub fn piece(&mut self, piece: &ChartState, prob: f32) {
        self.prob += prob;
        if piece.left.length == 0 {
            if piece.left.full {
                self.prob += self.out.right.backoffs().iter().sum::<f32>();
                self.left_done = true;
                self.out.right = piece.right;
            }
            return;
        }
        if self.out.right.length == 0 {
            self.out.right = piece.right;
            if self.left_done {
                return;
            }
            if self.out.left.length > 0 {
                self.left_done = true;
            } else {
                self.out.left = piece.left;
                self.left_done = piece.left.full;
            }
            return;
        }
        self.join(piece);
    }

    /// The score so far and the state on both sides.
    pub fn finish(mut self) -> (f32, ChartState) {
        self.out.left.full = self.left_done || usize::from(self.out.left.length) + 1 == self.scorer.order();
        (self.prob, self.out)
    }

    /// Gives the first words of a piece the context before it, as long as it matters.
    fn join(&mut self, piece: &ChartState) {
        let before = self.out.right;
        let mut useful = usize::from(before.length);
        let mut backoffs = before.backoffs;
        for (at, &node) in piece.left.nodes().iter().enumerate() {
            let (change, scored, next) = self.extend_left(&before.words()[..useful], &backoffs, node, at + 1);
            self.charge(&scored, change);
            if next.useful != usize::from(before.length) {
                self.left_done = true;
            }
            (backoffs, useful) = (next.backoffs, next.useful);
            if useful == 0 {
                self.out.right = piece.right;
                return;
            }
        }
        if piece.left.full {
            self.prob += backoffs[..useful].iter().sum::<f32>();
            self.left_done = true;
            self.out.right = piece.right;
            return;
        }
        self.out.right = piece.right;
        if piece.right.length >= piece.left.length {
            self.append_context(&before, &backoffs, useful);
        }
    }

    /// The piece is all context: the words before it stay in the state, behind its own.
    fn append_context(&mut self, before: &State, backoffs: &[f32], useful: usize) {
        let right = &mut self.out.right;
        let own = usize::from(right.length);
        right.words[own..own + useful].copy_from_slice(&before.words[..useful]);
        right.backoffs[own..own + useful].copy_from_slice(&backoffs[..useful]);
        right.length += useful as u8;
    }

    /// Lengthens an n-gram that was found before by the words before it: how its probability changes, the longer
    /// match, and what is left for the word after it.
    fn extend_left(
        &self,
        before: &[Sym],
        backoffs: &[f32],
        node: u64,
        length: usize,
    ) -> (f32, Scored, Extension) {
        let found = self.scorer.search.again(length, node);
        let mut scored =
            Scored { prob: found.prob, length: length as u8, oov: false, settled: !found.extends_left, node };
        let mut next = Extension { backoffs: [0.0; MAX_CONTEXT], useful: 0 };
        let mut longest = length as u8;
        self.scorer.resume(&mut scored, before, &mut next.backoffs, &mut longest);
        next.useful = usize::from(longest) - length;
        let matched = usize::from(scored.length) - length;
        let charged: f32 = backoffs[matched..before.len()].iter().sum();
        (scored.prob + charged - found.prob, scored, next)
    }

    /// Adds a word's score; remembers it on the left side if more context could still change it.
    fn charge(&mut self, scored: &Scored, prob: f32) {
        self.prob += prob;
        if self.left_done {
            return;
        }
        if scored.settled {
            self.left_done = true;
        } else {
            self.out.left.push(scored.node);
        }
    }
}

/// How far the words before an n-gram still matter for the word after it.
struct Extension {
    /// The back-off weights of the n-gram with one, two, ... of the words before.
    backoffs: [f32; MAX_CONTEXT],
    /// How many of them can begin a longer n-gram.
    useful: usize,
}
