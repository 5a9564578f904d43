//! Derivations: which rules were applied where, what each contributed, and from which source words each output word
//! came. Both searches write their results in this form; features, scores and explanations are read off it.
//!
//! A tree of rules has one root; a sequence of phrases has a root for each phrase, in target order.

use std::ops::Range;
use treeglot_grammar::{Kind, RuleLink, Symbol};
use treeglot_models::{Origin, variable_at};
use treeglot_text::vocab::Sym;
use treeglot_tree::Span;

/// What was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Applied {
    /// A rule of a table.
    Rule {
        /// Which of the system's tables, from 0.
        table: u32,
        /// Its number there.
        rule: u32,
    },
    /// The begin of the sentence (a rule of the glue grammar).
    Begin,
    /// One more piece after those before (a rule of the glue grammar).
    Glue,
    /// Two neighbours side by side, or one as it is.
    Join,
    /// The end of the sentence (a rule of the glue grammar).
    End,
    /// Rules of a simpler model in place of the model's own.
    Backoff,
    /// A word that no table has, copied.
    Unknown,
    /// A translation that was given.
    Given {
        /// Which of those given for the sentence, from 0.
        given: u32,
        /// Which of its choices.
        choice: u32,
        /// Who gave it.
        origin: Origin,
        /// It stands by itself where rules should have had it.
        lone: bool,
    },
    /// A word whose translation stands with another word.
    Silent,
}

/// One application of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What was applied.
    pub applied: Applied,
    /// The source words it covers.
    pub span: Span,
    /// The step whose variable it fills, and the number of that variable.
    pub parent: Option<(u32, u8)>,
    /// What it builds: the label of the forest's node, 0 where there is none.
    pub label: u32,
    /// Its part of the score.
    pub score: f64,
    first_child: Option<u32>,
    next_sibling: Option<u32>,
    target_end: u32,
    links_end: u32,
    positions: (u32, u32),
}

/// A derivation: its steps, each parent before its children.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Derivation {
    steps: Vec<Step>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    positions: Vec<u32>,
    features: Vec<f32>,
    sparse: Vec<(u32, f32)>,
}

/// Where an output word came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordOrigin {
    /// The word.
    pub word: Sym,
    /// The step whose rule has it.
    pub step: u32,
    /// The source positions it is linked to by the rule, ascending; none for a word that the rule adds.
    pub sources: Vec<u32>,
}

/// What a derivation takes for one step.
#[derive(Debug, Clone, Copy)]
pub struct NewStep<'a> {
    /// What was applied.
    pub applied: Applied,
    /// The source words it covers.
    pub span: Span,
    /// The step whose variable it fills, and the number of that variable.
    pub parent: Option<(u32, u8)>,
    /// What it builds: the label of the forest's node, 0 where there is none.
    pub label: u32,
    /// Words and references to variables.
    pub target: &'a [Symbol],
    /// Links between the words of the rule.
    pub links: &'a [RuleLink],
    /// What it contributes, by position of the system's features.
    pub features: &'a [f32],
    /// The sparse features it has, by number, each any number of times.
    pub sparse: &'a [(u32, f32)],
}

