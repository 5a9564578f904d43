//! `treeglot parse train`.

use crate::args::{Quiet, SkipBad, Threads, check_inputs, count, name};
use crate::errors::wrong;
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::time::Instant;
use treeglot_parse::{Progress, Settings, Treebank, train};

const HELP: &str = "\
Dependency parsers learn from CoNLL-U, with a tagger (UPOS, XPOS, features) and a lemmatiser, constituency parsers from \
brackets of the Penn Treebank; other formats are told by the names of files. With --dev, the score of its trees is printed \
after each round (LAS of given words, or F1 of brackets as evalb counts them), and the best round is kept. Several treebanks \
are learned from together; a constituency parser knows them apart, and follows the manner of the first unless told otherwise.

Examples:
  treeglot parse train --treebank en_ewt-ud-train.conllu --dev en_ewt-ud-dev.conllu -o en.parser
  treeglot parse train --method transition --projective --lang de --treebank de.conllu.gz -o de.parser
  treeglot parse train --method constituency --treebank wsj.mrg --treebank gum.ptb --dev dev.mrg -o en.constituents";

/// The arguments of `treeglot parse train`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trees to learn from; given again, others beside them
    #[arg(long, value_name = "FILE", required = true)]
    treebank: Vec<PathBuf>,

    /// Development trees, which choose the best round
    #[arg(long, value_name = "FILE")]
    dev: Vec<PathBuf>,

    /// Where to write the parser
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,

    #[command(flatten)]
    settings: Settings,

    #[command(flatten)]
    bad: SkipBad,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    notes: Quiet,
}

impl Args {
    pub fn run(self) -> Result<()> {
        if self.output.as_os_str() == "-" {
            wrong!("a parser needs a file: give -o a name");
        }
        check_inputs(self.treebank.iter().chain(&self.dev).map(PathBuf::as_path))?;
        self.threads.run(|| self.work())
    }

    fn work(&self) -> Result<()> {
        let (kind, skip_bad) = (self.settings.method.kind(), self.bad.skip_bad);
        let bank = Treebank::open(kind, &self.treebank, skip_bad)?;
        let dev = match self.dev.is_empty() {
            true => None,
            false => Some(Treebank::open(kind, &self.dev, skip_bad)?),
        };
        if dev.as_ref().is_some_and(Treebank::is_empty) {
            bail!("{}: there are no trees to choose the best round by", name(&self.dev[0]));
        }
        let start = Instant::now();
        let dev_left_out = dev.as_ref().map_or(0, Treebank::left_out);
        if dev_left_out > 0 {
            self.notes.note(&format!("{} no trees, left out", count(dev_left_out, "development sentence")));
        }
        let tell = |progress: Progress| self.notes.note(&line(&progress, start.elapsed().as_secs_f64()));
        train(&self.settings, &bank, dev.as_ref(), &tell)?.save(&self.output)?;
        Ok(())
    }
}

/// What there is to say of progress.
fn line(progress: &Progress, seconds: f64) -> String {
    let what = match progress {
        Progress::LeftOut(left_out) => format!("{} no trees, left out", count(*left_out, "sentence")),
        Progress::Tagged => "the tagger is trained".to_string(),
        Progress::Round { network, round, loss, dev } => {
            let dev = dev.map(|dev| format!(", dev {:.2}", 100.0 * dev)).unwrap_or_default();
            format!("network {network}, round {round}: loss {loss:.4}{dev}")
        }
        Progress::Kept { network, round, dev } => {
            format!("network {network}: kept round {round}, dev {:.2}", 100.0 * dev)
        }
    };
    format!("{seconds:6.0} s  {what}")
}
