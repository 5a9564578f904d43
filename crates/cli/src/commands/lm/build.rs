//! `treeglot lm build`.

use super::report;
use crate::commands::common::{on_threads, parse_size};
use anyhow::Result;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_lm::{Estimated, Lm, Settings, arpa, estimate};
use treeglot_text::{Input, Output};

const HELP: &str = "\
Estimates interpolated modified Kneser-Ney probabilities, equal to those of KenLM's lmplz, and writes them as ARPA; \
`--binary` writes the form that queries and translation read fastest.

Examples:
  treeglot lm build --order 5 < train.tok.en > train.en.arpa
  treeglot lm build --order 5 --prune 0,0,1 --binary train.en.lm train.tok.en.gz -o train.en.arpa.gz";

/// The arguments of `treeglot lm build`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The text, one sentence a line, words separated by blanks; `.gz` and `.zst` are unpacked
    #[arg(value_name = "TEXT", default_value = "-")]
    input: PathBuf,

    #[command(flatten)]
    settings: Settings,

    /// How much memory to use beside the vocabulary; the rest lies in temporary files in the folder TMPDIR. `--binary` and
    /// `--from-arpa` take the whole model into memory all the same
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,

    /// Also write the binary form, which is mapped by queries; without -o no ARPA is then written
    #[arg(long, value_name = "OUT")]
    binary: Option<PathBuf>,

    /// TEXT is an ARPA file to convert, not text to estimate from
    #[arg(long, conflicts_with_all = ["order", "prune", "discount_fallback", "skip_symbols"])]
    from_arpa: bool,

    /// Where to write the ARPA file; `.gz` and `.zst` are packed [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How many threads work [default: all cores]; the output does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Print no notes on standard error
    #[arg(short, long)]
    quiet: bool,

    /// Print n-gram counts and discounts on standard error
    #[arg(short, long)]
    verbose: bool,
}

impl Args {
    pub fn run(self) -> Result<()> {
        on_threads(self.threads, || self.work())?
    }

    fn work(&self) -> Result<()> {
        self.settings.check()?;
        let wants_arpa = self.output.is_some() || self.binary.is_none();
        let ngrams = if self.from_arpa {
            let ngrams = arpa::read(&self.input)?;
            if wants_arpa {
                self.write_arpa(|output| arpa::write(&ngrams, output))?;
            }
            ngrams
        } else {
            let estimated = self.estimate()?;
            if wants_arpa {
                self.write_arpa(|output| arpa::write_estimated(&estimated, output))?;
            }
            if self.binary.is_none() {
                return Ok(());
            }
            estimated.into_ngrams()
        };
        if let Some(path) = &self.binary {
            Lm::build_as(ngrams, &self.settings)?.write(path)?;
        }
        Ok(())
    }

    fn estimate(&self) -> Result<Estimated> {
        let input = Input::open(&self.input)?;
        let (estimated, statistics) = estimate::within_memory(input, &self.settings, self.memory)?;
        report(&statistics, self.quiet, self.verbose);
        Ok(estimated)
    }

    fn write_arpa(&self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<()> {
        let mut output = Output::create(self.output.as_deref().unwrap_or("-".as_ref()))?;
        write(&mut output).map_err(|e| output.error(e))?;
        Ok(output.finish()?)
    }
}
