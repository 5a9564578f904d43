//! The k best coverings of the dependents of a unit by other units, from left to right (Na & Lee 2011, algorithm 1,
//! lines 3 to 8).
//!
//! The paper combines chart cells of neighbouring spans. All that matters of a covering is its size and its arity, so the same
//! k best are found from left to right with a cell for each position and arity, exactly, and without the cube. The best of each
//! cell are found only as far as they are asked for (Huang & Chiang 2005, algorithm 3).

use super::sets::Key;
use std::collections::BinaryHeap;
use std::ops::Range;
use treeglot_tree::{DepTree, WordIx};

/// A tree with what runs of dependents are looked up by.
pub struct View<'t> {
    /// The tree.
    pub tree: &'t DepTree,
    /// The keys of all subtrees.
    pub subtrees: Vec<Key>,
    /// The place of each word among the dependents of its head.
    ranks: Vec<u32>,
}

impl<'t> View<'t> {
    /// A view of a tree whose subtrees have these keys.
    pub fn new(tree: &'t DepTree, subtrees: Vec<Key>) -> Self {
        let mut ranks = vec![0; tree.len()];
        for head in tree.words() {
            for (rank, word) in (0..).zip(tree.dependents(head)) {
                ranks[word.ix()] = rank;
            }
        }
        Self { tree, subtrees, ranks }
    }

    /// `sigma` and `tau` of a unit: its words whose heads are outside, and the dependents of its words outside.
    pub fn ends(&self, unit: &[WordIx]) -> (Vec<WordIx>, Vec<WordIx>) {
        let inside = |word: &WordIx| unit.binary_search(word).is_ok();
        let top = |word: &WordIx| !self.tree.head(*word).is_some_and(|head| inside(&head));
        let sigma = unit.iter().copied().filter(top).collect();
        let below = unit.iter().flat_map(|&word| self.tree.dependents(word)).copied();
        let mut tau: Vec<WordIx> = below.filter(|word| !inside(word)).collect();
        tau.sort_unstable();
        (sigma, tau)
    }

    /// How many words from the first one on are neighbouring dependents of one head, `most` at most.
    pub fn run(&self, tau: &[WordIx], most: usize) -> usize {
        let follows = |two: &&[WordIx]| {
            self.tree.head(two[0]) == self.tree.head(two[1])
                && self.ranks[two[0].ix()] + 1 == self.ranks[two[1].ix()]
        };
        let longest = 1 + tau.windows(2).take_while(follows).count();
        longest.min(most)
    }

    /// The key of all words below these.
    pub fn below(&self, sigma: &[WordIx]) -> Key {
        sigma.iter().fold(Key::default(), |key, word| key.join(self.subtrees[word.ix()]))
    }
}

/// A finished covering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covering {
    /// How many words its units have.
    size: u32,
    /// Its units, in [`Covers`].
    units: Range<u32>,
}

impl Covering {
    /// `c(e)`: the mean size of its units, so that fewer and larger ones are preferred.
    pub fn score(&self) -> f64 {
        f64::from(self.size) / self.units.len() as f64
    }
}

/// A covering of the first dependents.
#[derive(Debug, Clone, Copy)]
struct Partial {
    /// The words of its units.
    size: u32,
    /// Its last unit.
    unit: u32,
    /// What that one continues: where it ends, and its place in its cell.
    before: (u32, u32),
}

/// A covering that may be the next one of its cell. It is one number, so that one comparison tells which comes first: the largest, then
/// those in the order of where their last unit begins, of the place of what that continues, and of the place of the unit among
/// those of its run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate(u128);

impl Candidate {
    fn new(size: u32, start: u32, place: u32, unit: u32) -> Self {
        let number = |high: u32, low: u32| u128::from(high) << 32 | u128::from(low);
        Self(number(size, !start) << 64 | number(!place, !unit))
    }

    /// Size, start, place and unit.
    fn parts(self) -> [u32; 4] {
        let part = |shift: u32| (self.0 >> shift) as u32;
        [part(96), !part(64), !part(32), !part(0)]
    }
}

/// The coverings of the first dependents by so many units, the largest first.
#[derive(Default)]
struct Cell {
    /// How many words the largest one has; 0 if there is none.
    most: u32,
    found: Vec<Partial>,
    open: BinaryHeap<Candidate>,
    begun: bool,
    /// Where a unit begins of whose candidates the next row is not yet open, and the place of what that row continues.
    pending: Option<(u32, u32)>,
}

