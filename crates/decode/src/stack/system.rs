//! A phrase-based system, read-only and shared by all threads, and the worker that translates sentences with it.

use super::context::{LmContext, LmStates};
use super::coverage::WINDOW;
use super::derive::{Deriver, Placed};
use super::features::Layout;
use super::force::Forced;
use super::future::Future;
use super::hypotheses::{Distortion, Hypotheses};
use super::kbest::KBest;
use super::options::Options;
use super::phrases::{Choice, Models, Phrases};
use super::search::{Limits, Search, Stacks};
use super::table::PhraseTable;
use crate::derivation::Derivation;
use crate::error::{Error, Result};
use crate::lexicon::Lexicon;
use crate::translate::{System, Translations, Wanted, Worker};
use crate::weights::{FeatureSet, Weights};
use crate::yields::Yield;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use treeglot_lm::Lm;
use treeglot_text::vocab::Sym;
use treeglot_tree::Span;

/// How a phrase-based system searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How much of the search space is looked at.
    pub limits: Limits,
    /// How many translations of a source phrase each table may offer; 0 for all.
    pub table_limit: usize,
    /// The longest source phrase.
    pub longest_phrase: usize,
    /// Whether hypotheses are compared with the jumps in view that must still come.
    pub jumps_ahead: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let limits = Limits { distortion: Some(6), pops: Some(500), stack: 500, beam: 1e-5f32.ln() };
        Self { limits, table_limit: 20, longest_phrase: 20, jumps_ahead: true }
    }
}

/// Tables, language models, weights and settings: all that translates.
pub struct PhraseSystem<T> {
    tables: Vec<T>,
    lms: Vec<Lm>,
    layout: Layout,
    weights: Vec<f32>,
    settings: Settings,
}

impl<T: PhraseTable> PhraseSystem<T> {
    /// Puts a system together; each of its features must have a weight.
    pub fn new(tables: Vec<T>, lms: Vec<Lm>, weights: &Weights, settings: Settings) -> Result<Self> {
        if settings.limits.pops == Some(0) {
            return Err(Error::Settings("a pop limit of 0 finds nothing: give 1 or more".to_string()));
        }
        let scores: Vec<usize> = tables.iter().map(PhraseTable::score_count).collect();
        let layout = Layout::new(lms.len(), &scores);
        let weights = layout.weights(weights)?;
        Ok(Self { tables, lms, layout, weights, settings })
    }

    /// The features, by name.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The weights of the features, by position.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The tables and language models, for another system.
    pub fn into_parts(self) -> (Vec<T>, Vec<Lm>) {
        (self.tables, self.lms)
    }

    /// A thread's buffers.
    pub fn worker(&self) -> PhraseWorker<'_, T> {
        let vocabs = self.tables.iter().map(PhraseTable::vocab).collect();
        PhraseWorker {
            system: self,
            models: Models::new(Lexicon::new(vocabs), &self.lms),
            phrases: Phrases::default(),
            options: Options::default(),
            future: Future::default(),
            states: LmStates::default(),
            hypotheses: Hypotheses::default(),
            stacks: Stacks::default(),
            best: Vec::new(),
        }
    }

    fn lm_weights(&self) -> impl Iterator<Item = f32> {
        self.layout.lms.iter().map(|&at| self.weights[at])
    }
}

/// Translates sentence by sentence; one a thread.
pub struct PhraseWorker<'s, T> {
    system: &'s PhraseSystem<T>,
    models: Models<'s>,
    phrases: Phrases,
    options: Options,
    future: Future,
    states: LmStates,
    hypotheses: Hypotheses,
    stacks: Stacks,
    /// The best option of each span, by start and length.
    best: Vec<Vec<f32>>,
}

impl<'s, T: PhraseTable> PhraseWorker<'s, T> {
    /// Searches for translations of a sentence.
    pub fn search(&mut self, words: &[&str]) -> Searched<'_, 's, T> {
        let system = self.system;
        let limits = system.settings.limits;
        let narrowed = self.prepare(words, limits);
        let mut context = LmContext::new(&mut self.states, &self.models, &self.phrases, system.lm_weights());
        let goal = Search {
            options: &self.options,
            phrases: &self.phrases,
            future: &self.future,
            distortion: system.distortion(),
            context: &mut context,
            limits,
            hypotheses: &mut self.hypotheses,
            stacks: &mut self.stacks,
        }
        .run();
        Searched { worker: self, goal, narrowed }
    }

    /// Searches for all ways to translate a sentence by exactly these words.
    pub fn force(&mut self, words: &[&str], translation: &[&str]) -> Searched<'_, 's, T> {
        let system = self.system;
        let limits = Limits { pops: None, stack: 0, beam: f32::NEG_INFINITY, ..system.settings.limits };
        let narrowed = self.prepare(words, limits);
        let mut context = Forced::new(translation, &self.phrases, &mut self.models, system.lm_weights());
        let goal = Search {
            options: &self.options,
            phrases: &self.phrases,
            future: &self.future,
            distortion: system.distortion(),
            context: &mut context,
            limits,
            hypotheses: &mut self.hypotheses,
            stacks: &mut self.stacks,
        }
        .run()
        .filter(|_| !words.is_empty() || translation.is_empty());
        Searched { worker: self, goal, narrowed }
    }

