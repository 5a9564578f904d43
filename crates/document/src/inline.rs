//! Where inline tags stand in a translation: a pair of tags goes around the words that are linked to the words it stood around, a
//! single tag goes before the word that is linked to the one it stood before. Pairs stay nested as they were, whatever the links.

use crate::confidence::Rated;
use std::ops::Range;

/// What a tag is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagKind {
    /// It opens an element.
    Open,
    /// It closes the element opened last.
    Close,
    /// It stands by itself.
    Alone,
}

/// A translation with its links.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Linked {
    /// The translation.
    pub text: String,
    /// Where its words stand in it, as ranges of bytes.
    pub words: Vec<Range<usize>>,
    /// Links: positions of source words and of words of the translation.
    pub links: Vec<(u32, u32)>,
    /// The number of source words before each tag of the segment.
    pub places: Vec<u32>,
    /// Sentences whose confidence is to be seen, in order; a page then has colours.
    pub rated: Vec<Rated>,
}

/// A part of a translated segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// Text.
    Text(&'a str),
    /// A tag of the segment, by number.
    Tag(usize),
}

impl Linked {
    /// A segment as the translation of itself: its tags stand where they stood.
    pub(crate) fn itself(segment: &crate::Segment) -> Self {
        let text = segment.text().to_string();
        let mut cuts: Vec<usize> = segment.tags.iter().map(|tag| tag.at).chain([0, text.len()]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let words: Vec<Range<usize>> = cuts.windows(2).map(|cut| cut[0]..cut[1]).collect();
        let links = (0..words.len() as u32).map(|at| (at, at)).collect();
        let before = |at: usize| words.iter().filter(|word| word.end <= at).count() as u32;
        let places = segment.tags.iter().map(|tag| before(tag.at)).collect();
        Self { text, words, links, places, rated: Vec::new() }
    }
}

/// Segments with more tags than this have them set in the order they have, each no further than links say.
const MOST_NESTED: usize = 1000;

/// Sets tags one after the other, which keeps pairs nested whatever they are.
fn in_order(linked: &Linked, tags: usize) -> Vec<Part<'_>> {
    let text = linked.text.as_str();
    let mut last = 0;
    let (mut parts, mut at) = (Vec::new(), 0);
    for tag in 0..tags {
        let source = linked.places.get(tag).copied().unwrap_or(0);
        let target = linked.links.iter().filter(|link| link.0 == source).map(|link| link.1 as usize).min();
        last = target.unwrap_or(last).max(last);
        let place = linked.words.get(last).map_or(text.len(), |word| word.start);
        if place > at {
            parts.push(Part::Text(&text[at..place]));
            at = place;
        }
        parts.push(Part::Tag(tag));
    }
    parts.push(Part::Text(&text[at..]));
    parts
}

/// Sets the tags of a segment into its translation.
pub(crate) fn place<'t>(kinds: &[TagKind], linked: &'t Linked) -> Vec<Part<'t>> {
    if kinds.len() > MOST_NESTED {
        return in_order(linked, kinds.len());
    }
    let mut placing = Placing { kinds, linked, gaps: vec![Vec::new(); linked.words.len() + 1] };
    let all = 0..linked.words.len();
    placing.children(0..kinds.len(), all, false);
    placing.parts()
}

struct Placing<'a, 't> {
    kinds: &'a [TagKind],
    linked: &'t Linked,
    /// The tags before each word, and those at the end: each with whether it stands right after the word before.
    gaps: Vec<Vec<(bool, usize)>>,
}

