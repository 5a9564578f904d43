//! `treeglot tree stats`.

use super::format_of;
use crate::args::{Json, OutputArgs};
use crate::print::json_line;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_text::Output;
use treeglot_tree::format::egret::Markers;
use treeglot_tree::format::{AnyTree, Format, ReadOptions, ReadTrees};
use treeglot_tree::stats::{ConStats, DepStats, DepSummary};
use treeglot_tree::transform::pas;

const HELP: &str = "\
Dependency trees: the share of non-projective sentences and arcs (Graham 2013, table 1), maximum branching and depth of \
each tree (Na & Lee 2011, figure 2), arc lengths, roots, sentences that are no trees. Constituency trees: constituents, \
height, branching, discontinuous ones. With -v also the distributions and the labels.

Examples:
  treeglot tree stats *.conllu.gz
  treeglot tree stats -v --json train.de.conllu";

/// The arguments of `treeglot tree stats`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The treebanks
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,

    /// The format of the files, where their names do not tell it
    #[arg(long, value_name = "FMT")]
    format: Option<Format>,

    #[command(flatten)]
    form: Json,

    /// Print the distributions of lengths, branching and depth, and the labels
    #[arg(short, long)]
    verbose: bool,

    #[command(flatten)]
    out: OutputArgs,
}

enum Stats {
    Dep(DepStats),
    Con(ConStats),
}

#[derive(Serialize)]
struct Named<'a, T> {
    file: &'a str,
    #[serde(flatten)]
    stats: T,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let mut all = Vec::new();
        for path in &self.inputs {
            all.push((path.display().to_string(), self.count(path)?));
        }
        self.out.write(|output| self.print(&all, output))
    }

    fn count(&self, path: &Path) -> Result<Stats> {
        let format = format_of(self.format, path)?;
        let mut reader = format.open(path, &ReadOptions::default())?;
        let (mut dep, mut con) = (DepStats::default(), ConStats::default());
        let mut failed = 0;
        while let Some(tree) = reader.next_tree()? {
            match tree {
                AnyTree::Dep(parse) => dep.add_parse(&parse),
                AnyTree::Graph(graph) => dep.add_parse(&graph.to_dep(None).parse),
                AnyTree::Enju(sentence) if sentence.is_parsed() => {
                    dep.add_parse(&pas::to_dep(&sentence, pas::Options::default())?.parse);
                }
                AnyTree::Con(tree) => con.add(&tree),
                AnyTree::Derivation(derivation) => con.add(&derivation.to_con()?),
                AnyTree::Forest(forest) => con.add(&forest.tree(&forest.best(), Markers::Remove)),
                AnyTree::Tiger(sentence) => match sentence.tree() {
                    Some(tree) => con.add(tree),
                    None => failed += 1,
                },
                AnyTree::Enju(_) | AnyTree::Failed => failed += 1,
            }
        }
        for _ in 0..failed {
            con.add_failed();
        }
        Ok(if dep.sentences > 0 { Stats::Dep(dep) } else { Stats::Con(con) })
    }

    fn print(&self, all: &[(String, Stats)], out: &mut Output) -> std::io::Result<()> {
        if self.form.json {
            return all.iter().try_for_each(|(file, stats)| self.print_json(file, stats, out));
        }
        if self.verbose {
            return all.iter().try_for_each(|(file, stats)| match stats {
                Stats::Dep(stats) => writeln!(out, "{file}\n{stats}"),
                Stats::Con(stats) => writeln!(out, "{file}\n{stats}"),
            });
        }
        print_table(all, out)
    }

    fn print_json(&self, file: &str, stats: &Stats, out: &mut Output) -> std::io::Result<()> {
        match stats {
            Stats::Dep(stats) if self.verbose => json_line(out, &Named { file, stats }),
            Stats::Dep(stats) => json_line(out, &Named { file, stats: stats.summary() }),
            Stats::Con(stats) => json_line(out, &Named { file, stats }),
        }
    }
}

fn print_table(all: &[(String, Stats)], out: &mut Output) -> std::io::Result<()> {
    let width = all.iter().map(|(file, _)| file.chars().count()).max().unwrap_or(0).max(8);
    let mut heading = "";
    for (file, stats) in all {
        match stats {
            Stats::Dep(stats) => {
                let columns =
                    "sentences    tokens  length  non-projective  arcs np  branching  depth  no tree";
                if heading != columns {
                    writeln!(out, "{:<width$}  {columns}", "file")?;
                    heading = columns;
                }
                let DepSummary {
                    sentences,
                    tokens,
                    illegal,
                    mean_length,
                    nonprojective_sentences: np,
                    nonprojective_sentence_share: np_share,
                    nonprojective_arc_share: arc_share,
                    mean_branching,
                    mean_depth,
                    ..
                } = stats.summary();
                let (np_share, arc_share) = (100.0 * np_share, 100.0 * arc_share);
                writeln!(
                    out,
                    "{file:<width$}  {sentences:>9} {tokens:>9} {mean_length:>7.2} {np:>7} {np_share:>6.2}% \
                     {arc_share:>7.2}% {mean_branching:>10.2} {mean_depth:>6.2} {illegal:>8}"
                )?;
            }
            Stats::Con(stats) => {
                let columns =
                    "sentences    tokens  length  constituents  height  branching  discontinuous   failed";
                if heading != columns {
                    writeln!(out, "{:<width$}  {columns}", "file")?;
                    heading = columns;
                }
                let ConStats { sentences, tokens, nodes, discontinuous_sentences: gaps, failed, .. } = stats;
                let (length, height, branching) =
                    (stats.lengths.mean(), stats.heights.mean(), stats.branching.mean());
                let gap_share = 100.0 * stats.discontinuous_sentence_share();
                writeln!(
                    out,
                    "{file:<width$}  {sentences:>9} {tokens:>9} {length:>7.2} {nodes:>13} {height:>7.2} \
                     {branching:>10.2} {gaps:>6} {gap_share:>6.2}% {failed:>8}"
                )?;
            }
        }
    }
    Ok(())
}
