//! Sentence pairs with their links and trees.

use clap::Args;
use std::path::PathBuf;
use treeglot_models::pairs::Files;
use treeglot_text::Side;
use treeglot_text::bitext::Options;
use treeglot_tree::{PerTree, TreeKind, TreeSlot};

/// Sentence pairs with word links.
#[derive(Args)]
pub struct PairArgs {
    /// Source sentences, tokenised, one a line
    #[arg(long, value_name = "FILE")]
    pub src: PathBuf,

    /// Target sentences
    #[arg(long, value_name = "FILE")]
    pub tgt: PathBuf,

    /// Links between source and target words
    #[arg(long, value_name = "FILE")]
    pub links: PathBuf,

    #[command(flatten)]
    pub bad: SkipBad,
}

impl PairArgs {
    /// The files, with trees beside them.
    pub fn files(&self, trees: PerTree<Vec<PathBuf>>) -> Files {
        let Self { src, tgt, links, .. } = self;
        Files { source: src.clone(), target: tgt.clone(), links: links.clone(), trees, ..Files::default() }
    }

    /// The files, with dependency and constituency trees of the source sentences beside them.
    pub fn with_source_trees(&self, deps: &[PathBuf], cons: &[PathBuf]) -> Files {
        self.files(source_files(deps, cons))
    }
}

/// What becomes of input that cannot be used.
#[derive(Args)]
pub struct SkipBad {
    /// Skip what cannot be used (a line that is too long or not UTF-8, links or trees that do not fit their sentence), and
    /// count it, instead of stopping there; in outputs that have a line for each line it leaves an empty one
    #[arg(long)]
    pub skip_bad: bool,
}

impl SkipBad {
    /// How pairs of files are read.
    pub fn options(&self) -> Options {
        Options { skip_bad: self.skip_bad, ..Options::default() }
    }
}

/// Trees of source sentences.
#[derive(Args)]
pub struct SourceTreeArgs {
    /// Dependency trees of the source sentences, one for each line; given again, other parses of the same sentences, the best
    /// first, for models that read several
    #[arg(long, value_name = "FILE")]
    src_dep: Vec<PathBuf>,

    /// Constituency trees of the source sentences, likewise; a file `*.forest` has packed forests as Egret writes them
    #[arg(long, value_name = "FILE")]
    src_con: Vec<PathBuf>,
}

/// Trees of both sides.
#[derive(Args)]
pub struct TreeArgs {
    #[command(flatten)]
    source: SourceTreeArgs,

    /// Dependency trees of the target sentences; given again, as another parser's, the rules of all are taken, and told apart
    /// by the number of their file
    #[arg(long, value_name = "FILE")]
    tgt_dep: Vec<PathBuf>,

    /// Constituency trees of the target sentences
    #[arg(long, value_name = "FILE")]
    tgt_con: Vec<PathBuf>,
}

/// Trees of the source sentences of a development set.
#[derive(Args)]
pub struct DevTreeArgs {
    /// Dependency trees of the sentences of --dev-src, for models that translate trees; given again, other parses of them
    #[arg(long, value_name = "FILE", requires = "dev_src")]
    dev_src_dep: Vec<PathBuf>,

    /// Constituency trees of the sentences of --dev-src, likewise
    #[arg(long, value_name = "FILE", requires = "dev_src")]
    dev_src_con: Vec<PathBuf>,
}

impl SourceTreeArgs {
    /// The files by side and kind.
    pub fn files(&self) -> PerTree<Vec<PathBuf>> {
        source_files(&self.src_dep, &self.src_con)
    }
}

impl TreeArgs {
    /// The files by side and kind.
    pub fn files(&self) -> PerTree<Vec<PathBuf>> {
        PerTree { target_dep: self.tgt_dep.clone(), target_con: self.tgt_con.clone(), ..self.source.files() }
    }
}

impl DevTreeArgs {
    /// The files by side and kind.
    pub fn files(&self) -> PerTree<Vec<PathBuf>> {
        source_files(&self.dev_src_dep, &self.dev_src_con)
    }
}

fn source_files(dep: &[PathBuf], con: &[PathBuf]) -> PerTree<Vec<PathBuf>> {
    PerTree { source_dep: dep.to_vec(), source_con: con.to_vec(), ..PerTree::default() }
}

/// The option that gives trees.
pub fn tree_option(slot: TreeSlot) -> &'static str {
    match (slot.side, slot.kind) {
        (Side::Source, TreeKind::Dependency) => "--src-dep",
        (Side::Source, TreeKind::Constituency) => "--src-con",
        (Side::Target, TreeKind::Dependency) => "--tgt-dep",
        (Side::Target, TreeKind::Constituency) => "--tgt-con",
    }
}
