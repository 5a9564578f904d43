//! What a system is put together from: tables and language models, each with what it is for.

use crate::chart::ChartSystem;
use crate::error::Result;
use crate::features::{LmRole, OfSparse, Shape, first_weights};
use crate::frequent::FrequentWords;
use crate::settings::SearchSettings;
use crate::stack::PhraseSystem;
use crate::translate::System;
use crate::weights::Weights;
use treeglot_grammar::Table;
use treeglot_joint::JointModel;
use treeglot_lm::Lm;
use treeglot_models::{Applies, Model, TableRole};
use treeglot_text::vocab::MappedVocab;

/// Tables and language models with their roles, in the order of their features. Whoever opens the files knows what they are for,
/// as a bundle's manifest says.
pub struct Resources<T = Table> {
    /// The tables.
    pub tables: Vec<(TableRole, T)>,
    /// The language models.
    pub lms: Vec<(LmRole, Lm)>,
    /// The joint model of words and their source words.
    pub joint: Option<JointModel>,
    /// The model of what each source word is translated by.
    pub lexical: Option<JointModel>,
    /// The words that sparse features tell apart.
    pub sparse: Option<FrequentWords>,
}

impl<T> Default for Resources<T> {
    fn default() -> Self {
        Self { tables: Vec::new(), lms: Vec::new(), joint: None, lexical: None, sparse: None }
    }
}

impl<T> Resources<T> {
    /// The roles of the language models.
    pub(crate) fn lm_roles(&self) -> Vec<LmRole> {
        self.lms.iter().map(|(role, _)| *role).collect()
    }

    /// The names of the scores of each table.
    pub(crate) fn score_names<'a>(&'a self, of: impl Fn(&'a T) -> &'a [String]) -> Vec<&'a [String]> {
        self.tables.iter().map(|(_, table)| of(table)).collect()
    }

    /// The words of each table.
    pub(crate) fn vocabs<'a>(&'a self, of: impl Fn(&'a T) -> &'a MappedVocab) -> Vec<&'a MappedVocab> {
        self.tables.iter().map(|(_, table)| of(table)).collect()
    }
}

impl Resources {
    /// Puts the system of a model together; each of its features must have a weight.
    pub fn system(
        self,
        model: Box<dyn Model>,
        weights: &Weights,
        settings: &SearchSettings,
    ) -> Result<Box<dyn System>> {
        Ok(match model.applies() {
            Applies::Phrases => Box::new(PhraseSystem::new(self, weights, settings)?),
            Applies::Spans | Applies::Trees => Box::new(ChartSystem::new(model, self, weights, settings)?),
        })
    }

    /// The weights that the system of a model has before tuning.
    pub fn first_weights(&self, model: &dyn Model, settings: &SearchSettings) -> Weights {
        let (lms, tables) = (self.lm_roles(), self.score_names(Table::score_names));
        let (applies, extra) = (model.applies(), &settings.features[..]);
        let (joint, lexical) = (self.joint.is_some(), self.lexical.is_some());
        let vocabs = self.vocabs(Table::vocab);
        let sparse = self.sparse.as_ref().map(|words| OfSparse { words, vocabs: &vocabs });
        let tables = &tables;
        first_weights(&Shape { applies, lms: &lms, tables, joint, lexical, sparse, extra, weights: None })
    }
}
