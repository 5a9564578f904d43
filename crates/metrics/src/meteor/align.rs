//! METEOR's alignment: of all matches, those that cover most words in fewest chunks, found by a beam search from left
//! to right over the reference. It follows the original step by step, with what it counts and what it leaves out.

use super::matches::{Match, Matches, Module};
use std::cmp::Reverse;

const BEAM: usize = 40;

/// The matches that were chosen, in the order of the reference.
pub fn align(matches: &Matches) -> Vec<Match> {
    let mut search = Search { matches, fixed: fixed(matches), history: Vec::new() };
    let best = search.run();
    let mut chosen: Vec<Match> = search.fixed.iter().flatten().copied().collect();
    let mut at = best;
    while let Some(ix) = at {
        let (before, found) = search.history[ix];
        chosen.push(found);
        at = before;
    }
    chosen.sort_by_key(|found| found.start);
    chosen
}

/// How many runs of matches are contiguous and in the same order in both sentences.
pub fn chunks(chosen: &[Match]) -> usize {
    let follows = |pair: &&[Match]| {
        pair[1].start == pair[0].start + pair[0].length
            && pair[1].hyp_start == pair[0].hyp_start + pair[0].hyp_length
    };
    chosen.len() - chosen.windows(2).filter(follows).count()
}

/// The matches without alternative, by where they start.
fn fixed(matches: &Matches) -> Vec<Option<Match>> {
    let definite = |starting: &Vec<Match>| match starting[..] {
        [only] => {
            let covered = &matches.coverage[only.start..only.start + only.length];
            let hyp_covered = &matches.hyp_coverage[only.hyp_start..only.hyp_start + only.hyp_length];
            covered.iter().chain(hyp_covered).all(|&times| times == 1).then_some(only)
        }
        _ => None,
    };
    matches.starting.iter().map(definite).collect()
}

/// Words of a sentence, as bits.
#[derive(Clone)]
struct Used(Vec<u64>);

impl Used {
    fn new(words: usize) -> Self {
        Self(vec![0; words.div_ceil(64)])
    }

    fn has(&self, mut words: std::ops::Range<usize>) -> bool {
        words.any(|word| self.0[word / 64] >> (word % 64) & 1 == 1)
    }

    fn add(&mut self, words: std::ops::Range<usize>) {
        for word in words {
            self.0[word / 64] |= 1 << (word % 64);
        }
    }
}

/// A partial alignment.
#[derive(Clone)]
struct Path {
    /// The words covered on both sides; phrases that are not the same word count half, rounded down.
    covered: usize,
    chunks: usize,
    /// The first word of the reference that was not looked at.
    next: usize,
    /// Where the last match ended in the hypothesis, if the word before `next` belongs to it.
    last_end: Option<usize>,
    /// How far matches moved.
    distance: usize,
    used: Used,
    hyp_used: Used,
    /// The last match that was chosen, in [`Search::history`].
    history: Option<usize>,
}

impl Path {
    fn rank(&self) -> (Reverse<usize>, usize, usize) {
        (Reverse(self.covered), self.chunks, self.distance)
    }

    fn take(&mut self, found: &Match) {
        let half = if found.module == Module::Exact { 1 } else { 2 };
        self.covered += found.hyp_length / half + found.length / half;
        if self.last_end.is_some_and(|end| end != found.hyp_start) {
            self.chunks += 1;
        }
        self.next = found.start + found.length;
        self.last_end = Some(found.hyp_start + found.hyp_length);
    }

    fn close_chunk(&mut self) {
        if self.last_end.take().is_some() {
            self.chunks += 1;
        }
    }

    fn mark(&mut self, found: &Match) {
        self.used.add(found.start..found.start + found.length);
        self.hyp_used.add(found.hyp_start..found.hyp_start + found.hyp_length);
    }

    fn is_free(&self, found: &Match) -> bool {
        !self.used.has(found.start..found.start + found.length)
            && !self.hyp_used.has(found.hyp_start..found.hyp_start + found.hyp_length)
    }
}

struct Search<'a> {
    matches: &'a Matches,
    fixed: Vec<Option<Match>>,
    /// Chosen matches, each with the one chosen before.
    history: Vec<(Option<usize>, Match)>,
}

impl Search<'_> {
    /// The last choice of the best alignment.
    fn run(&mut self) -> Option<usize> {
        let length = self.fixed.len();
        let mut start = Path {
            covered: 0,
            chunks: 0,
            next: 0,
            last_end: None,
            distance: 0,
            used: Used::new(length),
            hyp_used: Used::new(self.matches.hyp_coverage.len()),
            history: None,
        };
        self.fixed.iter().flatten().for_each(|found| start.mark(found));
        let mut paths = vec![start];
        for at in 0..length {
            paths.sort_by_key(Path::rank);
            paths.truncate(BEAM);
            let mut following = Vec::with_capacity(2 * paths.len());
            for path in paths {
                self.step(path, at, &mut following);
            }
            paths = following;
        }
        paths.sort_by_key(Path::rank);
        paths.truncate(BEAM);
        paths.iter_mut().for_each(Path::close_chunk);
        paths.sort_by_key(Path::rank);
        paths.first().and_then(|path| path.history)
    }

    /// All ways to go on from a word of the reference.
    fn step(&mut self, mut path: Path, at: usize, following: &mut Vec<Path>) {
        if at < path.next {
            following.push(path);
            return;
        }
        if let Some(found) = &self.fixed[at] {
            path.take(found);
            path.distance += found.start.abs_diff(found.hyp_start);
            following.push(path);
            return;
        }
        for found in &self.matches.starting[at] {
            if !path.is_free(found) {
                continue;
            }
            let mut chosen = path.clone();
            chosen.mark(found);
            chosen.take(found);
            self.history.push((path.history, *found));
            chosen.history = Some(self.history.len() - 1);
            following.push(chosen);
            // The original adds the distance to the path that goes on without the match.
            path.distance += found.start.abs_diff(found.hyp_start);
        }
        path.close_chunk();
        path.next = at + 1;
        following.push(path);
    }
}
