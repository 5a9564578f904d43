//! `treeglot align trees`: links between the nodes of trees, and what belongs to them.

mod eval;
mod input;
mod links;
mod stats;
mod text;
mod view;

use anyhow::Result;

/// The arguments of `treeglot align trees`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(flatten)]
    links: links::LinksArgs,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Score node links against the gold links of a parallel treebank: precision, recall, F
    Eval(eval::Args),
    /// Compare sets of aligned trees over the same sentences: phrase pairs, links and constituents of each alone
    Stats(stats::Args),
    /// Write the words of pairs of trees, to train lexical tables on
    Text(text::Args),
    /// Show links of any origin, or two sets of them compared, on a page on which they can be mended
    View(view::Args),
}

impl Args {
    pub fn run(self) -> Result<()> {
        match self.command {
            Some(Command::Eval(args)) => args.run(),
            Some(Command::Stats(args)) => args.run(),
            Some(Command::Text(args)) => args.run(),
            Some(Command::View(args)) => args.run(),
            None => self.links.run(),
        }
    }
}
