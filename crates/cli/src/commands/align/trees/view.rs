//! `treeglot align trees view`.

use super::input::{TreeArgs, sides};
use crate::args::{Quiet, count, name};
use crate::errors::wrong;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use treeglot_align::trees::{NodeLink, NodeLinks, PairedLinks, TreePair, Viewer, next_pairs};
use treeglot_text::Output;
use treeglot_tree::format::tiger_align::Alignment;

const HELP: &str = "\
Links are lines of numbers, as `treeglot align trees` writes them, or an alignment of the TreeAligner, as it writes with --format \
tigerxml and as parallel treebanks have: gold links, links of any program. Of two files it is shown which links both have, and which \
only one. Nothing is aligned.

The page needs nothing else. Its address names a pair (page.html#pair-12); links of the first file can be mended in it, and saved as an \
alignment.

Examples:
  treeglot align trees view de.xml en.xml gold.xml -o gold.html
  treeglot align trees view de.xml en.xml gold.xml ours.xml -o both.html
  treeglot align trees view train.de.ptb train.en.ptb node.links -o trees.html";

/// The arguments of `treeglot align trees view`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    trees: TreeArgs,

    /// The links to show; with a second file, those that it is compared with
    #[arg(value_name = "LINKS", required = true)]
    links: Vec<PathBuf>,

    /// Pair the sentences of two TIGER-XML treebanks by this alignment [default: by the links, if they are one; else by their order]
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,

    /// The page to write
    #[arg(short, long, value_name = "FILE.html", default_value = "trees.html")]
    output: PathBuf,

    #[command(flatten)]
    notes: Quiet,
}

impl Args {
    pub fn run(self) -> Result<()> {
        if self.links.len() > 2 {
            wrong!("one set of links is shown, or two are compared: give at most two files");
        }
        let mut sets: Vec<NodeLinks> =
            self.links.iter().map(|path| Ok(NodeLinks::open(path)?)).collect::<Result<_>>()?;
        let (pairs, frame) = self.pairs_and_frame(&sets)?;
        let links: Vec<PairedLinks> =
            sets.iter_mut().map(|set| Ok(set.of_pairs(&pairs)?)).collect::<Result<_>>()?;
        for (path, links) in self.links.iter().zip(&links).filter(|(_, links)| links.unpaired > 0) {
            let unpaired = count(links.unpaired, "link");
            self.notes.note(&format!("{}: {unpaired} of sentences that are no pair here", name(path)));
        }
        let names: Vec<String> = self.links.iter().map(|path| short_name(path)).collect();
        let mut viewer =
            Viewer::new(Output::create(&self.output)?, &names, &frame).context("cannot write the page")?;
        let mut shown = 0;
        for (number, pair) in pairs.iter().enumerate() {
            let [Some(source), Some(target)] = pair else { continue };
            let sets: Vec<&[NodeLink]> = links.iter().map(|set| set.links[number].as_slice()).collect();
            viewer.add([source, target], &sets).context("cannot write the page")?;
            shown += 1;
        }
        viewer.finish().context("cannot write the page")?.finish()?;
        self.notes.note(&format!("{}: open {} in a browser", count(shown, "pair"), self.output.display()));
        Ok(())
    }

    /// All pairs of trees, and the alignment that mended links are saved in.
    fn pairs_and_frame(&self, sets: &[NodeLinks]) -> Result<(Vec<TreePair>, Alignment)> {
        let given = self.pairs.as_ref().map(Alignment::open).transpose()?;
        let of_links = sets.iter().find_map(NodeLinks::alignment).filter(|_| self.trees.are_treebanks());
        if let Some(alignment) = given.as_ref().or(of_links) {
            let treebanks = self.trees.treebanks()?;
            let pairs = alignment.pairs([&treebanks[0], &treebanks[1]])?.iter().map(sides).collect();
            return Ok((pairs, sets[0].alignment().unwrap_or(alignment).clone()));
        }
        let frame = sets[0].alignment().cloned();
        let pairs = next_pairs(&mut self.trees.open(false)?, usize::MAX)?;
        Ok((pairs, frame.unwrap_or_else(|| self.trees.new_alignment())))
    }
}

fn short_name(path: &Path) -> String {
    path.file_name().map_or_else(|| name(path), |file| file.to_string_lossy().into_owned())
}
