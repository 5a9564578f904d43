//! Pseudo-projective parsing (Nivre & Nilsson 2005), for parsers and models that need projective trees with the
//! words in their places: a non-projective arc is lifted to the head of its head, smallest arc first, until the tree
//! is projective. The relations of the lifted arcs are marked so that [`unlift`] can find the true heads again.
//!
//! Marks, as in the paper's table 1, for a relation `d` whose true head has the relation `h`, and a relation `p` on
//! the path over which an arc was lifted:
//!
//! | scheme | lifted arc | arc of the path |
//! |---|---|---|
//! | [`Scheme::Head`] | `d↑h` | `p` |
//! | [`Scheme::HeadPath`] | `d↑h` | `p↓` |
//! | [`Scheme::Path`] | `d↑` | `p↓` |
//! | [`Scheme::Exact`] | `d`, and `LiftedFrom=N` among the word's other attributes | `p` |

use crate::dep::{DepTree, Roots};
use crate::error::Invalid;
use crate::escape::{escape, unescape};
use crate::index::WordIx;
use crate::parse::{DepParse, Field};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// How the way back is marked. The first three are learnable by a parser and restore most trees; the last is not
/// learnable and restores all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// The true head's relation on the lifted arc.
    #[default]
    Head,
    /// A mark on the lifted arc and on the path down to the true head.
    Path,
    /// Both.
    HeadPath,
    /// The true head's position in the last column.
    Exact,
}

const UP: char = '↑';
const DOWN: char = '↓';
const ATTRIBUTE: &str = "LiftedFrom=";

/// Why a parse cannot be lifted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiftError {
    /// Its heads do not form a tree.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// It carries the attribute that exact lifting writes.
    #[error("word {0} has the attribute `LiftedFrom` already: undo the earlier lifting first")]
    Lifted(WordIx),
    /// A mark that no lifting writes.
    #[error("word {0} has the attribute `LiftedFrom`, but its value is not a word of the sentence")]
    BadMark(WordIx),
}

/// A projective tree and which arcs were lifted for it.
#[derive(Debug, Clone)]
pub struct Lifted {
    /// The projective tree.
    pub tree: DepTree,
    /// Whether each word hangs from another head than its true one.
    pub moved: Vec<bool>,
    /// Whether some arc was lifted over the arc from this word to its head.
    pub path: Vec<bool>,
}

/// Lifts the smallest non-projective arc (the leftmost of equals) until there is none.
pub fn lift_tree(tree: &DepTree) -> Lifted {
    let n = tree.len();
    if tree.is_projective() {
        return Lifted { tree: tree.clone(), moved: vec![false; n], path: vec![false; n] };
    }
    let mut lifting = Lifting::new(tree);
    let (mut moved, mut path) = (vec![false; n], vec![false; n]);
    while let Some((word, head)) = lifting.smallest() {
        lifting.lift(word, head);
        moved[word.ix()] = true;
        path[head.ix()] = true;
    }
    let tree = DepTree::new(lifting.heads, Roots::One).expect("a head moved up leaves a tree");
    Lifted { tree, moved, path }
}

/// A tree while its arcs are lifted.
///
/// An arc is non-projective if it covers a word that its head is not above. Lifting a word's arc over its head changes
/// only what that head is above, and takes from it: so non-projective arcs stay so until they are lifted, and besides
/// the lifted arc only those of the head's other dependents can have become non-projective. They wait in a heap.
///
/// What a word is above is a range of the pre-order; lifting moves the lifted words behind the rest of the head's
/// range. The pre-order's least and greatest numbers in any part of the sentence tell whether a word there lies outside
/// a range, in logarithmic time.
struct Lifting {
    heads: Vec<Option<WordIx>>,
    dependents: Vec<Vec<WordIx>>,
    preorder: Vec<WordIx>,
    /// The position of each word in `preorder`, with the extremes of each part of the sentence.
    enter: Extremes,
    sizes: Vec<u32>,
    /// Length, word and head of the non-projective arcs, and of some that were lifted meanwhile.
    crossing: BinaryHeap<Reverse<(u32, WordIx, WordIx)>>,
}

impl Lifting {
    fn new(tree: &DepTree) -> Self {
        let preorder = tree.preorder().to_vec();
        let mut enter = vec![0; tree.len()];
        for (at, word) in preorder.iter().enumerate() {
            enter[word.ix()] = at as u32;
        }
        let mut lifting = Self {
            heads: tree.heads().to_vec(),
            dependents: tree.words().map(|w| tree.dependents(w).to_vec()).collect(),
            preorder,
            enter: Extremes::new(&enter),
            sizes: tree.words().map(|w| tree.subtree_len(w) as u32).collect(),
            crossing: BinaryHeap::new(),
        };
        tree.words().for_each(|word| lifting.look_at(word));
        lifting
    }

