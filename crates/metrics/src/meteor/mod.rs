//! METEOR (Denkowski & Lavie 2014), version 1.5: words are matched exactly, by stem, by synonym and by paraphrase;
//! the score is a weighted F-mean of content and function words, less a penalty for matches out of order.

mod align;
mod language;
mod matches;
mod normalize;
mod resources;

pub use align::chunks;
pub use language::{Parameters, Weights};
pub use matches::{Match, Module};

use crate::error::Error;
use crate::metric::{Hypothesis, Metric, RefCount, References, Sentence};
use crate::registry::Entry;
use language::stemming;
use matches::Matches;
pub(crate) use matches::Words;
use normalize::Normalizer;
use resources::{Paraphrases, Synonyms};
use rust_stemmers::Stemmer;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use treeglot_text::tokenize::{Language, Prefixes};

/// Its line in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "meteor",
    title: "METEOR",
    digits: 2,
    companions: &[],
    build: |options| Ok(Box::new(Meteor::new(&options.meteor)?)),
};

/// Where METEOR's knowledge comes from.
#[derive(Debug, Clone)]
pub struct Options {
    /// The code of the language, as `en`.
    pub language: String,
    /// Cut and normalise text by METEOR's own rules (its `-norm`); otherwise text is only lower-cased.
    pub normalize: bool,
    /// Function words; without a file, a short list for some languages.
    pub function_words: Option<PathBuf>,
    /// Abbreviations that keep their period; without a file, those of the tokeniser.
    pub prefixes: Option<PathBuf>,
    /// Synonym sets (`.synsets`); the base forms are beside them (`.exceptions`).
    pub synonyms: Option<PathBuf>,
    /// Paraphrases.
    pub paraphrases: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            language: "en".to_string(),
            normalize: true,
            function_words: None,
            prefixes: None,
            synonyms: None,
            paraphrases: None,
        }
    }
}

impl Options {
    /// Takes what METEOR's folder of resources has: abbreviations and synonyms of the language, and the English
    /// function words, which the original takes for every language.
    pub fn resources(&mut self, folder: &Path) -> Result<(), Error> {
        let name = find(&self.language)?.name.to_lowercase();
        let existing = |file: String| Some(folder.join(file)).filter(|path| path.exists());
        let found = [
            existing("function/english.words".to_string()),
            existing(format!("nonbreaking/{name}.prefixes")),
            existing(format!("synonym/{name}.synsets")),
        ];
        if found.iter().all(Option::is_none) {
            return Err(Error::NoResources { folder: folder.display().to_string(), language: name });
        }
        let [words, prefixes, synonyms] = found;
        self.function_words = self.function_words.take().or(words);
        self.prefixes = self.prefixes.take().or(prefixes);
        self.synonyms = self.synonyms.take().or(synonyms);
        Ok(())
    }
}

fn find(language: &str) -> Result<&'static Language, Error> {
    let code = if language == "cz" { "cs" } else { language };
    Language::find(code).map_err(|e| Error::Language(e.to_string()))
}

/// All that matching knows of a language.
pub struct Knowledge {
    normalizer: Option<Normalizer>,
    function_words: FxHashSet<Box<str>>,
    stemmer: Option<Stemmer>,
    synonyms: Option<Synonyms>,
    paraphrases: Option<Paraphrases>,
}

impl Knowledge {
    fn load(options: &Options, language: &'static Language) -> Result<Self, Error> {
        let prefixes = match &options.prefixes {
            Some(path) => Prefixes::open(path)?,
            None => Prefixes::of(language),
        };
        let function_words = match &options.function_words {
            Some(path) => resources::function_words(path)?,
            None => language::function_words(language.code).map(Into::into).collect(),
        };
        let normalizer = Normalizer { prefixes, apostrophe: language.apostrophe };
        Ok(Self {
            normalizer: options.normalize.then_some(normalizer),
            function_words,
            stemmer: stemming(language.code).map(Stemmer::create),
            synonyms: options.synonyms.as_deref().map(Synonyms::open).transpose()?,
            paraphrases: options.paraphrases.as_deref().map(Paraphrases::open).transpose()?,
        })
    }

    fn normalize(&self, line: &str) -> String {
        match &self.normalizer {
            Some(normalizer) => normalizer.normalize(line).to_lowercase(),
            None => line.to_lowercase(),
        }
    }

    fn modules(&self) -> [bool; 4] {
        [true, self.stemmer.is_some(), self.synonyms.is_some(), self.paraphrases.is_some()]
    }
}

/// METEOR. Statistics: lengths of hypothesis and reference, function words of both; for each module the matched
/// content words of both and function words of both; chunks, without those of sentences that match as a whole.
pub struct Meteor {
    parameters: Parameters,
    weights: Weights,
    knowledge: Knowledge,
    description: String,
}

const SIZE: usize = 21;
const CHUNKS: usize = 20;

impl Meteor {
    /// METEOR with the parameters of the language and the modules for which there is knowledge.
    pub fn new(options: &Options) -> Result<Self, Error> {
        let language = find(&options.language)?;
        let knowledge = Knowledge::load(options, language)?;
        let weights = Weights::of(language.code);
        let parameters = Parameters::of(language.code);
        let description = describe(options, language.code, &knowledge, &parameters, &weights);
        Ok(Self { parameters, weights, knowledge, description })
    }

