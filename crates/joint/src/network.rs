//! The network: embeddings of the words seen, one hidden layer, a score for each word. Its loss is cross-entropy over some of all
//! words, with a penalty that keeps sums of probabilities at 1 (Devlin et al. 2014, section 2.2), so that scores can be used as
//! they are.

use crate::words::Word;
use crate::{HISTORY, SEEN};
use rayon::prelude::*;
use treeglot_nn::{
    Adam, Block, Layout, Mat, Product, Rate, Rng, add_rows, exp, leaky, leaky_slope, matmul_on_all_threads,
    simd, sum_rows, zeros,
};

/// How many words a network sees.
pub(crate) const INPUTS: usize = SEEN + HISTORY;

/// What a network sees, and the word that it should predict.
#[derive(Clone, Copy)]
pub(crate) struct Example {
    pub seen: [Word; INPUTS],
    pub word: Word,
}

/// Words that stand in the sum over all words for a batch.
pub(crate) struct Candidates {
    /// All words up to here are in.
    pub frequent: usize,
    /// Further words, ascending.
    pub sampled: Vec<Word>,
    /// The logarithm of how many words each further one stands for.
    pub weight: f32,
}

impl Candidates {
    /// All words.
    pub fn all(words: usize) -> Self {
        Self { frequent: words, sampled: Vec::new(), weight: 0.0 }
    }

    fn len(&self) -> usize {
        self.frequent + self.sampled.len()
    }

    /// The place of a word among them.
    fn place(&self, word: Word) -> usize {
        match usize::from(word) < self.frequent {
            true => usize::from(word),
            false => {
                self.frequent + self.sampled.binary_search(&word).expect("words of a batch are candidates")
            }
        }
    }
}

/// Parameters and where they stand.
pub(crate) struct Network {
    pub values: Vec<f32>,
    /// Rows of source words, of target words; the hidden layer with its bias; rows of outputs with their biases.
    pub source: Block,
    pub target: Block,
    pub hidden: Block,
    pub bias: Block,
    pub out: Block,
    pub out_bias: Block,
}

/// Shares of units that are left out.
#[derive(Clone, Copy, Default)]
pub(crate) struct Dropout {
    pub hidden: f32,
    pub inputs: f32,
}

/// The buffers of a pass.
#[derive(Default)]
pub(crate) struct Pass {
    inputs: Vec<f32>,
    hidden: Vec<f32>,
    mask: Vec<f32>,
    rows: Vec<f32>,
    scores: Vec<f32>,
    d_hidden: Vec<f32>,
    d_inputs: Vec<f32>,
    d_rows: Vec<f32>,
    results: Vec<Predicted>,
}

/// What came out for one example.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Predicted {
    /// The score of the right word.
    pub score: f32,
    /// The logarithm of the sum over all words.
    pub sum: f32,
}

impl Network {
    /// A network of these sizes; outputs begin with the frequencies of words.
    pub fn new(
        words: [usize; 2],
        embedding: usize,
        hidden: usize,
        frequencies: &[f32],
        rng: &mut Rng,
    ) -> Self {
        let mut network = Self::zeros(words, embedding, hidden);
        let values = &mut network.values;
        network.source.init(values, 0.1, rng);
        network.target.init(values, 0.1, rng);
        network.hidden.glorot(values, rng);
        network.out.init(values, 0.05, rng);
        network.out_bias.slice_mut(values).copy_from_slice(frequencies);
        network
    }

    /// A network of these sizes whose parameters are 0.
    pub fn zeros(words: [usize; 2], embedding: usize, hidden: usize) -> Self {
        let mut layout = Layout::default();
        let mut network = Self {
            source: layout.block(words[0], embedding),
            target: layout.block(words[1], embedding),
            hidden: layout.block(INPUTS * embedding, hidden),
            bias: layout.block(1, hidden),
            out: layout.block(words[1], hidden),
            out_bias: layout.block(1, words[1]),
            values: Vec::new(),
        };
        network.values = vec![0.0; layout.length];
        network
    }

    fn embedding(&self, slot: usize, word: Word) -> Block {
        let block = if slot < SEEN { self.source } else { self.target };
        Block { start: block.start + usize::from(word) * block.cols, rows: 1, cols: block.cols }
    }

