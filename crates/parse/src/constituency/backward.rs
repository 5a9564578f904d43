//! The loss of a batch and its derivatives: minus the log probability of the gold trees among all trees of the
//! sentences (a conditional random field over trees, Zhang, Zhou and Li 2020), and of the gold tags.

use super::chart::{Chart, Scores, span_count, span_number};
use super::features::{ABSENT, PER_WORD};
use super::labels::Encoded;
use super::network::{NO_MASKS, Network, Pass};
use super::shape::{Blocks, Shape};
use crate::nn::{Block, Mat, Product, cross_entropy, matmul, scale_rows, sum_rows, zeros};

/// Derivatives by all parameters. Of the vectors of features only those that were met have any.
#[derive(Debug, Default)]
pub(crate) struct Gradient {
    pub(crate) values: Vec<f32>,
    /// The features met, and whether each feature is among them.
    met: Vec<u32>,
    is_met: Vec<bool>,
}

impl Gradient {
    /// Makes all derivatives zero.
    pub(crate) fn clear(&mut self, blocks: &Blocks) {
        self.values.resize(blocks.length, 0.0);
        self.is_met.resize(blocks.features.rows, false);
        blocks.dense.slice_mut(&mut self.values).fill(0.0);
        for feature in self.met.drain(..) {
            self.is_met[feature as usize] = false;
            blocks.features.row_mut(&mut self.values, feature as usize).fill(0.0);
        }
    }

    /// Adds to the derivatives by a feature's vector.
    fn add_feature(&mut self, blocks: &Blocks, feature: u32, values: &[f32]) {
        if !std::mem::replace(&mut self.is_met[feature as usize], true) {
            self.met.push(feature);
        }
        let row = blocks.features.row_mut(&mut self.values, feature as usize);
        row.iter_mut().zip(values).for_each(|(r, v)| *r += v);
    }

    /// Adds another gradient of the same network.
    pub(crate) fn add(&mut self, other: &Self, blocks: &Blocks) {
        let sums = blocks.dense.slice_mut(&mut self.values).iter_mut();
        sums.zip(blocks.dense.slice(&other.values)).for_each(|(a, b)| *a += b);
        for &feature in &other.met {
            self.add_feature(blocks, feature, blocks.features.row(&other.values, feature as usize));
        }
    }

    /// The parameters that have derivatives.
    pub(crate) fn parts(&self, blocks: &Blocks) -> Vec<Block> {
        let cols = blocks.features.cols;
        let row = |&f: &u32| Block { start: blocks.features.start + f as usize * cols, rows: 1, cols };
        self.met.iter().map(row).chain([blocks.dense]).collect()
    }
}

/// The buffers of a backward pass.
#[derive(Debug, Default)]
pub(crate) struct Backward {
    chart: Chart,
    vectors: Vec<f32>,
    scores: Vec<f32>,
    marginals: Vec<f32>,
    /// Spans whose labels have derivatives worth following: rows of their two ends, vectors, derivatives.
    ends: Vec<(usize, usize)>,
    followed: Vec<f32>,
    dscores: Vec<f32>,
    dvectors: Vec<f32>,
    dleft: Vec<f32>,
    dright: Vec<f32>,
    dgaps: Vec<f32>,
    dlayer: Vec<f32>,
    dtags: Vec<f32>,
}

/// Spans whose derivatives are all smaller have no say.
const NEGLIGIBLE: f32 = 1e-4;

impl Backward {
    /// After [`Pass::encode`]: the loss of trees and tags; adds the derivatives to `gradient`.
    pub(crate) fn run(
        &mut self,
        network: &Network<'_>,
        pass: &mut Pass,
        features: &[u32],
        gold: &[&Encoded],
        gradient: &mut Gradient,
    ) -> f64 {
        let mut loss = self.trees(network, pass, gold);
        self.spans(network, pass, gradient);
        self.gaps(network, pass, gradient);
        loss += self.tags(network, pass, gold, gradient);
        let dinput = self.layers(network, pass, gradient);
        let words = pass.packing.rows_in_order().into_iter().zip(features.chunks_exact(PER_WORD));
        let size = network.shape.embedding;
        for (row, numbers) in words {
            for &number in numbers.iter().filter(|&&n| n != ABSENT) {
                gradient.add_feature(network.blocks, number, &dinput[row * size..(row + 1) * size]);
            }
        }
        loss
    }

