//! `treeglot lm build`.

use super::report;
use crate::commands::common::{on_threads, parse_size};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_lm::estimate::{self, Discount, Options};
use treeglot_lm::{Estimated, Layout, Lm, arpa};
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

    /// The length of the longest n-grams
    #[arg(long, value_name = "N", required_unless_present = "from_arpa")]
    order: Option<usize>,

    /// Leave out n-grams seen this often or less, one number an order; the last holds for all longer ones
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    prune: Vec<u32>,

    /// For tiny or artificial text: use these discounts (counts 1, 2, 3+) for orders that give none of their own
    #[arg(long, value_name = "D1,D2,D3", num_args = 0..=1, default_missing_value = "0.5,1,1.5", require_equals = true)]
    discount_fallback: Option<String>,

    /// Skip the words `<s>`, `</s>` and `<unk>` in the text instead of refusing it
    #[arg(long)]
    skip_symbols: bool,

    /// How much memory to use beside the vocabulary; the rest lies in temporary files in the folder TMPDIR. `--binary` and
    /// `--from-arpa` take the whole model into memory all the same
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,

    /// Also write the binary form, which is mapped by queries; without -o no ARPA is then written
    #[arg(long, value_name = "OUT")]
    binary: Option<PathBuf>,

    /// How the binary form is laid out
    #[arg(long, value_enum, default_value_t = LayoutName::Probing, requires = "binary")]
    layout: LayoutName,

    /// Code weights with this many bits (2 to 16): a smaller trie, a little less exact
    #[arg(long, value_name = "BITS", requires = "binary")]
    quantize: Option<u32>,

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

/// The layouts by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LayoutName {
    /// Hash tables: the fastest
    Probing,
    /// A bit-packed trie: the smallest
    Trie,
}

impl Args {
    pub fn run(self) -> Result<()> {
        on_threads(self.threads, || self.work())?
    }

    fn work(&self) -> Result<()> {
        let layout = self.layout()?;
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
            Lm::build(ngrams, layout)?.write(path)?;
        }
        Ok(())
    }

    fn layout(&self) -> Result<Layout> {
        let trie = self.layout == LayoutName::Trie;
        ensure!(trie || self.quantize.is_none(), "--quantize needs --layout trie");
        Ok(if trie { Layout::Trie { quantize: self.quantize } } else { Layout::Probing })
    }

    fn estimate(&self) -> Result<Estimated> {
        let options = Options {
            prune: self.prune.clone(),
            fallback: self.discount_fallback.as_deref().map(parse_discount).transpose()?,
            skip_symbols: self.skip_symbols,
            memory: self.memory,
            ..Options::new(self.order.unwrap_or_default())
        };
        let (estimated, statistics) = estimate::within_memory(Input::open(&self.input)?, &options)?;
        report(&statistics, self.quiet, self.verbose);
        Ok(estimated)
    }

    fn write_arpa(&self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<()> {
        let mut output = Output::create(self.output.as_deref().unwrap_or("-".as_ref()))?;
        write(&mut output).map_err(|e| output.error(e))?;
        Ok(output.finish()?)
    }
}

/// Parses up to three discounts; the last one holds for higher counts.
fn parse_discount(text: &str) -> Result<Discount> {
    let numbers: Vec<f32> = text
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .context("--discount-fallback needs numbers")?;
    let last = numbers.last().copied().context("--discount-fallback needs numbers")?;
    ensure!(numbers.len() <= 3, "--discount-fallback takes up to three numbers: for counts 1, 2 and 3+");
    let discount = std::array::from_fn(|at| numbers.get(at).copied().unwrap_or(last));
    for (at, amount) in discount.iter().enumerate() {
        let highest = at + 1;
        ensure!(
            (0.0..=highest as f32).contains(amount),
            "the discount for count {highest} must be 0 to {highest}"
        );
    }
    Ok(discount)
}
