//! CCG word-word dependencies: CCGbank's PARG format, and what the C&C parser prints in its place (dependencies or
//! grammatical relations, see [`candc`]). [`Graph::to_dep`] makes them a tree (Wu et al. 2012, section 2.5).
//!
//! PARG has a block for each sentence, `<s id="wsj_0001.1"> 17`, lines of argument, functor, the functor's category,
//! its slot and the two words, and `<\s>`. The number is the position of the last word; words count from 0. Words
//! that take no part in a dependency, such as punctuation, are not named: their forms come from the AUTO file.

pub mod candc;

use super::ReadTrees;
use super::any::{AnyTree, any};
use super::ccg_auto::{Derivation, category};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format, write_only};
use crate::error::{Error, Result};
use crate::index::WordIx;
use crate::parse::DepParse;
use crate::transform::pas::{self, Converted, Dependency, Report, check};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use treeglot_text::{Lines, Place};

/// CCG word-word dependencies.
pub const FORMAT: Format = Format(&Definition {
    name: "ccg-parg",
    about: "CCG word-word dependencies of CCGbank and C&C",
    endings: &["parg"],
    content: Content::Other,
    records: RecordLayout::Begins(begins),
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| {
        write_only("CCG dependencies (ccg-parg)", |tree, _, out| match tree {
            AnyTree::Graph(graph) => Some(write(graph, out)),
            _ => None,
        })
    }),
});

/// A sentence begins with its tag, or after the words that end the one before, as C&C prints them.
fn begins(before: &str, line: &str) -> bool {
    line.starts_with("<s ") || before.starts_with("<c>")
}

/// More words than any sentence has: a larger number is a damaged file.
const MAX_WORDS: usize = 1 << 16;

/// A word of a graph; what a file does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The word itself.
    pub form: Option<String>,
    /// Its part of speech.
    pub pos: Option<String>,
    /// Its lexical category.
    pub category: Option<String>,
}

/// What holds between two words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// An argument fills a slot of a functor.
    Slot {
        /// The functor's category, plain or with the marks of C&C.
        category: String,
        /// The slot, from 1.
        slot: u32,
        /// How the argument came there, as `<XB>` for a bounded and `<XU>` for an unbounded dependency.
        extraction: Option<String>,
    },
    /// A grammatical relation; the functor is its head.
    Named(String),
}

/// A dependency between two words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The argument, or the dependent of a grammatical relation.
    pub argument: WordIx,
    /// The functor, or the head of a grammatical relation.
    pub functor: WordIx,
    /// What holds between them.
    pub relation: Relation,
}

impl Edge {
    /// The arc of the tree: arguments depend on functors, but modifiers and determiners on what they modify
    /// ([`category::depends_on`]).
    fn arc(&self) -> Dependency {
        let upwards = |label| Dependency { dependent: self.argument, head: self.functor, label };
        let (category, slot) = match &self.relation {
            Relation::Named(name) => return upwards(name.clone()),
            Relation::Slot { category, slot, .. } => (category, slot),
        };
        let inverted = match category::marked_depends_on(category, *slot) {
            Some(inverted) => inverted,
            None => {
                let slots = category::slots(category);
                let place = (*slot as usize).checked_sub(1).and_then(|s| slots.get(s));
                place.is_some_and(|&slot| category::depends_on(slot))
            }
        };
        match inverted {
            true => Dependency { dependent: self.functor, head: self.argument, label: "mod".to_string() },
            false => upwards(format!("arg{slot}")),
        }
    }
}

/// The dependencies of one sentence.
#[derive(Debug, Clone)]
pub struct Graph {
    id: Option<String>,
    place: Place,
    words: Vec<Word>,
    edges: Vec<Edge>,
}

impl PartialEq for Graph {
    /// Equality of what is said, wherever it is written.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.words == other.words && self.edges == other.edges
    }
}

impl Eq for Graph {}

