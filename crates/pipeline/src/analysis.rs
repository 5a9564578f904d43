//! What an experiment says of trees and rules beside scores: how far parsers agree (Wu et al. 2012, table 2), how many rules of
//! each kind systems have (table 3 there, table 1 of Meng et al. 2013), and how often phrasal rules are used (table 2 of
//! Meng et al.).

use crate::error::Result;
use crate::experiment::SystemResult;
use crate::recipe::Recipe;
use crate::report::{Cell, Table};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use treeglot_decode::{ExplainedRule, Explanation};
use treeglot_grammar::table::Stats;
use treeglot_grammar::{Symbol, Table as RuleTable};
use treeglot_models::Model;
use treeglot_text::Side;
use treeglot_tree::compare::{Agreement, InStep, Match};
use treeglot_tree::format::{Format, ReadTrees};
use treeglot_tree::{DepParse, TreeKind};

/// A table as text and in reports.
fn table(caption: &str, columns: &[&str], rows: Vec<Vec<String>>, note: &str) -> Table {
    Table {
        caption: caption.to_string(),
        columns: columns.iter().map(|name| name.to_string()).collect(),
        rows: rows.into_iter().map(|row| row.into_iter().map(Cell::new).collect()).collect(),
        note: note.to_string(),
    }
}

/// The share of a whole, in hundredths.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_string() } else { format!("{:.1}%", 100.0 * part as f64 / whole as f64) }
}

/// Files of dependency trees of the training text, by the names of their parsers.
pub type NamedTrees = Vec<(String, PathBuf)>;

/// How far the parsers of the training text agree, for each side with dependency trees of several: those that systems were trained with
/// if parsers of the recipe made some of them (`used`), else the files of the recipe.
pub fn agreement(recipe: &Recipe, used: [Option<NamedTrees>; 2]) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for (side, used) in Side::BOTH.into_iter().zip(used) {
        let files = recipe.data.train.trees()[(side, TreeKind::Dependency)].iter();
        let files = || files.map(|(name, file)| (name.to_string(), file.clone())).collect();
        let trees: NamedTrees = used.unwrap_or_else(files);
        if trees.len() > 1 {
            tables.push(agreement_of(&trees, recipe.language(side))?);
        }
    }
    Ok(tables)
}

fn agreement_of(trees: &[(String, PathBuf)], language: &str) -> Result<Table> {
    let mut files: Vec<(Arc<str>, Box<dyn ReadTrees<Tree = DepParse>>)> = Vec::new();
    for (_, file) in trees {
        let name = file.to_string_lossy();
        let format = Format::of_trees(file, TreeKind::Dependency);
        files.push((name.as_ref().into(), format.open_dependencies(file)?));
    }
    let names: Vec<String> = trees.iter().map(|(name, _)| name.clone()).collect();
    let mut agreement = Agreement::new(names.clone());
    let mut in_step = InStep::new(files, Match::Length);
    while let Some(parses) = in_step.next_sentences()? {
        agreement.add(&parses);
    }
    let mut rows = Vec::new();
    for a in 0..names.len() {
        for b in a + 1..names.len() {
            let Some(pair) = agreement.pair(a, b) else { continue };
            rows.push(vec![
                format!("{} / {}", names[a], names[b]),
                percent(pair.equal_roots, pair.sentences),
                percent(pair.equal_heads, pair.words),
            ]);
        }
    }
    let illegal: Vec<String> =
        names.iter().zip(&agreement.illegal).map(|(name, count)| format!("{name} {count}")).collect();
    let note = format!("Illegal trees: {}.", illegal.join(", "));
    let caption = format!("Agreement of parsers ({language}, training text)");
    Ok(table(&caption, &["parsers", "equal roots", "equal heads"], rows, &note))
}

/// The rules of each system by kind.
pub fn rules(systems: &[SystemResult]) -> Result<Table> {
    let mut rows = Vec::new();
    for system in systems {
        let Some(trained) = &system.trained else { continue };
        let (tables, model) = (trained.components.tables()?, trained.components.model()?);
        let Some((own, beside)) = tables.split_first() else { continue };
        let stats = Stats::new(own)?;
        let flat = stats.by_variables.first().copied().unwrap_or(0);
        rows.push(vec![
            system.name.clone(),
            stats.rules.to_string(),
            flat.to_string(),
            (stats.rules - flat).to_string(),
            phrasal(own, &*model)?.to_string(),
            beside.iter().map(|table| table.len() as u64).sum::<u64>().to_string(),
        ]);
    }
    let columns =
        ["system", "rules", "without variables", "with variables", "phrasal", "in tables beside its own"];
    Ok(table("Rules", &columns, rows, ""))
}

