//! Symbols of rules: words, variables, labels and marks in one `u32`, so that counting, scoring and the table are
//! written once for all models.
//!
//! The two highest bits tell the kind, the rest is its number:
//!
//! | kind | number | where |
//! |---|---|---|
//! | word | in the vocabulary | both sides |
//! | variable | of its label in the vocabulary | source side; the k-th from the left is variable k |
//! | label | in the vocabulary | what the rule builds: last symbol of a source side that has one |
//! | mark | free | brackets of tree-shaped patterns; on a target side, reference k to source variable k |

use std::fmt;
use treeglot_text::vocab::Sym;

/// One symbol of a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Symbol(u32);

/// What a [`Symbol`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A word of the vocabulary.
    Word(Sym),
    /// A variable of a source side, which only takes what was built under this label.
    Var(Sym),
    /// What the rule builds.
    Label(Sym),
    /// On a target side: the translation of the source side's variable of this number, from 0.
    Ref(u8),
    /// A bracket or another sign of a tree-shaped pattern.
    Mark(u8),
}

const KIND: u32 = 3 << 30;
const VAR: u32 = 1 << 30;
const LABEL: u32 = 2 << 30;
const MARK: u32 = 3 << 30;
const SIGN: u32 = 1 << 8;

impl Symbol {
    /// How many words and labels a vocabulary may have.
    pub const LIMIT: u32 = 1 << 30;

    /// The symbol of a word.
    pub fn word(word: Sym) -> Self {
        debug_assert!(word.0 < Self::LIMIT);
        Self(word.0)
    }

    /// The symbol of a source variable with a label.
    pub fn var(label: Sym) -> Self {
        debug_assert!(label.0 < Self::LIMIT);
        Self(VAR | label.0)
    }

    /// The symbol of what a rule builds.
    pub fn label(label: Sym) -> Self {
        debug_assert!(label.0 < Self::LIMIT);
        Self(LABEL | label.0)
    }

    /// The reference of a target side to source variable `k`, from 0.
    pub fn reference(k: u8) -> Self {
        Self(MARK | u32::from(k))
    }

    /// A sign of a tree-shaped pattern.
    pub fn mark(sign: u8) -> Self {
        Self(MARK | SIGN | u32::from(sign))
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        let number = self.0 & !KIND;
        match self.0 & KIND {
            VAR => Kind::Var(Sym(number)),
            LABEL => Kind::Label(Sym(number)),
            MARK if number & SIGN == 0 => Kind::Ref(number as u8),
            MARK => Kind::Mark(number as u8),
            _ => Kind::Word(Sym(number)),
        }
    }

    /// Whether it is a word.
    pub fn is_word(self) -> bool {
        self.0 & KIND == 0
    }

    /// Whether it is a source variable.
    pub fn is_var(self) -> bool {
        self.0 & KIND == VAR
    }

    /// Its vocabulary number; none for marks and references.
    pub fn vocab(self) -> Option<Sym> {
        (self.0 & KIND != MARK).then_some(Sym(self.0 & !KIND))
    }

    /// Its vocabulary number mapped by `f`; marks and references stay.
    pub fn map(self, f: impl FnOnce(Sym) -> Sym) -> Self {
        match self.0 & KIND {
            MARK => self,
            kind => Self(kind | f(Sym(self.0 & !KIND)).0),
        }
    }

    /// The bits, for files.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The symbol of these bits, whatever they are: every `u32` is some symbol.
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_comes_back() {
        let sym = Sym(Symbol::LIMIT - 1);
        assert_eq!(Symbol::word(sym).kind(), Kind::Word(sym));
        assert_eq!(Symbol::var(sym).kind(), Kind::Var(sym));
        assert_eq!(Symbol::label(sym).kind(), Kind::Label(sym));
        assert_eq!(Symbol::reference(255).kind(), Kind::Ref(255));
        assert_eq!(Symbol::mark(255).kind(), Kind::Mark(255));
    }

    #[test]
    fn mapping_keeps_the_kind_and_leaves_marks_alone() {
        let shift = |sym: Sym| Sym(sym.0 + 7);
        assert_eq!(Symbol::var(Sym(1)).map(shift), Symbol::var(Sym(8)));
        assert_eq!(Symbol::reference(1).map(shift), Symbol::reference(1));
    }
}
