//! Scoring words one after the other, left to right, and whole sentences with reads ahead.

use crate::layout::{Cursor, Found, Search, extends_right};
use crate::special::{BOS, EOS, UNK};
use crate::state::{MAX_CONTEXT, State};
use treeglot_text::vocab::Sym;

/// What scoring a word gives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scored {
    /// The log10 probability of the word after the state's words.
    pub prob: f32,
    /// How many words the longest matching n-gram has.
    pub length: u8,
    /// Whether the word is unknown to the model; its probability is then that of `<unk>`.
    pub oov: bool,
    /// Whether more words before the state's could not change the probability.
    pub(crate) settled: bool,
    pub(crate) node: u64,
}

impl Scored {
    /// A word without context.
    #[inline]
    fn alone(found: &Found, word: Sym) -> Self {
        Self { prob: found.prob, length: 1, oov: word == UNK, settled: !found.extends_left, node: found.node }
    }
}

/// A sentence's score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Total {
    /// The log10 probability of all words and of the sentence's end.
    pub prob: f64,
    /// The part of it that unknown words have.
    pub oov_prob: f64,
    /// Words, the end included.
    pub tokens: u64,
    /// Unknown words.
    pub oovs: u64,
}

impl std::ops::AddAssign for Total {
    fn add_assign(&mut self, other: Self) {
        self.prob += other.prob;
        self.oov_prob += other.oov_prob;
        self.tokens += other.tokens;
        self.oovs += other.oovs;
    }
}

impl Total {
    /// The perplexity, unknown words included.
    pub fn perplexity(&self) -> f64 {
        10f64.powf(-self.prob / self.tokens as f64)
    }

    /// The perplexity over the known words only.
    pub fn perplexity_known(&self) -> f64 {
        10f64.powf(-(self.prob - self.oov_prob) / (self.tokens - self.oovs) as f64)
    }
}

/// Scores words on a model's tables: just a reference, made where it is needed.
pub struct Scorer<'t, S> {
    pub(crate) search: &'t S,
}

impl<S> Clone for Scorer<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Scorer<'_, S> {}

impl<'t, S: Search> Scorer<'t, S> {
    /// A scorer on a layout's slices.
    pub fn new(search: &'t S) -> Self {
        Self { search }
    }

    /// The length of the longest n-grams.
    pub fn order(&self) -> usize {
        self.search.order()
    }

    /// The state of no words: nothing is known of what came before.
    pub fn empty(&self) -> State {
        State::default()
    }

    /// The state at the begin of a sentence.
    pub fn begin(&self) -> State {
        let bos = self.search.unigram(BOS);
        let mut state = State::default();
        state.words[0] = BOS;
        state.backoffs[0] = bos.backoff;
        state.length = u8::from(extends_right(bos.backoff));
        state
    }

    /// The state after a context given from its last word backwards: as scoring these words would leave it.
    pub fn state_of(&self, context: &[Sym]) -> State {
        let mut state = State::default();
        let Some((&last, before)) = context.split_first() else { return state };
        self.longest(last, before, &mut state);
        state
    }

    /// Scores a word after a state; also gives the state after it.
    #[inline]
    pub fn score(&self, from: &State, word: Sym) -> (Scored, State) {
        let mut state = *from;
        let scored = self.advance(&mut state, word);
        (scored, state)
    }

    /// Scores a word after a state, which becomes the state after it.
    #[inline]
    pub(crate) fn advance(&self, state: &mut State, word: Sym) -> Scored {
        let known = usize::from(state.length);
        let found = self.search.unigram(word);
        let mut scored = Scored::alone(&found, word);
        // A back-off weight takes its place only when the next is known: the one of the same place is charged for if it is the last.
        let (mut backoff, mut useful) = (found.backoff, u8::from(extends_right(found.backoff)));
        let mut at = 0;
        while at < known && !scored.settled {
            let found = self.search.longer(at + 2, scored.node, state.words[at]);
            let Some(longer) = self.lengthen(&mut scored, found) else { break };
            state.backoffs[at] = std::mem::replace(&mut backoff, longer);
            at += 1;
            if extends_right(backoff) {
                useful = scored.length;
            }
        }
        let matched = usize::from(scored.length) - 1;
        scored.prob += state.backoffs[matched..known].iter().sum::<f32>();
        state.backoffs[at] = backoff;
        for at in (1..usize::from(useful)).rev() {
            state.words[at] = state.words[at - 1];
        }
        state.words[0] = word;
        state.length = useful;
        scored
    }

    /// The longest n-gram that ends in `word` after `before` (the last word first), and the state it leaves. No
    /// back-off is charged yet.
    #[inline]
    fn longest(&self, word: Sym, before: &[Sym], state: &mut State) -> Scored {
        let found = self.search.unigram(word);
        state.words[0] = word;
        let kept = before.len().min(MAX_CONTEXT - 1);
        state.words[1..=kept].copy_from_slice(&before[..kept]);
        state.backoffs[0] = found.backoff;
        state.length = u8::from(extends_right(found.backoff));
        let mut scored = Scored::alone(&found, word);
        self.resume(&mut scored, before, &mut state.backoffs[1..], &mut state.length);
        scored
    }

    /// Lengthens a match with the words before it. `backoffs` takes the weights of the longer n-grams, `useful` the
    /// length of the longest one that is a context.
    #[inline]
    pub(crate) fn resume(&self, scored: &mut Scored, before: &[Sym], backoffs: &mut [f32], useful: &mut u8) {
        for (at, &word) in before.iter().enumerate() {
            if scored.settled {
                return;
            }
            let found = self.search.longer(usize::from(scored.length) + 1, scored.node, word);
            let Some(backoff) = self.lengthen(scored, found) else { return };
            backoffs[at] = backoff;
            if extends_right(backoff) {
                *useful = scored.length;
            }
        }
    }

