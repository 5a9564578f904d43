//! One thread's buffers: posteriors of all links of a sentence pair in both directions, and the links read off them.

use crate::chain::{Chain, select, stride};
use crate::fertility::Partners;
use crate::index::{Lookup, src_hash, tgt_hash};
use crate::links::Link;
use crate::model::Model;
use crate::settings::ModelKind;

const NO_SLOT: u32 = u32::MAX;

/// Expected jumps of both directions.
#[derive(Debug, Clone)]
pub struct JumpCounts {
    /// Between source positions.
    pub forward: Vec<f64>,
    /// Between target positions.
    pub reverse: Vec<f64>,
}

impl JumpCounts {
    pub(crate) fn none(model: &Model) -> Self {
        Self { forward: model.forward.no_jumps(), reverse: model.reverse.no_jumps() }
    }
}

/// Aligns sentence pairs, one at a time.
pub struct Worker<'m> {
    pub(crate) model: &'m Model,
    lookup: Lookup<'m>,
    /// States are source positions, observations target positions.
    pub(crate) forward: Chain,
    /// The other way round.
    pub(crate) reverse: Chain,
    /// Where each pair of positions is in `lookup`, a row a target position.
    slots: Vec<u32>,
    hashes: Vec<u64>,
    candidates: Vec<u16>,
    floors: Vec<f32>,
    src_classes: Vec<u16>,
    tgt_classes: Vec<u16>,
    pub(crate) src_partners: Partners,
    pub(crate) tgt_partners: Partners,
}

impl<'m> Worker<'m> {
    /// Buffers to align sentences with, whose pairs of words `lookup` has.
    pub(crate) fn new(model: &'m Model, lookup: Lookup<'m>) -> Self {
        Self {
            model,
            lookup,
            forward: Chain::default(),
            reverse: Chain::default(),
            slots: Vec::new(),
            hashes: Vec::new(),
            candidates: Vec::new(),
            floors: Vec::new(),
            src_classes: Vec::new(),
            tgt_classes: Vec::new(),
            src_partners: Partners::default(),
            tgt_partners: Partners::default(),
        }
    }

    /// Computes the posteriors of a pair; both sides must have words, at most [`crate::settings::LONGEST`].
    pub fn infer(&mut self, src: &[u32], tgt: &[u32], counts: Option<&mut JumpCounts>) {
        self.emit(src, tgt);
        let model = self.model;
        if model.kind == ModelKind::Ibm1 {
            self.forward.run_independent(1.0);
            self.reverse.run_independent(1.0);
            return;
        }
        let (forward, reverse) = match counts {
            Some(counts) => (&mut counts.forward[..], &mut counts.reverse[..]),
            None => (&mut [][..], &mut [][..]),
        };
        let from_src = model.forward.tables(src, &mut self.src_classes);
        let from_tgt = model.reverse.tables(tgt, &mut self.tgt_classes);
        self.forward.run(from_src, model.p_null, forward);
        self.reverse.run(from_tgt, model.p_null, reverse);
        if let (Some(of_src), Some(of_tgt)) = (&model.forward.fertility, &model.reverse.fertility) {
            read_partners(&mut self.src_partners, &self.forward, &self.reverse);
            read_partners(&mut self.tgt_partners, &self.reverse, &self.forward);
            let (m, n) = (stride(src.len()), stride(tgt.len()));
            self.src_partners.weigh(of_src, src, &mut self.forward.emission, m);
            self.tgt_partners.weigh(of_tgt, tgt, &mut self.reverse.emission, n);
            self.forward.run(from_src, model.p_null, &mut []);
            self.reverse.run(from_tgt, model.p_null, &mut []);
        }
    }

    /// Reads the likely partners of each word off the posteriors.
    pub(crate) fn read_partners(&mut self) {
        read_partners(&mut self.src_partners, &self.forward, &self.reverse);
        read_partners(&mut self.tgt_partners, &self.reverse, &self.forward);
    }

