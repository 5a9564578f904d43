//! Several sentences as one structure, for lines of parallel text that hold more than one sentence (Graham 2013,
//! section 7): in a dependency parse the later roots hang from the first root, in a constituency tree all trees
//! stand under one new top node.

use crate::con::{Child, ConBuilder, ConTree};
use crate::error::Invalid;
use crate::index::{NodeId, WordIx};
use crate::parse::{DepParse, FIELDS, Field, Note};

/// Where the parts of a joined structure begin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offsets {
    starts: Vec<u32>,
    len: u32,
}

impl Offsets {
    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.starts.len()
    }

    /// The joined position of word `word` of part `part`.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn joined(&self, part: usize, word: WordIx) -> WordIx {
        WordIx(self.starts[part] + word.0)
    }

    /// The part that a joined position lies in, and the position there; `None` past the end.
    pub fn part(&self, joined: WordIx) -> Option<(usize, WordIx)> {
        if joined.0 >= self.len {
            return None;
        }
        let part = self.starts.partition_point(|&s| s <= joined.0) - 1;
        Some((part, WordIx(joined.0 - self.starts[part])))
    }

    fn push(&mut self, words: usize) {
        self.starts.push(self.len);
        self.len += u32::try_from(words).expect("a sentence has fewer than 2^32 words");
    }
}

/// The relation that a later root gets, as Universal Dependencies name side by side sentences.
pub const RELATION: &str = "parataxis";

/// Joins parses into one. The first root of the first parse stays; every other root hangs from it with `relation`.
/// Comments, multi-word tokens and empty nodes come along, renumbered, as do enhanced dependencies; a head that is
/// missing or out of range stays so and is found when the tree is built.
pub fn join_parses(parts: &[DepParse], relation: &str) -> (DepParse, Offsets) {
    let mut out = DepParse::at(parts.first().map(|part| part.place().clone()).unwrap_or_default());
    let mut offsets = Offsets::default();
    let mut root = None;
    for part in parts {
        let offset = u32::try_from(out.len()).expect("a sentence has fewer than 2^32 words");
        offsets.push(part.len());
        let mut notes = part.notes().peekable();
        for w in part.words() {
            while let Some((kind, line, _)) = notes.next_if(|n| n.2 <= w.ix()) {
                out.push_note(kind, &renumber_note(kind, line, offset));
            }
            let columns = part.columns(w);
            let deps = renumber_deps(columns[Field::Deps as usize], offset, root);
            let mut columns: [&str; FIELDS] = columns;
            columns[Field::Deps as usize] = &deps;
            let head = match (part.raw_head(w), root) {
                (Some(0), None) => {
                    root = Some(out.len() as u32 + 1);
                    Some(0)
                }
                (Some(0), Some(first)) => {
                    columns[Field::Deprel as usize] = relation;
                    Some(first)
                }
                (Some(h), _) => Some(beyond(h, part.len()).unwrap_or(h + offset)),
                (None, _) => None,
            };
            out.push(columns, head);
        }
        for (kind, line, _) in notes {
            out.push_note(kind, &renumber_note(kind, line, offset));
        }
    }
    (out, offsets)
}

/// A head past its sentence must not land on a word of the next one.
fn beyond(head: u32, words: usize) -> Option<u32> {
    (head as usize > words).then_some(u32::MAX)
}

fn renumber_note(kind: Note, line: &str, offset: u32) -> String {
    let Some((id, rest)) = line.split_once('\t').filter(|_| kind != Note::Comment) else {
        return line.to_string();
    };
    format!("{}\t{rest}", renumber(id, offset))
}

/// `3`, `3-4` or `3.1` with every word number moved; the part after a dot counts empty nodes and stays.
fn renumber(id: &str, offset: u32) -> String {
    let shift =
        |n: &str| n.parse::<u32>().map_or_else(|_| n.to_string(), |n| n.saturating_add(offset).to_string());
    if let Some((first, last)) = id.split_once('-') {
        return format!("{}-{}", shift(first), shift(last));
    }
    match id.split_once('.') {
        Some((word, node)) => format!("{}.{node}", shift(word)),
        None => shift(id),
    }
}

fn renumber_deps(deps: &str, offset: u32, root: Option<u32>) -> String {
    if offset == 0 || deps == "_" {
        return deps.to_string();
    }
    let parts = deps.split('|').map(|dep| match dep.split_once(':') {
        Some(("0", relation)) => format!("{}:{relation}", root.unwrap_or(0)),
        Some((head, relation)) => format!("{}:{relation}", renumber(head, offset)),
        None => dep.to_string(),
    });
    parts.collect::<Vec<_>>().join("|")
}

/// Joins trees under a new node `top`; also tells where the words of each tree begin. Fails if there is none.
pub fn join_trees(parts: &[ConTree], top: &str) -> Result<(ConTree, Offsets), Invalid> {
    let mut b = ConBuilder::default();
    let mut offsets = Offsets::default();
    let top = b.node(top, None);
    for part in parts {
        offsets.push(part.len());
        let mut drafts = Vec::with_capacity(part.node_count());
        for n in part.nodes() {
            let parent = part.parent(n).map_or(top, |p: NodeId| drafts[p.ix()]);
            let draft = b.node(part.label(n), Some(parent));
            b.set_edge(draft, part.edge(n));
            drafts.push(draft);
        }
        for w in part.words() {
            let parent = drafts[part.parent_of_word(w).ix()];
            b.word_with(part.form(w), part.lemma(w), part.morph(w), parent);
        }
    }
    Ok((b.finish()?, offsets))
}

/// The trees below the top node, the inverse of [`join_trees`]: each child of the top is a tree of its own. `None`
/// if the top has words of its own or the children are not one after the other.
pub fn split_tree(tree: &ConTree) -> Option<Vec<ConTree>> {
    tree.children(tree.root()).iter().map(|child| cut(tree, *child)).collect()
}

fn cut(tree: &ConTree, child: Child) -> Option<ConTree> {
    let Child::Node(top) = child else { return None };
    let span = tree.span(top)?;
    let mut b = ConBuilder::default();
    let mut drafts = Vec::new();
    for n in tree.subtree(top) {
        let parent = tree.parent(n).filter(|_| n != top).map(|p| drafts[p.ix() - top.ix()]);
        let draft = b.node(tree.label(n), parent);
        b.set_edge(draft, tree.edge(n));
        drafts.push(draft);
    }
    for w in span.words() {
        let parent = drafts[tree.parent_of_word(w).ix() - top.ix()];
        b.word_with(tree.form(w), tree.lemma(w), tree.morph(w), parent);
    }
    Some(b.finish().expect("a subtree of a checked tree is a tree"))
}
