//! Readers of the crate `parse`.

use crate::{Failure, Outcome};
use std::path::Path;
use treeglot_parse::{Method, ParseSettings, Parser, Settings, Treebank, train};
use treeglot_tree::format::{ReadTrees, conllu, ptb};

const PARSES: &str = include_str!("../../seeds/conllu");
const TREES: &str = include_str!("../../seeds/ptb");

/// Parses with a damaged parser.
pub fn parser(path: &Path) -> Outcome {
    let parser = Parser::open(path)?;
    let mut worker = parser.worker(&ParseSettings::default());
    for words in [&["Er", "freute", "sich", ",", "unknown"][..], &["Er"], &[]] {
        let _ = (worker.parse(words), worker.kbest(words, 2), worker.forest(words));
    }
    let _ = parser.split("don't");
    if let Ok(tokenizer) = parser.tokenizer() {
        worker.parse_tokens(&[parser.tokens(&mut tokenizer.worker(), "Er freute sich.")]);
    }
    Ok(())
}

pub fn make_dependency_parsers(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let parses: Result<Vec<_>, _> = conllu::Reader::new("seed", PARSES.as_bytes()).trees().collect();
    let bank = Treebank::of_parses(parses?);
    [Method::Transition, Method::Graph].map(|method| made(folder, method, &bank)).into_iter().collect()
}

pub fn make_constituency_parsers(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let reader = ptb::Reader::new("seed", TREES.as_bytes(), ptb::BracketLayout::Free);
    let trees: Result<Vec<_>, _> = reader.trees().collect();
    let bank = Treebank::of_trees(trees?.into_iter().flatten());
    Ok(vec![made(folder, Method::Constituency, &bank)?])
}

fn made(folder: &Path, method: Method, bank: &Treebank) -> Result<Vec<u8>, Failure> {
    let (rounds, networks, hidden) = (Some(1), Some(1), Some(4));
    let settings =
        Settings { method, rounds, networks, hidden, tagger_rounds: 1, folds: 1, ..Settings::default() };
    let path = folder.join("parser");
    train(&settings, bank, None, &|_| ())?.save(&path)?;
    Ok(std::fs::read(path)?)
}
