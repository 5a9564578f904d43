//! Translating with a synchronous grammar: forest, search, k-best derivations. One read-only [`ChartSystem`] is shared by
//! all threads; a [`ChartWorker`] has the buffers of one.

use crate::cube::{CubePruning, Limits};
use crate::depend::MAX_ORDER;
use crate::derivation::Derivation;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::grow::CubeGrowing;
use crate::kbest::{KBest, YieldItem};
use crate::lexicon::Lexicon;
use crate::lists::{Lists, Source};
use crate::searched::Searched;
use crate::stateful::Stateful;
use crate::weights::Weights;
use crate::write::Writer;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;
use treeglot_grammar::{Kind, RuleId, Symbol, Table, heads, notation};
use treeglot_lm::Lm;
use treeglot_lm::depend::DepLm;
use treeglot_models::chart::{Chart, ForestInput, MatchTable};
use treeglot_models::{Forest, InputTrees, Model};
use treeglot_text::vocab::Sym;

/// How a forest is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Node by node, from the words up.
    #[default]
    Pruning,
    /// From the goal down, only what is asked for.
    Growing,
}

/// How a search goes about its work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartSettings {
    /// Limits of the search.
    pub limits: Limits,
    /// The most words a rule may span; 0 for no limit.
    pub max_span: usize,
    /// How many rules of one source side are used.
    pub table_limit: usize,
    /// How the forest is searched.
    pub algorithm: Algorithm,
    /// How much worse than the best of its source side a rule may score.
    pub rule_threshold: f32,
    /// About how many combinations one sentence may take: long sentences get narrower limits.
    pub budget: usize,
}

impl Default for ChartSettings {
    fn default() -> Self {
        let limits = Limits { pops: 500, beam: 0, threshold: f32::INFINITY };
        Self {
            limits,
            max_span: 20,
            table_limit: 20,
            rule_threshold: f32::INFINITY,
            algorithm: Algorithm::Pruning,
            budget: 3_000_000,
        }
    }
}

/// How much worse than the best the paper's thresholds of 10^-3 let a score be.
const THOUSANDTH: f32 = 6.907_755;

impl ChartSettings {
    /// The settings for models that translate trees (Meng et al. 2013, section 5.2): rule-limit 100, stack-limit 300, both
    /// thresholds 10^-3. Spans are those of hierarchical rules, where they are a back-off.
    pub fn for_trees() -> Self {
        let limits = Limits { pops: 300, beam: 300, threshold: THOUSANDTH };
        Self { limits, table_limit: 100, rule_threshold: THOUSANDTH, ..Self::default() }
    }
}

/// Narrowest limits for a sentence that is too long for its budget.
const LEAST_SPAN: usize = 10;
const LEAST_POPS: usize = 20;

impl ChartSettings {
    /// The same for a sentence of so many words; narrower if it would go over the budget.
    pub fn for_length(mut self, words: usize) -> Self {
        let span = if self.max_span == 0 { words } else { self.max_span.min(words) };
        let cells = |span: usize| words * (span + 1);
        if cells(span).saturating_mul(self.limits.pops) <= self.budget {
            return self;
        }
        let affordable = self.budget / (words * self.limits.pops.min(100));
        let span = span.min(affordable.max(LEAST_SPAN));
        self.max_span = span;
        self.limits.pops = self.limits.pops.min((self.budget / cells(span)).max(LEAST_POPS));
        self
    }
}

/// Tables, features with weights, and settings of a system that searches a chart; read-only, shared by all threads.
pub struct ChartSystem {
    model: Box<dyn Model>,
    tables: Vec<Table>,
    lms: Vec<Lm>,
    trees: Option<DepLm>,
    features: Features,
    settings: ChartSettings,
}

