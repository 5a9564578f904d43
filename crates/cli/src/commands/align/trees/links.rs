//! `treeglot align trees SRCTREES TGTTREES`.

use super::input::TreeArgs;
use crate::commands::common;
use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rayon::prelude::*;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_align::links::{Line, Link};
use treeglot_align::trees::files::TreePair;
use treeglot_align::trees::{Aligner, Lexicon, Score, Selection, Settings, Skip, Smoothing, Worker};
use treeglot_text::Output;

/// The arguments of `treeglot align trees SRCTREES TGTTREES`.
#[derive(clap::Args)]
pub struct LinksArgs {
    #[command(flatten)]
    trees: TreeArgs,

    /// The lexical tables PREFIX.f2e and PREFIX.e2f, as `treeglot align --lex` writes them
    #[arg(long, value_name = "PREFIX")]
    lex: PathBuf,

    /// Pair the sentences of two TIGER-XML treebanks by this alignment instead of by their order
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,

    /// Whether products of probabilities go over the given words (1) or over the others (2)
    #[arg(long, value_name = "N", default_value = "2", value_parser = score_parser())]
    score: Score,

    /// What to do when pairs that share a node have the same score
    #[arg(long, value_name = "N", default_value = "2", value_parser = skip_parser())]
    skip: Skip,

    /// Let links between single words compete with all others from the start
    #[arg(long)]
    no_span1: bool,

    /// What words have for a partner that the tables give none
    #[arg(long, value_name = "HOW", default_value = "empty", value_parser = smoothing_parser())]
    smoothing: Smoothing,

    /// How many threads work [default: all cores]; the output does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Where to write; `.gz` and `.zst` are packed
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

fn score_parser() -> impl TypedValueParser<Value = Score> {
    PossibleValuesParser::new(["1", "2"]).map(|name| if name == "1" { Score::One } else { Score::Two })
}

fn skip_parser() -> impl TypedValueParser<Value = Skip> {
    PossibleValuesParser::new(["0", "1", "2"]).map(|name| match name.as_str() {
        "0" => Skip::None,
        "1" => Skip::One,
        _ => Skip::Two,
    })
}

fn smoothing_parser() -> impl TypedValueParser<Value = Smoothing> {
    PossibleValuesParser::new(["empty", "none"])
        .map(|name| if name == "none" { Smoothing::None } else { Smoothing::Empty })
}

impl LinksArgs {
    pub fn run(self) -> Result<()> {
        common::on_threads(self.threads, || self.align())?
    }

    fn align(&self) -> Result<()> {
        let settings = Settings {
            score: self.score,
            smoothing: self.smoothing,
            selection: Selection { skip: self.skip, span1: !self.no_span1 },
        };
        let aligner = Aligner::new(Lexicon::open(&self.lex)?, settings);
        let mut output = Output::create(&self.output)?;
        self.trees.for_each_chunk(self.pairs.as_ref(), |chunk| {
            let links: Vec<Vec<Link>> = chunk
                .par_iter()
                .map_init(|| aligner.worker(), |worker, pair| links_of(worker, pair))
                .collect();
            for links in &links {
                writeln!(output, "{}", Line(links)).map_err(|e| output.error(e))?;
            }
            Ok(())
        })?;
        Ok(output.finish()?)
    }
}

/// The links of a pair; none if a side has no tree.
fn links_of(worker: &mut Worker<'_>, pair: &TreePair) -> Vec<Link> {
    let [Some(source), Some(target)] = pair else { return Vec::new() };
    worker.align([&source.words, &target.words], [&source.nodes, &target.nodes])
}
