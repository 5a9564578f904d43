//! `treeglot tree units`.

use super::pair::{PairNumber, print_words};
use crate::args::{Json, OutputArgs, PairArgs};
use crate::errors::WrongArgument;
use crate::print::{json_line, write_file};
use anyhow::Result;
use std::io::{self, Write};
use std::path::PathBuf;
use treeglot_models::DescribedSpan;
use treeglot_models::mwu::{
    Consistency, Counts, DescribedForest, DescribedHyperarc, MwuOptions, describe, describe_needs,
};
use treeglot_pipeline::report::units::unit_forest;
use treeglot_pipeline::report::{Part, Report};

const HELP: &str = "\
Prints what `treeglot extract mwu` reads rules off (Na & Lee 2011, figures 4 and 5). A vertex has its words; the hull of their \
links (aspan) and that of all words its derivations cover (cspan), in parentheses where it is not consistent; the outside \
weight (alpha) and the inside probability (beta). Below it are the hyperarcs into it: their tails, the mean number of words of \
these (c) and the probability (p). v0 is the dummy root.

Example:
  treeglot tree units --src de --tgt en --links links --src-dep de.conllu --sentence 3 --m 3 --plot forest.html";

/// The arguments of `treeglot tree units`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    pairs: PairArgs,

    /// Dependency trees of the source sentences; several files make one forest
    #[arg(long, value_name = "FILE", required = true)]
    src_dep: Vec<PathBuf>,

    #[command(flatten)]
    number: PairNumber,

    /// The most words of a unit
    #[arg(long, value_name = "N", default_value_t = MwuOptions::default().m)]
    m: usize,

    /// The most ways to go on below a unit, the best first
    #[arg(long, value_name = "N", default_value_t = MwuOptions::default().k)]
    k: usize,

    /// Leave out ways of at most this probability, but for the best one below each unit
    #[arg(long, value_name = "P", default_value_t = MwuOptions::default().delta)]
    delta: f64,

    /// When a target span may be the translation of a unit
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    consistency: Consistency,

    /// How often rules count, which is what the outside weights are for
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    counts: Counts,

    #[command(flatten)]
    form: Json,

    /// Draw the forest on a page that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,

    #[command(flatten)]
    out: OutputArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let forest = self.forest()?;
        self.out.write(|out| if self.form.json { json_line(out, &forest) } else { print(&forest, out) })?;
        if let Some(path) = &self.plot {
            let title = forest.source.join(" ");
            let part = Part { title, charts: vec![unit_forest(&forest)], ..Part::default() };
            let about = format!("treeglot {}", env!("CARGO_PKG_VERSION"));
            let report = Report {
                title: "Forest of multi-word units".into(),
                about,
                parts: vec![part],
                ..Report::default()
            };
            write_file(path, |page| page.write_all(report.html().as_bytes()))?;
        }
        Ok(())
    }

    /// The forest of the chosen pair.
    fn forest(&self) -> Result<DescribedForest> {
        let Self { m, k, delta, consistency, counts, .. } = *self;
        let options = MwuOptions { m, k, delta, consistency, counts, ..MwuOptions::default() };
        let needs = describe_needs(&options).map_err(|error| WrongArgument(error.to_string()))?;
        let files = self.pairs.with_source_trees(&self.src_dep, &[]);
        self.number.of(&self.pairs, &files, needs, |pair, vocab| describe(&options, pair, vocab))
    }
}

fn print(forest: &DescribedForest, out: &mut dyn Write) -> io::Result<()> {
    print_words([&forest.source, &forest.target], out)?;
    writeln!(out, "v0")?;
    print_hyperarcs(&forest.root, out)?;
    for (number, vertex) in forest.vertices.iter().enumerate() {
        let (aspan, cspan) = (DescribedSpan::named(vertex.aspan), DescribedSpan::named(vertex.cspan));
        let phrase = forest.phrase(&vertex.words);
        let weights = format!("alpha {:.4} beta {:.4}", vertex.alpha, vertex.beta);
        writeln!(out, "v{} {phrase} aspan {aspan} cspan {cspan} {weights}", number + 1)?;
        print_hyperarcs(&vertex.hyperarcs, out)?;
    }
    Ok(())
}

fn print_hyperarcs(edges: &[DescribedHyperarc], out: &mut dyn Write) -> io::Result<()> {
    for edge in edges {
        let tails: Vec<String> = edge.tails.iter().map(|tail| format!("v{tail}")).collect();
        writeln!(out, "  {} c {:.2} p {:.4}", tails.join(" "), edge.c, edge.p)?;
    }
    Ok(())
}
