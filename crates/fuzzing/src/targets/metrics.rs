//! Readers of METEOR's resources.

use crate::Outcome;
use std::path::{Path, PathBuf};
use treeglot_metrics::meteor::Options;
use treeglot_metrics::{Hypothesis, References, build};

pub fn synonyms(path: &Path) -> Outcome {
    score(|options, path| options.synonyms = Some(path), path)
}

pub fn paraphrases(path: &Path) -> Outcome {
    score(|options, path| options.paraphrases = Some(path), path)
}

/// Scores a sentence with what the file tells.
fn score(use_file: fn(&mut Options, PathBuf), path: &Path) -> Outcome {
    let mut options = treeglot_metrics::Options::default();
    use_file(&mut options.meteor, path.to_path_buf());
    let metric = build("meteor", &options)?;
    let mut sums = vec![0.0; metric.size()];
    let references = ["the red building"];
    metric
        .prepare(&References::new(&references))
        .add_statistics(&Hypothesis::new("the scarlet houses"), &mut sums);
    let _ = metric.score(&sums);
    Ok(())
}
