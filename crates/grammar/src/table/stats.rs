//! What a table holds, in numbers.

use super::Table;
use crate::error::Result;

/// Numbers of rules, sides and bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// All rules.
    pub rules: u64,
    /// Rules by their number of variables, from 0.
    pub by_variables: Vec<u64>,
    /// Distinct source sides.
    pub sources: u64,
    /// Distinct target sides.
    pub targets: u64,
    /// Nodes of the trie.
    pub nodes: u64,
    /// Words and labels.
    pub words: u64,
    /// The most rules of one source side.
    pub most_rules: u64,
    /// The sections of the file and their bytes.
    pub sections: Vec<(String, u64)>,
}

impl Stats {
    /// Counts the rules of a table.
    pub fn new(table: &Table) -> Result<Self> {
        let mut stats = Self {
            sources: table.source_len() as u64,
            targets: table.target_len() as u64,
            nodes: table.node_len() as u64,
            words: table.vocab().len() as u64,
            sections: table.sections(),
            ..Self::default()
        };
        table.walk(|rules| -> Result<()> {
            let variables = rules.source.iter().filter(|symbol| symbol.is_var()).count();
            let here = rules.ids().len() as u64;
            if stats.by_variables.len() <= variables {
                stats.by_variables.resize(variables + 1, 0);
            }
            stats.by_variables[variables] += here;
            stats.rules += here;
            stats.most_rules = stats.most_rules.max(here);
            Ok(())
        })?;
        Ok(stats)
    }

    /// The bytes of all sections.
    pub fn bytes(&self) -> u64 {
        self.sections.iter().map(|(_, bytes)| bytes).sum()
    }
}
