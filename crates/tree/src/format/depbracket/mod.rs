//! Dependency trees as brackets (Hearne 2008, section 2, figures 4 and 5), so that a sub-tree aligner for
//! constituency trees aligns dependency trees too.
//!
//! ```text
//! (17;H=11;subj=16;atts=12 (16;H=5;det=4;... (4;Det;the the) (5;Nom;information information) ...) ...)
//! ```
//! A word is `index;tag;lemma` over its form. A word with dependents stands, with them as siblings in sentence order,
//! under a node `index;H=index;func=index;...`: which child is the head, and the function of each dependent.
//!
//! **Numbers.** Words come first, in sentence order, then constituents bottom-up, left to right; the first number is
//! an option. In a label the functions of left dependents come first, then those of right dependents, both from the
//! head outwards (for a unit, from its first word). Figures 4 and 5 are numbered so. Readers rely on the numbers being distinct and on nothing else.
//!
//! **Non-projective trees.** A constituent whose branch would cross another hangs from the lowest node above that it
//! can hang from without crossing (the arcs are lifted, smallest first); its true head and function are those in the
//! labels.
//!
//! **Units.** Figure 5 has a word in several pieces, `has ... been followed`. Dependents to the left of their head
//! with the relation [`Options::unit`], the head's tag and no dependents of their own are written as pieces of
//! their head: one node `13;V;has+been+followed` over the forms, and over whatever stands in the gaps.
//!
//! **What survives.** Form, tag ([`DepParse::tag`]), lemma, head and relation of every word come back exactly;
//! other columns, comments and multi-word tokens are not in the notation. The root's relation is in the notation only
//! where it is not `root`: as a function of the top node to itself, `17;H=11;...;frag=17`. Characters that mean
//! something here (`;` `=` `+` `%`, brackets, spaces) are written `%XX` in every field, and in forms.

mod read;

pub use read::from_brackets;

use super::any::{AnyTree, any};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use super::{ReadTrees, ptb};
use crate::con::{ConBuilder, ConTree, Draft};
use crate::convert::{Conversion, ConvertError};
use crate::dep::{DepTree, Roots};
use crate::error::{Invalid, Result};
use crate::escape::{escape, unescape};
use crate::index::WordIx;
use crate::parse::{DepParse, Field};
use crate::transform::lift::lift_tree;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Error as TextError, Place};

/// Dependency trees as brackets (Hearne 2008).
pub const FORMAT: Format = Format(&Definition {
    name: "depbracket",
    about: "dependency trees as brackets, without loss (Hearne 2008)",
    endings: &["depbracket"],
    content: Content::Dependencies,
    records: RecordLayout::Lines,
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| Box::new(write_tree)),
});

/// How a parse is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The number of the first word.
    pub first_index: u32,
    /// The relation of the pieces of a unit to its last word.
    pub unit: String,
}

impl Default for Options {
    fn default() -> Self {
        Self { first_index: 1, unit: "unit".to_string() }
    }
}

const ROOT: &str = "root";

fn write_tree(
    tree: AnyTree,
    conversion: &mut Conversion,
    out: &mut dyn Write,
) -> std::result::Result<(), ConvertError> {
    match conversion.dep(tree)? {
        Some(parse) => {
            let checked = parse.checked_tree(conversion.options.roots)?;
            write(&brackets(&parse, &checked, &Options::default()), out)?;
        }
        None => ptb::write_failed(out)?,
    }
    Ok(())
}

/// The bracketed tree of a parse. Fails if its heads do not make a tree.
pub fn to_brackets(
    parse: &DepParse,
    roots: Roots,
    options: &Options,
) -> std::result::Result<ConTree, Invalid> {
    Ok(brackets(parse, &parse.tree(roots)?, options))
}

fn brackets(parse: &DepParse, tree: &DepTree, options: &Options) -> ConTree {
    let drawn = lift_tree(tree).tree;
    let mut drawing = Drawing::new(parse, tree, &drawn, options);
    drawing.number(u64::from(options.first_index));
    drawing.draw().expect("every word of a tree is drawn once, under its head")
}

/// A parse on its way to brackets.
struct Drawing<'a> {
    parse: &'a DepParse,
    /// The tree whose arcs the labels tell.
    tree: &'a DepTree,
    /// The projective tree whose arcs are drawn.
    drawn: &'a DepTree,
    /// For each word that is a piece of a unit, the unit's last word.
    unit: Vec<Option<WordIx>>,
    word_numbers: Vec<u64>,
    node_numbers: Vec<Option<u64>>,
}

