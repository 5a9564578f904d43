//! Pieces of words that a recipe asks for.

use serde::{Deserialize, Serialize};
use treeglot_text::Side;

/// How many pairs of neighbouring pieces are put together on each side, see [`treeglot_text::subword`]; 0 for whole words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SubwordSettings {
    /// In the source language of the recipe.
    pub source: usize,
    /// In the target language of the recipe.
    pub target: usize,
}

impl SubwordSettings {
    /// Whether words are left whole on both sides.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }

    /// The number of a side.
    pub fn of(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source,
            Side::Target => self.target,
        }
    }
}
