//! `treeglot table dump`.

use crate::commands::lm::parse_size;
use anyhow::{Result, ensure};
use std::path::PathBuf;
use treeglot_grammar::table::{Dump, dump};
use treeglot_grammar::{Scratch, Table};
use treeglot_text::Output;

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

    /// Where to write; `.gz` and `.zst` are packed
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// How much memory to use for sorting; past it, sorted runs are written to temporary files
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,

    /// The folder for temporary files [default: TMPDIR]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let table = Table::open(&self.table)?;
        let what = if self.reordering { Dump::Reordering } else { Dump::Rules };
        let known = what == Dump::Rules || table.has_reordering();
        ensure!(known, "{}: the table has no reordering scores", self.table.display());
        let mut output = Output::create(&self.output)?;
        dump(&table, what, self.memory, &Scratch::new(self.temp.as_deref()), &mut output)?;
        Ok(output.finish()?)
    }
}
