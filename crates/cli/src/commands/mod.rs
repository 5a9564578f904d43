//! One module a subcommand: its arguments (a clap struct) and `run`.

mod align;
mod bundle;
mod casing;
mod common;
mod coverage;
mod eval;
mod experiment;
mod extract;
mod lm;
mod quickstart;
mod sample;
mod score;
mod search;
mod table;
mod tokens;
mod train;
mod translate;
mod tree;
mod tune;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::io;

/// Syntax-based machine translation, from parallel text and trees to a tuned, explainable translator.
#[derive(Parser)]
#[command(name = "treeglot", version, max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the embedded German-English sample out
    Sample(sample::Args),
    /// Train every model on the sample and compare them: the first command to try
    Quickstart(quickstart::Args),
    /// Train a translator from two texts, or from a recipe
    Train(Box<train::Args>),
    /// Translate with a bundle, or with several at once
    Translate(Box<translate::Args>),
    /// Train and compare all systems of a recipe
    Experiment(experiment::Args),
    /// Score translations against references, and test whether systems differ
    Eval(Box<eval::Args>),
    /// Put bundles together, describe and check them
    #[command(subcommand)]
    Bundle(bundle::Command),
    /// Split text into tokens
    Tokenize(tokens::TokenizeArgs),
    /// Join tokens to text
    Detokenize(tokens::DetokenizeArgs),
    /// Give words the case they have inside sentences
    Truecase(casing::Args),
    /// Convert, transform, describe and compare trees
    #[command(subcommand)]
    Tree(tree::Command),
    /// Link the words of sentence pairs; combine and score links
    Align(Box<align::Args>),
    /// Estimate and query language models
    #[command(subcommand)]
    Lm(lm::Command),
    /// Read rules off sentence pairs
    Extract(Box<extract::Args>),
    /// Count and score rule instances, and write them as a table
    Score(Box<score::Args>),
    /// Print, describe, search and import tables of scored rules
    #[command(subcommand)]
    Table(table::Command),
    /// Study how much of its training pairs a model's rules build again
    Coverage(Box<coverage::Args>),
    /// Find the weights that translate a development set best
    Tune(Box<tune::Args>),
}

impl Cli {
    /// Runs the chosen command.
    pub fn run(self) -> Result<()> {
        match self.command {
            Command::Sample(args) => args.run(),
            Command::Quickstart(args) => args.run(),
            Command::Train(args) => args.run(),
            Command::Translate(args) => args.run(),
            Command::Experiment(args) => args.run(),
            Command::Eval(args) => args.run(),
            Command::Bundle(command) => command.run(),
            Command::Tokenize(args) => args.run(),
            Command::Detokenize(args) => args.run(),
            Command::Truecase(args) => args.run(),
            Command::Tree(command) => command.run(),
            Command::Align(args) => args.run(),
            Command::Lm(command) => command.run(),
            Command::Extract(args) => args.run(),
            Command::Score(args) => args.run(),
            Command::Table(command) => command.run(),
            Command::Coverage(args) => args.run(),
            Command::Tune(args) => args.run(),
        }
    }
}

/// What to do about an error that its place does not tell. A full disk is told by the system's number for it too, since some errors
/// keep only the text of their cause.
pub fn advice(error: &anyhow::Error) -> Option<&'static str> {
    let of_disk = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::StorageFull;
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    let full = causes.any(of_disk) || format!("{error:#}").contains("os error 28");
    full.then_some("free some space, or write to another disk, and run the command again")
}

/// Whether the reader of our output has gone, as in `treeglot ... | head`: no error for us.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = match cause.downcast_ref::<treeglot_text::Error>() {
            Some(treeglot_text::Error::Write { source, .. }) => Some(source),
            _ => cause.downcast_ref::<io::Error>(),
        };
        io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}
