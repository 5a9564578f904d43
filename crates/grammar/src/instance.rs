//! Rule instances: what a model reads off one pair, before anything is counted. Models hand them to a [`RuleSink`];
//! a [`Batch`] keeps those of a chunk of pairs, with the chunk's own vocabulary, so that chunks can be worked on by
//! all threads at once.

use crate::decimal::Decimal;
use crate::symbol::Symbol;
use treeglot_text::vocab::Vocab;

/// A link between two words of a rule: positions in its source and target side, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct RuleLink {
    /// The source position.
    pub src: u8,
    /// The target position.
    pub tgt: u8,
}

impl RuleLink {
    /// The link `src-tgt`.
    pub fn new(src: u8, tgt: u8) -> Self {
        Self { src, tgt }
    }
}

/// How a phrase pair stands to its neighbour in the translation (Koehn et al. 2005, `msd`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Orientation {
    /// The neighbour comes next in the source as well.
    Monotone,
    /// The neighbour stands on the other side in the source.
    Swap,
    /// Anything else.
    #[default]
    Discontinuous,
}

impl Orientation {
    /// Its name in Moses' files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monotone => "mono",
            Self::Swap => "swap",
            Self::Discontinuous => "other",
        }
    }

    /// The orientation of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Monotone, Self::Swap, Self::Discontinuous].into_iter().find(|o| o.name() == name)
    }
}

/// One rule as it was seen in one pair.
///
/// A source side that has a label ends with it ([`crate::Kind::Label`]); the target side refers to the source side's
/// variables by number. Links are between words, sorted; a variable's links follow from the references.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance<'a> {
    /// The source side, linearised.
    pub source: &'a [Symbol],
    /// The target side.
    pub target: &'a [Symbol],
    /// Links between words, sorted.
    pub links: &'a [RuleLink],
    /// How often it counts.
    pub count: f32,
    /// Orientation to the phrase before and to the phrase after, where the model has them.
    pub orientation: Option<[Orientation; 2]>,
    /// Which of several sources it comes from, below [`MAX_ORIGINS`]: parsers whose trees were used, or kinds of phrases.
    pub origin: u8,
}

/// How many sources of instances can be told apart.
pub const MAX_ORIGINS: u8 = 25;

/// Takes the rules a model reads off a pair.
pub trait RuleSink {
    /// Takes one rule.
    fn rule(&mut self, instance: Instance<'_>);

    /// Learns that a phrase had more rules than the model hands on.
    fn cut(&mut self) {}
}

/// The instances of a chunk of pairs, in order, in one arena. Symbols are numbers of the batch's own vocabulary.
#[derive(Default, Clone)]
pub struct Batch {
    /// The words and labels of the batch.
    pub vocab: Vocab,
    symbols: Vec<Symbol>,
    links: Vec<RuleLink>,
    heads: Vec<Head>,
    cut: u64,
}

#[derive(Debug, Clone, Copy)]
struct Head {
    source_end: u32,
    target_end: u32,
    links_end: u32,
    count: f32,
    orientation: Option<[Orientation; 2]>,
    origin: u8,
}

impl Batch {
    /// A batch whose symbols are those of `vocab`.
    pub fn new(vocab: Vocab) -> Self {
        Self { vocab, ..Self::default() }
    }

    /// How many instances it has.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// For how many phrases the model had more rules than it handed on.
    pub fn cut_phrases(&self) -> u64 {
        self.cut
    }

    /// Says that all instances come from this source.
    pub fn set_origin(&mut self, origin: u8) {
        self.heads.iter_mut().for_each(|head| head.origin = origin.min(MAX_ORIGINS - 1));
    }

    /// Rounds all counts to the six digits that text has, so that counting it gives what counting its text would.
    pub fn round_counts(&mut self) {
        for head in self.heads.iter_mut().filter(|head| head.count.fract() != 0.0 || head.count >= 1e6) {
            head.count = Decimal::new(f64::from(head.count)).value() as f32;
        }
    }

    /// All instances, in order.
    pub fn instances(&self) -> impl Iterator<Item = Instance<'_>> {
        let (mut symbols, mut links) = (0, 0);
        self.heads.iter().map(move |head| {
            let (source, target) = (head.source_end as usize, head.target_end as usize);
            let instance = Instance {
                source: &self.symbols[symbols..source],
                target: &self.symbols[source..target],
                links: &self.links[links..head.links_end as usize],
                count: head.count,
                orientation: head.orientation,
                origin: head.origin,
            };
            (symbols, links) = (target, head.links_end as usize);
            instance
        })
    }
}

impl RuleSink for Batch {
    fn rule(&mut self, instance: Instance<'_>) {
        self.symbols.extend_from_slice(instance.source);
        let source_end = self.symbols.len() as u32;
        self.symbols.extend_from_slice(instance.target);
        self.links.extend_from_slice(instance.links);
        self.heads.push(Head {
            source_end,
            target_end: self.symbols.len() as u32,
            links_end: self.links.len() as u32,
            count: instance.count,
            orientation: instance.orientation,
            origin: instance.origin.min(MAX_ORIGINS - 1),
        });
    }

    fn cut(&mut self) {
        self.cut += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_text::vocab::Sym;

    #[test]
    fn a_batch_hands_out_what_it_took() {
        let (a, b) = (Symbol::word(Sym(0)), Symbol::reference(0));
        let links = [RuleLink::new(0, 1)];
        let first = Instance {
            source: &[a],
            target: &[a, b],
            links: &links,
            count: 0.5,
            orientation: None,
            origin: 0,
        };
        let orientation = Some([Orientation::Monotone, Orientation::Swap]);
        let second =
            Instance { source: &[b, a], target: &[], links: &[], count: 1.0, orientation, origin: 3 };
        let mut batch = Batch::default();
        batch.rule(first);
        batch.rule(second);
        assert_eq!(batch.instances().collect::<Vec<_>>(), [first, second]);
    }

    #[test]
    fn rounded_counts_are_those_that_text_has() {
        let mut batch = Batch::default();
        for count in [1.0 / 3.0, 2.0, 0.692_857_2, 1_234_567.0, 0.000_123_456_7] {
            batch.rule(Instance {
                source: &[],
                target: &[],
                links: &[],
                count,
                orientation: None,
                origin: 0,
            });
        }
        let mut texts = Vec::new();
        for instance in batch.instances() {
            let mut text = Vec::new();
            crate::notation::write_count(instance.count, &mut text);
            texts.push(String::from_utf8(text).unwrap().parse::<f32>().unwrap());
        }
        batch.round_counts();
        assert_eq!(batch.instances().map(|instance| instance.count).collect::<Vec<_>>(), texts);
    }
}
