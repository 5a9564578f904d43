//! `DependencyLM0` and `IllFormed0`: the dependency language model as a feature of the search (Shen et al. 2008, section 3). A state has what can still matter
//! of a structure: the head and its outermost children of a fixed one, the roots of a floating one, whose probabilities depend
//! on a head that is not known yet. So that structures with many such words do not look better than others, each of them is
//! charged in advance what it costs under any head, and the difference when its head is known: the sum is that of the
//! finished tree. The second value counts ill-formed structures.

use super::structure::{self, Assembled, Build, JOINS, MAX_ROOTS};
use super::{Feature, Item, LmRole, Shape, Stateful};
use crate::vocab::{LmWords, SentenceVocab};
use std::cell::{Cell, RefCell};
use treeglot_lm::depend::{Branch, DepLm};
use treeglot_lm::{AnyTables, special};
use treeglot_text::vocab::Sym;

/// The entry of one of the two values.
struct Entry {
    name: &'static str,
    start: f32,
}

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.lms(LmRole::Dependency) == 0 {
        return Vec::new();
    }
    let entry = |name, start| Box::new(Entry { name, start }) as Box<dyn Feature>;
    vec![entry("DependencyLM0", 0.1), entry("IllFormed0", -0.5)]
}

impl Feature for Entry {
    fn name(&self) -> String {
        self.name.to_string()
    }

    fn of_rules(&self) -> bool {
        false
    }

    fn start(&self) -> Vec<f32> {
        vec![self.start]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(self.start())
    }
}

/// The highest order of a model that states have room for.
pub const MAX_ORDER: usize = 5;

/// How many children of a side a model of that order looks back at.
const MAX_SIBLINGS: usize = MAX_ORDER - 2;

/// What must be known of a structure: its roots and, of an only one, the outermost children on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DepState {
    /// The roots; behind an only root its left and then its right children, the outermost first. All else is 0.
    words: [Sym; MAX_ROOTS],
    roots: u8,
    children: [u8; 2],
}

impl DepState {
    fn word(word: Sym) -> Self {
        let mut state = Self { roots: 1, ..Self::default() };
        state.words[0] = word;
        state
    }

    fn roots(&self) -> &[Sym] {
        &self.words[..usize::from(self.roots)]
    }

    /// Where the children of a side lie.
    fn range(&self, side: Branch) -> std::ops::Range<usize> {
        let [left, right] = self.children.map(usize::from);
        match side {
            Branch::Left => 1..1 + left,
            Branch::Right => 1 + left..1 + left + right,
        }
    }

    /// Adds a child outside of those on a side, of which `limit` are kept.
    fn push(&mut self, side: Branch, child: Sym, limit: usize) {
        let range = self.range(side);
        if limit == 0 {
            return;
        }
        if range.len() == limit {
            self.words.copy_within(range.start..range.end - 1, range.start + 1);
        } else {
            let end = self.range(Branch::Right).end;
            self.words.copy_within(range.start..end, range.start + 1);
            self.children[side as usize] += 1;
        }
        self.words[range.start] = child;
    }
}

/// A dependency language model with its weight and that of ill-formed structures.
pub struct Dependency<'m> {
    lm: &'m DepLm,
    tables: AnyTables<'m>,
    words: LmWords<'m>,
    siblings: usize,
    weights: [f32; 2],
    /// What a word costs under any head, by symbol; not a number where it was not asked for yet.
    advance: Vec<Cell<f32>>,
    known: Vec<Cell<Known>>,
    parts: RefCell<(Vec<DepState>, Vec<u8>)>,
}

/// The log10 probability of a child, kept: the same attachments come again and again.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    side: u32,
    head: Sym,
    sibling: Sym,
    child: Sym,
    log10: f32,
}

const KNOWN: usize = 1 << 15;

impl<'m> Dependency<'m> {
    /// The model, with the weights of its logarithm and of an ill-formed structure.
    pub fn new(lm: &'m DepLm, weights: [f32; 2]) -> Self {
        Self {
            lm,
            tables: lm.tables(),
            words: LmWords::new(lm.ngrams()),
            siblings: lm.order() - 2,
            weights,
            advance: vec![Cell::new(f32::NAN); lm.ngrams().words().len()],
            known: vec![Cell::default(); KNOWN],
            parts: RefCell::default(),
        }
    }

    /// What a word costs under any head, about.
    fn advance(&self, word: Sym) -> f32 {
        let Some(known) = self.advance.get(word.ix()) else { return 0.0 };
        if known.get().is_nan() {
            let scorer = self.lm.scorer(&self.tables);
            let sides = [Branch::Left, Branch::Right].map(|side| scorer.child_of_any(side, word));
            known.set(sides[0].max(sides[1]));
        }
        known.get()
    }

    /// What it costs that the roots of a structure are roots of the sentence, beyond what was charged in advance.
    fn finish(&self, state: &DepState) -> f32 {
        let scorer = self.lm.scorer(&self.tables);
        state.roots().iter().map(|&root| scorer.root(root) - self.advance(root)).sum()
    }

