//! Two tables joined over a third language (Utiyama & Isahara 2007, "phrase translation"; Wu & Wang 2007): rules from the source to the
//! pivot and rules from the pivot to the target whose pivot sides are the same make rules from the source to the target. Probabilities and
//! lexical weights are multiplied along the way and added up over all pivot sides. What is made is sorted past `memory` in temporary
//! files: by source side, target side and pivot side to be added up, by target side to be numbered, by source side to be written.

mod compose;
mod write;

use super::Table;
use crate::error::{Error, Result};
use crate::sort::{Chunk, Sorter};
use crate::spool::Scratch;
use compose::Composer;
use std::path::Path;

/// The scores that both tables must have, and all that the new one has.
const SCORES: [&str; 4] = ["p(s|t)", "lex(s|t)", "p(t|s)", "lex(t|s)"];

/// Which of [`SCORES`] rules of a source side are ordered by.
const DIRECT: usize = 2;

/// The columns of [`SCORES`] in a table.
type Columns = [usize; SCORES.len()];

/// How tables are joined.
#[derive(Debug, Clone)]
pub struct Pivot {
    /// The model that the new table says it is of; that of the first table if empty.
    pub model: String,
    /// How many rules of a source side are kept, those with the highest p(t|s); 0 for all.
    pub limit: usize,
    /// About how many bytes may be used for sorting.
    pub memory: u64,
}

/// What was made of two tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pivoted {
    /// Rules of the first table.
    pub first: u64,
    /// Those whose target side is a source side of the second.
    pub joined: u64,
    /// Rules written.
    pub rules: u64,
}

/// Joins a table from the source to the pivot with one from the pivot to the target, and writes the table from the source to the target.
pub fn pivot(first: &Table, second: &Table, how: &Pivot, scratch: &Scratch, path: &Path) -> Result<Pivoted> {
    let columns = [columns(first, "first")?, columns(second, "second")?];
    let limit = usize::try_from(how.memory / 4).unwrap_or(usize::MAX);
    let mut sorter = Sorter::new(limit, None, scratch);
    let mut composer = Composer::new(first, second, columns);
    let mut made = Pivoted::default();
    first.walk(|rules| -> Result<()> {
        for rule in rules.ids() {
            made.first += 1;
            made.joined += u64::from(composer.compose(&rules, rule)?);
            if composer.chunk.size() > CHUNK {
                sorter.add(std::mem::take(&mut composer.chunk))?;
            }
        }
        Ok(())
    })?;
    sorter.add(std::mem::take(&mut composer.chunk))?;
    let reordering = first.has_reordering() && second.has_reordering();
    let model = if how.model.is_empty() { first.model() } else { &how.model };
    let writer =
        write::Writer { vocab: composer.vocab, reordering, limit: how.limit, memory: limit, scratch };
    made.rules = writer.write(sorter, model, path)?;
    Ok(made)
}

/// How many bytes of records are handed over at a time.
const CHUNK: usize = 1 << 22;

fn columns(table: &Table, which: &str) -> Result<Columns> {
    let names = table.score_names();
    let mut columns = [0; SCORES.len()];
    for (column, name) in columns.iter_mut().zip(SCORES) {
        *column = names.iter().position(|own| own == name).ok_or_else(|| {
            Error::Setting(format!(
                "the {which} table has no score `{name}`: tables are joined by {}",
                SCORES.join(", ")
            ))
        })?;
    }
    Ok(columns)
}

/// Adds a chunk to a sorter when it is large.
fn hand_over(chunk: &mut Chunk, sorter: &mut Sorter) -> Result<()> {
    if chunk.size() > CHUNK { sorter.add(std::mem::take(chunk)) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
