//! A phrase-based system, read-only and shared by all threads, and the worker that translates sentences with it.

use super::context::{Context, LmContext, LmStates};
use super::coverage::WINDOW;
use super::derive::{Deriver, Sources};
use super::force::Forced;
use super::future::Future;
use super::hypotheses::{Distortion, Hypotheses, NONE, path};
use super::joint::{JointOptions, WithJoint};
use super::lexical::LexicalOptions;
use super::operations::{OperationOptions, WithOperations};
use super::options::Options;
use super::phrases::{Choice, Models, Phrases};
use super::search::{Search, Stacks};
use super::table::PhraseTable;
use crate::deadline::Deadline;
use crate::derivation::Derivation;
use crate::error::{Error, Result};
use crate::features::{Features, Joint, Lexical, LmRole, Shape, SparseRules, SparseSpace};
use crate::frequent::FrequentWords;
use crate::guide::UnknownWords;
use crate::resources::Resources;
use crate::settings::{Limits, SearchSettings};
use crate::translate::{System, Translations, Wanted, Worker};
use crate::vocab::SentenceVocab;
use crate::weights::{FeatureSet, Weights};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use std::sync::Arc;
use treeglot_joint::JointModel;
use treeglot_lm::Lm;
use treeglot_models::{Applies, Guidance, InputTrees, TableRole, UNGUIDED};
use treeglot_tree::hypergraph::{KBest, Yield, YieldItem};

/// Tables, language models, weights and settings: all that translates.
pub struct PhraseSystem<T> {
    tables: Vec<T>,
    lms: Vec<Lm>,
    joint: Option<JointModel>,
    lexical: Option<JointModel>,
    operations: Option<Lm>,
    sparse: Option<FrequentWords>,
    features: Features,
    limits: Limits,
}

impl<T: PhraseTable> PhraseSystem<T> {
    /// Puts a system together; each of its features must have a weight. Tables are all alike here, whatever their role.
    pub fn new(resources: Resources<T>, weights: &Weights, settings: &SearchSettings) -> Result<Self> {
        let lms = resources.lm_roles();
        if lms.contains(&LmRole::Dependency) {
            let why = "phrases have no trees for a dependency language model to score: leave it out";
            return Err(Error::Settings(why.to_string()));
        }
        let applies = Applies::Phrases;
        let of_features = |shape: &Shape<'_>| Features::new(shape, weights);
        let features = resources.with_shape(
            applies,
            settings,
            |table| (table.score_names(), table.vocab()),
            of_features,
        )?;
        let Resources { tables, lms, joint, lexical, operations, sparse } = resources;
        let limits = settings.limits(applies, features.sum_of_weights());
        let tables = tables.into_iter().map(|(_, table)| table).collect();
        let lms = lms.into_iter().map(|(_, lm)| lm).collect();
        Self { tables, lms, joint, lexical, operations, sparse, features, limits }.with_limits(limits)
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> Result<Self> {
        if limits.pops == Some(0) {
            return Err(Error::Settings("a pop limit of 0 finds nothing: give 1 or more".to_string()));
        }
        Ok(Self { limits, ..self })
    }

    /// How far it searches.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The tables and language models, for another system.
    pub fn into_resources(self) -> Resources<T> {
        Resources {
            tables: self.tables.into_iter().map(|table| (TableRole::Model, table)).collect(),
            lms: self.lms.into_iter().map(|lm| (LmRole::Ngram, lm)).collect(),
            joint: self.joint,
            lexical: self.lexical,
            operations: self.operations,
            sparse: self.sparse,
        }
    }

    /// A thread's buffers.
    pub fn worker(&self) -> PhraseWorker<'_, T> {
        let vocabs = self.tables.iter().map(PhraseTable::vocab).collect();
        PhraseWorker {
            system: self,
            models: Models::new(SentenceVocab::new(vocabs), &self.lms),
            phrases: Phrases::default(),
            options: Options::default(),
            future: Future::default(),
            states: LmStates::default(),
            hypotheses: Hypotheses::default(),
            stacks: Stacks::default(),
            best: Vec::new(),
            joint: self.joint_options(),
            lexical: self.lexical_options(),
            operations: self.operation_options(),
            line: Vec::new(),
            guidance: Guidance::default(),
        }
    }

