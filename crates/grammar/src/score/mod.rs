//! Scoring: from counted instances to a table, with the scores of Moses' `score` and `consolidate`.
//!
//! Three steps, each of which sees the rules in one order only, so that memory is bounded. `gather` goes over the
//! instances by source side, joins those that differ in links or orientation only, and computes all that does not need
//! the target side's count. `partners` sorts the rules by target side and adds up. The last step puts both together,
//! takes probabilities, drops what is not wanted, and writes the table.

mod gather;
mod links;
mod partners;
mod settings;

pub use settings::{Discount, ScoreInputs, ScoreSettings, Threshold};

use crate::count::{Count, Counted};
use crate::decimal::Decimal;
use crate::discount::{Discounter, Seen};
use crate::error::Result;
use crate::instance::RuleLink;
use crate::spool::Scratch;
use crate::table::{Entry, TableBuilder};
pub use gather::{Block, Blocks, Context, Gathering, cut_at};
use gather::{Gathered, Row, RowLayout};
use partners::Partners;
use std::path::Path;
use treeglot_text::column::BATCH;
use treeglot_text::vocab::Vocab;

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
    settings: &ScoreSettings,
    inputs: &ScoreInputs,
    scratch: &Scratch,
    path: &Path,
) -> Result<Written> {
    settings.check()?;
    let context = Context::new(&mut counted, settings, inputs)?;
    let gathered = gather::gather(&mut counted.records, &context, inputs.memory, scratch)?;
    let Counted { vocab, oriented, origins, records } = counted;
    drop((records, context));
    let found = Found { vocab, oriented, origins };
    write_gathered(gathered, &found, settings, &inputs.model, scratch, path)
}

/// What is known of all rules together.
pub struct Found {
    /// The words and labels.
    pub vocab: Vocab,
    /// Whether any instance has orientations.
    pub oriented: bool,
    /// How many sources the instances come from.
    pub origins: u8,
}

/// The second and the last step.
pub fn write_gathered(
    gathered: Gathered,
    found: &Found,
    settings: &ScoreSettings,
    model: &str,
    scratch: &Scratch,
    path: &Path,
) -> Result<Written> {
    let &Found { ref vocab, oriented, origins } = found;
    let Gathered { rows, targets, counts_of_counts, sources, rules } = gathered;
    let (partners, targets) = Partners::new(targets, rules, scratch)?;
    let discount = Discounter::new(settings.discount, &counts_of_counts);
    let names = score_names(settings, origins);
    let (bits, notes) = (settings.quantize, notes(settings));
    let mut builder = TableBuilder::new(bits, model, &names, oriented, notes, scratch)?;
    let layout = RowLayout::new(settings, oriented);
    let mut last = Last { settings, discount, partners: &partners, rule: 0, layout, origins };
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
    builder.finish(path, vocab, targets)?;
    Ok(written)
}

fn score_names(settings: &ScoreSettings, origins: u8) -> Vec<String> {
    let names: &[&str] =
        if settings.lexical { &["p(s|t)", "lex(s|t)", "p(t|s)", "lex(t|s)"] } else { &["p(s|t)", "p(t|s)"] };
    let origins = if settings.origins { origins } else { 0 };
    let from = (1..=origins).map(|origin| format!("from({origin})"));
    names.iter().map(ToString::to_string).chain(from).collect()
}

fn notes(settings: &ScoreSettings) -> Vec<(String, String)> {
    let mut notes = vec![
        ("discount".to_string(), settings.discount.name().to_string()),
        ("min-count".to_string(), settings.min_count.to_string()),
        ("limit".to_string(), settings.limit.to_string()),
    ];
    notes.extend(settings.quantize.map(|bits| ("quantize".to_string(), bits.to_string())));
    notes
}

/// The last step: one source side after the other.
struct Last<'a> {
    settings: &'a ScoreSettings,
    discount: Discounter,
    partners: &'a Partners,
    /// The number of the next rule.
    rule: usize,
    layout: RowLayout,
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
            if joint < self.settings.min_count - 1e-5 || row.dropped {
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
        if self.settings.limit > 0 {
            kept.truncate(self.settings.limit);
        }
        builder.source(source.code, total)?;
        kept.iter().try_for_each(|rule| self.write(rule, builder))
    }

    fn write(&self, rule: &Kept<'_>, builder: &mut TableBuilder) -> Result<()> {
        let [inverse, direct] = rule.probabilities.map(|p| Decimal::new(f64::from(p)));
        let [lex_direct, lex_inverse] = rule.lexical;
        let mut scores = match self.settings.lexical {
            true => vec![inverse, lex_inverse, direct, lex_direct],
            false => vec![inverse, direct],
        };
        if self.settings.origins {
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
