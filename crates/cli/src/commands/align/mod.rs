//! `treeglot align`: links from text, and `treeglot align symmetrize|aer|trees`.

mod aer;
mod symmetrize;
mod trees;
mod words;

use anyhow::Result;
use std::path::{Path, PathBuf};
use treeglot_align::links::{Link, parse};
use treeglot_text::Lines;

/// The arguments of `treeglot align`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(flatten)]
    words: words::WordsArgs,

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
        match self.command {
            Some(Command::Symmetrize(args)) => args.run(),
            Some(Command::Aer(args)) => args.run(),
            Some(Command::Trees(args)) => args.run(),
            None => self.words.run(),
        }
    }
}

/// An argument that clap requires where there is no subcommand. (It cannot be of a flattened `Option`: clap does not see then that
/// something was given.)
fn required(argument: &Option<PathBuf>) -> &PathBuf {
    argument.as_ref().expect("clap requires it without a subcommand")
}

/// Hands on the links of each line of a file, with their number from 0 and the place for messages; how many lines there are.
fn for_each_links(path: &Path, mut take: impl FnMut(usize, &[Link], &Lines) -> Result<()>) -> Result<usize> {
    let mut lines = Lines::open(path)?;
    let mut number = 0;
    while let Some(line) = lines.next_line()?.map(str::to_string) {
        take(number, &parse(&line, &lines.place())?, &lines)?;
        number += 1;
    }
    Ok(number)
}

/// That links between nodes lie inside the trees.
fn check_nodes(links: &[Link], [source, target]: [usize; 2], lines: &Lines) -> Result<()> {
    let outside = links.iter().find(|link| link.src as usize >= source || link.tgt as usize >= target);
    let Some(link) = outside else { return Ok(()) };
    Err(lines.malformed(format!("link `{link}` is outside trees of {source} and {target} nodes")).into())
}