    /// Adds a word's arc to those that wait if it is non-projective.
    fn look_at(&mut self, word: WordIx) {
        let Some(head) = self.heads[word.ix()] else { return };
        let (left, right) = (word.min(head), word.max(head));
        if left.0 + 1 == right.0 {
            return;
        }
        let (least, greatest) = self.enter.within(left.ix() + 1, right.ix());
        let start = self.enter.get(head.ix());
        if least < start || greatest >= start + self.sizes[head.ix()] {
            self.crossing.push(Reverse((right.0 - left.0, word, head)));
        }
    }

    /// The smallest non-projective arc, as its word and head.
    fn smallest(&mut self) -> Option<(WordIx, WordIx)> {
        while let Some(Reverse((_, word, head))) = self.crossing.pop() {
            if self.heads[word.ix()] == Some(head) {
                return Some((word, head));
            }
        }
        None
    }

    fn lift(&mut self, word: WordIx, head: WordIx) {
        // An arc from the root covers only words below the root, so a crossing arc's head has a head.
        let above = self.heads[head.ix()].expect("only arcs below the root cross");
        self.heads[word.ix()] = Some(above);
        self.dependents[above.ix()].push(word);
        self.dependents[head.ix()].retain(|&dependent| dependent != word);
        let (start, size) = (self.enter.get(word.ix()), self.sizes[word.ix()]);
        let end = self.enter.get(head.ix()) + self.sizes[head.ix()];
        self.sizes[head.ix()] -= size;
        self.preorder[start as usize..end as usize].rotate_left(size as usize);
        for at in start..end {
            self.enter.set(self.preorder[at as usize].ix(), at);
        }
        self.look_at(word);
        for at in 0..self.dependents[head.ix()].len() {
            self.look_at(self.dependents[head.ix()][at]);
        }
    }
}

/// Numbers with the least and greatest of any range: a binary tree in an array, its leaves in the second half.
struct Extremes {
    nodes: Vec<(u32, u32)>,
    leaves: usize,
}

impl Extremes {
    fn new(values: &[u32]) -> Self {
        let leaves = values.len();
        let mut nodes = vec![(u32::MAX, 0); 2 * leaves];
        for (node, &value) in nodes[leaves..].iter_mut().zip(values) {
            *node = (value, value);
        }
        for at in (1..leaves).rev() {
            nodes[at] = hull(nodes[2 * at], nodes[2 * at + 1]);
        }
        Self { nodes, leaves }
    }

    fn get(&self, at: usize) -> u32 {
        self.nodes[self.leaves + at].0
    }

    fn set(&mut self, at: usize, value: u32) {
        let mut at = self.leaves + at;
        self.nodes[at] = (value, value);
        while at > 1 {
            at /= 2;
            self.nodes[at] = hull(self.nodes[2 * at], self.nodes[2 * at + 1]);
        }
    }

    /// The least and the greatest of `start..end`.
    fn within(&self, start: usize, end: usize) -> (u32, u32) {
        let (mut start, mut end) = (self.leaves + start, self.leaves + end);
        let mut found = (u32::MAX, 0);
        while start < end {
            if start % 2 == 1 {
                found = hull(found, self.nodes[start]);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                found = hull(found, self.nodes[end]);
            }
            (start, end) = (start / 2, end / 2);
        }
        found
    }
}