/// The units whose tops are a run of dependents.
struct Run<'u> {
    start: u32,
    units: &'u [u32],
}

/// Finds coverings; what it keeps of one list of dependents is used again for the next.
#[derive(Default)]
pub struct Covers {
    cells: Vec<Cell>,
    begun: Vec<usize>,
    asked: Vec<(usize, usize, u32)>,
    /// The coverings found since they were last cleared.
    pub found: Vec<Covering>,
    units: Vec<(u32, u32)>,
}

impl Covers {
    /// Forgets what was found.
    pub fn clear(&mut self) {
        self.found.clear();
        self.units.clear();
    }

    /// The units of a covering, and where in `tau` their runs end.
    pub fn units(&self, covering: &Covering) -> &[(u32, u32)] {
        &self.units[covering.units.start as usize..covering.units.end as usize]
    }

    /// Finds the `k` best coverings of `tau`, best first; of equally good ones, those of fewer units come first. `units_of` has the
    /// units whose tops are a run, the largest first; `size` is what a unit has.
    pub fn best<'u>(
        &mut self,
        view: &View<'_>,
        tau: &[WordIx],
        (max, k): (usize, usize),
        units_of: impl Fn(&[WordIx]) -> &'u [u32],
        size: impl Fn(u32) -> u32,
    ) {
        let count = tau.len();
        let longest: Vec<usize> = (0..count).map(|start| view.run(&tau[start..], max)).collect();
        let (mut runs, mut ends) = (Vec::new(), vec![0]);
        for end in 1..=count {
            for start in (end.saturating_sub(max)..end).filter(|&start| start + longest[start] >= end) {
                let units = units_of(&tau[start..end]);
                if !units.is_empty() {
                    runs.push(Run { start: start as u32, units });
                }
            }
            ends.push(runs.len());
        }
        let mut search = Search { runs: &runs, ends: &ends, size, width: count + 1, covers: self };
        search.largest();
        // The bits of numbers from 0 on are in the order of the numbers.
        let next_of = |size: u32, arity: usize, place: u32| {
            let score = (f64::from(size) / arity as f64).to_bits();
            u128::from(score) << 64 | u128::from(!(arity as u32)) << 32 | u128::from(place)
        };
        let firsts = (1..=count).map(|arity| (search.covers.cells[search.cell(count, arity)].most, arity));
        let firsts = firsts.filter(|&(most, _)| most > 0);
        let mut next: BinaryHeap<_> = firsts.map(|(most, arity)| next_of(most, arity, 0)).collect();
        for _ in 0..k {
            let Some(best) = next.pop() else { break };
            let (arity, place) = (!((best >> 32) as u32) as usize, best as u32);
            search.trace(count, arity, place);
            let following = search.find(count, arity, place + 1);
            next.extend(following.map(|following| next_of(following.size, arity, place + 1)));
        }
        search.forget();
    }
}

struct Search<'a, 'u, S> {
    /// In the order of the positions that they end at.
    runs: &'a [Run<'u>],
    /// How many runs end at each position or before.
    ends: &'a [usize],
    size: S,
    width: usize,
    covers: &'a mut Covers,
}

impl<'a, 'u, S: Fn(u32) -> u32> Search<'a, 'u, S> {
    fn cell(&self, end: usize, arity: usize) -> usize {
        end * self.width + arity
    }

