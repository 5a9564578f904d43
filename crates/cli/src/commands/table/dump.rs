//! `treeglot table dump`.

use crate::args::{OutputArgs, ScratchArgs};
use anyhow::{Result, ensure};
use std::path::PathBuf;
use treeglot_grammar::table::{Dump, dump};
use treeglot_grammar::{Scratch, Table};

const HELP: &str = "\
Lines are `source ||| target ||| scores ||| links ||| counts ||| |||`, sorted as `LC_ALL=C sort` sorts them; Moses' decoders \
load them. The counts are those of the target side, the source side, and both.";

/// The arguments of `treeglot table dump`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The table
    table: PathBuf,

    /// Print the reordering table instead
    #[arg(long)]
    reordering: bool,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    scratch: ScratchArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let table = Table::open(&self.table)?;
        let what = if self.reordering { Dump::Reordering } else { Dump::Rules };
        let known = what == Dump::Rules || table.has_reordering();
        ensure!(known, "{}: the table has no reordering scores", self.table.display());
        let mut output = self.out.create()?;
        dump(&table, what, self.scratch.memory(), &Scratch::new(self.scratch.temp()), &mut output)?;
        Ok(output.finish()?)
    }
}