fn hull(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Makes a parse projective; its relations (or attributes) tell the true heads. Later roots are attached as `roots`
/// says, and stay attached after [`unlift`].
pub fn lift(parse: &DepParse, roots: Roots, scheme: Scheme) -> Result<DepParse, LiftError> {
    let tree = parse.tree(roots)?;
    let lifted = lift_tree(&tree);
    let mut out = parse.clone();
    out.set_heads(&lifted.tree);
    for w in parse.words() {
        if scheme == Scheme::Exact {
            if lifted_from(parse.get(w, Field::Misc)).is_some() {
                return Err(LiftError::Lifted(w));
            }
            if let Some(head) = tree.head(w).filter(|_| lifted.moved[w.ix()]) {
                out.set(w, Field::Misc, &with_attribute(parse.get(w, Field::Misc), head));
            }
        } else {
            let head = tree.head(w).filter(|_| lifted.moved[w.ix()]);
            let on_path = lifted.path[w.ix()] && scheme != Scheme::Head;
            let mark = Mark {
                relation: parse.deprel(w),
                up: head.map(|h| if scheme == Scheme::Path { "" } else { parse.deprel(h) }),
                down: on_path,
            };
            out.set(w, Field::Deprel, &mark.write());
        }
    }
    Ok(out)
}

/// Puts lifted arcs back where their marks say and removes the marks. An arc whose true head cannot be found stays
/// where it is.
///
/// The search for the true head goes down from the present head, breadth first, left to right, along the marked path
/// if there is one. It takes the first word that has the right relation (head) or ends the path (path). Among words
/// of the right relation those that end the path come first, and always those from which the arc would not be
/// projective, since a lifted arc was not.
pub fn unlift(parse: &DepParse, roots: Roots, scheme: Scheme) -> Result<DepParse, LiftError> {
    let mut out = parse.clone();
    let mut tree = parse.tree(roots)?;
    if scheme == Scheme::Exact {
        return restore_exactly(out, &tree);
    }
    let labels: Vec<String> = parse.words().map(|w| parse.deprel(w).to_string()).collect();
    let marks: Vec<Option<ReadMark>> = labels.iter().map(|l| ReadMark::read(l)).collect();
    let mut moved: Vec<WordIx> =
        parse.words().filter(|w| marks[w.ix()].as_ref().is_some_and(|m| m.up.is_some())).collect();
    moved.sort_by_key(|&w| (tree.depth(w), w));
    for w in moved {
        if let Some(head) = find_head(&tree, &marks, w, scheme) {
            let mut heads = tree.heads().to_vec();
            heads[w.ix()] = Some(head);
            tree = DepTree::new(heads, Roots::One).expect("a new head outside the subtree leaves a tree");
        }
    }
    out.set_heads(&tree);
    for w in parse.words() {
        if let Some(mark) = &marks[w.ix()] {
            out.set(w, Field::Deprel, &mark.relation);
        }
    }
    Ok(out)
}

fn find_head(tree: &DepTree, marks: &[Option<ReadMark>], word: WordIx, scheme: Scheme) -> Option<WordIx> {
    let wanted = marks[word.ix()].as_ref()?.up.as_deref()?;
    let is_down = |w: WordIx| marks[w.ix()].as_ref().is_some_and(|m| m.down);
    let fits = |w: WordIx| marks[w.ix()].as_ref().is_some_and(|m| m.relation == wanted);
    let mut best: Option<(u8, WordIx)> = None;
    let mut queue = VecDeque::from([tree.head(word)?]);
    while let Some(above) = queue.pop_front() {
        for &d in tree.dependents(above) {
            if d == word || (scheme != Scheme::Head && !is_down(d)) {
                continue;
            }
            queue.push_back(d);
            let ends = scheme != Scheme::Head && !tree.dependents(d).iter().any(|&c| is_down(c));
            let candidate = if scheme == Scheme::Path { ends } else { fits(d) };
            let rank = u8::from(ends) * 2 + u8::from(crosses(tree, word, d));
            if candidate && best.is_none_or(|b| b.0 < rank) {
                best = Some((rank, d));
            }
        }
    }
    best.map(|b| b.1)
}

/// Whether an arc from `head` to `word` would cover a word that neither of them dominates.
fn crosses(tree: &DepTree, word: WordIx, head: WordIx) -> bool {
    let (left, right) = (word.min(head), word.max(head));
    (left.0 + 1..right.0).map(WordIx).any(|w| !tree.dominates(head, w) && !tree.dominates(word, w))
}

fn restore_exactly(mut parse: DepParse, tree: &DepTree) -> Result<DepParse, LiftError> {
    let mut heads = tree.heads().to_vec();
    for w in parse.words() {
        let misc = parse.get(w, Field::Misc).to_string();
        let Some(value) = lifted_from(&misc) else { continue };
        let head: u32 = value.parse().map_err(|_| LiftError::BadMark(w))?;
        if head == 0 || head as usize > parse.len() {
            return Err(LiftError::BadMark(w));
        }
        heads[w.ix()] = Some(WordIx(head - 1));
        let rest: Vec<&str> = misc.split('|').filter(|a| !a.starts_with(ATTRIBUTE)).collect();
        let rest = if rest.is_empty() { "_".to_string() } else { rest.join("|") };
        parse.set(w, Field::Misc, &rest);
    }
    parse.set_heads(&DepTree::new(heads, Roots::One)?);
    Ok(parse)
}

fn lifted_from(misc: &str) -> Option<&str> {
    misc.split('|').find_map(|a| a.strip_prefix(ATTRIBUTE))
}

fn with_attribute(misc: &str, head: WordIx) -> String {
    match misc {
        "_" => format!("{ATTRIBUTE}{head}"),
        misc => format!("{misc}|{ATTRIBUTE}{head}"),
    }
}

/// A relation with its marks, to be written.
struct Mark<'a> {
    relation: &'a str,
    /// The relation of the true head, or nothing, on a lifted arc.
    up: Option<&'a str>,
    down: bool,
}

impl Mark<'_> {
    fn write(&self) -> String {
        let special = |c| c == UP || c == DOWN;
        let mut label = String::new();
        escape(self.relation, special, &mut label);
        if let Some(head) = self.up {
            label.push(UP);
            escape(head, special, &mut label);
        }
        if self.down {
            label.push(DOWN);
        }
        label
    }
}

/// A relation with its marks, as read.
struct ReadMark {
    relation: String,
    up: Option<String>,
    down: bool,
}

impl ReadMark {
    /// `None` if the text is no relation that lifting writes; it is then left alone.
    fn read(label: &str) -> Option<Self> {
        let (label, down) = match label.strip_suffix(DOWN) {
            Some(rest) => (rest, true),
            None => (label, false),
        };
        let (relation, up) = match label.split_once(UP) {
            Some((relation, head)) => (relation, Some(unescape(head)?)),
            None => (label, None),
        };
        Some(Self { relation: unescape(relation)?, up, down })
    }
}
