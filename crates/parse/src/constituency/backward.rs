//! The loss of a batch and its derivatives: minus the log probability of the gold trees among all trees of the
//! sentences (a conditional random field over trees, Zhang, Zhou and Li 2020), and of the gold tags.

use super::chart::{Chart, Scores, span_count, span_number};
use super::features::{ABSENT, PER_WORD};
use super::labels::Encoded;
use super::lstm::{Gradients, Layer};
use super::matrix::Lay::{Straight, Transposed};
use super::matrix::{add_product, add_rows, zeros};
use super::network::{Network, Pass, READINGS, apply_mask};
use super::shape::{DIRECTIONS, LAYERS, Shape};

/// Derivatives by all weights. Only the features that were met have any.
#[derive(Debug, Default)]
pub(crate) struct Gradient {
    pub(crate) dense: Vec<f32>,
    /// The features met, in the order of their meeting, and their derivatives in the same order.
    pub(crate) met: Vec<u32>,
    pub(crate) embeddings: Vec<f32>,
    /// For each feature, one more than its place among those met.
    places: Vec<u32>,
}

impl Gradient {
    pub(crate) fn clear(&mut self, shape: &Shape, dense: usize) {
        self.dense.clear();
        self.dense.resize(dense, 0.0);
        self.places.resize(shape.features, 0);
        for &feature in &self.met {
            self.places[feature as usize] = 0;
        }
        self.met.clear();
        self.embeddings.clear();
    }

    /// The derivatives by a feature's vector.
    fn feature(&mut self, feature: u32, size: usize) -> &mut [f32] {
        let place = &mut self.places[feature as usize];
        if *place == 0 {
            self.met.push(feature);
            *place = self.met.len() as u32;
            self.embeddings.resize(self.met.len() * size, 0.0);
        }
        let at = (*place as usize - 1) * size;
        &mut self.embeddings[at..at + size]
    }

