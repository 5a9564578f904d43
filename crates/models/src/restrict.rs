//! Takes out of a forest what crosses the bounds of its input: rules over walls, rules that tear a zone apart, rules that translate
//! only some words of a constrained span. What remains may lack a goal; then the forest stays as it was.

use crate::forest::{Forest, NodeIx, RuleList, variable_at};
use crate::guide::{Binding, Guidance, Wall};
use treeglot_tree::Span;

/// What a hyperarc may do.
enum Verdict {
    Kept,
    Dropped,
    /// Only with rules that have the translation of this number in their target side.
    Containing(u32),
}

/// What a hyperarc puts together: source words of its own, and what its tails cover.
struct Parts {
    words: Vec<u32>,
    tails: Vec<Vec<u32>>,
}

/// Takes out what crosses the bounds; whether a goal is left. If none is, nothing is taken out.
pub fn restrict(forest: &mut Forest, guidance: &Guidance) -> bool {
    let mut kept = Forest::default();
    let mut moved: Vec<Option<NodeIx>> = Vec::with_capacity(forest.nodes().len());
    kept.copy_frame(forest);
    for (number, node) in forest.nodes().iter().enumerate() {
        for edge in forest.edges_of(NodeIx(number as u32)).map(|at| forest.edges()[at]) {
            let tails: Option<Vec<NodeIx>> =
                forest.tails(&edge).iter().map(|tail| moved[tail.ix()]).collect();
            let Some(tails) = tails else { continue };
            let list = match (forest.lists()[edge.list as usize], verdict(forest, number, &edge, guidance)) {
                (_, Verdict::Dropped) => continue,
                (RuleList::Table { table, node }, Verdict::Containing(given)) => {
                    kept.list(RuleList::Containing { table, node, given })
                }
                _ => edge.list,
            };
            kept.edge(list, tails);
            kept.set_positions(forest.positions(&edge).iter().copied());
            kept.share(edge.parse);
        }
        moved.push(kept.is_open().then(|| kept.node(node.span, node.label)));
    }
    let reached = moved.last().is_some_and(Option::is_some);
    if reached {
        *forest = kept;
    }
    reached
}

fn has(span: &Span, at: u32) -> bool {
    (span.start..span.end).contains(&at)
}

fn verdict(forest: &Forest, node: usize, edge: &crate::Edge, guidance: &Guidance) -> Verdict {
    let RuleList::Table { .. } = forest.lists()[edge.list as usize] else { return Verdict::Kept };
    let parts = Parts::of(forest, forest.nodes()[node].span, edge);
    if guidance.walls.iter().any(|wall| parts.cross(wall))
        || guidance.zones.iter().any(|&zone| parts.tear(zone))
    {
        return Verdict::Dropped;
    }
    let constraints = (0..).zip(&guidance.given).filter(|(_, given)| given.binding == Binding::Constraint);
    for (number, given) in constraints {
        let own = parts.words.iter().filter(|&&at| given.has(at)).count();
        if own == given.span.len() {
            return Verdict::Containing(number);
        }
        if own > 0 {
            return Verdict::Dropped;
        }
    }
    Verdict::Kept
}

impl Parts {
    fn of(forest: &Forest, span: Span, edge: &crate::Edge) -> Self {
        let order = forest.order();
        let place = |at: u32| order.get(at as usize).copied().unwrap_or(at);
        let covered: Vec<Span> =
            forest.tails(edge).iter().map(|tail| forest.nodes()[tail.ix()].span).collect();
        let own: Vec<u32> = match forest.positions(edge) {
            [] => (span.start..span.end).filter(|&at| !covered.iter().any(|tail| has(tail, at))).collect(),
            positions => positions.iter().copied().filter(|&at| variable_at(at).is_none()).collect(),
        };
        let tails = covered.iter().map(|tail| (tail.start..tail.end).map(place).collect()).collect();
        Self { words: own.into_iter().map(place).collect(), tails }
    }

    /// All that is put together.
    fn all(&self) -> impl Iterator<Item = &u32> {
        self.words.iter().chain(self.tails.iter().flatten())
    }

    fn covers(&self, at: u32) -> bool {
        self.all().any(|&word| word == at)
    }

    /// Whether words of both sides of a wall are put together here, and not all in one tail.
    fn cross(&self, wall: &Wall) -> bool {
        let (before, after) = (Span::new(wall.scope.start, wall.at), Span::new(wall.at, wall.scope.end));
        let any = |side: Span| self.all().any(|&at| has(&side, at));
        any(before) && any(after) && !self.one_tail_has(wall.scope)
    }

    /// Whether a zone is translated here in several pieces, or together with only some words of its outside.
    fn tear(&self, zone: Span) -> bool {
        let inside = self.all().filter(|&&at| has(&zone, at)).count();
        let outside = self.all().any(|&at| !has(&zone, at));
        if inside == 0 || !outside || self.one_tail_has(zone) {
            return false;
        }
        let by_tails = self.tails.iter().flatten().any(|&at| has(&zone, at));
        by_tails || (zone.start..zone.end).any(|at| !self.covers(at))
    }

    fn one_tail_has(&self, span: Span) -> bool {
        let whole = |tail: &Vec<u32>| (span.start..span.end).all(|at| tail.contains(&at));
        self.tails.iter().any(whole)
    }
}
