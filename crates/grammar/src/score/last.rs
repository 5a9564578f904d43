//! The last step of scoring: one source side after the other, its rules get their probabilities, those that are not wanted are
//! dropped, and what is left goes to a table, or to the process that writes it ([`crate::shard`]).

use super::ScoreSettings;
use super::gather::{self, Row, RowLayout, SourceHead};
use crate::decimal::Decimal;
use crate::discount::{CountsOfCounts, Discounter, Seen};
use crate::error::{Error, Result};
use crate::instance::RuleLink;
use crate::sort::{push_varint, take_varint};
use crate::table::{Entry, TableBuilder};
use std::ops::Range;

/// The target side of a rule: its number, and how often it was seen with how many source sides.
pub type Partner = (u32, (f32, u32));

/// What the last step needs beside rows and target sides.
pub struct Last<'a> {
    settings: &'a ScoreSettings,
    discount: Discounter,
    layout: RowLayout,
    origins: u8,
}

/// A rule that is kept.
pub struct Kept<'a> {
    probabilities: [f32; 2],
    lexical: [Decimal; 2],
    target: u32,
    count: f32,
    reordering: [Decimal; 6],
    origins: u32,
    links: &'a [RuleLink],
}

impl<'a> Last<'a> {
    /// The last step by these counts of counts, of instances that come from so many sources.
    pub fn new(
        settings: &'a ScoreSettings,
        counts_of_counts: &CountsOfCounts,
        oriented: bool,
        origins: u8,
    ) -> Self {
        let discount = Discounter::new(settings.discount, counts_of_counts);
        Self { settings, discount, layout: RowLayout::new(settings, oriented), origins }
    }

    /// The rules of a source side that are kept, in the order of their rows. `given` is how often it was seen, and with how many
    /// target sides, in all rows that it has; `partner` tells the target side of the next rule.
    pub fn rules<'r>(
        &self,
        source: &SourceHead<'_>,
        mut rows: &'r [u8],
        given: (f32, u32),
        mut partner: impl FnMut() -> Result<Partner>,
    ) -> Result<Vec<Kept<'r>>> {
        let mut kept = Vec::with_capacity(source.rules as usize);
        for _ in 0..source.rules {
            let row = Row::read(&mut rows, self.layout);
            let (target, seen) = partner()?;
            let joint = row.count.rounded();
            if joint < self.settings.min_count - 1e-5 || row.dropped {
                continue;
            }
            let seen = Seen { joint, source: given, target: seen };
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
        Ok(kept)
    }

    /// Puts the rules of a whole source side in order, the best first, and leaves out those beyond the limit.
    pub fn choose<T>(&self, kept: &mut Vec<T>, place: impl Fn(&T) -> (f32, u32)) {
        kept.sort_by(|a, b| {
            let (a, b) = (place(a), place(b));
            b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
        });
        if self.settings.limit > 0 {
            kept.truncate(self.settings.limit);
        }
    }

    /// Hands all rules of a source side to a table.
    pub fn source(
        &self,
        bytes: &[u8],
        partner: impl FnMut() -> Result<Partner>,
        builder: &mut TableBuilder,
    ) -> Result<()> {
        let (source, rows) = gather::read_source(bytes);
        let total = source.count.rounded();
        let mut kept = self.rules(&source, rows, (total, source.rules), partner)?;
        if kept.is_empty() {
            return Ok(());
        }
        self.choose(&mut kept, Kept::place);
        builder.source(source.code, total)?;
        let mut scores = Vec::new();
        kept.iter().try_for_each(|rule| {
            self.scores(rule, &mut scores);
            builder.rule(rule.entry(&scores))
        })
    }

    fn scores(&self, rule: &Kept<'_>, out: &mut Vec<Decimal>) {
        let [inverse, direct] = rule.probabilities.map(|p| Decimal::new(f64::from(p)));
        let [lex_direct, lex_inverse] = rule.lexical;
        out.clear();
        match self.settings.lexical {
            true => out.extend([inverse, lex_inverse, direct, lex_direct]),
            false => out.extend([inverse, direct]),
        }
        if self.settings.origins {
            let value = |origin: u8| if rule.origins >> origin & 1 == 1 { std::f64::consts::E } else { 1.0 };
            out.extend((0..self.origins).map(|origin| Decimal::new(value(origin))));
        }
    }

    /// Appends a source side and its kept rules to `out`, for another process; `whole` tells whether these are all of them, in
    /// their order.
    pub fn write(&self, source: (&[u8], f32), whole: bool, kept: &[Kept<'_>], out: &mut Vec<u8>) {
        let (code, total) = source;
        push_varint((code.len() as u64) << 1 | u64::from(whole), out);
        out.extend_from_slice(code);
        out.extend_from_slice(&total.to_le_bytes());
        push_varint(kept.len() as u64, out);
        let mut scores = Vec::new();
        for rule in kept {
            if !whole {
                out.extend_from_slice(&rule.probabilities[1].to_le_bytes());
            }
            out.extend_from_slice(&rule.target.to_le_bytes());
            out.extend_from_slice(&rule.count.to_le_bytes());
            self.scores(rule, &mut scores);
            out.extend_from_slice(bytemuck::cast_slice(&scores));
            if self.layout.oriented {
                out.extend_from_slice(bytemuck::bytes_of(&rule.reordering));
            }
            push_varint(rule.links.len() as u64, out);
            out.extend_from_slice(bytemuck::cast_slice(rule.links));
        }
    }

    /// Takes what [`Last::write`] wrote of a source side to a table, or puts it aside until all of it is there.
    pub fn read(&self, bytes: &mut &[u8], divided: &mut Divided, builder: &mut TableBuilder) -> Result<()> {
        let damaged = || Error::Shard("rules of a range");
        let head = take_varint(bytes);
        let code = take(bytes, usize::try_from(head >> 1).map_err(|_| damaged())?).ok_or_else(damaged)?;
        let total = f32::from_le_bytes(array(bytes).ok_or_else(damaged)?);
        let (rules, whole) = (take_varint(bytes), head & 1 == 1);
        if divided.code != code {
            divided.finish(self, builder)?;
        }
        match whole {
            true if rules > 0 => builder.source(code, total)?,
            true => {}
            false => (divided.code, divided.total) = (code.to_vec(), total),
        }
        for _ in 0..rules {
            let direct = match whole {
                true => 0.0,
                false => f32::from_le_bytes(array(bytes).ok_or_else(damaged)?),
            };
            let before = *bytes;
            let rule = self.take_rule(bytes, &mut divided.scores).ok_or_else(damaged)?;
            if whole {
                builder.rule(Entry { scores: &divided.scores, ..rule })?;
                continue;
            }
            let start = divided.bytes.len();
            divided.bytes.extend_from_slice(&before[..before.len() - bytes.len()]);
            divided.rules.push(Piece { direct, target: rule.target, bytes: start..divided.bytes.len() });
        }
        Ok(())
    }

    /// Takes a rule from the front of `bytes`, but for its scores, which come to `scores`.
    fn take_rule<'b>(&self, bytes: &mut &'b [u8], scores: &mut Vec<Decimal>) -> Option<Entry<'b>> {
        let target = u32::from_le_bytes(array(bytes)?);
        let count = f32::from_le_bytes(array(bytes)?);
        let origins = if self.settings.origins { usize::from(self.origins) } else { 0 };
        let len = if self.settings.lexical { 4 } else { 2 } + origins;
        let numbers = take(bytes, len * size_of::<Decimal>())?;
        scores.clear();
        scores
            .extend(numbers.chunks_exact(size_of::<Decimal>()).map(bytemuck::pod_read_unaligned::<Decimal>));
        let reordering = match self.layout.oriented {
            true => bytemuck::pod_read_unaligned(take(bytes, size_of::<[Decimal; 6]>())?),
            false => [Decimal::ZERO; 6],
        };
        let links = usize::try_from(take_varint(bytes)).ok()?.checked_mul(size_of::<RuleLink>())?;
        let links = bytemuck::try_cast_slice(take(bytes, links)?).ok()?;
        Some(Entry { target, links, count, scores: &[], reordering })
    }
}

