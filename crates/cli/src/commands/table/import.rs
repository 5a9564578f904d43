//! `treeglot table import`.

use crate::commands::lm::{on_threads, parse_size};
use anyhow::Result;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_grammar::Scratch;
use treeglot_grammar::table::{Import, import};
use treeglot_text::Input;

const HELP: &str = "\
Reads Moses' phrase tables, rule tables and glue grammars: `source ||| target ||| scores ||| links ||| counts`. All lines \
have the same number of scores. Scores keep six significant digits, as Moses prints them. Distinct target sides are held in \
memory.

Examples:
  treeglot table import phrase-table.gz --reordering reordering-table.gz -o phrases.table
  treeglot table import rule-table.gz --model hiero -o rules.table";

/// The arguments of `treeglot table import`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The text table; `.gz` and `.zst` are unpacked
    #[arg(value_name = "MOSES-TABLE")]
    table: PathBuf,

    /// The reordering table (msd-bidirectional-fe) of the same phrases
    #[arg(long, value_name = "FILE")]
    reordering: Option<PathBuf>,

    /// Where to write the table
    #[arg(short, long, value_name = "TABLE")]
    output: PathBuf,

    /// What the table says its model is
    #[arg(long, value_name = "NAME", default_value = "")]
    model: String,

    /// How much memory to use for sorting; past it, sorted runs are written to temporary files
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,

    /// The folder for temporary files [default: TMPDIR]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,

    /// How many threads work [default: all cores]; the table does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Print no notes on standard error
    #[arg(short, long)]
    quiet: bool,
}

impl Args {
    pub fn run(self) -> Result<()> {
        on_threads(self.threads, || self.work())?
    }

    fn work(&self) -> Result<()> {
        let reordering = self.reordering.as_ref().map(Input::open).transpose()?;
        let options = Import { model: self.model.clone(), memory: self.memory };
        let scratch = Scratch::new(self.temp.as_deref());
        let rules = import(Input::open(&self.table)?, reordering, &options, &scratch, &self.output)?;
        if !self.quiet {
            eprintln!("treeglot: {rules} rules in {}", self.output.display());
        }
        Ok(())
    }
}
