//! A translation system as the decoder of a tuner: it is put together anew for the weights of each round, and all threads
//! translate the development set.

use super::{Guides, Translator, TranslatorSettings};
use crate::bundle::{Components, SearchSettings};
use crate::error::{Error, Result};
use crate::text_path::TextPath;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_decode::{
    FeatureSet, SPARSE_SUM, SparseSpace, Translation, TranslationForest, Wanted, Weights, weigh_parses,
};
use treeglot_models::pairs::TreeReader;
use treeglot_models::{Guidance, InputTrees};
use treeglot_text::Lines;
use treeglot_tree::{PerTree, TreeCounts};
use treeglot_tune::{Candidate, Decoder, FeatureSpace};

/// A system whose weights are tuned, and the source side of the development set, as words.
pub struct TuningDecoder {
    components: Components,
    settings: TranslatorSettings,
    sentences: Arc<Vec<(String, InputTrees)>>,
    space: FeatureSpace,
    sparse: Option<Sparse>,
    counts: TreeCounts,
}

/// The source side of a development set.
#[derive(Clone, Copy)]
pub struct DevSource<'a> {
    /// Its sentences, one a line.
    pub file: &'a Path,
    /// Its trees.
    pub trees: &'a PerTree<Vec<PathBuf>>,
    /// From raw text to words; none where the file has words.
    pub text: Option<&'a TextPath>,
    /// Leave trees out that do not fit.
    pub skip_bad: bool,
}

impl DevSource<'_> {
    /// Its sentences as words, each with its trees.
    pub(crate) fn read(&self) -> Result<(Vec<(String, InputTrees)>, TreeCounts)> {
        let mut lines = Lines::open(self.file)?;
        let name = self.file.display().to_string();
        let mut trees = TreeReader::open(self.trees, &name)?.skip_bad(self.skip_bad);
        let mut text = self.text.map(TextPath::words);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line()? {
            let words = text.as_mut().map_or_else(|| line.to_string(), |words| words(line));
            let of_line = trees.next(&words)?;
            all.push((words, of_line));
        }
        trees.finish()?;
        Ok((all, trees.counts()))
    }
}

impl TuningDecoder {
    /// Reads the development set with its trees, raw text to be cut into words as `text` does, or words; `weights` are those to begin
    /// with, whose values by position are returned too. With `skip_bad`, trees that do not fit are left out and counted. Where sentences have several parses, the share of a parse has a weight as well.
    pub fn new(
        components: &Components,
        weights: &Weights,
        source: DevSource<'_>,
        search: &SearchSettings,
        threads: usize,
    ) -> Result<(Self, Vec<f64>)> {
        let (sentences, counts) = source.read()?;
        let settings = tuning_settings(components, search, threads);
        let mut weights = weights.clone();
        let sentences = parsed(components, &weights, &settings, sentences)?;
        if sentences.iter().any(|(_, trees)| trees.has_several()) {
            weigh_parses(&mut weights);
        }
        let system = components.system(&weights, &settings.search)?;
        let mut space = FeatureSpace::new(system.features().clone());
        let mut start: Vec<f64> = system.weights().iter().map(|&weight| f64::from(weight)).collect();
        let sparse = system.sparse().map(|sparse| Sparse::new(sparse, system.features()));
        if let Some(sparse) = &sparse {
            start.extend(sparse.start(&weights, &mut space));
        }
        let components = components.clone();
        Ok((Self { components, settings, sentences: Arc::new(sentences), space, sparse, counts }, start))
    }

    /// How many sentences are translated.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Whether it has sparse features.
    pub fn has_sparse(&self) -> bool {
        self.sparse.is_some()
    }

    /// What became of trees that are none or do not fit.
    pub fn trees(&self) -> TreeCounts {
        self.counts
    }

    /// Whether there is nothing to translate.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    fn translator(&self, weights: &[f64]) -> Result<Translator> {
        Translator::new(&[(self.components.clone(), self.space.named(weights))], &self.settings)
    }

    /// Lists whose sparse features have the places that tuning gives them.
    pub(crate) fn placed(&mut self, mut lists: Vec<Vec<Candidate>>) -> Vec<Vec<Candidate>> {
        if let Some(sparse) = &mut self.sparse {
            lists.iter_mut().flatten().for_each(|candidate| sparse.place(candidate, &mut self.space));
        }
        lists
    }
}

