//! What every search gives: translations of a line, as many and as much explained as was asked for. Whoever translates
//! needs to know no more of a system than this.

use crate::chart::{ChartSystem, ChartWorker};
use crate::deadline::Deadline;
use crate::derivation::Derivation;
use crate::error::{Error, Result};
use crate::explain::Explanation;
use crate::features::{Both, Dependency, Joint, Lexical, Neural, Ngram, SparseRules, SparseSpace, Stateful};
use crate::guide::UnknownWords;
use crate::target_tree::target_tree;
use crate::translation_forest::TranslationForest;
use crate::vocab::SentenceVocab;
use crate::weights::FeatureSet;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;
use treeglot_lm::{AnyTables, Lm, Search, TakeTables};
use treeglot_models::{Guidance, InputTrees, UNGUIDED};

/// A translation system: read-only, shared by all threads.
pub trait System: Send + Sync {
    /// The features, by name.
    fn features(&self) -> &FeatureSet;

    /// The weights of the features, by position.
    fn weights(&self) -> &[f32];

    /// The sparse features, if there are any.
    fn sparse(&self) -> Option<&Arc<SparseSpace>> {
        None
    }

    /// The buffers of one thread.
    fn worker(&self) -> Result<Box<dyn Worker + '_>>;
}

/// Translates sentence by sentence; one a thread.
pub trait Worker: Send {
    /// Translates a line of words.
    fn translate(&mut self, line: &str, wanted: &Wanted) -> Translations {
        self.translate_trees(line, &InputTrees::default(), wanted)
    }

    /// Translates a line of words with its trees. Systems that read no trees pass over them.
    fn translate_trees(&mut self, line: &str, trees: &InputTrees, wanted: &Wanted) -> Translations {
        self.translate_guided(line, trees, UNGUIDED, wanted)
    }

    /// Translates a line of words with its trees and what is known of the translation.
    fn translate_guided(
        &mut self,
        line: &str,
        trees: &InputTrees,
        guidance: &Guidance,
        wanted: &Wanted,
    ) -> Translations;

    /// About so many of the best hyperarcs of the searched forest of a line with its trees; `None` where a search makes no
    /// forest.
    fn search_forest(&mut self, line: &str, trees: &InputTrees, arcs: usize) -> Option<TranslationForest> {
        let _ = (line, trees, arcs);
        None
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// How many translations, at least 1.
    pub count: usize,
    /// Whether they should differ in their words.
    pub distinct: bool,
    /// Whether they should be explained.
    pub explain: bool,
    /// Until when.
    pub deadline: Deadline,
    /// What becomes of words that no table has.
    pub unknown: UnknownWords,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            count: 1,
            distinct: false,
            explain: false,
            deadline: Deadline::default(),
            unknown: UnknownWords::default(),
        }
    }
}

/// How many words the translations of a line may have together, and how many of them are explained: a bound on memory for very long
/// lines. The best translation is given and explained whatever its length.
const MOST_WORDS: usize = 1_000_000;
const MOST_EXPLAINED: usize = 200_000;

impl Wanted {
    /// The same for a line of so many words: fewer translations of a very long one.
    pub(crate) fn for_length(self, words: usize) -> Self {
        let most = if self.explain { MOST_EXPLAINED } else { MOST_WORDS };
        Self { count: self.count.min((most / words.max(1)).max(1)), ..self }
    }

    /// What is said of a line for which fewer translations are given than were asked for.
    pub(crate) fn narrowed(&self, given: &Self, words: usize) -> Option<String> {
        let (count, asked) = (given.count, self.count);
        (count < asked).then(|| format!("{words} words: the {count} best translations instead of {asked}"))
    }
}

/// How many derivations are looked at for each distinct translation that is asked for.
pub const DERIVATIONS_EACH: usize = 50;

/// The translations of one line.
#[derive(Debug, Clone, Default)]
pub struct Translations {
    /// Best first; never empty unless a search fails.
    pub best: Vec<Translation>,
    /// What was narrowed because the line is long.
    pub narrowed: Option<String>,
    /// The deadline passed: what was found by then is not worth having.
    pub stopped: bool,
}

