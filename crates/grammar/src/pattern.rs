//! Tree-shaped source sides. The symbols of a pattern are its parts from left to right, words and variables; what is
//! left of its shape follows at the end, so that positions count parts as in any other rule and patterns that begin
//! alike share their way through the trie:
//!
//! | pattern | ends with |
//! |---|---|
//! | a head and its dependents (Meng et al. 2013, section 2) | a mark: which part is the head, or covers it; or [`HEADLESS`] |
//! | a fragment of a constituency tree (Galley et al. 2004) | a label, its brackets with `#` for each part, and [`FRAGMENT`] |
//! | a unit of words and what hangs below it (Na & Lee 2011, section 4) | [`UNIT`] |

use crate::symbol::{Kind, Symbol};
use treeglot_text::vocab::Sym;

/// The mark that ends a fragment of a constituency tree.
pub const FRAGMENT: u8 = u8::MAX;

/// The mark that ends a unit with what hangs below it.
pub const UNIT: u8 = u8::MAX - 1;

/// The most parts of a pattern.
pub const MAX_PARTS: usize = 250;

/// The mark that ends dependents of a head that is not among them; lower ones are positions of heads.
pub const HEADLESS: u8 = MAX_PARTS as u8;

/// The shape of a tree-shaped source side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A head and its dependents: the position of the part that is the head or covers it, or [`HEADLESS`].
    Head(u8),
    /// A fragment of a constituency tree: its brackets, in the vocabulary.
    Brackets(Sym),
    /// The words of a unit, and variables for what hangs below it.
    Unit,
}

/// The parts and the shape of a tree-shaped source side; `None` for any other.
pub fn parts(source: &[Symbol]) -> Option<(&[Symbol], Shape)> {
    let (last, before) = source.split_last()?;
    match last.kind() {
        Kind::Mark(FRAGMENT) => {
            let (label, parts) = before.split_last()?;
            match label.kind() {
                Kind::Label(brackets) => Some((parts, Shape::Brackets(brackets))),
                _ => None,
            }
        }
        Kind::Mark(UNIT) => Some((before, Shape::Unit)),
        Kind::Mark(head) => Some((before, Shape::Head(head))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_is_told_by_the_end() {
        let (word, var, label) = (Symbol::word(Sym(1)), Symbol::var(Sym(2)), Symbol::label(Sym(3)));
        assert_eq!(parts(&[var, word, Symbol::mark(1)]), Some((&[var, word][..], Shape::Head(1))));
        let fragment = [word, label, Symbol::mark(FRAGMENT)];
        assert_eq!(parts(&fragment), Some((&[word][..], Shape::Brackets(Sym(3)))));
        assert_eq!(parts(&[word, var, Symbol::mark(UNIT)]), Some((&[word, var][..], Shape::Unit)));
        assert_eq!(parts(&[word, label]), None);
        assert_eq!(parts(&[Symbol::mark(FRAGMENT)]), None);
        assert_eq!(parts(&[]), None);
    }
}
