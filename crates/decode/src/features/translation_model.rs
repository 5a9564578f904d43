//! `TranslationModel0`, `TranslationModel1`, ...: the scores that each table gives its rules, as logarithms.

use super::{Feature, Shape};

struct Scores {
    table: usize,
    start: Vec<f32>,
}

/// The name of a table's scores.
pub(super) fn name(table: usize) -> String {
    format!("TranslationModel{table}")
}

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    // A score that tells where a rule comes from is none of its quality: it begins with no weight.
    let first = |score: &String| if score.starts_with("from(") { 0.0 } else { 0.2 };
    let scores =
        |(table, names): (usize, &&[String])| Scores { table, start: names.iter().map(first).collect() };
    shape.tables.iter().enumerate().map(scores).map(|scores| Box::new(scores) as Box<dyn Feature>).collect()
}

impl Feature for Scores {
    fn name(&self) -> String {
        name(self.table)
    }

    fn width(&self) -> usize {
        self.start.len()
    }

    fn of_rules(&self) -> bool {
        false
    }

    fn start(&self) -> Vec<f32> {
        self.start.clone()
    }
}
