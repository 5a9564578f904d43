//! Recipes: TOML files that say how systems are trained and compared. Everything has a default but the data and the
//! systems; an unknown key is an error that names the keys there are. `docs/recipes.md` explains each key.

mod coverage;
mod parsers;
mod read;
mod sources;
mod subwords;

use crate::bundle::SearchSettings;
pub use coverage::CoverageStudy;
pub use parsers::{ParserSource, Parsers};
use serde::{Deserialize, Serialize};
pub(crate) use sources::chosen;
pub use sources::{Choice, Extract, RuleSet, Trees};
use std::path::{Path, PathBuf};
pub use subwords::SubwordSettings;
use treeglot_align::Settings as AlignSettings;
use treeglot_align::trees::TreeAlignSettings;
use treeglot_decode::SparseSettings;
use treeglot_grammar::ScoreSettings;
use treeglot_joint::JointSettings;
use treeglot_lm::{ClassSettings, Settings as LmSettings};
use treeglot_metrics::EvalSettings;
use treeglot_text::Side;
use treeglot_tree::{PerTree, TreeSlot};
use treeglot_tune::TuneSettings;

/// A whole recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// What the experiment is about: the title of its report.
    #[serde(default)]
    pub title: String,
    /// The source language, as its two-letter code.
    pub source: String,
    /// The target language.
    pub target: String,
    /// Which way to translate.
    #[serde(default)]
    pub directions: Directions,
    /// Training, development and test data.
    pub data: Data,
    /// What is done to text before training and translation.
    #[serde(default)]
    pub preprocess: Preprocess,
    /// Parsers of texts that come without files of trees.
    #[serde(default)]
    pub parse: PerTree<Parsers>,
    /// Word alignment.
    #[serde(default)]
    pub align: AlignSettings,
    /// Alignment of the nodes of trees, for models that use it.
    #[serde(default)]
    pub align_trees: TreeAlignSettings,
    /// The n-gram language model.
    #[serde(default)]
    pub lm: LmSettings,
    /// The language model of word classes of systems that have one.
    #[serde(default)]
    pub class_lm: ClassLm,
    /// The joint and lexical translation models of systems that have one.
    #[serde(default)]
    pub joint: JointSettings,
    /// The operation sequence model of systems that have one.
    #[serde(default)]
    pub operations: Operations,
    /// The sparse features of systems that have some.
    #[serde(default)]
    pub sparse: SparseSettings,
    /// How weights are tuned.
    #[serde(default)]
    pub tune: TuneSettings,
    /// How outputs are scored.
    #[serde(default)]
    pub eval: EvalSettings,
    /// The systems, in the order of the report; the first is what the others are compared with.
    #[serde(default, rename = "system")]
    pub systems: Vec<System>,
    /// Studies of how many training pairs their own rules can build again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<CoverageStudy>,
    /// What its file says, for the report; empty where there is no file.
    #[serde(skip)]
    pub text: String,
}

/// Which way to translate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Directions {
    /// From the source to the target language.
    #[default]
    Forward,
    /// From the target to the source language.
    Backward,
    /// Both.
    Both,
}

/// The files of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Data {
    /// Training pairs.
    pub train: PairFiles,
    /// Pairs to tune weights on.
    pub dev: Option<PairFiles>,
    /// Pairs to evaluate on.
    #[serde(default)]
    pub test: Vec<PairFiles>,
    /// More text of the target language for its language model, prepared like the training text.
    #[serde(default)]
    pub lm_target: Vec<PathBuf>,
    /// More text of the source language, for the way back.
    #[serde(default)]
    pub lm_source: Vec<PathBuf>,
}

/// Two texts that belong together line by line, with what is known of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PairFiles {
    /// How the report calls it.
    #[serde(default)]
    pub name: String,
    /// The source text.
    pub source: PathBuf,
    /// The target text.
    pub target: PathBuf,
    /// More references of a development or test set.
    #[serde(default)]
    pub references: Vec<PathBuf>,
    /// Dependency trees of the source text, on its tokens; by parser, where there are those of several.
    #[serde(default)]
    pub source_dep: Trees,
    /// Constituency trees of the source text.
    #[serde(default)]
    pub source_con: Trees,
    /// Dependency trees of the target text.
    #[serde(default)]
    pub target_dep: Trees,
    /// Constituency trees of the target text.
    #[serde(default)]
    pub target_con: Trees,
    /// Ready links of the training pairs, instead of word alignment.
    pub links: Option<PathBuf>,
    /// Use only this many pairs from the start.
    pub limit: Option<u64>,
}