impl Derivation {
    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.target.clear();
        self.links.clear();
        self.positions.clear();
        self.features.clear();
        self.sparse.clear();
    }

    /// Tells where the symbols of the last step's source side stand, for one that is no span of the input.
    pub fn set_positions(&mut self, positions: &[u32]) {
        let start = self.positions.len() as u32;
        self.positions.extend_from_slice(positions);
        if let Some(step) = self.steps.last_mut() {
            step.positions = (start, self.positions.len() as u32);
        }
    }

    /// Where the symbols of a step's source side stand, as [`treeglot_models::Forest::positions`] has them.
    pub fn positions(&self, step: u32) -> &[u32] {
        let (start, end) = self.steps[step as usize].positions;
        &self.positions[start as usize..end as usize]
    }

    /// Adds a step after its parent; its number.
    pub fn push(&mut self, new: NewStep<'_>, weights: &[f32]) -> u32 {
        let number = self.steps.len() as u32;
        self.target.extend_from_slice(new.target);
        self.links.extend_from_slice(new.links);
        self.features.extend_from_slice(new.features);
        self.sparse.extend_from_slice(new.sparse);
        let next_sibling = match new.parent {
            Some((parent, _)) => self.steps[parent as usize].first_child.replace(number),
            None => None,
        };
        self.steps.push(Step {
            applied: new.applied,
            span: new.span,
            parent: new.parent,
            label: new.label,
            score: dot(new.features, weights),
            first_child: None,
            next_sibling,
            target_end: self.target.len() as u32,
            links_end: self.links.len() as u32,
            positions: (0, 0),
        });
        number
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Words and references to variables of a step's rule.
    pub fn target(&self, step: u32) -> &[Symbol] {
        let start = step.checked_sub(1).map_or(0, |before| self.steps[before as usize].target_end);
        &self.target[start as usize..self.steps[step as usize].target_end as usize]
    }

    /// Links between the words of a step's rule.
    pub fn links(&self, step: u32) -> &[RuleLink] {
        let start = step.checked_sub(1).map_or(0, |before| self.steps[before as usize].links_end);
        &self.links[start as usize..self.steps[step as usize].links_end as usize]
    }

    /// How many symbols all steps' rules have.
    pub(crate) fn symbol_count(&self) -> usize {
        self.target.len()
    }

    /// How many words it gives.
    pub(crate) fn word_count(&self) -> usize {
        self.target.iter().filter(|symbol| symbol.is_word()).count()
    }

    /// What a step contributes.
    pub fn features(&self, step: u32) -> &[f32] {
        let width = self.features.len().checked_div(self.steps.len()).unwrap_or(0);
        &self.features[step as usize * width..][..width]
    }

    /// The step that fills a variable of another.
    pub fn child(&self, step: u32, variable: u8) -> Option<u32> {
        self.children(step).find(|&child| self.steps[child as usize].parent == Some((step, variable)))
    }

    /// The steps that fill a step's variables, in no particular order.
    pub fn children(&self, step: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.steps[step as usize].first_child, |&child| {
            self.steps[child as usize].next_sibling
        })
    }

    /// The sum of all steps' features.
    pub fn total_features(&self) -> Vec<f64> {
        let width = self.features.len().checked_div(self.steps.len()).unwrap_or(0);
        let mut totals = vec![0.0; width];
        for values in self.features.chunks_exact(width.max(1)) {
            for (total, &value) in totals.iter_mut().zip(values) {
                *total += f64::from(value);
            }
        }
        totals
    }

    /// The sums of all steps' sparse features, by number, ascending.
    pub fn total_sparse(&self) -> Vec<(u32, f32)> {
        let mut all = self.sparse.clone();
        all.sort_unstable_by_key(|&(number, _)| number);
        all.dedup_by(|next, sum| {
            let same = next.0 == sum.0;
            sum.1 += if same { next.1 } else { 0.0 };
            same
        });
        all
    }

    /// The sum of all steps' scores.
    pub fn score(&self) -> f64 {
        self.steps.iter().map(|step| step.score).sum()
    }

    /// The output words, in order.
    pub fn words(&self, out: &mut Vec<Sym>) {
        out.clear();
        self.walk(|_, _, word| out.push(word));
    }

    /// The output words with their steps and source positions, in order.
    pub fn origins(&self) -> Vec<WordOrigin> {
        let mut origins = Vec::new();
        self.walk(|step, at, word| {
            let linked = self.links(step).iter().filter(|link| usize::from(link.tgt) == at);
            let mut sources: Vec<u32> =
                linked.filter_map(|link| self.source_position(step, link.src)).collect();
            sources.sort_unstable();
            origins.push(WordOrigin { word, step, sources });
        });
        origins
    }

    /// Visits the output words in order: the step, the position in its target side, the word.
    pub(crate) fn walk(&self, mut visit: impl FnMut(u32, usize, Sym)) {
        let roots = (0..self.steps.len() as u32).filter(|&step| self.steps[step as usize].parent.is_none());
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for root in roots {
            stack.push((root, 0));
            while let Some((step, at)) = stack.pop() {
                let Some(&symbol) = self.target(step).get(at) else { continue };
                stack.push((step, at + 1));
                match symbol.kind() {
                    Kind::Word(word) => visit(step, at, word),
                    Kind::Ref(variable) => stack.extend(self.child(step, variable).map(|child| (child, 0))),
                    _ => {}
                }
            }
        }
    }

    /// The sentence's position of a position in a rule's source side, where a variable counts as one; `None` for one
    /// that the rule does not have.
    fn source_position(&self, step: u32, position: u8) -> Option<u32> {
        let span = self.steps[step as usize].span;
        if let Some(&at) = self.positions(step).get(usize::from(position)) {
            return Some(at).filter(|&at| variable_at(at).is_none());
        }
        let mut at = span.start;
        for _ in 0..position {
            let child = self.children(step).map(|child| self.steps[child as usize].span);
            at = child
                .filter(|child| child.start == at && child.end > at)
                .map(|child| child.end)
                .next()
                .unwrap_or(at + 1);
        }
        (at < span.end).then_some(at)
    }
}

