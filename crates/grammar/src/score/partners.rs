//! The second step of scoring: rules in the order of their target sides, so that these get numbers and counts.

use crate::code::{self, Symbols};
use crate::count::Count;
use crate::error::Result;
use crate::sort::{Record, Sorted};
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
struct Side {
    count: f32,
    rules: u32,
}

impl Partners {
    /// Numbers the target sides of `rules` rules.
    pub fn new(mut sorted: Sorted, rules: usize, scratch: &Scratch) -> Result<(Self, Targets)> {
        let mut of_rule = OfRule::new(rules, scratch);
        let mut found = Found { targets: Targets::new(scratch)?, sides: scratch.space().writer() };
        let (mut record, mut group) = (Record::default(), Group::default());
        let mut stream = sorted.stream()?;
        while stream.next(&mut record)? {
            let numbers = Symbols(&record.key).after();
            let text = &record.key[..record.key.len() - numbers.len()];
            if text != group.text {
                group.finish(&mut found)?;
                group.text.extend_from_slice(text);
            }
            group.form(numbers);
            let (number, mut count) =
                record.payload.split_first_chunk().expect("payloads begin with a number");
            let target = found.sides.len() + group.ends.len() - 1;
            of_rule.set(u32::from_le_bytes(*number), target as u32)?;
            group.count.add(Count::read(&mut count));
            group.rules += 1;
        }
        group.finish(&mut found)?;
        let partners = Self { of_rule: of_rule.finish(rules, scratch)?, sides: found.sides.finish()? };
        Ok((partners, found.targets))
    }

    /// The target side of a rule.
    pub fn of_rule(&self, rule: usize) -> u32 {
        self.of_rule[rule]
    }

    /// How often a target side was seen, and with how many source sides.
    pub fn seen(&self, target: u32) -> (f32, u32) {
        let side = &self.sides[target as usize];
        (side.count, side.rules)
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
    targets: Targets,
    sides: ColumnWriter<Side>,
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

    fn finish(&mut self, found: &mut Found) -> Result<()> {
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
                        let number = *numbers.next().expect("there is a number for each variable");
                        code::push(Symbol::reference(number), &mut self.target);
                    }
                    _ => code::push(symbol, &mut self.target),
                }
            }
            numbers.for_each(|&mark| code::push(Symbol::mark(mark), &mut self.target));
            found.targets.push(&self.target, side.count)?;
            found.sides.push(side)?;
        }
        self.text.clear();
        self.forms.clear();
        self.ends.clear();
        (self.count, self.rules) = (Count::default(), 0);
        Ok(())
    }
}
