//! Whether the rules of a pair build its own target side, and if not, why (Na & Lee 2011, sections 5 and 6).
//!
//! A pair is recovered when its forest has a derivation from the root in which every hyperarc gives a rule with variables
//! and every last unit a lexical one. The translation of a derivation is then the whole target side: spans of tails are
//! cut out of those of their heads, and words without links go along with their neighbours.
//!
//! For pairs that are not, limits are lifted one after the other; the first that helps is the reason.

use super::cover::View;
use super::forest::{Hyperarc, Tail, UnitForest};
use super::sets::{Key, Keys};
use super::spans::{Cspans, Linked, Spans};
use super::units::Units;
use rustc_hash::FxHashMap;
use treeglot_tree::{DepTree, Span, WordIx};

/// Why a pair was not recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// There is a derivation, but not of the k best hyperarcs.
    BeyondK,
    /// There is one if source words without links may be left out.
    Unaligned,
    /// There is one if any connected set of at most m words is a unit, and any such sets side by side.
    IllFormed,
    /// None of these: where no smaller `cspan` is consistent, a unit of more than m words is needed.
    NoConsistentSpan,
}

/// Whether a forest has a derivation that builds the target side.
pub fn recovers(forest: &UnitForest, cspans: &Cspans) -> bool {
    let mut good = vec![false; forest.vertices().len()];
    for &v in forest.top_down().iter().rev() {
        let vertex = &forest.vertices()[v as usize];
        let edges = forest.incoming(vertex);
        let on = |edge| {
            let tails = forest.tails(edge).iter();
            tails.clone().all(|tail| good[tail.vertex as usize]) && cspans.fit_tails(forest, edge)
        };
        good[v as usize] = cspans.of(vertex).is_some() && (edges.is_empty() || edges.iter().any(on));
    }
    forest.top().iter().any(|edge| forest.tails(edge).iter().all(|tail| good[tail.vertex as usize]))
}

/// Whether rules build the target side if they are taken by their priority alone (section 5): from the root on, whatever a variable
/// stands for is built by the rule of the highest fractional count that fits it, and no choice is taken back. Needs the
/// [outside weights](UnitForest::outside).
pub fn restores_by_priority(forest: &UnitForest, cspans: &Cspans) -> bool {
    let cover_of = |tail: &Tail| forest.vertices()[tail.vertex as usize].cover;
    let best = forest.top().iter().max_by(|a, b| forest.score(a).total_cmp(&forest.score(b)));
    let Some(top) = best else { return false };
    let mut open: Vec<u32> = forest.tails(top).iter().map(cover_of).collect();
    while let Some(cover) = open.pop() {
        match first_rule(forest, cspans, cover) {
            Some(Some(edge)) => open.extend(forest.tails(edge).iter().map(cover_of)),
            Some(None) => {}
            None => return false,
        }
    }
    true
}

/// The rule of the highest fractional count for all that is covered, of the largest unit if there are several: one with variables, which
/// has a hyperarc, or a lexical one.
fn first_rule<'f>(forest: &'f UnitForest, cspans: &Cspans, cover: u32) -> Option<Option<&'f Hyperarc>> {
    let mut first: Option<(f64, Option<&Hyperarc>)> = None;
    for &number in &forest.covers()[cover as usize].vertices {
        let vertex = &forest.vertices()[number as usize];
        if cspans.of(vertex).is_none() {
            continue;
        }
        let consistent = forest.by_sigma(vertex).filter(|(edge, _)| cspans.fit_tails(forest, edge));
        let with_variables = consistent.map(|(edge, count)| (vertex.alpha * count, Some(edge)));
        let lexical = forest.incoming(vertex).is_empty().then_some((vertex.alpha * vertex.beta, None));
        for rule in with_variables.chain(lexical) {
            if first.is_none_or(|known| rule.0 > known.0) {
                first = Some(rule);
            }
        }
    }
    first.map(|(_, rule)| rule)
}

/// Whether any derivation of one of the trees builds the target side, with units of at most `max` words and whatever
/// hyperarcs.
pub fn recovers_by_any(trees: &[&DepTree], spans: &Spans<'_>, max: usize) -> bool {
    trees.iter().any(|tree| Search::new(tree, spans, max).succeeds(Lifted::Edges))
}

/// Why none of the trees' forests recovers a pair with units of at most `max` words.
pub fn reason(trees: &[&DepTree], spans: &Spans<'_>, max: usize) -> Reason {
    let mut searches: Vec<Search<'_>> = trees.iter().map(|tree| Search::new(tree, spans, max)).collect();
    let mut helps = |lifted| searches.iter_mut().any(|search| search.succeeds(lifted));
    if helps(Lifted::Edges) {
        Reason::BeyondK
    } else if helps(Lifted::Unaligned) {
        Reason::Unaligned
    } else if helps(Lifted::Shapes) {
        Reason::IllFormed
    } else {
        Reason::NoConsistentSpan
    }
}

