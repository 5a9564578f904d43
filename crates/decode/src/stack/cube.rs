//! Cube pruning over stacks (Chiang 2007; for phrases, Huang & Chiang 2007).
//!
//! Vertices with one coverage and last span, and the options of a span they may go on with, make a grid, sorted by score
//! on both sides. The cells of all grids that lead to a stack wait in one queue, at first by what is known without the
//! words before. When a cell's turn comes its words are looked up; it is taken if it still is the best, and waits again
//! otherwise.

use super::context::Context;
use super::hypotheses::Expansion;
use super::search::{Search, Spoken};
use crate::searched::{key, number_of};
use std::collections::BinaryHeap;
use std::ops::Range;

/// A grid of cells: some vertices of a stack, and the options of a span.
pub struct Grid {
    /// The vertices, by their place among the members of all groups.
    pub members: Range<u32>,
    /// The span.
    pub expansion: Expansion,
}

/// A cell of a grid.
#[derive(Clone, Copy)]
pub struct Cell {
    grid: u32,
    member: u32,
    option: u32,
    spoken: Option<Spoken>,
}

/// The cells that lead to one stack; owned by a thread.
#[derive(Default)]
pub struct Queue {
    keys: BinaryHeap<u64>,
    cells: Vec<Cell>,
}

impl Queue {
    fn push(&mut self, estimate: f32, cell: Cell) {
        self.keys.push(key(estimate, self.cells.len() as u32));
        self.cells.push(cell);
    }

    fn pop(&mut self) -> Option<Cell> {
        let key = self.keys.pop()?;
        Some(self.cells[number_of(key) as usize])
    }

    /// Whether a cell with this estimate would come next.
    fn is_best(&self, estimate: f32) -> bool {
        self.keys.peek().is_none_or(|&best| best < key(estimate, self.cells.len() as u32))
    }
}

impl<C: Context> Search<'_, C> {
    /// Takes the most promising cells that lead to a stack.
    pub(super) fn pop(&mut self, stack: usize, pops: usize) {
        let mut grids = std::mem::take(&mut self.stacks.grids[stack]);
        let mut queue = std::mem::take(&mut self.stacks.queue);
        queue.keys.clear();
        queue.cells.clear();
        for (number, grid) in grids.iter().enumerate() {
            let first = grid.expansion.span.options().start;
            self.push(number as u32, grid, grid.members.start, first, &mut queue);
        }
        let mut taken = 0;
        while taken < pops {
            let Some(cell) = queue.pop() else { break };
            let grid = &grids[cell.grid as usize];
            let vertex = self.stacks.members[cell.member as usize];
            let spoken = match cell.spoken {
                Some(spoken) => spoken,
                None => {
                    let Some(spoken) = self.speak(vertex, cell.option) else { continue };
                    let score = self.score(vertex, &grid.expansion, cell.option) + spoken.change;
                    let estimate = score + grid.expansion.future;
                    if !queue.is_best(estimate) {
                        queue.push(estimate, Cell { spoken: Some(spoken), ..cell });
                        continue;
                    }
                    spoken
                }
            };
            self.push_neighbours(&cell, grid, &mut queue);
            self.take(stack, vertex, &grid.expansion, cell.option, spoken);
            taken += 1;
        }
        grids.clear();
        self.stacks.grids[stack] = grids;
        self.stacks.queue = queue;
    }

    /// Adds a cell by what is known without its words.
    fn push(&self, number: u32, grid: &Grid, member: u32, option: u32, queue: &mut Queue) {
        let vertex = self.stacks.members[member as usize];
        let estimate = self.score(vertex, &grid.expansion, option) + grid.expansion.future;
        queue.push(estimate, Cell { grid: number, member, option, spoken: None });
    }

    /// Adds the neighbours of a cell: each cell is the neighbour of one other, or the first of its grid.
    fn push_neighbours(&self, cell: &Cell, grid: &Grid, queue: &mut Queue) {
        let options = grid.expansion.span.options();
        if cell.option + 1 < options.end {
            self.push(cell.grid, grid, cell.member, cell.option + 1, queue);
        }
        if cell.option == options.start && cell.member + 1 < grid.members.end {
            self.push(cell.grid, grid, cell.member + 1, cell.option, queue);
        }
    }
}
