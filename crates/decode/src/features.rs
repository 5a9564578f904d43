//! The features of a chart system in Moses' names and definitions: which positions they have, and their values for one
//! rule. Those of stateful features are left to these.

use crate::error::Result;
use crate::weights::{FeatureSet, Weights};
use std::ops::Range;
use treeglot_grammar::Symbol;
use treeglot_models::RuleList;

/// What joining one more piece counts as: the logarithm of the 2.718 that Moses writes into its glue grammar.
pub const GLUE: f32 = 0.999_896_3;

/// What a copied word costs unless it is weighted otherwise.
pub const UNKNOWN: f32 = -100.0;

/// The natural logarithm of the dependency language model's probability.
pub const DEPENDENCY_LM: &str = "DependencyLM0";

/// How many ill-formed structures were made, and rules read off such applied.
pub const ILL_FORMED: &str = "IllFormed0";

/// The logarithms of the shares that what was translated has in the parses of the input. Only systems whose weights name it
/// have it: they translate several parses of a sentence at once.
pub const PARSES: &str = "Parses0";

/// How often rules of a simpler model stand in for the model's own. Only systems whose weights name it have it; for others such
/// a step counts as a glue rule.
pub const BACKOFF: &str = "Backoff0";

/// The features of a system with their weights.
#[derive(Debug, Clone)]
pub struct Features {
    set: FeatureSet,
    weights: Vec<f32>,
    stateful: Range<usize>,
    word_penalty: usize,
    phrase_penalty: usize,
    tables: Vec<Range<usize>>,
    glue: usize,
    unknown: usize,
    parses: Option<usize>,
    backoff: usize,
}

impl Features {
    /// The features of so many language models, of one of dependency trees where there is one, and of tables with so many
    /// scores each.
    pub fn new(lms: usize, trees: bool, tables: &[usize], weights: &Weights) -> Result<Self> {
        let mut set = FeatureSet::default();
        for number in 0..lms {
            set.add(format!("LM{number}"), 1);
        }
        if trees {
            set.add(DEPENDENCY_LM, 1);
            set.add(ILL_FORMED, 1);
        }
        let stateful = set.len();
        let word_penalty = set.add("WordPenalty0", 1).start;
        let phrase_penalty = set.add("PhrasePenalty0", 1).start;
        let mut ranges = Vec::new();
        for (number, &scores) in tables.iter().enumerate() {
            ranges.push(set.add(format!("TranslationModel{number}"), scores));
        }
        let glue = set.add(format!("TranslationModel{}", tables.len()), 1).start;
        let unknown = set.add("UnknownWordPenalty0", 1).start;
        let parses = weights.get(PARSES).map(|_| set.add(PARSES, 1).start);
        let backoff = weights.get(BACKOFF).map_or(glue, |_| set.add(BACKOFF, 1).start);
        let mut weights = weights.clone();
        weights.or_default("UnknownWordPenalty0", &[1.0]);
        weights.or_default("PhrasePenalty0", &[0.0]);
        weights.or_default(DEPENDENCY_LM, &[0.1]);
        weights.or_default(ILL_FORMED, &[-0.5]);
        weights.or_default(&format!("TranslationModel{}", tables.len()), &[0.0]);
        let weights = weights.vector(&set)?;
        Ok(Self {
            set,
            weights,
            stateful: 0..stateful,
            word_penalty,
            phrase_penalty,
            tables: ranges,
            glue,
            unknown,
            parses,
            backoff,
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

    /// The positions of the language models, that of trees included.
    pub fn stateful(&self) -> Range<usize> {
        self.stateful.clone()
    }

    /// The weighted sum for a rule of a table.
    #[inline]
    pub fn of_rule(&self, table: usize, scores: &[f32], target: &[Symbol]) -> f32 {
        let words = target.iter().filter(|symbol| symbol.is_word()).count() as f32;
        let own = scores.iter().zip(&self.weights[self.tables[table].clone()]);
        own.map(|(score, weight)| score * weight).sum::<f32>() - words * self.weights[self.word_penalty]
            + self.weights[self.phrase_penalty]
    }

    /// The weight of the share of a parse; 0 without the feature.
    pub fn parse_weight(&self) -> f32 {
        self.parses.map_or(0.0, |at| self.weights[at])
    }

    /// The weighted sum for a rule of no table.
    pub fn of_single(&self, list: RuleList) -> f32 {
        let mut values = vec![0.0; self.set.len()];
        self.single_values(list, &mut values);
        values.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum()
    }

    /// The values for a rule applied by a hyperedge with this share of the parses; `scores` are those of its table.
    pub fn values(
        &self,
        (list, parse): (RuleList, f32),
        scores: &[f32],
        target: &[Symbol],
        values: &mut [f32],
    ) {
        values.fill(0.0);
        if let Some(at) = self.parses {
            values[at] = parse;
        }
        if let RuleList::Table { table, .. } = list {
            values[self.tables[table as usize].clone()].copy_from_slice(scores);
            values[self.word_penalty] = -(target.iter().filter(|symbol| symbol.is_word()).count() as f32);
            values[self.phrase_penalty] = 1.0;
        } else {
            self.single_values(list, values);
        }
    }

    /// Moses counts `<s>`, `</s>` and copied words as words, and every rule of the glue grammar as a phrase. A join is a
    /// step of a longer rule and counts as nothing.
    fn single_values(&self, list: RuleList, values: &mut [f32]) {
        values[self.phrase_penalty] = if counts_as_rule(list) { 1.0 } else { 0.0 };
        match list {
            RuleList::Begin | RuleList::End => values[self.word_penalty] = -1.0,
            RuleList::First | RuleList::Glue => values[self.glue] = GLUE,
            RuleList::Backoff => values[self.backoff] = GLUE,
            RuleList::Copy(_) => {
                values[self.word_penalty] = -1.0;
                values[self.unknown] = UNKNOWN;
            }
            RuleList::Join | RuleList::Same | RuleList::Table { .. } => {}
        }
    }
}

/// Whether a step is a rule of its own, not part of a longer one.
fn counts_as_rule(list: RuleList) -> bool {
    !matches!(list, RuleList::Join | RuleList::Same)
}
