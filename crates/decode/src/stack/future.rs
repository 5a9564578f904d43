//! What the untranslated words will cost at least, as far as their own options tell (Koehn 2003): the best way to cut
//! each gap into phrases. Hypotheses on one stack are compared by score and future cost.
//!
//! Gaps before the last covered word are as short as the distortion limit, the one behind it reaches to the end of the
//! sentence: so a table of short spans and one of suffixes suffice, and the work is linear in the sentence's length.

use super::coverage::Coverage;

/// The best scores of spans and suffixes of one sentence.
#[derive(Debug, Default)]
pub struct Future {
    words: usize,
    /// The longest gap before a covered word.
    longest: usize,
    /// The best score of each span of up to `longest` words, by start and length.
    spans: Vec<f32>,
    /// The best score of the words from each position on.
    suffixes: Vec<f32>,
}

impl Future {
    /// Fills the tables. `best` gives, for each start, the best option of each length from one word on; every single
    /// word has an option.
    pub fn fill(&mut self, words: usize, longest: usize, best: &[Vec<f32>]) {
        self.words = words;
        self.longest = longest.min(words);
        self.spans.clear();
        self.spans.resize(words * self.longest, f32::NEG_INFINITY);
        self.suffixes.clear();
        self.suffixes.resize(words + 1, f32::NEG_INFINITY);
        self.suffixes[words] = 0.0;
        for start in (0..words).rev() {
            for length in 1..=self.longest.min(words - start) {
                self.spans[start * self.longest + length - 1] = self.cut(start, length, &best[start]);
            }
            let from = |(at, option): (usize, &f32)| option + self.suffixes[start + at + 1];
            self.suffixes[start] = best[start].iter().enumerate().map(from).fold(f32::NEG_INFINITY, f32::max);
        }
    }

    /// The best first option of a span and the best cut of the rest.
    fn cut(&self, start: usize, length: usize, options: &[f32]) -> f32 {
        let split = |(at, option): (usize, &f32)| option + self.span(start + at + 1, length - at - 1);
        options.iter().take(length).enumerate().map(split).fold(f32::NEG_INFINITY, f32::max)
    }

    fn span(&self, start: usize, length: usize) -> f32 {
        match length {
            0 => 0.0,
            _ => self.spans[start * self.longest + length - 1],
        }
    }

    /// The estimate for all words that a coverage leaves open.
    pub fn of(&self, coverage: Coverage) -> f32 {
        let gaps = coverage.gaps().map(|(start, end)| self.span(start as usize, (end - start) as usize));
        gaps.sum::<f32>() + self.suffixes[coverage.end() as usize]
    }

    /// The distance that must still be jumped after a phrase that ended before `last`: to the first gap, and from there
    /// over what is covered already.
    pub fn jumps(&self, coverage: Coverage, last: u32) -> u32 {
        let gap = coverage.gap();
        if gap as usize >= self.words {
            return 0;
        }
        let open: u32 = coverage.gaps().map(|(start, end)| end - start).sum();
        let over = if (coverage.end() as usize) < self.words {
            coverage.end() - gap - open
        } else {
            let last_open = coverage.gaps().last().map_or(gap, |(_, end)| end);
            last_open - gap - open
        };
        gap.abs_diff(last) + over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_cost_their_best_cut() {
        let mut future = Future::default();
        let best = vec![vec![-3.0, -4.0], vec![-2.0, -9.0], vec![-1.0, -0.5], vec![-2.0]];
        future.fill(4, 3, &best);
        assert_eq!(future.of(Coverage::default()), -4.5);
        assert_eq!(future.of(Coverage::default().with(0, 1)), -2.5);
        assert_eq!(future.of(Coverage::default().with(1, 2)), -3.5);
        assert_eq!(future.of(Coverage::default().with(2, 3)), -6.0);
        assert_eq!(future.of(Coverage::default().with(0, 4)), 0.0);
    }

    #[test]
    fn jumps_back_to_the_gap_and_over_what_is_covered_are_still_to_come() {
        let mut future = Future::default();
        future.fill(6, 6, &vec![vec![0.0]; 6]);
        let covered = |spans: &[(u32, u32)]| {
            spans.iter().fold(Coverage::default(), |coverage, &(start, end)| coverage.with(start, end))
        };
        assert_eq!(future.jumps(covered(&[(0, 2)]), 2), 0);
        assert_eq!(future.jumps(covered(&[(2, 4)]), 4), 4 + 2);
        assert_eq!(future.jumps(covered(&[(3, 6)]), 6), 6);
        assert_eq!(future.jumps(covered(&[(2, 3), (4, 6)]), 6), 6 + 1);
        assert_eq!(future.jumps(covered(&[(0, 6)]), 3), 0);
    }
}
