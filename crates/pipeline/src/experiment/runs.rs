//! Several tuning runs of the same systems: the mean of their scores, and how far they lie apart (Clark et al. 2011).

use super::{Planned, test_files};
use crate::check::default_tokenizer;
use crate::error::Result;
use crate::evaluate::evaluate;
use crate::plan::StageId;
use crate::recipe::Recipe;
use crate::report::{Cell, Table};
use crate::run::Outputs;
use crate::train::Direction;
use std::path::PathBuf;
use treeglot_metrics::{EvalSettings, Paired};

/// The scores of all systems that were tuned several times; none where no system was.
pub(super) fn table(
    recipe: &Recipe,
    direction: Direction,
    systems: &[Planned<'_>],
    links: &[Option<PathBuf>],
    outputs: &Outputs,
) -> Result<Option<Table>> {
    let runs = systems.iter().map(|planned| planned.tests.len()).max().unwrap_or(0);
    if runs < 2 {
        return Ok(None);
    }
    // No test is made between runs.
    let eval = EvalSettings { paired: Paired::None, ..recipe.eval.clone() };
    let mut columns = vec!["system".to_string(), "dev".to_string()];
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (number, planned) in systems.iter().enumerate() {
        let dev: Option<Vec<f64>> =
            planned.dev(outputs).into_iter().map(|score| score?.parse().ok()).collect();
        let dev = dev.filter(|dev| !dev.is_empty()).map_or("-".to_string(), |dev| mean_and_spread(&dev));
        rows.push(vec![Cell::new(&recipe.systems[planned.number].name), Cell::new(dev)]);
        for (k, test) in recipe.data.test.iter().enumerate() {
            let stages: Vec<StageId> = planned.tests.iter().map(|tests| tests[k]).collect();
            let files = test_files(test, direction, &stages, links[k].as_ref(), outputs);
            let scores = evaluate(&files, &eval, default_tokenizer(recipe, direction.to()))?;
            for (m, metric) in scores.metrics.iter().enumerate() {
                let of_runs: Vec<f64> = scores.systems.iter().map(|values| values[m].score).collect();
                rows[number].push(Cell::new(mean_and_spread(&of_runs)));
                if number == 0 {
                    columns.push(format!("{} {metric}", test.name));
                }
            }
        }
    }
    let caption = format!("{runs} tuning runs");
    let note = "Means, and the lowest and highest score. The first run is the one in the other tables.";
    Ok(Some(Table { caption, columns, rows, note: note.to_string() }))
}

/// A mean, with the range it is the mean of.
fn mean_and_spread(scores: &[f64]) -> String {
    let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
    let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match scores.len() {
        0 | 1 => format!("{mean:.2}"),
        _ => format!("{mean:.2} ({lowest:.2}-{highest:.2})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_stands_with_the_range_of_its_runs() {
        assert_eq!(mean_and_spread(&[41.52, 41.43, 41.35]), "41.43 (41.35-41.52)");
        assert_eq!(mean_and_spread(&[40.0]), "40.00");
    }
}