    /// Adds another gradient of the same network.
    pub(crate) fn add(&mut self, other: &Self, size: usize) {
        self.dense.iter_mut().zip(&other.dense).for_each(|(a, b)| *a += b);
        for (&feature, values) in other.met.iter().zip(other.embeddings.chunks_exact(size)) {
            self.feature(feature, size).iter_mut().zip(values).for_each(|(a, b)| *a += b);
        }
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
    dinput: Vec<f32>,
    dlayer: Vec<f32>,
    dhidden: Vec<f32>,
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
        self.layers(network, pass, gradient);
        let size = network.shape.embedding;
        for (row, numbers) in self.dinput.chunks_exact(size).zip(features.chunks_exact(PER_WORD)) {
            for &number in numbers.iter().filter(|&&n| n != ABSENT) {
                gradient.feature(number, size).iter_mut().zip(row).for_each(|(g, r)| *g += r);
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
            let (length, gap) = (pass.rows.length(sentence), pass.first_gap(sentence));
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
        let Shape { labels, span, .. } = network.shape;
        let count = self.ends.len();
        let places = network.places;
        add_rows(&self.dscores, &mut gradient.dense[places.label_bias.clone()]);
        add_product(
            (&self.followed, Transposed),
            (&self.dscores, Straight),
            &mut gradient.dense[places.label.clone()],
            [span, count, labels],
        );
        zeros(&mut self.dvectors, count * span);
        let weights = &network.dense[places.label.clone()];
        add_product(
            (&self.dscores, Straight),
            (weights, Transposed),
            &mut self.dvectors,
            [count, labels, span],
        );
        let gaps = pass.rows.count() + pass.rows.sentences();
        zeros(&mut self.dleft, gaps * span);
        zeros(&mut self.dright, gaps * span);
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
        let Shape { hidden, span, .. } = network.shape;
        let both = DIRECTIONS * hidden;
        let count = pass.rows.count() + pass.rows.sentences();
        let places = network.places;
        add_rows(&self.dleft, &mut gradient.dense[places.span_bias.clone()]);
        zeros(&mut self.dgaps, count * both);
        for (place, ends) in [(&places.left, &self.dleft), (&places.right, &self.dright)] {
            let by_weights = &mut gradient.dense[place.clone()];
            add_product((&pass.gaps, Transposed), (ends, Straight), by_weights, [both, count, span]);
            let weights = &network.dense[place.clone()];
            add_product((ends, Straight), (weights, Transposed), &mut self.dgaps, [count, span, both]);
        }
        zeros(&mut self.dlayer, pass.rows.count() * both);
        for sentence in 0..pass.rows.sentences() {
            let gap = pass.first_gap(sentence);
            for word in 0..pass.rows.length(sentence) {
                let row = &mut self.dlayer[(pass.rows.start(sentence) + word) * both..][..both];
                row[..hidden].copy_from_slice(&self.dgaps[(gap + word + 1) * both..][..hidden]);
                row[hidden..].copy_from_slice(&self.dgaps[(gap + word) * both + hidden..][..hidden]);
            }
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
        let Shape { tags, hidden, .. } = network.shape;
        let mut loss = 0.0;
        self.dtags.clear();
        let right = gold.iter().flat_map(|g| &g.tags);
        for (scores, &right) in pass.tags.chunks_exact(tags).zip(right) {
            let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let start = self.dtags.len();
            self.dtags.extend(scores.iter().map(|s| (s - max).exp()));
            let shares = &mut self.dtags[start..];
            let sum: f32 = shares.iter().sum();
            shares.iter_mut().for_each(|s| *s /= sum);
            loss -= f64::from(shares[usize::from(right)].max(1e-30).ln());
            shares[usize::from(right)] -= 1.0;
        }
        let (count, both) = (pass.rows.count(), DIRECTIONS * hidden);
        add_rows(&self.dtags, &mut gradient.dense[network.places.tag_bias.clone()]);
        let by_weights = &mut gradient.dense[network.places.tag.clone()];
        add_product((&pass.inputs[1], Transposed), (&self.dtags, Straight), by_weights, [both, count, tags]);
        loss
    }

    /// From what the last layer gave down to the vectors of features.
    fn layers(&mut self, network: &Network<'_>, pass: &mut Pass, gradient: &mut Gradient) {
        let Shape { hidden, tags, .. } = network.shape;
        let both = DIRECTIONS * hidden;
        let count = pass.rows.count();
        for layer in (0..LAYERS).rev() {
            if layer == 0 {
                let weights = &network.dense[network.places.tag.clone()];
                add_product(
                    (&self.dtags, Straight),
                    (weights, Transposed),
                    &mut self.dlayer,
                    [count, tags, both],
                );
            }
            apply_mask(&pass.rows, &pass.masks[layer + 1], both, &mut self.dlayer);
            let inputs = network.shape.layer_inputs(layer);
            zeros(&mut self.dinput, count * inputs);
            for direction in 0..DIRECTIONS {
                self.dhidden.clear();
                for row in self.dlayer.chunks_exact(both) {
                    self.dhidden.extend_from_slice(&row[direction * hidden..][..hidden]);
                }
                let places = &network.places.layers[layer][direction];
                let [input, state, bias] = gradient
                    .dense
                    .get_disjoint_mut([places.input.clone(), places.state.clone(), places.bias.clone()])
                    .expect("weights do not overlap");
                let of_layer = Layer {
                    weights: network.layer(places),
                    x: &pass.inputs[layer],
                    inputs,
                    size: hidden,
                    rows: &pass.rows,
                    reading: READINGS[direction],
                };
                pass.states[layer][direction].backward(
                    &of_layer,
                    &self.dhidden,
                    &mut Gradients { input, state, bias },
                    &mut self.dinput,
                );
            }
            if layer > 0 {
                std::mem::swap(&mut self.dlayer, &mut self.dinput);
            }
        }
        apply_mask(&pass.rows, &pass.masks[0], network.shape.embedding, &mut self.dinput);
    }
}

#[cfg(test)]
mod tests {
    use super::super::labels::Labelled;
    use super::*;
    use crate::rng::Rng;

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

    fn loss(embeddings: &[f32], dense: &[f32], features: &[u32], gradient: &mut Gradient) -> f64 {
        let places = SHAPE.places();
        let network = Network { shape: SHAPE, places: &places, embeddings, dense };
        gradient.clear(&SHAPE, dense.len());
        let mut pass = Pass::default();
        pass.encode(&network, vec![4, 2], features, None);
        let gold = [gold(4, &[0, 1, 1, 0]), gold(2, &[1, 0])];
        Backward::default().run(&network, &mut pass, features, &[&gold[0], &gold[1]], gradient)
    }

    #[test]
    fn derivatives_are_the_differences_of_the_loss() {
        let mut rng = Rng::of_job(3, 0);
        let mut draw = |count: usize| (0..count).map(|_| rng.unit() - 0.5).collect::<Vec<f32>>();
        let mut dense = draw(SHAPE.places().count);
        let mut embeddings = draw(SHAPE.features * SHAPE.embedding);
        let features: Vec<u32> =
            (0..6 * PER_WORD as u32).map(|n| if n % 5 == 0 { ABSENT } else { (n * n + 3) % 7 }).collect();
        let mut gradient = Gradient::default();
        loss(&embeddings, &dense, &features, &mut gradient);
        let by_dense = gradient.dense.clone();
        let mut by_embeddings = vec![0.0; embeddings.len()];
        for (&f, values) in gradient.met.iter().zip(gradient.embeddings.chunks_exact(SHAPE.embedding)) {
            by_embeddings[f as usize * SHAPE.embedding..][..SHAPE.embedding].copy_from_slice(values);
        }
        let step = 1e-2;
        let close = |found: f32, higher: f64, lower: f64| {
            let expected = (higher - lower) / f64::from(2.0 * step);
            assert!((f64::from(found) - expected).abs() < 0.01 + 0.02 * expected.abs(), "{found} {expected}");
        };
        let mut scratch = Gradient::default();
        for i in 0..dense.len() {
            let [higher, lower] = [step, -2.0 * step].map(|by| {
                dense[i] += by;
                loss(&embeddings, &dense, &features, &mut scratch)
            });
            dense[i] += step;
            close(by_dense[i], higher, lower);
        }
        for i in 0..embeddings.len() {
            let [higher, lower] = [step, -2.0 * step].map(|by| {
                embeddings[i] += by;
                loss(&embeddings, &dense, &features, &mut scratch)
            });
            embeddings[i] += step;
            close(by_embeddings[i], higher, lower);
        }
    }
}
