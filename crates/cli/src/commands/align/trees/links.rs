//! `treeglot align trees SRCTREES TGTTREES`.

use super::input::{TreeArgs, format_parser};
use crate::args::{OutputArgs, Quiet, SkipBad, Threads};
use crate::commands::align::required;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::PathBuf;
use treeglot_align::links::{Line, Link};
use treeglot_align::trees::{Aligner, LexicalTables, NodeLink, TreeAlignSettings, TreePair, Viewer};
use treeglot_text::Output;
use treeglot_tree::format::Format;
use treeglot_tree::format::tiger_align::{Alignment, Link as NamedLink, LinkType};

const HELP: &str = "\
Trees are constituency or dependency trees, of any format, also of different kinds on the two sides. Every pair of nodes \
is scored by the lexical probabilities of the words below them and of the words outside; the best pair is linked, what goes \
against it is dropped, until nothing is left. A node is linked once, and what is below (above) a linked node is linked only \
to what is below (above) its partner.

Nodes are numbered from 0 in pre-order, words included: a word is its part-of-speech node. In a dependency tree each word \
with dependents has a node over itself and them, as in `treeglot tree convert --to depbracket`. A pair with a missing tree \
gets an empty line. The tables must have the words of the trees; words they lack are looked up in lower case.

Examples:
  treeglot align train.de train.en --lex lex -o train.links
  treeglot align trees train.de.ptb train.en.conllu --lex lex > node.links
  treeglot align trees de.xml en.xml --lex lex --format tigerxml --html trees.html -o de-en.xml";

/// The arguments of `treeglot align trees SRCTREES TGTTREES`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct LinksArgs {
    /// Trees of the source sentences
    #[arg(value_name = "SRCTREES", required = true)]
    src: Option<PathBuf>,

    /// Trees of the target sentences
    #[arg(value_name = "TGTTREES", required = true)]
    tgt: Option<PathBuf>,

    /// The format of the source trees [default: by the file's name; `.xml` is TIGER-XML]
    #[arg(long, value_name = "FMT", value_parser = format_parser())]
    src_format: Option<Format>,

    /// The format of the target trees [default: by the file's name]
    #[arg(long, value_name = "FMT", value_parser = format_parser())]
    tgt_format: Option<Format>,

    /// The lexical tables PREFIX.f2e and PREFIX.e2f, as `treeglot align --lex` writes them
    #[arg(long, value_name = "PREFIX", required = true)]
    lex: Option<PathBuf>,

    /// Pair the sentences of two TIGER-XML treebanks by this alignment instead of by their order
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,

    #[command(flatten)]
    bad: SkipBad,

    #[command(flatten)]
    settings: TreeAlignSettings,

    #[command(flatten)]
    threads: Threads,

    /// What to write: `links`, a line of links `srcnode-tgtnode` for each pair, or `tigerxml`, the alignment XML of parallel
    /// treebanks such as SMULTRON
    #[arg(long, value_name = "FMT", default_value = "links", value_parser = ["links", "tigerxml"])]
    format: String,

    /// Also write a page that shows the trees with their links, to be opened in a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    notes: Quiet,
}

impl LinksArgs {
    pub fn run(self) -> Result<()> {
        self.threads.run(|| self.align())
    }

    fn align(&self) -> Result<()> {
        let aligner = Aligner::new(LexicalTables::open(required(&self.lex))?, self.settings);
        let mut writer = Writer {
            output: self.out.create()?,
            alignment: (self.format == "tigerxml").then(|| self.alignment()).transpose()?,
            viewer: self.html.as_ref().map(|path| open_viewer(path, &self.alignment()?)).transpose()?,
        };
        let mut first = true;
        self.trees().for_each_chunk(self.pairs.as_ref(), &self.bad, &self.notes, |chunk| {
            if std::mem::take(&mut first) && aligner.tables().are_for_swapped(&chunk) {
                let (src, tgt) = (required(&self.src).display(), required(&self.tgt).display());
                bail!("the trees are given the other way round than the lexical tables: give {tgt} first, then {src}");
            }
            let links = aligner.align_all(&chunk);
            chunk.iter().zip(&links).try_for_each(|(pair, links)| writer.write(pair, links))
        })?;
        writer.finish()
    }

    /// The two files.
    fn trees(&self) -> TreeArgs {
        TreeArgs {
            src: required(&self.src).clone(),
            tgt: required(&self.tgt).clone(),
            src_format: self.src_format,
            tgt_format: self.tgt_format,
        }
    }

    /// An alignment without links between the treebanks that are aligned.
    fn alignment(&self) -> Result<Alignment> {
        if let Some(path) = &self.pairs {
            return Ok(Alignment::new(Alignment::open(path)?.treebanks));
        }
        Ok(self.trees().new_alignment())
    }
}

/// Writes links as they come, or an alignment at the end; and the page.
struct Writer {
    output: Output,
    alignment: Option<Alignment>,
    viewer: Option<Viewer<Output>>,
}

impl Writer {
    fn write(&mut self, pair: &TreePair, links: &[Link]) -> Result<()> {
        match &mut self.alignment {
            None => {
                let output = &mut self.output;
                writeln!(output, "{}", Line(links)).map_err(|e| output.error(e))?;
            }
            Some(alignment) => alignment.links.extend(named(pair, links)),
        }
        if let (Some(viewer), [Some(source), Some(target)]) = (&mut self.viewer, pair) {
            let links: Vec<NodeLink> = links.iter().map(|&link| link.into()).collect();
            viewer.add([source, target], &[&links]).context("cannot write the page")?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if let Some(alignment) = self.alignment {
            alignment.write(&mut self.output).map_err(|e| self.output.error(e))?;
        }
        self.output.finish()?;
        if let Some(viewer) = self.viewer {
            viewer.finish().context("cannot write the page")?.finish()?;
        }
        Ok(())
    }
}

fn open_viewer(path: &PathBuf, alignment: &Alignment) -> Result<Viewer<Output>> {
    Viewer::new(Output::create(path)?, &["treeglot".to_string()], alignment)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Links as an alignment file has them, by the ids of the nodes.
fn named<'a>(pair: &'a TreePair, links: &'a [Link]) -> impl Iterator<Item = NamedLink> + 'a {
    links.iter().filter_map(move |link| {
        let [source, target] = [pair[0].as_ref(), pair[1].as_ref()];
        Some(NamedLink {
            kind: LinkType::Good,
            author: Some("treeglot".into()),
            last_change: None,
            attrs: Vec::new(),
            ids: [source?.ids[link.src as usize].clone()?, target?.ids[link.tgt as usize].clone()?],
            line: 0,
        })
    })
}
