//! The exchange algorithm: a word is taken out of its class and put into the one where the pairs of classes of the text are most
//! probable (Martin, Liermann & Ney 1998, section 3). What is maximised is, with f(n) = n ln n, the sum of f over all pairs of classes
//! less twice the sum of f over all classes.
//!
//! Words are judged in batches, on all threads, by the classes before the batch; each is then judged again by those of the moment before
//! it moves. So the result does not depend on the number of threads, and no move makes the text less probable.

use crate::corpus::Tokens;
use crate::error::Result;
use crate::special::{EOS, SPECIAL};
use rayon::prelude::*;
use treeglot_text::interrupt;

/// How many words are judged side by side.
const BATCH: usize = 128;

/// Gains below this are noise of sums.
const LEAST_GAIN: f64 = 1e-6;

/// Values of f that are worked out in advance.
const TABLE: usize = 1 << 16;

/// The neighbours of each word with how often each stands there.
struct Neighbours {
    starts: Vec<usize>,
    of: Vec<(u32, u32)>,
}

impl Neighbours {
    /// Of sorted pairs with the word in the upper half.
    fn new(pairs: &[u64], words: usize) -> Self {
        let (mut starts, mut of) = (vec![0; words + 1], Vec::new());
        for same in pairs.chunk_by(|a, b| a == b) {
            of.push((same[0] as u32, same.len() as u32));
            starts[(same[0] >> 32) as usize + 1] = of.len();
        }
        for at in 1..starts.len() {
            starts[at] = starts[at].max(starts[at - 1]);
        }
        Self { starts, of }
    }

    fn of(&self, word: u32) -> &[(u32, u32)] {
        &self.of[self.starts[word as usize]..self.starts[word as usize + 1]]
    }
}

/// How often words stand beside each other. Sentence begin and end are one word.
pub(crate) struct Pairs {
    after: Neighbours,
    before: Neighbours,
    counts: Vec<u64>,
}

impl Pairs {
    /// Counts the pairs of a text.
    pub fn count(tokens: &mut Tokens, words: usize) -> Result<Self> {
        let (mut pairs, mut counts, mut last) = (Vec::new(), vec![0; words], EOS.0);
        tokens.pieces(1 << 16, |piece| {
            for &word in piece {
                pairs.push(u64::from(last) << 32 | u64::from(word));
                counts[word as usize] += 1;
                last = word;
            }
            interrupt::check();
            Ok(())
        })?;
        pairs.par_sort_unstable();
        let after = Neighbours::new(&pairs, words);
        pairs.par_iter_mut().for_each(|pair| *pair = pair.rotate_left(32));
        pairs.par_sort_unstable();
        Ok(Self { after, before: Neighbours::new(&pairs, words), counts })
    }
}

/// Classes on their way. Class 0 is that of the sentence's end.
pub(crate) struct Exchange<'p> {
    pairs: &'p Pairs,
    of: Vec<u16>,
    classes: usize,
    /// How often classes stand beside each other, by the first and by the second.
    rows: Vec<u32>,
    columns: Vec<u32>,
    sums: Vec<u64>,
    /// Words by frequency.
    order: Vec<u32>,
    table: Vec<f64>,
}

/// A word with the classes of its neighbours; a thread's buffers.
struct Judged {
    after: Vec<u32>,
    before: Vec<u32>,
    near_after: Vec<u16>,
    near_before: Vec<u16>,
    class: usize,
    count: u64,
    /// How often it stands beside itself.
    itself: u32,
}

impl Judged {
    fn new(classes: usize) -> Self {
        let (after, before) = (vec![0; classes], vec![0; classes]);
        let (near_after, near_before) = (Vec::new(), Vec::new());
        Self { after, before, near_after, near_before, class: 0, count: 0, itself: 0 }
    }

    fn read(&mut self, word: u32, exchange: &Exchange<'_>) {
        let Exchange { pairs, of, .. } = exchange;
        self.class = usize::from(of[word as usize]);
        self.count = pairs.counts[word as usize];
        self.itself = 0;
        for (sums, near, neighbours) in [
            (&mut self.after, &mut self.near_after, &pairs.after),
            (&mut self.before, &mut self.near_before, &pairs.before),
        ] {
            near.drain(..).for_each(|class| sums[usize::from(class)] = 0);
            for &(other, count) in neighbours.of(word) {
                if other == word {
                    self.itself = count;
                    continue;
                }
                let class = of[other as usize];
                if sums[usize::from(class)] == 0 {
                    near.push(class);
                }
                sums[usize::from(class)] += count;
            }
        }
    }
}

