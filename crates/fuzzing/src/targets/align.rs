//! Readers of the crate `align`.

use crate::Outcome;
use std::path::Path;
use treeglot_align::gold::Base;
use treeglot_align::{Classes, Settings, Words, gold, links, priors, trees};
use treeglot_text::Lines;
use treeglot_text::column::MemoryBudget;

pub fn links(path: &Path) -> Outcome {
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next_line()? {
        let line = line.to_string();
        links::parse(&line, &lines.place())?;
    }
    Ok(())
}

pub fn gold(path: &Path) -> Outcome {
    for base in [Base::Auto, Base::Zero] {
        gold::read(&mut Lines::open(path)?, base)?;
    }
    Ok(())
}

pub fn priors(path: &Path) -> Outcome {
    priors::read(&mut Lines::open(path)?, &Settings::default(), &MemoryBudget::unlimited())?;
    Ok(())
}

pub fn classes(path: &Path) -> Outcome {
    let mut words = Words::default();
    for word in ["haus", "mann"] {
        words.intern(word);
    }
    Classes::read(&mut Lines::open(path)?, &words)?;
    Ok(())
}

/// Read as both tables of the sub-tree aligner.
pub fn lexical_table(path: &Path) -> Outcome {
    for ending in ["f2e", "e2f"] {
        std::fs::copy(path, path.with_extension(ending))?;
    }
    trees::LexicalTables::open(path)?;
    Ok(())
}
