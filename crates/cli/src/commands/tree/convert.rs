//! `treeglot tree convert`.

use super::{RootsArg, head_rules};
use crate::args::{Files, count};
use crate::errors::wrong;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use std::path::PathBuf;
use treeglot_tree::WordIx;
use treeglot_tree::convert::{ConvertError, Converter, Options, Summary};
use treeglot_tree::format::mosesxml::Labels;
use treeglot_tree::format::ptb::BracketLayout;
use treeglot_tree::format::{AnyTree, Content, FORMATS, Format, ReadOptions, ReadTrees, conllu, enju};
use treeglot_tree::transform::pas::{self, Unknown};
use treeglot_tree::transform::strip::Strip;

const HELP: &str = "\
Dependencies from constituents need --heads with head rules; from Enju's parses, and from predicates that rules \
find in Universal Dependencies (--from conllu), --heads syn or sem chooses between syntactic and semantic heads. Brackets cannot hold discontinuous constituents: parts without the head are raised.

Examples:
  treeglot tree convert --from tigerxml --to ptb corpus.xml > corpus.ptb
  treeglot tree convert --from ptb --to conllu --heads ptb --strip all wsj.mrg.gz > wsj.conllu
  treeglot tree convert --from enju-xml --to conllu --heads sem parses.xml > parses.conllu";

/// The formats, then the rest.
fn help() -> String {
    let width = FORMATS.iter().map(|format| format.name().len()).max().unwrap_or(0);
    let lines = FORMATS.iter().map(|format| format!("  {:width$}  {}\n", format.name(), format.about()));
    format!("Formats:\n{}\n{HELP}", lines.collect::<String>())
}

/// The arguments of `treeglot tree convert`.
#[derive(clap::Args)]
#[command(after_help = help())]
pub struct Args {
    /// The format of the input
    #[arg(long, value_name = "FMT")]
    from: Format,

    /// The format of the output
    #[arg(long, value_name = "FMT")]
    to: Format,

    /// How words get their heads: ptb, negra, ctb, ftb or a file of head rules; syn or sem for Enju and for
    /// predicates in Universal Dependencies
    #[arg(long, value_name = "RULES")]
    heads: Option<String>,

    /// What to drop from constituency trees
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    strip: Vec<StripArg>,

    /// Bracketed trees stand one a line, and a blank line is a failed parse: keeps line numbers in step with the text
    #[arg(long)]
    one_per_line: bool,

    /// The raw text that Enju parsed, for the words of enju-so (without it, base forms)
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,

    /// Another parser's trees (CoNLL-U) of the same sentences, whose roots CCG dependencies take
    #[arg(long, value_name = "FILE")]
    root_from: Option<PathBuf>,

    /// Words of Enju's sentences that lie outside its parse
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    loose: LooseArg,

    /// Let words of predicate types that the table lacks go without head, instead of stopping
    #[arg(long)]
    allow_unknown_types: bool,

    /// Sentences with several roots, where the output needs one
    #[arg(long, value_name = "WHAT", default_value = "one")]
    roots: RootsArg,

    /// Label dependency trees in Moses' XML by relation, instead of X
    #[arg(long)]
    relations: bool,