/// One translation.
#[derive(Debug, Clone)]
pub struct Translation {
    /// Its words, separated by spaces.
    pub text: String,
    /// The values of the features.
    pub features: Vec<f64>,
    /// The sparse features whose weighted sum is one of them, by number.
    pub sparse: Vec<(u32, f32)>,
    /// The weighted sum of the features.
    pub score: f64,
    /// Which rules made it, if that was asked for.
    pub explanation: Option<Explanation>,
    /// The head of each word, from 1 and 0 for the root, if its rules have heads.
    pub tree: Option<Vec<u32>>,
}

impl Translations {
    /// Takes one more derivation; whether more are wanted.
    pub fn take(
        &mut self,
        derivation: &Derivation,
        line: &str,
        vocab: &SentenceVocab<'_>,
        features: &FeatureSet,
        wanted: &Wanted,
        seen: &mut FxHashSet<String>,
    ) -> bool {
        let mut words = Vec::new();
        derivation.words(&mut words);
        let text = vocab.join(&words);
        if !wanted.distinct || seen.insert(text.clone()) {
            let explain = || Explanation::new(derivation, line, vocab, features);
            // A derivation without steps, of an empty line, has no values of its own.
            let mut values = derivation.total_features();
            values.resize(features.len(), 0.0);
            self.best.push(Translation {
                text,
                features: values,
                sparse: derivation.total_sparse(),
                score: derivation.score(),
                explanation: wanted.explain.then(explain),
                tree: None,
            });
        }
        self.best.len() < wanted.count
    }
}

impl<F: Stateful> Worker for ChartWorker<'_, F> {
    fn translate_guided(
        &mut self,
        line: &str,
        trees: &InputTrees,
        guidance: &Guidance,
        wanted: &Wanted,
    ) -> Translations {
        let asked_for = wanted;
        let words = line.split_ascii_whitespace().count();
        let wanted = &asked_for.for_length(words);
        let derivations = wanted.count.saturating_mul(if wanted.distinct { DERIVATIONS_EACH } else { 1 });
        let used = self.search_until(line, trees, guidance, wanted, wanted.count == 1);
        let moved = moved_line(line, self.forest().order());
        let mut found = Translations {
            best: Vec::new(),
            narrowed: self.narrowed(&used).or_else(|| asked_for.narrowed(wanted, words)),
            stopped: false,
        };
        let (mut seen, mut asked) = (FxHashSet::default(), 0);
        let features = self.system.features().set();
        let builds_trees = self.system.builds_trees();
        self.derivations(wanted.distinct, |derivation, score| {
            // The search adds with single precision: what rounding loses grows with the length.
            let rounding = (1e-5 + 1e-7 * words as f64) * derivation.score().abs();
            debug_assert!(
                (derivation.score() - f64::from(score)).abs() <= 1e-3 + rounding,
                "the features of a derivation are those that the search used"
            );
            if wanted.deadline.passed() {
                return false;
            }
            asked += 1;
            let before = found.best.len();
            let more = found.take(derivation, &moved, self.vocab(), features, wanted, &mut seen);
            let Some(new) = found.best.get_mut(before) else { return more && asked < derivations };
            new.tree = builds_trees.then(|| target_tree(derivation));
            if let Some(explanation) = new.explanation.as_mut() {
                explanation.name_labels(derivation, |label| self.forest().name_of(label));
                explanation.move_back(self.forest().order());
                explanation.set_heads(new.tree.as_deref().unwrap_or_default());
            }
            more && asked < derivations
        });
        found.stopped = wanted.deadline.passed();
        found
    }

    fn search_forest(&mut self, line: &str, trees: &InputTrees, arcs: usize) -> Option<TranslationForest> {
        let all = Wanted { count: usize::MAX, ..Wanted::default() };
        self.search_until(line, trees, UNGUIDED, &all, false);
        Some(self.pruned(arcs))
    }
}

/// The words of a line in another order; as they stand if it is empty.
fn moved_line<'a>(line: &'a str, order: &[u32]) -> Cow<'a, str> {
    if order.is_empty() {
        return Cow::Borrowed(line);
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let moved: Vec<&str> = order.iter().filter_map(|&at| words.get(at as usize).copied()).collect();
    Cow::Owned(moved.join(" "))
}

