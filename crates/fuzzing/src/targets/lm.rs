//! Readers of the crate `lm`.

use crate::{Failure, Outcome};
use std::path::Path;
use treeglot_lm::depend::{Branch, DepLm, from_trees};
use treeglot_lm::{Lm, LmLayout, Settings, arpa};
use treeglot_tree::Roots;
use treeglot_tree::format::{ReadTrees, conllu};

const ARPA: &str = include_str!("../../seeds/arpa");
const TREES: &str = include_str!("../../seeds/conllu");

pub fn arpa(path: &Path) -> Outcome {
    let ngrams = arpa::read(path)?;
    query(&Lm::build(ngrams, LmLayout::Probing)?);
    Ok(())
}

fn query(lm: &Lm) {
    for line in ["the man sees the old house .", "unknown words only", "", "the the the the the the"] {
        let words: Vec<_> = line.split(' ').map(|word| lm.symbol(word)).collect();
        let _ = lm.tables().sentence(&words);
    }
}

/// Looks words up in a damaged model.
pub fn model(path: &Path) -> Outcome {
    let lm = Lm::open(path)?;
    query(&lm);
    lm.verify()?;
    Ok(())
}

pub fn make_models(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let text = folder.join("arpa");
    std::fs::write(&text, ARPA)?;
    let layouts = [(LmLayout::Probing, None), (LmLayout::Trie, None), (LmLayout::Trie, Some(4))];
    let make = |(layout, quantize)| {
        let settings = Settings { layout, quantize, ..Settings::default() };
        let path = folder.join("lm");
        Lm::build_as(arpa::read(&text)?, &settings)?.write(&path)?;
        Ok(std::fs::read(path)?)
    };
    layouts.into_iter().map(make).collect()
}

pub fn dependency_model(path: &Path) -> Outcome {
    let lm = DepLm::open(path)?;
    let tables = lm.tables();
    let scorer = lm.scorer(&tables);
    let words = ["hat", "Mann", "missing"].map(|word| lm.symbol(word));
    for word in words {
        let _ = (scorer.root(word), scorer.child_of_any(Branch::Left, word));
        let _ = scorer.child(Branch::Right, words[0], &words, word);
    }
    Ok(())
}

pub fn make_dependency_models(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let parses = conllu::Reader::new("seed", TREES.as_bytes()).trees().map(|parse| {
        let parse = parse?;
        let tree = parse.tree(Roots::AttachToFirst).expect("the seed has trees");
        Ok::<_, treeglot_lm::Error>((parse, tree))
    });
    let (ngrams, _) = from_trees(parses, 3, 1 << 20)?;
    let path = folder.join("dependency-lm");
    Lm::build(ngrams, LmLayout::Probing)?.write(&path)?;
    Ok(vec![std::fs::read(path)?])
}
