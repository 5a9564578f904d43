//! `treeglot lm build`.

use super::{Work, report};
use crate::args::MemoryArgs;
use crate::print::write_file;
use anyhow::Result;
use std::io;
use std::path::PathBuf;
use treeglot_lm::{Estimated, Lm, Settings, arpa, estimate};
use treeglot_text::{Input, Output};

const HELP: &str = "\
Estimates interpolated modified Kneser-Ney probabilities, equal to those of KenLM's lmplz, and writes them as ARPA; \
`--binary` writes the form that queries and translation read fastest. The vocabulary comes on top of --memory, and so does the \
whole model with --binary or --from-arpa; temporary files lie in the folder TMPDIR.

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

    #[command(flatten)]
    memory: MemoryArgs,

    /// Also write the binary form, which is mapped by queries; without -o no ARPA is then written
    #[arg(long, value_name = "OUT")]
    binary: Option<PathBuf>,

    /// TEXT is an ARPA file to convert, not text to estimate from
    #[arg(long, conflicts_with_all = ["order", "prune", "discount_fallback", "skip_symbols"])]
    from_arpa: bool,

    /// Where to write the ARPA file; `.gz` and `.zst` are packed [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    work: Work,
}

impl Args {
    pub fn run(self) -> Result<()> {
        self.work.threads.run(|| self.build())
    }

    fn build(&self) -> Result<()> {
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
        let (estimated, statistics) = estimate::within_memory(input, &self.settings, self.memory.bytes())?;
        report(&statistics, &self.work.notes);
        Ok(estimated)
    }

    fn write_arpa(&self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<()> {
        write_file(self.output.as_deref().unwrap_or("-".as_ref()), write)
    }
}
