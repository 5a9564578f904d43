//! How phrases may move and what it costs: the distance jumped, and the lexicalised model `wbe-msd-bidirectional-fe`
//! (Koehn et al. 2005) as Moses scores it.
//!
//! A phrase is scored twice: with its own *backward* scores by where it stands to the phrase before, and with the
//! *forward* scores of the phrase before. The first phrase has a backward score only (as if a phrase ended before the
//! sentence), and the last phrase no forward score.

use super::coverage::Coverage;
use treeglot_models::Guidance;

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

/// Whether a hypothesis may go on with the phrase over `start..end` as far as zones and walls tell: a zone that was begun is
/// finished before anything else, and what stands before a wall comes before what stands after it.
pub fn keeps_bounds(guidance: &Guidance, coverage: Coverage, start: u32, end: u32) -> bool {
    let touches = |from: u32, to: u32| start < to && from < end;
    let zones = guidance.zones.iter().all(|zone| {
        let (within, around) =
            (zone.start <= start && end <= zone.end, start <= zone.start && zone.end <= end);
        if within || around {
            return true;
        }
        let covered = (zone.start..zone.end).filter(|&at| coverage.covers(at)).count();
        !touches(zone.start, zone.end) && (covered == 0 || covered == zone.len())
    });
    let walls = guidance.walls.iter().all(|wall| {
        let after = touches(wall.at, wall.scope.end);
        let before = touches(wall.scope.start, wall.at);
        let done = || (wall.scope.start..wall.at).all(|at| coverage.covers(at));
        !after || (!before && done())
    });
    zones && walls
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_models::Wall;
    use treeglot_tree::Span;

    #[test]
    fn a_zone_is_finished_before_anything_else_and_nothing_comes_early_over_a_wall() {
        let zone = Guidance { zones: vec![Span::new(2, 4)], ..Guidance::default() };
        let begun = Coverage::default().with(2, 3);
        assert!(keeps_bounds(&zone, begun, 3, 4));
        assert!(!keeps_bounds(&zone, begun, 0, 1));
        assert!(!keeps_bounds(&zone, Coverage::default(), 1, 3));
        assert!(keeps_bounds(&zone, Coverage::default(), 1, 5));
        assert!(keeps_bounds(&zone, begun.with(3, 4), 0, 1));
        let wall = Wall { at: 2, scope: Span::new(0, 5) };
        let wall = Guidance { walls: vec![wall], ..Guidance::default() };
        assert!(!keeps_bounds(&wall, Coverage::default(), 2, 3));
        assert!(!keeps_bounds(&wall, Coverage::default(), 1, 3));
        assert!(keeps_bounds(&wall, Coverage::default().with(0, 2), 2, 3));
    }

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