impl Kept<'_> {
    /// What decides its place among the rules of its source side.
    pub fn place(&self) -> (f32, u32) {
        (self.probabilities[1], self.target)
    }

    fn entry<'e>(&'e self, scores: &'e [Decimal]) -> Entry<'e> {
        let &Self { target, links, count, reordering, .. } = self;
        Entry { target, links, count, scores, reordering }
    }
}

/// The kept rules of a source side that several ranges have some of, until all have come.
#[derive(Default)]
pub struct Divided {
    code: Vec<u8>,
    total: f32,
    rules: Vec<Piece>,
    bytes: Vec<u8>,
    scores: Vec<Decimal>,
}

/// A rule of such a source side: what decides its place, and where it is written.
struct Piece {
    direct: f32,
    target: u32,
    bytes: Range<usize>,
}

impl Divided {
    /// Hands its rules to a table.
    pub fn finish(&mut self, last: &Last<'_>, builder: &mut TableBuilder) -> Result<()> {
        last.choose(&mut self.rules, |piece| (piece.direct, piece.target));
        if !self.rules.is_empty() {
            builder.source(&self.code, self.total)?;
        }
        for piece in self.rules.drain(..) {
            let mut bytes = &self.bytes[piece.bytes];
            let rule = last.take_rule(&mut bytes, &mut self.scores).expect("it was read before");
            builder.rule(Entry { scores: &self.scores, ..rule })?;
        }
        self.bytes.clear();
        self.code.clear();
        Ok(())
    }
}

fn take<'b>(bytes: &mut &'b [u8], len: usize) -> Option<&'b [u8]> {
    let (front, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(front)
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    take(bytes, N)?.try_into().ok()
}
