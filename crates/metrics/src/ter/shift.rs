//! The greedy search for shifts: as long as moving a phrase of the hypothesis to where the reference has it lowers the
//! edit distance, the best such move is made. Limits and preferences are those of Tercom as sacreBLEU follows it.

use super::edits::{Edits, Operation};
use std::cmp::Reverse;

const MAX_LENGTH: usize = 10;
const MAX_DISTANCE: usize = 50;
const MAX_CANDIDATES: usize = 1000;

/// How many edits turn a hypothesis into a reference, shifts included.
pub fn edits(hypothesis: &[u64], reference: &[u64]) -> u32 {
    if reference.is_empty() {
        return hypothesis.len() as u32;
    }
    let mut search = Search {
        words: hypothesis.to_vec(),
        reference,
        table: Edits::new(hypothesis, reference),
        trial: Edits::new(hypothesis, reference),
        clean: hypothesis.len(),
        shifted: Vec::with_capacity(hypothesis.len()),
        tried: 0,
    };
    let mut shifts = 0;
    while let Some(words) = search.best_shift() {
        search.table.update(&words, 0);
        search.clean = 0;
        search.words = words;
        shifts += 1;
    }
    shifts + search.table.cost()
}

struct Search<'a> {
    words: Vec<u64>,
    reference: &'a [u64],
    /// The edits of `words`.
    table: Edits<'a>,
    /// The edits of `shifted`; the first `clean` rows are those of `table`.
    trial: Edits<'a>,
    clean: usize,
    shifted: Vec<u64>,
    tried: usize,
}

/// A phrase that both sides have.
#[derive(Clone, Copy)]
struct Phrase {
    hypothesis: usize,
    reference: usize,
    length: usize,
}

/// What the edit operations say about single words.
struct Alignment {
    /// For each word of the reference, the last position of the hypothesis up to there, -1 before its beginning.
    positions: Vec<isize>,
    /// Whether a word of the reference is not matched.
    reference_errors: Vec<bool>,
    /// Whether a word of the hypothesis is not matched.
    hypothesis_errors: Vec<bool>,
}

impl Alignment {
    fn new(operations: &[Operation]) -> Self {
        let mut alignment =
            Self { positions: Vec::new(), reference_errors: Vec::new(), hypothesis_errors: Vec::new() };
        let mut position = -1;
        for &operation in operations {
            let wrong = operation != Operation::Keep;
            if operation != Operation::Insert {
                position += 1;
                alignment.hypothesis_errors.push(wrong);
            }
            if operation != Operation::Delete {
                alignment.positions.push(position);
                alignment.reference_errors.push(wrong);
            }
        }
        alignment
    }

    /// Whether moving the phrase could help: it is not right where it is, nor is what stands at its place.
    fn is_worth_a_try(&self, phrase: Phrase) -> bool {
        let Phrase { hypothesis, reference, length } = phrase;
        let position = self.positions[reference];
        let inside = (hypothesis as isize..(hypothesis + length) as isize).contains(&position);
        !inside
            && self.hypothesis_errors[hypothesis..hypothesis + length].contains(&true)
            && self.reference_errors[reference..reference + length].contains(&true)
    }

    /// Where in the hypothesis the phrase could go: before the first word of its counterpart and after each.
    fn targets(&self, phrase: Phrase) -> impl Iterator<Item = usize> {
        let before = match phrase.reference {
            0 => 0,
            reference => self.positions[reference - 1] + 1,
        };
        let within = &self.positions[phrase.reference..phrase.reference + phrase.length];
        let mut last = None;
        std::iter::once(before).chain(within.iter().map(|&position| position + 1)).filter_map(move |target| {
            let again = last == Some(target);
            last = Some(target);
            (!again).then_some(target as usize)
        })
    }
}

/// A phrase and its target, ranked: the greatest gain, then the longest phrase, then the earliest phrase and target.
type Ranked = ((i64, usize, Reverse<usize>, Reverse<usize>), Phrase);

impl Search<'_> {
    /// The hypothesis after the best shift; `None` if no shift helps or too many were tried.
    fn best_shift(&mut self) -> Option<Vec<u64>> {
        let alignment = Alignment::new(&self.table.operations(&self.words));
        let mut best: Option<Ranked> = None;
        for hypothesis in 0..self.words.len() {
            for reference in 0..self.reference.len() {
                for length in 1..=self.common(hypothesis, reference) {
                    let phrase = Phrase { hypothesis, reference, length };
                    if !alignment.is_worth_a_try(phrase) {
                        continue;
                    }
                    for target in alignment.targets(phrase) {
                        let rank = (self.gain(phrase, target), length, Reverse(hypothesis), Reverse(target));
                        if best.is_none_or(|(known, _)| rank > known) {
                            best = Some((rank, phrase));
                        }
                    }
                    if self.tried >= MAX_CANDIDATES {
                        return None;
                    }
                }
            }
        }
        let ((gain, _, _, Reverse(target)), phrase) = best?;
        if gain <= 0 {
            return None;
        }
        let mut words = Vec::with_capacity(self.words.len());
        shift(&self.words, phrase, target, &mut words);
        Some(words)
    }

    /// How many words from here on are the same on both sides, up to the longest phrase that is moved.
    fn common(&self, hypothesis: usize, reference: usize) -> usize {
        if hypothesis.abs_diff(reference) > MAX_DISTANCE {
            return 0;
        }
        let pairs = self.words[hypothesis..].iter().zip(&self.reference[reference..]);
        pairs.take(MAX_LENGTH).take_while(|(a, b)| a == b).count()
    }

    /// How much cheaper the hypothesis gets by a shift.
    fn gain(&mut self, phrase: Phrase, target: usize) -> i64 {
        self.tried += 1;
        shift(&self.words, phrase, target, &mut self.shifted);
        let same = phrase.hypothesis.min(target);
        self.trial.take_rows(&self.table, self.clean, same);
        self.trial.update(&self.shifted, same);
        self.clean = same;
        i64::from(self.table.cost()) - i64::from(self.trial.cost())
    }
}

/// Moves a phrase of `words` to `target`.
fn shift(words: &[u64], phrase: Phrase, target: usize, out: &mut Vec<u64>) {
    let (start, end) = (phrase.hypothesis, phrase.hypothesis + phrase.length);
    let moved = &words[start..end];
    let parts = if target < start {
        [&words[..target], moved, &words[target..start], &words[end..]]
    } else {
        let stop = if target > end { target } else { (phrase.length + target).min(words.len()) };
        [&words[..start], &words[end..stop], moved, &words[stop..]]
    };
    out.clear();
    for part in parts {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_moves_left_right_or_by_its_own_length() {
        let words = [0, 1, 2, 3, 4, 5];
        let phrase = Phrase { hypothesis: 2, reference: 0, length: 2 };
        let moved = |target| {
            let mut out = Vec::new();
            shift(&words, phrase, target, &mut out);
            out
        };
        assert_eq!(moved(0), [2, 3, 0, 1, 4, 5]);
        assert_eq!(moved(6), [0, 1, 4, 5, 2, 3]);
        assert_eq!(moved(2), words);
        assert_eq!(moved(3), [0, 1, 4, 2, 3, 5]);
    }
}