/// Keeps what is new behind what is there: where it lies.
pub(crate) fn kept<T: Copy>(all: &mut Vec<T>, new: &[T]) -> Range<usize> {
    let start = all.len();
    all.extend_from_slice(new);
    start..all.len()
}

/// The weighted sum of values.
pub fn dot(values: &[f32], weights: &[f32]) -> f64 {
    values.iter().zip(weights).map(|(&value, &weight)| f64::from(value) * f64::from(weight)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: u32) -> Symbol {
        Symbol::word(Sym(number))
    }

    /// `X0 gab X1` to `X1 gave(1) X0`, with `Igel` (2) over 0..2 and `Auto` (3) over 3..4.
    fn tree() -> Derivation {
        let mut tree = Derivation::default();
        let rule = |rule| Applied::Rule { table: 0, rule };
        let links = [RuleLink::new(1, 1)];
        let step = |applied, start, end, parent, target, links, features| NewStep {
            applied,
            span: Span::new(start, end),
            parent,
            label: 0,
            target,
            links,
            features,
            sparse: &[(5, 1.0), (2, 1.0)],
        };
        let top = [Symbol::reference(1), word(1), Symbol::reference(0)];
        let leaf = [RuleLink::new(0, 0), RuleLink::new(1, 0)];
        let (hedgehog, car) = ([word(2)], [word(3)]);
        for new in [
            step(rule(7), 0, 4, None, &top[..], &links[..], &[1.0, 0.5]),
            step(rule(8), 0, 2, Some((0, 0)), &hedgehog, &leaf, &[1.0, 0.0]),
            step(Applied::Unknown, 3, 4, Some((0, 1)), &car, &leaf[..1], &[1.0, 0.0]),
        ] {
            tree.push(new, &[2.0, 4.0]);
        }
        tree
    }

    #[test]
    fn words_come_out_in_target_order_with_their_source_positions() {
        let origins = tree().origins();
        let seen: Vec<_> = origins.iter().map(|o| (o.word.0, o.step, o.sources.clone())).collect();
        assert_eq!(seen, [(3, 2, vec![3]), (1, 0, vec![2]), (2, 1, vec![0, 1])]);
        let mut words = Vec::new();
        tree().words(&mut words);
        assert_eq!(words, [3, 1, 2].map(Sym));
    }

    #[test]
    fn the_parts_add_up_to_the_total() {
        let tree = tree();
        assert_eq!(tree.total_features(), [3.0, 0.5]);
        assert_eq!(tree.steps().iter().map(|step| step.score).collect::<Vec<_>>(), [4.0, 2.0, 2.0]);
        assert_eq!(tree.score(), 8.0);
        assert_eq!(tree.features(0), [1.0, 0.5]);
        assert_eq!(tree.total_sparse(), [(2, 3.0), (5, 3.0)]);
    }

    #[test]
    fn a_sequence_of_phrases_is_read_root_by_root() {
        let mut phrases = Derivation::default();
        for (start, end, target) in [(2, 3, [word(5), word(6)]), (0, 2, [word(7), word(8)])] {
            let links = [RuleLink::new(0, 1)];
            let applied = Applied::Rule { table: 0, rule: start };
            let span = Span::new(start, end);
            let step = NewStep {
                applied,
                span,
                parent: None,
                label: 0,
                target: &target,
                links: &links,
                features: &[1.0],
                sparse: &[],
            };
            phrases.push(step, &[1.0]);
        }
        let sources: Vec<_> = phrases.origins().into_iter().map(|o| (o.word.0, o.sources)).collect();
        assert_eq!(sources, [(5, vec![]), (6, vec![2]), (7, vec![]), (8, vec![0])]);
    }

    #[test]
    fn nothing_was_derived() {
        let none = Derivation::default();
        assert_eq!((none.score(), none.total_features().len(), none.origins().len()), (0.0, 0, 0));
    }
}
