//! The features of the search, for charts and stacks alike, in Moses' names and definitions. A feature is one file of this
//! folder and one line in [`FEATURES`]: its name, how many values it has, what they weigh before tuning, and the value of
//! a rule.
//!
//! Features of single rules are computed once for each rule of a list. Those that look across rules are computed by the search,
//! which is compiled for their types ([`Stateful`]), or, in stack search, from where phrases stand; their entry says all but the
//! value.

mod backoff;
mod corrections;
mod dependency;
mod distortion;
mod glue;
mod joint;
mod lexical;
mod memory;
mod ngram;
mod operations;
mod parses;
mod phrase_penalty;
mod reordering;
mod rules_of;
mod sparse;
mod stateful;
mod structure;
mod translation_model;
mod unknown_word;
mod unlinked_words;
mod word_penalty;

pub use dependency::{DepState, Dependency, MAX_ORDER};
pub use joint::{Joint, JointState, JointWord, affiliate};
pub use lexical::{Lexical, Neural, translated};
pub use ngram::Ngram;
pub use parses::weigh_parses;
pub use reordering::REORDERING;
pub use sparse::{OfSparse, SPARSE_SUM, SparseRules, SparseSpace};
pub use stateful::{Both, Item, Stateful};
pub use structure::{Assembled, Build, JOINS, MAX_ROOTS, assemble};

use crate::derivation::Applied;
use crate::error::Result;
use crate::weights::{FeatureSet, Weights};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_models::Applies;

/// The features of one kind that a system has.
type Entry = fn(&Shape<'_>) -> Vec<Box<dyn Feature>>;

/// All features, in the order in which systems have them.
const FEATURES: &[Entry] = &[
    reordering::of,
    distortion::of,
    ngram::of,
    dependency::of,
    joint::of,
    lexical::of,
    operations::of,
    word_penalty::of,
    phrase_penalty::of,
    translation_model::of,
    glue::of,
    unknown_word::of,
    parses::of,
    backoff::of,
    unlinked_words::of,
    rules_of::of,
    corrections::of,
    memory::of,
    sparse::of,
];

/// Features that a system has only where it is asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Extra {
    /// How many target words of rules have no link
    UnlinkedWords,
    /// How many rules of each table are used
    RulesOf,
    /// How many translations that were learnt from corrections are used; systems that learnt some have it by themselves
    Corrections,
    /// How many translations of pairs like the sentence are used; systems with a memory have it by themselves
    Memory,
}

/// What a language model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LmRole {
    /// The words of translations, from left to right.
    Ngram,
    /// The dependency trees of translations.
    Dependency,
}

/// What a system consists of, as far as its features follow from it.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// What its model translates.
    pub applies: Applies,
    /// Its language models.
    pub lms: &'a [LmRole],
    /// The names of the scores of each table.
    pub tables: &'a [&'a [String]],
    /// Whether it has a joint model.
    pub joint: bool,
    /// Whether it has a lexical translation model.
    pub lexical: bool,
    /// Whether it has an operation sequence model.
    pub operations: bool,
    /// What it has sparse features of.
    pub sparse: Option<OfSparse<'a>>,
    /// Features that it has only because it was asked to.
    pub extra: &'a [Extra],
    /// Its weights; none for one that is not tuned yet. Some features stand only in systems whose weights name them.
    pub weights: Option<&'a Weights>,
}

impl Shape<'_> {
    /// Whether its weights name a feature; for a system without weights, what is given.
    fn names(&self, feature: &str, untuned: bool) -> bool {
        self.weights.map_or(untuned, |weights| weights.get(feature).is_some())
    }

    fn lms(&self, role: LmRole) -> usize {
        self.lms.iter().filter(|&&lm| lm == role).count()
    }

    fn is_chart(&self) -> bool {
        self.applies != Applies::Phrases
    }
}

