//! Scoring: from counted instances to a table, with the scores of Moses' `score` and `consolidate`.
//!
//! Three steps, each of which sees the rules in one order only, so that memory is bounded. `gather` goes over the
//! instances by source side, joins those that differ in links or orientation only, and computes all that does not need
//! the target side's count. `partners` sorts the rules by target side and adds up. The last step puts both together,
//! takes probabilities, drops what is not wanted, and writes the table.

mod gather;
mod last;
mod links;
mod partners;
mod settings;

pub use settings::{Discount, ScoreInputs, ScoreSettings, Threshold};

use crate::count::{Count, Counted};
use crate::decimal::Decimal;
use crate::error::Result;
use crate::spool::Scratch;
use crate::table::TableBuilder;
use gather::Gathered;
pub use gather::{Block, Blocks, Context, Joiner, SourceHead, cut_at, edges, read_source};
pub use last::{Divided, Last, Partner};
use partners::Partners;
pub use partners::{Side, SideSink, by_target};
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
fn write_gathered(
    gathered: Gathered,
    found: &Found,
    settings: &ScoreSettings,
    model: &str,
    scratch: &Scratch,
    path: &Path,
) -> Result<Written> {
    let Gathered { rows, targets, counts_of_counts, sources, rules } = gathered;
    let (partners, targets) = Partners::new(targets, rules, scratch)?;
    let last = Last::new(settings, &counts_of_counts, found.oriented, found.origins);
    let mut builder = builder(found, settings, model, scratch)?;
    let (mut rows, mut bytes) = (rows.read()?, Vec::new());
    let mut numbers = 0..;
    let mut partner = || Ok(partners.of_rule(numbers.next().unwrap_or_default()));
    for source in 0..sources {
        if source % BATCH == 0 {
            scratch.space().trim();
        }
        let mut length = [0; 4];
        rows.fill(&mut length)?;
        bytes.resize(u32::from_le_bytes(length) as usize, 0);
        rows.fill(&mut bytes)?;
        last.source(&bytes, &mut partner, &mut builder)?;
    }
    let written = Written { rules: builder.len(), seen: rules };
    drop(partners);
    builder.finish(path, &found.vocab, targets)?;
    Ok(written)
}

/// The builder of the table of these rules.
pub fn builder(
    found: &Found,
    settings: &ScoreSettings,
    model: &str,
    scratch: &Scratch,
) -> Result<TableBuilder> {
    let names = score_names(settings, found.origins);
    TableBuilder::new(settings.quantize, model, &names, found.oriented, notes(settings), scratch)
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