/// A worker for a system with one language model, compiled for the model's layout: most systems have one.
struct WithOneLm<'s> {
    system: &'s ChartSystem,
    lm: &'s Lm,
    weight: f32,
    trees: Option<Dependency<'s>>,
}

impl<'s> TakeTables<'s> for WithOneLm<'s> {
    type Output = Box<dyn Worker + 's>;

    fn take<S: Search + Clone + Send + Sync + 's>(self, tables: S) -> Self::Output {
        let words = Ngram::new(self.lm, tables, self.weight);
        match self.trees {
            Some(trees) => Box::new(self.system.worker_with(Both(words, trees))),
            None => Box::new(self.system.worker_with(words)),
        }
    }
}

impl ChartSystem {
    /// A worker with neural models beside language models.
    fn neural_worker<'s>(
        &'s self,
        neural: Neural<'s>,
        any: impl Fn(usize) -> Ngram<'s, AnyTables<'s>>,
    ) -> Result<Box<dyn Worker + 's>> {
        let trees = self.dependency_lm().map(|lm| {
            let (first, weights) = (self.lms().len(), ChartSystem::features(self).weights());
            Dependency::new(lm, [weights[first], weights[first + 1]])
        });
        Ok(match (self.lms().len(), trees) {
            (0, _) => {
                let why = "neural models stand beside a language model of text, of which there is none";
                return Err(Error::Settings(why.to_string()));
            }
            (1, None) => Box::new(self.worker_with(Both(any(0), neural))),
            (2, None) => Box::new(self.worker_with(Both(any(0), Both(any(1), neural)))),
            (_, None) => Box::new(self.worker_with(Both(any(0), Both(any(1), Both(any(2), neural))))),
            (1, Some(trees)) => Box::new(self.worker_with(Both(any(0), Both(trees, neural)))),
            (_, Some(trees)) => Box::new(self.worker_with(Both(any(0), Both(any(1), Both(trees, neural))))),
        })
    }
}

impl System for ChartSystem {
    fn features(&self) -> &FeatureSet {
        ChartSystem::features(self).set()
    }

    fn weights(&self) -> &[f32] {
        ChartSystem::features(self).weights()
    }

    fn sparse(&self) -> Option<&Arc<SparseSpace>> {
        ChartSystem::features(self).sparse().map(SparseRules::space)
    }

    fn worker(&self) -> Result<Box<dyn Worker + '_>> {
        let weight = |number: usize| ChartSystem::features(self).weights()[number];
        let any = |number: usize| {
            let lm = &self.lms()[number];
            Ngram::new(lm, lm.tables(), weight(number))
        };
        let features = ChartSystem::features(self);
        let joint = self.joint_model().zip(features.joint()).map(|(model, at)| Joint::new(model, weight(at)));
        let lexical = self.lexical_model().zip(features.lexical());
        let lexical = lexical.map(|(model, at)| Lexical::new(model, weight(at)));
        if joint.is_some() || lexical.is_some() {
            return self.neural_worker(Neural { joint, lexical }, any);
        }
        if let Some(lm) = self.dependency_lm() {
            let first = self.lms().len();
            let trees = Dependency::new(lm, [weight(first), weight(first + 1)]);
            return Ok(match self.lms() {
                [] => Box::new(self.worker_with(trees)),
                [lm] => {
                    let trees = Some(trees);
                    lm.tables().dispatch(WithOneLm { system: self, lm, weight: weight(0), trees })
                }
                _ => Box::new(self.worker_with(Both(any(0), Both(any(1), trees)))),
            });
        }
        Ok(match self.lms() {
            [] => Box::new(self.worker_with(())),
            [lm] => lm.tables().dispatch(WithOneLm { system: self, lm, weight: weight(0), trees: None }),
            [_, _] => Box::new(self.worker_with(Both(any(0), any(1)))),
            _ => Box::new(self.worker_with(Both(any(0), Both(any(1), any(2))))),
        })
    }
}
