//! Significance filtering (Johnson et al. 2007): rules whose sides occur together no more often than chance explains are
//! dropped. Occurrences are counted in whole sentence pairs with a suffix array for each side; a side with variables
//! occurs where all its runs of words do. The test is Fisher's, one-sided (Moore 2004).

use crate::error::Result;
use crate::score::Threshold;
use crate::symbol::{Kind, Symbol};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;
use treeglot_text::bitext::{Bitext, Options, Row};
use treeglot_text::vocab::{Sym, Vocab};

/// What lies beside the significance of a pair that was seen once, with sides that were seen once.
const EPSILON: f64 = 0.001;
const UNKNOWN: u32 = u32::MAX;

/// Occurrences of words in the pairs of a corpus.
pub struct Significance {
    source: SideIndex,
    target: SideIndex,
    pairs: u32,
    threshold: f64,
}

impl Significance {
    /// Reads a corpus; words that no rule has are all the same to it.
    pub fn open(source: &Path, target: &Path, threshold: Threshold, vocab: &Vocab) -> Result<Self> {
        let mut pairs = Bitext::open([source, target], Options::default())?;
        let (mut sources, mut targets, mut count) = (SideBuilder::default(), SideBuilder::default(), 0);
        while let Some(row) = pairs.next_row()? {
            if let Row::Texts([source, target]) = row {
                sources.sentence(source, vocab, count);
                targets.sentence(target, vocab, count);
            }
            count += 1;
        }
        let mut all =
            Self { source: sources.finish(), target: targets.finish(), pairs: count, threshold: 0.0 };
        let alpha = all.negative_log(1, 1, 1);
        all.threshold = match threshold {
            Threshold::AlphaPlusEpsilon => alpha + EPSILON,
            Threshold::AlphaMinusEpsilon => alpha - EPSILON,
            Threshold::At(value) => value,
        };
        Ok(all)
    }

    /// A thread's view of it, which remembers the target sides it has looked up.
    pub fn worker(&self) -> Worker<'_> {
        Worker { all: self, source: Arc::default(), targets: FxHashMap::default() }
    }

    /// The negative logarithm of the probability that sides which occur in `source` and `target` pairs meet in `both` or
    /// more by chance.
    fn negative_log(&self, both: u32, source: u32, target: u32) -> f64 {
        let [mut a, mut b, mut c] = [both, target - both, source - both].map(f64::from);
        let mut d = f64::from(self.pairs) - f64::from(source) - f64::from(target) + f64::from(both);
        let all = f64::from(self.pairs);
        let sides = [a + c, b + d, a + b, c + d].map(ln_factorial).iter().sum::<f64>();
        let cells = [all, a, b, c, d].map(ln_factorial).iter().sum::<f64>();
        let first = sides - cells;
        let (mut term, mut sum) = (1.0, 0.0);
        for _ in 0..=b.min(c) as u64 {
            sum += term;
            term *= b * c / (a + 1.0) / (d + 1.0);
            if term < sum * 1e-17 {
                break;
            }
            (a, b, c, d) = (a + 1.0, b - 1.0, c - 1.0, d + 1.0);
        }
        -(first + f64::ln(sum))
    }
}

/// `ln n!` by Stirling's series, exact to 1e-10.
fn ln_factorial(n: f64) -> f64 {
    if n < 16.0 {
        return (2..=n as u32).map(|k| f64::from(k).ln()).sum();
    }
    let x = n + 1.0;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3))
        + 1.0 / (1260.0 * x.powi(5))
}

/// Looks rules up; owns the buffers of a thread.
pub struct Worker<'a> {
    all: &'a Significance,
    source: Arc<Vec<u32>>,
    targets: FxHashMap<Box<[Symbol]>, Arc<Vec<u32>>>,
}