/// How a translator is opened whose weights are tuned.
pub(crate) fn tuning_settings(
    components: &Components,
    search: &SearchSettings,
    threads: usize,
) -> TranslatorSettings {
    let search = components.tuning_settings(search);
    let guides = Guides { translate_all: true, ..Guides::default() };
    TranslatorSettings { search, tokenized: true, threads, guides, ..TranslatorSettings::default() }
}

/// The best translations of each sentence, the best first; sparse features have the numbers of the system.
pub(crate) fn best_lists(
    translator: &Translator,
    sentences: &Arc<Vec<(String, InputTrees)>>,
    count: usize,
) -> Result<Vec<Vec<Candidate>>> {
    let (sentences, length) = (Arc::clone(sentences), sentences.len());
    let wanted = Wanted { count, distinct: true, ..Wanted::default() };
    let all = translator.pool.each(length, move |worker, number| {
        let (words, trees) = &sentences[number];
        let found = worker.search_guided(words, std::slice::from_ref(trees), &Guidance::default(), &wanted);
        found.map(|found| found.into_iter().flat_map(|found| found.best).map(candidate).collect())
    })?;
    all.into_iter().collect()
}

/// Sentences with trees of the bundle's parsers where they have none.
fn parsed(
    components: &Components,
    weights: &Weights,
    settings: &TranslatorSettings,
    sentences: Vec<(String, InputTrees)>,
) -> Result<Vec<(String, InputTrees)>> {
    if components.parsers.is_empty() {
        return Ok(sentences);
    }
    let translator = Translator::new(&[(components.clone(), weights.clone())], settings)?;
    let (count, sentences) = (sentences.len(), Arc::new(sentences));
    let all = translator.pool.each(count, move |worker, number| {
        let (words, trees) = &sentences[number];
        let parsed = worker.parsed(words, std::slice::from_ref(trees))?;
        let first = parsed.and_then(|(trees, _)| trees.into_iter().next());
        Ok((words.clone(), first.unwrap_or_else(|| trees.clone())))
    })?;
    all.into_iter().collect()
}

fn candidate(translation: Translation) -> Candidate {
    let dense = translation.features.into_iter().map(|value| value as f32).collect();
    Candidate { text: translation.text, dense, sparse: translation.sparse, links: None }
}

/// The sparse features of a system, and the places that tuning gave them.
struct Sparse {
    space: Arc<SparseSpace>,
    /// The place of their sum among the dense features, which stands for them in lists of the search.
    sum: usize,
    places: Vec<Option<u32>>,
}

impl Sparse {
    fn new(space: &Arc<SparseSpace>, features: &FeatureSet) -> Self {
        let sum = features.find(SPARSE_SUM).map_or(usize::MAX, |at| at.start);
        Self { space: Arc::clone(space), sum, places: vec![None; space.len()] }
    }

    /// Gives the features that have weights their places: the weights.
    fn start(&self, weights: &Weights, space: &mut FeatureSpace) -> Vec<f64> {
        let known = |(name, _): &(&str, &[f32])| self.space.find(name).is_some();
        let own = weights.iter().filter(known);
        own.flat_map(|(name, values)| {
            space.sparse(name);
            values.first().map(|&weight| f64::from(weight))
        })
        .collect()
    }

    /// Puts features in the place of their sum.
    fn place(&mut self, candidate: &mut Candidate, space: &mut FeatureSpace) {
        if let Some(sum) = candidate.dense.get_mut(self.sum) {
            *sum = 0.0;
        }
        for (number, _) in &mut candidate.sparse {
            let place = &mut self.places[*number as usize];
            *number = *place.get_or_insert_with(|| space.sparse(&self.space.name(*number)));
        }
        candidate.sparse.sort_unstable_by_key(|&(place, _)| place);
    }
}

impl Decoder for TuningDecoder {
    type Error = Error;

    fn space(&mut self) -> &mut FeatureSpace {
        &mut self.space
    }

    fn kbest(&mut self, weights: &[f64], count: usize) -> Result<Vec<Vec<Candidate>>> {
        let lists = best_lists(&self.translator(weights)?, &self.sentences, count)?;
        Ok(self.placed(lists))
    }

    fn forests(&mut self, weights: &[f64], hyperarcs: usize) -> Result<Option<Vec<TranslationForest>>> {
        let sentences = Arc::clone(&self.sentences);
        let forests = self.translator(weights)?.pool.each(sentences.len(), move |worker, number| {
            let (words, trees) = &sentences[number];
            let length = words.split_ascii_whitespace().count().max(1);
            worker.search_forest(words, trees, hyperarcs * length)
        })?;
        Ok(forests.into_iter().collect())
    }
}
