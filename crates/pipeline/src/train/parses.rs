//! Parsers of a recipe as stages: training them, and parsing the texts that come without trees.

use super::{Planner, WORDS};
use crate::clean::keep_records;
use crate::cluster;
use crate::error::{Error, Result};
use crate::parsing::{WordParser, first_line};
use crate::plan::{Artifact, StageBuilder, Workplace};
use crate::progress::Bar;
use crate::recipe::ParserSource;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use treeglot_parse::{Progress, Treebank};
use treeglot_text::Side;
use treeglot_tree::{PerTree, TreeKind, TreeSlot};

/// The file that holds a parser in its stage's folder.
const PARSER: &str = "parser";

/// A parser, wherever it comes from.
#[derive(Debug, Clone)]
pub enum ParserAt<'r> {
    /// A stage trains it.
    Made(Artifact),
    /// It is a file of the recipe.
    File(&'r Path),
    /// It is a program.
    Command(&'r ParserSource),
}

/// Trees of a text, wherever they come from.
#[derive(Debug, Clone)]
pub enum TreeInput<'r> {
    /// A file of the recipe.
    File(&'r Path),
    /// A stage makes them.
    Made(Artifact),
}

impl TreeInput<'_> {
    /// Where they are, once stages are done.
    pub fn path(&self, made: impl FnOnce(&Artifact) -> PathBuf) -> PathBuf {
        match self {
            Self::File(file) => file.to_path_buf(),
            Self::Made(artifact) => made(artifact),
        }
    }
}

/// A stage that reads trees.
pub(super) fn with_trees<'p, 'w>(
    stage: StageBuilder<'p, 'w>,
    trees: &PerTree<Vec<TreeInput<'_>>>,
) -> Result<StageBuilder<'p, 'w>> {
    let all = || trees.iter().flat_map(|(_, inputs)| inputs);
    let files = all().filter_map(|input| match input {
        TreeInput::File(file) => Some(*file),
        TreeInput::Made(_) => None,
    });
    let made = all().filter_map(|input| match input {
        TreeInput::File(_) => None,
        TreeInput::Made(artifact) => Some(artifact),
    });
    Ok(stage.reads_files(files)?.reads(made))
}

/// The file in which a stage puts trees of a kind.
pub(super) fn tree_file(kind: TreeKind) -> &'static str {
    match kind {
        TreeKind::Dependency => "trees.conllu",
        TreeKind::Constituency => "trees.ptb",
    }
}

