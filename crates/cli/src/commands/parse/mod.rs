//! `treeglot parse`: trees of text, and `treeglot parse train|eval|project`.

mod eval;
mod project;
mod sentences;
mod text;
mod train;

use anyhow::Result;

/// The arguments of `treeglot parse`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(flatten)]
    text: text::TextArgs,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Train a parser from a treebank
    Train(train::Args),
    /// Score parses against gold trees
    Eval(eval::Args),
    /// Carry the trees of one language over word links to another that has no treebank
    Project(project::Args),
}

impl Args {
    pub fn run(self) -> Result<()> {
        match self.command {
            Some(Command::Train(args)) => args.run(),
            Some(Command::Eval(args)) => args.run(),
            Some(Command::Project(args)) => args.run(),
            None => self.text.run(),
        }
    }
}
