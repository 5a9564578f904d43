//! Compares parses with a gold standard by the definition of the CoNLL 2018 shared task:
//! `cargo run -p treeglot-parse --example evaluate -- GOLD.conllu SYSTEM.conllu`

use treeglot_parse::{Evaluation, Treebank};
use treeglot_tree::format::{ReadTrees, conllu};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [gold, system] = &files[..] else { return Err("GOLD SYSTEM".into()) };
    let read = |path: &str| -> Result<Treebank, Box<dyn std::error::Error>> {
        Ok(Treebank::read(conllu::Reader::open(path)?.trees())?)
    };
    println!("{}", Evaluation::of(read(gold)?.sentences(), read(system)?.sentences())?);
    Ok(())
}
