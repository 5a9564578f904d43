//! `treeglot table`: one module a subcommand.

mod dump;
mod import;
mod lookup;
mod pivot;
mod stats;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Command {
    /// Print a table in Moses' format
    Dump(dump::Args),
    /// Print how many rules a table has and what takes how much space
    Stats(stats::Args),
    /// Print the rules of a source side
    Lookup(lookup::Args),
    /// Make a table from Moses' text tables
    Import(import::Args),
    /// Join two tables over a third language
    Pivot(pivot::Args),
}

impl Command {
    pub fn run(self) -> Result<()> {
        match self {
            Self::Dump(args) => args.run(),
            Self::Stats(args) => args.run(),
            Self::Lookup(args) => args.run(),
            Self::Import(args) => args.run(),
            Self::Pivot(args) => args.run(),
        }
    }
}
