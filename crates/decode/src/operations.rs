//! The operation sequence model (Durrani et al. 2011, 2013): a pair of sentences and its links as the steps that generate both from left
//! to right of the target: words with what they translate, gaps left open in the source, jumps back to a gap and forward again.
//! An n-gram model of such steps sees translations and reorderings together, across the borders of phrases.
//!
//! Words that links connect are generated at once (a *cept*); its further source words are continued. What is done for a phrase
//! does not depend on what stands before it (a [`script`]), but for the moves through the source ([`go`]).

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A gap is left open in the source.
const GAP: &str = "<gap>";
/// Back to the source's end from a gap.
const FORWARD: &str = "<forward>";
/// A further source word of a cept.
const CONTINUE: &str = "<continue>";
/// Jumps over more open gaps than this count as so many.
pub const MOST_BACK: usize = 8;

/// A step of a phrase by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<O = String> {
    /// The source word that is generated, if any, by its position in the phrase.
    pub source: Option<u32>,
    /// The operation, as the model names it.
    pub operation: O,
}

/// A move through the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// A gap is left open.
    Gap,
    /// Back to a gap, this many open ones from the right.
    Back(usize),
    /// Forward behind all that is generated.
    Forward,
}

impl Move {
    /// All moves.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Gap, Self::Forward].into_iter().chain((1..=MOST_BACK).map(Self::Back))
    }

    /// Its place among [`Move::all`].
    pub fn number(self) -> usize {
        match self {
            Self::Gap => 0,
            Self::Forward => 1,
            Self::Back(gaps) => 1 + gaps.clamp(1, MOST_BACK),
        }
    }

    /// Its name in the model.
    pub fn name(self) -> String {
        match self {
            Self::Gap => GAP.to_string(),
            Self::Forward => FORWARD.to_string(),
            Self::Back(gaps) => format!("<back{gaps}>"),
        }
    }
}

/// Which source words are generated.
pub trait Generated {
    /// Whether a word is.
    fn has(&self, position: u32) -> bool;
    /// The position behind the last one that is.
    fn end(&self) -> u32;
}

/// Moves to a source word that is not generated yet, from behind the one generated last.
pub fn go(from: u32, to: u32, generated: &impl Generated, mut take: impl FnMut(Move)) {
    let (mut at, end) = (from, generated.end());
    if at < to {
        if !generated.has(at) {
            take(Move::Gap);
        }
        if at == end {
            return;
        }
        take(Move::Forward);
        at = end;
    }
    if to < at {
        if at < end && !generated.has(at) {
            take(Move::Gap);
        }
        let begin =
            (0..to).rev().find(|&position| generated.has(position)).map_or(0, |position| position + 1);
        let opens = |&at: &u32| !generated.has(at) && (at == begin || generated.has(at - 1));
        take(Move::Back((begin..end).filter(opens).count()));
        at = begin;
    }
    if at < to {
        take(Move::Gap);
    }
}

/// The steps of a phrase or of a whole sentence, of these words and links.
pub fn script(source: &[&str], target: &[&str], links: &[(usize, usize)]) -> Vec<Step> {
    let mut steps = Vec::new();
    let linked = |side: usize, at: usize| links.iter().any(|link| [link.0, link.1][side] == at);
    let alone = |from: usize, steps: &mut Vec<Step>| {
        let words = (from..source.len()).take_while(|&at| !linked(0, at));
        steps.extend(words.map(|at| Step { source: Some(at as u32), operation: named(&[source[at]], &[]) }));
    };
    alone(0, &mut steps);
    let mut done = vec![false; target.len()];
    for at in 0..target.len() {
        if !linked(1, at) {
            steps.push(Step { source: None, operation: named(&[], &[target[at]]) });
            continue;
        }
        if done[at] {
            continue;
        }
        let [from, to] = cept(at, links);
        to.iter().for_each(|&at| done[at] = true);
        let from_words: Vec<&str> = from.iter().map(|&at| source[at]).collect();
        let to_words: Vec<&str> = to.iter().map(|&at| target[at]).collect();
        for (number, &at) in from.iter().enumerate() {
            let operation = if number == 0 { named(&from_words, &to_words) } else { CONTINUE.to_string() };
            steps.push(Step { source: Some(at as u32), operation });
            alone(at + 1, &mut steps);
        }
    }
    steps
}

