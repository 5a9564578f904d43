//! Arrays that are either in memory or in a mapped file.

use bytemuck::Pod;
use std::ops::Deref;
use treeglot_text::error::Result;
use treeglot_text::mapped::View;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};

/// An array of a plain type.
#[derive(Clone)]
pub enum Store<T> {
    /// Built in this process.
    Owned(Vec<T>),
    /// A section of a mapped file.
    Mapped(View<T>),
}

impl<T: Pod> Deref for Store<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(values) => values,
            Self::Mapped(view) => view,
        }
    }
}

/// The words of a model.
#[derive(Clone)]
pub enum Words {
    /// Built in this process.
    Owned(Vocab),
    /// Part of a mapped file.
    Mapped(MappedVocab),
}

impl Words {
    /// The symbol of a word, if the model has it.
    pub fn get(&self, word: &str) -> Option<Sym> {
        match self {
            Self::Owned(vocab) => vocab.get(word),
            Self::Mapped(vocab) => vocab.get(word),
        }
    }

    /// The word of a symbol, if there is such a symbol.
    pub fn word(&self, sym: Sym) -> Option<&str> {
        match self {
            Self::Owned(vocab) => (sym.ix() < vocab.len()).then(|| vocab.word(sym)),
            Self::Mapped(vocab) => vocab.word(sym),
        }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Owned(vocab) => vocab.len(),
            Self::Mapped(vocab) => vocab.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Compares a mapped vocabulary's file with its checksums.
    pub fn verify(&self) -> Result<()> {
        match self {
            Self::Owned(_) => Ok(()),
            Self::Mapped(vocab) => vocab.verify(),
        }
    }
}
