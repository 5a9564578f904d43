//! Coverage: how many training pairs are recovered by their own rules, for ranges of limits and by the length of the
//! sentence, and why others are not (Na & Lee 2011, section 5, figures 6 and 7 and table 1).

use super::forest::{Limits, UnitForest};
use super::recover::{Reason, reason, recovers, recovers_by_any, restores_by_priority};
pub use super::sequences::Sequences;
use super::spans::{Consistency, Cspans, Spans};
use crate::error::Result;
use crate::matrix::Matrix;
use crate::pair::{Needs, Pair};
use crate::pairs::{Checked, Chunk, Pairs};
use serde::{Deserialize, Serialize};
use treeglot_align::Link;
use treeglot_text::in_order;
use treeglot_text::vocab::Vocab;
use treeglot_tree::{DepTree, TreeKind};

/// The source words that lengths are counted in steps of, and how many steps there are; the last one is open.
pub const LENGTHS: (usize, usize) = (5, 7);

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Study {
    /// The most words of a unit, each of these
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = Self::default().m)
    )]
    pub m: Vec<usize>,

    /// The most ways to go on below a unit, each of these; 0 for all, none of which is left out for its probability
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = Self::default().k)
    )]
    pub k: Vec<usize>,

    /// Leave out ways of at most this probability, but for the best one below each unit
    #[cfg_attr(feature = "clap", arg(long, value_name = "P", default_value_t = Self::default().delta))]
    pub delta: f64,

    /// When a target span may be the translation of a unit
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t))]
    pub consistency: Consistency,

    /// The longest word sequences of the last table, in words
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().max_sequence))]
    pub max_sequence: usize,
}

impl Default for Study {
    fn default() -> Self {
        Self {
            m: (1..=8).collect(),
            k: vec![1, 5, 10, 20, 50],
            delta: 0.0,
            consistency: Consistency::default(),
            max_sequence: 10,
        }
    }
}

/// Pairs, and how many of them were recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Share {
    /// All.
    pub pairs: u64,
    /// Those recovered.
    pub recovered: u64,
}

/// The pairs that were not recovered, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reasons {
    /// The derivation has hyperarcs beyond the k best.
    pub beyond_k: u64,
    /// Source words without links would have to be left out.
    pub unaligned: u64,
    /// A unit of another shape would be needed.
    pub ill_formed_unit: u64,
    /// A unit of more than m words would be needed, for no smaller span is consistent.
    pub no_consistent_cspan: u64,
}

/// What was found for one m and k.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The most words of a unit.
    pub m: usize,
    /// The most hyperarcs into a vertex.
    pub k: usize,
    /// All pairs.
    pub all: Share,
    /// All pairs, those as recovered whose rules build the target side by their priority alone; no pairs where hyperarcs have no limit.
    pub by_priority: Share,
    /// By length, in steps of [`LENGTHS`].
    pub by_length: Vec<Share>,
    /// Why others failed.
    pub reasons: Reasons,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// One for each m and k.
    pub settings: Vec<Setting>,
    /// The counterparts of source sequences, and of target sequences.
    pub sequences: [Sequences; 2],
}

impl Study {
    /// Whether all settings are in range; else the one that is not, and what it should be.
    pub fn check(&self) -> std::result::Result<(), (&'static str, String)> {
        if !(0.0..1.0).contains(&self.delta) {
            return Err(("delta", format!("is a probability from 0 to below 1, not {}", self.delta)));
        }
        if self.m.is_empty() || self.m.contains(&0) {
            return Err((
                "m",
                "lists how many words a unit may have: at least one number, each 1 or more".into(),
            ));
        }
        if self.k.is_empty() {
            return Err((
                "k",
                "lists how many ways may go on below a unit: at least one number, 0 for all".into(),
            ));
        }
        Ok(())
    }

    /// Studies all pairs, on all threads of the current pool; also what became of unusable ones. After each chunk `studied` is told
    /// how many pairs it had.
    pub fn run(&self, pairs: &mut Pairs, mut studied: impl FnMut(u64) + Send) -> Result<(Coverage, Checked)> {
        let (mut all, mut seen) = (self.empty(), Checked::default());
        let take = |(part, checked): (Coverage, Checked)| {
            all.merge(&part);
            seen.merge(&checked);
            studied(checked.pairs);
            Ok(())
        };
        in_order(|| pairs.next_chunk(), |chunk| self.chunk(chunk), take, Ok)?;
        Ok((all, seen))
    }

    /// What the pairs must have.
    pub fn needs(&self) -> Needs {
        Needs::source_parses(&[TreeKind::Dependency])
    }

