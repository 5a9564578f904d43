//! The three words that every n-gram model has, with the same symbols in all of them.

use treeglot_text::vocab::{Sym, Vocab};

/// The unknown word: whatever the vocabulary lacks.
pub const UNK: Sym = Sym(0);
/// The begin of a sentence: it is never predicted, only conditioned on.
pub const BOS: Sym = Sym(1);
/// The end of a sentence.
pub const EOS: Sym = Sym(2);

/// Their spellings, by symbol.
pub const SPECIAL: [&str; 3] = ["<unk>", "<s>", "</s>"];

/// A vocabulary with only the three special words.
pub fn vocabulary() -> Vocab {
    let mut vocab = Vocab::default();
    for word in SPECIAL {
        vocab.intern(word);
    }
    vocab
}
