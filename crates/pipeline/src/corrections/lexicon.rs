//! Word translations of a bundle: how its tables translate single words.

use rustc_hash::FxHashMap;
use treeglot_grammar::{Kind, Symbol, Table};

/// The word translations of tables.
pub(super) struct Lexicon {
    tables: Vec<Table>,
}

impl Lexicon {
    pub fn new(tables: Vec<Table>) -> Self {
        Self { tables }
    }

    /// How much each target word is a translation of a source word: the geometric mean of the probabilities of both directions, the
    /// highest of all tables.
    pub fn translations(&self, word: &str) -> FxHashMap<String, f32> {
        let mut found = FxHashMap::default();
        for table in &self.tables {
            let Some(word) = table.vocab().get(word) else { continue };
            let Some(node) = table.child(table.root(), Symbol::word(word)) else { continue };
            // Rules of charts have the label of what they build behind their source side.
            let label = table.vocab().get("X").and_then(|label| table.child(node, Symbol::label(label)));
            let places: Vec<usize> = (0..)
                .zip(table.score_names())
                .filter(|(_, name)| name.starts_with("p("))
                .map(|(at, _)| at)
                .collect();
            let (mut target, mut scores) = (Vec::new(), Vec::new());
            for node in [Some(node), label].into_iter().flatten() {
                for rule in table.rules(node) {
                    table.target(rule, node.variables(), &mut target);
                    table.scores(rule, &mut scores);
                    let mut words = target.iter().filter_map(|symbol| match symbol.kind() {
                        Kind::Word(word) => Some(word),
                        _ => None,
                    });
                    let (Some(only), None) = (words.next(), words.next()) else { continue };
                    let Some(text) = table.vocab().word(only) else { continue };
                    let sum: f32 = match places.is_empty() {
                        true => scores.first().copied().unwrap_or(0.0),
                        false => places.iter().map(|&at| scores[at]).sum::<f32>() / places.len() as f32,
                    };
                    let known: &mut f32 = found.entry(text.to_string()).or_default();
                    *known = known.max(sum.exp().min(1.0));
                }
            }
        }
        found
    }
}
