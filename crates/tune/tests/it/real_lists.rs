//! Tuning on real n-best lists of 200 sentences raises BLEU.

use crate::common::metrics;
use std::path::Path;
use treeglot_decode::{FeatureSet, Weights};
use treeglot_tune::{Candidates, DevSet, FeatureSpace, Method, Objective, TuneSettings, read_nbest};

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
    let (mut space, start) = FeatureSpace::of_weights(&untuned());
    let mut candidates = Candidates::new(&space, &objective);
    read_nbest(&folder.join("hiero/nbest20.gz"), dev.len(), &mut space, |lists| {
        candidates.add(lists, &objective)?;
        Ok(())
    })
    .unwrap();
    assert_eq!(candidates.total(), 824);
    let before = objective.score(&candidates.sums(&start));
    let after = |method: Method| {
        let settings = TuneSettings { method, ..TuneSettings::default() };
        settings.optimise(&candidates, &objective, &start).unwrap().score
    };
    let gains = [(Method::Mert, 1.0), (Method::Mira, 0.3), (Method::Pro, 0.1), (Method::Risk, 0.1)];
    for (method, gain) in gains {
        let (name, after) = (method.name(), after(method));
        println!("{name}: {before:.2} to {after:.2}");
        assert!(after > before + gain, "{name}: {before} to {after}");
    }
    assert!(after(Method::Mert) > 41.5, "what Moses' mert reaches from its own start");
}
