//! What a translation system is put together from: files and settings, wherever they lie. A bundle is such components in one
//! folder; in training they lie in the folders of the stages that made them.

use super::{ModelOptions, SearchSettings};
use crate::error::Result;
use crate::parsing::WordParser;
use crate::text_path::{TextPath, TextSettings};
use crate::unknown::{Guesser, Lexicon};
use std::path::PathBuf;
use treeglot_decode::{FrequentWords, LmRole, Resources, System, Weights};
use treeglot_grammar::{Symbol, Table};
use treeglot_joint::JointModel;
use treeglot_lm::Lm;
use treeglot_lm::depend::DepLm;
use treeglot_models::{Applies, Model, TableRole, registry};
use treeglot_parse::ParseSettings;
use treeglot_text::Side;
use treeglot_text::truecase::Truecaser;
use treeglot_tree::TreeKind;

/// The most combinations that a round of tuning takes for each node or stack: more find hardly better lists, and take
/// twice as long.
const TUNING_POPS: usize = 200;

/// What a translation system is put together from.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// The translation model, by name.
    pub model: String,
    /// The options of the model that matter to translation.
    pub options: ModelOptions,
    /// The settings of the search.
    pub search: SearchSettings,
    /// The languages translated from and to.
    pub languages: [Option<String>; 2],
    /// What is done to raw text, of the source language and of the target language; none where text is words.
    pub text: Option<[TextComponents; 2]>,
    /// The tables, in the order of their features.
    pub tables: Vec<TableFile>,
    /// The language models, in the order of their features.
    pub lms: Vec<LmFile>,
    /// The joint model, if there is one.
    pub joint: Option<PathBuf>,
    /// The lexical translation model, if there is one.
    pub lexical: Option<PathBuf>,
    /// The operation sequence model, if there is one.
    pub operations: Option<PathBuf>,
    /// The words that sparse features tell apart, if there are such features.
    pub sparse: Option<PathBuf>,
    /// How words differ that are translated alike, if that was learnt.
    pub affixes: Option<PathBuf>,
    /// What cuts the words of source and target into pieces, where the system is trained on these.
    pub subwords: [Option<PathBuf>; 2],
    /// The parsers of the source language; of several of a kind, their trees are parses of one sentence, the best first.
    pub parsers: Vec<ParserFile>,
}

/// A table of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// What it is for.
    pub role: TableRole,
    /// Our own file; where a bundle is made, Moses' text is possible too.
    pub path: PathBuf,
    /// The reordering scores of its phrases, beside Moses' text.
    pub reordering: Option<PathBuf>,
}

/// A parser of the source language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParserFile {
    /// The kind of its trees.
    pub kind: TreeKind,
    /// Our own file.
    pub path: PathBuf,
}

/// A language model of the target language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LmFile {
    /// What it is for.
    pub role: LmRole,
    /// Our own file, or ARPA.
    pub path: PathBuf,
}

impl TableFile {
    /// A table of a bundle that is put together by hand: the first has the model's own rules; of the others, those of constituency
    /// trees say so, and those with rules that begin with a variable are hierarchical.
    pub fn found((number, path): (usize, PathBuf)) -> Result<Self> {
        if number == 0 {
            return Ok(Self { role: TableRole::Model, path, reordering: None });
        }
        let table = Table::open(&path)?;
        let made_by = registry::find(table.model()).ok().and_then(|entry| entry.role);
        if made_by == Some(TableRole::Constituents) {
            return Ok(Self { role: TableRole::Constituents, path, reordering: None });
        }
        let variable = table.vocab().get("X").map(Symbol::var);
        let begins = variable.and_then(|variable| table.child(table.root(), variable));
        let role = if begins.is_some() { TableRole::Hierarchical } else { TableRole::Phrases };
        Ok(Self { role, path, reordering: None })
    }
}

impl LmFile {
    /// A language model of a bundle that is put together by hand: its events tell what it is of.
    pub fn found(path: PathBuf) -> Result<Self> {
        let dependency = DepLm::is_dependency_model(&Lm::open(&path)?);
        Ok(Self { role: if dependency { LmRole::Dependency } else { LmRole::Ngram }, path })
    }
}

/// What is done to the text of one language, and the file of its truecasing model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextComponents {
    /// What is done.
    pub settings: TextSettings,
    /// The truecasing model, if there is one.
    pub truecaser: Option<PathBuf>,
}

impl TextComponents {
    /// Opens the path from text to words.
    pub fn open(&self) -> Result<TextPath> {
        TextPath::new(&self.settings, self.truecaser.as_ref().map(Truecaser::open).transpose()?)
    }
}

