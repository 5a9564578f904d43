//! Tables from rules as text, for tests.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;
use treeglot_grammar::table::{Entry, TableBuilder, Targets};
use treeglot_grammar::{Batch, Decimal, Scratch, Symbol, Table, code, notation};
use treeglot_text::{Place, vocab::Vocab};

/// Writes a table of rules in Moses' notation: `source ||| target ||| scores ||| links`.
pub fn table<'a>(lines: impl Iterator<Item = &'a str>, path: &Path) -> Table {
    let mut vocab = Vocab::default();
    let mut batch = Batch::default();
    let mut scores: Vec<Vec<Decimal>> = Vec::new();
    for (number, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(" ||| ").collect();
        let rule = format!("{} ||| {} ||| {}", fields[0], fields[1], fields[3]);
        notation::Parser::default()
            .line(&rule, &Place::new("rules", number as u64 + 1), &mut vocab, &mut batch)
            .expect("tests write good rules");
        scores.push(
            fields[2]
                .split_whitespace()
                .map(|s| Decimal::new(s.parse().expect("tests write good rules")))
                .collect(),
        );
    }
    let mut by_source: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    let instances: Vec<_> = batch.instances().collect();
    for (at, instance) in instances.iter().enumerate() {
        by_source.entry(instance.source.iter().map(|&s| code::number(s)).collect()).or_default().push(at);
    }
    let scratch = Scratch::new(None);
    let mut targets = Targets::new(&scratch).expect("tests write good rules");
    let mut known: FxHashMap<Vec<Symbol>, u32> = FxHashMap::default();
    let names: Vec<String> = (0..scores.first().map_or(0, Vec::len)).map(|k| format!("p{k}")).collect();
    let mut builder =
        TableBuilder::new("hiero", &names, false, Vec::new(), &scratch).expect("tests write good rules");
    for rules in by_source.values() {
        let mut bytes = Vec::new();
        code::push_all(instances[rules[0]].source, &mut bytes);
        builder.source(&bytes, 1.0).expect("tests write good rules");
        for &at in rules {
            let target = instances[at].target;
            let number = *known.entry(target.to_vec()).or_insert_with(|| {
                let mut bytes = Vec::new();
                code::push_all(target, &mut bytes);
                targets.push(&bytes, 1.0).expect("tests write good rules")
            });
            let (links, scores) = (instances[at].links, &scores[at][..]);
            let entry = Entry { target: number, links, count: 1.0, scores, reordering: [Decimal::ZERO; 6] };
            builder.rule(entry).expect("tests write good rules");
        }
    }
    builder.finish(path, &vocab, targets).expect("tests write good rules");
    Table::open(path).expect("tests write good rules")
}
