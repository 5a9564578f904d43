//! Lists of several systems as the decoder of a tuner whose weights choose among them: they are made once, as no weight that is
//! tuned changes them.

use super::lists::{List, check_lines, choices};
use crate::error::{Error, Result};
use rayon::prelude::*;
use treeglot_decode::combination::{Combination, Pooled};
use treeglot_tune::{Candidate, Decoder, FeatureSpace};

/// The translations of a development set by several systems, chosen among by weights that are tuned.
pub struct CombinationDecoder {
    start: Vec<f64>,
    space: FeatureSpace,
    found: Vec<Vec<Candidate>>,
}

impl CombinationDecoder {
    /// Works out what there is to know of the translations in the lists of each system, of lines of words. The combination has the weights
    /// to begin with.
    pub fn new(combination: &Combination, lines: &[String], lists: &[Vec<List>]) -> Result<Self> {
        check_lines(lists, lines.len())?;
        let of_line = |(number, line): (usize, &String)| -> Vec<Candidate> {
            let choices = choices(lists, number);
            let candidate = |Pooled { choice, features }| Candidate {
                text: choices[choice].text.to_string(),
                dense: features,
                ..Candidate::default()
            };
            combination.pool(line, &choices).into_iter().map(candidate).collect()
        };
        let found = lines.par_iter().enumerate().map(of_line).collect();
        let space = FeatureSpace::new(combination.features().clone());
        let start = combination.weights().iter().map(|&weight| f64::from(weight)).collect();
        Ok(Self { start, space, found })
    }

    /// The weights to begin with, by position.
    pub fn start(&self) -> Vec<f64> {
        self.start.clone()
    }
}

impl Decoder for CombinationDecoder {
    type Error = Error;

    fn space(&mut self) -> &mut FeatureSpace {
        &mut self.space
    }

    /// All translations, whatever the count: the best first, the others in the order of the lists.
    fn kbest(&mut self, weights: &[f64], _count: usize) -> Result<Vec<Vec<Candidate>>> {
        let mut lists = self.found.clone();
        for list in &mut lists {
            let score = |candidate: &Candidate| -> f64 {
                candidate.dense.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum()
            };
            let scores: Vec<f64> = list.iter().map(score).collect();
            let better = |best: usize, at: usize| if scores[at] > scores[best] + 1e-9 { at } else { best };
            let best = (0..list.len()).fold(0, better);
            list.get_mut(..=best).unwrap_or_default().rotate_right(1);
        }
        Ok(lists)
    }
}