impl<'p> Exchange<'p> {
    /// Begins with the most frequent words in classes of their own, and the others dealt out.
    pub fn new(pairs: &'p Pairs, classes: usize) -> Self {
        let words = pairs.counts.len();
        let mut order: Vec<u32> = (SPECIAL.len() as u32..words as u32).collect();
        order.sort_by_key(|&word| (std::cmp::Reverse(pairs.counts[word as usize]), word));
        let mut of = vec![0; words];
        for (rank, &word) in order.iter().enumerate() {
            of[word as usize] = (rank % classes + 1) as u16;
        }
        let all = classes + 1;
        let (mut rows, mut columns, mut sums) = (vec![0; all * all], vec![0; all * all], vec![0; all]);
        for word in 0..words as u32 {
            let class = usize::from(of[word as usize]);
            sums[class] += pairs.counts[word as usize];
            for &(next, count) in pairs.after.of(word) {
                let next = usize::from(of[next as usize]);
                rows[class * all + next] += count;
                columns[next * all + class] += count;
            }
        }
        let table = (0..TABLE).map(|count| n_log_n(count as f64)).collect();
        Self { pairs, of, classes: all, rows, columns, sums, order, table }
    }

    /// The class of each word.
    pub fn classes(&self) -> &[u16] {
        &self.of
    }

    fn f(&self, count: u64) -> f64 {
        self.table.get(count as usize).copied().unwrap_or_else(|| n_log_n(count as f64))
    }

    /// The perplexity of the text by the classes of words: that of a word given its class, and of a class given the class before.
    pub fn perplexity(&self) -> f64 {
        let pairs: f64 = self.rows.iter().map(|&count| self.f(u64::from(count))).sum();
        let classes: f64 = self.sums.iter().map(|&count| self.f(count)).sum();
        let words: f64 = self.pairs.counts.iter().map(|&count| self.f(count)).sum();
        let tokens: u64 = self.pairs.counts.iter().sum();
        ((2.0 * classes - pairs - words) / tokens.max(1) as f64).exp()
    }

    /// Looks at each word once; how many moved.
    pub fn round(&mut self) -> usize {
        let order = std::mem::take(&mut self.order);
        let (mut moved, mut judged) = (0, Judged::new(self.classes));
        for batch in order.chunks(BATCH) {
            interrupt::check();
            let best: Vec<usize> = batch
                .par_iter()
                .map_init(|| Judged::new(self.classes), |j, &word| self.best(j, word))
                .collect();
            for (&word, best) in batch.iter().zip(best) {
                if best == usize::from(self.of[word as usize]) {
                    continue;
                }
                judged.read(word, self);
                if self.gain(&judged, best) > self.gain(&judged, judged.class) + LEAST_GAIN {
                    self.put(&judged, word, best);
                    moved += 1;
                }
            }
        }
        self.order = order;
        moved
    }

    /// The best class of a word.
    fn best(&self, judged: &mut Judged, word: u32) -> usize {
        judged.read(word, self);
        let mut best = (judged.class, self.gain(judged, judged.class) + LEAST_GAIN);
        for class in 1..self.classes {
            if class == judged.class {
                continue;
            }
            let gain = self.gain(judged, class);
            if gain > best.1 {
                best = (class, gain);
            }
        }
        best.0
    }

    /// What is gained by putting a word, once it is taken out of its class, into this one.
    fn gain(&self, judged: &Judged, to: usize) -> f64 {
        let Judged { after, before, class: from, count, itself, .. } = judged;
        let (row, column) = (&self.rows[to * self.classes..], &self.columns[to * self.classes..]);
        let mut sum = 0.0;
        let mut grow = |now: u32, taken: u32, more: u32| {
            let without = u64::from(now - taken);
            sum += self.f(without + u64::from(more)) - self.f(without);
        };
        let home = to == *from;
        for (near, sums, cells, back) in
            [(&judged.near_after, after, row, before), (&judged.near_before, before, column, after)]
        {
            for &class in near {
                let class = usize::from(class);
                if class == to {
                    continue;
                }
                let taken = match (home, class == *from) {
                    (true, _) => sums[class],
                    (false, true) => back[to],
                    (false, false) => 0,
                };
                grow(cells[class], taken, sums[class]);
            }
        }
        let own = after[to] + before[to] + itself;
        grow(row[to], if home { own } else { 0 }, own);
        let without = self.sums[to] - if home { *count } else { 0 };
        sum - 2.0 * (self.f(without + count) - self.f(without))
    }

