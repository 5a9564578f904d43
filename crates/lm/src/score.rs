//! Scoring words one after the other, left to right, and whole sentences with reads ahead.

use crate::search::{Search, extends_right};
use crate::special::{BOS, EOS, UNK};
use crate::state::{MAX_CONTEXT, State};
use treeglot_text::vocab::Sym;

/// What scoring a word gives.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// A worker's view of a model: cheap to copy, one for each thread.
#[derive(Clone, Copy)]
pub struct Scorer<S> {
    pub(crate) search: S,
}

impl<S: Search> Scorer<S> {
    /// A scorer on a layout's slices.
    pub fn new(search: S) -> Self {
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
        let mut state = State::default();
        let mut scored = self.longest(word, from.words(), &mut state);
        let charged = from.backoffs().get(usize::from(scored.length) - 1..).unwrap_or(&[]);
        scored.prob += charged.iter().sum::<f32>();
        (scored, state)
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
        let mut scored = Scored {
            prob: found.prob,
            length: 1,
            oov: word == UNK,
            settled: !found.extends_left,
            node: found.node,
        };
        self.resume(&mut scored, before, &mut state.backoffs[1..], &mut state.length);
        scored
    }

    /// Lengthens a match with the words before it. `backoffs` takes the weights of the longer n-grams, `useful` the
    /// length of the longest one that is a context.
    #[inline]
    pub(crate) fn resume(&self, scored: &mut Scored, before: &[Sym], backoffs: &mut [f32], useful: &mut u8) {
        let order = self.search.order();
        for (at, &word) in before.iter().enumerate() {
            if scored.settled {
                return;
            }
            let length = usize::from(scored.length) + 1;
            let Some(found) = self.search.longer(length, scored.node, word) else {
                scored.settled = true;
                return;
            };
            scored.prob = found.prob;
            scored.node = found.node;
            scored.length = length as u8;
            scored.settled = !found.extends_left;
            if length == order {
                scored.settled = true;
                return;
            }
            backoffs[at] = found.backoff;
            if extends_right(found.backoff) {
                *useful = length as u8;
            }
        }
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

    /// Scores words one after the other, reading ahead in batches, and hands each score to `take`; the state after the
    /// last word.
    pub fn score_many(
        &self,
        from: &State,
        words: impl Iterator<Item = Sym>,
        mut take: impl FnMut(&Scored),
    ) -> State {
        const BATCH: usize = 16;
        let mut words = words.fuse();
        let mut state = *from;
        // Newest word last; the words before the batch are those of the state.
        let mut window = [Sym(0); BATCH + MAX_CONTEXT];
        loop {
            let filled = window[MAX_CONTEXT..].iter_mut().zip(&mut words).map(|(slot, w)| *slot = w).count();
            if filled == 0 {
                return state;
            }
            self.read_ahead(&window, filled);
            for &word in &window[MAX_CONTEXT..MAX_CONTEXT + filled] {
                let (scored, next) = self.score(&state, word);
                take(&scored);
                state = next;
            }
            window.copy_within(filled..filled + MAX_CONTEXT, 0);
        }
    }

    #[inline]
    fn read_ahead(&self, window: &[Sym], filled: usize) {
        let order = self.search.order();
        let mut sum = 0;
        let mut reversed = [Sym(0); MAX_CONTEXT + 1];
        for end in MAX_CONTEXT..MAX_CONTEXT + filled {
            for (slot, word) in reversed[..order].iter_mut().zip(window[..=end].iter().rev()) {
                *slot = *word;
            }
            sum ^= self.search.touch(&reversed[..order]);
        }
        std::hint::black_box(sum);
    }
}
