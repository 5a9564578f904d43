//! `treeglot align`: links from text, and `treeglot align symmetrize|aer|trees`.

mod aer;
mod symmetrize;
mod trees;
mod words;

use anyhow::{Result, bail};
use std::path::Path;

/// The arguments of `treeglot align`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(flatten)]
    words: Option<words::WordsArgs>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Combine the links of two directions
    Symmetrize(symmetrize::Args),
    /// Score links against gold links: alignment error rate, precision, recall
    Aer(aer::Args),
    /// Link the nodes of pairs of trees; score, describe and show such links
    Trees(Box<trees::Args>),
}

impl Args {
    pub fn run(self) -> Result<()> {
        match (self.words, self.command) {
            (_, Some(Command::Symmetrize(args))) => args.run(),
            (_, Some(Command::Aer(args))) => args.run(),
            (_, Some(Command::Trees(args))) => args.run(),
            (Some(args), None) => args.run(),
            (None, None) => bail!("nothing to align: give SRC and TGT"),
        }
    }
}

/// Two inputs cannot both be standard input.
fn check_distinct(a: &Path, b: &Path) -> Result<()> {
    if a.as_os_str() == "-" && b.as_os_str() == "-" {
        bail!("only one of the two inputs can be standard input");
    }
    Ok(())
}
