//! The score of every pair of nodes (Tinsley et al. 2007, section 3):
//! `g(s,t) = a(s|t) a(t|s) a(s'|t') a(t'|s')`, with s the words under the node, s' the other words of the sentence.
//!
//! `a(x|y)` is a product over the words of one side of a mean over the other, so a row of sums over one tree's nodes and
//! a row of sums of logarithms over the other's give all pairs in constant time each. Probabilities and logarithms are whole
//! numbers: sums are exact in any order, and scores that ought to be equal are.

use super::nodes::Nodes;
use super::settings::{NodeScore, NodeSmoothing, TreeAlignSettings};
use super::tables::LexicalTables;

/// A probability of 1.
const ONE: f64 = (1u64 << 40) as f64;
/// A logarithm of 1.
const UNIT: f64 = (1u64 << 24) as f64;
/// The logarithm of zero: below every sum of other logarithms, and sums of it do not overflow.
const ZERO: i64 = -(1 << 46);
/// The least probability of a word given the empty word.
const LEAST: f64 = 1e-7;

/// The scores of all pairs of nodes of two trees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scores {
    columns: usize,
    logs: Vec<i64>,
}

impl Scores {
    /// The score of a pair of nodes; `None` if it is zero. Scores can be compared, and [`Scores::log`] tells their
    /// logarithms.
    pub fn get(&self, source: u32, target: u32) -> Option<i64> {
        let log = self.logs[source as usize * self.columns + target as usize];
        (log > ZERO / 2).then_some(log)
    }

    /// The score of the two whole sentences, zero or not.
    pub fn whole(&self) -> i64 {
        self.logs.first().copied().unwrap_or(ZERO)
    }

    /// The natural logarithm that a score stands for.
    pub fn log(score: i64) -> f64 {
        score as f64 / UNIT
    }

    /// All pairs with a score that is not zero, in the order of the nodes.
    pub(super) fn hypotheses(&self) -> impl Iterator<Item = (i64, u32, u32)> {
        let place = |(k, &log): (usize, &i64)| (log, (k / self.columns) as u32, (k % self.columns) as u32);
        self.logs.iter().enumerate().map(place).filter(|hypothesis| hypothesis.0 > ZERO / 2)
    }
}

/// Scores the pairs of nodes of one pair of trees after the other; owns what is needed on the way.
#[derive(Debug, Default)]
pub struct Scorer {
    /// `P(s_i|t_j)` and `P(t_j|s_i)`, by source word, then target word.
    tables: [Vec<u64>; 2],
    /// Each word's probability given the empty word, by side.
    empty: [Vec<u64>; 2],
    row: Vec<u64>,
    sums: Vec<u64>,
    /// Sums over the nodes of one tree, for each word of the other.
    by_word: Vec<Vec<u64>>,
    inside: Vec<i64>,
    outside: Vec<i64>,
    inside_sums: Vec<i64>,
    outside_sums: Vec<i64>,
}

impl Scorer {
    /// The scores of all pairs of nodes over these words.
    pub fn score<S: AsRef<str>>(
        &mut self,
        tables: &LexicalTables,
        words: [&[S]; 2],
        nodes: [&Nodes; 2],
        TreeAlignSettings { score, smoothing, .. }: TreeAlignSettings,
    ) -> Scores {
        self.look_up(tables, words, smoothing);
        let [source, target] = nodes;
        let columns = target.len();
        let mut scores = Scores { columns, logs: vec![0; source.len() * columns] };
        for table in [0, 1] {
            // Of P(s|t), score 2 takes the product over s and the sum over t; score 1 the other way round.
            let over_source = (table == 0) == (score == NodeScore::Two);
            self.add(&mut scores, nodes, table, over_source);
        }
        if smoothing == NodeSmoothing::Empty {
            self.drop_unsupported(&mut scores, nodes);
        }
        scores
    }