    /// The joint model with its weight.
    fn joint_options(&self) -> Option<JointOptions<'_>> {
        let weight = self.features.weights()[self.features.joint()?];
        self.joint.as_ref().map(|model| JointOptions::new(Joint::new(model, weight)))
    }

    /// The operation sequence model with its weight.
    fn operation_options(&self) -> Option<OperationOptions<'_>> {
        let weight = self.features.weights()[self.features.operations()?];
        self.operations.as_ref().map(|lm| OperationOptions::new(lm, weight))
    }

    /// The lexical translation model with its weight.
    fn lexical_options(&self) -> Option<LexicalOptions<'_>> {
        let weight = self.features.weights()[self.features.lexical()?];
        self.lexical.as_ref().map(|model| LexicalOptions::new(Lexical::new(model, weight)))
    }

    fn lm_weights(&self) -> impl Iterator<Item = f32> {
        self.features.weights()[self.features.lms()].iter().copied()
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
    joint: Option<JointOptions<'s>>,
    lexical: Option<LexicalOptions<'s>>,
    operations: Option<OperationOptions<'s>>,
    /// The words of the sentence, if a feature asks for source words.
    line: Vec<String>,
    /// What is known of the sentence's translation.
    guidance: Guidance,
}

impl<'s, T: PhraseTable> PhraseWorker<'s, T> {
    /// Searches for translations of a sentence.
    pub fn search(&mut self, words: &[&str]) -> PhraseSearch<'_, 's, T> {
        self.search_until(words, UNGUIDED, &Wanted::default())
    }

    /// The same with what is known of the translation, until a deadline, after which nothing is found.
    fn search_until(
        &mut self,
        words: &[&str],
        guidance: &Guidance,
        wanted: &Wanted,
    ) -> PhraseSearch<'_, 's, T> {
        let system = self.system;
        let limits = system.limits.for_stacks(words.len());
        let narrowed = self.prepare(words, limits, guidance, wanted.unknown);
        let context = LmContext::new(&mut self.states, &self.models, &self.phrases, system.lm_weights());
        let goal = Run {
            system,
            prepared: (&self.options, &self.phrases, &self.future, &self.guidance),
            limits: (limits, wanted.deadline),
            buffers: (&mut self.hypotheses, &mut self.stacks),
        }
        .with(context, self.operations.as_mut(), self.joint.as_mut());
        PhraseSearch { worker: self, goal, narrowed }
    }

    /// Searches for all derivations that translate a sentence by exactly these words.
    pub fn force(&mut self, words: &[&str], translation: &[&str]) -> PhraseSearch<'_, 's, T> {
        let system = self.system;
        let limits = Limits { pops: None, beam: 0, threshold: f32::INFINITY, ..system.limits };
        let narrowed = self.prepare(words, limits, UNGUIDED, UnknownWords::Copy);
        let context = Forced::new(translation, &self.phrases, &mut self.models, system.lm_weights());
        let goal = Run {
            system,
            prepared: (&self.options, &self.phrases, &self.future, &self.guidance),
            limits: (limits, Deadline::default()),
            buffers: (&mut self.hypotheses, &mut self.stacks),
        }
        .with(context, self.operations.as_mut(), self.joint.as_mut());
        let goal = goal.filter(|_| !words.is_empty() || translation.is_empty());
        PhraseSearch { worker: self, goal, narrowed }
    }

