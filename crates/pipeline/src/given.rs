//! Training for users who have files and no recipe: what they give becomes one, with everything they do not say filled in.

use crate::error::{Error, Result};
use crate::hold_out::hold_out;
use crate::looks::Look;
use crate::parsing::{WordParser, first_line, is_model};
use crate::recipe::{
    Data, PairFiles, ParserSource, Parsers, Preprocess, Recipe, SubwordSettings, System, Trees,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use treeglot_models::registry::suggested;
use treeglot_text::subword::linking;
use treeglot_text::tokenize::Language;
use treeglot_text::{Side, unpacked_name};
use treeglot_tree::{PerTree, TreeSlot};
use treeglot_tune::{Method, TuneSettings};

/// The files of a system to train, and how. Two texts are enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Given {
    /// Source sentences, one a line.
    pub src: PathBuf,
    /// Target sentences.
    pub tgt: PathBuf,
    /// Trees of them.
    pub trees: PerTree<Trees>,
    /// Parsers of the source language: files, or commands.
    pub src_parser: Vec<String>,
    /// Parsers of the target language.
    pub tgt_parser: Vec<String>,
    /// Ready links of the sentences, instead of word alignment.
    pub links: Option<PathBuf>,
    /// Source sentences to tune on; pairs are held out of the training text if missing.
    pub dev_src: Option<PathBuf>,
    /// Their translations, one file a reference.
    pub dev_tgt: Vec<PathBuf>,
    /// Trees of the development sentences.
    pub dev_trees: PerTree<Trees>,
    /// More text of the target language for its language model.
    pub lm_text: Vec<PathBuf>,
    /// The source language; the ending of `src` if missing.
    pub from: Option<String>,
    /// The target language; the ending of `tgt` if missing.
    pub to: Option<String>,
    /// The model; by the trees that are given if missing.
    pub model: Option<String>,
    /// Texts are words already, separated by blanks.
    pub tokenized: bool,
    /// Pairs that cannot be used are left out and counted.
    pub skip_bad: bool,
    /// How weights are tuned.
    pub tune: Method,
    /// What tuning makes better; by the texts if missing.
    pub metric: Option<String>,
    /// For a first look: fewer rounds of tuning, with shorter lists.
    pub quick: bool,
    /// A neural joint model is learnt too, and is one of the features.
    pub joint: bool,
    /// A language model of word classes is learnt too, and is one of the features.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub class_lm: bool,
    /// An operation sequence model is learnt too, and is one of the features.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub operations: bool,
    /// Sparse features of rules are tuned too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
    /// How many pieces of words are learnt on each side, instead of whole words.
    #[serde(skip_serializing_if = "SubwordSettings::are_none")]
    pub subwords: SubwordSettings,
    /// Whether the compounds of the source language are taken apart; if missing, where it writes them as one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compounds: Option<bool>,
    /// The models of `lm_text` and of the training pairs are added up with weights, instead of one model of all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interpolate: bool,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            src: PathBuf::new(),
            tgt: PathBuf::new(),
            trees: PerTree::default(),
            src_parser: Vec::new(),
            tgt_parser: Vec::new(),
            links: None,
            dev_src: None,
            dev_tgt: Vec::new(),
            dev_trees: PerTree::default(),
            lm_text: Vec::new(),
            from: None,
            to: None,
            model: None,
            tokenized: false,
            skip_bad: false,
            tune: TuneSettings::default().method,
            metric: None,
            quick: false,
            joint: false,
            class_lm: false,
            operations: false,
            sparse: false,
            subwords: SubwordSettings::default(),
            compounds: None,
            interpolate: false,
            seed: 1,
        }
    }
}

/// What was decided for the user, who may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// A language without rules of its own.
    GeneralRules {
        /// Its name.
        language: &'static str,
    },
    /// Nothing is tuned, because trees and links are not divided.
    UndividedTrees,
    /// Nothing is tuned, because there are too few pairs.
    TooFewPairs,
    /// Pairs are held out.
    HeldOut {
        /// How many for each of two sets.
        pairs: usize,
    },
    /// A text looks cut into words already, and will be cut again.
    Tokenized {
        /// Its file.
        path: PathBuf,
    },
    /// A text is in lower case.
    Lowercase {
        /// Its file.
        path: PathBuf,
    },
    /// What is tuned to was chosen, because of the words of the target text.
    Metric {
        /// Its file.
        path: PathBuf,
    },
    /// Compounds are taken apart.
    Compounds {
        /// Of which language.
        language: String,
    },
    /// The model was chosen.
    Model {
        /// Which.
        model: &'static str,
        /// Why.
        why: &'static str,
    },
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GeneralRules { language } => {
                write!(f, "{language} is cut into words by general rules: it has none of its own here")
            }
            Self::Compounds { language } => write!(f, "compounds of `{language}` are taken apart"),
            Self::UndividedTrees => {
                f.write_str("nothing is tuned: give a development set, as trees and links are not divided")
            }
            Self::TooFewPairs => f.write_str(
                "nothing is tuned: there are too few pairs to hold any out; give a development set",
            ),
            Self::HeldOut { pairs } => {
                write!(f, "{pairs} pairs are held out to tune on, and {pairs} to test on")
            }
            Self::Tokenized { path } => {
                write!(f, "{} looks cut into words already, with signs apart", path.display())
            }
            Self::Lowercase { path } => write!(
                f,
                "{} is in lower case: capitals of translations can only be those at their start",
                path.display()
            ),
            Self::Metric { path } => write!(
                f,
                "{} has fewer and longer words, of which BLEU tells little: weights are tuned to {OF_LONG_WORDS}",
                path.display()
            ),
            Self::Model { model, why } => write!(f, "model {model}, {why}"),
        }
    }
}