/// How many rules have a phrasal node.
fn phrasal(table: &RuleTable, model: &dyn Model) -> Result<u64> {
    let mut count = 0;
    table.walk(|rules| -> Result<()> {
        let named = |symbol: &Symbol| table.vocab().word(symbol.vocab()?);
        let is_phrasal = |symbol: &Symbol| named(symbol).is_some_and(|name| model.is_phrasal(name));
        if rules.source.iter().any(is_phrasal) {
            count += rules.ids().len() as u64;
        }
        Ok(())
    })?;
    Ok(count)
}

/// How rules are used in translations: those with variables (table 2 of Graham 2013), and those of phrasal nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Translations.
    pub translations: u64,
    /// Rules of any table with variables; the glue grammar's steps are none.
    pub with_variables: u64,
    /// Translations with a phrasal rule.
    pub with_phrasal: u64,
    /// Rules with variables or words of a head, of the model's own table.
    pub rules: u64,
    /// Those of them with a phrasal node.
    pub phrasal: u64,
}

impl Usage {
    /// Counts the rules of a translation. A rule is phrasal if one that fills a variable of it builds a phrasal node.
    pub fn add(&mut self, explanation: &Explanation, model: &dyn Model) {
        let rules = &explanation.rules;
        let mut phrasal = vec![false; rules.len()];
        let builds_phrasal = |rule: &&ExplainedRule| rule.label.as_ref().is_some_and(|l| model.is_phrasal(l));
        for rule in rules.iter().filter(builds_phrasal) {
            if let Some([above, _]) = rule.fills {
                phrasal[above as usize] = true;
            }
        }
        let own = |k: &usize| rules[*k].number.is_some_and(|[table, _]| table == 0);
        let used: Vec<usize> = (0..rules.len()).filter(own).collect();
        let of_phrasal = used.iter().filter(|&&k| phrasal[k]).count() as u64;
        let mut filled = vec![false; rules.len()];
        rules.iter().filter_map(|rule| rule.fills).for_each(|[above, _]| filled[above as usize] = true);
        let with_variables =
            rules.iter().zip(filled).filter(|(rule, filled)| *filled && rule.number.is_some());
        self.translations += 1;
        self.with_variables += with_variables.count() as u64;
        self.with_phrasal += u64::from(of_phrasal > 0);
        self.rules += used.len() as u64;
        self.phrasal += of_phrasal;
    }

    /// Adds those of other translations.
    pub fn merge(&mut self, other: Self) {
        self.translations += other.translations;
        self.with_variables += other.with_variables;
        self.with_phrasal += other.with_phrasal;
        self.rules += other.rules;
        self.phrasal += other.phrasal;
    }

    /// How many rules with variables a translation has on average.
    pub fn variables_a_translation(&self) -> f64 {
        self.with_variables as f64 / self.translations.max(1) as f64
    }

    /// The two shares of the paper's table 2.
    pub fn shares(&self) -> [String; 2] {
        [percent(self.with_phrasal, self.translations), percent(self.phrasal, self.rules)]
    }
}

/// How often systems use phrasal rules, from what translation noted: the shares by system and test set.
pub fn usage(rows: Vec<Vec<String>>) -> Option<Table> {
    let columns = ["system", "test set", "translations with phrasal rules", "phrasal among rules used"];
    (!rows.is_empty()).then(|| table("Use of phrasal rules", &columns, rows, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_models::registry;

    fn rule(table: u32, label: &str, fills: Option<[u32; 2]>) -> ExplainedRule {
        ExplainedRule {
            kind: "rule",
            number: Some([table, 0]),
            label: Some(label.to_string()),
            source: String::new(),
            target: String::new(),
            span: [0, 1],
            fills,
            score: 0.0,
            features: vec![],
        }
    }

    #[test]
    fn a_rule_over_a_phrasal_node_is_phrasal() {
        let mut usage = Usage::default();
        let rules =
            vec![rule(0, "VV", None), rule(1, "NP|||JJ_NN", Some([0, 0])), rule(0, "AD", Some([0, 1]))];
        let model = registry::find("consdep2str").unwrap().from_value(serde_json::json!({})).unwrap();
        usage.add(&Explanation { source: vec![], words: vec![], rules }, &*model);
        let plain = Explanation { source: vec![], words: vec![], rules: vec![rule(0, "VV", None)] };
        usage.add(&plain, &*model);
        assert_eq!(
            usage,
            Usage { translations: 2, with_variables: 1, with_phrasal: 1, rules: 3, phrasal: 1 }
        );
        assert_eq!(usage.shares(), ["50.0%", "33.3%"]);
    }
}