    fn empty(&self) -> Coverage {
        let setting = |m, k| Setting {
            m,
            k,
            all: Share::default(),
            by_priority: Share::default(),
            by_length: vec![Share::default(); LENGTHS.1],
            reasons: Reasons::default(),
        };
        let settings = self.m.iter().flat_map(|&m| self.k.iter().map(move |&k| setting(m, k))).collect();
        Coverage { settings, sequences: Default::default() }
    }

    fn chunk(&self, chunk: Chunk) -> Result<(Coverage, Checked)> {
        let mut found = self.empty();
        let checked = chunk.for_each(&mut Vocab::default(), |pair, _| self.pair(pair, &mut found))?;
        Ok((found, checked))
    }

    fn pair(&self, pair: &Pair<'_>, found: &mut Coverage) {
        let trees: Vec<&DepTree> = pair.source_deps().map(|(tree, _)| tree).collect();
        let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
        let spans = Spans::new(&matrix, self.consistency);
        let length = ((pair.source.len() - 1) / LENGTHS.0).min(LENGTHS.1 - 1);
        let mut settings = found.settings.iter_mut();
        for &max_words in &self.m {
            let mut why = None;
            let mut forest = self.forest(&trees, &spans, max_words);
            for (&k, setting) in self.k.iter().zip(&mut settings) {
                let recovered = match k {
                    0 => recovers_by_any(&trees, &spans, max_words),
                    _ => {
                        let [recovered, by_priority] = self.recovers(&mut forest, k);
                        setting.by_priority.add(by_priority);
                        recovered
                    }
                };
                setting.all.add(recovered);
                setting.by_length[length].add(recovered);
                if !recovered {
                    setting.reasons.add(*why.get_or_insert_with(|| reason(&trees, &spans, max_words)));
                }
            }
        }
        let mut inverted: Vec<Link> = pair.links.iter().map(|link| Link::new(link.tgt, link.src)).collect();
        inverted.sort_unstable();
        let other = Matrix::new(&inverted, pair.target.len(), pair.source.len());
        let longest = u32::try_from(self.max_sequence).unwrap_or(u32::MAX);
        found.sequences[0].add(&matrix, &other, longest);
        found.sequences[1].add(&other, &matrix, longest);
    }

    /// The forest with all hyperarcs that any setting has, and what its covers are linked to; none if no setting has a limit.
    fn forest(
        &self,
        trees: &[&DepTree],
        spans: &Spans<'_>,
        max_words: usize,
    ) -> Option<(UnitForest, Cspans)> {
        let max_edges = self.k.iter().copied().max().filter(|&most| most > 0)?;
        let forest = UnitForest::new(trees, &Limits { max_words, max_edges });
        let cspans = spans.cspans(&forest);
        Some((forest, cspans))
    }

    /// Whether rules build the target side, and whether they do by their priority alone.
    fn recovers(&self, forest: &mut Option<(UnitForest, Cspans)>, max_edges: usize) -> [bool; 2] {
        let Some((forest, cspans)) = forest else { return [false; 2] };
        forest.keep_best(max_edges);
        forest.outside(true);
        forest.prune(self.delta);
        [recovers(forest, cspans), restores_by_priority(forest, cspans)]
    }
}

impl Coverage {
    fn merge(&mut self, part: &Self) {
        for (all, part) in self.settings.iter_mut().zip(&part.settings) {
            all.all.merge(&part.all);
            all.by_priority.merge(&part.by_priority);
            all.by_length.iter_mut().zip(&part.by_length).for_each(|(all, part)| all.merge(part));
            all.reasons.merge(&part.reasons);
        }
        self.sequences.iter_mut().zip(&part.sequences).for_each(|(all, part)| all.merge(part));
    }
}

impl Share {
    /// The share of recovered pairs, in per cent.
    pub fn percent(&self) -> f64 {
        if self.pairs == 0 { 0.0 } else { 100.0 * self.recovered as f64 / self.pairs as f64 }
    }

    fn add(&mut self, recovered: bool) {
        self.pairs += 1;
        self.recovered += u64::from(recovered);
    }

    fn merge(&mut self, part: &Self) {
        self.pairs += part.pairs;
        self.recovered += part.recovered;
    }
}

impl Reasons {
    fn add(&mut self, reason: Reason) {
        *match reason {
            Reason::BeyondK => &mut self.beyond_k,
            Reason::Unaligned => &mut self.unaligned,
            Reason::IllFormed => &mut self.ill_formed_unit,
            Reason::NoConsistentSpan => &mut self.no_consistent_cspan,
        } += 1;
    }

    fn merge(&mut self, part: &Self) {
        self.beyond_k += part.beyond_k;
        self.unaligned += part.unaligned;
        self.ill_formed_unit += part.ill_formed_unit;
        self.no_consistent_cspan += part.no_consistent_cspan;
    }
}