impl Graph {
    /// The sentence's name.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Where it begins.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Its words, left to right.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Its dependencies, in the order of the file.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Takes forms, tags and categories from the derivation of the same sentence. Fails when it has other words.
    pub fn name_words(&mut self, derivation: &Derivation) -> Result<()> {
        let leaves = derivation.leaves();
        if leaves.len() != self.words.len() {
            let (found, here) = (leaves.len(), self.words.len());
            return Err(
                self.malformed(format!("this sentence has {here} words, but its derivation has {found}"))
            );
        }
        for (w, leaf) in leaves.iter().enumerate() {
            if let Some(form) = self.words[w].form.as_ref().filter(|form| **form != leaf.word) {
                let message = format!("word {} is `{form}`, but `{}` in its derivation", w + 1, leaf.word);
                return Err(self.malformed(message));
            }
            let (form, category) = (Some(leaf.word.clone()), Some(leaf.category.clone()));
            self.words[w] = Word { form, pos: leaf.pos.clone(), category };
        }
        Ok(())
    }

    fn malformed(&self, message: String) -> Error {
        treeglot_text::Error::Malformed { place: self.place.clone(), message }.into()
    }

    /// The word arcs, several to a word where the words have several heads.
    pub fn arcs(&self) -> Vec<Dependency> {
        self.edges.iter().map(Edge::arc).collect()
    }

    /// A dependency parse with one head for each word (see [`check`]). The root is the one that another parser found,
    /// if it is given and lies in the sentence; else [`check::likely_root`].
    pub fn to_dep(&self, root: Option<WordIx>) -> Converted {
        let mut parse = DepParse::at(self.place.clone());
        for word in &self.words {
            let [form, pos] = [&word.form, &word.pos].map(|t| t.as_deref().unwrap_or("_"));
            let misc = word.category.as_ref().map_or("_".to_string(), |c| format!("Category={c}"));
            parse.push([form, "_", pos, pos, "_", "_", "_", &misc], None);
        }
        let arcs = self.arcs();
        let given = root.filter(|r| r.ix() < self.words.len());
        let report = match given.or_else(|| check::likely_root(self.words.len(), &arcs)) {
            Some(root) => pas::settle(&mut parse, root, &arcs),
            None => Report::default(),
        };
        Converted { parse, report }
    }
}

/// Reads sentences in PARG format, or in the formats of C&C: each block is read as what it is.
pub struct Reader<R> {
    lines: Lines<R>,
}

impl<R: BufRead> Reader<R> {
    /// The sentences of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader) }
    }

    /// Reads the rest of a PARG block after its first line.
    fn block(&mut self, id: Option<String>, words: usize) -> Result<Graph> {
        let mut graph =
            Graph { id, place: self.lines.place(), words: vec![Word::default(); words], edges: vec![] };
        loop {
            let Some(line) = self.lines.next_line()? else {
                return Err(self.lines.malformed("the file ends before `<\\s>`").into());
            };
            let line = line.trim();
            if matches!(line, "<\\s>" | "</s>") {
                return Ok(graph);
            }
            if let Err(message) = graph.add_line(line) {
                return Err(self.lines.malformed(message).into());
            }
        }
    }
}

