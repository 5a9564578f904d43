//! `treeglot lm`: one module a subcommand.

mod build;
mod classes;
mod depbuild;
mod query;

use crate::args::{Threads, Verbosity};
use anyhow::Result;
use clap::Subcommand;
use treeglot_lm::estimate::Statistics;

#[derive(Subcommand)]
pub enum Command {
    /// Estimate an n-gram model from text, or convert an ARPA file
    Build(build::Args),
    /// Print the log10 probability of each line of a text
    Query(query::Args),
    /// Estimate a dependency language model from trees
    Depbuild(depbuild::Args),
    /// Learn classes of words from text
    Classes(classes::Args),
}

impl Command {
    pub fn run(self) -> Result<()> {
        match self {
            Self::Build(args) => args.run(),
            Self::Query(args) => args.run(),
            Self::Depbuild(args) => args.run(),
            Self::Classes(args) => args.run(),
        }
    }
}

/// How the work is done.
#[derive(clap::Args)]
struct Work {
    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    notes: Verbosity,
}

/// Tells what was estimated: fallback discounts unless the user wants quiet, everything if he wants much.
fn report(statistics: &Statistics, notes: &Verbosity) {
    for (at, order) in statistics.orders.iter().enumerate() {
        let [one, two, more] = order.discount;
        let n = at + 1;
        if order.fallback {
            let used = format!("{one}, {two} and {more} are used");
            notes.notes.note(&format!("{n}-grams give no discounts of their own: {used}"));
        }
        let (found, kept) = (order.found, order.kept);
        notes.detail(&format!("{n}-grams: {found} found, {kept} kept, discounts {one} {two} {more}"));
    }
}
