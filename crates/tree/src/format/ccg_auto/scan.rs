//! The brackets of AUTO: one derivation on a line.

use super::derivation::{Derivation, DerivationBuilder, Leaf};
use treeglot_text::Place;

/// The fields of a leaf in CCGbank's form: category, tag, original tag, word, indexed category.
const PLAIN: usize = 5;
/// The fields of a leaf in the extended form: category, word, lemma, tag, entity, chunk, category.
const EXTENDED: usize = 7;

/// Reads the derivation of one line, or tells what is wrong with it.
pub(super) fn derivation(line: &str) -> Result<Derivation, String> {
    let mut tree = DerivationBuilder::default();
    let mut sizes: Vec<usize> = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("(<T ") {
            let (content, after) = after.split_once('>').ok_or("`(<T` without `>`")?;
            sizes.push(open(&mut tree, content)?);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("(<L ") {
            let (content, after) = leaf_content(after)?;
            tree.leaf(leaf(content)?)?;
            rest = after;
        } else if let Some(after) = rest.strip_prefix(')') {
            let node = tree.close()?;
            let size = sizes.pop().unwrap_or_default();
            if node.children.len() != size {
                let found = node.children.len();
                return Err(format!("`{}` has {found} children, but announces {size}", node.category));
            }
            rest = after;
        } else {
            let start: String = rest.chars().take(20).collect();
            return Err(format!("`{start}` where `(<T`, `(<L` or `)` is due"));
        }
        rest = rest.trim_start();
    }
    tree.finish(Place::new("", 0))
}

/// Opens the node `category [rule] head children` and returns how many children it announces.
fn open(tree: &mut DerivationBuilder, content: &str) -> Result<usize, String> {
    let fields: Vec<&str> = content.split_whitespace().collect();
    let (category, rule, head, size) = match fields.as_slice() {
        [category, head, size] => (category, None, head, size),
        [category, rule, head, size] => (category, Some(*rule), head, size),
        _ => return Err(format!("`<T {content}>` is not of the form `<T category head children>`")),
    };
    let number =
        |text: &str| text.parse().map_err(|_| format!("`{text}` in `<T {content}>` is not a number"));
    tree.open(category, rule, Some(number(head)?))?;
    number(size)
}

/// Splits at the end of a leaf, `>)`; a word may contain it.
fn leaf_content(rest: &str) -> Result<(&str, &str), String> {
    let ends = rest.match_indices(">)").map(|(at, _)| at);
    let end = ends.into_iter().find(|&at| rest[..at].split_whitespace().count() >= PLAIN);
    let end = end.ok_or("`(<L` needs a category, two tags, a word and a category before `>)`")?;
    Ok((&rest[..end], &rest[end + 2..]))
}

fn leaf(content: &str) -> Result<Leaf, String> {
    let fields: Vec<&str> = content.split_whitespace().collect();
    let some = |at: usize| Some(fields[at].to_string());
    match fields.len() {
        PLAIN => Ok(Leaf {
            category: fields[0].to_string(),
            word: fields[3].to_string(),
            pos: some(1),
            original_pos: some(2),
            indexed: some(4),
            lemma: None,
        }),
        EXTENDED => Ok(Leaf {
            category: fields[0].to_string(),
            word: fields[1].to_string(),
            pos: some(3),
            original_pos: None,
            indexed: some(6),
            lemma: some(2),
        }),
        found => Err(format!(
            "`<L {content}>` has {found} fields; a leaf has {PLAIN} (category, two tags, word, category) or {EXTENDED}"
        )),
    }
}
