//! Derivations spelt out, for tests: what rules written as text build of a forest of units, in every way.

use super::forest::UnitForest;
use std::collections::{BTreeMap, BTreeSet};
use treeglot_tree::WordIx;

/// Applies rules as text to a forest.
pub struct Speller<'a> {
    forest: &'a UnitForest,
    rules: &'a [String],
    known: BTreeMap<u32, BTreeSet<String>>,
}

impl<'a> Speller<'a> {
    /// For these rules, as `source -> target`.
    pub fn new(forest: &'a UnitForest, rules: &'a [String]) -> Self {
        Self { forest, rules, known: BTreeMap::new() }
    }

    /// Whether they build this target side.
    pub fn builds(&mut self, target: &str) -> bool {
        let tops: Vec<u32> = self.forest.top().iter().map(|edge| self.forest.tails(edge)[0].vertex).collect();
        tops.into_iter().any(|vertex| self.strings(vertex).contains(target))
    }

    fn strings(&mut self, vertex: u32) -> BTreeSet<String> {
        if let Some(known) = self.known.get(&vertex) {
            return known.clone();
        }
        let head = &self.forest.vertices()[vertex as usize];
        let mut parts: Vec<(WordIx, String)> =
            self.forest.words(head).iter().map(|&word| (word, format!("s{}", word.0))).collect();
        let mut all = BTreeSet::new();
        if self.forest.incoming(head).is_empty() {
            parts.sort();
            all.extend(self.targets(&parts));
        }
        for edge in self.forest.incoming(head) {
            let mut tails: Vec<(WordIx, String, u32)> = (self.forest.tails(edge).iter())
                .map(|tail| {
                    let sigma = self.forest.sigma(tail);
                    let names: Vec<String> = sigma.iter().map(|word| format!("s{}", word.0)).collect();
                    (sigma[0], names.join("_"), tail.vertex)
                })
                .collect();
            tails.sort();
            let variables =
                tails.iter().enumerate().map(|(k, (at, name, _))| (*at, format!("x{}:{name}", k + 1)));
            let mut source: Vec<(WordIx, String)> = parts.iter().cloned().chain(variables).collect();
            source.sort();
            for target in self.targets(&source) {
                all.extend(self.filled(&target, &tails));
            }
        }
        let short = all.into_iter().filter(|text| text.split(' ').count() <= 5).collect::<BTreeSet<_>>();
        self.known.insert(vertex, short.clone());
        short
    }

    fn targets(&self, source: &[(WordIx, String)]) -> Vec<String> {
        let source: Vec<&str> = source.iter().map(|(_, part)| part.as_str()).collect();
        let start = format!("{} -> ", source.join(" "));
        self.rules.iter().filter_map(|rule| rule.strip_prefix(&start)).map(str::to_string).collect()
    }

    fn filled(&mut self, target: &str, tails: &[(WordIx, String, u32)]) -> BTreeSet<String> {
        let mut texts: BTreeSet<Vec<String>> = [Vec::new()].into();
        for symbol in target.split(' ') {
            let number = symbol.strip_prefix('x').and_then(|number| number.parse::<usize>().ok());
            let choices = match number {
                Some(number) => self.strings(tails[number - 1].2),
                None => [symbol.to_string()].into(),
            };
            texts = texts
                .iter()
                .flat_map(|text| choices.iter().map(|more| [&text[..], std::slice::from_ref(more)].concat()))
                .collect();
        }
        texts.into_iter().map(|text| text.join(" ")).collect()
    }
}
