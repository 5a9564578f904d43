//! `treeglot sample`.

use crate::args::{Quiet, check_folder};
use anyhow::Result;
use std::path::PathBuf;
use treeglot_sample::Sample;

const HELP: &str = "\
The sample is a German-English world made by a synchronous grammar: sentences with verb-final clauses, separable verbs, \
relative clauses, scrambled objects and multi-word units, with gold dependency and constituency trees on both sides and \
gold word links. Train, dev and test combine the same words in different ways. A README in the folder tells the files.

Example:
  treeglot sample -o sample && head -3 sample/train.raw.de sample/train.raw.en";

/// The arguments of `treeglot sample`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The folder to write to; it is made if it does not exist
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    #[command(flatten)]
    notes: Quiet,
}

impl Args {
    pub fn run(self) -> Result<()> {
        check_folder(&self.output, &["train.de.conllu"])?;
        let sample = Sample::embedded();
        treeglot_sample::write_to(sample, &self.output)?;
        let (train, dev, test) = (sample.train.len(), sample.dev.len(), sample.test.len());
        let folder = self.output.display();
        self.notes.note(&format!("{train} + {dev} + {test} pairs (train, dev, test) written to {folder}"));
        Ok(())
    }
}