/// What is done to text before training and translation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Preprocess {
    /// Cut text into words; without, the text's blanks separate words, and output is not put together again.
    pub tokenize: bool,
    /// Write the first word of a sentence as it is written elsewhere.
    pub truecase: bool,
    /// Write everything in lower case.
    pub lowercase: bool,
    /// Leave out training pairs with more words than this on a side; 0 for no limit.
    pub max_length: usize,
    /// Leave out training pairs where one side has more than this many times the other's words; 0 for no limit.
    pub max_ratio: f64,
    /// Leave out training pairs that occurred before.
    pub drop_duplicates: bool,
    /// Leave out what cannot be used (lines that are not UTF-8 or too long, links and trees that do not fit their sentences) and
    /// count it, instead of stopping there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skip_bad: bool,
    /// Cut words into pieces that are learnt from the training text, where systems do not say otherwise.
    #[serde(skip_serializing_if = "SubwordSettings::are_none")]
    pub subwords: SubwordSettings,
    /// The languages whose compounds are taken apart where they are translated from, where systems do not say otherwise.
    #[serde(deserialize_with = "sources::names", skip_serializing_if = "Vec::is_empty")]
    pub compounds: Vec<String>,
}

impl Default for Preprocess {
    fn default() -> Self {
        Self {
            tokenize: true,
            truecase: true,
            lowercase: false,
            max_length: 100,
            max_ratio: 9.0,
            drop_duplicates: false,
            skip_bad: false,
            subwords: SubwordSettings::default(),
            compounds: Vec::new(),
        }
    }
}

/// How classes of words are learnt and modelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ClassLm {
    /// The length of the longest n-grams.
    pub order: usize,
    /// How many classes are learnt.
    pub classes: usize,
    /// How often at most all words are looked at in learning.
    pub rounds: usize,
    /// Ready classes of the source language's words, a word and its class on a line, for the way back.
    pub source: Option<PathBuf>,
    /// Ready classes of the target language's words, instead of learnt ones.
    pub target: Option<PathBuf>,
}

impl Default for ClassLm {
    fn default() -> Self {
        let ClassSettings { classes, rounds } = ClassSettings::default();
        Self { order: 7, classes, rounds, source: None, target: None }
    }
}

impl ClassLm {
    /// How classes are learnt.
    pub(crate) fn learning(&self) -> ClassSettings {
        ClassSettings { classes: self.classes, rounds: self.rounds }
    }

    /// The ready classes of a language.
    pub(crate) fn ready(&self, side: Side) -> Option<&PathBuf> {
        if side == Side::Source { self.source.as_ref() } else { self.target.as_ref() }
    }
}

/// How operation sequence models are estimated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Operations {
    /// The length of the longest n-grams of operations.
    pub order: usize,
}

impl Default for Operations {
    fn default() -> Self {
        Self { order: 5 }
    }
}

/// One system of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct System {
    /// How the report calls it; the model's name if missing.
    #[serde(default)]
    pub name: String,
    /// The model; missing for a combination.
    #[serde(default)]
    pub model: String,
    /// The systems whose translations it chooses among, instead of a model of its own.
    #[serde(default)]
    pub combine: Vec<String>,
    /// Only translate this way; missing for all of the recipe's ways.
    pub direction: Option<Directions>,
    /// Its rules: the model's own options, as `treeglot extract` has them, or several sets whose counts are added up.
    #[serde(default)]
    pub extract: Extract,
    /// The parsers whose trees it uses, where the data have those of several.
    #[serde(default, deserialize_with = "sources::names")]
    pub parsers: Vec<String>,
    /// The models whose tables stand beside its own; those that its model has by default if missing.
    pub tables: Option<Vec<String>>,
    /// Whether a language model of word classes stands beside that of words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub class_lm: bool,
    /// Whether a language model of tags stands beside that of words: each word has the tag that target trees give it most often.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tag_lm: bool,
    /// Whether a neural joint model is learnt from the training pairs and is one of its features.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub joint: bool,
    /// Whether a lexical translation model is learnt from the training pairs and is one of its features.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lexical: bool,
    /// Whether an operation sequence model is learnt from the training pairs and is one of its features; for phrases.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub operations: bool,
    /// Whether it has sparse features of rules: translations of frequent words, words added and left out, lengths, shapes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
    /// Whether words that its tables lack are translated by words that they are made of or are other forms of.
    #[serde(default = "guesses", skip_serializing_if = "Clone::clone")]
    pub guess: bool,
    /// The pieces of words that it is trained on, where they differ from the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subwords: Option<SubwordSettings>,
    /// The languages whose compounds are taken apart, where they differ from the recipe's.
    #[serde(default, deserialize_with = "sources::some_names", skip_serializing_if = "Option::is_none")]
    pub compounds: Option<Vec<String>>,
    /// How rules are scored.
    #[serde(default)]
    pub score: ScoreSettings,
    /// How the search is limited.
    #[serde(default)]
    pub search: SearchSettings,
    /// Tuning, where it differs from the recipe's.
    pub tune: Option<TuneSettings>,
}

