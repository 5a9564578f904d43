//! The one way to translate: a [`Translator`] of one bundle, or of several that choose together, takes raw text and gives raw
//! text, with whatever is wanted beside it. The command line, experiments and tuning all go through it.

mod combining;
mod confidence;
mod documents;
pub(crate) mod guide;
mod lines;
pub(crate) mod lists;
mod pieces;
mod pool;
mod result;
mod trees;
mod tuning;
mod worker;

pub use combining::CombinationDecoder;
pub use confidence::{CONFIDENCE, Confidence, NAMES as SIGNS, Signs, calibrate, correlation};
pub use guide::{Guides, Markup, Prepared, Terms};
pub use lines::{LineInput, LineSource, Passed};
pub use lists::{List, Listed, list_lines, read_lines};
pub use result::{Hypothesis, Sentence, Translated};
pub use tuning::{DevSource, TuningDecoder};
pub(crate) use tuning::{best_lists, tuning_settings};

use crate::bundle::{Bundle, Components, SearchSettings, TunedCombination};
use crate::corrections::{CorrectionIndex, Corrections};
use crate::error::{Error, Result};
use crate::text_path::{TextPath, TextWorker};
use crate::unknown::Guesser;
use guide::Preparer;
use pieces::Pieces;
use pool::Pool;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_decode::{Deadline, Extra, FeatureSet, System, UnknownWords, Weights};
use treeglot_grammar::Table;
use treeglot_models::InputTrees;
use treeglot_text::SentenceSplitter;
use treeglot_tree::{PerTree, TreeKind};
use trees::Parsers;

/// How many translations of each system are compared with each other where one is chosen by agreement.
pub const COMPARED: usize = 100;

/// How a translator is opened.
#[derive(Debug, Clone, Default)]
pub struct TranslatorSettings {
    /// How far the search goes; what is not given is as the bundle says.
    pub search: SearchSettings,
    /// Input and output are words separated by blanks, whatever the bundle says.
    pub tokenized: bool,
    /// Parsers of the source language, as files or commands, instead of those of the bundles.
    pub parsers: Vec<String>,
    /// How many threads translate; 0 for all cores. Translations do not depend on it.
    pub threads: usize,
    /// Where what is known of translations comes from.
    pub guides: Guides,
    /// From signs to confidence; bundles that were fitted have their own.
    pub confidence: Option<Confidence>,
    /// What chooses among the translations of several bundles, instead of minimum Bayes risk.
    pub combination: Option<Arc<TunedCombination>>,
}

/// What is asked for of each sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// How many translations, the best first; at least 1.
    pub count: usize,
    /// Leave derivations out that give the same words as a better one.
    pub distinct: bool,
    /// Tell which rules made each translation, and which source words each of its words comes from.
    pub explain: bool,
    /// Choose the translation that agrees best with all likely ones (minimum Bayes risk), of so many of each system, instead of the
    /// one with the best score. Several systems always choose so.
    pub compare: Option<usize>,
    /// Text is a paragraph: its sentences are translated one by one.
    pub split: bool,
    /// Until when; a translation that is not found by then is stopped, and an error says so.
    pub deadline: Deadline,
    /// What becomes of words that no table has.
    pub unknown: UnknownWords,
    /// The text has [`treeglot_document::PLACE`] where inline tags stand: they are taken out, and words before them counted.
    pub places: bool,
    /// Tell the signs of confidence, and the confidence where the bundle can tell it.
    pub signs: bool,
    /// Show the confidence of each sentence by its colour, in documents that are HTML.
    pub colours: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            count: 1,
            distinct: false,
            explain: false,
            compare: None,
            split: false,
            deadline: Deadline::default(),
            unknown: UnknownWords::default(),
            places: false,
            signs: false,
            colours: false,
        }
    }
}

/// A translator: read-only, shared by all threads, cheap to clone. Its threads end with the last clone.
#[derive(Clone)]
pub struct Translator {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
}

/// What all threads of a translator share.
struct Shared {
    systems: Vec<Box<dyn System>>,
    /// What cuts words into the pieces that each system translates.
    pieces: Vec<Pieces>,
    parsers: Parsers,
    text: Option<[TextPath; 2]>,
    splitter: Option<SentenceSplitter>,
    languages: [Option<String>; 2],
    guides: Guides,
    /// The tables of each system, for how often rules were seen.
    tables: Vec<Vec<Table>>,
    confidence: Option<Confidence>,
    /// What guesses the meaning of words that each system does not know.
    guessers: Vec<Option<Guesser>>,
    /// What chooses among the translations of several systems.
    combination: Option<Arc<TunedCombination>>,
}

