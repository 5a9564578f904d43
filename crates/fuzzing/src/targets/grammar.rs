//! Readers of the crate `grammar`.

use crate::{Failure, Outcome};
use std::path::Path;
use treeglot_grammar::table::{Dump, Import, dump, import};
use treeglot_grammar::{
    Counted, Counter, RuleId, ScoreInputs, ScoreSettings, Scratch, Symbol, Table, TrieNode, write_table,
};
use treeglot_text::{Input, Output};

const MEMORY: u64 = 1 << 20;
const PHRASES: &str = "das ||| the ||| 0.5 0.5\nhaus ||| house ||| 0.5 0.25\n";

/// The instances that tables are made of.
const INSTANCES: [&str; 3] = [
    include_str!("../../seeds/instances.phrase"),
    include_str!("../../seeds/instances.hiero"),
    include_str!("../../seeds/instances.str2dep"),
];

fn counter(scratch: &Scratch) -> Counter {
    Counter::new(MEMORY, scratch)
}

fn score(counted: Counted, scratch: &Scratch, path: &Path) -> Outcome {
    let inputs = ScoreInputs { memory: MEMORY, ..ScoreInputs::default() };
    write_table(counted, &ScoreSettings::default(), &inputs, scratch, path)?;
    Ok(())
}

/// Counts and scores instances.
pub fn instances(path: &Path) -> Outcome {
    let scratch = Scratch::new(path.parent());
    let mut counter = counter(&scratch);
    counter.add_text(Input::open(path)?, 1.0)?;
    score(counter.finish()?, &scratch, &path.with_extension("scored"))
}

pub fn moses_table(path: &Path) -> Outcome {
    import_table(Input::open(path)?, None, path)
}

/// Read beside a table of phrases.
pub fn reordering_table(path: &Path) -> Outcome {
    let phrases = path.with_file_name("damaged-phrases");
    std::fs::write(&phrases, PHRASES)?;
    import_table(Input::open(phrases)?, Some(Input::open(path)?), path)
}

fn import_table(rules: Input, reordering: Option<Input>, path: &Path) -> Outcome {
    let options = Import { model: String::new(), memory: MEMORY };
    import(rules, reordering, &options, &Scratch::new(path.parent()), &path.with_extension("imported"))?;
    Ok(())
}

/// Looks every rule of a damaged table up, and writes it out.
pub fn table(path: &Path) -> Outcome {
    let table = Table::open(path)?;
    let (mut open, mut seen) = (vec![table.root()], 0);
    while let Some(node) = open.pop().filter(|_| seen < 5000) {
        seen += 1;
        look_at(&table, node);
        open.extend(table.children(node).map(|(_, child)| child));
    }
    let word = table.vocab().get("die").map(Symbol::word);
    let _ = word.and_then(|word| table.child(table.root(), word));
    let mut out = Output::create(path.with_extension("dumped"))?;
    dump(&table, Dump::Rules, MEMORY, &Scratch::new(path.parent()), &mut out)?;
    out.finish()?;
    table.verify()?;
    Ok(())
}

fn look_at(table: &Table, node: TrieNode) {
    let (mut target, mut links, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    let rules: Vec<RuleId> = table.rules(node).take(1000).collect();
    for rule in rules {
        table.target(rule, 8, &mut target);
        table.links(rule, &mut links);
        table.scores(rule, &mut scores);
        let _ = (table.counts(rule), table.reordering(rule));
    }
}

pub fn make_tables(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let mut made = Vec::new();
    for instances in INSTANCES {
        let (text, path) = (folder.join("instances"), folder.join("table"));
        std::fs::write(&text, instances)?;
        let scratch = Scratch::new(Some(folder));
        let mut counter = counter(&scratch);
        counter.add_text(Input::open(&text)?, 1.0)?;
        score(counter.finish()?, &scratch, &path)?;
        made.push(std::fs::read(path)?);
    }
    Ok(made)
}

pub fn counts(path: &Path) -> Outcome {
    let scratch = Scratch::new(path.parent());
    let mut counter = counter(&scratch);
    counter.add_counts(path, 1.0)?;
    score(counter.finish()?, &scratch, &path.with_extension("scored"))
}

pub fn make_counts(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let mut made = Vec::new();
    for instances in INSTANCES {
        let (text, path) = (folder.join("instances"), folder.join("counts"));
        std::fs::write(&text, instances)?;
        let scratch = Scratch::new(Some(folder));
        let mut counter = counter(&scratch);
        counter.add_text(Input::open(&text)?, 1.0)?;
        counter.finish()?.write(&path)?;
        made.push(std::fs::read(path)?);
    }
    Ok(made)
}
