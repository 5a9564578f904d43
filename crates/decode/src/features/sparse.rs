//! Sparse features of rules: thousands of counts with a weight each, which MIRA tunes. Which frequent word is translated by which
//! (`wt_das~the`), which target words a rule adds without a link (`ti_the`) and which source words it leaves without one (`sd_das`),
//! how many words both sides have (`pl_2,3`) and how variables stand (`rs_2s`: two, swapped).
//!
//! Their number is fixed by the frequent words, so a weight is found by arithmetic; the search sees one feature, `Sparse0`, whose value
//! is their weighted sum and whose weight is 1. All depend on a rule alone: they cost what weighing a list of rules costs.

use super::{Feature, RuleView, Shape};
use crate::derivation::Applied;
use crate::error::{Error, Result};
use crate::frequent::FrequentWords;
use crate::weights::Weights;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use treeglot_grammar::{Kind, Symbol};
use treeglot_text::Side;
use treeglot_text::vocab::{MappedVocab, Sym};

/// The name of their weighted sum.
pub const SPARSE_SUM: &str = "Sparse0";
/// What stands for all words that are not frequent.
const OTHER: &str = "&other;";
/// Sides with more words than this are counted as so long.
const LONGEST: u32 = 7;
/// How variables of a rule stand.
const ORDERS: [&str; 6] = ["0", "1", "2m", "2s", "3m", "3s"];

/// What a system with sparse features has for them.
#[derive(Debug, Clone, Copy)]
pub struct OfSparse<'a> {
    /// The frequent words.
    pub words: &'a FrequentWords,
    /// The words of its tables.
    pub vocabs: &'a [&'a MappedVocab],
}

/// The sparse features of a system, by number and by name.
#[derive(Debug, Clone, Default)]
pub struct SparseSpace {
    /// The words of each side as names have them; number 0 is all others.
    words: [Vec<String>; 2],
    index: [FxHashMap<String, u32>; 2],
}

/// The kinds of sparse features, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sparse {
    /// A source word translated by a target word, of which one is frequent.
    Translated(u32, u32),
    /// A target word without a link.
    Inserted(u32),
    /// A source word without a link.
    Deleted(u32),
    /// How many words source and target have.
    Lengths(u32, u32),
    /// How variables stand.
    Order(u32),
}

impl SparseSpace {
    /// The features of these words.
    pub fn new(words: &FrequentWords) -> Self {
        let mut space = Self::default();
        for side in Side::BOTH {
            let all = &mut space.words[side.index()];
            all.push(OTHER.to_string());
            all.extend(words.of(side).iter().map(|word| as_name(word)));
            let numbered = all.iter().zip(0..).map(|(word, number)| (word.clone(), number));
            space.index[side.index()] = numbered.collect();
        }
        space
    }

    fn sizes(&self) -> [u32; 2] {
        self.words.each_ref().map(|words| words.len() as u32)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let [source, target] = self.sizes();
        (source * target + source + target + (LONGEST + 1).pow(2)) as usize + ORDERS.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn number(&self, feature: Sparse) -> u32 {
        let [source, target] = self.sizes();
        let words = source * target;
        match feature {
            Sparse::Translated(from, to) => from * target + to,
            Sparse::Inserted(word) => words + word,
            Sparse::Deleted(word) => words + target + word,
            Sparse::Lengths(from, to) => words + target + source + from * (LONGEST + 1) + to,
            Sparse::Order(order) => words + target + source + (LONGEST + 1).pow(2) + order,
        }
    }

    /// The name of a feature.
    pub fn name(&self, number: u32) -> String {
        let [source, target] = self.sizes();
        let word = |side: usize, number: u32| &self.words[side][number as usize];
        let kinds = [source * target, target, source, (LONGEST + 1).pow(2), ORDERS.len() as u32];
        let (mut kind, mut number) = (0, number);
        while kind + 1 < kinds.len() && number >= kinds[kind] {
            number -= kinds[kind];
            kind += 1;
        }
        match kind {
            0 => format!("wt_{}~{}", word(0, number / target), word(1, number % target)),
            1 => format!("ti_{}", word(1, number)),
            2 => format!("sd_{}", word(0, number)),
            3 => format!("pl_{},{}", number / (LONGEST + 1), number % (LONGEST + 1)),
            _ => format!("rs_{}", ORDERS.get(number as usize).unwrap_or(&"")),
        }
    }

    /// The number of a feature; `None` for what is none of these.
    pub fn find(&self, name: &str) -> Option<u32> {
        let (kind, of) = name.split_once('_')?;
        let word = |side: Side, word: &str| self.index[side.index()].get(word).copied();
        let length = |text: &str| text.parse().ok().filter(|&length: &u32| length <= LONGEST);
        let feature = match kind {
            "wt" => {
                let (from, to) = of.split_once('~')?;
                Sparse::Translated(word(Side::Source, from)?, word(Side::Target, to)?)
            }
            "ti" => Sparse::Inserted(word(Side::Target, of)?),
            "sd" => Sparse::Deleted(word(Side::Source, of)?),
            "pl" => {
                let (from, to) = of.split_once(',')?;
                Sparse::Lengths(length(from)?, length(to)?)
            }
            "rs" => Sparse::Order(ORDERS.iter().position(|known| *known == of)? as u32),
            _ => return None,
        };
        Some(self.number(feature))
    }
}

/// A word as names have it, which end with `=`, are divided by `~` and stand in lines divided by `|||`.
fn as_name(word: &str) -> String {
    word.replace('&', "&amp;").replace('~', "&#126;").replace('|', "&#124;")
}

/// The sparse features with their weights.
pub struct SparseRules {
    space: Arc<SparseSpace>,
    weights: Vec<f32>,
    /// The frequent words by the numbers of the system's vocabulary.
    numbers: [FxHashMap<Sym, u32>; 2],
}

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    let Some(sparse) = shape.sparse else { return Vec::new() };
    vec![Box::new(SparseRules::new(&sparse, shape.weights))]
}