    /// Looks the words up: emissions of both chains, and slots.
    fn emit(&mut self, src: &[u32], tgt: &[u32]) {
        let (table, lookup) = (&self.model.table, self.lookup);
        let (m, n) = (src.len(), tgt.len());
        self.forward.reset(n, m);
        self.reverse.reset(m, n);
        self.slots.clear();
        self.slots.resize(n * m, NO_SLOT);
        let (forward_stride, reverse_stride) = (stride(m), stride(n));
        fill_rows(&mut self.forward.emission, forward_stride, &mut self.floors, src, |e| {
            table.floor() * table.src.scale(e)
        });
        fill_rows(&mut self.reverse.emission, reverse_stride, &mut self.floors, tgt, |f| {
            table.floor() * table.tgt.scale(f)
        });
        self.hashes.clear();
        self.hashes.extend(src.iter().map(|&e| src_hash(e)));
        for (j, &f) in tgt.iter().enumerate() {
            self.forward.null_emission[j] = table.tgt.null(f);
            let (half, scale) = (tgt_hash(f), table.tgt.scale(f));
            select(&mut self.candidates, &self.hashes, |&hash| lookup.may_have(hash.wrapping_add(half)));
            for &i in &self.candidates {
                let (i, e) = (i as usize, src[i as usize]);
                if let Some(slot) = lookup.find_at(self.hashes[i].wrapping_add(half), e, f) {
                    let value = lookup.value(slot);
                    self.slots[j * m + i] = slot as u32;
                    self.forward.emission[j * forward_stride + i] = value * table.src.scale(e);
                    self.reverse.emission[i * reverse_stride + j] = value * scale;
                }
            }
        }
        for (i, &e) in src.iter().enumerate() {
            self.reverse.null_emission[i] = table.src.null(e);
        }
    }

    /// Where a pair of positions is in the table.
    pub(crate) fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let slot = self.slots[j * self.forward.states + i];
        (slot != NO_SLOT).then(|| self.lookup.slot(slot as usize))
    }

    /// The forward probability of a link.
    pub(crate) fn forward_probability(&self, i: usize, j: usize) -> f32 {
        self.forward.posterior[j * stride(self.forward.states) + i]
    }

    /// The forward and the reverse probability of a link.
    pub(crate) fn probabilities(&self, i: usize, j: usize) -> (f32, f32) {
        let p = self.forward_probability(i, j);
        let q = self.reverse.posterior[i * stride(self.reverse.states) + j];
        (p, q)
    }

    /// The probability of a link: the geometric mean of the two directions'.
    pub fn score(&self, link: Link) -> f32 {
        let (p, q) = self.probabilities(link.src as usize, link.tgt as usize);
        (p * q).max(0.0).sqrt()
    }

    /// The best link of each target word, then of each source word, where it is better than none.
    pub fn links(&self) -> (Vec<Link>, Vec<Link>) {
        let (m, n) = (self.forward.states as u32, self.reverse.states as u32);
        let mut forward = Vec::new();
        for tgt in 0..n {
            let none = self.forward.null[tgt as usize];
            forward.extend(self.best((0..m).map(|src| Link { src, tgt }), none));
        }
        let mut reverse = Vec::new();
        for src in 0..m {
            let none = self.reverse.null[src as usize];
            reverse.extend(self.best((0..n).map(|tgt| Link { src, tgt }), none));
        }
        (forward, reverse)
    }

    fn best(&self, links: impl Iterator<Item = Link>, none: f32) -> Option<Link> {
        let mut best = (none * none, None);
        for link in links {
            let (p, q) = self.probabilities(link.src as usize, link.tgt as usize);
            if p * q > best.0 {
                best = (p * q, Some(link));
            }
        }
        best.1
    }
}

/// Reads the likely partners of the words that are `chain`'s states; its observations are those of `other`.
fn read_partners(partners: &mut Partners, chain: &Chain, other: &Chain) {
    let (m, n) = (chain.states, other.states);
    partners.read(&chain.posterior[..n * stride(m)], stride(m), m);
}

/// Sets each row of a matrix to one value for each word.
fn fill_rows(
    matrix: &mut [f32],
    stride: usize,
    row: &mut Vec<f32>,
    words: &[u32],
    value: impl Fn(u32) -> f32,
) {
    row.clear();
    row.extend(words.iter().map(|&word| value(word)));
    row.resize(stride, 0.0);
    matrix.chunks_exact_mut(stride).for_each(|out| out.copy_from_slice(row));
}
