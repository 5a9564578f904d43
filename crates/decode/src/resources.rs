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
    /// The model of the operations that generate both sides.
    pub operations: Option<Lm>,
    /// The words that sparse features tell apart.
    pub sparse: Option<FrequentWords>,
}

impl<T> Default for Resources<T> {
    fn default() -> Self {
        Self {
            tables: Vec::new(),
            lms: Vec::new(),
            joint: None,
            lexical: None,
            operations: None,
            sparse: None,
        }
    }
}

impl<T> Resources<T> {
    /// The roles of the language models.
    pub(crate) fn lm_roles(&self) -> Vec<LmRole> {
        self.lms.iter().map(|(role, _)| *role).collect()
    }

    /// Tells what a system consists of that is put together from it: `of` gives the names of a table's scores, and its words.
    pub(crate) fn with_shape<'a, R>(
        &'a self,
        applies: Applies,
        settings: &'a SearchSettings,
        of: impl Fn(&'a T) -> (&'a [String], &'a MappedVocab),
        take: impl FnOnce(&Shape<'_>) -> R,
    ) -> R {
        let (tables, vocabs): (Vec<_>, Vec<_>) = self.tables.iter().map(|(_, table)| of(table)).unzip();
        take(&Shape {
            applies,
            lms: &self.lm_roles(),
            tables: &tables,
            joint: self.joint.is_some(),
            lexical: self.lexical.is_some(),
            operations: self.operations.is_some(),
            sparse: self.sparse.as_ref().map(|words| OfSparse { words, vocabs: &vocabs }),
            extra: &settings.features,
            weights: None,
        })
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
        self.with_shape(
            model.applies(),
            settings,
            |table| (table.score_names(), table.vocab()),
            first_weights,
        )
    }
}
