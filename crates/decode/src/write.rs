//! Derivations of a chart search, written out step by step with the values of their features.

use crate::chart::ChartWorker;
use crate::derivation::{Applied, Derivation, NewStep};
use crate::kbest::KBest;
use crate::searched::Way;
use crate::stateful::Stateful;
use treeglot_grammar::{RuleId, RuleLink, Symbol};
use treeglot_models::RuleList;

/// Writes derivations out with the values of their features.
pub(crate) struct Writer<'w, 's, F: Stateful> {
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
    /// Nothing is written yet.
    pub fn new(worker: &'w ChartWorker<'s, F>) -> Self {
        Self {
            worker,
            target: Vec::new(),
            links: Vec::new(),
            scores: Vec::new(),
            values: vec![0.0; worker.system.features().set().len()],
            pending: Vec::new(),
        }
    }

    /// Writes the derivation of a hypothesis with this rank.
    pub fn write(
        &mut self,
        top: u32,
        rank: u32,
        ranking: &mut KBest<'_, F::State>,
        derivation: &mut Derivation,
    ) {
        let worker = self.worker;
        let found = &worker.found;
        derivation.clear();
        self.pending.push((top, rank, None));
        while let Some((vertex, rank, parent)) = self.pending.pop() {
            let Some(ranked) = ranking.get(vertex, rank).cloned() else { continue };
            let way = found.way(ranked.way);
            let tails = found.tails(way, &worker.forest);
            let (list, rule) = self.fill(way);
            let node = worker.forest.nodes()[worker.forest.head(way.edge as usize).ix()];
            let new = NewStep {
                applied: applied(list, rule),
                span: node.span,
                parent,
                label: node.label,
                target: &self.target,
                links: &self.links,
                features: &self.values,
            };
            let step = derivation.push(new, worker.system.features().weights());
            derivation.place_parts(worker.forest.parts(&worker.forest.edges()[way.edge as usize]));
            let children = tails.iter().zip(ranked.ranks.iter()).enumerate();
            self.pending.extend(children.map(|(k, (&tail, &rank))| (tail, rank, Some((step, k as u8)))));
        }
    }

    /// Works out target side, links and features of a way; its rule.
    fn fill(&mut self, way: &Way) -> (RuleList, u32) {
        let worker = self.worker;
        let edge = worker.forest.edges()[way.edge as usize];
        let list = worker.forest.lists()[edge.list as usize];
        let rule = worker.lists.rules(edge.list)[way.rule as usize];
        let tails = worker.found.tails(way, &worker.forest);
        self.content(list, rule.rule);
        worker.system.features().values((list, edge.parse), &self.scores, &self.target, &mut self.values);
        let stateful = &mut self.values[worker.system.features().stateful()];
        let tail = |k: u8| &worker.found.vertex(tails[usize::from(k)]).state;
        worker.feature.values(worker.lists.target(&rule).iter().copied(), tail, stateful);
        (list, rule.rule)
    }

    /// Target side and features of a way.
    pub fn way(&mut self, way: &Way) -> (&[Symbol], &[f32]) {
        self.fill(way);
        (&self.target, &self.values)
    }

    fn content(&mut self, list: RuleList, rule: u32) {
        let worker = self.worker;
        worker.source().content(list, rule, &mut self.target, &mut self.links);
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
        RuleList::First | RuleList::Glue => Applied::Glue,
        RuleList::Join | RuleList::Same => Applied::Join,
        RuleList::Backoff => Applied::Backoff,
        RuleList::End => Applied::End,
        RuleList::Copy(_) => Applied::Unknown,
    }
}