impl Components {
    /// The model with its options.
    pub fn model(&self) -> Result<Box<dyn Model>> {
        Ok(registry::find(&self.model)?.from_value(self.options.clone().into())?)
    }

    /// The system with these weights; settings given here come before its own.
    pub fn system(&self, weights: &Weights, settings: &SearchSettings) -> Result<Box<dyn System>> {
        Ok(self.resources()?.system(self.model()?, weights, &self.search.or_from(settings))?)
    }

    /// The weights that a system starts with.
    pub fn first_weights(&self) -> Result<Weights> {
        Ok(self.resources()?.first_weights(&*self.model()?, &self.search))
    }

    /// Opens its tables and language models.
    fn resources(&self) -> Result<Resources> {
        let roles = self.tables.iter().map(|table| table.role);
        let lm = |lm: &LmFile| Ok((lm.role, Lm::open(&lm.path)?));
        Ok(Resources {
            tables: roles.zip(self.tables()?).collect(),
            lms: self.lms.iter().map(lm).collect::<Result<_>>()?,
            joint: self.joint.as_ref().map(JointModel::open).transpose()?,
            lexical: self.lexical.as_ref().map(JointModel::open).transpose()?,
            operations: self.operations.as_ref().map(Lm::open).transpose()?,
            sparse: self.sparse.as_ref().map(FrequentWords::read).transpose()?,
        })
    }

    /// Opens its tables.
    pub fn tables(&self) -> Result<Vec<Table>> {
        self.tables.iter().map(|table| Ok(Table::open(&table.path)?)).collect()
    }

    /// What guesses the meaning of words that its tables lack, if it has learnt how to.
    pub(crate) fn guesser(&self) -> Result<Option<Guesser>> {
        let Some(affixes) = &self.affixes else { return Ok(None) };
        Ok(Some(Guesser::new(Lexicon::new(self.tables()?), affixes.clone())))
    }

    /// The size of its tables and models, in bytes.
    pub fn bytes(&self) -> u64 {
        let truecasers = self.text.iter().flatten().filter_map(|text| text.truecaser.as_ref());
        let lms = self.lms.iter().map(|lm| &lm.path).chain(&self.joint).chain(&self.lexical);
        let lms = lms.chain(&self.operations).chain(&self.sparse).chain(&self.affixes);
        let lms = lms.chain(self.subwords.iter().flatten());
        let parsers = self.parsers.iter().map(|parser| &parser.path);
        let files = self.tables.iter().map(|table| &table.path).chain(lms).chain(parsers).chain(truecasers);
        files.map(|file| std::fs::metadata(file).map_or(0, |about| about.len())).sum()
    }

    /// The kinds of source trees that its model translates.
    pub fn source_trees(&self) -> Result<Vec<TreeKind>> {
        let model = self.model()?;
        let needs = model.needs().trees;
        let beside = self.tables.iter().any(|table| table.role == TableRole::Constituents);
        let of_tables = |kind: TreeKind| kind == TreeKind::Constituency && beside;
        let needed = |&kind: &TreeKind| {
            model.applies() == Applies::Trees && (needs[(Side::Source, kind)] || of_tables(kind))
        };
        Ok(TreeKind::BOTH.into_iter().filter(needed).collect())
    }

    /// Opens its parsers, each of the kind that is said.
    pub fn parsers(&self) -> Result<Vec<WordParser>> {
        let open = |file: &ParserFile| {
            let parser = WordParser::model(&file.path, &ParseSettings::default())?;
            if parser.kind() != file.kind {
                let why =
                    format!("a parser of {} trees, but it should be one of {}", parser.kind(), file.kind);
                return Err(super::bad(&file.path, why));
            }
            Ok(parser)
        };
        self.parsers.iter().map(open).collect()
    }

    /// The settings of a round of tuning, which searches no further than it must unless `settings` say so.
    pub fn tuning_settings(&self, settings: &SearchSettings) -> SearchSettings {
        let own = self.search.pop_limit.unwrap_or(TUNING_POPS);
        let pop_limit = settings.pop_limit.or(Some(own.min(TUNING_POPS)));
        SearchSettings { pop_limit, ..settings.clone() }
    }

    /// Opens what is done to text, of the source and of the target; none where text is words.
    pub fn text_paths(&self) -> Result<Option<[TextPath; 2]>> {
        let Some([source, target]) = &self.text else { return Ok(None) };
        Ok(Some([source.open()?, target.open()?]))
    }
}