    /// Works out hidden layer and scores of candidates.
    fn forward(&self, batch: &[Example], candidates: &Candidates, pass: &mut Pass) {
        let (size, values) = (self.source.cols, &self.values);
        zeros(&mut pass.inputs, batch.len() * INPUTS * size);
        for (example, row) in batch.iter().zip(pass.inputs.chunks_exact_mut(INPUTS * size)) {
            for (slot, to) in row.chunks_exact_mut(size).enumerate() {
                to.copy_from_slice(self.embedding(slot, example.seen[slot]).slice(values));
            }
        }
        if !pass.mask.is_empty() {
            let masks = &pass.mask[batch.len() * self.hidden.cols..];
            for (slot, scale) in pass.inputs.chunks_exact_mut(size).zip(masks) {
                slot.iter_mut().for_each(|value| *value *= scale);
            }
        }
        zeros(&mut pass.hidden, batch.len() * self.hidden.cols);
        let inputs = Mat::new(&pass.inputs, batch.len(), INPUTS * size);
        matmul_on_all_threads(&mut pass.hidden, inputs, self.hidden.of(values), Product::Plain, false);
        add_rows(&mut pass.hidden, self.bias.slice(values));
        simd(|| pass.hidden.iter_mut().for_each(|value| *value = leaky(*value)));
        simd(|| pass.hidden.iter_mut().zip(&pass.mask).for_each(|(value, scale)| *value *= scale));
        pass.rows.clear();
        pass.rows.extend_from_slice(&self.out.slice(values)[..candidates.frequent * self.out.cols]);
        for &word in &candidates.sampled {
            pass.rows.extend_from_slice(self.out.row(values, usize::from(word)));
        }
        zeros(&mut pass.scores, batch.len() * candidates.len());
        let hidden = Mat::new(&pass.hidden, batch.len(), self.out.cols);
        let rows = Mat::new(&pass.rows, candidates.len(), self.out.cols);
        matmul_on_all_threads(&mut pass.scores, hidden, rows, Product::RightTransposed, false);
        let biases = self.out_bias.slice(values);
        let mut bias = biases[..candidates.frequent].to_vec();
        bias.extend(candidates.sampled.iter().map(|&word| biases[usize::from(word)] + candidates.weight));
        add_rows(&mut pass.scores, &bias);
    }

