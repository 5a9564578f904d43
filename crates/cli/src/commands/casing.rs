//! `treeglot truecase`.

use crate::args::FilterArgs;
use anyhow::Result;
use std::path::PathBuf;
use treeglot_text::Lines;
use treeglot_text::tokenize::{Language, Script};
use treeglot_text::truecase::{Trainer, Truecaser, recase};

const HELP: &str = "\
A capital at the start of a sentence says nothing about the word; truecasing takes it away, so that `The` and `the` \
are one word to the models, while names keep theirs. The input is tokens, one sentence a line. Without --model the \
case of words is learned from the input itself. Model files are plain text in Moses' format, and models of Moses can \
be used.

Examples:
  treeglot truecase --lang en --train train.tok.en -o en.truecase
  treeglot truecase --lang en --model en.truecase < test.tok.en > test.true.en
  treeglot truecase --lang en --undo < output.true.en > output.tok.en";

/// The arguments of `treeglot truecase`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The language of the text; text of languages without capitals passes unchanged
    #[arg(long, value_name = "LANG")]
    lang: String,

    /// The truecasing model
    #[arg(short, long, value_name = "MODEL", conflicts_with_all = ["train", "undo"])]
    model: Option<PathBuf>,

    /// Learn from the input and write the model, not text
    #[arg(long, conflicts_with = "undo")]
    train: bool,

    /// Give the start of each sentence its capital back
    #[arg(long)]
    undo: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let language = Language::find(&self.lang)?;
        if self.train {
            return self.train();
        }
        if language.script != Script::Spaced {
            return self.filter.run(|| |line: &str, out: &mut String| out.push_str(line));
        }
        if self.undo {
            return self.filter.run(|| recase);
        }
        let Some(model) = &self.model else { return self.learn_and_apply() };
        let model = Truecaser::open(model)?;
        self.filter.run(|| |line: &str, out: &mut String| model.truecase(line, out))
    }

    fn train(&self) -> Result<()> {
        let mut trainer = Trainer::default();
        self.filter.for_each(|line| trainer.add(line))?;
        self.filter.files.out.write(|output| trainer.write(output))
    }

    fn learn_and_apply(&self) -> Result<()> {
        let mut trainer = Trainer::default();
        let mut text = String::new();
        self.filter.for_each(|line| {
            trainer.add(line);
            text.push_str(line);
            text.push('\n');
        })?;
        let model = trainer.finish();
        let mut lines = Lines::new("the input", text.as_bytes()).limit(usize::MAX);
        self.filter.run_on(&mut lines, || |line: &str, out: &mut String| model.truecase(line, out))
    }
}