    #[command(flatten)]
    files: Files,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StripArg {
    /// Traces (-NONE-) and constituents left without words
    Empty,
    /// Functions and indices in labels: NP-SBJ-1 becomes NP
    Functions,
    /// An outer bracket without label
    Top,
    /// All of these
    All,
}

#[derive(Clone, Copy, ValueEnum)]
enum LooseArg {
    /// Stay, so that trees and text have the same words
    Keep,
    /// Go, as Enju has it
    Drop,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let read = ReadOptions {
            brackets: if self.one_per_line { BracketLayout::OnePerLine } else { BracketLayout::Free },
            text: self.text.clone(),
        };
        let mut reader = self.from.open(&self.files.input, &read)?;
        let mut roots = self.root_from.as_ref().map(conllu::Reader::open).transpose()?;
        let mut converter = Converter::new(self.to, self.options()?, self.files.output()?)?;
        let mut number = 0;
        while let Some(tree) = reader.next_tree()? {
            number += 1;
            let root = match &mut roots {
                Some(roots) => self.root_of(roots, &tree, number)?,
                None => None,
            };
            converter.add(tree, root).or_else(|error| match error {
                // A tree that is none names its own line.
                ConvertError::Tree(error) => Err(error.into()),
                ConvertError::NoHeads => Err(anyhow!("{error}: say which with --heads"))
                    .with_context(|| self.files.sentence(number)),
                error => Err(error).with_context(|| self.files.sentence(number)),
            })?;
        }
        let (output, summary) = converter.finish()?;
        output.finish()?;
        self.report(&summary);
        Ok(())
    }

    fn options(&self) -> Result<Options> {
        let mut options = Options { roots: self.roots.into(), strip: self.strip(), ..Options::default() };
        options.labels = if self.relations { Labels::Relations } else { Labels::X };
        options.pas.loose = match self.loose {
            LooseArg::Keep => enju::Loose::Keep,
            LooseArg::Drop => enju::Loose::Drop,
        };
        if self.allow_unknown_types {
            options.pas.unknown = Unknown::Headless;
        }
        let enju = self.from.content() == Content::Predicates;
        let dependencies = self.from.content() == Content::Dependencies;
        match (self.heads.as_deref().map(|heads| (heads, pas::Heads::from_name(heads))), enju) {
            (Some((_, Some(heads))), true) => options.pas.heads = heads,
            (Some((_, Some(heads))), false) if dependencies => options.predicates = Some(heads),
            (Some((name, Some(_))), false) => {
                wrong!("--heads {name} is for Enju's parses and for Universal Dependencies")
            }
            (Some((heads, None)), true) => {
                wrong!("Enju's parses have heads of their own: --heads syn or sem, not {heads}")
            }
            (Some((rules, None)), false) => options.heads = Some(head_rules(rules)?),
            (None, _) => {}
        }
        Ok(options)
    }

    fn strip(&self) -> Strip {
        let asked = |what| self.strip.contains(&what) || self.strip.contains(&StripArg::All);
        Strip {
            empty: asked(StripArg::Empty),
            functions: asked(StripArg::Functions),
            top: asked(StripArg::Top),
        }
    }

    /// The root of the same sentence in another parser's file.
    fn root_of(&self, roots: &mut conllu::Reader, tree: &AnyTree, number: usize) -> Result<Option<WordIx>> {
        let name = roots.name().clone();
        let Some(parse) = roots.next_tree()? else {
            bail!("{name}: there is no sentence {number}, but the trees go on");
        };
        if let AnyTree::Graph(graph) = tree
            && graph.words().len() != parse.len()
        {
            let (here, there) = (graph.words().len(), parse.len());
            bail!("{name}:{}: sentence {number} has {there} words, but {here} in the input", parse.line());
        }
        Ok(parse.words().find(|&w| parse.raw_head(w) == Some(0)))
    }

    fn report(&self, summary: &Summary) {
        let Summary { sentences, failed, raised, pas } = *summary;
        let mut notes = vec![count(sentences, "sentence")];
        if failed > 0 {
            notes.push(format!("{failed} without a tree"));
        }
        if raised > 0 {
            notes.push(format!("{raised} constituents raised out of discontinuous ones"));
        }
        if pas.sentences > 0 {
            notes.push(format!("{} not trees (cycles)", pas.illegal));
            notes.push(format!("{} words hung from the root", pas.attached));
            notes.push(format!("{} arcs dropped", pas.dropped));
        }
        if pas.unknown > 0 {
            notes.push(format!("{} predicates of unknown type", pas.unknown));
        }
        self.files.note(&notes.join(", "));
    }
}
