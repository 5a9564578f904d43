//! Training a parser from a treebank, by any method.

use crate::constituency;
use crate::dependency;
use crate::error::{Error, Result};
use crate::multiword::Multiword;
use crate::parser::{About, Model, Parser};
use crate::settings::Settings;
use crate::treebank::{Treebank, Trees};
use std::sync::Arc;

/// What training says while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Sentences that are no trees: their tags are learnt, their heads are not.
    LeftOut(usize),
    /// The tagger of a dependency parser is trained.
    Tagged,
    /// A round over the treebank is done.
    Round {
        /// Which network, from 1.
        network: usize,
        /// Which round, from 1.
        round: usize,
        /// The mean loss of a word.
        loss: f64,
        /// The score of the development trees, if there are some, with what has been learnt so far of this network alone
        /// (graph) or with those before it (constituency): LAS or F1, from 0 to 1.
        dev: Option<f64>,
    },
    /// The best round by the development trees, which is kept.
    Kept {
        /// Which network, from 1.
        network: usize,
        /// Which round, from 1.
        round: usize,
        /// Its score.
        dev: f64,
    },
}

/// Who hears of the progress.
pub(crate) type Listener<'a> = &'a (dyn Fn(Progress) + Sync);

/// The best round of a network so far.
pub(crate) struct Best<'a, M> {
    network: usize,
    listener: Listener<'a>,
    best: Option<(f64, usize, M)>,
}

impl<'a, M> Best<'a, M> {
    pub(crate) fn new(network: usize, listener: Listener<'a>) -> Self {
        Self { network, listener, best: None }
    }

    /// Tells of a round, and keeps its model if its score is the best.
    pub(crate) fn round(&mut self, round: usize, loss: f64, dev: Option<f64>, model: impl FnOnce() -> M) {
        (self.listener)(Progress::Round { network: self.network, round, loss, dev });
        if let Some(dev) = dev.filter(|dev| self.best.as_ref().is_none_or(|best| *dev >= best.0)) {
            self.best = Some((dev, round, model()));
        }
    }

    /// The model of the best round, if rounds had scores.
    pub(crate) fn kept(self) -> Option<M> {
        let (dev, round, model) = self.best?;
        (self.listener)(Progress::Kept { network: self.network, round, dev });
        Some(model)
    }
}

/// Trains a parser, with all that belongs to it: a tagger and lemmatiser of dependency parsers, the multi-word tokens of the
/// language. After every round the trees of `dev` are parsed, and the best round is kept; without them, the last. The result
/// is the same for any number of threads.
pub fn train(
    settings: &Settings,
    bank: &Treebank,
    dev: Option<&Treebank>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Parser> {
    settings.check()?;
    let kind = settings.method.kind();
    if let Some(other) = [Some(bank), dev].into_iter().flatten().find(|bank| bank.kind() != kind) {
        return Err(Error::WrongKind { method: settings.method, has: other.kind() });
    }
    if bank.len() == bank.left_out() {
        return Err(Error::NoSentences { left_out: bank.left_out() });
    }
    if bank.left_out() > 0 {
        progress(Progress::LeftOut(bank.left_out()));
    }
    let dev = dev.filter(|dev| !dev.is_empty());
    let (model, multiword) = match &bank.trees {
        Trees::Dependency(trees) => {
            let dev = dev.and_then(|dev| match &dev.trees {
                Trees::Dependency(dev) => Some(dev),
                Trees::Constituency(_) => None,
            });
            let model = dependency::train(settings, trees, dev, progress);
            (Model::Dependency(Arc::new(model)), Multiword::learn(trees.sentences()))
        }
        Trees::Constituency(files) => {
            let dev: Option<Vec<_>> = dev.map(|dev| dev.trees().collect());
            let model = constituency::train(settings, files, dev.as_deref(), progress);
            let forms = files.iter().flatten().flat_map(|tree| tree.forms());
            (Model::Constituency(Arc::new(model)), Multiword::of_contractions(forms))
        }
    };
    Ok(Parser { about: Arc::new(About { settings: settings.clone(), multiword }), model })
}