impl<'r> Planner<'r> {
    /// A parser, trained by a stage if it has to be.
    pub(super) fn parser(&mut self, source: &'r ParserSource, slot: TreeSlot) -> Result<ParserAt<'r>> {
        if source.command.is_some() {
            return Ok(ParserAt::Command(source));
        }
        if let Some(model) = &source.model {
            return Ok(ParserAt::File(model));
        }
        let (language, kind) = (self.recipe.language(slot.side), source.kind(slot.kind));
        let settings = source.training(kind, language).map_err(Error::Invalid)?;
        let name = format!("parser {language} {kind}");
        let stage =
            self.plan.stage(name, "parser", 1).weight(60.0).settings(&settings).settings(&kind.name());
        let stage = stage.reads_files(source.train.iter().map(PathBuf::as_path))?;
        let stage = stage.reads_files(source.dev.iter().map(PathBuf::as_path))?;
        let stage = stage.run(move |place| {
            let bank = Treebank::open(kind, &source.train, true)?;
            let dev = source.dev.as_ref().map(|dev| Treebank::open(kind, [dev], true)).transpose()?;
            let best = Mutex::new(None);
            let tell = |progress| tell(place.bar, &best, &progress);
            let parser = treeglot_parse::train(&settings, &bank, dev.as_ref(), &tell)?;
            place.note("sentences", bank.len());
            if bank.left_out() > 0 {
                place.note("left-out", bank.left_out());
            }
            if let Some(score) = *best.lock().unwrap_or_else(PoisonError::into_inner) {
                place.note("dev", format!("{:.2}", 100.0 * score));
            }
            Ok(parser.save(place.out.join(PARSER))?)
        });
        Ok(ParserAt::Made(stage.makes(PARSER)))
    }

    /// The trees of a text's words by a parser.
    fn parsed(
        &mut self,
        what: &str,
        words: Artifact,
        source: &'r ParserSource,
        slot: TreeSlot,
    ) -> Result<Artifact> {
        let (parser, threads) = (self.parser(source, slot)?, self.resources.threads);
        let name = format!("parse {what} {} {}", self.recipe.language(slot.side), slot.kind);
        let stage = self
            .plan
            .stage(name, "parse", 1)
            .weight(8.0)
            .settings(&source.options)
            .settings(&slot.kind.name());
        let stage = stage.settings(&(&source.command, &source.bridge)).reads([&words]);
        let stage = if source.heads.is_some() { stage.settings(&source.heads) } else { stage };
        let conversion = source.conversion(slot.kind).map_err(Error::Invalid)?;
        let stage = match &parser {
            ParserAt::Made(artifact) => stage.reads([artifact]),
            ParserAt::File(file) => stage.reads_files([*file])?,
            ParserAt::Command(_) => stage,
        };
        let stage = stage.run(move |place| {
            let words = place.path(&words);
            let from = parser;
            let parser = open(place, &from, source, &words)?;
            check_kind(&parser, source, slot)?;
            let to = place.out.join(tree_file(slot.kind));
            let file = match &from {
                ParserAt::Made(artifact) => Some(place.path(artifact)),
                ParserAt::File(file) => Some(file.to_path_buf()),
                // Executors have the file of a parser, but not whatever a program needs.
                ParserAt::Command(_) => None,
            };
            let counts = match (place.site(), file) {
                (Some(site), Some(file)) => cluster::parse(site, &file, (source, slot.kind), &words, &to)?,
                _ => parser.parse_file(&words, &to, |parse| conversion.apply(parse), threads)?,
            };
            place.note("sentences", counts);
            Ok(())
        });
        Ok(stage.makes(tree_file(slot.kind)))
    }

    /// The trees of the kept training pairs by a parser.
    pub(super) fn train_parses(&mut self, source: &'r ParserSource, slot: TreeSlot) -> Result<Artifact> {
        let words = self.written_train_words(slot.side)?;
        self.parsed("train", words, source, slot)
    }

    /// The trees of a development or test file by a parser.
    pub(super) fn parses_of(
        &mut self,
        what: &str,
        file: &'r Path,
        source: &'r ParserSource,
        slot: TreeSlot,
    ) -> Result<Artifact> {
        let words = self.words(what, file, slot.side, false)?;
        self.parsed(what, words, source, slot)
    }

    /// The words of the kept training pairs as they are written: parsers know capitals, whatever models see.
    fn written_train_words(&mut self, side: Side) -> Result<Artifact> {
        let train = self.train_text()?;
        if !self.recipe.preprocess.lowercase {
            return Ok(train.cleaned[side.index()].clone());
        }
        let data = &self.recipe.data.train;
        let (words, kept) = (self.words("train", data.text(side), side, false)?, train.kept);
        let all = data.limit.is_none();
        let stage = self.plan.stage("written words", "keep", 2).settings(WORDS).reads([&kept, &words]);
        let stage = stage.run(move |place| {
            keep_records(&place.path(&words), &place.path(&kept), all, &place.out.join(WORDS))
        });
        Ok(stage.makes(WORDS))
    }
}

/// Opens a parser; a program is asked for the first sentence of what it will get.
fn open(
    place: &Workplace<'_>,
    parser: &ParserAt<'_>,
    source: &ParserSource,
    words: &Path,
) -> Result<WordParser> {
    match parser {
        ParserAt::Made(artifact) => WordParser::model(&place.path(artifact), &source.options),
        ParserAt::File(file) => WordParser::model(file, &source.options),
        ParserAt::Command(source) => {
            let probe = first_line(words)?;
            let command = source.command.as_deref().unwrap_or_default();
            WordParser::command(command, &source.bridge, probe.as_deref())
        }
    }
}

/// A parser gives trees of the kind that it stands for in the recipe, or such as those are made of.
pub(crate) fn check_kind(parser: &WordParser, source: &ParserSource, slot: TreeSlot) -> Result<()> {
    let wanted = source.kind(slot.kind);
    if parser.kind() == wanted {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "the parser of `{}` gives {} trees, not {wanted} trees",
        slot.key(),
        parser.kind()
    )))
}

/// Shows how training goes on, and keeps the score of the best round.
fn tell(bar: &Bar, best: &Mutex<Option<f64>>, progress: &Progress) {
    match progress {
        Progress::Round { network, round, dev, .. } => {
            let score = dev.map_or(String::new(), |dev| format!(", {:.2}", 100.0 * dev));
            bar.say(&format!("network {network}, round {round}{score}"));
        }
        Progress::Kept { dev, .. } => {
            let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
            *best = Some(best.map_or(*dev, |known| known.max(*dev)));
        }
        Progress::Tagged => bar.say("tagged"),
        Progress::LeftOut(_) => {}
    }
}
