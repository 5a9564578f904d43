//! The structure of a rule's target side: for each word and variable, the symbol of the rule that it depends on.

use super::structure::{Structure, Structures};
use treeglot_grammar::Symbol;
use treeglot_grammar::heads::{ILL, OUTSIDE};
use treeglot_tree::{Span, WordIx};

/// Appends the marks of a target side that was read off `phrase`, with variables for `holes`, by place.
///
/// What a fixed structure's head depends on, and what all children of a floating one depend on, is what its variable
/// depends on; words that depend on a word of it depend on the variable. Where a structure is ill-formed, its first word with a
/// head outside stands for all, and a symbol that would so depend on itself has its head outside.
pub fn push_marks(structures: &Structures<'_>, phrase: Span, holes: &[(Span, u8)], target: &mut Vec<Symbol>) {
    let first = target.len();
    let mut ill = !structures.of(phrase).is_well_formed();
    let mut holes_left = holes;
    let mut word = phrase.start;
    while word < phrase.end {
        let head = match holes_left.split_first() {
            Some((&(hole, _), rest)) if hole.start == word => {
                ill |= !structures.of(hole).is_well_formed();
                holes_left = rest;
                word = hole.end;
                head_of(structures, hole)
            }
            _ => {
                word += 1;
                structures.tree().head(WordIx(word - 1))
            }
        };
        target.push(Symbol::mark(head.map_or(OUTSIDE, |head| mark(head, phrase, holes))));
    }
    if ill {
        cut_circles(&mut target[first..]);
        target.push(Symbol::mark(ILL));
    }
}

/// The word outside a span that its structure depends on.
fn head_of(structures: &Structures<'_>, span: Span) -> Option<WordIx> {
    let tree = structures.tree();
    match structures.of(span) {
        Structure::Fixed(word) => tree.head(word),
        Structure::Floating(head) => Some(head),
        Structure::Ill => {
            let outside = |word: &WordIx| tree.head(*word).is_none_or(|head| !span.contains(head));
            span.words().find(outside).and_then(|word| tree.head(word))
        }
    }
}

/// The mark of a head: the position of its symbol plus 1.
fn mark(head: WordIx, phrase: Span, holes: &[(Span, u8)]) -> u8 {
    if !phrase.contains(head) {
        return OUTSIDE;
    }
    let before = holes.iter().filter(|(hole, _)| hole.start <= head.0);
    let removed: u32 = before
        .map(|(hole, _)| if hole.contains(head) { head.0 - hole.start } else { hole.len() as u32 - 1 })
        .sum();
    (head.0 - phrase.start - removed + 1) as u8
}

/// Makes the first symbol of each circle depend on something outside.
fn cut_circles(marks: &mut [Symbol]) {
    let head = |marks: &[Symbol], at: usize| {
        (0..marks.len()).find(|&head| marks[at] == Symbol::mark(head as u8 + 1))
    };
    for start in 0..marks.len() {
        let circular = std::iter::successors(head(marks, start), |&at| head(marks, at))
            .take(marks.len())
            .any(|at| at == start);
        if circular {
            marks[start] = Symbol::mark(OUTSIDE);
        }
    }
}
