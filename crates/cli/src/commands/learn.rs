//! `treeglot learn`: corrections go into a bundle.

use crate::args::Quiet;
use crate::errors::wrong;
use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use std::path::PathBuf;
use treeglot_pipeline::{Bundle, Teacher};
use treeglot_text::Lines;

const HELP: &str = "\
A sentence that was corrected is translated as corrected from the next translation on, and its phrases are offered to the
translation of others. `treeglot bundle info` lists what was learnt, `treeglot bundle forget` takes it back.

Example:
  treeglot learn -m de-en --src corrected.de --tgt corrected.en";

#[derive(ClapArgs)]
#[command(after_help = HELP)]
pub struct Args {
    /// The bundle that learns
    #[arg(short, long = "model", value_name = "BUNDLE")]
    model: PathBuf,

    /// Sentences, one a line
    #[arg(long, value_name = "FILE")]
    src: PathBuf,

    /// How they should be translated, line by line
    #[arg(long, value_name = "FILE")]
    tgt: PathBuf,

    #[command(flatten)]
    notes: Quiet,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let teacher = Teacher::open(Bundle::open(&self.model)?)?;
        let (mut sources, mut targets) = (Lines::open(&self.src)?, Lines::open(&self.tgt)?);
        let mut new = Vec::new();
        loop {
            let source = sources.next_line()?.map(str::to_string);
            let target = targets.next_line()?.map(str::to_string);
            match (source, target) {
                (Some(source), Some(target)) => {
                    let pair = teacher.correction(&source, &target);
                    new.push(pair.with_context(|| sources.place().to_string())?);
                }
                (None, None) => break,
                _ => wrong!(
                    "{} and {} have different numbers of lines: a correction is a line of each",
                    self.src.display(),
                    self.tgt.display()
                ),
            }
        }
        let (count, all) = (new.len(), teacher.learn(new)?);
        if !self.notes.quiet {
            self.notes.note(&format!(
                "corrections learnt: {count}; in {} there are now {}",
                self.model.display(),
                all.all.len()
            ));
        }
        Ok(())
    }
}