/// How many steps a search may take: beyond them, the answer is no.
const MAX_STEPS: u32 = 200_000;

/// Which limits a search does without, those before included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lifted {
    /// The number of hyperarcs.
    Edges,
    /// Covers without links may be left out.
    Unaligned,
    /// Units have any shape.
    Shapes,
}

/// A search over all derivations of one tree.
struct Search<'a> {
    view: View<'a>,
    spans: &'a Spans<'a>,
    /// What each subtree is linked to: the hull, and the number of links.
    linked: Vec<(Span, usize)>,
    max: usize,
    lifted: Lifted,
    /// The dependents left by the units of each run of tops; unused if units have any shape.
    units: FxHashMap<Key, Vec<Vec<WordIx>>>,
    known: FxHashMap<Key, bool>,
    steps: u32,
}

impl<'a> Search<'a> {
    fn new(tree: &'a DepTree, spans: &'a Spans<'a>, max: usize) -> Self {
        let keys = Keys::new(tree.len());
        let view = View::new(tree, keys.subtrees(tree));
        let mut units: FxHashMap<Key, Vec<Vec<WordIx>>> = FxHashMap::default();
        for unit in Units::of(tree, &keys, max).iter() {
            let (sigma, tau) = view.ends(unit);
            units.entry(view.below(&sigma)).or_default().push(tau);
        }
        let linked = spans.subtrees(tree);
        Self { view, spans, linked, max, lifted: Lifted::Edges, units, known: FxHashMap::default(), steps: 0 }
    }

    fn succeeds(&mut self, lifted: Lifted) -> bool {
        self.lifted = lifted;
        self.known.clear();
        self.steps = 0;
        let root = [self.view.tree.root()];
        self.good(&root)
    }

    /// Whether the subtrees of a run of dependents can be derived.
    fn good(&mut self, run: &[WordIx]) -> bool {
        let key = self.view.below(run);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let good = self.linked(run).span().is_some() && self.derives(run, key);
        self.known.insert(key, good);
        good
    }

    fn derives(&mut self, run: &[WordIx], key: Key) -> bool {
        if self.lifted == Lifted::Shapes {
            let mut frontier: Vec<WordIx> =
                run.iter().flat_map(|&top| self.view.tree.dependents(top)).copied().collect();
            let room = self.max.checked_sub(run.len());
            return room.is_some_and(|room| self.covers(&mut frontier, 0, room, &mut Vec::new()));
        }
        let mut units = self.units.remove(&key).unwrap_or_default();
        let derives = units.iter_mut().any(|tau| self.covers(tau, 0, 0, &mut Vec::new()));
        self.units.insert(key, units);
        derives
    }

    fn linked(&self, run: &[WordIx]) -> Linked {
        self.spans.of_parts(run.iter().map(|top| self.linked[top.ix()]))
    }

    /// Whether the dependents from `at` on can be covered by runs beside those chosen, or by taking up to `room` words into
    /// the unit. If not, the dependents are left as they were.
    fn covers(&mut self, tau: &mut Vec<WordIx>, at: usize, room: usize, chosen: &mut Vec<Span>) -> bool {
        self.steps += 1;
        if at == tau.len() {
            return true;
        }
        if self.steps > MAX_STEPS {
            return false;
        }
        for length in 1..=self.view.run(&tau[at..], self.max) {
            let run = &tau[at..at + length];
            let span = match self.linked(run) {
                Linked::Nothing if self.lifted >= Lifted::Unaligned => Span::default(),
                Linked::Consistent(span) if free(chosen, span) && self.good(run) => span,
                _ => continue,
            };
            chosen.push(span);
            if self.covers(tau, at + length, room, chosen) {
                return true;
            }
            chosen.pop();
        }
        if room == 0 {
            return false;
        }
        let taken = tau.remove(at);
        let below = self.view.tree.dependents(taken).len();
        tau.splice(at..at, self.view.tree.dependents(taken).iter().copied());
        let covered = self.covers(tau, at, room - 1, chosen);
        if !covered {
            tau.drain(at..at + below);
            tau.insert(at, taken);
        }
        covered
    }
}

fn free(chosen: &[Span], span: Span) -> bool {
    chosen.iter().all(|other| other.is_empty() || other.end <= span.start || span.end <= other.start)
}