    /// The loss of the trees, and the derivatives by the scores of labels: how much more of all trees have a labelled span than of
    /// the one gold tree.
    fn trees(&mut self, network: &Network<'_>, pass: &Pass, gold: &[&Encoded]) -> f64 {
        let Shape { labels, span, .. } = network.shape;
        let mut loss = 0.0;
        self.ends.clear();
        self.followed.clear();
        self.dscores.clear();
        for (sentence, gold) in gold.iter().enumerate() {
            let (length, gap) = (pass.packing.lengths()[sentence], pass.first_gap(sentence));
            zeros(&mut self.scores, span_count(length) * labels);
            pass.score_spans(network, sentence, &mut self.vectors, &mut self.scores);
            let scores = Scores { length, labels, values: &self.scores };
            loss += self.chart.inside(scores);
            self.chart.outside();
            self.chart.marginals(scores, &mut self.marginals);
            for s in &gold.spans {
                let at = span_number(length, s.start, s.end) * labels + usize::from(s.label);
                loss -= f64::from(self.scores[at]);
                self.marginals[at] -= 1.0;
            }
            for start in 0..length {
                for end in start + 1..=length {
                    let number = span_number(length, start, end);
                    let derivatives = &self.marginals[number * labels..][..labels];
                    if derivatives.iter().any(|d| d.abs() > NEGLIGIBLE) {
                        self.ends.push((gap + start, gap + end));
                        self.dscores.extend_from_slice(derivatives);
                        self.followed.extend_from_slice(&self.vectors[number * span..][..span]);
                    }
                }
            }
        }
        loss
    }

    /// From the scores of labels to the two ends of spans.
    fn spans(&mut self, network: &Network<'_>, pass: &Pass, gradient: &mut Gradient) {
        let Network { shape: Shape { labels, span, .. }, blocks, values } = *network;
        let count = self.ends.len();
        sum_rows(&self.dscores, blocks.label_bias.slice_mut(&mut gradient.values));
        let dscores = Mat::new(&self.dscores, count, labels);
        let by_weights = blocks.label.slice_mut(&mut gradient.values);
        matmul(by_weights, Mat::new(&self.followed, count, span), dscores, Product::LeftTransposed, true);
        zeros(&mut self.dvectors, count * span);
        matmul(&mut self.dvectors, dscores, blocks.label.of(values), Product::RightTransposed, false);
        zeros(&mut self.dleft, pass.gap_count() * span);
        zeros(&mut self.dright, pass.gap_count() * span);
        let rows = self.dvectors.chunks_exact_mut(span).zip(self.followed.chunks_exact(span));
        for (&(left, right), (derivatives, vector)) in self.ends.iter().zip(rows) {
            derivatives.iter_mut().zip(vector).for_each(|(d, &v)| *d = if v > 0.0 { *d } else { 0.0 });
            for (sums, end) in [(&mut self.dleft, left), (&mut self.dright, right)] {
                sums[end * span..][..span].iter_mut().zip(&*derivatives).for_each(|(s, d)| *s += d);
            }
        }
    }

    /// From the two ends of spans to what the last layer gave.
    fn gaps(&mut self, network: &Network<'_>, pass: &Pass, gradient: &mut Gradient) {
        let Network { shape: Shape { hidden, span, .. }, blocks, values } = *network;
        let (both, count) = (2 * hidden, pass.gap_count());
        sum_rows(&self.dleft, blocks.span_bias.slice_mut(&mut gradient.values));
        zeros(&mut self.dgaps, count * both);
        let gaps = Mat::new(&pass.gaps, count, both);
        for (block, ends) in [(&blocks.left, &self.dleft), (&blocks.right, &self.dright)] {
            let ends = Mat::new(ends, count, span);
            matmul(block.slice_mut(&mut gradient.values), gaps, ends, Product::LeftTransposed, true);
            matmul(&mut self.dgaps, ends, block.of(values), Product::RightTransposed, true);
        }
        zeros(&mut self.dlayer, pass.packing.rows() * both);
        let mut gap = 0;
        for (sentence, &length) in pass.packing.lengths().iter().enumerate() {
            for word in 0..length {
                let row = &mut self.dlayer[pass.packing.row(sentence, word) * both..][..both];
                row[..hidden].copy_from_slice(&self.dgaps[(gap + word + 1) * both..][..hidden]);
                row[hidden..].copy_from_slice(&self.dgaps[(gap + word) * both + hidden..][..hidden]);
            }
            gap += length + 1;
        }
    }

