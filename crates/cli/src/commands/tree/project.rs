//! `treeglot tree project`.

use super::RootsArg;
use crate::args::{Files, count};
use crate::errors::wrong;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::io::Write;
use std::path::PathBuf;
use treeglot_text::Output;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::transform::inorder;
use treeglot_tree::transform::lift::{self, Scheme};
use treeglot_tree::{DepParse, Roots};

const HELP: &str = "\
inorder moves words next to their heads and keeps every head (Graham 2013, algorithm 6.1): for rules that need whole \
subtrees as one span. Each moved sentence gets a comment `# inorder = ...` with the old positions; --order writes them \
for all sentences, to move word links along. lift keeps the words and hangs crossing arcs higher (Nivre & Nilsson \
2005); marks in the relations, or exact positions in MISC, let --undo find the true heads again.

Examples:
  treeglot tree project --how inorder --order de.order train.de.conllu > train.de.projective.conllu
  treeglot tree project --how lift --scheme exact train.de.conllu | treeglot tree project --how lift --scheme exact --undo";

/// The arguments of `treeglot tree project`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// What gives way: the order of the words, or the heads
    #[arg(long)]
    how: How,

    /// How lifted arcs are marked: head, path and head+path can be learned by a parser, exact can always be undone
    #[arg(long, default_value = "head")]
    scheme: SchemeArg,

    /// Undo an earlier projection
    #[arg(long)]
    undo: bool,

    /// Write the old positions of each sentence's words (from 0) in their new order, one sentence a line
    #[arg(long, value_name = "FILE")]
    order: Option<PathBuf>,

    /// Sentences with several roots
    #[arg(long, value_name = "WHAT", default_value = "one")]
    roots: RootsArg,

    #[command(flatten)]
    files: Files,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum How {
    /// Move words, keep heads
    Inorder,
    /// Move heads, keep words
    Lift,
}

#[derive(Clone, Copy, ValueEnum)]
enum SchemeArg {
    /// The true head's relation on the lifted arc
    Head,
    /// Marks on the lifted arc and the path to its true head
    Path,
    /// Both
    #[value(name = "head+path")]
    HeadPath,
    /// The true head's position, in MISC
    Exact,
}

impl From<SchemeArg> for Scheme {
    fn from(scheme: SchemeArg) -> Self {
        match scheme {
            SchemeArg::Head => Self::Head,
            SchemeArg::Path => Self::Path,
            SchemeArg::HeadPath => Self::HeadPath,
            SchemeArg::Exact => Self::Exact,
        }
    }
}

impl Args {
    pub fn run(self) -> Result<()> {
        if self.order.is_some() && self.how != How::Inorder {
            wrong!("--order goes with --how inorder: lifting leaves the words where they are");
        }
        let mut reader = conllu::Reader::open(&self.files.input)?;
        let name = reader.name().clone();
        let mut output = self.files.output()?;
        let mut order = self.order.as_ref().map(Output::create).transpose()?;
        let (mut sentences, mut changed) = (0, 0);
        while let Some(parse) = reader.next_tree()? {
            sentences += 1;
            parse.checked_tree(self.roots.into())?;
            let projected =
                self.project(&parse, order.as_mut()).with_context(|| format!("{name}:{}", parse.line()))?;
            changed += usize::from(projected != parse);
            conllu::write(&projected, &mut output).map_err(|e| output.error(e))?;
        }
        output.finish()?;
        order.map(Output::finish).transpose()?;
        self.files.note(&format!("{}, {changed} changed", count(sentences, "sentence")));
        Ok(())
    }

    fn project(&self, parse: &DepParse, order: Option<&mut Output>) -> Result<DepParse> {
        let roots: Roots = self.roots.into();
        let scheme = self.scheme.into();
        match (self.how, self.undo) {
            (How::Lift, false) => Ok(lift::lift(parse, roots, scheme)?),
            (How::Lift, true) => Ok(lift::unlift(parse, roots, scheme)?),
            (How::Inorder, true) => Ok(inorder::restore(parse)?),
            (How::Inorder, false) => {
                let (projected, permutation) = inorder::project(parse, roots)?;
                if let Some(order) = order {
                    let positions: Vec<String> =
                        permutation.order().iter().map(|w| w.0.to_string()).collect();
                    writeln!(order, "{}", positions.join(" ")).map_err(|e| order.error(e))?;
                }
                Ok(projected)
            }
        }
    }
}