    fn runs(&self, end: usize) -> &'a [Run<'u>] {
        &self.runs[self.ends[end - 1]..self.ends[end]]
    }

    /// Finds how many words the largest covering of each cell has.
    fn largest(&mut self) {
        if self.covers.cells.len() < self.width * self.width {
            self.covers.cells.resize_with(self.width * self.width, Cell::default);
        }
        for end in 1..self.width {
            for arity in 1..=end {
                let most = self.runs(end).iter().filter_map(|run| self.most(run, arity)).max().unwrap_or(0);
                let cell = self.cell(end, arity);
                self.covers.cells[cell].most = most;
            }
        }
    }

    /// How many words the largest covering has whose last unit, of this run, is its `arity`th.
    fn most(&self, run: &Run<'u>, arity: usize) -> Option<u32> {
        let (start, before) = (run.start as usize, arity - 1);
        let most = match before {
            0 => (start == 0).then_some(0),
            _ => (before <= start)
                .then(|| self.covers.cells[self.cell(start, before)].most)
                .filter(|&most| most > 0),
        };
        Some(most? + (self.size)(run.units[0]))
    }

    /// Opens the candidates of a cell that continue the largest coverings.
    fn begin(&mut self, end: usize, arity: usize) {
        let number = self.cell(end, arity);
        self.covers.begun.push(number);
        self.covers.cells[number].begun = true;
        for run in self.runs(end) {
            let candidate = self.most(run, arity).map(|most| Candidate::new(most, run.start, 0, 0));
            self.covers.cells[number].open.extend(candidate);
        }
    }

    /// Finds the next one of a cell, if there is one, all of whose rows are open.
    fn advance(&mut self, end: usize, arity: usize) {
        let cell = self.cell(end, arity);
        let Some(best) = self.covers.cells[cell].open.pop() else { return };
        let [size, start, place, unit] = best.parts();
        let run = self.runs(end).iter().find(|run| run.start == start);
        let units = run.map_or(&[][..], |run| run.units);
        let new = Partial { size, unit: units[unit as usize], before: (start, place) };
        let following = units.get(unit as usize + 1).map(|&following| {
            let size = size - (self.size)(new.unit) + (self.size)(following);
            Candidate::new(size, start, place, unit + 1)
        });
        let cell = &mut self.covers.cells[cell];
        cell.found.push(new);
        cell.open.extend(following);
        cell.pending = (unit == 0 && start > 0).then_some((start, place + 1));
    }

    /// What stands at this place of a cell, which is found if need be, and with it what it is made of.
    fn find(&mut self, end: usize, arity: usize, place: u32) -> Option<Partial> {
        let known = self.covers.cells[self.cell(end, arity)].found.get(place as usize);
        if let Some(&known) = known {
            return Some(known);
        }
        let mut asked = std::mem::take(&mut self.covers.asked);
        asked.push((end, arity, place));
        while let Some(&(end, arity, place)) = asked.last() {
            let number = self.cell(end, arity);
            if !self.covers.cells[number].begun {
                self.begin(end, arity);
            }
            let cell = &self.covers.cells[number];
            if cell.found.len() > place as usize {
                asked.pop();
            } else if let Some(row) = cell.pending {
                if !self.open(end, arity, row) {
                    asked.push((row.0 as usize, arity - 1, row.1));
                }
            } else if cell.open.is_empty() {
                asked.pop();
            } else {
                self.advance(end, arity);
            }
        }
        self.covers.asked = asked;
        self.covers.cells[self.cell(end, arity)].found.get(place as usize).copied()
    }

    /// Opens a row, the candidates whose units begin here and continue what stands at this place, if anything does; `false` if that is not
    /// known yet.
    fn open(&mut self, end: usize, arity: usize, (start, place): (u32, u32)) -> bool {
        let before = &self.covers.cells[self.cell(start as usize, arity - 1)];
        let found = before.found.get(place as usize).map(|partial| partial.size);
        if found.is_none() && !(before.begun && before.pending.is_none() && before.open.is_empty()) {
            return false;
        }
        let run = self.runs(end).iter().find(|run| run.start == start);
        let candidate = found
            .zip(run)
            .map(|(size, run)| Candidate::new(size + (self.size)(run.units[0]), start, place, 0));
        let number = self.cell(end, arity);
        let cell = &mut self.covers.cells[number];
        cell.open.extend(candidate);
        cell.pending = None;
        true
    }

    /// Adds a covering of all dependents to those found.
    fn trace(&mut self, end: usize, arity: usize, place: u32) {
        let (mut end, mut place) = (end, place);
        let (mut size, first) = (0, self.covers.units.len());
        for arity in (1..=arity).rev() {
            let Some(step) = self.find(end, arity, place) else { break };
            size = size.max(step.size);
            self.covers.units.push((step.unit, end as u32));
            (end, place) = (step.before.0 as usize, step.before.1);
        }
        self.covers.units[first..].reverse();
        let units = first as u32..self.covers.units.len() as u32;
        self.covers.found.push(Covering { size, units });
    }

    /// Makes all cells ready for other dependents.
    fn forget(&mut self) {
        for cell in self.covers.begun.drain(..) {
            let cell = &mut self.covers.cells[cell];
            cell.found.clear();
            cell.open.clear();
            (cell.begun, cell.pending) = (false, None);
        }
    }
}
