//! `treeglot tree`: one module a subcommand.

mod binarize;
mod compare;
mod convert;
mod heads;
mod join;
mod pair;
mod project;
mod spans;
mod stats;
mod units;

use crate::args::name;
use anyhow::{Result, anyhow};
use clap::{Subcommand, ValueEnum};
use std::path::Path;
use treeglot_tree::Roots;
use treeglot_tree::format::Format;
use treeglot_tree::transform::heads::{BuiltIn, HeadRules};

#[derive(Subcommand)]
pub enum Command {
    /// Convert trees from one format to another
    Convert(convert::Args),
    /// Make dependency trees projective, by moving words or by lifting heads
    Project(project::Args),
    /// Turn constituency trees into dependency trees by head rules
    Heads(heads::Args),
    /// Give constituency trees at most two children a node, or undo that
    Binarize(binarize::Args),
    /// Join the trees of the sentences that stand on one line of a text
    Join(join::Args),
    /// Describe treebanks: sizes, non-projectivity, branching and depth, labels
    Stats(stats::Args),
    /// Compare parses of the same sentences with each other, or with a gold standard
    Compare(compare::Args),
    /// Print a source tree with the spans that its nodes are linked to
    Spans(spans::Args),
    /// Print the forest of multi-word units of a pair
    Units(units::Args),
}

impl Command {
    pub fn run(self) -> Result<()> {
        match self {
            Self::Convert(args) => args.run(),
            Self::Project(args) => args.run(),
            Self::Heads(args) => args.run(),
            Self::Binarize(args) => args.run(),
            Self::Join(args) => args.run(),
            Self::Stats(args) => args.run(),
            Self::Compare(args) => args.run(),
            Self::Spans(args) => args.run(),
            Self::Units(args) => args.run(),
        }
    }
}

/// What to do with sentences of several roots.
#[derive(Clone, Copy, ValueEnum)]
enum RootsArg {
    /// Stop with an error
    One,
    /// Attach later roots to the first
    First,
}

impl From<RootsArg> for Roots {
    fn from(roots: RootsArg) -> Self {
        match roots {
            RootsArg::One => Self::One,
            RootsArg::First => Self::AttachToFirst,
        }
    }
}

/// Head rules by the name of a built-in table, or from a file.
fn head_rules(rules: &str) -> Result<HeadRules> {
    match BuiltIn::from_name(rules) {
        Some(table) => Ok(HeadRules::built_in(table)),
        None if Path::new(rules).exists() => Ok(HeadRules::open(rules)?),
        None => Err(anyhow!(
            "there are no head rules `{rules}`: give ptb, negra, ctb, ftb, or the file of your own rules"
        )),
    }
}

/// The format of a file: the one asked for, else the one its name suggests.
fn format_of(asked: Option<Format>, path: &Path) -> Result<Format> {
    asked.or_else(|| Format::of_file(path)).ok_or_else(|| {
        let names = Format::names();
        anyhow!("{}: the name does not tell the format; say it with --format ({names})", name(path))
    })
}
