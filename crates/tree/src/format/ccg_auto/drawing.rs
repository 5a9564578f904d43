//! EasyCCG's drawings of derivations with box characters, as its users publish them: the left child above its parent,
//! the right child below.
//!
//! ```text
//!        ┌NP[nb]/N the
//!  NP[nb]┤
//!        │ ┌N/N red
//!        └N┤
//!          └N car
//! ```
//!
//! Lines without box characters are titles between the drawings, and are passed over.

use super::derivation::{Derivation, DerivationBuilder, Leaf};
use crate::error::Result;
use crate::format::ReadTrees;
use std::io::BufRead;
use std::sync::Arc;
use treeglot_text::{Lines, Place};

/// Reads derivations from drawings.
pub struct Reader<R> {
    lines: Lines<R>,
}

impl<R: BufRead> Reader<R> {
    /// The derivations of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader) }
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Option<Derivation>;

    fn next_tree(&mut self) -> Result<Option<Option<Derivation>>> {
        let mut rows: Vec<Row> = Vec::new();
        let mut first_line = 0;
        while let Some(line) = self.lines.next_line()? {
            if !line.contains(is_stroke) {
                if rows.is_empty() {
                    continue;
                }
                return Err(self.lines.malformed("the drawing above this line is cut short").into());
            }
            let row = Row::parse(line);
            let row = row.map_err(|message| self.lines.malformed(message))?;
            if rows.is_empty() {
                first_line = self.lines.line();
            }
            let is_last = row.is_last;
            rows.push(row);
            if is_last {
                let place = Place::new(self.lines.name().clone(), first_line);
                let tree = build(&rows, place).map_err(|message| self.lines.malformed(message))?;
                return Ok(Some(Some(tree)));
            }
        }
        match rows.is_empty() {
            true => Ok(None),
            false => Err(self.lines.malformed("the drawing is cut short by the end of the file").into()),
        }
    }
}

fn is_stroke(c: char) -> bool {
    matches!(c, '┌' | '│' | '└' | '┤' | '┐')
}

/// One line of a drawing: a node or a leaf at a column.
struct Row {
    /// The column of the stroke that leads to its parent; `None` for the top.
    parent: Option<usize>,
    /// Whether it is drawn below its parent.
    below: bool,
    /// The column from which its children hang, and how many there are; `None` for a leaf.
    children: Option<(usize, usize)>,
    category: String,
    word: String,
    /// Whether no stroke leads down from it.
    is_last: bool,
}

impl Row {
    fn parse(line: &str) -> std::result::Result<Self, String> {
        let chars: Vec<char> = line.chars().collect();
        let is_margin = |c: &char| matches!(c, ' ' | '│');
        let start = chars.iter().position(|c| !is_margin(c)).ok_or("a line without a category")?;
        let (parent, below, text) = match chars[start] {
            '┌' => (Some(start), false, start + 1),
            '└' => (Some(start), true, start + 1),
            _ => (None, false, start),
        };
        let end = (text..chars.len()).find(|&c| is_stroke(chars[c]));
        let content: String = chars[text..end.unwrap_or(chars.len())].iter().collect();
        let is_last = !chars[..start].contains(&'│') && chars[start] != '┌' && end.is_none();
        let children = match end.map(|e| (e, chars[e])) {
            None => None,
            Some((column, '┤')) => Some((column, 2)),
            Some((column, '┐')) => Some((column, 1)),
            Some((_, stroke)) => return Err(format!("a stroke `{stroke}` after the category `{content}`")),
        };
        let (category, word) = match children {
            Some(_) => (content.trim(), ""),
            None => content
                .trim()
                .split_once(' ')
                .ok_or_else(|| format!("no word after the category `{content}`"))?,
        };
        let [category, word] = [category, word].map(|t| t.trim().to_string());
        Ok(Self { parent, below, children, category, word, is_last })
    }
}

/// Reads a drawing from its top outwards: a node's left child is the nearest row above that hangs from the node's
/// column, its right or only child the nearest one below.
fn build(rows: &[Row], place: Place) -> std::result::Result<Derivation, String> {
    let top = rows.iter().position(|r| r.parent.is_none()).ok_or("the drawing has no top")?;
    let mut tree = DerivationBuilder::default();
    let mut stack = vec![Some(top)];
    let mut used = 0;
    while let Some(next) = stack.pop() {
        let Some(at) = next else {
            tree.close()?;
            continue;
        };
        let row = &rows[at];
        used += 1;
        let Some((column, children)) = row.children else {
            let (category, word) = (row.category.clone(), row.word.clone());
            tree.leaf(Leaf { category, word, ..Leaf::default() })?;
            continue;
        };
        tree.open(&row.category, None, None)?;
        let hangs = |r: &usize, below: bool| rows[*r].parent == Some(column) && rows[*r].below == below;
        let left = (0..at).rev().find(|r| hangs(r, false));
        let right = (at + 1..rows.len()).find(|r| hangs(r, true));
        stack.push(None);
        stack.push(Some(right.ok_or_else(|| format!("nothing hangs below `{}`", row.category))?));
        if children == 2 {
            stack.push(Some(left.ok_or_else(|| format!("nothing hangs above `{}`", row.category))?));
        }
    }
    if used != rows.len() {
        return Err(format!("the drawing has {} lines, but only {used} hang together", rows.len()));
    }
    tree.finish(place)
}
