//! The second step of scoring: rules in the order of their target sides, so that these get numbers and counts.

use crate::code::{self, Symbols};
use crate::count::Count;
use crate::error::Result;
use crate::sort::{Record, Sorted};
use crate::spool::Scratch;
use crate::symbol::{Kind, Symbol};
use crate::table::Targets;

/// The target sides of all rules.
pub struct Partners {
    /// The target side of each rule.
    pub of_rule: Vec<u32>,
    pub targets: Targets,
    /// How many rules have each target side.
    rules: Vec<u32>,
}

impl Partners {
    /// Numbers the target sides of `rules` rules.
    pub fn new(mut sorted: Sorted, rules: usize, scratch: &Scratch) -> Result<Self> {
        let mut partners =
            Self { of_rule: vec![0; rules], targets: Targets::new(scratch)?, rules: Vec::new() };
        let (mut record, mut group) = (Record::default(), Group::default());
        let mut stream = sorted.stream()?;
        while stream.next(&mut record)? {
            let numbers = Symbols(&record.key).after();
            let text = &record.key[..record.key.len() - numbers.len()];
            if text != group.text {
                group.finish(&mut partners)?;
                group.text.extend_from_slice(text);
            }
            if group.forms.last().is_none_or(|last| last != numbers) {
                group.forms.push(numbers.to_vec());
            }
            let (number, mut count) =
                record.payload.split_first_chunk().expect("payloads begin with a number");
            let target = partners.rules.len() + group.forms.len() - 1;
            partners.of_rule[u32::from_le_bytes(*number) as usize] = target as u32;
            group.count.add(Count::read(&mut count));
            group.rules += 1;
        }
        group.finish(&mut partners)?;
        Ok(partners)
    }

    /// How often a target side was seen, and with how many source sides.
    pub fn seen(&self, target: u32) -> (f32, u32) {
        (self.targets.count(target), self.rules[target as usize])
    }
}

/// Target sides that differ in the numbers of their variables only: they share their count.
#[derive(Default)]
struct Group {
    text: Vec<u8>,
    forms: Vec<Vec<u8>>,
    count: Count,
    rules: u32,
}

impl Group {
    fn finish(&mut self, partners: &mut Partners) -> Result<()> {
        let Self { text, forms, count, rules } = std::mem::take(self);
        let mut target = Vec::new();
        for form in &forms {
            target.clear();
            let mut numbers = form.iter();
            for symbol in Symbols(&text) {
                match symbol.kind() {
                    Kind::Label(_) => {}
                    Kind::Var(_) => {
                        let number = *numbers.next().expect("there is a number for each variable");
                        code::push(Symbol::reference(number), &mut target);
                    }
                    _ => code::push(symbol, &mut target),
                }
            }
            partners.targets.push(&target, count.rounded())?;
            partners.rules.push(rules);
        }
        Ok(())
    }
}
