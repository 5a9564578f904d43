//! What is known of an input before it is translated: translations given for some of its words, and bounds that words must not cross.
//! Terms, Moses' markup, protected text, corrections and memory all come to this, and every model and both searches know it.

use treeglot_tree::Span;

/// How a given translation binds, as Moses' `-xml-input` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Binding {
    /// Nothing else translates these words.
    #[default]
    Exclusive,
    /// It competes with what rules say.
    Inclusive,
    /// Rules that translate these words must have it in their target side; where there are none, it stands by itself.
    Constraint,
}

/// Who gives a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// Markup of the input.
    #[default]
    Markup,
    /// A list of terms.
    Term,
    /// Text that passes as it is: an address, a number, code.
    Kept,
    /// A correction that was learnt.
    Correction,
    /// The training pairs.
    Memory,
    /// Words that an unknown word is made of or is another form of.
    Guess,
}

impl Origin {
    /// What explanations call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markup => "given",
            Self::Term => "term",
            Self::Kept => "kept",
            Self::Correction => "correction",
            Self::Memory => "memory",
            Self::Guess => "guess",
        }
    }
}

/// Translations given for a span of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The words that are translated.
    pub span: Span,
    /// How it binds.
    pub binding: Binding,
    /// Who gives it.
    pub origin: Origin,
    /// The word at which a model of trees puts the translation where the span is no part of the tree; the others are silent there.
    pub anchor: u32,
    /// The translations, each with the logarithm of its probability.
    pub choices: Vec<GivenChoice>,
}

/// One translation of a given span.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenChoice {
    /// Its words, separated by blanks; none to leave the span out.
    pub words: String,
    /// The logarithm of its probability.
    pub log_prob: f32,
    /// Links: positions in the span and of its words. Where there are none, all are linked with all.
    pub links: Vec<(u32, u32)>,
}

/// A place of the input over which nothing moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wall {
    /// The word after it.
    pub at: u32,
    /// The words it holds for: those of its zone, or all.
    pub scope: Span,
}

/// All that is known of an input before it is translated.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Guidance {
    /// Given translations. Those that bind do not overlap with each other.
    pub given: Vec<Given>,
    /// Spans that are translated as one: nothing from outside comes between.
    pub zones: Vec<Span>,
    /// Places over which nothing moves.
    pub walls: Vec<Wall>,
}

/// Nothing is known.
pub const UNGUIDED: &Guidance = &Guidance { given: Vec::new(), zones: Vec::new(), walls: Vec::new() };

impl Given {
    /// A translation that alone is allowed for a span.
    pub fn exclusive(span: Span, origin: Origin, words: &str) -> Self {
        let choices = vec![GivenChoice { words: words.to_string(), log_prob: 0.0, links: Vec::new() }];
        Self { span, binding: Binding::Exclusive, origin, anchor: span.end.saturating_sub(1), choices }
    }

    /// Whether rules are bound by it.
    pub fn binds(&self) -> bool {
        self.binding != Binding::Inclusive
    }

    /// Whether it is for the word at this position.
    pub fn has(&self, word: u32) -> bool {
        (self.span.start..self.span.end).contains(&word)
    }

    /// Whether it and a span have a word in common.
    pub fn overlaps(&self, span: Span) -> bool {
        self.span.start < span.end && span.start < self.span.end
    }
}

impl Guidance {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty() && self.zones.is_empty() && self.walls.is_empty()
    }

    /// The binding translation that a word belongs to.
    pub fn binding_at(&self, word: u32) -> Option<(u32, &Given)> {
        (0..).zip(&self.given).find(|(_, given)| given.binds() && given.has(word))
    }

    /// Whether a word is translated by nothing but what is given.
    pub fn is_exclusive(&self, word: u32) -> bool {
        self.binding_at(word).is_some_and(|(_, given)| given.binding == Binding::Exclusive)
    }

    /// The translations given for exactly this span, by number.
    pub fn given_over(&self, span: Span) -> impl Iterator<Item = (u32, &Given)> {
        (0..).zip(&self.given).filter(move |(_, given)| given.span == span)
    }

    /// Whether forests must be looked through for what crosses a bound.
    pub(crate) fn restricts(&self) -> bool {
        let constrains = |given: &Given| given.binding == Binding::Constraint;
        !self.zones.is_empty() || !self.walls.is_empty() || self.given.iter().any(constrains)
    }

    /// Adds a given translation, unless another one binds words of it already, it is empty, or it lies outside of so many words. What
    /// was only offered for words that it binds is taken out.
    pub fn add(&mut self, given: Given, length: usize) -> bool {
        let inside = given.span.start < given.span.end && given.span.end as usize <= length;
        let bound = self.given.iter().any(|other| other.binds() && other.overlaps(given.span));
        if !inside || bound {
            return false;
        }
        if given.binds() {
            self.given.retain(|other| !other.overlaps(given.span));
        }
        self.given.push(given);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_binds_a_word_lets_nothing_else_translate_it() {
        let mut guidance = Guidance::default();
        let offered = |start, end| Given {
            binding: Binding::Inclusive,
            ..Given::exclusive(Span::new(start, end), Origin::Correction, "x")
        };
        assert!(guidance.add(offered(0, 3), 5) && guidance.add(offered(2, 4), 5));
        assert!(guidance.add(Given::exclusive(Span::new(0, 2), Origin::Term, "y"), 5));
        assert!(!guidance.add(offered(1, 2), 5) && !guidance.add(offered(4, 6), 5));
        assert!(!guidance.add(Given::exclusive(Span::new(1, 3), Origin::Term, "z"), 5));
        let spans: Vec<Span> = guidance.given.iter().map(|given| given.span).collect();
        assert_eq!(spans, [Span::new(2, 4), Span::new(0, 2)]);
    }
}