/// What is tuned to where words of the target language are what the source has several for.
const OF_LONG_WORDS: &str = "chrf_length";

/// The rounds of `quick`, and the length of its lists.
const QUICK_ROUNDS: usize = 3;
const QUICK_NBEST: usize = 50;

/// A source text of more bytes, about half a million sentences, is for phrases where nobody says otherwise.
const PHRASES_FROM: u64 = 60_000_000;

impl Given {
    /// The recipe that this stands for, and what was decided on the way; pairs that are held out are written to a folder of `work`.
    pub fn recipe(&self, work: &Path) -> Result<(Recipe, Vec<Decision>)> {
        let mut decisions = Vec::new();
        let language = |given: &Option<String>, file: &Path| {
            if !file.exists() {
                return Err(Error::Invalid(format!("{}: there is no such file", file.display())));
            }
            let known = given.clone().or_else(|| ending(file));
            known.ok_or_else(|| Error::NoLanguage { path: file.to_path_buf() })
        };
        let (from, to) = (language(&self.from, &self.src)?, language(&self.to, &self.tgt)?);
        let mut recipe = Recipe::new(from, to, self.data(), Vec::new());
        for code in [&recipe.source, &recipe.target].into_iter().filter(|_| !self.tokenized) {
            let known = Language::find(code).ok().filter(|language| !language.has_rules());
            decisions.extend(known.map(|language| Decision::GeneralRules { language: language.name }));
        }
        let parsers = self.parsers()?;
        let model = match &self.model {
            Some(model) => model.clone(),
            None => {
                let trees = self
                    .trees
                    .each_ref()
                    .map(|slot, files| files.iter().next().is_some() || !parsers[slot].is_empty());
                let (model, why) = match self.operations && trees.iter().all(|(_, there)| !there) {
                    true => ("phrase", "as operation sequences go through phrases"),
                    false => suggested(&trees, size_of(&self.src)? > PHRASES_FROM),
                };
                decisions.push(Decision::Model { model, why });
                model.to_string()
            }
        };
        let (joint, class_lm, operations, sparse) = (self.joint, self.class_lm, self.operations, self.sparse);
        let mut system = System { joint, class_lm, operations, sparse, ..System::new(&model) };
        let several = self.trees.iter().max_by_key(|(_, files)| files.iter().count());
        if let Some((_, Trees::Named(files))) = several {
            system.parsers = files.keys().cloned().collect();
        }
        recipe.systems = vec![system];
        recipe.tune.metric = self.metric(&mut decisions)?;
        recipe.tune.method = self.tune;
        recipe.check_made()?;
        if recipe.data.dev.is_none() && self.tune.tunes() {
            decisions.push(self.hold_out(&mut recipe.data, work)?);
        }
        if self.tokenized {
            recipe.preprocess = Preprocess { tokenize: false, truecase: false, ..recipe.preprocess };
        }
        recipe.preprocess.skip_bad = self.skip_bad;
        recipe.preprocess.subwords = self.subwords;
        if self.takes_apart(&recipe.source) {
            if self.compounds.is_none() {
                decisions.push(Decision::Compounds { language: recipe.source.clone() });
            }
            recipe.preprocess.compounds = vec![recipe.source.clone()];
        }
        recipe.lm.interpolate = self.interpolate && recipe.data.dev.is_some();
        if recipe.data.dev.is_none() {
            recipe.tune.method = Method::None;
        }
        recipe.tune.seed = self.seed;
        if self.quick {
            (recipe.tune.rounds, recipe.tune.nbest) = (QUICK_ROUNDS, QUICK_NBEST);
        }
        parsers.map(|slot, parsers| add_parsers(&mut recipe, slot, parsers));
        Ok((recipe, decisions))
    }

    /// What is tuned to: what was asked for, or what tells most of the target text; and what is odd about the texts.
    /// Whether compounds are taken apart: where the user says so, or else where the language writes them as one word and nothing that is given is
    /// of whole words.
    fn takes_apart(&self, language: &str) -> bool {
        let forest = |file: &PathBuf| unpacked_name(&file.to_string_lossy()).ends_with(".forest");
        let forests = self.trees.iter().any(|(_, files)| files.iter().any(|(_, file)| forest(file)));
        let of_words = self.links.is_some() || self.subwords.source > 0 || forests;
        self.compounds.unwrap_or(!linking(language).is_empty() && !of_words)
    }