    /// Collects options and future costs. Tells whether the sentence is too long for the distances asked for.
    fn prepare(
        &mut self,
        words: &[&str],
        limits: Limits,
        guidance: &Guidance,
        unknown: UnknownWords,
    ) -> bool {
        if self.guidance != *guidance {
            self.guidance.clone_from(guidance);
        }
        let system = self.system;
        self.line.clear();
        if system.features.reads_source() || self.operations.is_some() {
            self.line.extend(words.iter().map(|word| word.to_string()));
        }
        let choice = Choice { features: &system.features, limit: system.limits.table_limit };
        let longest = if limits.max_span == 0 { usize::MAX } else { limits.max_span };
        self.models.next_sentence();
        let void = self.phrases.next_sentence(self.models.len());
        self.states.next_sentence(void, self.phrases.lasting());
        let guided = (guidance, unknown);
        self.options.fill(
            words,
            (&system.tables[..], longest),
            choice,
            guided,
            &mut self.phrases,
            &mut self.models,
        );
        if let Some(lexical) = &mut self.lexical {
            lexical.begin(words, &mut self.options, (&self.phrases, &system.tables), &self.models);
        }
        if let Some(operations) = &mut self.operations {
            operations.begin(words, &mut self.options, (&self.phrases, &system.tables), &self.models);
        }
        if let Some(joint) = &mut self.joint {
            joint.begin(words, &mut self.options, (&self.phrases, &system.tables), &self.models);
        }
        if let Some(operations) = &mut self.operations {
            operations.arrange(words, &self.options, (&self.phrases, &system.tables), &self.models);
        }
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

    /// Writes derivations of the sentence searched last.
    fn deriver(&mut self) -> Deriver<'_, 's, T> {
        Deriver::new(Sources {
            tables: &self.system.tables,
            features: &self.system.features,
            line: &self.line,
            guidance: &self.guidance,
            hypotheses: &self.hypotheses,
            options: &self.options,
            phrases: &self.phrases,
            models: &mut self.models,
            joint: self.joint.as_mut().map(JointOptions::joint),
            lexical: self.lexical.as_ref(),
            operations: self.operations.as_mut(),
        })
    }
}

/// A search of a sentence whose options were collected.
struct Run<'a, T> {
    system: &'a PhraseSystem<T>,
    prepared: (&'a Options, &'a Phrases, &'a Future, &'a Guidance),
    limits: (Limits, Deadline),
    buffers: (&'a mut Hypotheses, &'a mut Stacks),
}

impl<T> Run<'_, T> {
    /// Searches with what else looks at the words before; the vertex where all complete hypotheses meet.
    fn with<C: Context>(
        self,
        mut inner: C,
        operations: Option<&mut OperationOptions<'_>>,
        joint: Option<&mut JointOptions<'_>>,
    ) -> Option<u32> {
        match (operations, joint) {
            (None, None) => self.run(&mut inner),
            (None, Some(options)) => self.run(&mut WithJoint { inner, options }),
            (Some(options), None) => self.run(&mut WithOperations { inner, options }),
            (Some(operations), Some(options)) => {
                let inner = WithOperations { inner, options: operations };
                self.run(&mut WithJoint { inner, options })
            }
        }
    }

    fn run(self, context: &mut impl Context) -> Option<u32> {
        let Self { system, prepared, limits: (limits, deadline), buffers } = self;
        let (options, phrases, future, guidance) = prepared;
        let (hypotheses, stacks) = buffers;
        let weight = system.features.weights()[system.features.distortion()];
        let distortion = Distortion { weight, ahead: system.limits.jumps_ahead };
        Search {
            options,
            phrases,
            future,
            guidance,
            distortion,
            context,
            limits,
            deadline,
            hypotheses,
            stacks,
        }
        .run()
    }
}

/// What was found for a sentence.
pub struct PhraseSearch<'w, 's, T> {
    worker: &'w mut PhraseWorker<'s, T>,
    goal: Option<u32>,
    /// Whether phrases could jump less far than was asked for, because the sentence is long.
    pub narrowed: bool,
}