impl ChartSystem {
    /// Puts a system together; each of its features must have a weight. One of the language models may be a dependency language
    /// model: it is told by its events, and scores the trees that the heads of rules make.
    pub fn new(
        model: Box<dyn Model>,
        tables: Vec<Table>,
        lms: Vec<Lm>,
        weights: &Weights,
        settings: ChartSettings,
    ) -> Result<Self> {
        if settings.limits.pops == 0 || settings.table_limit == 0 {
            return Err(Error::Settings(
                "a pop or table limit of 0 finds nothing: give 1 or more".to_string(),
            ));
        }
        let (of_trees, lms): (Vec<Lm>, Vec<Lm>) = lms.into_iter().partition(DepLm::is_dependency_model);
        let trees = of_trees.into_iter().map(DepLm::new).collect::<Option<Vec<DepLm>>>().unwrap_or_default();
        let most = if trees.is_empty() { 3 } else { 2 };
        if lms.len() > most || trees.len() > 1 {
            return Err(Error::Settings(format!(
                "{} language models of text and {} of trees: three and none, or two and one are possible",
                lms.len(),
                trees.len()
            )));
        }
        let trees = trees.into_iter().next();
        if let Some(order) = trees.as_ref().map(DepLm::order).filter(|&order| order > MAX_ORDER) {
            return Err(Error::Settings(format!(
                "a dependency language model of order {order}: build one of at most {MAX_ORDER}"
            )));
        }
        let scores: Vec<usize> = tables.iter().map(|table| table.score_names().len()).collect();
        let features = Features::new(lms.len(), trees.is_some(), &scores, weights)?;
        Ok(Self { model, tables, lms, trees, features, settings })
    }

    /// The features and their weights.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The language models.
    pub fn lms(&self) -> &[Lm] {
        &self.lms
    }

    /// The dependency language model.
    pub fn dependency_lm(&self) -> Option<&DepLm> {
        self.trees.as_ref()
    }

    /// Whether its rules have heads, so that translations have trees.
    pub fn builds_trees(&self) -> bool {
        let mut target = Vec::new();
        self.trees.is_some()
            || self.tables.iter().any(|table| {
                !table.is_empty() && {
                    table.target(RuleId(0), &mut target);
                    heads::split(&target).1.is_some()
                }
            })
    }

    /// A worker with this stateful feature, whose values are those of the language models.
    pub fn worker_with<F: Stateful>(&self, feature: F) -> ChartWorker<'_, F> {
        ChartWorker::new(self, feature)
    }
}

/// The buffers of a thread that translates with a grammar and a stateful feature.
pub struct ChartWorker<'s, F: Stateful> {
    pub(crate) system: &'s ChartSystem,
    pub(crate) tables: Vec<&'s Table>,
    pub(crate) feature: F,
    pub(crate) lexicon: Lexicon<'s>,
    pub(crate) unknown: Vec<Sym>,
    pub(crate) forest: Forest,
    pub(crate) lists: Lists<F::Word>,
    pub(crate) found: Searched<F::State>,
    pruning: CubePruning<F::State>,
    growing: CubeGrowing<F::State>,
    labels: Vec<Vec<Option<Sym>>>,
    words: Vec<Vec<Option<Sym>>>,
    chart: Chart,
}

impl<'s, F: Stateful> ChartWorker<'s, F> {
    fn new(system: &'s ChartSystem, feature: F) -> Self {
        let tables: Vec<&Table> = system.tables.iter().collect();
        let vocabs: Vec<_> = tables.iter().map(|table| table.vocab()).collect();
        let labels = system.model.labels();
        let named = |table: &&Table| labels.iter().map(|label| table.vocab().get(label)).collect();
        Self {
            labels: tables.iter().map(named).collect(),
            words: vec![Vec::new(); tables.len()],
            system,
            tables,
            feature,
            lexicon: Lexicon::new(vocabs),
            unknown: Vec::new(),
            chart: Chart::default(),
            forest: Forest::default(),
            lists: Lists::new(),
            found: Searched::default(),
            pruning: CubePruning::default(),
            growing: CubeGrowing::default(),
        }
    }

    /// Searches the translations of a line of words, of which so many are wanted; the settings that were used.
    pub fn search(&mut self, line: &str, wanted: usize) -> ChartSettings {
        self.search_trees(line, &InputTrees::default(), wanted)
    }

    /// Searches the translations of a line of words with these trees.
    pub fn search_trees(&mut self, line: &str, trees: &InputTrees, wanted: usize) -> ChartSettings {
        self.read(line);
        let length = self.unknown.len();
        let settings = self.system.settings.for_length(length);
        let tables: Vec<MatchTable<'_>> = (self.tables.iter().zip(&self.words).zip(&self.labels))
            .map(|((table, words), labels)| MatchTable { table, words, labels })
            .collect();
        let input = ForestInput { tables: &tables, length, max_span: settings.max_span, trees };
        self.system.model.forest(&input, &mut self.chart, &mut self.forest);
        let source = Source {
            tables: &self.tables,
            lexicon: &self.lexicon,
            unknown: &self.unknown,
            features: &self.system.features,
            table_limit: settings.table_limit,
            rule_threshold: settings.rule_threshold,
            joins: F::JOINS,
        };
        self.lists.look_up(self.forest.lists(), &source, &mut self.feature);
        let (forest, lists, feature) = (&self.forest, &self.lists, &self.feature);
        match settings.algorithm {
            Algorithm::Pruning => {
                self.pruning.run(forest, lists, feature, &settings.limits, &mut self.found);
            }
            Algorithm::Growing => {
                self.growing.run(forest, lists, feature, settings.limits.pops, wanted, &mut self.found);
            }
        }
        settings
    }

