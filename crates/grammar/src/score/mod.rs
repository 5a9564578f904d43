//! Scoring: from counted instances to a table, with the scores of Moses' `score` and `consolidate`.
//!
//! Three steps, each of which sees the rules in one order only, so that memory is bounded. `gather` goes over the
//! instances by source side, joins those that differ in links or orientation only, and computes all that does not need
//! the target side's count. `partners` sorts the rules by target side and adds up. The last step puts both together,
//! takes probabilities, drops what is not wanted, and writes the table.

mod gather;
mod links;
mod partners;

pub use crate::discount::Smoothing;
pub use crate::significance::Threshold;

use crate::count::{Count, Counted};
use crate::decimal::Decimal;
use crate::discount::{Discount, Seen};
use crate::error::Result;
use crate::instance::RuleLink;
use crate::lexicon::Lexicon;
use crate::significance::Significance;
use crate::spool::Scratch;
use crate::table::{Entry, TableBuilder};
use gather::{Context, Gathered, Layout, Row};
use partners::Partners;
use std::path::{Path, PathBuf};
use treeglot_text::column::BATCH;

/// Where the probabilities of words for lexical weights come from.
#[derive(Debug, Clone, Default)]
pub enum LexicalWeights {
    /// Relative frequencies of the links of the instances themselves.
    #[default]
    Estimated,
    /// The tables `PREFIX.f2e` and `PREFIX.e2f`.
    From(PathBuf),
    /// No lexical weights: rules have two scores.
    None,
}

/// How rules are scored and which are kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the table says its model is.
    pub model: String,
    /// The discount of joint counts.
    pub smoothing: Smoothing,
    /// Where lexical weights come from.
    pub lexical: LexicalWeights,
    /// Rules seen less often are left out; their counts stay in those of their sides.
    pub min_count: f32,
    /// How many rules of a source side are kept, best p(t|s) first; 0 for all.
    pub limit: usize,
    /// Which rules are significant in this corpus, a source and a target file, and kept.
    pub significance: Option<(Threshold, PathBuf, PathBuf)>,
    /// At most 2 to the power of this many distinct values of each score; all if there is no number.
    pub quantize: Option<u32>,
    /// What is added to each orientation's count.
    pub reordering_smoothing: f64,
    /// Whether rules get a score for each source of instances, which tells whether it is one of theirs: e, else 1, so that the
    /// logarithms are 1 and 0.
    pub origins: bool,
    /// Whether rules that differ only in the structure of their target sides are one, with the structure seen most often.
    pub one_structure: bool,
    /// About how many bytes may be used beside what the table holds in memory.
    pub memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            model: String::new(),
            smoothing: Smoothing::None,
            lexical: LexicalWeights::default(),
            min_count: 0.0,
            limit: 0,
            significance: None,
            quantize: None,
            reordering_smoothing: 0.5,
            origins: false,
            one_structure: false,
            memory: 4 << 30,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Rules in the table.
    pub rules: usize,
    /// Rules that were seen.
    pub seen: usize,
}

/// Scores counted instances and writes them as a table.
pub fn write_table(
    mut counted: Counted,
    options: &Options,
    scratch: &Scratch,
    path: &Path,
) -> Result<Written> {
    let lexicon = match &options.lexical {
        LexicalWeights::Estimated => Some(Lexicon::estimate(&mut counted)?),
        LexicalWeights::From(prefix) => Some(Lexicon::open(prefix, &counted.vocab)?),
        LexicalWeights::None => None,
    };
    let significance = match &options.significance {
        Some((threshold, source, target)) => {
            Some(Significance::open(source, target, *threshold, &counted.vocab)?)
        }
        None => None,
    };
    let Options { origins, one_structure, .. } = *options;
    let layout = Layout { oriented: counted.oriented, origins, one_structure };
    let context = Context { lexicon, significance, smoothing: options.reordering_smoothing, layout };
    let gathered = gather::gather(&mut counted.records, &context, options.memory, scratch)?;
    let Counted { vocab, oriented, origins, records } = counted;
    drop((records, context));
    let Gathered { rows, targets, counts_of_counts, sources, rules } = gathered;
    let (partners, targets) = Partners::new(targets, rules, scratch)?;
    let discount = Discount::new(options.smoothing, &counts_of_counts);
    let names = score_names(options, origins);
    let (bits, notes) = (options.quantize, notes(options));
    let mut builder = TableBuilder::quantized(bits, &options.model, &names, oriented, notes, scratch)?;
    let mut last = Last { options, discount, partners: &partners, rule: 0, layout, origins };
    let (mut rows, mut bytes) = (rows.read()?, Vec::new());
    for source in 0..sources {
        if source % BATCH == 0 {
            scratch.space().trim();
        }
        let mut length = [0; 4];
        rows.fill(&mut length)?;
        bytes.resize(u32::from_le_bytes(length) as usize, 0);
        rows.fill(&mut bytes)?;
        last.source(&bytes, &mut builder)?;
    }
    let written = Written { rules: builder.len(), seen: rules };
    drop(partners);
    builder.finish(path, &vocab, targets)?;
    Ok(written)
}

