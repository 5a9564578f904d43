//! Training of a network: Adam over batches of sentences of similar length, with a rate that falls to nothing.

use super::Encoder;
use super::input::Encoded;
use super::pass::{Drop, Dropout, Trace};
use crate::nn::Rng;
use crate::nn::{Adam, Block, Rate, zeros};
use treeglot_text::interrupt;
use treeglot_text::mapped::Store;

/// A network that takes decisions from the roles that an encoder gives words.
pub(crate) trait Network {
    /// What it learns from a sentence.
    type Gold;

    fn encoder(&self) -> &Encoder;

    /// All parameters.
    fn values(&self) -> &[f32];
    fn values_mut(&mut self) -> &mut Store<f32>;

    /// The parameters that every step moves: all but the embeddings.
    fn dense(&self) -> Block;

    /// The loss of a batch; its gradient is added to `d_roles` (zeros in the shape of the roles) and `gradient`.
    fn loss(&self, trace: &Trace, gold: &[&Self::Gold], d_roles: &mut [f32], gradient: &mut [f32]) -> f32;

    /// The roles of the words of a batch, the longest sentence first.
    fn read(&self, batch: &[&Encoded]) -> Trace {
        let mut trace = Trace::default();
        self.encoder().encode(self.values(), batch, None, &mut trace);
        trace
    }
}

/// A sentence to learn from.
#[derive(Debug, Clone)]
pub(crate) struct Example<G> {
    pub(crate) encoded: Encoded,
    pub(crate) gold: G,
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

/// Trains a network from random parameters. `counts` says how often each word of the lexicon was seen; `after` hears of
/// every round: its number, the mean loss, and the network so far.
pub(crate) fn train<N: Network>(
    random: impl FnOnce(&mut Rng) -> N,
    sentences: &[Example<N::Gold>],
    counts: &[u32],
    schedule: Schedule,
    mut after: impl FnMut(usize, f32, &N),
) -> N {
    let mut rng = Rng::new(schedule.seed);
    let mut net = random(&mut rng);
    let mut learner = Learner::new(&net);
    let words: usize = sentences.iter().map(|s| s.encoded.words()).sum();
    let total = (schedule.rounds * words.max(1)) as f32;
    let mut seen = 0;
    for round in 0..schedule.rounds {
        let batches = batches(sentences, schedule.batch, &mut rng);
        let mut loss = 0.0;
        for batch in &batches {
            interrupt::check();
            let batch: Vec<&Example<N::Gold>> = batch.iter().map(|&s| &sentences[s]).collect();
            let done = seen as f32 / total;
            // A short warm-up, then down in a straight line.
            let rate = schedule.rate * (done * 50.0 + 0.1).min(1.0) * (1.0 - done).max(0.01);
            let drop = Drop { rates: schedule.dropout, counts, rng: &mut rng };
            loss += learner.step(&mut net, &batch, drop, rate);
            seen += batch.iter().map(|s| s.encoded.words()).sum::<usize>();
        }
        after(round + 1, loss / batches.len().max(1) as f32, &net);
    }
    net
}

/// How long Adam remembers the squares of gradients.
const SECOND_MOMENT: f32 = 0.98;

struct Learner {
    adam: Adam,
    gradient: Vec<f32>,
    d_roles: Vec<f32>,
    trace: Trace,
    touched: Vec<Block>,
}

impl Learner {
    fn new(net: &impl Network) -> Self {
        let length = net.values().len();
        Self {
            adam: Adam::new(length, SECOND_MOMENT),
            gradient: vec![0.0; length],
            d_roles: Vec::new(),
            trace: Trace::default(),
            touched: Vec::new(),
        }
    }

    fn gradient<N: Network>(&mut self, net: &N, batch: &[&Example<N::Gold>], drop: Option<Drop<'_>>) -> f32 {
        let inputs: Vec<&Encoded> = batch.iter().map(|s| &s.encoded).collect();
        let gold: Vec<&N::Gold> = batch.iter().map(|s| &s.gold).collect();
        let (encoder, values) = (net.encoder(), net.values());
        let Self { trace, d_roles, gradient, touched, .. } = self;
        encoder.encode(values, &inputs, drop, trace);
        zeros(d_roles, trace.roles.len());
        let loss = net.loss(trace, &gold, d_roles, gradient);
        encoder.gradient(values, &inputs, trace, d_roles, gradient, touched);
        loss
    }

    fn step<N: Network>(
        &mut self,
        net: &mut N,
        batch: &[&Example<N::Gold>],
        drop: Drop<'_>,
        rate: f32,
    ) -> f32 {
        let loss = self.gradient(net, batch, Some(drop));
        self.touched.push(net.dense());
        self.touched.sort_unstable_by_key(|b| b.start);
        self.touched.dedup();
        if let Store::Owned(values) = net.values_mut() {
            self.adam.update(values, &mut self.gradient, &self.touched, Rate { rate, scale: 1.0, clip: 5.0 });
        }
        self.touched.clear();
        loss
    }
}

/// Batches of about `words` words, of sentences of similar length, the longest first in each; in random order.
fn batches<G>(sentences: &[Example<G>], words: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, u64)> = (0..sentences.len()).map(|s| (s, rng.bits())).collect();
    let length = |s: usize| sentences[s].encoded.words();
    // Lengths within a tenth count as equal, so that batches differ from round to round.
    order.sort_by_key(|&(s, key)| (((length(s) as f32).ln() * 10.0) as usize, key));
    let mut batches = vec![Vec::new()];
    let mut size = 0;
    for (s, _) in order {
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

/// Whether the gradient of every third parameter is the slope of the loss.
#[cfg(test)]
pub(crate) fn check_gradient<N: Network>(mut net: N, sentences: &[Example<N::Gold>]) {
    let batch: Vec<&Example<N::Gold>> = sentences.iter().collect();
    let mut learner = Learner::new(&net);
    learner.gradient(&net, &batch, None);
    let gradient = learner.gradient;
    assert!(gradient.iter().filter(|g| g.abs() > 1e-4).count() > gradient.len() / 3);
    for at in (0..gradient.len()).step_by(3) {
        let mut of = |delta: f32| {
            let shift = |net: &mut N, delta: f32| match net.values_mut() {
                Store::Owned(values) => values[at] += delta,
                _ => unreachable!("it was made in memory"),
            };
            shift(&mut net, delta);
            let loss = Learner::new(&net).gradient(&net, &batch, None);
            shift(&mut net, -delta);
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