    /// Moves a word.
    fn put(&mut self, judged: &Judged, word: u32, to: usize) {
        let (all, from) = (self.classes, judged.class);
        let mut change = |first: usize, second: usize, less: bool, count: u32| {
            for cell in [&mut self.rows[first * all + second], &mut self.columns[second * all + first]] {
                *cell = if less { *cell - count } else { *cell + count };
            }
        };
        for (class, less) in [(from, true), (to, false)] {
            for &next in &judged.near_after {
                change(class, usize::from(next), less, judged.after[usize::from(next)]);
            }
            for &last in &judged.near_before {
                change(usize::from(last), class, less, judged.before[usize::from(last)]);
            }
            change(class, class, less, judged.itself);
        }
        self.sums[from] -= judged.count;
        self.sums[to] += judged.count;
        self.of[word as usize] = to as u16;
    }
}

fn n_log_n(count: f64) -> f64 {
    if count > 0.0 { count * count.ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus;
    use treeglot_text::Input;

    fn pairs(text: &'static str) -> Pairs {
        let input = Input { name: "text".into(), reader: Box::new(text.as_bytes()) };
        let mut corpus = corpus::read(input, true, 1 << 20).unwrap();
        Pairs::count(&mut corpus.tokens, corpus.vocab.len()).unwrap()
    }

    const TEXT: &str = "a a b c\nb a d c c\nd d a\ne b c a\na e e d\nb\nc d e a b\n";

    /// What is maximised, from the text's pairs alone.
    fn objective(exchange: &Exchange<'_>) -> f64 {
        let mut cells = vec![0u64; exchange.classes * exchange.classes];
        let mut sums = vec![0u64; exchange.classes];
        for word in 0..exchange.of.len() as u32 {
            sums[usize::from(exchange.of[word as usize])] += exchange.pairs.counts[word as usize];
            for &(next, count) in exchange.pairs.after.of(word) {
                let (first, second) = (exchange.of[word as usize], exchange.of[next as usize]);
                cells[usize::from(first) * exchange.classes + usize::from(second)] += u64::from(count);
            }
        }
        let f = |count: &u64| n_log_n(*count as f64);
        cells.iter().map(f).sum::<f64>() - 2.0 * sums.iter().map(f).sum::<f64>()
    }

    #[test]
    fn the_gain_of_every_move_is_the_change_of_the_objective() {
        let pairs = pairs(TEXT);
        for word in SPECIAL.len() as u32..pairs.counts.len() as u32 {
            for to in 1..=3 {
                let mut exchange = Exchange::new(&pairs, 3);
                let before = objective(&exchange);
                let mut judged = Judged::new(4);
                judged.read(word, &exchange);
                let gain = exchange.gain(&judged, to) - exchange.gain(&judged, judged.class);
                exchange.put(&judged, word, to);
                assert!((objective(&exchange) - before - gain).abs() < 1e-9, "word {word} to {to}");
                let moved = Exchange { of: exchange.of.clone(), ..Exchange::new(&pairs, 3) };
                assert!((objective(&moved) - objective(&exchange)).abs() < 1e-12);
                let sum = |cells: &[u32]| cells.iter().map(|&count| u64::from(count)).sum::<u64>();
                assert_eq!(sum(&exchange.rows), exchange.sums.iter().sum::<u64>());
            }
        }
    }

    #[test]
    fn no_round_makes_the_text_less_probable() {
        let pairs = pairs(TEXT);
        let mut exchange = Exchange::new(&pairs, 2);
        let mut before = exchange.perplexity();
        for _ in 0..5 {
            exchange.round();
            assert!(exchange.perplexity() <= before + 1e-12);
            before = exchange.perplexity();
        }
        assert_eq!(exchange.round(), 0);
    }
}