fn score_names(options: &Options, origins: u8) -> Vec<String> {
    let names: &[&str] = match options.lexical {
        LexicalWeights::None => &["p(s|t)", "p(t|s)"],
        _ => &["p(s|t)", "lex(s|t)", "p(t|s)", "lex(t|s)"],
    };
    let origins = if options.origins { origins } else { 0 };
    let from = (1..=origins).map(|origin| format!("from({origin})"));
    names.iter().map(ToString::to_string).chain(from).collect()
}

fn notes(options: &Options) -> Vec<(String, String)> {
    let discount = match options.smoothing {
        Smoothing::None => "none",
        Smoothing::GoodTuring => "gt",
        Smoothing::KneserNey => "kn",
    };
    let mut notes = vec![
        ("discount".to_string(), discount.to_string()),
        ("min-count".to_string(), options.min_count.to_string()),
        ("limit".to_string(), options.limit.to_string()),
    ];
    notes.extend(options.quantize.map(|bits| ("quantize".to_string(), bits.to_string())));
    notes
}

/// The last step: one source side after the other.
struct Last<'a> {
    options: &'a Options,
    discount: Discount,
    partners: &'a Partners,
    /// The number of the next rule.
    rule: usize,
    layout: Layout,
    origins: u8,
}

struct Kept<'a> {
    probabilities: [f32; 2],
    lexical: [Decimal; 2],
    target: u32,
    count: f32,
    reordering: [Decimal; 6],
    origins: u32,
    links: &'a [RuleLink],
}

impl Last<'_> {
    fn source(&mut self, bytes: &[u8], builder: &mut TableBuilder) -> Result<()> {
        let (source, mut rows) = gather::read_source(bytes);
        let total = source.count.rounded();
        let mut kept: Vec<Kept<'_>> = Vec::with_capacity(source.rules as usize);
        for _ in 0..source.rules {
            let row = Row::read(&mut rows, self.layout);
            let target = self.partners.of_rule(self.rule);
            self.rule += 1;
            let joint = row.count.rounded();
            if joint < self.options.min_count - 1e-5 || row.dropped {
                continue;
            }
            let seen = Seen { joint, source: (total, source.rules), target: self.partners.seen(target) };
            kept.push(Kept {
                probabilities: self.discount.probabilities(&seen),
                lexical: row.lexical,
                target,
                count: joint,
                reordering: row.reordering,
                origins: row.origins,
                links: row.links,
            });
        }
        if kept.is_empty() {
            return Ok(());
        }
        kept.sort_by(|a, b| b.probabilities[1].total_cmp(&a.probabilities[1]).then(a.target.cmp(&b.target)));
        if self.options.limit > 0 {
            kept.truncate(self.options.limit);
        }
        builder.source(source.code, total)?;
        kept.iter().try_for_each(|rule| self.write(rule, builder))
    }

    fn write(&self, rule: &Kept<'_>, builder: &mut TableBuilder) -> Result<()> {
        let [inverse, direct] = rule.probabilities.map(|p| Decimal::new(f64::from(p)));
        let [lex_direct, lex_inverse] = rule.lexical;
        let mut scores = match self.options.lexical {
            LexicalWeights::None => vec![inverse, direct],
            _ => vec![inverse, lex_inverse, direct, lex_direct],
        };
        if self.options.origins {
            let value = |origin: u8| if rule.origins >> origin & 1 == 1 { std::f64::consts::E } else { 1.0 };
            scores.extend((0..self.origins).map(|origin| Decimal::new(value(origin))));
        }
        let (target, links, count, reordering) = (rule.target, rule.links, rule.count, rule.reordering);
        builder.rule(Entry { target, links, count, scores: &scores, reordering })
    }
}

/// `(count + smoothing) / (sum + 3 smoothing)` for the orientations of each direction.
fn reordering_scores(counts: &[Count; 6], smoothing: f64) -> [Decimal; 6] {
    std::array::from_fn(|k| {
        let direction = &counts[k / 3 * 3..k / 3 * 3 + 3];
        let sum: f64 = direction.iter().map(|count| count.value()).sum();
        Decimal::new((counts[k].value() + smoothing) / (sum + 3.0 * smoothing))
    })
}

#[cfg(test)]
mod tests;
