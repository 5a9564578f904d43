//! `treeglot lm depbuild`.

use crate::commands::common::{on_threads, parse_size};
use anyhow::{Result, ensure};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_lm::depend::from_trees;
use treeglot_lm::{Error, Lm, LmLayout, Settings, arpa};
use treeglot_text::Output;
use treeglot_tree::Roots;
use treeglot_tree::format::{ReadTrees, conllu};

const HELP: &str = "\
Each word of a tree is predicted from its head and, with order 3, from the sibling between it and the head, apart on \
each side; roots are predicted by themselves. OUT is binary; if its name has `.arpa` in it, it is ARPA.

Examples:
  treeglot lm depbuild --order 3 train.en.conllu.gz -o train.en.deplm";

/// The arguments of `treeglot lm depbuild`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trees, as CoNLL-U; `.gz` and `.zst` are unpacked
    #[arg(value_name = "TREES", default_value = "-")]
    input: PathBuf,

    /// 2: words depend on their head; 3: and on the next sibling inward; up to 7
    #[arg(long, value_name = "N", default_value_t = Settings::default().tree_order)]
    order: usize,

    /// How much memory to use for sorting before runs go to temporary files
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,

    /// Where to write the model
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

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
        let is_arpa = self.output.to_string_lossy().contains(".arpa");
        ensure!(is_arpa || self.output.as_os_str() != "-", "the binary form needs a file: give -o a name");
        on_threads(self.threads, || self.work(is_arpa))?
    }

    fn work(&self, is_arpa: bool) -> Result<()> {
        let reader = conllu::Reader::open(&self.input)?;
        let name = reader.name().clone();
        let trees = reader.trees().map(|parse| {
            let parse = parse?;
            let tree = parse.tree_in(&name, Roots::AttachToFirst)?;
            Ok::<_, Error>((parse, tree))
        });
        let (ngrams, statistics) = from_trees(trees, self.order, self.memory)?;
        super::report(&statistics, self.quiet, self.verbose);
        if !is_arpa {
            return Ok(Lm::build(ngrams, LmLayout::default())?.write(&self.output)?);
        }
        let mut output = Output::create(&self.output)?;
        arpa::write(&ngrams, &mut output).map_err(|e| output.error(e))?;
        Ok(output.finish()?)
    }
}