impl Worker<'_> {
    /// How many sentences of looked-up target sides are remembered.
    const MOST: usize = 1 << 16;

    /// Begins the rules of a source side.
    pub fn source(&mut self, source: &[Symbol]) {
        self.source = Arc::new(self.all.source.sentences(source, self.all.pairs));
    }

    /// Whether the rule with this target side is significant.
    pub fn keeps(&mut self, target: &[Symbol]) -> bool {
        let found = match self.targets.get(target) {
            Some(found) => found.clone(),
            None => {
                if self.targets.len() >= Self::MOST {
                    self.targets.clear();
                }
                let found = Arc::new(self.all.target.sentences(target, self.all.pairs));
                self.targets.insert(target.into(), found.clone());
                found
            }
        };
        let both = common(&self.source, &found);
        let (source, target) = (self.source.len() as u32, found.len() as u32);
        self.all.negative_log(both, source, target) >= self.all.threshold
    }
}

fn common(a: &[u32], b: &[u32]) -> u32 {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if few.len() * 16 < many.len() {
        return few.iter().filter(|sentence| many.binary_search(sentence).is_ok()).count() as u32;
    }
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        both += u32::from(a[i] == b[j]);
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    both
}

#[derive(Default)]
struct SideBuilder {
    words: Vec<u32>,
    sentences: Vec<u32>,
}

impl SideBuilder {
    fn sentence(&mut self, line: &str, vocab: &Vocab, number: u32) {
        for word in line.split_ascii_whitespace() {
            self.words.push(vocab.get(word).map_or(UNKNOWN - 1, |sym| sym.0));
            self.sentences.push(number);
        }
        self.words.push(UNKNOWN);
        self.sentences.push(number);
    }

    fn finish(self) -> SideIndex {
        let Self { words, sentences } = self;
        let mut suffixes: Vec<u32> = (0..words.len() as u32).collect();
        let suffix = |at: u32| {
            let rest = &words[at as usize..];
            &rest[..rest.iter().position(|&word| word == UNKNOWN).map_or(rest.len(), |end| end + 1)]
        };
        rayon::slice::ParallelSliceMut::par_sort_unstable_by(&mut suffixes[..], |&a, &b| {
            suffix(a).cmp(suffix(b)).then(a.cmp(&b))
        });
        SideIndex { words, sentences, suffixes }
    }
}

/// One side of the corpus with its suffix array.
struct SideIndex {
    words: Vec<u32>,
    sentences: Vec<u32>,
    suffixes: Vec<u32>,
}

impl SideIndex {
    /// The pairs in which every run of words occurs, in order; all, if there is no word.
    fn sentences(&self, side: &[Symbol], pairs: u32) -> Vec<u32> {
        let words: Vec<Option<u32>> = side.iter().map(|symbol| word(*symbol)).collect();
        let runs = words.split(|word| word.is_none()).filter(|run| !run.is_empty());
        let mut found: Option<Vec<u32>> = None;
        for run in runs {
            let run: Vec<u32> = run.iter().copied().flatten().collect();
            let here = self.occurrences(&run);
            found = Some(match found {
                None => here,
                Some(before) => before.into_iter().filter(|n| here.binary_search(n).is_ok()).collect(),
            });
        }
        found.unwrap_or_else(|| (0..pairs).collect())
    }

