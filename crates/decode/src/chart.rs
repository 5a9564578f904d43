//! Translating with a synchronous grammar: forest, search, k-best derivations. One read-only [`ChartSystem`] is shared by
//! all threads; a [`ChartWorker`] has the buffers of one.

use crate::cube::{CubePruning, Task};
use crate::derivation::Derivation;
use crate::error::{Error, Result};
use crate::features::{Features, LmRole, MAX_ORDER, Shape, Stateful};
use crate::guide::{Guide, UnknownWords};
use crate::lists::{Lists, Ranking, Source};
use crate::places::Places;
use crate::resources::Resources;
use crate::searched::Searched;
use crate::settings::{Limits, SearchSettings};
use crate::translate::Wanted;
use crate::vocab::SentenceVocab;
use crate::weights::Weights;
use crate::write::Writer;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use treeglot_grammar::{Kind, RuleId, Symbol, Table, heads};
use treeglot_joint::JointModel;
use treeglot_lm::Lm;
use treeglot_lm::depend::DepLm;
use treeglot_models::chart::{Chart, ForestInput, ForestLimits, MatchTable};
use treeglot_models::{Estimates, Forest, Guidance, InputTrees, Model, TableRole, UNGUIDED};
use treeglot_text::vocab::Sym;
use treeglot_tree::hypergraph::{KBest, Yield, YieldItem};

/// Tables, features with weights, and settings of a system that searches a chart; read-only, shared by all threads.
pub struct ChartSystem {
    model: Box<dyn Model>,
    tables: Vec<Table>,
    roles: Vec<TableRole>,
    lms: Vec<Lm>,
    trees: Option<DepLm>,
    joint: Option<JointModel>,
    lexical: Option<JointModel>,
    features: Features,
    limits: Limits,
}