    fn look_up<S: AsRef<str>>(&mut self, tables: &LexicalTables, words: [&[S]; 2], smoothing: NodeSmoothing) {
        let known = [0, 1].map(|side| {
            let known = words[side].iter().map(|form| tables.word(side, form.as_ref()));
            known.collect::<Vec<_>>()
        });
        let whole = |probability: f64| (probability * ONE) as u64;
        self.tables.iter_mut().for_each(Vec::clear);
        for &source in &known[0] {
            for &target in &known[1] {
                let pair = tables.pair(source, target);
                self.tables.iter_mut().zip(pair).for_each(|(table, p)| table.push(whole(p)));
            }
        }
        let empty = [0, 1].map(|side| tables.empty(side));
        for side in [0, 1] {
            let of_empty = |&word| match side {
                0 => tables.pair(word, empty[1])[0],
                _ => tables.pair(empty[0], word)[1],
            };
            let smooth = |p: f64| if smoothing == NodeSmoothing::Empty { whole(p.max(LEAST)) } else { 0 };
            self.empty[side].clear();
            self.empty[side].extend(known[side].iter().map(of_empty).map(smooth));
        }
    }

    /// Makes the scores of nodes zero that have no words which are partners in a table.
    fn drop_unsupported(&mut self, scores: &mut Scores, [source, target]: [&Nodes; 2]) {
        let columns = target.words();
        self.by_word.resize_with(source.words().max(self.by_word.len()), Vec::new);
        for word in 0..source.words() {
            let cells = word * columns..(word + 1) * columns;
            let partners = cells.map(|at| u64::from(self.tables.iter().any(|table| table[at] > 0)));
            self.row.clear();
            self.row.extend(partners);
            target.add_up(&self.row, &mut self.by_word[word]);
        }
        for node in 0..target.len() {
            self.row.clear();
            self.row.extend(self.by_word[..source.words()].iter().map(|sums| sums[node]));
            source.add_up(&self.row, &mut self.sums);
            for (other, _) in self.sums.iter().enumerate().filter(|(_, partners)| **partners == 0) {
                scores.logs[other * scores.columns + node] = ZERO;
            }
        }
    }

    /// Adds the inside and the outside part of one direction. `over_source`: the product goes over source words.
    fn add(&mut self, scores: &mut Scores, nodes: [&Nodes; 2], table: usize, over_source: bool) {
        let side = usize::from(!over_source);
        let (product, sum) = (nodes[side], nodes[1 - side]);
        let columns = nodes[1].words();
        self.by_word.resize_with(product.words().max(self.by_word.len()), Vec::new);
        for word in 0..product.words() {
            self.row.clear();
            let of_pair = |other: usize| {
                if over_source { word * columns + other } else { other * columns + word }
            };
            self.row.extend((0..sum.words()).map(|other| self.tables[table][of_pair(other)]));
            sum.add_up(&self.row, &mut self.by_word[word]);
        }
        // The empty word counts as one more word only where it is used.
        let extra = usize::from(self.empty[side].iter().any(|&p| p > 0));
        for node in 0..sum.len() as u32 {
            let size = sum.size(node);
            let [inner, outer] = [size, sum.words() - size].map(|count| log((count + extra) as f64));
            self.inside.clear();
            self.outside.clear();
            for word in 0..product.words() {
                let (all, within) = (self.by_word[word][0], self.by_word[word][node as usize]);
                let empty = self.empty[side][word];
                self.inside.push(log_of(within + empty) - inner);
                self.outside.push(log_of(all - within + empty) - outer);
            }
            product.add_up(&self.inside, &mut self.inside_sums);
            product.add_up(&self.outside, &mut self.outside_sums);
            let everywhere = self.outside_sums[0];
            for other in 0..product.len() {
                let at = if over_source {
                    other * scores.columns + node as usize
                } else {
                    node as usize * scores.columns + other
                };
                scores.logs[at] += self.inside_sums[other] + everywhere - self.outside_sums[other];
            }
        }
    }
}

/// The logarithm of a count; of none, 0: nothing is divided by it then.
fn log(count: f64) -> i64 {
    if count == 0.0 { 0 } else { (count.ln() * UNIT).round() as i64 }
}

/// The logarithm of a probability.
fn log_of(probability: u64) -> i64 {
    if probability == 0 { ZERO } else { ((probability as f64 / ONE).ln() * UNIT).round() as i64 }
}
