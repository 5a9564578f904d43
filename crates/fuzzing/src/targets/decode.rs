//! Readers of weights and n-best lists.

use crate::Outcome;
use std::path::Path;
use treeglot_decode::{FeatureSet, Weights};
use treeglot_tune::{FeatureSpace, read_nbest};

/// Weights that are read are numbers.
pub fn weights(path: &Path) -> Outcome {
    let weights = Weights::read(path)?;
    assert!(weights.iter().flat_map(|(_, values)| values).all(|value| value.is_finite()));
    Ok(())
}

pub fn nbest(path: &Path) -> Outcome {
    let mut features = FeatureSet::default();
    features.add("LM0", 1);
    features.add("TranslationModel0", 2);
    read_nbest(path, 2, &mut FeatureSpace::new(features), |lists| {
        let candidates = || lists.iter().flatten();
        assert!(candidates().flat_map(|candidate| &candidate.dense).all(|value| value.is_finite()));
        Ok(())
    })?;
    Ok(())
}