impl<'a> Drawing<'a> {
    fn new(parse: &'a DepParse, tree: &'a DepTree, drawn: &'a DepTree, options: &Options) -> Self {
        let piece_of = |w: WordIx| {
            let head = tree.head(w)?;
            let fits = options.unit == parse.deprel(w)
                && w < head
                && drawn.head(w) == Some(head)
                && tree.dependents(w).is_empty()
                && parse.tag(w) == parse.tag(head);
            fits.then_some(head)
        };
        let mut unit: Vec<Option<WordIx>> = tree.words().map(piece_of).collect();
        // The pieces of a unit are told by their relation alone, so its head must not be a piece itself.
        for w in tree.words() {
            if unit[w.ix()].is_some_and(|h| unit[h.ix()].is_some()) {
                unit[w.ix()] = None;
            }
        }
        let n = parse.len();
        Self { parse, tree, drawn, unit, word_numbers: vec![0; n], node_numbers: vec![None; n] }
    }

    fn number(&mut self, first: u64) {
        let mut next = first;
        let mut take = || {
            next += 1;
            next - 1
        };
        for w in self.tree.words().filter(|w| self.unit[w.ix()].is_none()) {
            self.word_numbers[w.ix()] = take();
        }
        for w in postorder(self.drawn) {
            if self.has_node(w) {
                self.node_numbers[w.ix()] = Some(take());
            }
        }
    }

    /// Whether a word needs a constituent: to hold its dependents, or to tell its relation as a root.
    fn has_node(&self, w: WordIx) -> bool {
        self.tree.dependents(w).iter().any(|d| self.unit[d.ix()].is_none())
            || (w == self.tree.root() && self.parse.deprel(w) != ROOT)
    }

    fn node_label(&self, w: WordIx, number: u64) -> String {
        let mut label = format!("{number};H={}", self.word_numbers[w.ix()]);
        let mut add = |d: WordIx, index: u64| {
            label.push(';');
            field(self.parse.deprel(d), &mut label);
            label.push_str(&format!("={index}"));
        };
        let start = self.pieces(w).next().unwrap_or(w);
        let (left, right): (Vec<WordIx>, Vec<WordIx>) =
            self.tree.dependents(w).iter().filter(|d| self.unit[d.ix()].is_none()).partition(|d| **d < start);
        for d in left.into_iter().rev().chain(right) {
            add(d, self.node_numbers[d.ix()].unwrap_or(self.word_numbers[d.ix()]));
        }
        if w == self.tree.root() && self.parse.deprel(w) != ROOT {
            add(w, number);
        }
        label
    }

    fn word_label(&self, w: WordIx) -> String {
        let mut label = format!("{};", self.word_numbers[w.ix()]);
        field(self.parse.tag(w), &mut label);
        label.push(';');
        for piece in self.pieces(w) {
            field(self.parse.get(piece, Field::Lemma), &mut label);
            label.push('+');
        }
        field(self.parse.get(w, Field::Lemma), &mut label);
        label
    }

    fn pieces(&self, w: WordIx) -> impl Iterator<Item = WordIx> {
        self.tree.dependents(w).iter().copied().filter(|d| self.unit[d.ix()].is_some())
    }

    fn draw(&self) -> std::result::Result<ConTree, Invalid> {
        let mut b = ConBuilder::default();
        let mut preterminals: Vec<Option<Draft>> = vec![None; self.parse.len()];
        let mut nodes: Vec<Option<Draft>> = vec![None; self.parse.len()];
        for &w in self.drawn.preorder().iter().filter(|w| self.unit[w.ix()].is_none()) {
            let above = self.drawn.head(w).and_then(|h| {
                let in_gap = w < h && self.pieces(h).next().is_some_and(|first| first < w);
                if in_gap { preterminals[h.ix()] } else { nodes[h.ix()].or(preterminals[h.ix()]) }
            });
            let node = self.node_numbers[w.ix()].map(|n| b.node(&self.node_label(w, n), above));
            nodes[w.ix()] = node;
            preterminals[w.ix()] = Some(b.node(&self.word_label(w), node.or(above)));
        }
        for w in self.parse.words() {
            let unit = self.unit[w.ix()].unwrap_or(w);
            let parent = preterminals[unit.ix()].expect("every word or its unit has a preterminal");
            b.word_with(self.parse.form(w), lemma(self.parse.get(w, Field::Lemma)), "", parent);
        }
        b.finish()
    }
}

