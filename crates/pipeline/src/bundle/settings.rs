//! How far a bundle's search goes.

use serde::{Deserialize, Serialize};
use treeglot_decode::Limits;
use treeglot_decode::chart::{Algorithm, ChartSettings};
use treeglot_decode::stack::{self, Settings};

/// How far a bundle's search goes; what is not given has the default of its model.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SearchSettings {
    /// Combinations taken for each node or stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pop_limit: Option<usize>,
    /// Hypotheses kept for each node or stack; 0 for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beam: Option<usize>,
    /// How much worse than the best a hypothesis may score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// Rules used for each source side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_limit: Option<usize>,
    /// How much worse than the best of its source side a rule may score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_threshold: Option<f32>,
    /// The most words a rule may span; 0 for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_span: Option<usize>,
    /// The most words a phrase may jump; -1 for any distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distortion_limit: Option<i32>,
    /// How forests are searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<Algorithm>,
}

impl SearchSettings {
    /// These settings, those that `other` gives replaced by its own.
    pub fn or_from(self, other: Self) -> Self {
        Self {
            pop_limit: other.pop_limit.or(self.pop_limit),
            beam: other.beam.or(self.beam),
            threshold: other.threshold.or(self.threshold),
            table_limit: other.table_limit.or(self.table_limit),
            rule_threshold: other.rule_threshold.or(self.rule_threshold),
            max_span: other.max_span.or(self.max_span),
            distortion_limit: other.distortion_limit.or(self.distortion_limit),
            algorithm: other.algorithm.or(self.algorithm),
        }
    }

    /// For a search over forests.
    pub fn chart(&self) -> ChartSettings {
        self.over(ChartSettings::default())
    }

    /// For a search over forests of models that translate trees.
    pub fn trees(&self) -> ChartSettings {
        self.over(ChartSettings::for_trees())
    }

    /// A search over forests with these settings where they are given.
    fn over(&self, default: ChartSettings) -> ChartSettings {
        ChartSettings {
            limits: Limits {
                pops: self.pop_limit.unwrap_or(default.limits.pops),
                beam: self.beam.unwrap_or(default.limits.beam),
                threshold: self.threshold.unwrap_or(default.limits.threshold),
            },
            max_span: self.max_span.unwrap_or(default.max_span),
            table_limit: self.table_limit.unwrap_or(default.table_limit),
            rule_threshold: self.rule_threshold.unwrap_or(default.rule_threshold),
            algorithm: self.algorithm.unwrap_or_default(),
            budget: default.budget,
        }
    }
}

impl SearchSettings {
    /// For stack search.
    pub fn phrase(&self) -> Settings {
        let default = Settings::default();
        let unlimited = |limit: i32| u32::try_from(limit).ok();
        Settings {
            limits: stack::Limits {
                distortion: self.distortion_limit.map_or(default.limits.distortion, unlimited),
                pops: self.pop_limit.or(default.limits.pops),
                stack: self.beam.unwrap_or(default.limits.stack),
                beam: self.threshold.map_or(default.limits.beam, |threshold| -threshold.abs()),
            },
            table_limit: self.table_limit.unwrap_or(default.table_limit),
            longest_phrase: match self.max_span {
                None => default.longest_phrase,
                Some(0) => usize::MAX,
                Some(words) => words,
            },
            ..default
        }
    }
}