impl Shared {
    fn text_workers(&self) -> Option<[TextWorker<'_>; 2]> {
        self.text.as_ref().map(|paths| paths.each_ref().map(TextPath::worker))
    }

    fn preparer(&self) -> Preparer<'_> {
        Preparer::new(&self.guides, self.text_workers())
    }
}

impl Translator {
    /// Opens a bundle, or several that choose together; the first says what is done to text.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Self> {
        Self::open_with(folders, &TranslatorSettings::default())
    }

    /// Opens bundles with other settings than their own.
    pub fn open_with<P: AsRef<Path>>(
        folders: impl IntoIterator<Item = P>,
        settings: &TranslatorSettings,
    ) -> Result<Self> {
        let bundles = folders.into_iter().map(Bundle::open).collect::<Result<Vec<_>>>()?;
        Self::of(&bundles.iter().collect::<Vec<_>>(), settings)
    }

    /// A translator of bundles that are open, with what they have learnt and what they know of their confidence.
    pub fn of(bundles: &[&Bundle], settings: &TranslatorSettings) -> Result<Self> {
        let with_weights = |bundle: &&Bundle| Ok((bundle.components(), bundle.weights()?));
        let mut systems = bundles.iter().map(with_weights).collect::<Result<Vec<_>>>()?;
        let mut settings = settings.clone();
        let mut learnt = Corrections::default();
        for (bundle, (components, _)) in bundles.iter().zip(&mut systems) {
            if settings.guides.memory.is_some() {
                components.search.features.push(Extra::Memory);
            }
            let own = bundle.corrections()?;
            if !own.all.is_empty() {
                learnt.all.extend(own.all);
                components.search.features.push(Extra::Corrections);
            }
        }
        if let (None, Some(first)) = (&settings.confidence, bundles.first()) {
            settings.confidence = Confidence::read(first.folder())?;
        }
        settings.guides.corrections = Arc::new(CorrectionIndex::new(&learnt));
        Self::new(&systems, &settings)
    }

    /// An error if systems cannot choose together: all must translate the same languages and, unless words are given, see the same words.
    pub fn check_together<'c>(
        mut systems: impl Iterator<Item = &'c Components>,
        tokenized: bool,
    ) -> Result<()> {
        let Some(first) = systems.next() else { return Ok(()) };
        systems.try_for_each(|other| agree(first, other, tokenized))
    }

    /// A translator of systems that are put together from components.
    pub fn new(systems: &[(Components, Weights)], settings: &TranslatorSettings) -> Result<Self> {
        let Some((first, _)) = systems.first() else {
            return Err(Error::Invalid("a translator needs a bundle".to_string()));
        };
        Self::check_together(systems.iter().map(|(components, _)| components), settings.tokenized)?;
        if let Some(combination) = &settings.combination {
            combination.check(systems.iter().map(|(components, _)| components.model.as_str()))?;
        }
        let put_together =
            |(components, weights): &(Components, Weights)| components.system(weights, &settings.search);
        let languages = first.languages.clone();
        let splitter = languages[0].as_deref().and_then(|language| SentenceSplitter::new(language).ok());
        let shared = Arc::new(Shared {
            systems: systems.iter().map(put_together).collect::<Result<_>>()?,
            pieces: systems.iter().map(|(components, _)| Pieces::open(components)).collect::<Result<_>>()?,
            parsers: Parsers::open(systems, &settings.parsers)?,
            text: if settings.tokenized { None } else { first.text_paths()? },
            splitter,
            languages,
            guides: settings.guides.clone(),
            tables: systems.iter().map(|(components, _)| components.tables()).collect::<Result<_>>()?,
            confidence: settings.confidence.clone(),
            guessers: systems.iter().map(|(components, _)| components.guesser()).collect::<Result<_>>()?,
            combination: settings.combination.clone(),
        });
        let pool = Arc::new(Pool::start(&shared, settings.threads)?);
        Ok(Self { shared, pool })
    }

    /// The kinds of source trees that would be translated, but that neither these files nor a parser give: without them
    /// translations are made of phrases and hierarchical rules, and worse.
    pub fn missing_trees(&self, files: &PerTree<Vec<PathBuf>>) -> Vec<TreeKind> {
        self.shared.parsers.missing(files)
    }

    /// Whether source trees of this kind are translated.
    pub fn translates(&self, kind: TreeKind) -> bool {
        self.shared.parsers.translates(kind)
    }

    /// The languages translated from and to, where the bundle says so.
    pub fn languages(&self) -> [Option<&str>; 2] {
        self.shared.languages.each_ref().map(Option::as_deref)
    }

    /// Whether it takes raw text, and not words with blanks between them.
    pub fn takes_text(&self) -> bool {
        self.shared.text.as_ref().is_some_and(|[source, _]| source.cuts_words())
    }

    /// How many systems choose together.
    pub fn systems(&self) -> usize {
        self.shared.systems.len()
    }

    /// The features of a system, by name.
    pub fn features(&self, system: usize) -> &FeatureSet {
        self.shared.systems[system].features()
    }

    /// The weights of a system's features, by position.
    pub fn weights(&self, system: usize) -> &[f32] {
        self.shared.systems[system].weights()
    }

    /// Translates a text of one or several sentences.
    pub fn translate(&self, text: &str) -> Result<String> {
        let request = Request { split: self.shared.splitter.is_some(), ..Request::default() };
        Ok(self.translate_with(text, &request)?.text())
    }

    /// Translates a text, with whatever is wanted beside it.
    pub fn translate_with(&self, text: &str, request: &Request) -> Result<Translated> {
        self.translate_trees(text, Vec::new(), request)
    }

    /// Translates a text with its trees: those of the words that models see, one for all systems or one for each.
    pub fn translate_trees(
        &self,
        text: &str,
        trees: Vec<InputTrees>,
        request: &Request,
    ) -> Result<Translated> {
        let (text, request) = (text.to_string(), self.checked(request)?);
        self.pool.ask(move |worker| worker.translate(&text, None, &trees, &request))
    }

    /// Has a text translated and calls `then` with the result, on a thread of the translator: for callers that must not wait.
    pub fn submit(
        &self,
        text: String,
        trees: Vec<InputTrees>,
        request: &Request,
        then: impl FnOnce(Result<Translated>) + Send + 'static,
    ) {
        match self.checked(request) {
            Ok(request) => {
                self.pool.submit(move |worker| worker.translate(&text, None, &trees, &request), then);
            }
            Err(error) => then(Err(error)),
        }
    }

    /// The same for a line of a source, see [`Translator::next_input`].
    pub fn submit_input(
        &self,
        input: LineInput,
        request: &Request,
        then: impl FnOnce(Result<Translated>) + Send + 'static,
    ) {
        let job = move |request: Request| {
            move |worker: &mut worker::Worker<'_>| {
                worker.translate(&input.text, Some(&input.prepared), &input.trees, &request)
            }
        };
        match self.checked(request) {
            Ok(request) => self.pool.submit(job(request), then),
            Err(error) => then(Err(error)),
        }
    }

    /// Whether it can tell how far translations can be trusted.
    pub fn tells_confidence(&self) -> bool {
        self.shared.confidence.is_some()
    }

    /// How many threads translate.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Whether sentences of a paragraph can be told apart.
    pub fn splits(&self) -> bool {
        self.shared.splitter.is_some()
    }

    /// The request as this translator can fulfil it; an error says what does not go together.
    fn checked(&self, request: &Request) -> Result<Request> {
        if request.split && self.shared.splitter.is_none() {
            let why =
                "sentences cannot be told apart: the bundle does not say which language it translates from";
            return Err(Error::Invalid(why.to_string()));
        }
        let compares = request.compare.is_some() || self.systems() > 1;
        if compares && request.count > 1 {
            let why = "several translations are listed by the score of one system, not where they are chosen by agreement";
            return Err(Error::Invalid(why.to_string()));
        }
        let compare = compares.then(|| request.compare.unwrap_or(COMPARED).max(1));
        let signs = request.signs || request.colours;
        Ok(Request { count: request.count.max(1), compare, signs, ..*request })
    }
}

/// Systems that choose together translate the same languages and see the same words; of given words that is for the caller to know.
fn agree(first: &Components, other: &Components, tokenized: bool) -> Result<()> {
    for (a, b) in first.languages.iter().zip(&other.languages) {
        if let (Some(a), Some(b)) = (a, b)
            && a != b
        {
            return Err(Error::Invalid(format!(
                "bundles of different languages cannot choose together: {a} and {b}"
            )));
        }
    }
    let settings = |components: &Components| {
        components.text.as_ref().map(|text| text.each_ref().map(|side| side.settings.clone()))
    };
    if !tokenized && settings(first) != settings(other) {
        return Err(Error::Invalid(
            "bundles that choose together must be trained on the same words: one cuts text otherwise"
                .to_string(),
        ));
    }
    Ok(())
}
