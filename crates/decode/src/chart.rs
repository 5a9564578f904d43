//! Translating with a synchronous grammar: forest, search, k-best derivations. One read-only [`ChartSystem`] is shared by
//! all threads; a [`ChartWorker`] has the buffers of one.

use crate::cube::{CubePruning, Limits};
use crate::derivation::{Applied, Derivation, NewStep};
use crate::features::Features;
use crate::kbest::KBest;
use crate::lexicon::Lexicon;
use crate::lists::{Lists, Source};
use crate::stateful::Stateful;
use treeglot_grammar::{RuleId, RuleLink, Symbol, Table, notation};
use treeglot_models::chart::{Chart, MatchLimits, MatchTable};
use treeglot_models::{Forest, RuleList};
use treeglot_text::vocab::Sym;

/// The buffers of a thread that translates with a grammar and a stateful feature.
pub struct ChartWorker<'s, F: Stateful> {
    tables: Vec<&'s Table>,
    labels: Vec<Vec<Option<Sym>>>,
    features: &'s Features,
    feature: F,
    settings: ChartSettings,
    lexicon: Lexicon<'s>,
    words: Vec<Vec<Option<Sym>>>,
    unknown: Vec<Sym>,
    chart: Chart,
    forest: Forest,
    lists: Lists<F::Word>,
    search: CubePruning<F::State>,
}

/// How the search goes about its work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartSettings {
    /// Limits of the search.
    pub limits: Limits,
    /// The most words a rule may span; 0 for no limit.
    pub max_span: usize,
    /// How many rules of one source side are used.
    pub table_limit: usize,
}

impl Default for ChartSettings {
    fn default() -> Self {
        let limits = Limits { pops: 1000, beam: 0, threshold: f32::INFINITY };
        Self { limits, max_span: 20, table_limit: 20 }
    }
}

impl<'s, F: Stateful> ChartWorker<'s, F> {
    /// A worker on these tables, whose labels are by name.
    pub fn new(
        tables: Vec<&'s Table>,
        labels: &[String],
        features: &'s Features,
        feature: F,
        settings: ChartSettings,
    ) -> Self {
        let vocabs: Vec<_> = tables.iter().map(|table| table.vocab()).collect();
        let named = |table: &&Table| labels.iter().map(|label| table.vocab().get(label)).collect();
        Self {
            labels: tables.iter().map(named).collect(),
            words: vec![Vec::new(); tables.len()],
            tables,
            features,
            feature,
            settings,
            lexicon: Lexicon::new(vocabs),
            unknown: Vec::new(),
            chart: Chart::default(),
            forest: Forest::default(),
            lists: Lists::new(),
            search: CubePruning::default(),
        }
    }

    /// Searches the translations of a line of words.
    pub fn search(&mut self, line: &str) {
        self.read(line);
        let tables: Vec<MatchTable<'_>> = (self.tables.iter().zip(&self.words).zip(&self.labels))
            .map(|((table, words), labels)| MatchTable { table, words, labels })
            .collect();
        let limits = MatchLimits { max_span: self.settings.max_span };
        self.chart.fill(&tables, self.unknown.len(), limits, &mut self.forest);
        let source = Source {
            tables: &self.tables,
            lexicon: &self.lexicon,
            unknown: &self.unknown,
            features: self.features,
            table_limit: self.settings.table_limit,
        };
        self.lists.look_up(self.forest.lists(), &source, &mut self.feature);
        self.search.run(&self.forest, &self.lists, &self.feature, &self.settings.limits);
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
        self.search.found.size()
    }

    /// The score of the best derivation as the search computed it.
    pub fn best_score(&self) -> Option<f32> {
        let goal = self.forest.goal()?;
        let best = self.search.found.of_node(goal).start;
        self.search.found.of_node(goal).contains(&best).then(|| self.search.found.vertex(best as u32).score)
    }

