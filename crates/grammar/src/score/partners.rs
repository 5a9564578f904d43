//! The second step of scoring: rules in the order of their target sides, so that these get numbers and counts.

use super::Partner;
use crate::code::{self, Symbols};
use crate::count::Count;
use crate::error::{Error, Result};
use crate::sort::{Record, Sorted, take_varint};
use crate::spool::Scratch;
use crate::symbol::{Kind, Symbol};
use crate::table::Targets;
use treeglot_text::column::{BATCH, Column, ColumnWriter};

/// The target sides of all rules.
pub struct Partners {
    of_rule: Column<u32>,
    sides: Column<Side>,
}

/// How often a target side was seen, and with how many source sides.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Side {
    /// Six digits of its count.
    pub count: f32,
    /// How many rules have it.
    pub rules: u32,
}

/// Is told of target sides in their order, and of the rules that have each.
pub trait SideSink {
    /// The next target side, given by its code without an end.
    fn side(&mut self, code: &[u8], side: Side) -> Result<()>;

    /// A rule of the target side of this number, which is told of after all its rules.
    fn rule(&mut self, rule: u32, origin: u64, target: u32) -> Result<()>;
}

/// Tells `sink` of target sides and rules, from records by target side: what is said of a rule is its number, in four bytes, its
/// count, and if there is more, where the number is counted.
pub fn by_target(sorted: &mut Sorted, sink: &mut impl SideSink) -> Result<()> {
    let (mut record, mut group, mut sides) = (Record::default(), Group::default(), 0);
    let mut stream = sorted.stream()?;
    while stream.next(&mut record)? {
        let numbers = Symbols(&record.key).after();
        let text = &record.key[..record.key.len() - numbers.len()];
        if text != group.text {
            sides += group.finish(sink)?;
            group.text.extend_from_slice(text);
        }
        group.form(numbers);
        let (number, mut rest) = record.payload.split_first_chunk().ok_or(Error::Shard("target sides"))?;
        group.count.add(Count::read(&mut rest));
        group.rules += 1;
        let target = u32::try_from(sides + group.ends.len() - 1).map_err(|_| Error::TooManyRules)?;
        sink.rule(u32::from_le_bytes(*number), take_varint(&mut rest), target)?;
    }
    group.finish(sink)?;
    Ok(())
}

impl Partners {
    /// Numbers the target sides of `rules` rules.
    pub fn new(mut sorted: Sorted, rules: usize, scratch: &Scratch) -> Result<(Self, Targets)> {
        let of_rule = OfRule::new(rules, scratch);
        let mut found = Found { of_rule, targets: Targets::new(scratch)?, sides: scratch.space().writer() };
        by_target(&mut sorted, &mut found)?;
        let Found { of_rule, targets, sides } = found;
        Ok((Self { of_rule: of_rule.finish(rules, scratch)?, sides: sides.finish()? }, targets))
    }

    /// The target side of a rule.
    pub fn of_rule(&self, rule: usize) -> Partner {
        let target = self.of_rule[rule];
        let side = &self.sides[target as usize];
        (target, (side.count, side.rules))
    }
}

/// The target side of each rule, known in the order of target sides: filled in at once where memory allows, else written
/// down and put in order part by part.
enum OfRule {
    Held(Vec<u32>),
    Written(ColumnWriter<[u32; 2]>),
}

impl OfRule {
    fn new(rules: usize, scratch: &Scratch) -> Self {
        match rules <= scratch.space().beside(size_of::<u32>()) {
            true => Self::Held(vec![0; rules]),
            false => Self::Written(scratch.space().writer()),
        }
    }

    fn set(&mut self, rule: u32, target: u32) -> Result<()> {
        match self {
            Self::Held(targets) => targets[rule as usize] = target,
            Self::Written(pairs) => pairs.push([rule, target])?,
        }
        Ok(())
    }

    fn finish(self, rules: usize, scratch: &Scratch) -> Result<Column<u32>> {
        let pairs = match self {
            Self::Held(targets) => return Ok(targets.into()),
            Self::Written(pairs) => pairs.finish()?,
        };
        let space = scratch.space();
        let (mut out, part) = (space.writer(), space.beside(size_of::<u32>()));
        for from in (0..rules).step_by(part) {
            let mut targets = vec![0; part.min(rules - from)];
            for batch in pairs.chunks(BATCH) {
                for &[rule, target] in batch {
                    let at = (rule as usize).checked_sub(from);
                    if let Some(here) = at.and_then(|at| targets.get_mut(at)) {
                        *here = target;
                    }
                }
                space.trim();
            }
            out.extend(&targets)?;
        }
        Ok(out.finish()?)
    }
}

/// The target sides found so far.
struct Found {
    of_rule: OfRule,
    targets: Targets,
    sides: ColumnWriter<Side>,
}

impl SideSink for Found {
    fn side(&mut self, code: &[u8], side: Side) -> Result<()> {
        self.targets.push(code, side.count)?;
        Ok(self.sides.push(side)?)
    }

    fn rule(&mut self, rule: u32, _: u64, target: u32) -> Result<()> {
        self.of_rule.set(rule, target)
    }
}

/// Target sides that differ in the numbers of their variables only: they share their count.
#[derive(Default)]
struct Group {
    text: Vec<u8>,
    /// The variables' numbers and marks of one form after the other, and where each ends.
    forms: Vec<u8>,
    ends: Vec<usize>,
    count: Count,
    rules: u32,
    /// The code of a target side.
    target: Vec<u8>,
}

impl Group {
    /// Takes the variables' numbers of a rule; equal ones come one after the other.
    fn form(&mut self, numbers: &[u8]) {
        let last = self.ends.len().checked_sub(2).map_or(0, |before| self.ends[before]);
        if self.ends.is_empty() || self.forms[last..] != *numbers {
            self.forms.extend_from_slice(numbers);
            self.ends.push(self.forms.len());
        }
    }

    /// Tells of its forms; how many there are.
    fn finish(&mut self, sink: &mut impl SideSink) -> Result<usize> {
        let side = Side { count: self.count.rounded(), rules: self.rules };
        let mut start = 0;
        for &end in &self.ends {
            let mut numbers = self.forms[start..end].iter();
            start = end;
            self.target.clear();
            for symbol in Symbols(&self.text) {
                match symbol.kind() {
                    Kind::Label(_) => {}
                    Kind::Var(_) => {
                        let number = *numbers.next().ok_or(Error::Shard("target sides"))?;
                        code::push(Symbol::reference(number), &mut self.target);
                    }
                    _ => code::push(symbol, &mut self.target),
                }
            }
            numbers.for_each(|&mark| code::push(Symbol::mark(mark), &mut self.target));
            sink.side(&self.target, side)?;
        }
        let forms = self.ends.len();
        self.text.clear();
        self.forms.clear();
        self.ends.clear();
        (self.count, self.rules) = (Count::default(), 0);
        Ok(forms)
    }
}
