//! The k best coverings of the dependents of a unit by other units, from left to right (Na & Lee 2011, algorithm 1,
//! lines 3 to 8).
//!
//! The paper combines chart cells of neighbouring spans. All that matters of a covering is its size and its arity, so the same
//! k best are found from left to right with a cell for each position and arity, exactly, and without the cube.

use super::sets::Key;
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

/// A covering of dependents, as a list of steps.
#[derive(Debug, Clone, Copy)]
struct Partial {
    /// The words of its units.
    size: u32,
    /// The step before; its place in the cell that this one continues.
    before: (u32, u32, u32),
    /// The unit of the last step.
    unit: u32,
}

/// A finished covering: the sum of its units' sizes, and its units with the positions they begin at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covering {
    /// How many words its units have.
    pub size: u32,
    /// The units, and where in `tau` their runs end.
    pub units: Vec<(u32, u32)>,
}

impl Covering {
    /// `c(e)`: the mean size of its units, so that fewer and larger ones are preferred.
    pub fn score(&self) -> f64 {
        f64::from(self.size) / self.units.len() as f64
    }
}

/// The `k` best coverings of `tau`, best first; of equally good ones, those of fewer units come first. `units_of` has the
/// units whose tops are a run, the largest first; `size` is what a unit has.
pub fn best_covers<'u>(
    view: &View<'_>,
    tau: &[WordIx],
    (max, k): (usize, usize),
    units_of: impl Fn(&[WordIx]) -> &'u [u32],
    size: impl Fn(u32) -> u32,
) -> Vec<Covering> {
    let count = tau.len();
    let mut cells: Vec<Vec<Vec<Partial>>> = vec![vec![Vec::new(); count + 1]; count + 1];
    cells[0][0].push(Partial { size: 0, before: (0, 0, 0), unit: 0 });
    for at in 0..count {
        let longest = view.run(&tau[at..], max);
        let (done, open) = cells.split_at_mut(at + 1);
        for (arity, cell) in done[at].iter_mut().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            cell.sort_by_key(|partial| std::cmp::Reverse(partial.size));
            cell.truncate(k);
            for length in 1..=longest {
                let units = units_of(&tau[at..at + length]);
                let next = &mut open[length - 1][arity + 1];
                // What is worse than k others in both lists is not among the k best sums.
                for (i, partial) in cell.iter().enumerate().take_while(|(i, _)| *i < k) {
                    let before = (at as u32, arity as u32, i as u32);
                    let new = units.iter().take(k / (i + 1)).map(|&unit| Partial {
                        size: partial.size + size(unit),
                        before,
                        unit,
                    });
                    next.extend(new);
                }
            }
        }
    }
    let mut coverings: Vec<Covering> = Vec::new();
    for arity in 1..=count {
        let mut cell = std::mem::take(&mut cells[count][arity]);
        cell.sort_by_key(|partial| std::cmp::Reverse(partial.size));
        coverings.extend(cell.iter().take(k).map(|last| trace(&cells, *last, count as u32)));
    }
    coverings.sort_by(|a, b| b.score().total_cmp(&a.score()));
    coverings.truncate(k);
    coverings
}

fn trace(cells: &[Vec<Vec<Partial>>], last: Partial, end: u32) -> Covering {
    let (mut step, mut end) = (last, end);
    let mut units = Vec::new();
    while end > 0 {
        units.push((step.unit, end));
        let (at, arity, place) = step.before;
        step = cells[at as usize][arity as usize][place as usize];
        end = at;
    }
    units.reverse();
    Covering { size: last.size, units }
}
