//! The rules over one subtree: every set of subtrees below it of which none lies in another, within the limits. A set
//! is left alone as soon as no larger one can meet a limit, so that what is listed is what is wanted.

use super::sites::{Site, Sites};
use crate::matrix::SpanPair;
use crate::rules::Rules;

/// The limits of rules with variables, `None` for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeLimits {
    /// The most variables.
    pub variables: Option<u32>,
    /// The most nodes: one for a variable and for a word without dependents, two for a word with dependents.
    pub nodes: Option<u32>,
    /// The most levels of words with dependents.
    pub depth: Option<u32>,
    /// The most words with dependents.
    pub size: Option<u32>,
    /// The largest scope, on the side without the tree.
    pub scope: Option<u32>,
    /// Whether scope is that of the source side: the trees are of the target.
    pub scope_of_source: bool,
    /// Whether nodes, depth and size hold for composed rules only.
    pub spare_minimal: bool,
    /// The most source symbols.
    pub symbols: Option<u32>,
    /// The most rules of one phrase.
    pub rules: u32,
}

/// The most variables that any rule can have: they are numbered in a byte.
const MOST_VARIABLES: u32 = 255;

/// How many sets may be looked at for each rule that may be made.
const STEPS_PER_RULE: u64 = 64;

/// What a variable takes away from a rule, limit by limit: symbols, nodes, words with dependents, and words with
/// dependents that are too deep.
type Gain = [u32; 4];

/// Adds the rules with variables of all sites, and tells for how many phrases there were more than the limit.
pub fn add_rules(sites: &Sites<'_>, limits: &TreeLimits, fractional: bool, rules: &mut Rules<'_>) -> u64 {
    let mut search = Search::default();
    let mut cut = 0;
    for top in sites.all() {
        search.prepare(sites, top, limits);
        if search.reaches(0, search.variables, Gain::default()) {
            cut += u64::from(!search.extend(0, search.variables, Gain::default(), 0, rules));
        }
        if limits.spare_minimal {
            search.add_minimal(sites, top, rules);
        }
        rules.end_phrase(fractional);
    }
    cut
}

/// A subtree that may become a variable.
#[derive(Clone, Copy)]
struct Candidate {
    spans: SpanPair,
    gain: Gain,
    /// How many words with dependents it takes away that are consistent by themselves.
    free_heads: u32,
    /// The first candidate after this one that is not below it.
    next: usize,
}

/// The search over one phrase.
#[derive(Default)]
struct Search {
    top: SpanPair,
    candidates: Vec<Candidate>,
    variables: usize,
    /// What variables must take away for the rule to be within the limits.
    need: Gain,
    /// The most that so many variables (columns) from a candidate on (rows) can take away; empty if nothing is needed.
    best: Vec<Gain>,
    holes: Vec<SpanPair>,
    /// The largest scope, and whether it is of the source side.
    scope: u32,
    scope_of_source: bool,
    rules_left: u32,
    steps_left: u64,
}

impl Search {
    fn prepare(&mut self, sites: &Sites<'_>, top: &Site, limits: &TreeLimits) {
        let too_deep = limits.depth.map(|depth| top.depth + depth);
        let gain = |site: &Site| {
            [
                site.spans.source.len() as u32 - 1,
                sites.nodes(site) - 1,
                sites.inner(site),
                too_deep.map_or(0, |depth| sites.inner_at_depth(site, depth)),
            ]
        };
        let over = |limit: Option<u32>, has: u32| limit.map_or(0, |limit| has.saturating_sub(limit));
        self.top = top.spans;
        self.need = [
            over(limits.symbols, top.spans.source.len() as u32),
            over(limits.nodes, sites.nodes(top)),
            over(limits.size, sites.inner(top)),
            too_deep.map_or(0, |depth| sites.inner_at_depth(top, depth)),
        ];
        self.candidates.clear();
        let mut ends = Vec::new();
        for site in sites.below(top) {
            ends.push((site.enter, site.enter + site.words));
            let free_heads = sites.free_heads(site);
            self.candidates.push(Candidate { spans: site.spans, gain: gain(site), free_heads, next: 0 });
        }
        for (candidate, &(_, end)) in self.candidates.iter_mut().zip(&ends) {
            candidate.next = ends.partition_point(|&(enter, _)| enter < end);
        }
        let most = limits.variables.map_or(MOST_VARIABLES, |limit| limit.min(MOST_VARIABLES));
        self.variables = self.candidates.len().min(most as usize);
        self.scope = limits.scope.unwrap_or(u32::MAX);
        self.scope_of_source = limits.scope_of_source;
        self.rules_left = limits.rules;
        self.steps_left = u64::from(limits.rules) * STEPS_PER_RULE;
        self.fill_best();
    }