    fn child(&self, side: Branch, head: Sym, inner: &[Sym], child: Sym) -> f32 {
        let look_up = || self.lm.scorer(&self.tables).child(side, head, inner, child);
        if self.siblings > 1 {
            return look_up();
        }
        let sibling = inner.first().copied().unwrap_or(special::BOS);
        let side = side as u32 + 1;
        let mixed = u64::from(head.0)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(sibling.0) << 2 | u64::from(side))
            .wrapping_mul(0xff51_afd7_ed55_8ccd)
            .wrapping_add(u64::from(child.0))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &self.known[(mixed >> 49) as usize % KNOWN];
        let known = slot.get();
        if (known.side, known.head, known.sibling, known.child) == (side, head, sibling, child) {
            return known.log10;
        }
        let log10 = look_up();
        slot.set(Known { side, head, sibling, child, log10 });
        log10
    }

    /// The log10 probability that a target side adds, how many ill-formed structures it makes, and the structure of the whole.
    fn put_together<'s>(
        &self,
        target: impl Iterator<Item = Item<Sym>>,
        tail: impl Fn(u8) -> Option<&'s DepState>,
    ) -> (f32, u32, DepState) {
        let mut buffers = self.parts.borrow_mut();
        let (parts, heads) = &mut *buffers;
        parts.clear();
        heads.clear();
        let mut log10 = 0.0;
        let mut ends = false;
        for item in target {
            match item {
                Item::Word(special::EOS) => ends = true,
                Item::Word(word) => {
                    log10 += self.advance(word);
                    parts.push(DepState::word(word));
                }
                Item::Tail(k) => parts.push(tail(k).copied().unwrap_or_default()),
                Item::Head(head) => heads.push(head),
                Item::Begin => parts.push(DepState::default()),
                Item::Source(_) => {}
            }
        }
        let mut scored = Scored { feature: self, parts, log10 };
        let count = scored.parts.len();
        let mut assembled = structure::assemble(count, heads, &mut scored);
        let mut whole = scored.whole(&assembled);
        if ends {
            assembled.ill += u32::from(whole.roots > 1);
            scored.log10 += self.finish(&whole);
            whole = DepState::default();
        }
        (scored.log10, assembled.ill, whole)
    }
}

/// Structures put together with their probabilities.
struct Scored<'a, 'm> {
    feature: &'a Dependency<'m>,
    parts: &'a mut [DepState],
    log10: f32,
}

impl Build for Scored<'_, '_> {
    fn roots(&self, part: usize) -> usize {
        usize::from(self.parts[part].roots)
    }

    fn attach(&mut self, head: usize, child: usize) {
        let side = if child < head { Branch::Left } else { Branch::Right };
        let below = self.parts[child];
        let above = &mut self.parts[head];
        let mut attach = |child: Sym| {
            let inner = &above.words[above.range(side)];
            self.log10 +=
                self.feature.child(side, above.words[0], inner, child) - self.feature.advance(child);
            above.push(side, child, self.feature.siblings);
        };
        match side {
            Branch::Left => below.roots().iter().rev().for_each(|&root| attach(root)),
            Branch::Right => below.roots().iter().for_each(|&root| attach(root)),
        }
    }

    fn detach(&mut self, part: usize) {
        let state = std::mem::take(&mut self.parts[part]);
        self.log10 += self.feature.finish(&state);
    }
}

impl Scored<'_, '_> {
    /// The structure of all parts, once they were put together.
    fn whole(&self, assembled: &Assembled) -> DepState {
        let mut whole: Option<DepState> = None;
        for (number, part) in self.parts.iter().enumerate() {
            if part.roots == 0 || !assembled.is_top(number) {
                continue;
            }
            whole = Some(match whole {
                None => *part,
                Some(before) => {
                    let mut both = DepState { roots: before.roots + part.roots, ..DepState::default() };
                    let split = before.roots().len();
                    both.words[..split].copy_from_slice(before.roots());
                    both.words[split..usize::from(both.roots)].copy_from_slice(part.roots());
                    both
                }
            });
        }
        whole.unwrap_or_default()
    }
}

impl Stateful for Dependency<'_> {
    type State = DepState;
    type Word = Sym;
    const JOINS: &'static [&'static [u8]] = JOINS;

    fn width(&self) -> usize {
        2
    }

    fn word(&mut self, word: Sym, _: u8, vocab: &SentenceVocab<'_>) -> Sym {
        self.lm.checked(self.words.get(word, vocab))
    }

    fn end(&self) -> Sym {
        special::EOS
    }

    fn estimate(&self, target: impl Iterator<Item = Item<Sym>> + Clone) -> f32 {
        let (log10, ill, _) = self.put_together(target, |_| None);
        log10 * std::f32::consts::LN_10 * self.weights[0] + ill as f32 * self.weights[1]
    }

    #[inline]
    fn apply<'s>(
        &self,
        target: impl Iterator<Item = Item<Sym>> + Clone,
        _: &[u32],
        tail: impl Fn(u8) -> &'s DepState,
        state: &mut DepState,
    ) -> f32 {
        let (log10, ill);
        (log10, ill, *state) = self.put_together(target, |k| Some(tail(k)));
        log10 * (std::f32::consts::LN_10 * self.weights[0]) + ill as f32 * self.weights[1]
    }

    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<Sym>> + Clone,
        _: &[u32],
        tail: impl Fn(u8) -> &'s DepState,
        values: &mut [f32],
    ) {
        let (log10, ill, _) = self.put_together(target, |k| Some(tail(k)));
        values[0] = log10 * std::f32::consts::LN_10;
        values[1] = ill as f32;
    }
}

const _: () = assert!(2 * MAX_SIBLINGS < MAX_ROOTS, "an only root's children fit into a state");
