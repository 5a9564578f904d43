//! `treeglot table pivot`.

use crate::args::TableArgs;
use anyhow::Result;
use std::path::PathBuf;
use treeglot_grammar::Scratch;
use treeglot_grammar::table::{Pivot, Table, pivot};

const HELP: &str = "\
Joins a table from a source language to a third one, the pivot, with a table from the pivot to the target language: for pairs of \
languages that have little text together, but much with a third. Probabilities and lexical weights are multiplied and added up over \
all pivot sides. Tables are of phrases or of hierarchical rules, and both were made of words that are cut and written alike.

Examples:
  treeglot table pivot es-en.table en-de.table -o es-de.table
  treeglot table pivot es-en/table0 en-de/table0 --limit 50 --memory 4G -o es-de.table";

/// The arguments of `treeglot table pivot`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The table from the source language to the pivot
    #[arg(value_name = "SOURCE-PIVOT")]
    first: PathBuf,

    /// The table from the pivot to the target language
    #[arg(value_name = "PIVOT-TARGET")]
    second: PathBuf,

    /// How many rules of a source side are kept, those with the highest p(t|s); 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,

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
        let (first, second) = (Table::open(&self.first)?, Table::open(&self.second)?);
        let how =
            Pivot { model: self.made.model.clone(), limit: self.limit, memory: self.made.scratch.memory() };
        let scratch = Scratch::new(self.made.scratch.temp());
        let made = pivot(&first, &second, &how, &scratch, &self.output)?;
        self.made.notes.note(&format!(
            "{} rules in {}, from {} of {} rules of {}",
            made.rules,
            self.output.display(),
            made.joined,
            made.first,
            self.first.display()
        ));
        Ok(())
    }
}