/// What a feature sees of one application of a rule.
#[derive(Debug, Clone, Copy)]
pub struct RuleView<'a> {
    /// What is applied.
    pub applied: Applied,
    /// Words of the source side, by the numbers of the system's vocabulary, and variables of any label; only there if a feature asks
    /// for them.
    pub source: &'a [Symbol],
    /// Words, by the same numbers, and references to variables.
    pub target: &'a [Symbol],
    /// Links between the words; only read if a feature asks for them.
    pub links: &'a [RuleLink],
    /// The logarithm of its share in the parses of the input.
    pub parse: f32,
}

/// A feature of the search.
pub trait Feature: Send + Sync {
    /// Its name, as files of weights have it.
    fn name(&self) -> String;

    /// How many values it has; one if they are those of single rules.
    fn width(&self) -> usize {
        1
    }

    /// Whether its value is that of single rules, so that [`Feature::value`] tells it; else the search computes it.
    fn of_rules(&self) -> bool {
        true
    }

    /// Its weights before tuning.
    fn start(&self) -> Vec<f32>;

    /// Its weights where a file of weights has none for it; `None` if it must have.
    fn missing(&self) -> Option<Vec<f32>> {
        None
    }

    /// Its value for one application of a rule.
    fn value(&self, rule: &RuleView<'_>) -> f32 {
        let _ = rule;
        0.0
    }

    /// Whether it looks at the links of rules.
    fn reads_links(&self) -> bool {
        false
    }

    /// Whether it looks at the source sides of rules.
    fn reads_source(&self) -> bool {
        false
    }

    /// The sparse features that it is the sum of.
    fn sparse(&self) -> Option<&SparseRules> {
        None
    }

    /// An error for weights that do not fit it, beyond those that go by its own name.
    fn check(&self, weights: &Weights) -> Result<()> {
        let _ = weights;
        Ok(())
    }
}

/// The features of a system.
fn features_of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    FEATURES.iter().flat_map(|of| of(shape)).collect()
}

/// The weights that a system starts with: Moses' defaults, and for models of trees about what tuning finds.
pub fn first_weights(shape: &Shape<'_>) -> Weights {
    let mut weights = Weights::default();
    for feature in features_of(shape) {
        weights.or_default(&feature.name(), &feature.start());
    }
    weights
}

/// The features of a system with their weights.
pub struct Features {
    set: FeatureSet,
    weights: Vec<f32>,
    /// Those of single rules, with their positions.
    own: Vec<(usize, Box<dyn Feature>)>,
    lms: Range<usize>,
    joint: Option<usize>,
    lexical: Option<usize>,
    operations: Option<usize>,
    tables: Vec<Range<usize>>,
    reordering: Range<usize>,
    distortion: usize,
    parses: Option<usize>,
    reads_links: bool,
    reads_source: bool,
    sum_of_weights: f32,
}

