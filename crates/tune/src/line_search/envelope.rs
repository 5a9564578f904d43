//! The upper envelope of lines: which candidate of a sentence wins where, when all weights move along a direction
//! (Och 2003, section 4). A candidate's score is the line `intercept + step * slope`.
//!
//! Found from the outermost lines inwards: a line that wins somewhere between two winners lies above the point where
//! they cross, so a pass over all candidates at each of the first crossings leaves few of them, and no sorting is needed.

/// A piece of an envelope: from `from` on, up to the next piece, `line` is the highest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Where the piece begins; minus infinity for the first.
    pub from: f64,
    /// The index of the line.
    pub line: u32,
}

/// Buffers that are used again for the next sentence.
#[derive(Debug, Default)]
pub struct Hull {
    above: Vec<u32>,
}

/// Lines as two slices of the same length.
#[derive(Clone, Copy)]
struct Lines<'a> {
    intercepts: &'a [f64],
    slopes: &'a [f64],
}

impl Lines<'_> {
    fn at(&self, line: u32, step: f64) -> f64 {
        let line = line as usize;
        self.intercepts[line] + step * self.slopes[line]
    }

    /// Where two lines cross, and a height that every line between them must exceed there. The margin keeps lines
    /// out that are above by rounding alone.
    fn crossing(&self, left: u32, right: u32) -> (f64, f64) {
        let (l, r) = (left as usize, right as usize);
        let step = (self.intercepts[l] - self.intercepts[r]) / (self.slopes[r] - self.slopes[l]);
        let height = self.at(left, step).max(self.at(right, step));
        (step, height + 1e-12 * (1.0 + height.abs()))
    }
}

impl Lines<'_> {
    /// The lines that win at the far left and at the far right, of equal ones the first.
    fn outermost(&self) -> (u32, u32) {
        let first = (self.slopes[0], self.intercepts[0], 0);
        let (mut left, mut right) = (first, first);
        for (i, (&a, &b)) in self.intercepts.iter().zip(self.slopes).enumerate() {
            if b <= left.0 && (b < left.0 || a > left.1) {
                left = (b, a, i as u32);
            }
            if b >= right.0 && (b > right.0 || a > right.1) {
                right = (b, a, i as u32);
            }
        }
        (left.2, right.2)
    }

    /// The first of the highest lines at `step`, if they are above `height`. Four at a time, so that the loop becomes
    /// vector code.
    fn highest(&self, step: f64, height: f64) -> Option<u32> {
        let (intercepts, rest) = self.intercepts.as_chunks::<4>();
        let (slopes, rest_slopes) = self.slopes.as_chunks::<4>();
        let mut greatest = [height; 4];
        for (a, b) in intercepts.iter().zip(slopes) {
            for lane in 0..4 {
                let here = a[lane] + step * b[lane];
                greatest[lane] = if here > greatest[lane] { here } else { greatest[lane] };
            }
        }
        let here = rest.iter().zip(rest_slopes).map(|(a, b)| a + step * b);
        let greatest = here.chain(greatest).fold(height, f64::max);
        let mut lines = self.intercepts.iter().zip(self.slopes);
        let found = lines.position(|(a, b)| a + step * b == greatest).filter(|_| greatest > height);
        found.map(|line| line as u32)
    }
}

impl Hull {
    /// Writes the upper envelope of the lines to `pieces`, from left to right; of equal lines the first is taken.
    /// There must be at least one line, and all numbers must be finite.
    pub fn upper(&mut self, intercepts: &[f64], slopes: &[f64], pieces: &mut Vec<Piece>) {
        pieces.clear();
        let lines = Lines { intercepts, slopes };
        let (left, right) = lines.outermost();
        pieces.push(Piece { from: f64::NEG_INFINITY, line: left });
        if slopes[left as usize] == slopes[right as usize] {
            return;
        }
        let (step, height) = lines.crossing(left, right);
        let Some(middle) = lines.highest(step, height) else {
            pieces.push(Piece { from: step, line: right });
            return;
        };
        for (l, r) in [(left, middle), (middle, right)] {
            let (step, height) = lines.crossing(l, r);
            self.keep_above(lines, step, height);
            self.between(lines, l, r, step, 0, pieces);
        }
    }

