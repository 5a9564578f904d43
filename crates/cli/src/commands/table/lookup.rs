//! `treeglot table lookup`.

use crate::args::Json;
use crate::print::print;
use anyhow::{Result, bail};
use std::io::Write;
use std::path::PathBuf;
use treeglot_grammar::table::text;
use treeglot_grammar::{Kind, RuleId, Symbol, Table, TrieNode, heads, notation};

const HELP: &str = "\
A source side is words and variables as in `treeglot table dump`, without the label at the end: `[X]` or `[X][X]` is a \
variable with the label X.

Examples:
  treeglot table lookup phrases.table \"ein mann\"
  treeglot table lookup rules.table \"[X] gegen [X]\" --limit 5";

/// The arguments of `treeglot table lookup`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The table
    table: PathBuf,

    /// The source side
    source: String,

    /// Print at most this many rules a label
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    #[command(flatten)]
    form: Json,
}

/// A rule as it is printed.
struct Found {
    target: String,
    label: Option<String>,
    scores: Vec<f64>,
    count: f32,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let table = Table::open(&self.table)?;
        let Some(node) = find(&table, &self.source) else {
            bail!("{}: no rule begins with `{}`", self.table.display(), self.source);
        };
        let mut found: Vec<Found> = table
            .rules(node)
            .take(self.limit)
            .map(|rule| describe(&table, &self.source, None, (node, rule)))
            .collect();
        for (symbol, child) in table.children(node) {
            if let Kind::Label(_) = symbol.kind() {
                let label = Some(text(&table, symbol));
                let rules = table.rules(child).take(self.limit);
                found.extend(rules.map(|rule| describe(&table, &self.source, label, (child, rule))));
            }
        }
        if found.is_empty() {
            bail!("{}: no rule has just the source side `{}`", self.table.display(), self.source);
        }
        let text = if self.form.json { json(&table, &found) } else { plain(&table, &found) };
        print(|out| out.write_all(text.as_bytes()))
    }
}

fn find(table: &Table, source: &str) -> Option<TrieNode> {
    source.split_whitespace().try_fold(table.root(), |node, token| {
        let symbol = match label(token) {
            Some(label) => Symbol::var(table.vocab().get(label)?),
            None => Symbol::word(table.vocab().get(&notation::unescape(token))?),
        };
        table.child(node, symbol)
    })
}

/// The label of a variable, the last of two.
fn label(token: &str) -> Option<&str> {
    let inner = token.strip_prefix('[')?.strip_suffix(']').filter(|inner| !inner.is_empty())?;
    Some(inner.rsplit_once("][").map_or(inner, |(_, label)| label))
}

fn describe(table: &Table, source: &str, label: Option<&str>, (node, rule): (TrieNode, RuleId)) -> Found {
    let mut symbols = Vec::new();
    table.target(rule, node.variables(), &mut symbols);
    let variables: Vec<&str> =
        source.split_whitespace().filter(|token| self::label(token).is_some()).collect();
    let (side, structure) = heads::split(&symbols);
    let words = side.iter().map(|symbol| match symbol.kind() {
        Kind::Ref(k) => {
            let name = variables.get(usize::from(k)).and_then(|token| self::label(token)).unwrap_or_default();
            format!("[{name},{}]", k + 1)
        }
        _ => text(table, *symbol).to_string(),
    });
    let mut target: Vec<String> = words.collect();
    target.extend(structure.map(|structure| {
        let mut text = Vec::new();
        heads::write(structure, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }));
    let scores = (0..table.score_names().len()).map(|k| table.probability(rule, k).value()).collect();
    let count = table.counts(rule).joint;
    Found { target: target.join(" "), label: label.map(str::to_string), scores, count }
}

fn json(table: &Table, found: &[Found]) -> String {
    let line = |rule: &Found| {
        let scores: serde_json::Map<_, _> =
            table.score_names().iter().cloned().zip(rule.scores.iter().map(|&score| score.into())).collect();
        let value = serde_json::json!({
            "target": rule.target, "label": rule.label, "count": rule.count, "scores": scores,
        });
        format!("{value}\n")
    };
    found.iter().map(line).collect()
}

fn plain(table: &Table, found: &[Found]) -> String {
    let mut text = String::new();
    for name in table.score_names() {
        text.push_str(&format!("{name:>10}"));
    }
    text.push_str(&format!("{:>9}  target\n", "count"));
    for rule in found {
        for score in &rule.scores {
            text.push_str(&format!("{:>10}", score_text(*score)));
        }
        let label = rule.label.as_ref().map_or(String::new(), |label| format!(" -> [{label}]"));
        text.push_str(&format!("{:>9}  {}{label}\n", rule.count, rule.target));
    }
    text
}

fn score_text(score: f64) -> String {
    if score >= 0.0001 || score == 0.0 { format!("{score:.4}") } else { format!("{score:.1e}") }
}
