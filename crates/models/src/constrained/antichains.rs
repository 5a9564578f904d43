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
    /// The most nodes: one for a variable, two for a word.
    pub nodes: Option<u32>,
    /// The most levels of words with dependents.
    pub depth: Option<u32>,
    /// The most words with dependents.
    pub size: Option<u32>,
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
            cut += u64::from(!search.extend(0, search.variables, Gain::default(), rules));
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
    rules_left: u32,
    steps_left: u64,
}

impl Search {
    fn prepare(&mut self, sites: &Sites<'_>, top: &Site, limits: &TreeLimits) {
        let too_deep = limits.depth.map(|depth| top.depth + depth);
        let gain = |site: &Site| {
            [
                site.spans.source.len() as u32 - 1,
                2 * site.words - 1,
                site.inner,
                too_deep.map_or(0, |depth| sites.inner_at_depth(site, depth)),
            ]
        };
        let over = |limit: Option<u32>, has: u32| limit.map_or(0, |limit| has.saturating_sub(limit));
        self.top = top.spans;
        self.need = [
            over(limits.symbols, top.spans.source.len() as u32),
            over(limits.nodes, 2 * top.words),
            over(limits.size, top.inner),
            too_deep.map_or(0, |depth| sites.inner_at_depth(top, depth)),
        ];
        self.candidates.clear();
        let mut ends = Vec::new();
        for site in sites.below(top) {
            ends.push((site.enter, site.enter + site.words));
            self.candidates.push(Candidate { spans: site.spans, gain: gain(site), next: 0 });
        }
        for (candidate, &(_, end)) in self.candidates.iter_mut().zip(&ends) {
            candidate.next = ends.partition_point(|&(enter, _)| enter < end);
        }
        let most = limits.variables.map_or(MOST_VARIABLES, |limit| limit.min(MOST_VARIABLES));
        self.variables = self.candidates.len().min(most as usize);
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

    /// Adds the rules that have the variables chosen so far and at least one more; `false` if there are too many.
    fn extend(&mut self, from: usize, left: usize, have: Gain, rules: &mut Rules<'_>) -> bool {
        for number in from..self.candidates.len() {
            if left == 0 || !self.reaches(number, left, have) {
                break;
            }
            if self.steps_left == 0 {
                return false;
            }
            self.steps_left -= 1;
            let Candidate { spans, gain, next } = self.candidates[number];
            let have = plus(have, gain);
            self.holes.push(spans);
            let complete = self.add(have, rules) && self.extend(next, left - 1, have, rules);
            self.holes.pop();
            if !complete {
                return false;
            }
        }
        true
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