impl<'t> Placing<'_, 't> {
    /// Places the tags of a range that lie directly in it, and those within, in words of the translation that belong to it. Where there
    /// are none, `at_end` says that the tags stand right after the word before.
    fn children(&mut self, tags: Range<usize>, words: Range<usize>, at_end: bool) {
        let mut free = vec![words.clone()];
        let is_end = |at: usize| if words.is_empty() { at_end } else { at == words.end };
        let mut at = tags.start;
        while at < tags.end {
            let partner = self.partner(at, tags.end);
            match partner {
                Some(close) => {
                    let span = self.span(at, close, &free, &words);
                    take(&mut free, &span);
                    let after = span.is_empty() && is_end(span.start);
                    self.gaps[span.start].push((after, at));
                    self.children(at + 1..close, span.clone(), after);
                    self.gaps[span.end].push((after || !span.is_empty(), close));
                    at = close + 1;
                }
                None => {
                    let word = self.before(self.source(at), &words);
                    let word = outside(word, &free, &words);
                    self.gaps[word].push((is_end(word), at));
                    at += 1;
                }
            }
        }
    }

    /// The tag that closes an element; none for a tag by itself, or one that nothing closes.
    fn partner(&self, at: usize, end: usize) -> Option<usize> {
        if self.kinds[at] != TagKind::Open {
            return None;
        }
        let mut depth = 0usize;
        for (number, kind) in self.kinds.iter().enumerate().take(end).skip(at) {
            match kind {
                TagKind::Open => depth += 1,
                TagKind::Close => depth -= 1,
                TagKind::Alone => {}
            }
            if depth == 0 {
                return Some(number);
            }
        }
        None
    }

    fn source(&self, tag: usize) -> u32 {
        self.linked.places.get(tag).copied().unwrap_or(0)
    }

    /// The words of the translation for the words between two tags: the run of free words in which the words linked to them outweigh
    /// those linked to others the most.
    fn span(&self, open: usize, close: usize, free: &[Range<usize>], within: &Range<usize>) -> Range<usize> {
        let (start, end) = (self.source(open), self.source(close).max(self.source(open)));
        let mut worth = vec![0i32; self.linked.words.len()];
        let mut linked = vec![[false; 2]; self.linked.words.len()];
        for &(source, target) in &self.linked.links {
            if let Some(of) = linked.get_mut(target as usize) {
                of[usize::from((start..end).contains(&source))] = true;
            }
        }
        for (worth, [outside, inside]) in worth.iter_mut().zip(linked) {
            *worth = match (inside, outside) {
                (true, false) => 4,
                (true, true) => 3,
                (false, true) => -4,
                // A word without links goes with its neighbours, but does not begin or end a run.
                (false, false) => -1,
            };
        }
        let best = free.iter().filter_map(|run| best_run(&worth, run)).max_by_key(|&(sum, _)| sum);
        match best.filter(|(sum, _)| *sum > 0) {
            Some((_, run)) => run,
            None => {
                let at = outside(self.before(start, within), free, within);
                at..at
            }
        }
    }

    /// The word of the translation before which something stands that stood before a source word.
    fn before(&self, source: u32, within: &Range<usize>) -> usize {
        let of = |source: u32| {
            let targets =
                self.linked.links.iter().filter(move |link| link.0 == source).map(|link| link.1 as usize);
            targets.filter(|target| within.contains(target))
        };
        let last = self.linked.links.iter().map(|link| link.0).max().unwrap_or(0);
        let own = of(source).min();
        let previous = || source.checked_sub(1).and_then(|before| of(before).max()).map(|target| target + 1);
        let next = || (source + 1..=last).find_map(|after| of(after).min());
        let found = own.or_else(previous).or_else(next);
        if source > last { within.end } else { found.unwrap_or(within.end) }
    }

    /// The translation with its tags.
    fn parts(&self) -> Vec<Part<'t>> {
        let (text, words) = (self.linked.text.as_str(), &self.linked.words);
        let mut parts = Vec::new();
        let mut at = 0;
        for (gap, tags) in self.gaps.iter().enumerate() {
            let before = gap.checked_sub(1).map_or(0, |word| words[word].end);
            let after = words.get(gap).map_or(text.len(), |word| word.start);
            let before = if gap == words.len() && tags.iter().all(|(closes, _)| !closes) {
                text.len()
            } else {
                before
            };
            for (place, wanted) in [(before, true), (after, false)] {
                if tags.iter().any(|&(closes, _)| closes == wanted) && place > at {
                    parts.push(Part::Text(&text[at..place]));
                    at = place;
                }
                parts.extend(
                    tags.iter().filter(|(closes, _)| *closes == wanted).map(|&(_, tag)| Part::Tag(tag)),
                );
            }
        }
        if at < text.len() {
            parts.push(Part::Text(&text[at..]));
        }
        parts
    }
}