fn lemma(lemma: &str) -> &str {
    if lemma == "_" { "" } else { lemma }
}

/// Dependents before their heads, left to right.
fn postorder(tree: &DepTree) -> Vec<WordIx> {
    let mut order = Vec::with_capacity(tree.len());
    let mut stack = vec![tree.root()];
    while let Some(w) = stack.pop() {
        order.push(w);
        stack.extend(tree.dependents(w));
    }
    order.reverse();
    order
}

/// Appends a field of a label.
fn field(text: &str, label: &mut String) {
    let hyphen = has_bracket_name(text);
    let special = |c: char| matches!(c, ';' | '=' | '+') || is_special(c) || (hyphen && c == '-');
    escape(text, special, label);
}

fn is_special(c: char) -> bool {
    matches!(c, '(' | ')') || c.is_whitespace() || c.is_control()
}

/// Whether readers of brackets would take a part of the text for a bracket.
fn has_bracket_name(text: &str) -> bool {
    text.contains("-LRB-") || text.contains("-RRB-")
}

/// Writes a bracketed tree on one line.
pub fn write(tree: &ConTree, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let escaped = with_forms(tree, |form| {
        let mut text = String::new();
        let hyphen = has_bracket_name(form);
        escape(form, |c| is_special(c) || (hyphen && c == '-'), &mut text);
        Some(if form.is_empty() { EMPTY.to_string() } else { text })
    });
    ptb::write(&escaped.expect("every form can be escaped"), out)
}

/// How a form without any character is written: no escape looks so.
const EMPTY: &str = "%-";

/// A copy of a tree with other forms; `None` if one of them has none.
fn with_forms(tree: &ConTree, change: impl Fn(&str) -> Option<String>) -> Option<ConTree> {
    let mut b = ConBuilder::default();
    let mut drafts: Vec<Draft> = Vec::with_capacity(tree.node_count());
    for n in tree.nodes() {
        let draft = b.node(tree.label(n), tree.parent(n).map(|p| drafts[p.ix()]));
        b.set_edge(draft, tree.edge(n));
        drafts.push(draft);
    }
    for w in tree.words() {
        let form = change(tree.form(w))?;
        b.word_with(&form, tree.lemma(w), tree.morph(w), drafts[tree.parent_of_word(w).ix()]);
    }
    Some(b.finish().expect("a copy of a tree is a tree"))
}

/// Reads bracketed trees, one a line, as dependency parses. A blank line or `(())` is a failed parse: `None`.
pub struct Reader<R = Box<dyn BufRead + Send>> {
    name: Arc<str>,
    brackets: ptb::Reader<R>,
    line: u64,
    options: Options,
}

impl Reader {
    /// Opens a file, `-` for standard input.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let input = treeglot_text::Input::open(path)?;
        Ok(Self::new(input.name, input.reader))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads from `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        let name = name.into();
        let brackets = ptb::Reader::new(name.clone(), reader, ptb::BracketLayout::OnePerLine);
        Self { brackets, name, line: 0, options: Options::default() }
    }

    /// Reads what was written with other options.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The next tree as it is drawn, for alignment.
    pub fn next_brackets(&mut self) -> Result<Option<Option<ConTree>>> {
        self.line += 1;
        let tree = match self.brackets.next_tree()? {
            None => return Ok(None),
            Some(None) => return Ok(Some(None)),
            Some(Some(tree)) => tree,
        };
        let plain =
            with_forms(&tree, |form| if form == EMPTY { Some(String::new()) } else { unescape(form) });
        match plain {
            Some(plain) => Ok(Some(Some(plain))),
            None => Err(self.malformed("a word has a broken escape: `%` must be written `%25`".to_string())),
        }
    }

    fn malformed(&self, message: String) -> crate::Error {
        TextError::Malformed { place: Place::new(self.name.clone(), self.line), message }.into()
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Option<DepParse>;

    fn next_tree(&mut self) -> Result<Option<Option<DepParse>>> {
        match self.next_brackets()? {
            None => Ok(None),
            Some(None) => Ok(Some(None)),
            Some(Some(tree)) => match from_brackets(&tree, self.line, &self.options) {
                Ok(parse) => Ok(Some(Some(parse))),
                Err(message) => Err(self.malformed(message)),
            },
        }
    }
}
