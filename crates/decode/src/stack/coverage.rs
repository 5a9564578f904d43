//! Which source words a hypothesis has translated.
//!
//! A distortion limit keeps translated words close to the first untranslated one, so a coverage is the position of
//! that gap and a window of bits behind it: of one size for sentences of any length.

/// How far behind the first gap words can be covered.
pub const WINDOW: u32 = u128::BITS;

/// A set of source positions: all before the first gap, and some of the [`WINDOW`] positions behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Coverage {
    /// The first position that is not covered.
    gap: u32,
    /// Bit k is position `gap + 1 + k`.
    window: u128,
}

impl Coverage {
    /// All positions before one.
    pub fn before(gap: u32) -> Self {
        Self { gap, window: 0 }
    }

    /// The first position that is not covered; the sentence's length when all are.
    pub fn gap(self) -> u32 {
        self.gap
    }

    /// Whether a position is covered.
    pub fn covers(self, position: u32) -> bool {
        match position.checked_sub(self.gap) {
            None => true,
            Some(0) => false,
            Some(behind) => shift_right(self.window, behind - 1) & 1 == 1,
        }
    }

    /// Whether no position of `start..end` is covered.
    pub fn is_free(self, start: u32, end: u32) -> bool {
        match start.checked_sub(self.gap) {
            None => false,
            Some(0) => self.window & ones(end - start - 1) == 0,
            Some(behind) => shift_right(self.window, behind - 1) & ones(end - start) == 0,
        }
    }

    /// Whether `start..end` can be added: it begins at the gap or ends within the window.
    pub fn reaches(self, start: u32, end: u32) -> bool {
        start == self.gap || end - self.gap <= WINDOW
    }

    /// The coverage with `start..end`, which must be free and within reach.
    pub fn with(self, start: u32, end: u32) -> Self {
        if start != self.gap {
            return Self { window: self.window | ones(end - start) << (start - self.gap - 1), ..self };
        }
        let behind = shift_right(self.window, end - start - 1);
        let run = behind.trailing_ones();
        Self { gap: end + run, window: shift_right(behind, run + 1) }
    }

    /// The position after the last covered one.
    pub fn end(self) -> u32 {
        match self.window {
            0 => self.gap,
            window => self.gap + 1 + WINDOW - window.leading_zeros(),
        }
    }

    /// The runs of positions before [`Coverage::end`] that are not covered, as `start..end`.
    pub fn gaps(self) -> impl Iterator<Item = (u32, u32)> {
        let (mut at, mut rest) = (self.gap, self.window);
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let length = rest.trailing_zeros() + 1;
            let gap = (at, at + length);
            rest = shift_right(rest, length - 1);
            let run = rest.trailing_ones();
            rest = shift_right(rest, run + 1);
            at = gap.1 + run;
            Some(gap)
        })
    }
}

fn ones(count: u32) -> u128 {
    1u128.checked_shl(count).map_or(u128::MAX, |bit| bit - 1)
}

fn shift_right(bits: u128, by: u32) -> u128 {
    bits.checked_shr(by).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same as a plain list of flags.
    fn flags(coverage: Coverage, length: u32) -> Vec<bool> {
        (0..length).map(|at| coverage.covers(at)).collect()
    }

    proptest! {
        #[test]
        fn a_coverage_is_a_set_of_positions(spans in proptest::collection::vec((0u32..100, 1u32..9), 0..30)) {
            let mut coverage = Coverage::default();
            let mut covered = vec![false; 120];
            for (start, length) in spans {
                let end = start + length;
                let free = covered[start as usize..end as usize].iter().all(|&c| !c);
                prop_assert_eq!(coverage.is_free(start, end), free);
                if !free || !coverage.reaches(start, end) {
                    continue;
                }
                coverage = coverage.with(start, end);
                covered[start as usize..end as usize].fill(true);
                prop_assert_eq!(flags(coverage, 120), covered.clone());
                prop_assert_eq!(coverage.gap() as usize, covered.iter().position(|&c| !c).unwrap());
                let last = covered.iter().rposition(|&c| c).unwrap() as u32;
                prop_assert_eq!(coverage.end(), last + 1);
                let open: Vec<u32> = coverage.gaps().flat_map(|(start, end)| start..end).collect();
                let expected: Vec<u32> = (0..=last).filter(|&at| !covered[at as usize]).collect();
                prop_assert_eq!(open, expected);
            }
        }
    }

    #[test]
    fn the_window_moves_with_the_gap_through_any_sentence() {
        let mut coverage = Coverage::default();
        for start in (0..10_000).step_by(2) {
            assert!(coverage.reaches(start + 1, start + 2));
            coverage = coverage.with(start + 1, start + 2).with(start, start + 1);
        }
        assert_eq!((coverage.gap(), coverage.end()), (10_000, 10_000));
    }

    #[test]
    fn what_lies_past_the_window_is_out_of_reach() {
        let coverage = Coverage::default().with(0, 3);
        assert!(coverage.reaches(3, 1000));
        assert!(coverage.reaches(4, 3 + WINDOW));
        assert!(!coverage.reaches(4, 4 + WINDOW));
    }
}
