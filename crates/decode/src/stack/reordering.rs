//! How phrases may move and what it costs: the distance jumped, and the lexicalised model `wbe-msd-bidirectional-fe`
//! (Koehn et al. 2005) as Moses scores it.
//!
//! A phrase is scored twice: with its own *backward* scores by where it stands to the phrase before, and with the
//! *forward* scores of the phrase before. The first phrase has a backward score only (as if a phrase ended before the
//! sentence), and the last phrase no forward score.

use super::coverage::Coverage;

/// Where a phrase stands to the one translated before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Right behind it.
    Monotone,
    /// Right before it.
    Swap,
    /// Anywhere else.
    Discontinuous,
}

/// The source span translated last: what the next phrase is placed against. `start` is `None` where no phrase can
/// stand right before it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Last {
    /// The position behind the span.
    pub end: u32,
    /// Where it begins, if that can still matter.
    pub start: Option<u32>,
}

impl Last {
    /// The span `start..end` in a coverage that has it, as far as it matters for what comes: nothing of it does once
    /// every word is covered, and its start does not once the word before it is covered. Hypotheses that differ only
    /// there recombine.
    pub fn new(start: u32, end: u32, coverage: Coverage, words: u32) -> Self {
        if coverage.gap() == words {
            return Self::default();
        }
        Self { end, start: (start > coverage.gap() && !coverage.covers(start - 1)).then_some(start) }
    }

    /// The distance to a phrase that begins at `start`.
    pub fn jump(self, start: u32) -> u32 {
        self.end.abs_diff(start)
    }

    /// Where the phrase over `start..end` stands.
    pub fn orientation(self, start: u32, end: u32) -> Orientation {
        if start == self.end {
            Orientation::Monotone
        } else if self.start == Some(end) {
            Orientation::Swap
        } else {
            Orientation::Discontinuous
        }
    }
}

/// Whether a hypothesis may go on with the phrase over `start..end`, whose words are free: the jump is within the
/// limit, and so is the one back to the first gap where the phrase leaves it open. No limit allows everything within
/// the window of a coverage.
pub fn allowed(coverage: Coverage, last: Last, start: u32, end: u32, limit: Option<u32>) -> bool {
    let Some(limit) = limit else { return coverage.reaches(start, end) };
    last.jump(start) <= limit && (start == coverage.gap() || end - coverage.gap() <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_follow_the_last_span() {
        let coverage = Coverage::default().with(3, 5);
        let last = Last::new(3, 5, coverage, 9);
        assert_eq!(last.orientation(5, 6), Orientation::Monotone);
        assert_eq!(last.orientation(1, 3), Orientation::Swap);
        assert_eq!(last.orientation(0, 2), Orientation::Discontinuous);
        assert_eq!(last.orientation(6, 7), Orientation::Discontinuous);
        let first = Last::default();
        assert_eq!(first.orientation(0, 2), Orientation::Monotone);
        assert_eq!(first.orientation(1, 2), Orientation::Discontinuous);
    }

    #[test]
    fn a_start_that_no_phrase_can_reach_is_forgotten() {
        let coverage = Coverage::default().with(2, 3).with(3, 5);
        assert_eq!(Last::new(3, 5, coverage, 9), Last { end: 5, start: None });
        assert_eq!(Last::new(0, 2, Coverage::default().with(0, 2), 9).start, None);
        assert_eq!(Last::new(0, 2, Coverage::default().with(0, 2), 2), Last::default());
    }

    #[test]
    fn a_phrase_must_leave_the_first_gap_within_reach() {
        let (start, last) = (Coverage::default(), Last::default());
        assert!(allowed(start, last, 0, 9, Some(6)));
        assert!(allowed(start, last, 4, 6, Some(6)));
        assert!(!allowed(start, last, 4, 7, Some(6)));
        assert!(!allowed(start, last, 1, 2, Some(0)));
        assert!(allowed(start, last, 0, 2, Some(0)));
        assert!(allowed(start, last, 90, 99, None));
        let covered = start.with(1, 6);
        assert!(!allowed(covered, Last::new(1, 6, covered, 30), 0, 1, Some(5)));
    }
}