    /// Fills `above` with the lines that are higher than `height` at `step`.
    fn keep_above(&mut self, lines: Lines<'_>, step: f64, height: f64) {
        let count = lines.slopes.len();
        self.above.resize(count.max(self.above.len()), 0);
        let mut kept = 0;
        for (i, (a, b)) in lines.intercepts.iter().zip(lines.slopes).enumerate() {
            self.above[kept] = i as u32;
            kept += usize::from(a + step * b > height);
        }
        self.above.truncate(kept);
    }

    /// Adds the pieces right of the one of `left`, up to that of `right`; the lines from `start` of `above` on are
    /// higher than both where they cross, at `step`.
    fn between(
        &mut self,
        lines: Lines<'_>,
        left: u32,
        right: u32,
        step: f64,
        start: usize,
        pieces: &mut Vec<Piece>,
    ) {
        let end = self.above.len();
        let Some(middle) = self.highest_above(lines, start, step) else {
            let from = pieces.last().map_or(step, |p| step.max(p.from));
            pieces.push(Piece { from, line: right });
            return;
        };
        for (l, r) in [(left, middle), (middle, right)] {
            let (step, height) = lines.crossing(l, r);
            for i in start..end {
                let line = self.above[i];
                if lines.at(line, step) > height {
                    self.above.push(line);
                }
            }
            self.between(lines, l, r, step, end, pieces);
            self.above.truncate(end);
        }
    }

    fn highest_above(&self, lines: Lines<'_>, start: usize, step: f64) -> Option<u32> {
        let mut best = None;
        for &line in &self.above[start..] {
            let height = lines.at(line, step);
            if best.is_none_or(|(_, h)| height > h) {
                best = Some((line, height));
            }
        }
        best.map(|(line, _)| line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn envelope(lines: &[(f64, f64)]) -> Vec<Piece> {
        let (intercepts, slopes): (Vec<f64>, Vec<f64>) = lines.iter().copied().unzip();
        let mut pieces = Vec::new();
        Hull::default().upper(&intercepts, &slopes, &mut pieces);
        pieces
    }

    #[test]
    fn a_line_wins_between_its_crossings_with_its_neighbours() {
        let pieces = envelope(&[(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (0.5, 0.0), (-5.0, 0.9)]);
        let expected = [(f64::NEG_INFINITY, 2), (-1.0, 1), (1.0, 0)];
        assert_eq!(pieces.len(), 3);
        for (piece, (from, line)) in pieces.iter().zip(expected) {
            assert_eq!(*piece, Piece { from, line });
        }
    }

    #[test]
    fn parallel_and_equal_lines_leave_the_first_of_the_highest() {
        assert_eq!(envelope(&[(1.0, 2.0), (3.0, 2.0), (3.0, 2.0)]).len(), 1);
        assert_eq!(envelope(&[(1.0, 2.0), (3.0, 2.0), (3.0, 2.0)])[0].line, 1);
    }

    proptest! {
        #[test]
        fn the_envelope_is_the_highest_line_everywhere(
            lines in proptest::collection::vec((-8i32..8, -5i32..5), 1..40),
            steps in proptest::collection::vec(-30.0f64..30.0, 20),
        ) {
            let lines: Vec<(f64, f64)> =
                lines.into_iter().map(|(a, b)| (f64::from(a) / 2.0, f64::from(b) / 3.0)).collect();
            let pieces = envelope(&lines);
            prop_assert!(pieces.windows(2).all(|w| w[0].from <= w[1].from));
            for step in steps {
                let highest = lines.iter().map(|(a, b)| a + step * b).fold(f64::MIN, f64::max);
                let winner = pieces.iter().rfind(|p| p.from <= step).expect("the first piece begins at the far left");
                let (a, b) = lines[winner.line as usize];
                prop_assert!((a + step * b - highest).abs() < 1e-9, "{step}: {pieces:?}");
            }
        }
    }
}
