//! Cube pruning over stacks (Chiang 2007; for phrases, Huang & Chiang 2007).
//!
//! Vertices with one coverage and last span, and the options of a span they may go on with, make a grid, sorted by score
//! on both sides. The cells of all grids that lead to a stack wait in one queue, at first by what is known without the
//! words before. When a cell's turn comes its words are looked up; it is taken if it still is the best, and waits again
//! otherwise.

use super::context::Context;
use super::hypotheses::{Expansion, Hypotheses};
use super::search::{Search, Spoken};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A grid of cells: some vertices of a stack, and the options of a span.
pub struct Grid {
    /// The vertices, by their place among the members of all groups.
    pub members: Range<u32>,
    /// The span.
    pub expansion: Expansion,
}

/// A cell of a grid, ordered by what is known of it.
#[derive(Clone, Copy)]
pub struct Cell {
    estimate: f32,
    grid: u32,
    member: u32,
    option: u32,
    spoken: Option<Spoken>,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |cell: &Self| (cell.grid, cell.member, cell.option);
        self.estimate.total_cmp(&other.estimate).then_with(|| place(other).cmp(&place(self)))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The cells that lead to one stack.
struct Queue<'a> {
    grids: &'a [Grid],
    cells: BinaryHeap<Cell>,
}

impl Queue<'_> {
    /// Adds a cell by what is known without its words.
    fn push(&mut self, grid: u32, member: u32, option: u32, members: &[u32], hypotheses: &Hypotheses) {
        let expansion = &self.grids[grid as usize].expansion;
        let score = hypotheses.score(members[member as usize], expansion, option);
        self.cells.push(Cell { estimate: score + expansion.future, grid, member, option, spoken: None });
    }

    /// Adds the neighbours of a cell: each cell is the neighbour of one other, or the first of its grid.
    fn push_neighbours(&mut self, cell: &Cell, members: &[u32], hypotheses: &Hypotheses) {
        let grid = &self.grids[cell.grid as usize];
        let (options, end) = (grid.expansion.span.options(), grid.members.end);
        if cell.option + 1 < options.end {
            self.push(cell.grid, cell.member, cell.option + 1, members, hypotheses);
        }
        if cell.option == options.start && cell.member + 1 < end {
            self.push(cell.grid, cell.member + 1, cell.option, members, hypotheses);
        }
    }
}

impl<C: Context> Search<'_, C> {
    /// Takes the most promising cells that lead to a stack.
    pub(super) fn pop(&mut self, stack: usize, pops: usize) {
        let grids = std::mem::take(&mut self.stacks.grids[stack]);
        let mut cells = std::mem::take(&mut self.stacks.cells);
        cells.clear();
        let mut queue = Queue { grids: &grids, cells };
        for (number, grid) in grids.iter().enumerate() {
            let first = grid.expansion.span.options().start;
            queue.push(number as u32, grid.members.start, first, &self.stacks.members, self.hypotheses);
        }
        let mut taken = 0;
        while taken < pops {
            let Some(mut cell) = queue.cells.pop() else { break };
            let expansion = &grids[cell.grid as usize].expansion;
            let vertex = self.stacks.members[cell.member as usize];
            let spoken = match cell.spoken {
                Some(spoken) => spoken,
                None => {
                    let Some(spoken) = self.speak(vertex, cell.option) else { continue };
                    cell.spoken = Some(spoken);
                    cell.estimate += spoken.change;
                    if queue.cells.peek().is_some_and(|best| *best > cell) {
                        queue.cells.push(cell);
                        continue;
                    }
                    spoken
                }
            };
            queue.push_neighbours(&cell, &self.stacks.members, self.hypotheses);
            self.take(stack, vertex, expansion, cell.option, spoken);
            taken += 1;
        }
        self.stacks.cells = queue.cells;
    }
}