    fn metric(&self, decisions: &mut Vec<Decision>) -> Result<String> {
        let looks = [Look::at(&self.src)?, Look::at(&self.tgt)?];
        for (path, look) in [&self.src, &self.tgt].into_iter().zip(&looks).filter(|_| !self.tokenized) {
            decisions.extend(look.is_tokenized().then(|| Decision::Tokenized { path: path.clone() }));
            decisions.extend(look.is_lowercase().then(|| Decision::Lowercase { path: path.clone() }));
        }
        if let Some(metric) = &self.metric {
            treeglot_metrics::build(metric, &treeglot_metrics::Options::default())?;
            return Ok(metric.clone());
        }
        if looks[0].has_longer_words_in(&looks[1]) {
            decisions.push(Decision::Metric { path: self.tgt.clone() });
            return Ok(OF_LONG_WORDS.to_string());
        }
        Ok(TuneSettings::default().metric)
    }

    /// The files as a recipe has them.
    fn data(&self) -> Data {
        let pairs = |source: &Path, target: &Path, trees: &PerTree<Trees>| PairFiles {
            source: source.to_path_buf(),
            target: target.to_path_buf(),
            source_dep: trees.source_dep.clone(),
            source_con: trees.source_con.clone(),
            target_dep: trees.target_dep.clone(),
            target_con: trees.target_con.clone(),
            ..PairFiles::default()
        };
        let train = PairFiles { links: self.links.clone(), ..pairs(&self.src, &self.tgt, &self.trees) };
        let dev = self.dev_src.as_ref().zip(self.dev_tgt.split_first()).map(|(source, (target, more))| {
            PairFiles { references: more.to_vec(), ..pairs(source, target, &self.dev_trees) }
        });
        Data { train, dev, test: Vec::new(), lm_target: self.lm_text.clone(), lm_source: Vec::new() }
    }

    /// Takes pairs to tune and to test on out of the training text.
    fn hold_out(&self, data: &mut Data, work: &Path) -> Result<Decision> {
        let has_trees = self.trees.iter().any(|(_, files)| files.iter().next().is_some());
        if has_trees || data.train.links.is_some() {
            return Ok(Decision::UndividedTrees);
        }
        let held = hold_out(&data.train.source, &data.train.target, &work.join("held-out"), self.seed)?;
        let Some(held) = held else { return Ok(Decision::TooFewPairs) };
        (data.train, data.dev, data.test) = (held.train, Some(held.dev), vec![held.test]);
        Ok(Decision::HeldOut { pairs: held.pairs })
    }

    /// The parsers, each under the kind of trees that it gives.
    fn parsers(&self) -> Result<PerTree<Vec<ParserSource>>> {
        let mut parsers = PerTree::<Vec<ParserSource>>::default();
        let sides =
            [(Side::Source, &self.src, &self.src_parser), (Side::Target, &self.tgt, &self.tgt_parser)];
        for (side, text, given) in sides.into_iter().filter(|(_, _, given)| !given.is_empty()) {
            let probe = first_line(text)?;
            for parser in given {
                let kind = WordParser::given(parser, probe.as_deref())?.kind();
                parsers[(side, kind)].push(parser_source(parser));
            }
        }
        Ok(parsers)
    }
}

fn size_of(file: &Path) -> Result<u64> {
    let size = std::fs::metadata(file).map_err(Error::reading(file))?.len();
    // Packed text is a third to a fifth of its length.
    Ok(if unpacked_name(&file.to_string_lossy()).len() < file.as_os_str().len() { 4 * size } else { size })
}

/// Puts parsers of one kind into a recipe. Several are known by their numbers; a single one is for texts without files of trees.
fn add_parsers(recipe: &mut Recipe, slot: TreeSlot, mut parsers: Vec<ParserSource>) {
    if parsers.len() < 2 {
        recipe.parse[slot] = parsers.pop().map_or(Parsers::None, Parsers::One);
        return;
    }
    let names: Vec<String> = (1..=parsers.len()).map(|number| number.to_string()).collect();
    recipe.parse[slot] = Parsers::Named(names.iter().cloned().zip(parsers).collect());
    for system in recipe.systems.iter_mut().filter(|system| system.parsers.len() < names.len()) {
        system.parsers.clone_from(&names);
    }
}

/// A parser as a recipe has it.
fn parser_source(parser: &str) -> ParserSource {
    match is_model(parser) {
        true => ParserSource { model: Some(parser.into()), ..ParserSource::default() },
        false => ParserSource { command: Some(parser.to_string()), ..ParserSource::default() },
    }
}

/// Endings that tell how a text is written, and not in which language; some of them are codes of languages too.
const OF_TEXT: [&str; 12] =
    ["txt", "text", "tok", "raw", "clean", "low", "lower", "lc", "tc", "true", "utf8", "bpe"];

/// The language that a file's ending names, as in `train.de.gz` or `corpus.de.txt`.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let mut endings = unpacked_name(name).split('.').skip(1).collect::<Vec<_>>();
    while endings.last().is_some_and(|last| OF_TEXT.contains(last)) {
        endings.pop();
    }
    let code = endings.pop()?;
    Language::find(code).is_ok().then(|| code.to_string())
}
