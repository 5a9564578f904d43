//! `treeglot tree binarize`.

use super::head_rules;
use crate::args::{Files, count};
use crate::errors::wrong;
use anyhow::Result;
use clap::ValueEnum;
use treeglot_tree::ConTree;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::ptb::{self, BracketLayout};
use treeglot_tree::transform::binarize::{Direction, Markov, binarize, unbinarize};
use treeglot_tree::transform::heads::HeadRules;

const HELP: &str = "\
New nodes are labelled @NP, with --horizontal followed by the siblings parted off last. --undo removes them exactly.

Examples:
  treeglot tree binarize --how head --heads ptb train.en.ptb > train.en.binary.ptb
  treeglot tree binarize --undo train.en.binary.ptb > train.en.ptb";

/// The arguments of `treeglot tree binarize`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Which children stay together longest
    #[arg(long, default_value = "right")]
    how: How,

    /// The head rules for --how head: ptb, negra, ctb, ftb, or a file
    #[arg(long, value_name = "RULES")]
    heads: Option<String>,

    /// How many siblings the labels of new nodes name
    #[arg(long, value_name = "N", default_value_t = 0)]
    horizontal: usize,

    /// How many labels of the chain of ancestors every label names, itself included
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    vertical: u8,

    /// Undo an earlier binarisation
    #[arg(long)]
    undo: bool,

    #[command(flatten)]
    files: Files,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum How {
    /// The first ones: ((A B) C)
    Left,
    /// The last ones: (A (B C))
    Right,
    /// The head with its neighbours
    Head,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let rules = match (&self.heads, self.how) {
            (Some(rules), How::Head) => Some(head_rules(rules)?),
            (None, How::Head) if !self.undo => {
                wrong!("--how head needs head rules: --heads ptb|negra|ctb|ftb|FILE")
            }
            _ => None,
        };
        let mut reader = ptb::Reader::open(&self.files.input, BracketLayout::Free)?;
        let mut output = self.files.output()?;
        let mut sentences = 0;
        while let Some(tree) = reader.next_tree()? {
            sentences += 1;
            let written = match tree {
                Some(tree) => ptb::write(&self.transform(&tree, rules.as_ref()), &mut output),
                None => ptb::write_failed(&mut output),
            };
            written.map_err(|e| output.error(e))?;
        }
        output.finish()?;
        self.files.note(&count(sentences, "sentence"));
        Ok(())
    }

    fn transform(&self, tree: &ConTree, rules: Option<&HeadRules>) -> ConTree {
        let markov = Markov { horizontal: Some(self.horizontal), vertical: self.vertical.into() };
        match (self.undo, self.how, rules) {
            (true, ..) => unbinarize(tree),
            (_, How::Left, _) => binarize(tree, Direction::Left, markov),
            (_, How::Head, Some(rules)) => binarize(tree, Direction::HeadOut(rules), markov),
            _ => binarize(tree, Direction::Right, markov),
        }
    }
}