    /// Hands the best derivations on, best first, until `take` has enough and says `false`.
    pub fn derivations(&self, mut take: impl FnMut(&Derivation, f32) -> bool) {
        let Some(goal) = self.forest.goal() else { return };
        let Some(top) = self.search.found.of_node(goal).next() else { return };
        let mut ranking = KBest::new(&self.search.found, &self.forest);
        let mut writer = Writer::new(self);
        let mut derivation = Derivation::default();
        for rank in 0.. {
            let Some(score) = ranking.get(top as u32, rank).map(|ranked| ranked.score) else { return };
            writer.write(top as u32, rank, &mut ranking, &mut derivation);
            if !take(&derivation, score) {
                return;
            }
        }
    }
}

/// Writes derivations out with the values of their features.
struct Writer<'w, 's, F: Stateful> {
    worker: &'w ChartWorker<'s, F>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    scores: Vec<f32>,
    values: Vec<f32>,
    pending: Vec<Pending>,
}

/// A derivation of a hypothesis that is still to be written, by rank, and the variable it fills.
type Pending = (u32, u32, Option<(u32, u8)>);

impl<'w, 's, F: Stateful> Writer<'w, 's, F> {
    fn new(worker: &'w ChartWorker<'s, F>) -> Self {
        Self {
            worker,
            target: Vec::new(),
            links: Vec::new(),
            scores: Vec::new(),
            values: vec![0.0; worker.features.set().len()],
            pending: Vec::new(),
        }
    }

    fn write(&mut self, top: u32, rank: u32, ranking: &mut KBest<'_, F::State>, derivation: &mut Derivation) {
        let worker = self.worker;
        let found = &worker.search.found;
        derivation.clear();
        self.pending.push((top, rank, None));
        while let Some((vertex, rank, parent)) = self.pending.pop() {
            let Some(ranked) = ranking.get(vertex, rank).cloned() else { continue };
            let way = found.way(ranked.way);
            let edge = worker.forest.edges()[way.edge as usize];
            let list = worker.forest.lists()[edge.list as usize];
            let rule = worker.lists.rules(edge.list)[way.rule as usize];
            let tails = found.tails(way, &worker.forest);
            self.content(list, rule.rule);
            worker.features.values(list, &self.scores, &self.target, &mut self.values);
            let stateful = &mut self.values[worker.features.lm()];
            let tail = |k: u8| &found.vertex(tails[usize::from(k)]).state;
            worker.feature.values(worker.lists.target(&rule).iter().copied(), tail, stateful);
            let span = worker.forest.nodes()[worker.forest.head(way.edge as usize).ix()].span;
            let new = NewStep {
                applied: applied(list, rule.rule),
                span,
                parent,
                target: &self.target,
                links: &self.links,
                features: &self.values,
            };
            let step = derivation.push(new, worker.features.weights());
            let children = tails.iter().zip(ranked.ranks.iter()).enumerate();
            self.pending.extend(children.map(|(k, (&tail, &rank))| (tail, rank, Some((step, k as u8)))));
        }
    }

    fn content(&mut self, list: RuleList, rule: u32) {
        let worker = self.worker;
        let source = Source {
            tables: &worker.tables,
            lexicon: &worker.lexicon,
            unknown: &worker.unknown,
            features: worker.features,
            table_limit: worker.settings.table_limit,
        };
        source.content(list, rule, &mut self.target, &mut self.links);
        self.scores.clear();
        if let RuleList::Table { table, .. } = list {
            worker.tables[table as usize].scores(RuleId(rule), &mut self.scores);
        }
    }
}

fn applied(list: RuleList, rule: u32) -> Applied {
    match list {
        RuleList::Table { table, .. } => Applied::Rule { table, rule },
        RuleList::Begin => Applied::Begin,
        RuleList::Glue => Applied::Glue,
        RuleList::End => Applied::End,
        RuleList::Copy(_) => Applied::Unknown,
    }
}
