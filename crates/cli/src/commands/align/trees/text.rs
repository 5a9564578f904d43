//! `treeglot align trees text`.

use super::input::TreeArgs;
use crate::args::{Quiet, SkipBad, with_ending};
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;
use treeglot_align::trees::NumberedTree;
use treeglot_text::Output;

const HELP: &str = "\
The words of a treebank belong to the text that its lexical tables are trained on: add them to what other text of the two \
languages there is, tokenised and cased alike.

Example:
  treeglot align trees text de.xml en.xml --pairs de-en.xml --lower -o bank
  cat bank.src more.de > all.de; cat bank.tgt more.en > all.en
  treeglot align all.de all.en --lex lex -o /dev/null";

/// The arguments of `treeglot align trees text`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    trees: TreeArgs,

    /// Pair the sentences of two TIGER-XML treebanks by this alignment instead of by their order
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,

    #[command(flatten)]
    bad: SkipBad,

    #[command(flatten)]
    notes: Quiet,

    /// Write lower case
    #[arg(long)]
    lower: bool,

    /// Write PREFIX.src and PREFIX.tgt, one sentence a line
    #[arg(short, long, value_name = "PREFIX")]
    output: PathBuf,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let create = |ending: &str| Output::create(with_ending(&self.output, ending));
        let mut outputs = [create(".src")?, create(".tgt")?];
        self.trees.for_each_chunk(self.pairs.as_ref(), &self.bad, &self.notes, |chunk| {
            for pair in &chunk {
                for (output, side) in outputs.iter_mut().zip(pair) {
                    let line = self.line(side.as_ref());
                    writeln!(output, "{line}").map_err(|e| output.error(e))?;
                }
            }
            Ok(())
        })?;
        let [source, target] = outputs;
        source.finish()?;
        Ok(target.finish()?)
    }

    fn line(&self, side: Option<&NumberedTree>) -> String {
        let line = side.map(|side| side.words.join(" ")).unwrap_or_default();
        if self.lower { line.to_lowercase() } else { line }
    }
}
