//! `treeglot lm depbuild`.

use super::Work;
use crate::args::{MemoryArgs, SkipBad};
use crate::errors::wrong;
use crate::print::write_file;
use anyhow::Result;
use std::path::PathBuf;
use treeglot_lm::depend::from_trees;
use treeglot_lm::{Error, Lm, LmLayout, Settings, arpa};
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::{DepParse, TreeCounts};

const HELP: &str = "\
Each word of a tree is predicted from its head and, with order 3, from the sibling between it and the head, apart on \
each side; roots are predicted by themselves. Trees with cycles or several roots are used where they are sound, and counted. OUT is binary; if its name has `.arpa` in it, it is ARPA.

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

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    bad: SkipBad,

    /// Where to write the model
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    #[command(flatten)]
    work: Work,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let is_arpa = self.output.to_string_lossy().contains(".arpa");
        if !is_arpa && self.output.as_os_str() == "-" {
            wrong!("the binary form needs a file: give -o a name");
        }
        self.work.threads.run(|| self.build(is_arpa))
    }

    fn build(&self, is_arpa: bool) -> Result<()> {
        let reader = conllu::Reader::open(&self.input)?;
        let mut counts = TreeCounts::default();
        let trees = reader.trees().filter_map(|parse| {
            let with_tree = |parse: DepParse| {
                let tree = counts.tree_of(&parse, self.bad.skip_bad)?;
                Ok(tree.map(|tree| (parse, tree)))
            };
            parse.and_then(with_tree).map_err(Error::from).transpose()
        });
        let (ngrams, statistics) = from_trees(trees, self.order, self.memory.bytes())?;
        super::report(&statistics, &self.work.notes);
        if !counts.is_empty() {
            self.work.notes.notes.note(&counts.to_string());
        }
        if !is_arpa {
            return Ok(Lm::build(ngrams, LmLayout::default())?.write(&self.output)?);
        }
        write_file(&self.output, |output| arpa::write(&ngrams, output))
    }
}
