//! The error surface of forests: the statistics of each string that wins are worked out once and kept.

use super::envelopes::Envelopes;
use crate::line_search::{ErrorSurface, Sweep};
use crate::objective::Objective;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};
use treeglot_decode::TranslationForest;
use treeglot_metrics::Hypothesis;

/// Known statistics of strings, by their words.
type Known = FxHashMap<Box<[u32]>, Arc<[f32]>>;

/// The forests of a development set.
pub struct Forests<'a> {
    forests: &'a [TranslationForest],
    objective: &'a Objective<'a>,
    text: &'a (dyn Fn(&[u32]) -> String + Sync),
    features: usize,
    fixed: &'a [usize],
    known: Vec<Mutex<Known>>,
}

impl<'a> Forests<'a> {
    /// The forests of an objective's sentences, one each; `text` joins words to a translation.
    pub fn new(
        forests: &'a [TranslationForest],
        objective: &'a Objective<'a>,
        text: &'a (dyn Fn(&[u32]) -> String + Sync),
    ) -> Result<Self, crate::Error> {
        if forests.len() != objective.len() {
            return Err(crate::Error::Sentences { lists: forests.len(), references: objective.len() });
        }
        let most = forests
            .iter()
            .flat_map(TranslationForest::all_features)
            .map(|&(feature, _)| feature as usize + 1)
            .max();
        let known = forests.iter().map(|_| Mutex::default()).collect();
        Ok(Self { forests, objective, text, features: most.unwrap_or(0), fixed: &[], known })
    }

    /// The same with features whose weights are not tuned.
    pub fn with_fixed(self, fixed: &'a [usize]) -> Self {
        Self { fixed, ..self }
    }

    fn statistics(&self, sentence: usize, words: &[u32]) -> Arc<[f32]> {
        let mut known = self.known[sentence].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(statistics) = known.get(words) {
            return statistics.clone();
        }
        let mut buffer = Vec::new();
        self.objective.statistics(sentence, &Hypothesis::new(&(self.text)(words)), &mut buffer);
        let statistics: Arc<[f32]> = buffer.iter().map(|&s| s as f32).collect();
        known.insert(words.into(), statistics.clone());
        statistics
    }
}

/// A place on the surface of forests.
pub struct ForestPoint {
    weights: Vec<f64>,
    envelopes: Envelopes,
}

impl ErrorSurface for Forests<'_> {
    type Point = ForestPoint;

    fn features(&self) -> usize {
        self.features
    }

    /// The root mean square over hyperarcs: how a feature varies over derivations would cost more to know.
    fn spreads(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.features];
        let mut arcs = 0;
        for forest in self.forests {
            arcs += forest.arc_count();
            for &(feature, value) in forest.all_features() {
                squares[feature as usize] += f64::from(value).powi(2);
            }
        }
        for &feature in self.fixed.iter().filter(|&&feature| feature < self.features) {
            squares[feature] = 0.0;
        }
        squares.into_iter().map(|square| (square / arcs.max(1) as f64).sqrt()).collect()
    }

    fn at(&self, weights: &[f64]) -> ForestPoint {
        ForestPoint { weights: weights.to_vec(), envelopes: Envelopes::default() }
    }

    fn advance(&self, point: &mut ForestPoint, direction: &[f64], step: f64) {
        point.weights.iter_mut().zip(direction).for_each(|(w, d)| *w += step * d);
    }

    fn line(&self, point: &mut ForestPoint, direction: &[f64], sweep: &mut Sweep) {
        sweep.clear(self.objective.size());
        for (sentence, forest) in self.forests.iter().enumerate() {
            point.envelopes.fill(forest, &point.weights, direction);
            let mut last: Option<Arc<[f32]>> = None;
            point.envelopes.for_each_winner(forest, |from, words| {
                let statistics = self.statistics(sentence, words);
                match &last {
                    None => sweep.begin(&statistics),
                    Some(last) => sweep.change(from, last, &statistics),
                }
                last = Some(statistics);
            });
            if last.is_none() {
                sweep.begin(&self.statistics(sentence, &[]));
            }
        }
    }

    fn sums(&self, weights: &[f64]) -> Vec<f64> {
        let mut sweep = Sweep::default();
        self.line(&mut self.at(weights), &[], &mut sweep);
        sweep.start().to_vec()
    }
}
