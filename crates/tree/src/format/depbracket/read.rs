//! Bracketed dependency trees back to parses: labels alone tell heads and relations.

use super::{Options, ROOT};
use crate::con::{Child, ConTree};
use crate::dep::Roots;
use crate::escape::unescape;
use crate::index::{NodeId, WordIx};
use crate::parse::DepParse;
use rustc_hash::FxHashMap;

/// The parse that a bracketed tree tells; it begins at `line` of its file (0 if it comes from none). The message of a
/// failure says which label is wrong.
pub fn from_brackets(tree: &ConTree, line: u64, options: &Options) -> std::result::Result<DepParse, String> {
    let mut reading = Reading::default();
    for node in tree.nodes() {
        reading.label(tree, node)?;
    }
    let (heads, relations) = reading.arcs(tree.len(), &options.unit)?;
    let mut parse = DepParse::new(line);
    for w in tree.words() {
        let [tag, lemma] = reading.columns.get(&w).ok_or_else(|| {
            format!("the word {w} (`{}`) is not below a label index;tag;lemma", tree.form(w))
        })?;
        let head = Some(heads[w.ix()].map_or(0, |h| h.0 + 1));
        parse.push([tree.form(w), lemma, tag, tag, "_", &relations[w.ix()], "_", "_"], head);
    }
    parse.tree(Roots::One).map_err(|e| e.to_string())?;
    Ok(parse)
}

#[derive(Default)]
struct Reading<'a> {
    /// The last word of the node with this number.
    words: FxHashMap<u64, WordIx>,
    /// The number of the head of the constituent with this number.
    constituents: FxHashMap<u64, u64>,
    /// Head, function and dependent of every arc, as numbers.
    arcs: Vec<(u64, &'a str, u64)>,
    columns: FxHashMap<WordIx, [String; 2]>,
    pieces: FxHashMap<WordIx, WordIx>,
}

impl<'a> Reading<'a> {
    fn label(&mut self, tree: &'a ConTree, node: NodeId) -> std::result::Result<(), String> {
        let label = tree.label(node);
        let bad = |what: &str| format!("the label `{label}` {what}");
        let mut fields = label.split(';');
        let number = fields.next().and_then(|n| n.parse().ok()).ok_or_else(|| bad("has no number"))?;
        let second = fields.next().ok_or_else(|| bad("has only one field"))?;
        if self.words.contains_key(&number) || self.constituents.contains_key(&number) {
            return Err(bad("has a number that another node has"));
        }
        if let Some(head) = second.strip_prefix("H=") {
            let head = head.parse().map_err(|_| bad("names no head"))?;
            self.constituents.insert(number, head);
            for field in fields {
                let (function, index) =
                    field.split_once('=').ok_or_else(|| bad("has a field that is not function=index"))?;
                let index = index.parse().map_err(|_| bad("has a function without an index"))?;
                self.arcs.push((number, function, index));
            }
            return Ok(());
        }
        let lemmas = fields.next().ok_or_else(|| bad("is neither index;tag;lemma nor index;H=index"))?;
        if fields.next().is_some() || second.contains('=') {
            return Err(bad("is neither index;tag;lemma nor index;H=index"));
        }
        let tag = unescape(second).ok_or_else(|| bad("has a broken escape"))?;
        self.word(tree, node, number, &tag, lemmas).map_err(bad)
    }

    fn word(
        &mut self,
        tree: &ConTree,
        node: NodeId,
        number: u64,
        tag: &str,
        lemmas: &str,
    ) -> std::result::Result<(), &'static str> {
        let is_word = |c: &Child| if let Child::Word(w) = c { Some(*w) } else { None };
        let words: Vec<WordIx> = tree.children(node).iter().filter_map(is_word).collect();
        let &last = words.last().ok_or("is a word's, but no word is below it")?;
        let lemmas: Vec<&str> = lemmas.split('+').collect();
        if lemmas.len() != words.len() {
            return Err("has another number of lemmas than of words below it");
        }
        self.words.insert(number, last);
        for (&w, lemma) in words.iter().zip(lemmas) {
            let lemma = unescape(lemma).ok_or("has a broken escape")?;
            self.columns.insert(w, [tag.to_string(), lemma]);
            if w != last {
                self.pieces.insert(w, last);
            }
        }
        Ok(())
    }

    /// The head and the relation of every word.
    fn arcs(
        &self,
        words: usize,
        unit: &str,
    ) -> std::result::Result<(Vec<Option<WordIx>>, Vec<String>), String> {
        let head_of = |number: u64| {
            let number = self.constituents.get(&number).unwrap_or(&number);
            self.words.get(number).copied().ok_or_else(|| format!("no word has the number {number}"))
        };
        let mut heads: Vec<Option<WordIx>> = vec![None; words];
        let mut relations = vec![ROOT.to_string(); words];
        for &(constituent, function, dependent) in &self.arcs {
            let function =
                unescape(function).ok_or_else(|| format!("the function `{function}` has a broken escape"))?;
            let (head, word) = (head_of(constituent)?, head_of(dependent)?);
            relations[word.ix()] = function;
            if constituent != dependent && heads[word.ix()].replace(head).is_some() {
                return Err(format!("the node {dependent} has two heads"));
            }
        }
        for (piece, last) in &self.pieces {
            heads[piece.ix()] = Some(*last);
            relations[piece.ix()] = unit.to_string();
        }
        Ok((heads, relations))
    }
}