    /// Collects options and future costs. Tells whether the sentence is too long for the distances asked for.
    fn prepare(&mut self, words: &[&str], limits: Limits) -> bool {
        let system = self.system;
        let choice =
            Choice { layout: &system.layout, weights: &system.weights, limit: system.settings.table_limit };
        self.models.next_sentence();
        let void = self.phrases.next_sentence(self.models.len());
        self.states.next_sentence(void, self.phrases.lasting());
        self.options.fill(
            words,
            &system.tables,
            system.settings.longest_phrase,
            choice,
            &mut self.phrases,
            &mut self.models,
        );
        let window = limits.distortion.unwrap_or(WINDOW).min(WINDOW) as usize;
        self.estimate(words.len(), window);
        self.hypotheses.next_sentence(self.options.words());
        limits.distortion.is_none_or(|limit| limit > WINDOW) && words.len() > WINDOW as usize
    }

    /// Fills the table of future costs.
    fn estimate(&mut self, words: usize, longest_gap: usize) {
        self.best.resize_with(self.best.len().max(words), Vec::new);
        for (start, best) in self.best.iter_mut().enumerate().take(words) {
            best.clear();
            for span in self.options.from(start as u32) {
                best.resize((span.end - span.start) as usize, f32::NEG_INFINITY);
                let score = |option| self.options.get(option).score;
                let top = span.options().map(score).fold(f32::NEG_INFINITY, f32::max);
                best[(span.end - span.start) as usize - 1] = top;
            }
        }
        self.future.fill(words, longest_gap, &self.best);
    }

    fn derive(&mut self, path: &[(u32, Span)]) -> Derivation {
        let (options, phrases) = (&self.options, &self.phrases);
        let mut deriver = Deriver {
            tables: &self.system.tables,
            layout: &self.system.layout,
            weights: &self.system.weights,
            models: &mut self.models,
        };
        deriver.derive(path.iter().map(|&(option, span)| {
            let phrase = options.get(option).phrase;
            Placed { applied: phrases.get(phrase).applied, span, words: phrases.words(phrase) }
        }))
    }
}

impl<T> PhraseSystem<T> {
    fn distortion(&self) -> Distortion {
        Distortion { weight: self.weights[self.layout.distortion], ahead: self.settings.jumps_ahead }
    }
}

/// What a search has found.
pub struct Searched<'w, 's, T> {
    worker: &'w mut PhraseWorker<'s, T>,
    goal: Option<u32>,
    /// Whether phrases could jump less far than was asked for, because the sentence is long.
    pub narrowed: bool,
}

impl<'s, T: PhraseTable> Searched<'_, 's, T> {
    /// The score of the best derivation as the search has it; `None` if there is none.
    pub fn score(&self) -> Option<f32> {
        self.goal.map(|goal| self.worker.hypotheses.vertex(goal).score)
    }

    /// The best derivation; `None` if there is none.
    pub fn best(&mut self) -> Option<Derivation> {
        let mut path = Vec::new();
        self.worker.hypotheses.best_path(self.goal?, &mut path);
        Some(self.derive(&path))
    }

    /// The best derivations, at most `count`, each with its score in the search; of distinct ones, no two have the same
    /// words.
    pub fn kbest(&mut self, count: usize, distinct: bool) -> Vec<(Derivation, f64)> {
        let Some(goal) = self.goal else { return Vec::new() };
        let words = if distinct { self.worker.yields() } else { Vec::new() };
        let words: &dyn Fn(u32) -> Yield = &|option| words[option as usize];
        let mut kbest = KBest::new(&self.worker.hypotheses, distinct.then_some(words));
        let (mut path, mut paths) = (Vec::new(), Vec::new());
        for rank in 0..count {
            let Some(score) = kbest.path(goal, rank as u32, &mut path) else { break };
            paths.push((path.clone(), score));
        }
        paths.into_iter().map(|(path, score)| (self.derive(&path), score)).collect()
    }

    /// The words of the tables and of this sentence.
    pub fn lexicon(&self) -> &Lexicon<'s> {
        self.worker.models.lexicon()
    }

    fn derive(&mut self, path: &[u32]) -> Derivation {
        let spans = self.worker.options.spans_of(path);
        self.worker.derive(&spans)
    }
}

impl<T> PhraseWorker<'_, T> {
    /// The words of each option.
    fn yields(&self) -> Vec<Yield> {
        let lexicon = self.models.lexicon();
        let hash = |&word: &Sym| FxBuildHasher.hash_one(lexicon.text(word));
        let words = |phrase: u32| self.phrases.words(phrase).iter().map(hash);
        let of = |phrase: u32| words(phrase).fold(Yield::EMPTY, |all, word| all.then(Yield::word(word)));
        self.options.phrases().map(of).collect()
    }
}

impl<T: PhraseTable + Send + Sync> System for PhraseSystem<T> {
    fn features(&self) -> &FeatureSet {
        self.layout.set()
    }

    fn weights(&self) -> &[f32] {
        &self.weights
    }

    fn worker(&self) -> Result<Box<dyn Worker + '_>> {
        Ok(Box::new(PhraseSystem::worker(self)))
    }
}

impl<T: PhraseTable + Send + Sync> Worker for PhraseWorker<'_, T> {
    fn translate(&mut self, line: &str, wanted: &Wanted) -> Translations {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let features = self.system.layout.set();
        let mut searched = self.search(&words);
        let narrowed = || format!("{} words: phrases could jump over {WINDOW} words at most", words.len());
        let mut found = Translations { best: Vec::new(), narrowed: searched.narrowed.then(narrowed) };
        let mut seen = FxHashSet::default();
        let best = match wanted.count {
            0 | 1 => searched.best().into_iter().collect(),
            count => {
                let best = searched.kbest(count, wanted.distinct);
                best.into_iter().map(|(derivation, _)| derivation).collect::<Vec<_>>()
            }
        };
        for derivation in &best {
            found.take(derivation, line, searched.lexicon(), features, wanted, &mut seen);
        }
        found
    }
}