impl<'s, T: PhraseTable> PhraseSearch<'_, 's, T> {
    /// The score of the best derivation as the search has it; `None` if there is none.
    pub fn score(&self) -> Option<f32> {
        self.goal.map(|goal| self.worker.hypotheses.vertex(goal).score)
    }

    /// The best derivation; `None` if there is none.
    pub fn best(&mut self) -> Option<Derivation> {
        let (mut path, mut derivation) = (Vec::new(), Derivation::default());
        self.worker.hypotheses.best_path(self.goal?, &mut path);
        self.worker.deriver().derive(&path, &mut derivation);
        Some(derivation)
    }

    /// The best derivations, at most `count`, each with its score in the search; of distinct ones, no two have the same
    /// words.
    pub fn kbest(&mut self, count: usize, distinct: bool) -> Vec<(Derivation, f64)> {
        let mut all = Vec::new();
        self.derivations(count, distinct, |derivation, score, _| all.push((derivation.clone(), score)));
        all
    }

    /// Hands the best derivations on, best first, with their scores in the search.
    fn derivations(
        &mut self,
        count: usize,
        distinct: bool,
        mut take: impl FnMut(&Derivation, f64, &SentenceVocab<'s>),
    ) {
        let paths = self.paths(count, distinct);
        let mut deriver = self.worker.deriver();
        let mut derivation = Derivation::default();
        for (path, score) in paths {
            deriver.derive(&path, &mut derivation);
            take(&derivation, score, deriver.vocab());
        }
    }

    /// The arcs of the best paths, each with its score in the search.
    fn paths(&self, count: usize, distinct: bool) -> Vec<(Vec<u32>, f64)> {
        let Some(goal) = self.goal else { return Vec::new() };
        let hypotheses = &self.worker.hypotheses;
        let options = &self.worker.options;
        let mut words = |arc: u32, items: &mut Vec<YieldItem>| {
            let option = hypotheses.arc(arc).option;
            if option != NONE {
                let words = self.worker.words_of(options.get(option).phrase);
                items.extend([YieldItem::Tail(0), YieldItem::Words(words)]);
            }
        };
        let mut best = match distinct {
            true => KBest::distinct(hypotheses, &mut words),
            false => KBest::new(hypotheses),
        };
        (0..count as u32).map_while(|rank| path(&mut best, hypotheses, goal, rank)).collect()
    }

    /// The words of the tables and of this sentence.
    pub fn vocab(&self) -> &SentenceVocab<'s> {
        self.worker.models.vocab()
    }
}

impl<T> PhraseWorker<'_, T> {
    /// The words of a phrase.
    fn words_of(&self, phrase: u32) -> Yield {
        let vocab = self.models.vocab();
        let words = self.phrases.words(phrase).iter().map(|&word| FxBuildHasher.hash_one(vocab.text(word)));
        words.fold(Yield::EMPTY, |all, word| all.then(Yield::word(word)))
    }
}

impl<T: PhraseTable + Send + Sync> System for PhraseSystem<T> {
    fn features(&self) -> &FeatureSet {
        self.features.set()
    }

    fn weights(&self) -> &[f32] {
        self.features.weights()
    }

    fn sparse(&self) -> Option<&Arc<SparseSpace>> {
        self.features.sparse().map(SparseRules::space)
    }

    fn worker(&self) -> Result<Box<dyn Worker + '_>> {
        Ok(Box::new(PhraseSystem::worker(self)))
    }
}

impl<T: PhraseTable + Send + Sync> Worker for PhraseWorker<'_, T> {
    fn translate_guided(
        &mut self,
        line: &str,
        _: &InputTrees,
        guidance: &Guidance,
        wanted: &Wanted,
    ) -> Translations {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let features = self.system.features.set();
        let limits = self.system.limits.for_stacks(words.len());
        let lower = limits.pops.filter(|_| limits != self.system.limits);
        let lower = lower.map(|pops| format!("{} words: searched with {pops} pops", words.len()));
        let mut searched = self.search_until(&words, guidance, wanted);
        let narrowed = || format!("{} words: phrases could jump over {WINDOW} words at most", words.len());
        let given = &wanted.for_length(words.len());
        let narrowed =
            searched.narrowed.then(narrowed).or(lower).or_else(|| wanted.narrowed(given, words.len()));
        let mut found = Translations { best: Vec::new(), narrowed, stopped: wanted.deadline.passed() };
        let wanted = given;
        if found.stopped {
            return found;
        }
        let mut seen = FxHashSet::default();
        if wanted.count <= 1 {
            if let Some(best) = searched.best() {
                found.take(&best, line, searched.vocab(), features, wanted, &mut seen);
            }
            return found;
        }
        searched.derivations(wanted.count, wanted.distinct, |derivation, _, vocab| {
            found.take(derivation, line, vocab, features, wanted, &mut seen);
        });
        found
    }
}
