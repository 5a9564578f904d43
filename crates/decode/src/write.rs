//! Derivations of a chart search, written out step by step with the values of their features.

use crate::chart::ChartWorker;
use crate::derivation::{Derivation, NewStep, kept};
use crate::features::{RuleView, Stateful};
use crate::searched::Searched;
use rustc_hash::FxHashMap;
use std::ops::Range;
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_models::{Node, RuleList};
use treeglot_tree::hypergraph::KBest;

/// Writes derivations out with the values of their features.
pub(crate) struct Writer<'w, 's, F: Stateful> {
    worker: &'w ChartWorker<'s, F>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    scores: Vec<f32>,
    values: Vec<f32>,
    sparse: Vec<(u32, f32)>,
    source: Vec<Symbol>,
    pending: Vec<Pending>,
    /// What was worked out for hyperarcs: most are in many derivations.
    known: FxHashMap<u32, Filled>,
    all: Arenas,
}

/// A hyperarc with what it contributes.
#[derive(Clone)]
struct Filled {
    list: RuleList,
    rule: u32,
    edge: u32,
    node: Node,
    target: Range<usize>,
    links: Range<usize>,
    values: Range<usize>,
    sparse: Range<usize>,
}

/// Target sides, links and values of features of the hyperarcs that are known.
#[derive(Default)]
struct Arenas {
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    values: Vec<f32>,
    sparse: Vec<(u32, f32)>,
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
            sparse: Vec::new(),
            source: Vec::new(),
            pending: Vec::new(),
            known: FxHashMap::default(),
            all: Arenas::default(),
        }
    }

    /// Writes the derivation of a hypothesis with this rank.
    pub fn write(
        &mut self,
        top: u32,
        rank: u32,
        ranking: &mut KBest<'_, &Searched<F::State>>,
        derivation: &mut Derivation,
    ) {
        let worker = self.worker;
        let found = &worker.found;
        derivation.clear();
        self.pending.push((top, rank, None));
        while let Some((vertex, rank, parent)) = self.pending.pop() {
            let Some(derived) = ranking.get(vertex, rank) else { continue };
            let filled = self.filled(derived.arc);
            let new = NewStep {
                applied: worker.source().applied(filled.list, filled.rule),
                span: filled.node.span,
                parent,
                label: filled.node.label,
                target: &self.all.target[filled.target],
                links: &self.all.links[filled.links],
                features: &self.all.values[filled.values],
                sparse: &self.all.sparse[filled.sparse],
            };
            let step = derivation.push(new, worker.system.features().weights());
            derivation.set_positions(worker.forest.positions(&worker.forest.edges()[filled.edge as usize]));
            let children = found.tails(derived.arc).iter().zip(&derived.ranks).enumerate();
            self.pending.extend(children.map(|(k, (&tail, &rank))| (tail, rank, Some((step, k as u8)))));
        }
    }

    /// What a hyperarc contributes, worked out once.
    fn filled(&mut self, arc: u32) -> Filled {
        if let Some(known) = self.known.get(&arc) {
            return known.clone();
        }
        let (list, rule) = self.fill(arc);
        let forest = &self.worker.forest;
        let edge = self.worker.found.arc(arc).edge;
        let filled = Filled {
            list,
            rule,
            edge,
            node: forest.nodes()[forest.head(edge as usize).ix()],
            target: kept(&mut self.all.target, &self.target),
            links: kept(&mut self.all.links, &self.links),
            values: kept(&mut self.all.values, &self.values),
            sparse: kept(&mut self.all.sparse, &self.sparse),
        };
        self.known.insert(arc, filled.clone());
        filled
    }

    /// Works out target side, links and features of a hyperarc; its rule.
    fn fill(&mut self, arc: u32) -> (RuleList, u32) {
        let worker = self.worker;
        let (built, tails) = (worker.found.arc(arc), worker.found.tails(arc));
        let edge = worker.forest.edges()[built.edge as usize];
        let list = worker.forest.lists()[edge.list as usize];
        let rule = worker.lists.rules(edge.list)[built.rule as usize];
        self.content(list, rule.rule);
        let features = worker.system.features();
        let (target, links) = (&self.target[..], &self.links[..]);
        let applied = worker.source().applied(list, rule.rule);
        self.source.clear();
        if let (RuleList::Table { table, node } | RuleList::Containing { table, node, .. }, true) =
            (list, features.reads_source())
        {
            worker.source().source_side(table, node, &mut self.source);
        }
        let view = RuleView { applied, source: &self.source, target, links, parse: edge.parse };
        features.values(&view, &self.scores, &mut self.values);
        features.sparse_values(&view, &mut self.sparse);
        let stateful = &mut self.values[features.stateful()];
        let tail = |k: u8| &worker.found.vertex(tails[usize::from(k)]).state;
        let places = if F::PLACED { worker.places.of(built.edge) } else { &[] };
        worker.feature.values(worker.lists.target(&rule).iter().copied(), places, tail, stateful);
        (list, rule.rule)
    }

    /// Target side and features of a hyperarc.
    pub fn arc(&mut self, arc: u32) -> (&[Symbol], &[f32]) {
        self.fill(arc);
        (&self.target, &self.values)
    }

    fn content(&mut self, list: RuleList, rule: u32) {
        let worker = self.worker;
        worker.source().content(list, rule, &mut self.target, &mut self.links);
        worker.source().scores(list, rule, &mut self.scores);
    }
}