    fn occurrences(&self, run: &[u32]) -> Vec<u32> {
        let start = |at: &u32| {
            let rest = &self.words[*at as usize..];
            &rest[..rest.len().min(run.len())]
        };
        let low = self.suffixes.partition_point(|at| start(at) < run);
        let high = low + self.suffixes[low..].partition_point(|at| start(at) == run);
        let mut found: Vec<u32> =
            self.suffixes[low..high].iter().map(|&at| self.sentences[at as usize]).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn word(symbol: Symbol) -> Option<u32> {
    match symbol.kind() {
        Kind::Word(Sym(number)) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn choose(n: u32, k: u32) -> u128 {
        (0..u128::from(k)).fold(1, |c, i| c * (u128::from(n) - i) / (i + 1))
    }

    /// The probability of `both` or more, term by term.
    fn tail(pairs: u32, both: u32, source: u32, target: u32) -> f64 {
        let ways = |k: u32| match (target - k) > (pairs - source) {
            true => 0,
            false => choose(source, k) * choose(pairs - source, target - k),
        };
        let sum: u128 = (both..=source.min(target)).map(ways).sum();
        sum as f64 / choose(pairs, target) as f64
    }

    fn empty(pairs: u32) -> Significance {
        let side = || SideBuilder::default().finish();
        Significance { source: side(), target: side(), pairs, threshold: 0.0 }
    }

    fn contains(sentence: &[u8], side: &[Option<u8>]) -> bool {
        let runs = side.split(Option::is_none).filter(|run| !run.is_empty());
        let within = |run: &[Option<u8>]| {
            sentence.windows(run.len()).any(|words| words.iter().zip(run).all(|(w, r)| Some(*w) == *r))
        };
        runs.into_iter().all(within)
    }

    fn text(sentences: &[Vec<u8>]) -> String {
        let line = |words: &Vec<u8>| {
            words.iter().map(|&word| char::from(word).to_string()).collect::<Vec<_>>().join(" ") + "\n"
        };
        sentences.iter().map(line).collect()
    }

    fn side() -> impl Strategy<Value = Vec<Option<u8>>> {
        proptest::collection::vec(proptest::option::weighted(0.8, b'a'..b'd'), 1..4)
    }

    proptest! {
        #[test]
        fn the_negative_log_is_that_of_the_hypergeometric_tail(
            (pairs, source, target, k) in (1u32..55).prop_flat_map(|n| (Just(n), 0..=n, 0..=n, 0u32..55))
        ) {
            let least = (source + target).saturating_sub(pairs);
            let both = least + k % (source.min(target) - least + 1);
            let exact = -tail(pairs, both, source, target).ln();
            let found = empty(pairs).negative_log(both, source, target);
            prop_assert!((found - exact).abs() < 1e-8 * (1.0 + exact), "{found} {exact}");
        }

        #[test]
        fn rules_are_kept_as_a_test_of_each_sentence_pair_says(
            corpus in proptest::collection::vec(
                (proptest::collection::vec(b'a'..b'd', 1..5), proptest::collection::vec(b'a'..b'd', 1..5)), 1..30),
            source in side(),
            target in side(),
            threshold in 0.05f64..6.0,
        ) {
            let (sources, targets): (Vec<_>, Vec<_>) = corpus.iter().cloned().unzip();
            let folder = tempfile::tempdir().unwrap();
            let paths = ["source", "target"].map(|name| folder.path().join(name));
            std::fs::write(&paths[0], text(&sources)).unwrap();
            std::fs::write(&paths[1], text(&targets)).unwrap();
            let mut vocab = Vocab::default();
            let label = vocab.intern("X");
            let mut symbols = |side: &[Option<u8>], variable: Symbol| -> Vec<Symbol> {
                let mut word = |word: u8| Symbol::word(vocab.intern(&char::from(word).to_string()));
                side.iter().map(|&w| w.map_or(variable, &mut word)).collect()
            };
            let (s, t) = (symbols(&source, Symbol::var(label)), symbols(&target, Symbol::reference(0)));
            let all = Significance::open(&paths[0], &paths[1], Threshold::At(threshold), &vocab).unwrap();
            let mut worker = all.worker();
            worker.source(&s);
            let holds: Vec<[bool; 2]> =
                corpus.iter().map(|(s, t)| [contains(s, &source), contains(t, &target)]).collect();
            let count = |of: fn(&&[bool; 2]) -> bool| holds.iter().filter(of).count() as u32;
            let [both, in_source, in_target] = [count(|h| h[0] && h[1]), count(|h| h[0]), count(|h| h[1])];
            let exact = -tail(corpus.len() as u32, both, in_source, in_target).ln();
            prop_assume!((exact - threshold).abs() > 1e-6);
            prop_assert_eq!(worker.keeps(&t), exact >= threshold);
        }
    }
}
