//! The features that are tuned: dense ones, named in Moses' notation with a fixed number of values each, and sparse ones
//! that appear as candidates have them.

use crate::candidates::Candidate;
use rustc_hash::FxHashMap;
use treeglot_decode::{FeatureSet, Weights};

/// The names of all features, and their places in a vector of weights: dense ones first.
#[derive(Debug, Clone, Default)]
pub struct FeatureSpace {
    dense: FeatureSet,
    sparse: Vec<String>,
    index: FxHashMap<String, u32>,
}

impl FeatureSpace {
    /// A space of dense features.
    pub fn new(dense: FeatureSet) -> Self {
        Self { dense, ..Self::default() }
    }

    /// The features of a file of weights, with the weights.
    pub fn of_weights(weights: &Weights) -> (Self, Vec<f64>) {
        let mut dense = FeatureSet::default();
        let mut start = Vec::new();
        for (name, _) in weights.iter() {
            if dense.find(name).is_none() {
                let values = weights.get(name).unwrap_or_default();
                dense.add(name, values.len());
                start.extend(values.iter().map(|&value| f64::from(value)));
            }
        }
        (Self::new(dense), start)
    }

    /// The dense features.
    pub fn dense(&self) -> &FeatureSet {
        &self.dense
    }

    /// The places whose weights are not tuned: what a copied word costs is a matter of taste, and lists say nothing on it.
    pub fn fixed(&self) -> Vec<usize> {
        let unknown = |(name, _): &(&str, _)| name.starts_with("UnknownWordPenalty");
        self.dense.iter().filter(unknown).flat_map(|(_, range)| range).collect()
    }

    /// The place of a sparse feature, new if the feature is.
    pub fn sparse(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.index.get(name) {
            return place;
        }
        let place = (self.dense.len() + self.sparse.len()) as u32;
        self.sparse.push(name.to_string());
        self.index.insert(name.to_string(), place);
        place
    }

    /// The names of the sparse features, in the order of their places.
    pub fn sparse_names(&self) -> &[String] {
        &self.sparse
    }

    /// The name of a sparse feature.
    pub fn sparse_name(&self, place: u32) -> Option<&str> {
        let place = (place as usize).checked_sub(self.dense.len())?;
        self.sparse.get(place).map(String::as_str)
    }

    /// The weights with their names; sparse ones of 0 are left out.
    pub fn named(&self, weights: &[f64]) -> Weights {
        let mut features = self.dense.clone();
        let mut values: Vec<f32> = weights.iter().take(features.len()).map(|&w| w as f32).collect();
        values.resize(features.len(), 0.0);
        for (name, &weight) in self.sparse.iter().zip(weights.iter().skip(self.dense.len())) {
            if weight != 0.0 {
                features.add(name, 1);
                values.push(weight as f32);
            }
        }
        Weights::of(&features, &values)
    }

    /// The vectors of a candidate with these named values. Features it does not name are 0; the error says what does
    /// not fit.
    pub fn candidate(&mut self, text: &str, features: &[(String, Vec<f32>)]) -> Result<Candidate, String> {
        let mut dense = vec![0.0; self.dense.len()];
        let mut sparse = Vec::new();
        for (name, values) in features {
            if let Some(range) = self.dense.find(name) {
                if range.len() != values.len() {
                    let (found, wanted) = (values.len(), range.len());
                    return Err(format!("`{name}` has {found} values, but {wanted} weights"));
                }
                dense[range].copy_from_slice(values);
                continue;
            }
            let &[value] = values.as_slice() else {
                return Err(format!("`{name}` has no weights: only features of one value may lack them"));
            };
            if value != 0.0 {
                sparse.push((self.sparse(name), value));
            }
        }
        sparse.sort_unstable_by_key(|&(feature, _)| feature);
        Ok(Candidate { text: text.to_string(), dense, sparse, links: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_their_places_and_sparse_ones_get_new_places() {
        let mut dense = FeatureSet::default();
        dense.add("LM0", 1);
        dense.add("TM0", 2);
        let mut space = FeatureSpace::new(dense);
        let named = |name: &str, values: &[f32]| (name.to_string(), values.to_vec());
        let features = [named("dl_2", &[1.5]), named("TM0", &[-1.0, -2.0]), named("wt_a", &[0.0])];
        let candidate = space.candidate("a", &features).unwrap();
        assert_eq!(candidate.dense, [0.0, -1.0, -2.0]);
        assert_eq!(candidate.sparse, [(3, 1.5)]);
        assert_eq!(space.sparse_name(3), Some("dl_2"));
        let error = space.candidate("a", &[named("TM0", &[1.0])]).unwrap_err();
        assert_eq!(error, "`TM0` has 1 values, but 2 weights");
        let error = space.candidate("a", &[named("TM1", &[1.0, 2.0])]).unwrap_err();
        assert!(error.starts_with("`TM1` has no weights"), "{error}");
        let weights = space.named(&[0.5, 0.25, 0.125, -1.0]);
        let lines: Vec<(&str, &[f32])> = weights.iter().collect();
        assert_eq!(lines, [("LM0", &[0.5][..]), ("TM0", &[0.25, 0.125]), ("dl_2", &[-1.0])]);
    }
}
