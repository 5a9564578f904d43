//! Edit distance near the diagonal, with the operations that give it. Rows are words of the hypothesis, columns words
//! of the reference.

/// Only cells this near the diagonal are looked at, as in Tercom.
const BEAM: usize = 25;

/// The cost of a cell that was not looked at.
const FAR: u32 = 1 << 29;

/// What turns the hypothesis into the reference, word by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The words are the same.
    Keep,
    /// A word becomes another.
    Substitute,
    /// A word of the reference is missing in the hypothesis.
    Insert,
    /// A word of the hypothesis has no counterpart.
    Delete,
}

/// The costs of all prefixes of a hypothesis against all prefixes of a reference.
pub struct Edits<'a> {
    reference: &'a [u64],
    width: usize,
    costs: Vec<u32>,
}

impl<'a> Edits<'a> {
    /// The table for a hypothesis.
    pub fn new(hypothesis: &[u64], reference: &'a [u64]) -> Self {
        let width = reference.len() + 1;
        let mut costs = vec![FAR; width * (hypothesis.len() + 1)];
        for (cost, cell) in (0..).zip(&mut costs[..width]) {
            *cell = cost;
        }
        let mut edits = Self { reference, width, costs };
        edits.update(hypothesis, 0);
        edits
    }

    /// The cost of the whole hypothesis.
    pub fn cost(&self) -> u32 {
        self.costs[self.costs.len() - 1]
    }

    /// Fills the rows anew that come after the first `same` words of a hypothesis as long as the one before.
    pub fn update(&mut self, hypothesis: &[u64], same: usize) {
        let rows = hypothesis.len();
        let ratio = if rows == 0 { 1.0 } else { self.reference.len() as f64 / rows as f64 };
        // Where the lengths differ so much that neighbouring rows would not overlap, the beam is wider.
        let beam =
            if (BEAM as f64) < ratio / 2.0 { (ratio / 2.0 + BEAM as f64).ceil() as usize } else { BEAM };
        for row in same + 1..=rows {
            let diagonal = (row as f64 * ratio).floor() as usize;
            let first = diagonal.saturating_sub(beam);
            let end = if row == rows { self.width } else { self.width.min(diagonal + beam) };
            self.fill(row, hypothesis[row - 1], first, end);
        }
    }

    /// Takes over the rows after `from` words up to `to` words of another table of this shape.
    pub fn take_rows(&mut self, other: &Self, from: usize, to: usize) {
        if from < to {
            let rows = (from + 1) * self.width..(to + 1) * self.width;
            self.costs[rows.clone()].copy_from_slice(&other.costs[rows]);
        }
    }

    fn fill(&mut self, row: usize, word: u64, first: usize, end: usize) {
        let (before, this) = self.costs.split_at_mut(row * self.width);
        let above = &before[(row - 1) * self.width..];
        let this = &mut this[..self.width];
        let mut left = FAR;
        for column in first..end {
            let mut cost = (above[column] + 1).min(left + 1).min(FAR);
            if column > 0 {
                let differ = u32::from(word != self.reference[column - 1]);
                cost = cost.min(above[column - 1] + differ);
            }
            this[column] = cost;
            left = cost;
        }
    }

    /// The operations of the least cost, from the first word on. Of equal ones, keeping or substituting comes before
    /// deleting, and deleting before inserting.
    pub fn operations(&self, hypothesis: &[u64]) -> Vec<Operation> {
        let (mut row, mut column) = (hypothesis.len(), self.reference.len());
        let at = |row: usize, column: usize| self.costs[row * self.width + column];
        let mut operations = Vec::with_capacity(row + column);
        while row > 0 || column > 0 {
            let cost = at(row, column);
            let operation = if row == 0 {
                Operation::Insert
            } else if column > 0
                && hypothesis[row - 1] == self.reference[column - 1]
                && cost == at(row - 1, column - 1)
            {
                Operation::Keep
            } else if column > 0
                && hypothesis[row - 1] != self.reference[column - 1]
                && cost == at(row - 1, column - 1) + 1
            {
                Operation::Substitute
            } else if cost == at(row - 1, column) + 1 {
                Operation::Delete
            } else {
                Operation::Insert
            };
            operations.push(operation);
            row -= usize::from(operation != Operation::Insert);
            column -= usize::from(operation != Operation::Delete);
        }
        operations.reverse();
        operations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn levenshtein(a: &[u64], b: &[u64]) -> u32 {
        match (a.split_last(), b.split_last()) {
            (None, _) => b.len() as u32,
            (_, None) => a.len() as u32,
            (Some((x, rest)), Some((y, other))) => {
                let substituted = levenshtein(rest, other) + u32::from(x != y);
                substituted.min(levenshtein(rest, b) + 1).min(levenshtein(a, other) + 1)
            }
        }
    }

    proptest! {
        #[test]
        fn short_sentences_get_the_plain_edit_distance_and_as_many_operations(
            hypothesis in proptest::collection::vec(0u64..4, 0..6),
            reference in proptest::collection::vec(0u64..4, 0..6),
        ) {
            let edits = Edits::new(&hypothesis, &reference);
            prop_assert_eq!(edits.cost(), levenshtein(&hypothesis, &reference));
            let operations = edits.operations(&hypothesis);
            let changes = operations.iter().filter(|&&o| o != Operation::Keep).count();
            prop_assert_eq!(changes as u32, edits.cost());
        }
    }
}
