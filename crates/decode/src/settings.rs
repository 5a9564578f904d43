//! How far a search goes: what a user may set ([`SearchSettings`]), and what it comes to for a model ([`Limits`]).

use crate::features::Extra;
use serde::{Deserialize, Serialize};
use treeglot_models::Applies;

/// How far a search goes; what is not given has the default of its model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Search"))]
pub struct SearchSettings {
    /// Combinations of rules and translations tried for each span or stack: more find better translations, and take longer
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub pop_limit: Option<usize>,

    /// Hypotheses kept for each span or stack; 0 for all
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub beam: Option<usize>,

    /// How much worse than the best of its span or stack a hypothesis may score
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SCORE"))]
    pub threshold: Option<f32>,

    /// Rules used for each source side
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub table_limit: Option<usize>,

    /// How much worse than the best of its source side a rule may score
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SCORE"))]
    pub rule_threshold: Option<f32>,

    /// The most words a rule may span; 0 for no limit
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_span: Option<usize>,

    /// Ways to fill the variables of a source side kept for each span, the best by an estimate; 0 for all
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub fill_limit: Option<usize>,

    /// Source sides with what fills their variables kept for each span, the best by an estimate; 0 for all
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub hyperarc_limit: Option<usize>,

    /// The most words a phrase may jump; 0 for none, -1 for any distance
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", allow_negative_numbers = true))]
    pub distortion_limit: Option<i32>,

    /// Features beside those that every system has
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", value_delimiter = ','))]
    pub features: Vec<Extra>,
}

impl SearchSettings {
    /// These settings, those that `other` gives replaced by its own.
    pub fn or_from(&self, other: &Self) -> Self {
        let features = if other.features.is_empty() { &self.features } else { &other.features };
        Self {
            pop_limit: other.pop_limit.or(self.pop_limit),
            beam: other.beam.or(self.beam),
            threshold: other.threshold.or(self.threshold),
            table_limit: other.table_limit.or(self.table_limit),
            rule_threshold: other.rule_threshold.or(self.rule_threshold),
            max_span: other.max_span.or(self.max_span),
            fill_limit: other.fill_limit.or(self.fill_limit),
            hyperarc_limit: other.hyperarc_limit.or(self.hyperarc_limit),
            distortion_limit: other.distortion_limit.or(self.distortion_limit),
            features: features.clone(),
        }
    }

    /// What they come to for a model that translates such things, with weights that are this much together.
    pub fn limits(&self, applies: Applies, weights: f32) -> Limits {
        let mut default = Limits::of(applies);
        if applies == Applies::Spans && self.threshold.is_none() {
            (default.threshold, default.lists_whole) = (SPANS_THRESHOLD * weights, true);
        }
        let unlimited = |limit: i32| u32::try_from(limit).ok();
        Limits {
            pops: self.pop_limit.or(default.pops),
            beam: self.beam.unwrap_or(default.beam),
            threshold: self.threshold.map_or(default.threshold, f32::abs),
            table_limit: self.table_limit.unwrap_or(default.table_limit),
            rule_threshold: self.rule_threshold.unwrap_or(default.rule_threshold),
            max_span: self.max_span.unwrap_or(default.max_span),
            fills: self.fill_limit.unwrap_or(default.fills),
            hyperarcs: self.hyperarc_limit.unwrap_or(default.hyperarcs),
            distortion: self.distortion_limit.map_or(default.distortion, unlimited),
            ..default
        }
    }
}

/// How far a search goes, all told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Combinations taken for each node or stack; `None` for all there are.
    pub pops: Option<usize>,
    /// Hypotheses kept for each node or stack; 0 for all.
    pub beam: usize,
    /// Hypotheses that are worse than the best of their node or stack by more than this are dropped.
    pub threshold: f32,
    /// Whether that is left out where more than one translation is wanted, because lists lack what was dropped.
    pub lists_whole: bool,
    /// How many rules of one source side are used; 0 for all in stack search.
    pub table_limit: usize,
    /// How much worse than the best of its source side a rule may score.
    pub rule_threshold: f32,
    /// The most words a rule may span; 0 for no limit.
    pub max_span: usize,
    /// How many ways to fill the variables of a source side are kept for each span; 0 for all.
    pub fills: usize,
    /// How many hyperarcs of a node are kept where rules span words; 0 for all.
    pub hyperarcs: usize,
    /// How far phrases may jump; `None` for any distance.
    pub distortion: Option<u32>,
    /// Whether hypotheses of stack search are compared with the jumps in view that must still come.
    pub jumps_ahead: bool,
    /// About how many combinations one sentence may take in a chart: long sentences get narrower limits.
    pub budget: usize,
}

/// How much worse than the best of its span a hypothesis of hierarchical rules may score by default, with weights that sum to 1: with
/// untuned weights, whose sum is anything, as much more as they are.
const SPANS_THRESHOLD: f32 = 2.0;

/// How much worse than the best the thresholds of 10^-3 of Meng et al. let a score be.
const THOUSANDTH: f32 = 6.907_755;

/// Narrowest limits for a sentence that is too long for its budget.
const LEAST_SPAN: usize = 10;
const LEAST_POPS: usize = 20;

/// The most that words times the square of the span may be where rules span more than by default: matching rules of many variables takes
/// about a second for it, on tables of 20,000 pairs.
const MOST_MATCHED: usize = 400_000;

/// About how many hypotheses all stacks of a line may have together.
const MOST_ON_STACKS: usize = 10_000_000;