impl SparseRules {
    fn new(sparse: &OfSparse<'_>, weights: Option<&Weights>) -> Self {
        let space = SparseSpace::new(sparse.words);
        let mut own = vec![0.0; space.len()];
        for (name, values) in weights.into_iter().flat_map(Weights::iter) {
            if let (Some(number), &[weight]) = (space.find(name), values) {
                own[number as usize] = weight;
            }
        }
        let mut numbers: [FxHashMap<Sym, u32>; 2] = Default::default();
        let mut start = 0;
        for vocab in sparse.vocabs {
            for side in Side::BOTH {
                for (word, number) in sparse.words.of(side).iter().zip(1..) {
                    if let Some(known) = vocab.get(word) {
                        numbers[side.index()].insert(Sym(start + known.0), number);
                    }
                }
            }
            start += vocab.len() as u32;
        }
        Self { space: Arc::new(space), weights: own, numbers }
    }

    /// Their numbers and names.
    pub fn space(&self) -> &Arc<SparseSpace> {
        &self.space
    }

    /// Hands on the features that a rule has, each as often as it has it.
    pub fn each(&self, rule: &RuleView<'_>, mut take: impl FnMut(u32)) {
        if !matches!(rule.applied, Applied::Rule { .. }) {
            return;
        }
        let mut hand_on = |feature| take(self.space.number(feature));
        let word = |side: Side, symbol: &Symbol| match symbol.kind() {
            Kind::Word(word) => Some(self.numbers[side.index()].get(&word).copied().unwrap_or(0)),
            _ => None,
        };
        let source = |at: usize| word(Side::Source, rule.source.get(at)?);
        let target = |at: usize| word(Side::Target, rule.target.get(at)?);
        for link in rule.links {
            if let (Some(from), Some(to)) = (source(link.src.into()), target(link.tgt.into()))
                && (from, to) != (0, 0)
            {
                hand_on(Sparse::Translated(from, to));
            }
        }
        let mut lengths = [0, 0];
        for (at, symbol) in rule.target.iter().enumerate() {
            let Some(word) = word(Side::Target, symbol) else { continue };
            lengths[1] += 1;
            if !rule.links.iter().any(|link| usize::from(link.tgt) == at) {
                hand_on(Sparse::Inserted(word));
            }
        }
        for (at, symbol) in rule.source.iter().enumerate() {
            let Some(word) = word(Side::Source, symbol) else { continue };
            lengths[0] += 1;
            if !rule.links.iter().any(|link| usize::from(link.src) == at) {
                hand_on(Sparse::Deleted(word));
            }
        }
        let [from, to] = lengths.map(|length| length.min(LONGEST));
        hand_on(Sparse::Lengths(from, to));
        hand_on(Sparse::Order(order(rule.target)));
    }
}

/// How the variables of a target side stand: their number, up to three, and whether any stands before one that it follows in the source.
fn order(target: &[Symbol]) -> u32 {
    let (mut count, mut swapped, mut last) = (0, 0, None);
    for symbol in target {
        if let Kind::Ref(variable) = symbol.kind() {
            swapped |= u32::from(last > Some(variable));
            last = Some(variable);
            count += 1;
        }
    }
    match count {
        0 | 1 => count,
        _ => 2 * (count.min(3) - 1) + swapped,
    }
}

impl Feature for SparseRules {
    fn name(&self) -> String {
        SPARSE_SUM.to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![1.0]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(self.start())
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        let mut sum = 0.0;
        self.each(rule, |number| sum += self.weights[number as usize]);
        sum
    }

    fn reads_links(&self) -> bool {
        true
    }

    fn reads_source(&self) -> bool {
        true
    }

    fn sparse(&self) -> Option<&SparseRules> {
        Some(self)
    }

    fn check(&self, weights: &Weights) -> Result<()> {
        let several = |(name, values): &(&str, &[f32])| values.len() != 1 && self.space.find(name).is_some();
        match weights.iter().find(several) {
            Some((name, values)) => {
                Err(weights.error(format!("`{name}` has {} weights, but 1 value", values.len())))
            }
            None => Ok::<_, Error>(()),
        }
    }
}