    /// The matches that METEOR chooses between two sentences.
    pub(crate) fn alignment(&self, hypothesis: &Words, reference: &Words) -> Vec<Match> {
        align::align(&Matches::new(hypothesis, reference, &self.knowledge))
    }

    /// Looks up the words of a line.
    pub(crate) fn words(&self, line: &str) -> Words {
        Words::new(line, &self.knowledge)
    }

    fn statistics(&self, hypothesis: &Words, reference: &Words) -> [f64; SIZE] {
        let chosen = self.alignment(hypothesis, reference);
        let count = |words: &[bool]| words.iter().filter(|&&function| function).count() as f64;
        let mut statistics = [0.0; SIZE];
        statistics[0] = hypothesis.len() as f64;
        statistics[1] = reference.len() as f64;
        statistics[2] = count(&hypothesis.function);
        statistics[3] = count(&reference.function);
        let mut matched = [0, 0];
        for found in &chosen {
            let module = 4 + 4 * found.module as usize;
            for &function in &hypothesis.function[found.hyp_start..found.hyp_start + found.hyp_length] {
                statistics[module + 2 * usize::from(function)] += 1.0;
            }
            for &function in &reference.function[found.start..found.start + found.length] {
                statistics[module + 2 * usize::from(function) + 1] += 1.0;
            }
            matched[0] += found.hyp_length;
            matched[1] += found.length;
        }
        let chunks = chunks(&chosen);
        let whole = matched == [hypothesis.len(), reference.len()] && chunks == 1;
        statistics[CHUNKS] = if whole { 0.0 } else { chunks as f64 };
        statistics
    }

    /// Precision, recall and the penalty for fragmentation.
    fn parts(&self, sums: &[f64]) -> [f64; 3] {
        let delta = self.parameters.delta;
        let by_kind = |content: f64, function: f64| delta * content + (1.0 - delta) * function;
        let mut weighted = [0.0; 2];
        let mut words = 0.0;
        for (module, weight) in self.weights.0.iter().enumerate() {
            let own = &sums[4 + 4 * module..8 + 4 * module];
            weighted[0] += weight * by_kind(own[0], own[2]);
            weighted[1] += weight * by_kind(own[1], own[3]);
            words += own.iter().sum::<f64>();
        }
        let precision = weighted[0] / by_kind(sums[0] - sums[2], sums[2]);
        let recall = weighted[1] / by_kind(sums[1] - sums[3], sums[3]);
        let fragmentation = sums[CHUNKS] / (words / 2.0);
        [precision, recall, self.parameters.gamma * fragmentation.powf(self.parameters.beta)]
    }
}

fn describe(
    options: &Options,
    code: &str,
    knowledge: &Knowledge,
    parameters: &Parameters,
    weights: &Weights,
) -> String {
    let Parameters { alpha, beta, gamma, delta } = parameters;
    let normalized = if options.normalize { "yes" } else { "no" };
    let function = if options.function_words.is_some() { "file" } else { "own" };
    let modules = ["exact", "stem", "synonym", "paraphrase"].into_iter().zip(&weights.0);
    let used = modules.zip(knowledge.modules()).filter(|(_, used)| *used);
    let modules: Vec<String> = used.map(|((name, weight), _)| format!("{name}={weight}")).collect();
    format!(
        "lang:{code}|norm:{normalized}|params:{alpha},{beta},{gamma},{delta}|modules:{}|function:{function}|version:1.5",
        modules.join(",")
    )
}

struct Prepared<'a> {
    meteor: &'a Meteor,
    references: Vec<Words>,
}

impl Sentence for Prepared<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let words = self.meteor.words(hypothesis.text);
        let mut best = (-1.0, [0.0; SIZE]);
        for reference in &self.references {
            let statistics = self.meteor.statistics(&words, reference);
            let score = self.meteor.score(&statistics);
            if score > best.0 {
                best = (score, statistics);
            }
        }
        for (sum, statistic) in sums.iter_mut().zip(best.1) {
            *sum += statistic;
        }
    }
}

impl Metric for Meteor {
    fn name(&self) -> &str {
        "meteor"
    }

    fn size(&self) -> usize {
        SIZE
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        Box::new(Prepared {
            meteor: self,
            references: references.texts.iter().map(|t| self.words(t)).collect(),
        })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        let [precision, recall, penalty] = self.parts(sums);
        let alpha = self.parameters.alpha;
        let f_mean = 1.0 / ((1.0 - alpha) / precision + alpha / recall);
        let score = 100.0 * f_mean * (1.0 - penalty);
        // Without words or matches it is not a number, and 0 is meant.
        if score.is_nan() { 0.0 } else { score.max(0.0) }
    }

    fn details(&self, sums: &[f64]) -> Vec<(&'static str, f64)> {
        let [precision, recall, penalty] = self.parts(sums);
        vec![("precision", 100.0 * precision), ("recall", 100.0 * recall), ("penalty", penalty)]
    }

    fn signature(&self, references: RefCount) -> String {
        format!("nrefs:{references}|{}", self.description)
    }
}
