//! `treeglot table import`.

use crate::args::TableArgs;
use anyhow::Result;
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

    #[command(flatten)]
    made: TableArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        self.made.threads.run(|| self.work())
    }

    fn work(&self) -> Result<()> {
        let reordering = self.reordering.as_ref().map(Input::open).transpose()?;
        let options = Import { model: self.made.model.clone(), memory: self.made.scratch.memory() };
        let scratch = Scratch::new(self.made.scratch.temp());
        let rules = import(Input::open(&self.table)?, reordering, &options, &scratch, &self.output)?;
        self.made.notes.note(&format!("{rules} rules in {}", self.output.display()));
        Ok(())
    }
}