    /// Says how far the settings used for a line were narrowed.
    pub(crate) fn narrowed(&self, used: &ChartSettings) -> Option<String> {
        let wished = &self.system.settings;
        let (pops, span, words) = (used.limits.pops, used.max_span, self.unknown.len());
        (used != wished).then(|| format!("{words} words: searched with spans of {span} and {pops} pops"))
    }

    /// Where the rules of the sentence searched last come from.
    pub(crate) fn source(&self) -> Source<'_, 's> {
        Source {
            tables: &self.tables,
            lexicon: &self.lexicon,
            unknown: &self.unknown,
            features: &self.system.features,
            table_limit: self.system.settings.table_limit,
            rule_threshold: self.system.settings.rule_threshold,
            joins: F::JOINS,
        }
    }

    /// Looks the words of a line up.
    fn read(&mut self, line: &str) {
        self.lexicon.clear();
        self.unknown.clear();
        self.words.iter_mut().for_each(Vec::clear);
        for word in line.split_ascii_whitespace() {
            let escaped = notation::escape(word);
            for (words, table) in self.words.iter_mut().zip(&self.tables) {
                words.push(table.vocab().get(&escaped));
            }
            let local = self.lexicon.local(word);
            self.unknown.push(local);
        }
    }

    /// The forest searched last.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The words of the tables and of the sentence searched last.
    pub fn lexicon(&self) -> &Lexicon<'s> {
        &self.lexicon
    }

    /// How many hypotheses and ways the last search found.
    pub fn size(&self) -> (usize, usize) {
        self.found.size()
    }

    /// The score of the best derivation as the search computed it.
    pub fn best_score(&self) -> Option<f32> {
        self.found.goal().map(|goal| self.found.vertex(goal).score)
    }

    /// Hands the best derivations on, best first, until `take` has enough and says `false`. Of distinct ones, no two have
    /// the same words.
    pub fn derivations(&self, distinct: bool, mut take: impl FnMut(&Derivation, f32) -> bool) {
        let Some(top) = self.found.goal() else { return };
        let yields = |way: u32| self.yields(way);
        let yields: &dyn Fn(u32) -> Vec<YieldItem> = &yields;
        let mut ranking = KBest::new(&self.found, &self.forest, distinct.then_some(yields));
        let mut writer = Writer::new(self);
        let mut derivation = Derivation::default();
        for rank in 0.. {
            let Some(score) = ranking.get(top, rank).map(|ranked| ranked.score) else { return };
            writer.write(top, rank, &mut ranking, &mut derivation);
            if !take(&derivation, score) {
                return;
            }
        }
    }
}

impl<F: Stateful> ChartWorker<'_, F> {
    /// The words that a way adds to those of its tails.
    fn yields(&self, way: u32) -> Vec<YieldItem> {
        let way = self.found.way(way);
        let list = self.forest.edges()[way.edge as usize].list;
        let rule = self.lists.rules(list)[way.rule as usize].rule;
        let (mut target, mut links) = (Vec::new(), Vec::new());
        self.source().content(self.forest.lists()[list as usize], rule, &mut target, &mut links);
        let item = |symbol: &Symbol| match symbol.kind() {
            Kind::Word(word) => Some(YieldItem::Word(FxBuildHasher.hash_one(self.lexicon.text(word)))),
            Kind::Ref(k) => Some(YieldItem::Tail(k)),
            _ => None,
        };
        target.iter().filter_map(item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_sentences_are_searched_more_narrowly() {
        let settings = ChartSettings::default();
        assert_eq!(settings.for_length(0), settings);
        assert_eq!(settings.for_length(60), settings);
        let narrow = settings.for_length(1000);
        assert_eq!((narrow.max_span, narrow.limits.pops), (20, 142));
        let unlimited = ChartSettings { max_span: 0, ..settings };
        assert_eq!(unlimited.for_length(40), unlimited);
        let narrow = unlimited.for_length(1000);
        assert_eq!((narrow.max_span, narrow.limits.pops), (30, 96));
        let narrow = unlimited.for_length(1_000_000);
        assert_eq!((narrow.max_span, narrow.limits.pops), (LEAST_SPAN, LEAST_POPS));
    }
}
