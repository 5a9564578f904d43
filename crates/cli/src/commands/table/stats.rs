//! `treeglot table stats`.

use crate::args::Json;
use crate::print::print;
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;
use treeglot_grammar::Table;
use treeglot_grammar::table::Stats;

/// The arguments of `treeglot table stats`.
#[derive(clap::Args)]
pub struct Args {
    /// The table
    table: PathBuf,

    #[command(flatten)]
    form: Json,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let table = Table::open(&self.table)?;
        let stats = Stats::new(&table)?;
        let text = if self.form.json { json(&table, &stats) } else { plain(&table, &stats) };
        print(|out| out.write_all(text.as_bytes()))
    }
}

fn json(table: &Table, stats: &Stats) -> String {
    let notes: serde_json::Map<_, _> =
        table.notes().iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let sections: serde_json::Map<_, _> =
        stats.sections.iter().map(|(name, bytes)| (name.clone(), (*bytes).into())).collect();
    let value = serde_json::json!({
        "model": table.model(),
        "scores": table.score_names(),
        "reordering": table.has_reordering(),
        "notes": notes,
        "rules": stats.rules,
        "rules_by_variables": stats.by_variables,
        "sources": stats.sources,
        "targets": stats.targets,
        "nodes": stats.nodes,
        "words": stats.words,
        "most_rules": stats.most_rules,
        "bytes": stats.bytes(),
        "sections": sections,
    });
    format!("{value}\n")
}

fn plain(table: &Table, stats: &Stats) -> String {
    let mut rows = vec![("model".to_string(), table.model().to_string())];
    rows.push(("scores".to_string(), table.score_names().join(" ")));
    rows.push(("reordering".to_string(), if table.has_reordering() { "yes" } else { "no" }.to_string()));
    rows.extend(table.notes().iter().cloned());
    rows.push(("rules".to_string(), stats.rules.to_string()));
    for (variables, rules) in stats.by_variables.iter().enumerate() {
        rows.push((format!("  with {variables} variables"), rules.to_string()));
    }
    rows.push(("source sides".to_string(), stats.sources.to_string()));
    rows.push(("target sides".to_string(), stats.targets.to_string()));
    rows.push(("most rules of a source side".to_string(), stats.most_rules.to_string()));
    rows.push(("trie nodes".to_string(), stats.nodes.to_string()));
    rows.push(("words and labels".to_string(), stats.words.to_string()));
    rows.push(("bytes".to_string(), stats.bytes().to_string()));
    for (section, bytes) in &stats.sections {
        rows.push((format!("  {section}"), bytes.to_string()));
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:<width$}  {value}").trim_end().to_string() + "\n")
        .collect()
}
