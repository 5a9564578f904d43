//! The k best coverings of the dependents of a unit by other units, from left to right (Na & Lee 2011, algorithm 1,
//! lines 3 to 8).
//!
//! The paper combines chart cells of neighbouring spans. All that matters of a covering is its size and its arity, so the same
//! k best are found exactly, and without the cube: which sizes there are is found from left to right, with a cell for each position and
//! arity; then the coverings of the best size and arity are spelt out from right to left, none in vain, then those of the next.

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

/// The units whose tops are a run of dependents.
struct Run<'u> {
    start: usize,
    units: &'u [u32],
    /// Which of [`Search::sizes`] are theirs.
    sizes: Range<usize>,
}

/// The units of a run that have so many words.
struct Size {
    words: u32,
    units: Range<usize>,
}

/// Finds coverings; what it keeps of one list of dependents is used again for the next.
#[derive(Default)]
pub struct Covers {
    /// For each position and arity a bit for each size: whether the dependents before can be covered so.
    sums: Vec<u64>,
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
        let (mut runs, mut ends, mut sizes) = (Vec::new(), vec![0], Vec::new());
        for end in 1..=count {
            for start in (end.saturating_sub(max)..end).filter(|&start| start + longest[start] >= end) {
                let units = units_of(&tau[start..end]);
                let first = sizes.len();
                add_sizes(units, &size, &mut sizes);
                if !units.is_empty() {
                    runs.push(Run { start, units, sizes: first..sizes.len() });
                }
            }
            ends.push(runs.len());
        }
        let blocks = view.tree.len() / 64 + 1;
        let last = self.found.len().saturating_add(k);
        let (runs, ends, sizes) = (&runs[..], &ends[..], &sizes[..]);
        let (chosen, places) = (Vec::new(), Vec::new());
        let mut search = Search { runs, ends, sizes, blocks, last, size: 0, chosen, places, covers: self };
        search.sums();
        // The bits of numbers from 0 on are in the order of the numbers.
        let next_of = |size: u32, arity: usize| {
            let score = (f64::from(size) / arity as f64).to_bits();
            u128::from(score) << 64 | u128::from(!(arity as u32)) << 32 | u128::from(size)
        };
        let firsts =
            (1..=count).filter_map(|arity| Some(next_of(search.below(count, arity, u32::MAX)?, arity)));
        let mut next: BinaryHeap<u128> = firsts.collect();
        while let Some(best) = next.pop() {
            let (arity, size) = (!((best >> 32) as u32) as usize, best as u32);
            search.size = size;
            if search.choose(count, arity, size) {
                break;
            }
            next.extend(search.below(count, arity, size).map(|size| next_of(size, arity)));
        }
    }
}

/// Adds the units of each size, the smallest first, of units given from the largest on.
fn add_sizes(units: &[u32], size: impl Fn(u32) -> u32, sizes: &mut Vec<Size>) {
    let mut end = units.len();
    for same in units.chunk_by(|&a, &b| size(a) == size(b)).rev() {
        sizes.push(Size { words: size(same[0]), units: end - same.len()..end });
        end -= same.len();
    }
}

/// Coverings of one size and arity come in the order of where their last units begin, then of how many words are left for the others,
/// the most first; then in the same order of those before them; and last in that of the units themselves.
struct Search<'a, 'u> {
    /// In the order of the positions that they end at.
    runs: &'a [Run<'u>],
    /// How many runs end at each position or before.
    ends: &'a [usize],
    sizes: &'a [Size],
    /// How many numbers the bits of a cell take.
    blocks: usize,
    /// How many coverings are enough.
    last: usize,
    /// The size of the coverings looked for.
    size: u32,
    /// The steps of a covering from the last one on: where they end, and which units they may take.
    chosen: Vec<(usize, &'u [u32])>,
    /// Which unit of each step is the next.
    places: Vec<usize>,
    covers: &'a mut Covers,
}

impl<'a, 'u> Search<'a, 'u> {
    fn cell(&self, end: usize, arity: usize) -> Range<usize> {
        let cell = (end * self.ends.len() + arity) * self.blocks;
        cell..cell + self.blocks
    }

    fn runs(&self, end: usize) -> &'a [Run<'u>] {
        &self.runs[self.ends[end - 1]..self.ends[end]]
    }

    /// Finds which sizes coverings have.
    fn sums(&mut self) {
        let width = self.ends.len();
        self.covers.sums.clear();
        self.covers.sums.resize(width * width * self.blocks, 0);
        self.covers.sums[0] = 1;
        for end in 1..width {
            for arity in 1..=end {
                let cell = self.cell(end, arity);
                for run in self.runs(end) {
                    let before = self.cell(run.start, arity - 1);
                    for size in &self.sizes[run.sizes.clone()] {
                        self.add(before.start, cell.start, size.words as usize);
                    }
                }
            }
        }
    }

    /// Adds the sizes of a cell, each with so many words more, to those of another.
    fn add(&mut self, from: usize, to: usize, words: usize) {
        let (block, bits) = (words / 64, words % 64);
        for number in 0..self.blocks - block {
            let sums = &mut self.covers.sums;
            let moved = sums[from + number];
            sums[to + number + block] |= moved << bits;
            if bits > 0 && number + block + 1 < self.blocks {
                sums[to + number + block + 1] |= moved >> (64 - bits);
            }
        }
    }

    fn reaches(&self, end: usize, arity: usize, size: u32) -> bool {
        let sums = &self.covers.sums[self.cell(end, arity)];
        sums[size as usize / 64] >> (size % 64) & 1 == 1
    }

    /// The largest size of a cell below this one.
    fn below(&self, end: usize, arity: usize, size: u32) -> Option<u32> {
        let sums = &self.covers.sums[self.cell(end, arity)];
        sums.iter().enumerate().rev().find_map(|(block, &bits)| {
            let block = block as u32;
            let bits = match size.saturating_sub(64 * block) {
                all @ 0..64 => bits & ((1 << all) - 1),
                _ => bits,
            };
            (bits > 0).then(|| 64 * block + bits.ilog2())
        })
    }

    /// Finds all coverings of a cell that have this size, as steps before those chosen; whether there are enough now.
    fn choose(&mut self, end: usize, arity: usize, size: u32) -> bool {
        if arity == 0 {
            return self.spell();
        }
        for run in self.runs(end) {
            for own in &self.sizes[run.sizes.clone()] {
                let before = size.checked_sub(own.words);
                if let Some(before) = before.filter(|&before| self.reaches(run.start, arity - 1, before)) {
                    self.chosen.push((end, &run.units[own.units.clone()]));
                    if self.choose(run.start, arity - 1, before) {
                        return true;
                    }
                    self.chosen.pop();
                }
            }
        }
        false
    }

    /// Takes the units of the steps chosen in every way, those of the last step changing first; whether there are enough now.
    fn spell(&mut self) -> bool {
        let Self { chosen, places, size, last, covers, .. } = self;
        places.clear();
        places.resize(chosen.len(), 0);
        loop {
            let first = covers.units.len() as u32;
            let steps = chosen.iter().zip(&*places).rev();
            covers.units.extend(steps.map(|(&(end, units), &place)| (units[place], end as u32)));
            let units = first..covers.units.len() as u32;
            covers.found.push(Covering { size: *size, units });
            if covers.found.len() == *last {
                return true;
            }
            let Some(step) = (0..chosen.len()).find(|&step| places[step] + 1 < chosen[step].1.len()) else {
                return false;
            };
            places[..step].fill(0);
            places[step] += 1;
        }
    }
}
