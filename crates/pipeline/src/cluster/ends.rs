//! The end of scoring rules on executors: target sides are counted by ranges of their own, then every range of rules takes its
//! probabilities ([`treeglot_grammar::shard`]); the driving process puts target sides and rules in the table as they come.

use super::task::Task;
use super::{Columns, Op, Row, Site, Step, damaged, in_ranges, notes};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;
use treeglot_grammar::shard::{
    CountedSides, EndSettings, Numbering, RangeEnd, SideCounts, Summaries, by_side,
};
use treeglot_grammar::{ScoreSettings, Scratch, Written};

/// Where the numbers of rows begin that a range of target sides has for ranges of rules: after those of a range's own.
const SIDES: u64 = 1 << 40;

/// Divides the rules of blocks by ranges of target sides.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BySide {
    bounds: Vec<Vec<u8>>,
    memory: u64,
}

/// Counts the target sides of a range.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CountSides {
    memory: u64,
}

/// Leaves the rows of rules, and what ranges of target sides say of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Gather {}

/// Ends scoring the rules of a range.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct End {
    settings: EndSettings,
}

/// From the table `counts` to the file.
pub(super) fn write(
    site: Site<'_>,
    numbering: Numbering,
    (name, score): (&str, &ScoreSettings),
    scratch: &Scratch,
    to: &Path,
) -> Result<Written> {
    let division = site.engine.division();
    let mut summaries = Summaries::default();
    for row in site.rows("counts", Columns::Notes)? {
        let row = row?;
        summaries.add(row.part, notes(&row)?)?;
    }
    let step = Step {
        name: "sides".to_string(),
        from: vec!["counts".to_string()],
        heads: false,
        each: Some(Op::BySide(BySide { bounds: summaries.bounds(division.parts), memory: division.memory })),
        together: Some(Op::CountSides(CountSides { memory: division.memory })),
        files: Vec::new(),
    };
    site.engine.run(site.folder, &step)?;
    let mut collector = numbering.targets(summaries, scratch)?;
    for row in site.rows("sides", Columns::Heads)? {
        let row = row?;
        if row.number < SIDES {
            collector.add(row.part, &row.head)?;
        }
    }
    let (settings, mut assembler) = collector.finish(score, name, scratch)?;
    let step = Step {
        name: "ends".to_string(),
        from: vec!["counts".to_string(), "sides".to_string()],
        heads: false,
        each: Some(Op::Gather(Gather {})),
        together: Some(Op::End(Box::new(End { settings }))),
        files: Vec::new(),
    };
    site.engine.run(site.folder, &step)?;
    for row in site.rows("ends", Columns::Cells)? {
        row?.cells.iter().try_for_each(|rules| assembler.add(rules))?;
    }
    Ok(assembler.finish(to)?)
}

/// What blocks gave ranges of target sides, which hear of many blocks at once: a block has few rules for each of them.
pub struct Dividing {
    op: BySide,
    ranges: Vec<Vec<u8>>,
    held: usize,
    number: u64,
}

impl Dividing {
    /// Nothing yet.
    pub fn new(op: BySide) -> Self {
        Self { ranges: vec![Vec::new(); op.bounds.len() + 1], op, held: 0, number: 0 }
    }
}

impl Task for Dividing {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let [_, targets] = &row.cells[..] else { return Err(damaged("a block of rules lacks cells")) };
        // Ranges of target sides need not know which block rules are of.
        let more = by_side(targets, row.part, &self.op.bounds)?;
        self.ranges.iter_mut().zip(more).for_each(|(range, more)| range.extend(more));
        self.held += targets.len();
        self.number = row.part << 32 | row.number;
        if self.held as u64 >= self.op.memory / 8 {
            self.finish(out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let ranges = self.ranges.iter_mut().map(std::mem::take).collect();
        in_ranges(self.number, ranges, out);
        self.held = 0;
        Ok(())
    }
}

/// The target sides of the range that rows come of.
pub struct Counting {
    memory: u64,
    range: Option<(u64, SideCounts)>,
}

impl Counting {
    /// None yet.
    pub fn new(op: &CountSides) -> Self {
        Self { memory: op.memory, range: None }
    }
}

impl Task for Counting {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        if self.range.as_ref().is_some_and(|(part, _)| *part != row.part) {
            self.finish(out)?;
        }
        let new = || (row.part, SideCounts::new(self.memory, &Scratch::new(None)));
        let (_, counts) = self.range.get_or_insert_with(new);
        Ok(row.cells.into_iter().try_for_each(|records| counts.add(records))?)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let Some((part, counts)) = self.range.take() else { return Ok(()) };
        let CountedSides { codes, rules } = counts.finish()?;
        let codes = (0..).zip(codes);
        out.extend(codes.map(|(number, head)| Row { part, number, head, ..Row::default() }));
        let told =
            |(range, told)| Row { part: range, number: SIDES + part, cells: vec![told], ..Row::default() };
        out.extend(rules.into_iter().map(told));
        Ok(())
    }
}

impl Task for Gather {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let Row { part, number, cells, .. } = row;
        // A block has its target sides as well, and target sides for the table have no cells.
        let first = cells.into_iter().next();
        out.extend(first.map(|cell| Row { part, number, cells: vec![cell], ..Row::default() }));
        Ok(())
    }
}

/// The rules of the range that rows come of.
pub struct Ending {
    settings: EndSettings,
    rows: Vec<Row>,
}

impl Ending {
    /// None yet.
    pub fn new(op: End) -> Self {
        Self { settings: op.settings, rows: Vec::new() }
    }
}

impl Task for Ending {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        if self.rows.first().is_some_and(|first| first.part != row.part) {
            self.finish(out)?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let Some(part) = self.rows.first().map(|row| row.part) else { return Ok(()) };
        let mut end = RangeEnd::new(part, &self.settings)?;
        for row in self.rows.drain(..) {
            let cell = row.cells.into_iter().next().unwrap_or_default();
            match row.number.checked_sub(SIDES) {
                Some(range) => end.add_sides(range, &cell)?,
                None => end.add_block(row.number, cell),
            }
        }
        let mut number = 0;
        Ok(end.finish(|rules| {
            out.push(Row { part, number, cells: vec![rules], ..Row::default() });
            number += 1;
        })?)
    }
}