    fn fill_best(&mut self) {
        self.best.clear();
        if self.need == Gain::default() {
            return;
        }
        let columns = self.variables + 1;
        self.best.resize(columns * (self.candidates.len() + 1), Gain::default());
        for (row, candidate) in self.candidates.iter().enumerate().rev() {
            for left in 1..columns {
                let without = self.best[(row + 1) * columns + left];
                let with = plus(self.best[candidate.next * columns + left - 1], candidate.gain);
                self.best[row * columns + left] = std::array::from_fn(|k| with[k].max(without[k]));
            }
        }
    }

    /// Whether no limit is out of reach for variables that take `have` away, and `left` more from candidate `from` on.
    fn reaches(&self, from: usize, left: usize, have: Gain) -> bool {
        self.best.is_empty() || enough(plus(have, self.best[from * (self.variables + 1) + left]), self.need)
    }

    /// Adds the rules that have the variables chosen so far and at least one more; `false` if there are too many. More variables
    /// never make the scope smaller.
    fn extend(&mut self, from: usize, left: usize, have: Gain, scope: u32, rules: &mut Rules<'_>) -> bool {
        for number in from..self.candidates.len() {
            if left == 0 || !self.reaches(number, left, have) {
                break;
            }
            if self.steps_left == 0 {
                return false;
            }
            self.steps_left -= 1;
            let Candidate { spans, gain, next, .. } = self.candidates[number];
            let scope = scope + self.scope_with(spans);
            if scope > self.scope {
                continue;
            }
            let have = plus(have, gain);
            self.holes.push(spans);
            let complete = self.add(have, rules) && self.extend(next, left - 1, have, scope, rules);
            self.holes.pop();
            if !complete {
                return false;
            }
        }
        true
    }

    /// What one more variable adds to the scope (Hopkins & Langmead 2010): an end of the rule that is a variable, and each pair of
    /// neighbouring variables.
    fn scope_with(&self, hole: SpanPair) -> u32 {
        let side = |spans: SpanPair| if self.scope_of_source { spans.source } else { spans.target };
        let (top, hole) = (side(self.top), side(hole));
        let beside = |other: &&SpanPair| side(**other).end == hole.start || side(**other).start == hole.end;
        let ends = u32::from(hole.start == top.start) + u32::from(hole.end == top.end);
        ends + self.holes.iter().filter(beside).count() as u32
    }

    /// Adds the rule in which every subtree that can be a variable is one, if it exceeds the limits of composed rules. Words with
    /// dependents that are consistent by themselves would be variables of it in Moses, so that there it is composed.
    fn add_minimal(&mut self, sites: &Sites<'_>, top: &Site, rules: &mut Rules<'_>) {
        let (mut have, mut scope, mut free_heads) = (Gain::default(), 0, sites.free_heads(top));
        let mut number = 0;
        while let Some(&Candidate { spans, gain, free_heads: inside, next }) = self.candidates.get(number) {
            scope += self.scope_with(spans);
            have = plus(have, gain);
            free_heads -= inside;
            self.holes.push(spans);
            number = next;
        }
        let composed = enough(have, self.need);
        if !composed && free_heads == 0 && scope <= self.scope && !self.holes.is_empty() {
            rules.add(self.top, &self.holes);
        }
        self.holes.clear();
    }

    /// Adds the rule with the variables chosen, if it is within the limits; `false` if it would be one too many.
    fn add(&mut self, have: Gain, rules: &mut Rules<'_>) -> bool {
        if !enough(have, self.need) {
            return true;
        }
        if self.rules_left == 0 {
            return false;
        }
        self.rules_left -= 1;
        rules.add(self.top, &self.holes);
        true
    }
}

fn plus(a: Gain, b: Gain) -> Gain {
    std::array::from_fn(|k| a[k] + b[k])
}

fn enough(have: Gain, need: Gain) -> bool {
    have.iter().zip(need).all(|(&have, need)| have >= need)
}
