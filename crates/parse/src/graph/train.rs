//! Training of the network: Adam over batches of sentences of similar length, with a rate that falls to nothing.

use super::encoder::{Drop, Dropout, Trace};
use super::input::Encoded;
use super::loss::Gold;
use super::net::{Net, Shape};
use crate::nn::{Adam, Block, Rate};
use crate::rng::Rng;
use treeglot_text::interrupt;
use treeglot_text::mapped::Store;

/// A sentence to learn from.
#[derive(Debug, Clone)]
pub(crate) struct TrainSentence {
    pub(crate) encoded: Encoded,
    pub(crate) gold: Gold,
}

/// How long and how fast to learn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    pub(crate) rounds: usize,
    /// The rate at the start.
    pub(crate) rate: f32,
    /// Words a batch.
    pub(crate) batch: usize,
    pub(crate) seed: u64,
    pub(crate) dropout: Dropout,
}

/// Trains a network. `counts` says how often each word of the lexicon was seen; `after` hears of every round: its number,
/// the mean loss, and the network so far.
pub(crate) fn train(
    shape: Shape,
    sentences: &[TrainSentence],
    counts: &[u32],
    schedule: Schedule,
    mut after: impl FnMut(usize, f32, &Net),
) -> Net {
    let mut rng = Rng::new(schedule.seed);
    let mut net = Net::random(shape, &mut rng);
    let mut learner = Learner::new(&net);
    let words: usize = sentences.iter().map(|s| s.gold.heads.len()).sum();
    let total = (schedule.rounds * words.max(1)) as f32;
    let mut seen = 0;
    for round in 0..schedule.rounds {
        let batches = batches(sentences, schedule.batch, &mut rng);
        let mut loss = 0.0;
        for batch in &batches {
            let batch: Vec<&TrainSentence> = batch.iter().map(|&s| &sentences[s]).collect();
            let done = seen as f32 / total;
            // A short warm-up, then down in a straight line.
            let rate = schedule.rate * (done * 50.0 + 0.1).min(1.0) * (1.0 - done).max(0.01);
            let drop = Drop { rates: schedule.dropout, counts, rng: &mut rng };
            loss += learner.step(&mut net, &batch, drop, rate);
            seen += batch.iter().map(|s| s.gold.heads.len()).sum::<usize>();
        }
        after(round + 1, loss / batches.len().max(1) as f32, &net);
    }
    net
}

struct Learner {
    adam: Adam,
    gradient: Vec<f32>,
    d_roles: Vec<f32>,
    trace: Trace,
    touched: Vec<Block>,
}

impl Learner {
    fn new(net: &Net) -> Self {
        let length = net.values.len();
        Self {
            adam: Adam::new(length),
            gradient: vec![0.0; length],
            d_roles: Vec::new(),
            trace: Trace::default(),
            touched: Vec::new(),
        }
    }

    fn gradient(&mut self, net: &Net, batch: &[&TrainSentence], drop: Option<Drop<'_>>) -> f32 {
        let inputs: Vec<&Encoded> = batch.iter().map(|s| &s.encoded).collect();
        let gold: Vec<&Gold> = batch.iter().map(|s| &s.gold).collect();
        net.encode(&inputs, drop, &mut self.trace);
        let loss = net.loss(&self.trace, &gold, &mut self.d_roles, &mut self.gradient);
        let Self { trace, d_roles, gradient, touched, .. } = self;
        net.decode_gradient(&inputs, trace, d_roles, gradient, touched);
        loss
    }

    fn step(&mut self, net: &mut Net, batch: &[&TrainSentence], drop: Drop<'_>, rate: f32) -> f32 {
        let loss = self.gradient(net, batch, Some(drop));
        self.touched.push(net.blocks.dense);
        self.touched.sort_unstable_by_key(|b| b.start);
        self.touched.dedup();
        if let Store::Owned(values) = &mut net.values {
            self.adam.update(values, &mut self.gradient, &self.touched, Rate { rate, clip: 5.0 });
        }
        self.touched.clear();
        loss
    }
}