/// The source and target words that links connect with a target word.
fn cept(target: usize, links: &[(usize, usize)]) -> [BTreeSet<usize>; 2] {
    let mut sides = [BTreeSet::new(), BTreeSet::from([target])];
    loop {
        let before = sides[0].len() + sides[1].len();
        for &(from, to) in links {
            if sides[0].contains(&from) || sides[1].contains(&to) {
                sides[0].insert(from);
                sides[1].insert(to);
            }
        }
        if sides[0].len() + sides[1].len() == before {
            return sides;
        }
    }
}

/// The operation that generates these words.
fn named(source: &[&str], target: &[&str]) -> String {
    format!("{}→{}", source.join("␟"), target.join("␟"))
}

/// Which words of a whole sentence are generated.
struct Flags {
    flags: Vec<bool>,
    end: u32,
}

impl Generated for Flags {
    fn has(&self, position: u32) -> bool {
        self.flags[position as usize]
    }

    fn end(&self) -> u32 {
        self.end
    }
}

/// The operations of a pair as a line of the text that the model is learnt from; links must be within the pair.
pub fn operations_line(source: &[&str], target: &[&str], links: &[(usize, usize)], line: &mut String) {
    let (mut at, mut generated) = (0, Flags { flags: vec![false; source.len() + 1], end: 0 });
    line.clear();
    for step in script(source, target, links) {
        if let Some(to) = step.source {
            go(at, to, &generated, |how| write!(line, "{} ", how.name()).expect("text takes every value"));
            generated.flags[to as usize] = true;
            at = to + 1;
            generated.end = generated.end.max(at);
        }
        write!(line, "{} ", step.operation).expect("text takes every value");
    }
    line.truncate(line.trim_end().len());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(source: &str, target: &str, links: &[(usize, usize)]) -> String {
        let [source, target] = [source, target].map(|text| text.split(' ').collect::<Vec<_>>());
        let mut line = String::new();
        operations_line(&source, &target, links, &mut line);
        line
    }

    /// The example of Durrani et al. (2011): `Er hat eine Pizza gegessen`, and others by hand.
    #[test]
    fn gaps_are_left_open_and_filled_later() {
        let pizza = line(
            "er hat eine pizza gegessen",
            "he has eaten a pizza",
            &[(0, 0), (1, 1), (4, 2), (2, 3), (3, 4)],
        );
        assert_eq!(pizza, "er→he hat→has <gap> gegessen→eaten <back1> eine→a pizza→pizza");
        let after =
            line("er hat es gegessen heute", "he ate it today", &[(0, 0), (1, 1), (3, 1), (2, 2), (4, 3)]);
        assert_eq!(after, "er→he hat␟gegessen→ate <gap> <continue> <back1> es→it <forward> heute→today");
    }

    #[test]
    fn words_without_links_are_generated_after_their_left_neighbours() {
        assert_eq!(
            line("ja er schläft ein", "he falls asleep now", &[(1, 0), (2, 2)]),
            "ja→ er→he →falls schläft→asleep ein→ →now"
        );
    }

    #[test]
    fn gaps_are_counted_from_the_right_and_what_is_left_of_one_is_a_gap_again() {
        let words = line("a b c d e", "D B E A C", &[(3, 0), (1, 1), (4, 2), (0, 3), (2, 4)]);
        assert_eq!(
            words,
            "<gap> d→D <back1> <gap> b→B <gap> <forward> e→E <back2> a→A <forward> <back1> c→C"
        );
    }
}
