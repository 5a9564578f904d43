//! What the variables of a matched source side stand for: the best ways to fill them, by the sum of the estimates of what they are
//! filled with. All ways to match one source side over one span go on alike, so that a worse way never overtakes a better one.

use crate::forest::NodeIx;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A way to fill the variables so far: that of the variables before the last one, and what the last one is filled with.
#[derive(Debug, Clone, Copy)]
pub struct Fill {
    /// The estimates of what fills the variables, together.
    pub estimate: f32,
    before: u32,
    tail: NodeIx,
}

/// Ways to fill variables, best first.
pub type Fillings = Range<u32>;

/// One more variable behind a source side that was matched with these ways to fill the variables before.
#[derive(Debug, Clone)]
pub struct Longer {
    /// The ways to fill the variables before.
    pub before: Fillings,
    /// What fills it.
    pub tail: NodeIx,
    /// The estimate of that.
    pub estimate: f32,
}

/// An arena of them.
#[derive(Debug, Default)]
pub struct Fills {
    fills: Vec<Fill>,
    queue: BinaryHeap<Next>,
    longer: Vec<Longer>,
}

/// The best way of a [`Longer`] that was not taken yet.
#[derive(Debug, PartialEq)]
struct Next {
    estimate: f32,
    longer: u32,
    rank: u32,
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        let number = |next: &Self| (next.longer, next.rank);
        self.estimate.total_cmp(&other.estimate).then(number(other).cmp(&number(self)))
    }
}

/// The way to fill no variable.
pub const NOTHING: Fillings = 0..1;

impl Fills {
    /// Forgets everything but the way to fill no variable.
    pub fn clear(&mut self) {
        self.fills.clear();
        self.fills.push(Fill { estimate: 0.0, before: NOTHING.start, tail: NodeIx(u32::MAX) });
    }

    /// A way to fill variables by number.
    pub fn get(&self, fill: u32) -> &Fill {
        &self.fills[fill as usize]
    }

    /// What fills the variables, the last one first.
    pub fn tails(&self, fill: u32) -> impl Iterator<Item = NodeIx> {
        let known = |fill: u32| (!NOTHING.contains(&fill)).then_some(fill);
        let all = std::iter::successors(known(fill), move |&fill| known(self.get(fill).before));
        all.map(|fill| self.get(fill).tail)
    }

    /// The best ways to fill one more variable, so many at most.
    pub fn lengthen(&mut self, longer: impl Iterator<Item = Longer>, most: usize) -> Fillings {
        self.longer.clear();
        self.longer.extend(longer);
        let start = self.fills.len() as u32;
        let all: usize = self.longer.iter().map(|longer| longer.before.len()).sum();
        if all > most {
            self.take_best(most);
        } else {
            for longer in &self.longer {
                for before in longer.before.clone() {
                    self.fills.push(fill(&self.fills, before, longer));
                }
            }
            self.fills[start as usize..].sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        }
        start..self.fills.len() as u32
    }

    /// Takes the best from lists that are sorted already.
    fn take_best(&mut self, most: usize) {
        let Self { fills, queue, longer } = self;
        queue.clear();
        let next = |fills: &[Fill], number: u32, rank: u32| {
            let longer: &Longer = &longer[number as usize];
            let before = longer.before.start + rank;
            let estimate = fills[before as usize].estimate + longer.estimate;
            longer.before.contains(&before).then_some(Next { estimate, longer: number, rank })
        };
        queue.extend((0..longer.len() as u32).filter_map(|number| next(fills, number, 0)));
        for _ in 0..most {
            let Some(best) = queue.pop() else { return };
            let longer = &longer[best.longer as usize];
            fills.push(fill(fills, longer.before.start + best.rank, longer));
            queue.extend(next(fills, best.longer, best.rank + 1));
        }
    }
}

fn fill(fills: &[Fill], before: u32, longer: &Longer) -> Fill {
    let estimate = fills[before as usize].estimate + longer.estimate;
    Fill { estimate, before, tail: longer.tail }
}