/// The run within a range with the highest sum.
fn best_run(worth: &[i32], range: &Range<usize>) -> Option<(i32, Range<usize>)> {
    let mut best: Option<(i32, Range<usize>)> = None;
    let (mut sum, mut start) = (0, range.start);
    for at in range.clone() {
        if sum <= 0 {
            (sum, start) = (0, at);
        }
        sum += worth[at];
        if best.as_ref().is_none_or(|(most, _)| sum > *most) {
            best = Some((sum, start..at + 1));
        }
    }
    best
}

/// Takes a run out of what is free.
fn take(free: &mut Vec<Range<usize>>, run: &Range<usize>) {
    if run.is_empty() {
        return;
    }
    *free = free
        .iter()
        .flat_map(|part| [part.start..part.end.min(run.start), part.start.max(run.end)..part.end])
        .filter(|part| !part.is_empty())
        .collect();
}

/// A place that lies in no run that was taken: itself, or the nearest after it.
fn outside(at: usize, free: &[Range<usize>], within: &Range<usize>) -> usize {
    let fits = |at: &usize| {
        *at == within.start
            || *at == within.end
            || free.iter().any(|part| part.contains(at) || part.end == *at)
    };
    (at..=within.end).find(fits).unwrap_or(within.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use TagKind::{Alone, Close, Open};

    /// The translation of numbered source words with tags before some of them, written out.
    fn set(text: &str, links: &[(u32, u32)], kinds: &[TagKind], places: &[u32]) -> String {
        let mut words = Vec::new();
        let mut at = 0;
        for word in text.split(' ') {
            words.push(at..at + word.len());
            at += word.len() + 1;
        }
        let linked = Linked {
            text: text.to_string(),
            words,
            links: links.to_vec(),
            places: places.to_vec(),
            rated: Vec::new(),
        };
        let parts = place(kinds, &linked);
        let part = |part: &Part<'_>| match *part {
            Part::Text(text) => text.to_string(),
            Part::Tag(tag) => match kinds[tag] {
                Open => format!("<{tag}>"),
                Close => format!("</{tag}>"),
                Alone => format!("<{tag}/>"),
            },
        };
        parts.iter().map(part).collect()
    }

    #[test]
    fn a_pair_goes_around_the_linked_words() {
        let links = [(0, 0), (1, 2), (2, 1), (3, 3)];
        assert_eq!(set("a c b d", &links, &[Open, Close], &[1, 2]), "a c <0>b</1> d");
        assert_eq!(set("a c b d", &links, &[Open, Close], &[0, 4]), "<0>a c b d</1>");
        assert_eq!(set("a c b d", &links, &[Alone], &[3]), "a c b <0/>d");
        assert_eq!(set("a c b d", &links, &[Alone, Alone], &[4, 4]), "a c b d<0/><1/>");
    }

    #[test]
    fn pairs_stay_nested_whatever_the_links() {
        let kinds = [Open, Open, Close, Close];
        assert_eq!(set("a b c", &[(0, 0), (1, 1), (2, 2)], &kinds, &[0, 1, 2, 2]), "<0>a <1>b</2></3> c");
        // The inner words are linked outside of those of the outer pair.
        let all = set("a b c", &[(0, 2), (1, 0), (2, 1)], &kinds, &[0, 1, 2, 2]);
        assert!(all.find("<0>") < all.find("<1>") && all.find("</2>") < all.find("</3>"), "{all}");
    }

    #[test]
    fn pairs_side_by_side_do_not_cross_and_none_is_lost() {
        let kinds = [Open, Close, Open, Close];
        let crossing = set("a b c d", &[(0, 0), (1, 1), (0, 2), (1, 3)], &kinds, &[0, 1, 1, 2]);
        assert_eq!(crossing.matches('<').count(), 4, "{crossing}");
        assert_eq!(set("a b", &[], &kinds, &[0, 1, 1, 2]).matches('<').count(), 4);
        assert_eq!(set("b a", &[(0, 1), (1, 0)], &kinds, &[0, 1, 1, 2]), "<2>b</3> <0>a</1>");
    }
}
