//! `treeglot align trees stats`.

use crate::args::{Json, OutputArgs, count};
use crate::commands::align::check_nodes;
use crate::errors::wrong;
use crate::print::json_line;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use treeglot_align::links::{Link, parse};
use treeglot_align::trees::{AlignedPair, Comparison, MOST_SETS, SetStats, TreeFile, TreePair, next_pair};
use treeglot_text::{Lines, Output};

const HELP: &str = "\
The sets have the trees of the same sentences in the same order, such as constituency and dependency trees, each with its \
own links. Types of phrase pairs and constituents count as a set's own if no other set has them; constituents have more than \
one word.

Example:
  treeglot align trees stats --set con de.ptb en.ptb con.links --set dep de.conllu en.conllu dep.links";

/// The arguments of `treeglot align trees stats`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A set of aligned trees: its name, source trees, target trees and node links
    #[arg(long, required = true, num_args = 4, value_names = ["NAME", "SRCTREES", "TGTTREES", "LINKS"])]
    set: Vec<String>,

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    out: OutputArgs,
}

/// A set that is being read.
struct Set {
    trees: [TreeFile; 2],
    links: Lines,
}

#[derive(Serialize)]
struct Report<'a> {
    set: &'a str,
    #[serde(flatten)]
    stats: SetStats,
}

impl Set {
    fn open(files: &[String]) -> Result<Self> {
        let [_, source, target, links] = files else { wrong!("a set has a name and three files") };
        let open = |path: &String| TreeFile::open(Path::new(path), None);
        Ok(Self { trees: [open(source)?, open(target)?], links: Lines::open(links)? })
    }

    /// The next pair with its links, or `None` at the end.
    fn next(&mut self) -> Result<Option<(TreePair, Vec<Link>)>> {
        let pair = next_pair(&mut self.trees)?;
        let line = self.links.next_line()?.map(str::to_string);
        let (Some(pair), Some(line)) = (&pair, &line) else {
            if pair.is_some() || line.is_some() {
                let [source, _] = &self.trees;
                bail!(
                    "{} and {} do not match: a line of links for each tree",
                    source.name(),
                    self.links.place().name
                );
            }
            return Ok(None);
        };
        let links = parse(line, &self.links.place())?;
        let nodes = |side: usize| pair[side].as_ref().map_or(0, |side| side.nodes.len());
        check_nodes(&links, [nodes(0), nodes(1)], &self.links)?;
        Ok(Some((pair.clone(), links)))
    }
}

impl Args {
    pub fn run(self) -> Result<()> {
        if self.set.len() / 4 > MOST_SETS {
            wrong!("at most {MOST_SETS} sets can be compared");
        }
        let mut sets: Vec<Set> = self.set.chunks(4).map(Set::open).collect::<Result<_>>()?;
        let mut comparison = Comparison::default();
        loop {
            let pairs: Vec<_> = sets.iter_mut().map(Set::next).collect::<Result<_>>()?;
            if pairs.iter().all(Option::is_none) {
                break;
            }
            let pairs: Option<Vec<_>> = pairs.into_iter().collect();
            let pairs =
                pairs.context("the sets have different numbers of pairs: compare the same sentences")?;
            let aligned: Vec<AlignedPair<'_>> = pairs
                .iter()
                .map(|(pair, links)| match pair {
                    [Some(source), Some(target)] => Some(([source, target], links.as_slice())),
                    _ => None,
                })
                .collect();
            comparison.add(&aligned);
        }
        self.out.write(|output| self.print(&comparison.stats(), output))
    }

    fn print(&self, stats: &[SetStats], output: &mut Output) -> std::io::Result<()> {
        let names = self.set.chunks(4).map(|set| set[0].as_str());
        for (set, &stats) in names.zip(stats) {
            if self.form.json {
                json_line(output, &Report { set, stats })?;
                continue;
            }
            let SetStats { pairs, links, linked_phrases: [s, t], phrase_pairs, own_phrase_pairs, .. } = stats;
            writeln!(output, "{set}: {}, {}", count(pairs, "pair"), count(links, "link"))?;
            writeln!(output, "  linked phrases     {s} source, {t} target")?;
            let length = stats.own_mean_length;
            writeln!(
                output,
                "  phrase-pair types  {phrase_pairs}, {own_phrase_pairs} in this set alone, of {length:.2} words a phrase"
            )?;
            let ([s, t], [own_s, own_t]) =
                (stats.constituents, stats.own_constituents.map(|own| own * 100.0));
            writeln!(
                output,
                "  constituents       {s} source, {own_s:.1}% in this set alone; {t} target, {own_t:.1}%"
            )?;
        }
        Ok(())
    }
}
