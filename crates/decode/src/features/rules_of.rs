//! `RulesOf0`, `RulesOf1`, ...: how many rules of each table are used. Where several models build one forest, their weights say which
//! of them is to be preferred. The last table has none: the others are preferred to it or not.

use super::{Extra, Feature, RuleView, Shape};
use crate::derivation::Applied;

struct RulesOf {
    table: u32,
}

fn name(table: u32) -> String {
    format!("RulesOf{table}")
}

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    let asked_for = shape.extra.contains(&Extra::RulesOf);
    let tables = 0..(shape.tables.len() as u32).saturating_sub(1);
    tables
        .filter(|&table| asked_for || shape.names(&name(table), false))
        .map(|table| Box::new(RulesOf { table }) as Box<dyn Feature>)
        .collect()
}

impl Feature for RulesOf {
    fn name(&self) -> String {
        name(self.table)
    }

    fn start(&self) -> Vec<f32> {
        vec![0.0]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(self.start())
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        match rule.applied {
            Applied::Rule { table, .. } if table == self.table => 1.0,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_its_own_table_are_counted() {
        let view = |applied| RuleView { applied, source: &[], target: &[], links: &[], parse: 0.0 };
        let second = RulesOf { table: 1 };
        assert_eq!(second.value(&view(Applied::Rule { table: 1, rule: 7 })), 1.0);
        assert_eq!(second.value(&view(Applied::Rule { table: 0, rule: 7 })), 0.0);
        assert_eq!(second.value(&view(Applied::Glue)), 0.0);
    }
}