impl Features {
    /// The features of a system; each must have its weights.
    pub fn new(shape: &Shape<'_>, weights: &Weights) -> Result<Self> {
        let shape = &Shape { weights: Some(weights), ..*shape };
        let mut set = FeatureSet::default();
        let mut own = Vec::new();
        let mut weights = weights.clone();
        for feature in features_of(shape) {
            let at = set.add(feature.name(), feature.width());
            if let Some(missing) = feature.missing() {
                weights.or_default(&feature.name(), &missing);
            }
            if feature.of_rules() {
                own.push((at.start, feature));
            }
        }
        let sparse = own.iter().find_map(|(_, feature)| feature.sparse());
        weights.check_known(&set, |name| sparse.is_some_and(|sparse| sparse.space().find(name).is_some()))?;
        own.iter().try_for_each(|(_, feature)| feature.check(&weights))?;
        let find = |name: &str| set.find(name).unwrap_or_default();
        let lms = find(&ngram::name(0)).start;
        let of_trees = if shape.lms(LmRole::Dependency) > 0 { 2 } else { 0 };
        let weights = weights.vector(&set)?;
        let fixed = [find(unknown_word::NAME), find(SPARSE_SUM)];
        let others = weights.iter().enumerate().filter(|(at, _)| fixed.iter().all(|of| !of.contains(at)));
        Ok(Self {
            sum_of_weights: others.map(|(_, weight)| weight.abs()).sum(),
            weights,
            lms: lms..lms + shape.lms(LmRole::Ngram) + of_trees,
            tables: (0..shape.tables.len()).map(|table| find(&translation_model::name(table))).collect(),
            joint: set.find(joint::NAME).map(|at| at.start),
            lexical: set.find(lexical::NAME).map(|at| at.start),
            operations: set.find(operations::NAME).map(|at| at.start),
            reordering: find(reordering::NAME),
            distortion: find(distortion::NAME).start,
            parses: set.find(parses::NAME).map(|at| at.start),
            reads_links: own.iter().any(|(_, feature)| feature.reads_links()),
            reads_source: own.iter().any(|(_, feature)| feature.reads_source()),
            own,
            set,
        })
    }

    /// Their names and positions.
    pub fn set(&self) -> &FeatureSet {
        &self.set
    }

    /// Their weights, by position.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The absolute values of the weights together, without those of unknown words and of the sum of sparse features, which are not
    /// tuned: 1 after tuning, and what thresholds of scores are measured by.
    pub fn sum_of_weights(&self) -> f32 {
        self.sum_of_weights
    }

    /// The positions of the language models, that of trees and its ill-formed structures last.
    pub fn lms(&self) -> Range<usize> {
        self.lms.clone()
    }

    /// The position of the joint model.
    pub fn joint(&self) -> Option<usize> {
        self.joint
    }

    /// The position of the lexical translation model.
    pub fn lexical(&self) -> Option<usize> {
        self.lexical
    }

    /// The position of the operation sequence model.
    pub fn operations(&self) -> Option<usize> {
        self.operations
    }

    /// The positions of all features that a chart's search works out rule by rule: language models, then neural ones.
    pub fn stateful(&self) -> Range<usize> {
        let neural = usize::from(self.joint.is_some()) + usize::from(self.lexical.is_some());
        self.lms.start..self.lms.end + neural
    }

    /// The positions of a table's scores.
    pub fn table(&self, table: u32) -> Range<usize> {
        self.tables[table as usize].clone()
    }

    /// The positions of lexicalised reordering.
    pub fn reordering(&self) -> Range<usize> {
        self.reordering.clone()
    }

    /// The position of distortion.
    pub fn distortion(&self) -> usize {
        self.distortion
    }

    /// Whether a feature looks at the links of rules.
    pub fn reads_links(&self) -> bool {
        self.reads_links
    }

    /// Whether a feature looks at the source sides of rules.
    pub fn reads_source(&self) -> bool {
        self.reads_source
    }

    /// The sparse features.
    pub fn sparse(&self) -> Option<&SparseRules> {
        self.own.iter().find_map(|(_, feature)| feature.sparse())
    }

    /// Replaces what is there by the sparse features that a rule has.
    pub fn sparse_values(&self, rule: &RuleView<'_>, values: &mut Vec<(u32, f32)>) {
        values.clear();
        if let Some(sparse) = self.sparse() {
            sparse.each(rule, |number| values.push((number, 1.0)));
        }
    }

    /// The weight of the share of a parse; 0 without the feature.
    pub fn parse_weight(&self) -> f32 {
        self.parses.map_or(0.0, |at| self.weights[at])
    }

    /// A weighted sum with the features of a single rule added.
    #[inline]
    pub fn weigh(&self, sum: f32, rule: &RuleView<'_>) -> f32 {
        self.own.iter().fold(sum, |sum, (at, feature)| sum + feature.value(rule) * self.weights[*at])
    }