    /// The loss of the tags, and the derivatives by their scores.
    fn tags(
        &mut self,
        network: &Network<'_>,
        pass: &Pass,
        gold: &[&Encoded],
        gradient: &mut Gradient,
    ) -> f64 {
        let Network { shape, blocks, .. } = *network;
        let mut loss = 0.0;
        self.dtags.clone_from(&pass.tags);
        let right = gold.iter().flat_map(|g| &g.tags);
        for (row, &right) in pass.packing.rows_in_order().into_iter().zip(right) {
            let scores = &mut self.dtags[row * shape.tags..(row + 1) * shape.tags];
            loss += f64::from(cross_entropy(scores, usize::from(right), 1.0));
        }
        let count = pass.packing.rows();
        sum_rows(&self.dtags, blocks.tag_bias.slice_mut(&mut gradient.values));
        let (read, dtags) =
            (Mat::new(&pass.inputs[1], count, shape.both()), Mat::new(&self.dtags, count, shape.tags));
        let by_weights = blocks.tag.slice_mut(&mut gradient.values);
        matmul(by_weights, read, dtags, Product::LeftTransposed, true);
        loss
    }

    /// From what the last layer gave down to the vectors of words: the derivatives by these.
    fn layers(&mut self, network: &Network<'_>, pass: &mut Pass, gradient: &mut Gradient) -> Vec<f32> {
        let Network { shape, blocks, values } = *network;
        let sentences = pass.packing.sentences_by_row();
        let mut derivatives = std::mem::take(&mut self.dlayer);
        for (number, layer) in blocks.layers.iter().enumerate().rev() {
            if number == 0 {
                let dtags = Mat::new(&self.dtags, pass.packing.rows(), shape.tags);
                matmul(&mut derivatives, dtags, blocks.tag.of(values), Product::RightTransposed, true);
            }
            scale_rows(&mut derivatives, shape.both(), &sentences, &pass.masks[number + 1]);
            let both = (values, &mut gradient.values[..]);
            let (inputs, trace) = (&pass.inputs[number], &mut pass.layers[number]);
            derivatives = layer.backward(both, inputs, &pass.packing, &NO_MASKS, trace, &derivatives);
        }
        scale_rows(&mut derivatives, shape.embedding, &sentences, &pass.masks[0]);
        derivatives
    }
}

#[cfg(test)]
mod tests {
    use super::super::labels::Labelled;
    use super::*;
    use crate::nn::Rng;

    const SHAPE: Shape = Shape { features: 7, embedding: 3, hidden: 2, span: 4, labels: 3, tags: 2 };

    fn gold(length: usize, tags: &[u16]) -> Encoded {
        // The first word, then the rest, all the way down.
        let mut spans = vec![Labelled { start: 0, end: length, label: 1 }];
        spans.extend((1..length).filter(|s| length - s > 1).map(|start| Labelled {
            start,
            end: length,
            label: 0,
        }));
        spans.extend((0..length).map(|start| Labelled { start, end: start + 1, label: (start % 3) as u16 }));
        Encoded { tags: tags.to_vec(), spans }
    }

    fn loss(values: &[f32], features: &[u32], gradient: &mut Gradient) -> f64 {
        let blocks = SHAPE.blocks();
        let network = Network { shape: SHAPE, blocks: &blocks, values };
        gradient.clear(&blocks);
        let mut pass = Pass::default();
        pass.encode(&network, &[4, 2], features, None);
        let gold = [gold(4, &[0, 1, 1, 0]), gold(2, &[1, 0])];
        Backward::default().run(&network, &mut pass, features, &[&gold[0], &gold[1]], gradient)
    }

    #[test]
    fn derivatives_are_the_differences_of_the_loss() {
        let mut rng = Rng::of_job(3, 0);
        let mut values: Vec<f32> = (0..SHAPE.blocks().length).map(|_| rng.unit() - 0.5).collect();
        let features: Vec<u32> =
            (0..6 * PER_WORD as u32).map(|n| if n % 5 == 0 { ABSENT } else { (n * n + 3) % 7 }).collect();
        let mut gradient = Gradient::default();
        loss(&values, &features, &mut gradient);
        let step = 1e-2;
        let mut scratch = Gradient::default();
        for i in 0..values.len() {
            let [higher, lower] = [step, -2.0 * step].map(|by| {
                values[i] += by;
                loss(&values, &features, &mut scratch)
            });
            values[i] += step;
            let (found, expected) = (gradient.values[i], (higher - lower) / f64::from(2.0 * step));
            assert!((f64::from(found) - expected).abs() < 0.01 + 0.02 * expected.abs(), "{found} {expected}");
        }
    }
}