impl Graph {
    /// Adds a line `argument functor category slot argument-word functor-word [<XB>]`.
    fn add_line(&mut self, line: &str) -> std::result::Result<(), String> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (fixed, extraction) = match fields.as_slice() {
            [a, f, c, s, wa, wf] => ([*a, *f, *c, *s, *wa, *wf], None),
            [a, f, c, s, wa, wf, x] => ([*a, *f, *c, *s, *wa, *wf], Some(x.to_string())),
            _ => {
                return Err(format!(
                    "`{line}` has {} fields; a dependency has argument, functor, category, slot and two words",
                    fields.len()
                ));
            }
        };
        let [argument, functor, category, slot, argument_word, functor_word] = fixed;
        let argument = self.name_word(argument, argument_word)?;
        let functor = self.name_word(functor, functor_word)?;
        let slot = slot.parse().map_err(|_| format!("the slot `{slot}` is not a number"))?;
        self.words[functor.ix()].category = Some(category.to_string());
        let relation = Relation::Slot { category: category.to_string(), slot, extraction };
        self.edges.push(Edge { argument, functor, relation });
        Ok(())
    }

    /// Finds a word by its position and notes its form.
    fn name_word(&mut self, position: &str, form: &str) -> std::result::Result<WordIx, String> {
        let at: usize = position.parse().map_err(|_| format!("the position `{position}` is not a number"))?;
        let words = self.words.len();
        let word = self.words.get_mut(at);
        let word =
            word.ok_or_else(|| format!("position {at}, but the last word is {}", words.saturating_sub(1)))?;
        match &word.form {
            Some(known) if known != form => Err(format!("word {at} is `{form}` here, but `{known}` before")),
            _ => {
                word.form = Some(form.to_string());
                Ok(at.into())
            }
        }
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Graph;

    fn next_tree(&mut self) -> Result<Option<Graph>> {
        let mut pending = candc::Pending::default();
        let mut begin = None;
        while let Some(line) = self.lines.next_line()? {
            let line = line.trim();
            if line.is_empty() || line == "#" || line.starts_with("# ") {
                continue;
            }
            if line.starts_with("<s ") && pending.is_empty() {
                let (id, words) = match start(line) {
                    Ok(start) => start,
                    Err(message) => return Err(self.lines.malformed(message).into()),
                };
                return self.block(id, words).map(Some);
            }
            let read = match line.strip_prefix("<c>") {
                Some(words) => pending.finish(words).map(Some),
                None => pending.add(line).map(|()| None),
            };
            match read {
                Err(message) => return Err(self.lines.malformed(message).into()),
                Ok(None) => {
                    begin.get_or_insert_with(|| self.lines.place());
                }
                Ok(Some((words, edges))) => {
                    let place = begin.unwrap_or_else(|| self.lines.place());
                    return Ok(Some(Graph { id: None, place, words, edges }));
                }
            }
        }
        match pending.is_empty() {
            true => Ok(None),
            false => {
                Err(self.lines.malformed("the file ends before the `<c>` line of its last sentence").into())
            }
        }
    }
}

/// The name and number of words of `<s id="..."> last`.
fn start(line: &str) -> std::result::Result<(Option<String>, usize), String> {
    let form = "a sentence starts with `<s id=\"NAME\"> LAST`, where LAST is the position of its last word";
    let (tag, last) = line.split_once('>').ok_or(form)?;
    let id = tag.split('"').nth(1).map(str::to_string);
    let last: usize = last.trim().parse().map_err(|_| form)?;
    if last >= MAX_WORDS {
        return Err(format!("a sentence of {last} words; {form}"));
    }
    Ok((id, last + 1))
}

/// Writes a graph in PARG format; the bytes are those of CCGbank. A word that is not known is `_`, and only argument
/// slots are written: PARG has no grammatical relations.
pub fn write(graph: &Graph, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let form = |w: WordIx| graph.words[w.ix()].form.as_deref().unwrap_or("_");
    let last = graph.words.len().saturating_sub(1);
    writeln!(out, "<s id=\"{}\"> {last}", graph.id.as_deref().unwrap_or_default())?;
    for Edge { argument, functor, relation } in &graph.edges {
        let Relation::Slot { category, slot, extraction } = relation else { continue };
        let (a, f) = (argument.0, functor.0);
        write!(out, "{a} \t {f} \t {category} \t {slot} \t {} {}", form(*argument), form(*functor))?;
        match extraction {
            Some(extraction) => writeln!(out, " {extraction}")?,
            None => writeln!(out)?,
        }
    }
    writeln!(out, "<\\s>")
}