    /// What it predicts for examples, over all words.
    pub fn predict<'p>(&self, batch: &[Example], pass: &'p mut Pass) -> &'p [Predicted] {
        let candidates = Candidates::all(self.out.rows);
        pass.mask.clear();
        self.forward(batch, &candidates, pass);
        compare(pass, batch, &candidates, 0.0);
        &pass.results
    }

    /// The hidden layers that examples give, row by row, and what is predicted from them.
    pub fn layers<'p>(&self, batch: &[Example], pass: &'p mut Pass) -> (&'p [f32], &'p [Predicted]) {
        self.predict(batch, pass);
        (&pass.hidden, &pass.results)
    }

    /// Learns from a batch; the sum of its losses.
    pub fn learn(
        &mut self,
        batch: &[Example],
        candidates: &Candidates,
        (dropout, normalize): (Dropout, f32),
        rng: &mut Rng,
        pass: &mut Pass,
        (gradient, adam, rate): (&mut [f32], &mut Adam, Rate),
    ) -> f32 {
        draw_masks(batch.len(), self.hidden.cols, dropout, rng, &mut pass.mask);
        self.forward(batch, candidates, pass);
        compare(pass, batch, candidates, normalize);
        self.backward(batch, candidates, pass, gradient);
        let mut parts = vec![self.hidden, self.bias, self.out_bias];
        let row = |block: Block, row: usize| Block {
            start: block.start + row * block.cols,
            rows: 1,
            cols: block.cols,
        };
        parts.push(Block { rows: candidates.frequent, ..self.out });
        parts.extend(candidates.sampled.iter().map(|&word| row(self.out, usize::from(word))));
        let mut used: Vec<usize> = Vec::with_capacity(batch.len() * INPUTS);
        for example in batch {
            used.extend((0..INPUTS).map(|slot| self.embedding(slot, example.seen[slot]).start));
        }
        used.sort_unstable();
        used.dedup();
        parts.extend(used.into_iter().map(|start| Block { start, rows: 1, cols: self.source.cols }));
        adam.update(&mut self.values, gradient, &parts, rate);
        pass.results.iter().map(|result| result.sum - result.score).sum()
    }

    /// Adds to the gradient what scores, which have become slopes, say.
    fn backward(&self, batch: &[Example], candidates: &Candidates, pass: &mut Pass, gradient: &mut [f32]) {
        let (count, units, size) = (batch.len(), self.hidden.cols, self.source.cols);
        let scores = Mat::new(&pass.scores, count, candidates.len());
        let mut bias = vec![0.0; candidates.len()];
        sum_rows(&pass.scores, &mut bias);
        let biases = self.out_bias.slice_mut(gradient);
        biases[..candidates.frequent].iter_mut().zip(&bias).for_each(|(g, b)| *g += b);
        for (&word, slope) in candidates.sampled.iter().zip(&bias[candidates.frequent..]) {
            biases[usize::from(word)] += slope;
        }
        zeros(&mut pass.d_rows, candidates.len() * units);
        let hidden = Mat::new(&pass.hidden, count, units);
        matmul_on_all_threads(&mut pass.d_rows, scores, hidden, Product::LeftTransposed, false);
        let frequent = candidates.frequent * units;
        self.out.slice_mut(gradient)[..frequent].copy_from_slice(&pass.d_rows[..frequent]);
        for (&word, slopes) in candidates.sampled.iter().zip(pass.d_rows[frequent..].chunks_exact(units)) {
            self.out.row_mut(gradient, usize::from(word)).copy_from_slice(slopes);
        }
        zeros(&mut pass.d_hidden, count * units);
        let rows = Mat::new(&pass.rows, candidates.len(), units);
        matmul_on_all_threads(&mut pass.d_hidden, scores, rows, Product::Plain, false);
        let scaled = pass.d_hidden.iter_mut().zip(&pass.hidden).zip(&pass.mask);
        simd(|| scaled.for_each(|((slope, value), scale)| *slope *= scale * leaky_slope(*value)));
        sum_rows(&pass.d_hidden, self.bias.slice_mut(gradient));
        let d_hidden = Mat::new(&pass.d_hidden, count, units);
        let inputs = Mat::new(&pass.inputs, count, INPUTS * size);
        let weights = self.hidden.slice_mut(gradient);
        matmul_on_all_threads(weights, inputs, d_hidden, Product::LeftTransposed, true);
        zeros(&mut pass.d_inputs, count * INPUTS * size);
        let weights = self.hidden.of(&self.values);
        matmul_on_all_threads(&mut pass.d_inputs, d_hidden, weights, Product::RightTransposed, false);
        let masks = &pass.mask[count * units..];
        for (at, slopes) in pass.d_inputs.chunks_exact(size).enumerate() {
            let (example, slot) = (&batch[at / INPUTS], at % INPUTS);
            let to = self.embedding(slot, example.seen[slot]).slice_mut(gradient);
            to.iter_mut().zip(slopes).for_each(|(g, slope)| *g += slope * masks[at]);
        }
    }
}

/// Draws which hidden units of each example are left out, and then which of its inputs.
fn draw_masks(examples: usize, units: usize, dropout: Dropout, rng: &mut Rng, masks: &mut Vec<f32>) {
    masks.clear();
    for (count, share) in [(examples * units, dropout.hidden), (examples * INPUTS, dropout.inputs)] {
        let kept = 1.0 / (1.0 - share);
        masks.extend((0..count).map(|_| if rng.unit() < share { 0.0 } else { kept }));
    }
}

/// Turns scores into slopes of the loss, and notes what came out.
fn compare(pass: &mut Pass, batch: &[Example], candidates: &Candidates, normalize: f32) {
    let size = candidates.len();
    pass.results.clear();
    let rows = pass.scores.par_chunks_exact_mut(size).zip(batch);
    rows.map(|(scores, example)| {
        let right = candidates.place(example.word);
        if right >= candidates.frequent {
            scores[right] -= candidates.weight;
        }
        let score = scores[right];
        let sum = simd(|| {
            let most = scores.iter().fold(f32::NEG_INFINITY, |most, &score| most.max(score));
            let mut total = 0.0;
            for score in scores.iter_mut() {
                *score = exp(*score - most);
                total += *score;
            }
            let sum = most + total.ln();
            let scale = (1.0 + 2.0 * normalize * sum) / total;
            scores.iter_mut().for_each(|score| *score *= scale);
            sum
        });
        scores[right] -= 1.0;
        Predicted { score, sum }
    })
    .collect_into_vec(&mut pass.results);
}
