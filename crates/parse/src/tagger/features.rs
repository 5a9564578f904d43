//! What tagger and lemmatiser see of a word: its form, its case and shape, its ends, its neighbours
//! and their tags, all as hashes.

use super::{LAYERS, Tags};
use crate::linear::{Feature, mix, one, three, two};
use xxhash_rust::xxh3::xxh3_64;

const ENDS: usize = 5;

/// The hashes of one word.
#[derive(Debug, Clone, Default)]
struct Word {
    form: u64,
    lower: u64,
    shape: u64,
    /// The last 1 to 5 characters, and the first 1 to 4, in lower case.
    suffixes: [u64; ENDS],
    prefixes: [u64; ENDS - 1],
}

/// A sentence as the linear models see it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    words: Vec<Word>,
}

/// The layers decided so far, and the one that is being decided.
pub(crate) struct TagContext<'a> {
    pub(crate) tags: &'a Tags,
    pub(crate) layer: usize,
}

const OUTSIDE: u64 = 0xFFFF_FFFF;

impl TagContext<'_> {
    fn tag(&self, layer: usize, at: isize) -> u64 {
        let tag = usize::try_from(at).ok().and_then(|at| self.tags[layer].get(at));
        tag.map_or(OUTSIDE, |&t| u64::from(t))
    }
}

impl Context {
    pub(crate) fn new(words: &[&str]) -> Self {
        Self { words: words.iter().map(|w| Word::new(w)).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    fn at(&self, at: isize) -> Option<&Word> {
        usize::try_from(at).ok().and_then(|at| self.words.get(at))
    }

    /// The features on which a layer decides the tag of word `i`.
    pub(crate) fn tag_features(&self, tags: &TagContext<'_>, i: usize, out: &mut Vec<Feature>) {
        out.clear();
        let word = &self.words[i];
        let at = i as isize;
        let lower = |d: isize| self.at(at + d).map_or(OUTSIDE, |w| w.lower);
        let ending = |d: isize, n: usize| self.at(at + d).map_or(OUTSIDE, |w| w.suffixes[n - 1]);
        let shape = |d: isize| self.at(at + d).map_or(OUTSIDE, |w| w.shape);
        out.extend([one(1, word.form), one(2, word.lower), two(3, word.shape, u64::from(i == 0))]);
        out.extend((0..ENDS).map(|n| two(4, n as u64, word.suffixes[n])));
        out.extend((0..ENDS - 1).map(|n| two(5, n as u64, word.prefixes[n])));
        out.extend([one(6, lower(-1)), one(7, lower(1)), one(8, lower(-2)), one(9, lower(2))]);
        out.extend([two(10, lower(-1), word.lower), two(11, word.lower, lower(1))]);
        out.extend([one(12, ending(-1, 3)), one(13, ending(1, 3)), two(14, ending(1, 2), ending(0, 2))]);
        out.extend([two(15, shape(-1), word.shape), two(16, word.shape, shape(1))]);
        out.push(three(17, lower(-1), ending(0, 3), lower(1)));
        let own = |d: isize| tags.tag(tags.layer, at + d);
        let (left, second) = (own(-1), own(-2));
        out.extend([
            one(20, left),
            two(21, second, left),
            two(22, left, word.lower),
            two(23, left, lower(1)),
        ]);
        out.extend([three(24, left, ending(0, 3), ending(1, 2)), three(25, second, left, word.lower)]);
        for layer in 0..tags.layer {
            let of = |d: isize| mix(layer as u64, tags.tag(layer, at + d));
            let here = of(0);
            out.extend([one(30, here), two(31, here, word.lower), two(32, here, ending(0, 3))]);
            out.extend([two(33, here, ending(0, 2)), two(34, here, of(1)), two(35, of(-1), here)]);
            out.extend([three(36, of(-1), here, of(1)), three(37, here, of(1), of(2)), two(38, here, left)]);
            out.extend([three(39, here, word.lower, of(1)), three(40, here, word.lower, of(-1))]);
            out.push(two(41, here, word.shape));
        }
    }

    /// The features on which the edit that gives the lemma is decided.
    pub(crate) fn lemma_features(&self, tags: &Tags, i: usize, out: &mut Vec<Feature>) {
        out.clear();
        let word = &self.words[i];
        let of = |layer: usize| u64::from(tags[layer][i]);
        let all = (0..LAYERS).fold(7, |hash, layer| mix(hash, of(layer)));
        out.extend([two(1, word.form, of(0)), two(2, word.lower, of(0)), two(3, word.form, all)]);
        out.extend([
            two(4, word.lower, all),
            one(5, all),
            two(6, of(0), word.shape),
            two(7, of(1), word.shape),
        ]);
        for (n, &suffix) in word.suffixes.iter().enumerate() {
            out.extend([three(8, n as u64, suffix, of(0)), three(9, n as u64, suffix, all)]);
        }
        for (n, &prefix) in word.prefixes.iter().enumerate() {
            out.push(three(10, n as u64, prefix, of(0)));
        }
    }
}

impl Word {
    fn new(form: &str) -> Self {
        let lower = form.to_lowercase();
        let starts: Vec<usize> = lower.char_indices().map(|c| c.0).chain([lower.len()]).collect();
        let length = starts.len() - 1;
        let hash = |text: &str| xxh3_64(text.as_bytes());
        // A part as long as the word is hashed apart, so that it says that it is the whole.
        let whole = |n: usize| u64::from(n >= length);
        let suffix = |n: usize| mix(hash(&lower[starts[length - n.min(length)]..]), whole(n));
        let prefix = |n: usize| mix(hash(&lower[..starts[n.min(length)]]), whole(n));
        Self {
            form: hash(form),
            lower: hash(&lower),
            shape: shape(form),
            suffixes: std::array::from_fn(|n| suffix(n + 1)),
            prefixes: std::array::from_fn(|n| prefix(n + 1)),
        }
    }
}

/// The kinds of characters in order, runs taken as one: `McDonald's` is `XxXx'x`.
fn shape(form: &str) -> u64 {
    let mut shape = 0xCBF2_9CE4_8422_2325;
    let mut last = '\0';
    for c in form.chars() {
        let kind = if c.is_uppercase() {
            'X'
        } else if c.is_alphabetic() {
            'x'
        } else if c.is_numeric() {
            '0'
        } else {
            c
        };
        if kind != last {
            shape = mix(shape, u64::from(u32::from(kind)));
            last = kind;
        }
    }
    shape
}
