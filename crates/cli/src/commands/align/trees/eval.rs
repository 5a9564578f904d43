//! `treeglot align trees eval`.

use super::input::{TreeArgs, sides};
use crate::commands::common;
use anyhow::{Result, bail};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use treeglot_align::links::parse;
use treeglot_align::trees::{GoldNodes, GoldOptions, NodeAgreement, NodeScores};
use treeglot_text::{Lines, Output};
use treeglot_tree::format::tiger_align::Alignment;

const HELP: &str = "\
The links have a line for each pair of sentences that the gold alignment pairs, in the order of the treebanks: what \
`treeglot align trees --pairs GOLD` writes. A link counts as a phrase link if a phrase is on either side.

Example:
  treeglot align trees de.xml en.xml --pairs gold.xml --lex lex > links
  treeglot align trees eval de.xml en.xml --gold gold.xml links";

/// The arguments of `treeglot align trees eval`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    trees: TreeArgs,

    /// The gold links: an alignment of the TreeAligner
    #[arg(long, value_name = "FILE")]
    gold: PathBuf,

    /// The node links to score
    #[arg(value_name = "LINKS", default_value = "-")]
    links: PathBuf,

    /// Count only gold links that are `good`; a link that is only `fuzzy` then counts neither for nor against
    #[arg(long)]
    good_only: bool,

    /// Count links of punctuation too, which treebanks mostly leave without links
    #[arg(long)]
    punctuation: bool,

    /// The author of gold links that a program made, which count neither for nor against
    #[arg(long, value_name = "NAME", default_value = "bleualign")]
    automatic: String,

    /// Print a JSON object
    #[arg(long)]
    json: bool,

    /// Where to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Serialize)]
struct Report {
    pairs: usize,
    all: NodeScores,
    phrases: NodeScores,
    words: NodeScores,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let (alignment, treebanks) = (Alignment::open(&self.gold)?, self.trees.treebanks()?);
        let pairs = alignment.pairs([&treebanks[0], &treebanks[1]])?;
        let options = GoldOptions {
            good_only: self.good_only,
            punctuation: self.punctuation,
            automatic: Some(self.automatic.clone()),
        };
        let mut lines = Lines::open(&self.links)?;
        let mut agreement = NodeAgreement::default();
        let mut read = 0;
        loop {
            let links = match lines.next_line()? {
                None => break,
                Some(line) => line.to_string(),
            };
            let links = parse(&links, &lines.place())?;
            read += 1;
            let Some(pair) = pairs.get(read - 1) else { break };
            let [Some(source), Some(target)] = &sides(pair) else { continue };
            let outside = links.iter().find(|link| {
                link.src as usize >= source.nodes.len() || link.tgt as usize >= target.nodes.len()
            });
            if let Some(link) = outside {
                let (s, t) = (source.nodes.len(), target.nodes.len());
                return Err(lines
                    .malformed(format!("link `{link}` is outside trees of {s} and {t} nodes"))
                    .into());
            }
            let sides = [source, target];
            agreement.add(&GoldNodes::of_pair(pair, sides, &options), &links, sides);
        }
        if read != pairs.len() {
            let (links, gold) = (common::name(&self.links), common::name(&self.gold));
            bail!(
                "{links} has {}{}, but {gold} pairs {}: align with --pairs {gold}",
                if read > pairs.len() { "more than " } else { "" },
                common::count(read.min(pairs.len()), "line"),
                common::count(pairs.len(), "sentence"),
            );
        }
        let mut output = Output::create(&self.output)?;
        self.print(&agreement, &mut output).map_err(|e| output.error(e))?;
        Ok(output.finish()?)
    }

    fn print(&self, agreement: &NodeAgreement, output: &mut Output) -> std::io::Result<()> {
        let NodeAgreement { pairs, all, phrases, words } = *agreement;
        let [all, phrases, words] = [all, phrases, words].map(|counts| counts.scores());
        if self.json {
            serde_json::to_writer(&mut *output, &Report { pairs, all, phrases, words })?;
            return writeln!(output);
        }
        writeln!(output, "          precision   recall       F1    found     gold")?;
        for (name, scores) in [("all", all), ("phrases", phrases), ("words", words)] {
            let [p, r, f] = [scores.precision, scores.recall, scores.f1].map(|share| share * 100.0);
            let NodeScores { found, gold, .. } = scores;
            writeln!(output, "{name:<8}    {p:>6.2}%  {r:>6.2}%  {f:>6.2}%  {found:>7}  {gold:>7}")?;
        }
        writeln!(output, "{}", common::count(pairs, "pair"))
    }
}
