//! Tuning on real n-best lists of 200 sentences raises BLEU.

use crate::common::metrics;
use std::path::Path;
use treeglot_decode::{FeatureSet, Weights};
use treeglot_tune::{Candidates, DevSet, Method, Objective, Space, read_nbest};

/// The weights that Moses' training begins tuning with.
fn untuned() -> Weights {
    let mut features = FeatureSet::default();
    features.add("LM0", 1);
    features.add("WordPenalty0", 1);
    features.add("PhrasePenalty0", 1);
    features.add("TranslationModel0", 4);
    features.add("TranslationModel1", 1);
    Weights::of(&features, &[0.5, -1.0, 0.2, 0.2, 0.2, 0.2, 0.2, 1.0])
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn each_method_raises_bleu_on_lists_of_a_hierarchical_system() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("moses");
    let dev = DevSet::read(&[folder.join("reference.en")], None).unwrap();
    let (metric, smoothed) = metrics("bleu");
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let (mut space, start) = Space::of_weights(&untuned());
    let mut candidates = Candidates::new(&space, &objective);
    read_nbest(&folder.join("hiero/nbest20.gz"), dev.len(), &mut space, |lists| {
        candidates.add(lists, &objective)?;
        Ok(())
    })
    .unwrap();
    assert_eq!(candidates.total(), 824);
    let before = objective.score(&candidates.sums(&start));
    let after = |name: &str| {
        let mut method = Method::by_name(name).unwrap();
        if let Method::Pro(pro) = &mut method {
            pro.interpolation = 1.0;
        }
        method.optimise(&candidates, &objective, &start, &[]).unwrap().score
    };
    for (name, gain) in [("mert", 1.0), ("mira", 0.3), ("pro", 0.1)] {
        let after = after(name);
        println!("{name}: {before:.2} to {after:.2}");
        assert!(after > before + gain, "{name}: {before} to {after}");
    }
    assert!(after("mert") > 41.5, "what Moses' mert reaches from its own start");
}