fn guesses() -> bool {
    true
}

impl System {
    /// A system of a model, everything else as it is by default.
    pub fn new(model: &str) -> Self {
        Self {
            name: model.to_string(),
            model: model.to_string(),
            combine: Vec::new(),
            direction: None,
            extract: Extract::default(),
            parsers: Vec::new(),
            tables: None,
            class_lm: false,
            tag_lm: false,
            joint: false,
            lexical: false,
            operations: false,
            sparse: false,
            guess: true,
            subwords: None,
            compounds: None,
            score: ScoreSettings::default(),
            search: SearchSettings::default(),
            tune: None,
        }
    }

    /// How its weights are tuned: its own settings, or else the recipe's.
    pub(crate) fn tuning<'r>(&'r self, recipe: &'r Recipe) -> &'r TuneSettings {
        self.tune.as_ref().unwrap_or(&recipe.tune)
    }

    /// The languages whose compounds are taken apart for it: its own, or else the recipe's.
    pub(crate) fn compounds<'r>(&'r self, recipe: &'r Recipe) -> &'r [String] {
        self.compounds.as_ref().unwrap_or(&recipe.preprocess.compounds)
    }

    /// The pieces of words that it is trained on: its own settings, or else the recipe's.
    pub(crate) fn subwords(&self, recipe: &Recipe) -> SubwordSettings {
        self.subwords.unwrap_or(recipe.preprocess.subwords)
    }
}

impl Recipe {
    /// A recipe with these data and systems, everything else as it is by default.
    pub fn new(source: String, target: String, data: Data, systems: Vec<System>) -> Self {
        Self {
            title: String::new(),
            source,
            target,
            directions: Directions::default(),
            data,
            preprocess: Preprocess::default(),
            parse: PerTree::default(),
            align: AlignSettings::default(),
            align_trees: TreeAlignSettings::default(),
            lm: LmSettings::default(),
            class_lm: ClassLm::default(),
            joint: JointSettings::default(),
            operations: Operations::default(),
            sparse: SparseSettings::default(),
            tune: TuneSettings::default(),
            eval: EvalSettings::default(),
            systems,
            coverage: Vec::new(),
            text: String::new(),
        }
    }

    /// The language of a side.
    pub fn language(&self, side: Side) -> &str {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }
}

/// Where trees come from: a file, or a parser.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TreeSource<'r> {
    /// A file of them.
    File(&'r Path),
    /// A parser of the text.
    Parser(&'r ParserSource),
}

impl Recipe {
    /// Where the trees of a set can come from, by name: its files, and the parsers whose names no file has. A parser without a
    /// name is for sets without files.
    pub(crate) fn tree_sources<'r>(
        &'r self,
        set: &'r PairFiles,
        slot: TreeSlot,
    ) -> Vec<(&'r str, TreeSource<'r>)> {
        let files = set.trees()[slot].iter().map(|(name, file)| (name, TreeSource::File(file)));
        let mut all: Vec<(&str, TreeSource<'_>)> = files.collect();
        let has_files = !all.is_empty();
        for (name, parser) in self.parse[slot].iter() {
            let known = if name.is_empty() { has_files } else { all.iter().any(|(other, _)| *other == name) };
            if !known {
                all.push((name, TreeSource::Parser(parser)));
            }
        }
        all
    }
}

impl PairFiles {
    /// The text of a side.
    pub fn text(&self, side: Side) -> &PathBuf {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }

    /// All texts that translations into the language of a side are compared with; further references are in the target
    /// language.
    pub fn references(&self, side: Side) -> impl Iterator<Item = &PathBuf> {
        let more = if side == Side::Target { &self.references[..] } else { &[] };
        std::iter::once(self.text(side)).chain(more)
    }

    /// Its trees.
    pub fn trees(&self) -> PerTree<&Trees> {
        PerTree {
            source_dep: &self.source_dep,
            source_con: &self.source_con,
            target_dep: &self.target_dep,
            target_con: &self.target_con,
        }
    }

    /// All its files of trees.
    pub fn tree_files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.source_dep, &self.source_con, &self.target_dep, &self.target_con]
            .into_iter()
            .flat_map(|trees| trees.iter().map(|(_, file)| file))
    }

    /// All its files.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let texts = [&self.source, &self.target].into_iter().chain(&self.references);
        texts.chain(self.tree_files()).chain(&self.links)
    }

    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let trees = [&mut self.source_dep, &mut self.source_con, &mut self.target_dep, &mut self.target_con];
        let texts = [&mut self.source, &mut self.target].into_iter().chain(&mut self.references);
        texts.chain(trees.into_iter().flat_map(Trees::iter_mut)).chain(&mut self.links)
    }
}
