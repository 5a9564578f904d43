//! Non-projective dependency trees made projective by moving words (Graham 2013, section 6, Algorithm 6.1), before
//! rules are extracted: an in-order traversal puts each word between its left and its right dependents, so that
//! every subtree becomes one span while every head stays the same word.

use crate::dep::{DepTree, Roots};
use crate::error::Invalid;
use crate::index::WordIx;
use crate::parse::{DepParse, Field, Note};
use std::fmt;

/// A reordering of the words of a sentence, with both directions at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutation {
    old_of_new: Vec<WordIx>,
    new_of_old: Vec<WordIx>,
}

/// The side of an alignment link that a reordered sentence is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first number of `j-i`.
    Source,
    /// The second number of `j-i`.
    Target,
}

/// A link to a word the sentence does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("link {source_word}-{target_word} points beyond the sentence of {words} words (links count from 0)")]
pub struct LinkOutOfRange {
    /// The link's first number.
    pub source_word: u32,
    /// The link's second number.
    pub target_word: u32,
    /// The length of the reordered sentence.
    pub words: usize,
}

impl Permutation {
    /// The order that leaves `words` words where they are.
    pub fn identity(words: usize) -> Self {
        let order: Vec<WordIx> = (0..words).map(WordIx::from).collect();
        Self { old_of_new: order.clone(), new_of_old: order }
    }

    /// The reordering that puts word `order[i]` at position `i`; `None` if a word is missing or comes twice.
    pub fn from_order(order: Vec<WordIx>) -> Option<Self> {
        let mut new_of_old = vec![None; order.len()];
        for (new, old) in order.iter().enumerate() {
            let slot = new_of_old.get_mut(old.ix())?;
            if slot.replace(WordIx::from(new)).is_some() {
                return None;
            }
        }
        Some(Self { new_of_old: new_of_old.into_iter().collect::<Option<_>>()?, old_of_new: order })
    }

    /// How many words it reorders.
    pub fn len(&self) -> usize {
        self.old_of_new.len()
    }

    /// Whether it reorders no words at all.
    pub fn is_empty(&self) -> bool {
        self.old_of_new.is_empty()
    }

    /// Whether every word stays where it is.
    pub fn is_identity(&self) -> bool {
        self.old_of_new.iter().enumerate().all(|(new, old)| new == old.ix())
    }

    /// Where the word that was at `old` stands now.
    pub fn new_position(&self, old: WordIx) -> WordIx {
        self.new_of_old[old.ix()]
    }

    /// Where the word that is now at `new` stood before.
    pub fn old_position(&self, new: WordIx) -> WordIx {
        self.old_of_new[new.ix()]
    }

    /// The old positions in their new order.
    pub fn order(&self) -> &[WordIx] {
        &self.old_of_new
    }

    /// The reordering that undoes this one.
    pub fn inverse(&self) -> Self {
        Self { old_of_new: self.new_of_old.clone(), new_of_old: self.old_of_new.clone() }
    }

    /// Puts what belongs to the words (`items[w]` to word w) into the new order.
    ///
    /// # Panics
    /// If there is not one item for each word.
    pub fn apply<T: Clone>(&self, items: &[T]) -> Vec<T> {
        assert_eq!(items.len(), self.len(), "one item for each word");
        self.old_of_new.iter().map(|old| items[old.ix()].clone()).collect()
    }

