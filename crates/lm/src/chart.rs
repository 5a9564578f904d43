//! Scoring pieces of text whose left context is not known yet, and joining them: what a chart decoder needs (Heafield,
//! Koehn & Lavie 2012, section 3). However a sentence is put together, the scores add up to that of the sentence.

use crate::layout::Search;
use crate::score::{Scored, Scorer};
use crate::state::{ChartState, MAX_CONTEXT, State};
use treeglot_text::vocab::Sym;

/// Scores the target side of one rule: its words and variables from left to right.
///
/// The state is built where it will lie, word by word, and never copied on the way: the processor waits for a wide copy of what was
/// just written in small pieces.
pub struct RuleScorer<'t, 'o, S> {
    scorer: Scorer<'t, S>,
    out: &'o mut ChartState,
    /// Whether the left side is complete: no further word's probability can change.
    left_done: bool,
    prob: f32,
}

impl<'t, S: Search> Scorer<'t, S> {
    /// Starts scoring a rule whose left context is not known; `out` becomes its state, whatever it was.
    #[inline]
    pub fn rule<'o>(&self, out: &'o mut ChartState) -> RuleScorer<'t, 'o, S> {
        out.left.clear();
        out.right.length = 0;
        RuleScorer { scorer: *self, out, left_done: false, prob: 0.0 }
    }

    /// Puts a piece behind words whose state is known: how its score changes, and the state after it. What
    /// [`Scorer::score`] gives word by word, without looking up again what the piece knows of itself.
    #[inline]
    pub fn append(&self, from: &State, piece: &ChartState) -> (f32, State) {
        let mut out = ChartState { right: *from, ..ChartState::default() };
        let mut rule = RuleScorer { scorer: *self, out: &mut out, left_done: true, prob: 0.0 };
        rule.piece(piece, 0.0);
        (rule.prob, out.right)
    }

    /// Scores words that have no context yet.
    pub fn piece(&self, words: impl Iterator<Item = Sym>) -> (f32, ChartState) {
        let mut out = ChartState::default();
        let mut rule = self.rule(&mut out);
        words.for_each(|word| rule.word(word));
        (rule.finish(), out)
    }
}

impl<S: Search> RuleScorer<'_, '_, S> {
    /// Forgets all; the rule stands at the begin of the sentence.
    pub fn begin(&mut self) {
        self.out.left.clear();
        self.out.right = self.scorer.begin();
        (self.left_done, self.prob) = (true, 0.0);
    }

    /// Adds a word.
    #[inline]
    pub fn word(&mut self, word: Sym) {
        let before = self.out.right.length;
        let scored = self.scorer.advance(&mut self.out.right, word);
        self.prob += scored.prob;
        self.extend_left_side(&scored);
        self.left_done |= self.out.right.length != before + 1;
    }

    /// Adds what a variable stands for: its state, and its score as [`RuleScorer::finish`] gave them.
    #[inline]
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

    /// The score so far; the state is complete on both sides.
    #[inline]
    pub fn finish(self) -> f32 {
        let left = &mut self.out.left;
        left.full = self.left_done || usize::from(left.length) + 1 == self.scorer.order();
        self.prob
    }

    /// Gives the first words of a piece the context before it, as long as it matters.
    fn join(&mut self, piece: &ChartState) {
        let known = usize::from(self.out.right.length);
        let mut useful = known;
        // The back-off weights of the words so far with the words before: those of one word are read while those of the next are
        // written.
        let mut buffers = [[0.0; MAX_CONTEXT]; 2];
        let [mut last, mut next] = buffers.each_mut();
        for (at, (&node, &prob)) in piece.left.nodes().iter().zip(&piece.left.probs).enumerate() {
            let length = at as u8 + 1;
            let mut scored = Scored { prob, length, oov: false, settled: false, node };
            let mut longest = length;
            let right = &self.out.right;
            self.scorer.resume(&mut scored, &right.words[..useful], next, &mut longest);
            let matched = usize::from(scored.length - length);
            let backoffs = if at == 0 { &right.backoffs } else { &*last };
            let charged: f32 = backoffs[matched..useful].iter().sum();
            self.prob += scored.prob + charged - prob;
            self.extend_left_side(&scored);
            useful = usize::from(longest - length);
            self.left_done |= useful != known;
            if useful == 0 {
                self.out.right = piece.right;
                return;
            }
            std::mem::swap(&mut last, &mut next);
        }
        if piece.left.full {
            self.prob += last[..useful].iter().sum::<f32>();
            self.left_done = true;
            self.out.right = piece.right;
        } else if piece.right.length >= piece.left.length {
            self.out.right.put_behind(&piece.right, &last[..useful]);
        } else {
            self.out.right = piece.right;
        }
    }

    /// Remembers a word on the left side if more context could still change its probability.
    #[inline]
    fn extend_left_side(&mut self, scored: &Scored) {
        if self.left_done {
            return;
        }
        if scored.settled {
            self.left_done = true;
        } else {
            // All words before are in the match, so that no back-off is in its probability.
            self.out.left.push(scored.node, scored.prob);
        }
    }
}
