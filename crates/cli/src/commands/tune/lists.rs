//! `treeglot tune --nbest-list`: weights from lists that any decoder wrote.

use super::{Args, write_weights};
use crate::args::count;
use anyhow::Result;
use std::path::{Path, PathBuf};
use treeglot_decode::{FeatureSet, NbestLine, Weights};
use treeglot_text::Lines;
use treeglot_tune::{Candidates, DevSet, FeatureSpace, Objective, read_nbest};

/// The arguments for tuning without a decoder.
#[derive(clap::Args)]
pub struct ListArgs {
    /// Candidates of the development set, in Moses' n-best format; several files are taken together
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "dev_src"])]
    nbest_list: Vec<PathBuf>,

    /// The weights to begin with, one line a feature, as `LM0= 0.5` [default: those of the bundle; with --nbest-list the
    /// same for all features]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

impl ListArgs {
    /// Whether lists are to be tuned on, not a bundle.
    pub fn given(&self) -> bool {
        !self.nbest_list.is_empty()
    }
}

/// Tunes on lists.
pub fn run(args: &Args) -> Result<()> {
    let lists = &args.lists;
    let dev = DevSet::read(&args.dev_ref, args.dev_links.as_deref())?;
    let [metric, smoothed] = args.metrics(&dev)?;
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let (mut space, start) = match &lists.weights {
        Some(path) => FeatureSpace::of_weights(&Weights::read(path)?),
        None => equal_weights(&lists.nbest_list)?,
    };
    let mut candidates = Candidates::new(&space, &objective);
    for path in &lists.nbest_list {
        read_nbest(path, dev.len(), &mut space, |lists| {
            candidates.add(lists, &objective)?;
            Ok(())
        })?;
    }
    let total = count(candidates.total(), "candidate");
    args.notes.note(&format!("{total} for {}", count(dev.len(), "sentence")));
    let before = objective.score(&candidates.sums(&start));
    let tuned = args.tune.optimise(&candidates, &objective, &start)?;
    let (name, after) = (objective.name(), tuned.score);
    args.notes.note(&format!("{name} of the best candidates: {before:.2} before, {after:.2} after"));
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    write_weights(&space.named(&tuned.weights), output)
}

/// The features of the first candidate, all with the same weight.
fn equal_weights(lists: &[PathBuf]) -> Result<(FeatureSpace, Vec<f64>)> {
    let mut features = FeatureSet::default();
    if let Some(path) = lists.first() {
        let mut lines = Lines::open(path)?;
        let place = treeglot_text::Place::new(lines.name().clone(), 1);
        if let Some(line) = lines.next_line()? {
            for (name, values) in NbestLine::parse(line, &place)?.features {
                features.add(name, values.len());
            }
        }
    }
    let start = vec![1.0 / features.len().max(1) as f64; features.len()];
    Ok((FeatureSpace::new(features), start))
}