    /// Moves links (0-based pairs of source and target word) along with the words of one side; they stay in the
    /// order in which they are.
    pub fn apply_links(&self, links: &mut [(u32, u32)], side: Side) -> Result<(), LinkOutOfRange> {
        for link in links {
            let word = match side {
                Side::Source => &mut link.0,
                Side::Target => &mut link.1,
            };
            match self.new_of_old.get(*word as usize) {
                Some(new) => *word = new.0,
                None => {
                    return Err(LinkOutOfRange {
                        source_word: link.0,
                        target_word: link.1,
                        words: self.len(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The old positions, from 1, in their new order.
impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (new, old) in self.old_of_new.iter().enumerate() {
            let space = if new == 0 { "" } else { " " };
            write!(f, "{space}{old}")?;
        }
        Ok(())
    }
}

/// The words of a tree in in-order: left dependents, the word, right dependents. This is Algorithm 6.1 with a stack
/// of its own, in time linear in the words.
pub fn inorder(tree: &DepTree) -> Permutation {
    enum Step {
        Walk(WordIx),
        Print(WordIx),
    }
    let mut order = Vec::with_capacity(tree.len());
    let mut steps = vec![Step::Walk(tree.root())];
    while let Some(step) = steps.pop() {
        match step {
            Step::Print(w) => order.push(w),
            Step::Walk(w) => {
                let dependents = tree.dependents(w);
                let right = dependents.partition_point(|d| *d < w);
                steps.extend(dependents[right..].iter().rev().map(|&d| Step::Walk(d)));
                steps.push(Step::Print(w));
                steps.extend(dependents[..right].iter().rev().map(|&d| Step::Walk(d)));
            }
        }
    }
    Permutation::from_order(order).expect("a traversal of a checked tree meets every word once")
}

/// The projective tree that results from moving the words, and how they moved.
pub fn project_tree(tree: &DepTree) -> (DepTree, Permutation) {
    let order = inorder(tree);
    let moved = order.order().iter().map(|&old| tree.head(old).map(|h| order.new_position(h))).collect();
    let tree = DepTree::new(moved, Roots::One).expect("the heads are those of a tree, renumbered");
    (tree, order)
}

/// The comment that a reordered sentence gets: the old position of each word.
pub const ORDER_COMMENT: &str = "inorder";

/// Makes a parse projective by moving its words with all their columns. A parse that is projective already is
/// returned as it is, except for later roots that `roots` attaches.
///
/// What is not about single words cannot always follow. In a sentence whose order changed
/// - a multi-word token stays (renumbered) if its words still stand together in their order, else its line is
///   dropped;
/// - the enhanced graph is dropped: empty nodes and the column of enhanced dependencies;
/// - comments stay, except `# text = ...`, which is no longer the text of the words; the comment
///   `# inorder = 2 3 1` is added, the old positions in their new order.
pub fn project(parse: &DepParse, roots: Roots) -> Result<(DepParse, Permutation), Invalid> {
    let tree = parse.tree(roots)?;
    let (moved, order) = project_tree(&tree);
    if order.is_identity() {
        let mut same = parse.clone();
        same.set_heads(&tree);
        return Ok((same, order));
    }
    let mut out = DepParse::at(parse.place().clone());
    for (kind, line, _) in parse.notes() {
        if kind == Note::Comment && !is_comment(line, "text") {
            out.push_note(kind, line);
        }
    }
    out.push_note(Note::Comment, &format!("# {ORDER_COMMENT} = {order}"));
    move_words(parse, &order, &mut out);
    for w in out.words() {
        out.set(w, Field::Deps, "_");
    }
    out.set_heads(&moved);
    Ok((out, order))
}

/// Copies words in their new order, heads renumbered, with the multi-word tokens whose words stay together.
fn move_words(parse: &DepParse, order: &Permutation, out: &mut DepParse) {
    let lines = parse.notes().filter(|n| n.0 == Note::Multiword);
    let mut multiwords: Vec<(WordIx, String)> =
        lines.filter_map(|(_, line, _)| move_multiword(line, order)).collect();
    multiwords.sort_by_key(|m| m.0);
    let mut multiwords = multiwords.into_iter().peekable();
    for &old in order.order() {
        while let Some((_, line)) = multiwords.next_if(|m| m.0.ix() == out.len()) {
            out.push_note(Note::Multiword, &line);
        }
        let head = parse.raw_head(old).map(|h| match h.checked_sub(1) {
            Some(head) if (head as usize) < parse.len() => order.new_position(WordIx(head)).0 + 1,
            _ => h,
        });
        out.push(parse.columns(old), head);
    }
}

/// A reordered sentence whose comment does not tell an order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the comment `# {ORDER_COMMENT} = {0}` is not an order of the sentence's words")]
pub struct BadOrder(String);

/// Puts the words of a projected parse back in the order that its comment `# inorder = ...` tells, and drops the
/// comment. A parse without it is returned as it is. What [`project`] dropped does not come back.
pub fn restore(parse: &DepParse) -> Result<DepParse, BadOrder> {
    let Some(order) = parse.comment(ORDER_COMMENT) else { return Ok(parse.clone()) };
    let old: Option<Vec<WordIx>> =
        order.split(' ').map(|w| w.parse().ok().and_then(|w: u32| w.checked_sub(1)).map(WordIx)).collect();
    let moved = old.and_then(Permutation::from_order).filter(|p| p.len() == parse.len());
    let back = moved.ok_or_else(|| BadOrder(order.to_string()))?.inverse();
    let mut out = DepParse::at(parse.place().clone());
    for (kind, line, _) in parse.notes() {
        if kind == Note::Comment && !is_comment(line, ORDER_COMMENT) {
            out.push_note(kind, line);
        }
    }
    move_words(parse, &back, &mut out);
    Ok(out)
}

/// Whether a comment is `# key = ...`.
fn is_comment(comment: &str, key: &str) -> bool {
    let name = comment.trim_start_matches('#').split_once('=').map(|(name, _)| name.trim());
    name == Some(key)
}

/// A multi-word line with its new range, and the first word of it; `None` if its words were torn apart.
fn move_multiword(line: &str, order: &Permutation) -> Option<(WordIx, String)> {
    let (range, rest) = line.split_once('\t')?;
    let (first, last) = range.split_once('-')?;
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    if first == 0 || last < first || last as usize > order.len() {
        return None;
    }
    let start = order.new_position(WordIx(first - 1));
    let together = (first..=last).all(|w| order.new_position(WordIx(w - 1)).0 == start.0 + (w - first));
    let end = start.0 + 1 + (last - first);
    together.then(|| (start, format!("{start}-{end}\t{rest}")))
}