impl ChartSystem {
    /// Puts a system together; each of its features must have a weight. A dependency language model scores the trees that the
    /// heads of rules make.
    pub fn new(
        model: Box<dyn Model>,
        resources: Resources,
        weights: &Weights,
        settings: &SearchSettings,
    ) -> Result<Self> {
        if resources.operations.is_some() {
            let why = "an operation sequence model goes through phrases from left to right: a chart cannot use it, leave it out";
            return Err(Error::Settings(why.to_string()));
        }
        let applies = model.applies();
        let of_features = |shape: &Shape<'_>| Features::new(shape, weights);
        let features = resources.with_shape(
            applies,
            settings,
            |table| (table.score_names(), table.vocab()),
            of_features,
        )?;
        let Resources { tables, lms, joint, lexical, .. } = resources;
        let (roles, tables) = tables.into_iter().unzip();
        let (lms, trees) = split_lms(lms)?;
        if (joint.is_some() || lexical.is_some()) && lms.is_empty() {
            let why = "a joint or lexical translation model needs a language model of text beside it";
            return Err(Error::Settings(why.to_string()));
        }
        let max_span = settings.max_span.or(model.max_span());
        let limits =
            SearchSettings { max_span, ..settings.clone() }.limits(applies, features.sum_of_weights());
        Self { model, tables, roles, lms, trees, joint, lexical, features, limits }.with_limits(limits)
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> Result<Self> {
        if limits.pops == Some(0) || limits.table_limit == 0 {
            return Err(Error::Settings(
                "a pop or table limit of 0 finds nothing: give 1 or more".to_string(),
            ));
        }
        Ok(Self { limits, ..self })
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

    /// The joint model.
    pub fn joint_model(&self) -> Option<&JointModel> {
        self.joint.as_ref()
    }

    /// The lexical translation model.
    pub fn lexical_model(&self) -> Option<&JointModel> {
        self.lexical.as_ref()
    }

    /// Whether its rules have heads, so that translations have trees.
    pub fn builds_trees(&self) -> bool {
        let mut target = Vec::new();
        self.trees.is_some()
            || self.tables.iter().any(|table| {
                !table.is_empty() && {
                    table.target(RuleId(0), u8::MAX, &mut target);
                    heads::split(&target).1.is_some()
                }
            })
    }

    /// A worker with this stateful feature, whose values are those of the language models.
    pub fn worker_with<F: Stateful>(&self, feature: F) -> ChartWorker<'_, F> {
        ChartWorker::new(self, feature)
    }
}

/// The language models of text, and the one of trees, if there is one.
fn split_lms(all: Vec<(LmRole, Lm)>) -> Result<(Vec<Lm>, Option<DepLm>)> {
    let (mut lms, mut trees) = (Vec::new(), Vec::new());
    for (role, lm) in all {
        match role {
            LmRole::Ngram => lms.push(lm),
            LmRole::Dependency => trees.push(DepLm::new(lm).ok_or_else(|| {
                Error::Settings("a language model that should be of dependency trees is of text".to_string())
            })?),
        }
    }
    let most = if trees.is_empty() { 3 } else { 2 };
    if lms.len() > most || trees.len() > 1 {
        return Err(Error::Settings(format!(
            "{} language models of text and {} of trees: three and none, or two and one are possible",
            lms.len(),
            trees.len()
        )));
    }
    if let Some(order) = trees.first().map(DepLm::order).filter(|&order| order > MAX_ORDER) {
        return Err(Error::Settings(format!(
            "a dependency language model of order {order}: build one of at most {MAX_ORDER}"
        )));
    }
    Ok((lms, trees.pop()))
}

/// The buffers of a thread that translates with a grammar and a stateful feature.
pub struct ChartWorker<'s, F: Stateful> {
    pub(crate) system: &'s ChartSystem,
    pub(crate) tables: Vec<&'s Table>,
    pub(crate) feature: F,
    pub(crate) vocab: SentenceVocab<'s>,
    pub(crate) guide: Guide,
    unguarded: bool,
    pub(crate) forest: Forest,
    pub(crate) lists: Lists<F::Word>,
    pub(crate) found: Searched<F::State>,
    pruning: CubePruning<F::State>,
    labels: Vec<Vec<Option<Sym>>>,
    words: Vec<Vec<Option<Sym>>>,
    chart: Chart,
    pub(crate) places: Places,
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
            vocab: SentenceVocab::new(vocabs),
            guide: Guide::default(),
            unguarded: false,
            chart: Chart::default(),
            places: Places::default(),
            forest: Forest::default(),
            lists: Lists::new(),
            found: Searched::default(),
            pruning: CubePruning::default(),
        }
    }

    /// Searches the translations of a line of words; the limits that were used.
    pub fn search(&mut self, line: &str) -> Limits {
        self.search_trees(line, &InputTrees::default())
    }

    /// Searches the translations of a line of words with these trees.
    pub fn search_trees(&mut self, line: &str, trees: &InputTrees) -> Limits {
        self.search_until(line, trees, UNGUIDED, &Wanted::default(), false)
    }

    /// The same with what is known of the translation, until a deadline, after which nothing is found. With `best_only`, only the
    /// best derivation can be read off what is found.
    pub(crate) fn search_until(
        &mut self,
        line: &str,
        trees: &InputTrees,
        guidance: &Guidance,
        wanted: &Wanted,
        best_only: bool,
    ) -> Limits {
        self.read(line, guidance, wanted.unknown);
        let deadline = wanted.deadline;
        let length = self.guide.copies.len();
        let mut limits = self.system.limits.for_length(length);
        if limits.lists_whole && wanted.count > 1 {
            limits.threshold = f32::INFINITY;
        }
        let tables: Vec<MatchTable<'_>> = (self.tables.iter().zip(&self.words).zip(&self.labels))
            .zip(&self.system.roles)
            .map(|(((table, words), labels), &role)| MatchTable { table, role, words, labels })
            .collect();
        let forest_limits =
            ForestLimits { max_span: limits.max_span, fills: limits.fills, hyperarcs: limits.hyperarcs };
        let input = ForestInput { tables: &tables, length, limits: forest_limits, trees, guidance };
        if F::PLACED {
            self.feature.begin_sentence(line);
        }
        let source = Source {
            tables: &self.tables,
            vocab: &self.vocab,
            guide: &self.guide,
            features: &self.system.features,
            table_limit: limits.table_limit,
            rule_threshold: limits.rule_threshold,
            joins: F::JOINS,
        };
        self.lists.forget();
        let mut ranking = Ranking { lists: &mut self.lists, source: &source, feature: &mut self.feature };
        let rules: &mut dyn Estimates = if forest_limits.keeps_all() { &mut () } else { &mut ranking };
        let (chart, forest) = (&mut self.chart, &mut self.forest);
        self.unguarded = !self.system.model.guided_forest(&input, rules, chart, forest);
        if F::PLACED {
            self.places.fill(&self.forest);
        }
        self.lists.look_up(&self.forest, &source, &mut self.feature);
        let task = Task {
            forest: &self.forest,
            lists: &self.lists,
            feature: &self.feature,
            limits: &limits,
            deadline,
            places: &self.places,
            best_only,
        };
        self.pruning.run(&task, &mut self.found);
        limits
    }

    /// Says how far the limits used for a line were narrowed.
    pub(crate) fn narrowed(&self, used: &Limits) -> Option<String> {
        let wished = &self.system.limits;
        let (pops, span, words) = (used.pops.unwrap_or(usize::MAX), used.max_span, self.guide.copies.len());
        let lost = || "zones, walls or constraints that no translation keeps: left out".to_string();
        if self.unguarded {
            return Some(lost());
        }
        let narrower = (used.pops, used.max_span) != (wished.pops, wished.max_span);
        narrower.then(|| format!("{words} words: searched with spans of {span} and {pops} pops"))
    }

    /// Where the rules of the sentence searched last come from.
    pub(crate) fn source(&self) -> Source<'_, 's> {
        Source {
            tables: &self.tables,
            vocab: &self.vocab,
            guide: &self.guide,
            features: &self.system.features,
            table_limit: self.system.limits.table_limit,
            rule_threshold: self.system.limits.rule_threshold,
            joins: F::JOINS,
        }
    }

    /// Looks the words of a line up.
    fn read(&mut self, line: &str, guidance: &Guidance, unknown: UnknownWords) {
        self.vocab.clear();
        self.words.iter_mut().for_each(Vec::clear);
        for (at, word) in (0..).zip(line.split_ascii_whitespace()) {
            let given = guidance.is_exclusive(at);
            for (words, table) in self.words.iter_mut().zip(&self.tables) {
                words.push(if given { None } else { table.vocab().get(word) });
            }
        }
        let vocab = &mut self.vocab;
        self.guide.read(line.split_ascii_whitespace(), guidance, unknown, |word| vocab.local(word));
    }

    /// The forest searched last.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The words of the tables and of the sentence searched last.
    pub fn vocab(&self) -> &SentenceVocab<'s> {
        &self.vocab
    }

    /// How many hypotheses and hyperarcs the last search found.
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
        let mut target = Vec::new();
        let mut words = |arc: u32, items: &mut Vec<YieldItem>| self.add_yields(arc, &mut target, items);
        let mut ranking = match distinct {
            true => KBest::distinct(&self.found, &mut words),
            false => KBest::new(&self.found),
        };
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
    /// Appends the words that a hyperarc adds to those of its tails.
    fn add_yields(&self, arc: u32, target: &mut Vec<Symbol>, items: &mut Vec<YieldItem>) {
        let arc = self.found.arc(arc);
        let list = self.forest.edges()[arc.edge as usize].list;
        let rule = self.lists.rules(list)[arc.rule as usize].rule;
        self.source().target(self.forest.lists()[list as usize], rule, target);
        let item = |symbol: &Symbol| match symbol.kind() {
            Kind::Word(word) => {
                Some(YieldItem::Words(Yield::word(FxBuildHasher.hash_one(self.vocab.text(word)))))
            }
            Kind::Ref(k) => Some(YieldItem::Tail(k)),
            _ => None,
        };
        items.extend(target.iter().filter_map(item));
    }
}
