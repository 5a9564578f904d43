//! The error surface that MERT searches: for each sentence the translations that win along a line of weights. k-best lists
//! have one, forests (see [`crate::forest`]) the other.

pub(crate) mod envelope;
mod sweep;

pub use sweep::{LineOptimum, Sweep};

use crate::candidates::{CandidateList, Candidates};
use envelope::{Hull, Piece};

/// Sentences whose best translation depends on the weights.
pub trait ErrorSurface: Sync {
    /// A place in the space of weights, with what is known about it.
    type Point: Send;

    /// How many features there are.
    fn features(&self) -> usize;

    /// How far each feature varies within a sentence; 0 for one whose weight cannot matter.
    fn spreads(&self) -> Vec<f64>;

    /// The place with these weights.
    fn at(&self, weights: &[f64]) -> Self::Point;

    /// Moves on by `step` times `direction`.
    fn advance(&self, point: &mut Self::Point, direction: &[f64], step: f64);

    /// Fills `sweep` with all changes along the line through `point`.
    fn line(&self, point: &mut Self::Point, direction: &[f64], sweep: &mut Sweep);

    /// The sums of statistics of the best translations under `weights`.
    fn sums(&self, weights: &[f64]) -> Vec<f64>;
}

/// A place on the surface of k-best lists: the scores of all candidates, so that a line search computes slopes only.
#[derive(Default)]
pub struct ListPoint {
    scores: Vec<f64>,
    slopes: Vec<f64>,
    hull: Hull,
    pieces: Vec<Piece>,
}

impl ListPoint {
    fn fill_slopes(&mut self, list: &CandidateList, direction: &[f64]) {
        list.set_scores(direction, &mut self.slopes);
    }
}

impl ErrorSurface for Candidates {
    type Point = ListPoint;

    fn features(&self) -> usize {
        Candidates::features(self)
    }

    fn spreads(&self) -> Vec<f64> {
        Candidates::spreads(self)
    }

    fn at(&self, weights: &[f64]) -> ListPoint {
        let mut scores = vec![0.0; self.total()];
        let mut rest = scores.as_mut_slice();
        for list in self.lists() {
            let (own, others) = rest.split_at_mut(list.len());
            list.add_scores(weights, own);
            rest = others;
        }
        ListPoint { scores, ..ListPoint::default() }
    }

    fn advance(&self, point: &mut ListPoint, direction: &[f64], step: f64) {
        let mut start = 0;
        for list in self.lists() {
            point.fill_slopes(list, direction);
            let scores = &mut point.scores[start..][..list.len()];
            scores.iter_mut().zip(&point.slopes).for_each(|(score, slope)| *score += step * slope);
            start += list.len();
        }
    }

    fn line(&self, point: &mut ListPoint, direction: &[f64], sweep: &mut Sweep) {
        let size = self.size();
        sweep.clear(size);
        let mut start = 0;
        for list in self.lists() {
            if list.is_empty() {
                sweep.begin(list.row(0, size));
                continue;
            }
            point.fill_slopes(list, direction);
            let scores = &point.scores[start..][..list.len()];
            point.hull.upper(scores, &point.slopes, &mut point.pieces);
            start += list.len();
            let row = |piece: &Piece| list.row(list.rows()[piece.line as usize], size);
            sweep.begin(row(&point.pieces[0]));
            for pair in point.pieces.windows(2) {
                sweep.change(pair[1].from, row(&pair[0]), row(&pair[1]));
            }
        }
    }

    fn sums(&self, weights: &[f64]) -> Vec<f64> {
        Candidates::sums(self, weights)
    }
}
