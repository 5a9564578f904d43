//! `treeglot align trees eval`.

use super::input::{TreeArgs, sides};
use crate::args::{Json, OutputArgs, Quiet, count, name};
use crate::print::json_line;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use treeglot_align::links::Link;
use treeglot_align::trees::{GoldNodes, GoldOptions, NodeAgreement, NodeLinks, NodeScores, TreePair};
use treeglot_text::Output;
use treeglot_tree::format::tiger_align::Alignment;

const HELP: &str = "\
The links have a line for each pair of sentences that the gold alignment pairs, in the order of the treebanks: what \
`treeglot align trees --pairs GOLD` writes, as numbers or as TIGER-XML. A link counts as a phrase link if a phrase is on either side.

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

    /// The node links to score: lines of numbers, or an alignment of the TreeAligner
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

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    notes: Quiet,
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
        let trees: Vec<TreePair> = pairs.iter().map(sides).collect();
        let mut found = NodeLinks::open(&self.links)?;
        let found = found.of_pairs(&trees)?;
        let mut agreement = NodeAgreement::default();
        for ((pair, trees), links) in pairs.iter().zip(&trees).zip(&found.links) {
            let [Some(source), Some(target)] = trees else { continue };
            let links: Vec<Link> = links.iter().map(|link| link.link).collect();
            agreement.add(&GoldNodes::of_pair(pair, [source, target], &options), &links, [source, target]);
        }
        if found.unpaired > 0 {
            let links = count(found.unpaired, "link");
            self.notes
                .note(&format!("{links} of sentences that {} does not pair do not count", name(&self.gold)));
        }
        self.out.write(|output| self.print(&agreement, output))
    }

    fn print(&self, agreement: &NodeAgreement, output: &mut Output) -> std::io::Result<()> {
        let NodeAgreement { pairs, all, phrases, words } = *agreement;
        let [all, phrases, words] = [all, phrases, words].map(|counts| counts.scores());
        if self.form.json {
            return json_line(output, &Report { pairs, all, phrases, words });
        }
        writeln!(output, "          precision   recall       F1    found     gold")?;
        for (name, scores) in [("all", all), ("phrases", phrases), ("words", words)] {
            let [p, r, f] = [scores.precision, scores.recall, scores.f1].map(|share| share * 100.0);
            let NodeScores { found, gold, .. } = scores;
            writeln!(output, "{name:<8}    {p:>6.2}%  {r:>6.2}%  {f:>6.2}%  {found:>7}  {gold:>7}")?;
        }
        writeln!(output, "{}", count(pairs, "pair"))
    }
}