/// Batches of about `words` words, of sentences of similar length, the longest first in each; in random order.
fn batches(sentences: &[TrainSentence], words: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, u64)> = (0..sentences.len()).map(|s| (s, rng.bits())).collect();
    let length = |s: usize| sentences[s].gold.heads.len();
    // Lengths within a tenth count as equal, so that batches differ from round to round.
    order.sort_by_key(|&(s, key)| (((length(s) as f32).ln() * 10.0) as usize, key));
    let mut batches = vec![Vec::new()];
    let mut size = 0;
    for (s, _) in order {
        interrupt::check();
        if size >= words {
            batches.push(Vec::new());
            size = 0;
        }
        size += length(s);
        batches.last_mut().expect("there is a batch").push(s);
    }
    for batch in &mut batches {
        batch.sort_by_key(|&s| std::cmp::Reverse(length(s)));
    }
    batches.retain(|b| !b.is_empty());
    rng.shuffle(&mut batches);
    batches
}

#[cfg(test)]
mod tests {
    use super::super::input::Lexicon;
    use super::*;
    use treeglot_text::vocab::Vocab;

    fn sentence(heads: &[u32], lexicon: &Lexicon) -> TrainSentence {
        let forms: Vec<String> =
            (0..heads.len()).map(|i| format!("w{}x", (i * 7 + heads.len()) % 5)).collect();
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let tags = std::array::from_fn(|layer| (0..heads.len()).map(|i| ((i + layer) % 3) as u16).collect());
        let encoded = Encoded::new(&forms, &tags, lexicon, 50);
        let labels = (0..heads.len()).map(|i| (i % 4) as u16).collect();
        TrainSentence { encoded, gold: Gold { heads: heads.to_vec(), labels } }
    }

    fn small() -> (Shape, Vec<TrainSentence>, Lexicon) {
        let mut vocab = Vocab::default();
        for word in ["w0x", "w1x", "w2x"] {
            vocab.intern(word);
        }
        let lexicon = Lexicon::Growing(vocab);
        let shape = Shape {
            words: lexicon.rows(),
            word_size: 4,
            buckets: 50,
            ngram_size: 3,
            tags: [3, 3, 3],
            tag_size: 2,
            hidden: 5,
            arc: 4,
            sibling: 3,
            label: 4,
            labels: 4,
        };
        let sentences = vec![
            sentence(&[2, 0, 5, 5, 2, 2], &lexicon),
            sentence(&[0, 1, 2, 1], &lexicon),
            sentence(&[2, 0], &lexicon),
        ];
        (shape, sentences, lexicon)
    }

    #[test]
    fn the_gradient_of_every_parameter_is_the_slope_of_the_loss() {
        let (shape, sentences, _) = small();
        let mut net = Net::random(shape, &mut Rng::new(5));
        let batch: Vec<&TrainSentence> = sentences.iter().collect();
        let mut learner = Learner::new(&net);
        learner.gradient(&net, &batch, None);
        let gradient = learner.gradient.clone();
        assert!(gradient.iter().filter(|g| g.abs() > 1e-4).count() > gradient.len() / 2);
        for at in (0..gradient.len()).step_by(3) {
            let mut of = |delta: f32| {
                let Store::Owned(values) = &mut net.values else { unreachable!("it was made in memory") };
                values[at] += delta;
                let loss = Learner::new(&net).gradient(&net, &batch, None);
                let Store::Owned(values) = &mut net.values else { unreachable!("it was made in memory") };
                values[at] -= delta;
                f64::from(loss)
            };
            let given = f64::from(gradient[at]);
            // Ever smaller steps, since the rectifier has a bend.
            let mut slopes = [0.004, 0.001, 0.0003].map(|d| (of(d) - of(-d)) / f64::from(2.0 * d));
            slopes.sort_by(|a, b| (a - given).abs().total_cmp(&(b - given).abs()));
            let slope = slopes[0];
            assert!((slope - given).abs() < 3e-3 + 0.03 * slope.abs(), "parameter {at}: {slope} {given}");
        }
    }

    #[test]
    fn a_few_sentences_are_learnt_by_heart() {
        let (shape, sentences, lexicon) = small();
        let counts = vec![1; lexicon.rows()];
        let dropout = Dropout { parts: 0.0, units: 0.0, recurrent: 0.0 };
        let schedule = Schedule { rounds: 150, rate: 0.02, batch: 5, seed: 1, dropout };
        let mut last = f32::MAX;
        train(shape, &sentences, &counts, schedule, |_, loss, _| last = loss);
        assert!(last < 0.2, "{last}");
    }
}
