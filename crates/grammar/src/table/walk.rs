//! All rules of a table, source side by source side.

use super::{RuleId, Table, TrieNode};
use crate::error::{Error, Result};
use crate::symbol::Symbol;

/// A source side and its rules.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The source side, its label last.
    pub source: &'a [Symbol],
    /// Where it ends in the trie.
    pub node: TrieNode,
    /// How often it was seen.
    pub count: f32,
    first: u32,
    end: u32,
}

impl Rules<'_> {
    /// Its rules, highest p(t|s) first.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = RuleId> + use<> {
        (self.first..self.end).map(RuleId)
    }
}

/// Visits the trie depth first. A node is visited once: a damaged file that says otherwise is an error.
pub(super) fn walk<E: From<Error>>(
    table: &Table,
    mut take: impl FnMut(Rules<'_>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut source: Vec<Symbol> = Vec::new();
    let mut pending: Vec<(usize, Symbol, TrieNode)> = Vec::new();
    let mut visited = 0;
    push_children(table, table.root(), 0, &mut pending);
    while let Some((depth, symbol, node)) = pending.pop() {
        visited += 1;
        check(table, visited)?;
        source.truncate(depth);
        source.push(symbol);
        if let Some(id) = table.source_of(node) {
            let ((first, end), count) = (table.rule_range(id), table.source_count(id));
            take(Rules { source: &source, node, count, first, end })?;
        }
        push_children(table, node, depth + 1, &mut pending);
    }
    Ok(())
}

fn check(table: &Table, visited: usize) -> Result<()> {
    if visited < table.node_len() {
        return Ok(());
    }
    Err(table.file.corrupt("the nodes of the table form no tree".to_string()).into())
}

fn push_children(table: &Table, node: TrieNode, depth: usize, pending: &mut Vec<(usize, Symbol, TrieNode)>) {
    let from = pending.len();
    pending.extend(table.children(node).map(|(symbol, child)| (depth, symbol, child)));
    pending[from..].reverse();
}