    /// Replaces values by those of a single rule, whose table gives it these scores.
    pub fn values(&self, rule: &RuleView<'_>, scores: &[f32], values: &mut [f32]) {
        values.fill(0.0);
        for (at, feature) in &self.own {
            values[*at] = feature.value(rule);
        }
        match rule.applied {
            Applied::Rule { table, .. } => values[self.table(table)].copy_from_slice(scores),
            Applied::Given { .. } if !self.tables.is_empty() => values[self.table(0)].copy_from_slice(scores),
            _ => {}
        }
    }

    /// The scores of a translation that was given, as if the first table had it: its probability in equal shares, as Moses has it.
    pub fn given_scores(&self, log_prob: f32, scores: &mut Vec<f32>) {
        let count = self.tables.first().map_or(0, Range::len);
        scores.clear();
        scores.resize(count, log_prob / count.max(1) as f32);
    }

    /// The weighted sum of a given translation's features but the stateful ones.
    pub fn weigh_given(&self, log_prob: f32, rule: &RuleView<'_>) -> f32 {
        let mut scores = Vec::new();
        self.given_scores(log_prob, &mut scores);
        let weights = self.tables.first().map_or(&[][..], |at| &self.weights[at.clone()]);
        let own: f32 = scores.iter().zip(weights).map(|(score, weight)| score * weight).sum();
        self.weigh(own, rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(applies: Applies, lms: &[LmRole], tables: &[&[String]], weights: &str) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), weights).unwrap();
        let weights = Weights::read(file.path()).unwrap();
        let shape = Shape {
            applies,
            lms,
            tables,
            joint: false,
            lexical: false,
            operations: false,
            sparse: None,
            extra: &[],
            weights: None,
        };
        let mut all = first_weights(&shape);
        weights.iter().for_each(|(name, values)| all.or_default(name, values));
        let features = Features::new(&shape, &all).unwrap();
        features.set().iter().map(|(name, at)| format!("{name}:{}", at.len())).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn features_stand_in_the_order_of_moses() {
        let four = ["a", "b", "c", "d"].map(str::to_string);
        let tables = [&four[..], &four[..1]];
        assert_eq!(
            names(Applies::Phrases, &[LmRole::Ngram; 2], &tables, ""),
            "LexicalReordering0:6 Distortion0:1 LM0:1 LM1:1 WordPenalty0:1 PhrasePenalty0:1 TranslationModel0:4 \
             TranslationModel1:1 UnknownWordPenalty0:1"
        );
        assert_eq!(
            names(Applies::Spans, &[LmRole::Ngram, LmRole::Dependency], &tables[1..], "Parses0= 1"),
            "LM0:1 DependencyLM0:1 IllFormed0:1 WordPenalty0:1 PhrasePenalty0:1 TranslationModel0:1 \
             TranslationModel1:1 UnknownWordPenalty0:1 Parses0:1"
        );
        assert!(names(Applies::Trees, &[], &[], "").ends_with("UnknownWordPenalty0:1 Backoff0:1"));
    }

    #[test]
    fn a_feature_that_is_asked_for_has_its_start_weight() {
        let (extra, weights) = ([Extra::UnlinkedWords], Weights::default());
        let (applies, joint) = (Applies::Phrases, false);
        let shape = Shape {
            applies,
            lms: &[],
            tables: &[],
            joint,
            lexical: joint,
            operations: joint,
            sparse: None,
            extra: &extra,
            weights: None,
        };
        let first = first_weights(&shape);
        let without = first_weights(&Shape { extra: &[], ..shape });
        assert_eq!(first.iter().count(), without.iter().count() + 1);
        assert!(Features::new(&shape, &weights).is_err());
        let features = Features::new(&shape, &without).unwrap();
        assert_eq!(features.set().find("UnlinkedWords0").map(|at| features.weights()[at.start]), Some(-0.1));
        assert!(features.reads_links());
    }
}
