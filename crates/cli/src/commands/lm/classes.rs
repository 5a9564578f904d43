//! `treeglot lm classes`.

use super::Work;
use crate::args::MemoryArgs;
use crate::print::write_file;
use anyhow::Result;
use std::path::PathBuf;
use treeglot_lm::{ClassSettings, Classes};
use treeglot_text::Input;

const HELP: &str = "\
Sorts the words of a text into classes by the exchange algorithm: each word goes where a model of pairs of classes finds the text \
most probable, until hardly one moves. Writes a word and its class on each line, as mkcls does, for `treeglot align \
--src-classes`, `--tgt-classes` and for `source` and `target` under `[class-lm]` of recipes.

Examples:
  treeglot lm classes --classes 50 train.tok.en -o en.classes";

/// The arguments of `treeglot lm classes`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The text, one sentence a line, words separated by blanks; `.gz` and `.zst` are unpacked
    #[arg(value_name = "TEXT", default_value = "-")]
    input: PathBuf,

    #[command(flatten)]
    settings: ClassSettings,

    #[command(flatten)]
    memory: MemoryArgs,

    /// Where to write the classes; `.gz` and `.zst` are packed [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    work: Work,
}

impl Args {
    pub fn run(self) -> Result<()> {
        self.work.threads.run(|| {
            let input = Input::open(&self.input)?;
            let say = |round: &str| self.work.notes.detail(round);
            let classes = Classes::learn(input, &self.settings, self.memory.bytes(), say)?;
            write_file(self.output.as_deref().unwrap_or("-".as_ref()), |output| classes.write(output))
        })
    }
}