impl Limits {
    /// The defaults of models that translate such things. For phrases they are those of Moses; for trees those of Meng et al.
    /// (2013, section 5.2): rule-limit 100, stack-limit 300, both thresholds 10^-3, with the spans of hierarchical rules, where they
    /// are a back-off. [`SearchSettings::limits`] knows the weights, on which the threshold of models of spans depends: here they
    /// have none.
    pub fn of(applies: Applies) -> Self {
        let spans = Self {
            pops: Some(500),
            beam: 0,
            threshold: f32::INFINITY,
            lists_whole: false,
            table_limit: 20,
            rule_threshold: f32::INFINITY,
            max_span: 20,
            fills: 20,
            hyperarcs: 2000,
            distortion: Some(6),
            jumps_ahead: true,
            budget: 3_000_000,
        };
        match applies {
            Applies::Spans => spans,
            Applies::Phrases => Self { beam: 500, threshold: -1e-5f32.ln(), ..spans },
            Applies::Trees => Self {
                pops: Some(300),
                beam: 300,
                threshold: THOUSANDTH,
                table_limit: 100,
                rule_threshold: THOUSANDTH,
                ..spans
            },
        }
    }

    /// The same for stacks over so many words; fewer hypotheses on each for a line that would take gigabytes of them.
    pub fn for_stacks(self, words: usize) -> Self {
        let most = (MOST_ON_STACKS / words.max(1)).max(LEAST_POPS);
        Self { pops: self.pops.map(|pops| pops.min(most)), ..self }
    }

    /// The same for a chart over so many words; narrower if it would go over the budget.
    pub fn for_length(mut self, words: usize) -> Self {
        let mut span = if self.max_span == 0 { words } else { self.max_span.min(words) };
        let matched = (MOST_MATCHED / words.max(1)).isqrt().max(Self::of(Applies::Spans).max_span);
        if span > matched {
            (self.max_span, span) = (matched, matched);
        }
        let cells = |span: usize| words * (span + 1);
        let pops = self.pops.unwrap_or(usize::MAX);
        if cells(span).saturating_mul(pops) <= self.budget {
            return self;
        }
        let affordable = self.budget / (words * pops.min(100));
        let span = span.min(affordable.max(LEAST_SPAN));
        self.max_span = span;
        // Past some 27,000 words even the least pops would take gigabytes of hypotheses.
        let least = LEAST_POPS.min((self.budget.saturating_mul(2) / cells(span)).max(5));
        self.pops = Some(pops.min((self.budget / cells(span)).max(least)));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_sentences_are_searched_more_narrowly() {
        let limits = Limits::of(Applies::Spans);
        assert_eq!(limits.for_length(0), limits);
        assert_eq!(limits.for_length(60), limits);
        let narrow = limits.for_length(1000);
        assert_eq!((narrow.max_span, narrow.pops), (20, Some(142)));
        let unlimited = Limits { max_span: 0, ..limits };
        assert_eq!(unlimited.for_length(40), unlimited);
        assert_eq!(unlimited.for_length(73), unlimited);
        let narrow = unlimited.for_length(100);
        assert_eq!((narrow.max_span, narrow.pops), (63, Some(468)));
        let narrow = unlimited.for_length(1000);
        assert_eq!((narrow.max_span, narrow.pops), (20, Some(142)));
        let narrow = unlimited.for_length(20_000);
        assert_eq!((narrow.max_span, narrow.pops), (LEAST_SPAN, Some(LEAST_POPS)));
        assert_eq!(unlimited.for_length(100_000).pops, Some(5));
    }

    #[test]
    fn stacks_of_very_long_lines_are_lower() {
        let limits = Limits::of(Applies::Phrases);
        assert_eq!(limits.for_stacks(0), limits);
        assert_eq!(limits.for_stacks(20_000), limits);
        assert_eq!(limits.for_stacks(100_000).pops, Some(100));
        let plain = Limits { pops: None, ..limits };
        assert_eq!(plain.for_stacks(100_000), plain);
    }

    #[test]
    fn what_is_given_last_counts_and_models_have_their_defaults() {
        let bundle = SearchSettings { pop_limit: Some(7), beam: Some(3), ..SearchSettings::default() };
        let given = SearchSettings { beam: Some(4), distortion_limit: Some(-1), ..SearchSettings::default() };
        let both = bundle.or_from(&given);
        assert_eq!((both.pop_limit, both.beam), (Some(7), Some(4)));
        let limits = both.limits(Applies::Trees, 1.0);
        assert_eq!(
            (limits.pops, limits.beam, limits.table_limit, limits.distortion),
            (Some(7), 4, 100, None)
        );
        let text = serde_json::to_string(&SearchSettings::default()).unwrap();
        assert_eq!(text, "{}");
    }

    #[test]
    fn the_threshold_of_spans_grows_with_the_weights_unless_it_is_given() {
        let none = SearchSettings::default();
        let threshold =
            |settings: &SearchSettings, applies, weights| settings.limits(applies, weights).threshold;
        assert_eq!(threshold(&none, Applies::Spans, 1.0), SPANS_THRESHOLD);
        assert_eq!(threshold(&none, Applies::Spans, 3.5), 3.5 * SPANS_THRESHOLD);
        assert_eq!(threshold(&none, Applies::Trees, 3.5), THOUSANDTH);
        let given = SearchSettings { threshold: Some(-1.5), ..none };
        assert_eq!(threshold(&given, Applies::Spans, 3.5), 1.5);
        assert!(SearchSettings::default().limits(Applies::Spans, 1.0).lists_whole);
        assert!(!given.limits(Applies::Spans, 1.0).lists_whole);
    }
}