    /// Lengthens a match to the n-gram with one more word, if that was found: its back-off, if it has one.
    #[inline]
    fn lengthen(&self, scored: &mut Scored, found: Option<Found>) -> Option<f32> {
        let length = usize::from(scored.length) + 1;
        let Some(found) = found else {
            scored.settled = true;
            return None;
        };
        let last = length == self.search.order();
        *scored = Scored {
            prob: found.prob,
            node: found.node,
            length: length as u8,
            settled: last || !found.extends_left,
            ..*scored
        };
        (!last).then_some(found.backoff)
    }

    /// Scores a whole sentence, its end included.
    pub fn sentence(&self, words: &[Sym]) -> Total {
        let mut total = Total::default();
        self.score_many(&self.begin(), words.iter().copied().chain([EOS]), |scored| {
            total.prob += f64::from(scored.prob);
            total.tokens += 1;
            if scored.oov {
                total.oov_prob += f64::from(scored.prob);
                total.oovs += 1;
            }
        });
        total
    }

    /// Scores words one after the other and hands each score to `take`; the state after the last word. Batches of words
    /// are looked up side by side, so that their waits for memory overlap.
    pub fn score_many(
        &self,
        from: &State,
        words: impl Iterator<Item = Sym>,
        mut take: impl FnMut(&Scored),
    ) -> State {
        let mut words = words.fuse();
        let mut state = *from;
        let mut batch = Batch::default();
        while batch.fill(&state, &mut words) {
            self.look_up(&mut batch);
            for (scored, next) in &mut batch.lanes[..batch.filled] {
                charge(scored, &state);
                take(scored);
                state = *next;
            }
        }
        state
    }

    /// Finds the longest n-gram of each word of the batch: all bigrams first, then all trigrams, and so on.
    #[inline]
    fn look_up(&self, batch: &mut Batch) {
        for (at, lane) in batch.lanes[..batch.filled].iter_mut().enumerate() {
            lane.0 = self.longest(batch.words[batch.first + at], &[], &mut lane.1);
        }
        for length in 2..=self.search.order() {
            batch.choose(length);
            let jobs = &mut batch.jobs[..batch.chosen];
            self.approach(jobs, length);
            for job in jobs {
                let (scored, state) = &mut batch.lanes[job.lane];
                let found = self.search.reach(length, job.node, job.word, &job.cursor);
                let Some(backoff) = self.lengthen(scored, found) else { continue };
                state.words[length - 1] = job.word;
                state.backoffs[length - 1] = backoff;
                if extends_right(backoff) {
                    state.length = length as u8;
                }
            }
        }
    }

    /// Reads what leads to the n-grams, step by step.
    #[inline]
    fn approach(&self, jobs: &mut [Job], length: usize) {
        for step in 0..self.search.steps(length) {
            for job in jobs.iter_mut() {
                self.search.aim(step, length, job.node, job.word, &mut job.cursor);
            }
            let read = |sum, job: &Job| sum ^ self.search.read(step, length, &job.cursor);
            std::hint::black_box(jobs.iter().fold(0, read));
        }
    }
}

/// The word that lengthens a match to `length` words, if it can grow that far.
#[inline]
fn before(words: &[Sym], at: usize, scored: &Scored, length: usize) -> Option<Sym> {
    let grows = !scored.settled && usize::from(scored.length) + 1 == length;
    grows.then(|| (at + 1).checked_sub(length)).flatten().map(|first| words[first])
}

/// Adds the back-off weights of the contexts that were too long for the match.
#[inline]
fn charge(scored: &mut Scored, from: &State) {
    let charged = from.backoffs().get(usize::from(scored.length) - 1..).unwrap_or(&[]);
    scored.prob += charged.iter().sum::<f32>();
}

const BATCH: usize = 24;

/// Words that are looked up side by side.
#[derive(Default)]
struct Batch {
    /// The words of the state before, the last one last, then those of the batch.
    words: [Sym; MAX_CONTEXT + BATCH],
    first: usize,
    filled: usize,
    lanes: [(Scored, State); BATCH],
    jobs: [Job; BATCH],
    chosen: usize,
}

/// An n-gram to look up: `word` before those of `node`.
#[derive(Clone, Copy, Default)]
struct Job {
    lane: usize,
    node: u64,
    word: Sym,
    cursor: Cursor,
}

impl Batch {
    /// Takes the next words; whether there were any.
    #[inline]
    fn fill(&mut self, state: &State, words: &mut impl Iterator<Item = Sym>) -> bool {
        self.first = state.words().len();
        for (slot, &word) in self.words.iter_mut().zip(state.words().iter().rev()) {
            *slot = word;
        }
        let slots = &mut self.words[self.first..self.first + BATCH];
        self.filled = slots.iter_mut().zip(words).map(|(slot, word)| *slot = word).count();
        self.filled > 0
    }

    /// Takes those words as jobs whose match may grow to `length` words.
    #[inline]
    fn choose(&mut self, length: usize) {
        self.chosen = 0;
        for (lane, (scored, _)) in self.lanes[..self.filled].iter().enumerate() {
            let Some(word) = before(&self.words, self.first + lane, scored, length) else { continue };
            self.jobs[self.chosen] = Job { lane, node: scored.node, word, cursor: Cursor::default() };
            self.chosen += 1;
        }
    }
}
