//! Moses' trees, one a line: `<tree label="NP"> <tree label="DET"> the </tree> cat </tree>`. Words may stand beside
//! subtrees, which is how Graham (2013, section 5) gives projective dependency trees to a rule extractor made for
//! constituents: a head is a bare word among the trees of its dependents.
//!
//! An empty line is a sentence that the parser failed on; it keeps its place as `None`.

use super::ReadTrees;
use super::any::{AnyTree, any};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use super::xml::{unescape_into, write_escaped};
use crate::con::{ConBuilder, ConTree, Draft};
use crate::convert::{Conversion, ConvertError};
use crate::dep::DepTree;
use crate::error::{Error, Invalid, Result};
use crate::index::{Span, WordIx};
use crate::parse::DepParse;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Input, Lines};

/// Moses' nested trees.
pub const FORMAT: Format = Format(&Definition {
    name: "mosesxml",
    about: "Moses' <tree label=\"NP\"> ... </tree>, one tree a line",
    endings: &["mosesxml"],
    content: Content::Constituents,
    records: RecordLayout::Lines,
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| Box::new(write_tree)),
});

/// The names that Moses uses beside those of XML.
const MOSES_NAMES: [(&str, &str); 3] = [("&bar;", "&#124;"), ("&bra;", "&#91;"), ("&ket;", "&#93;")];

/// Reads one tree a line; an empty line is `None`.
pub struct Reader<R = Box<dyn BufRead + Send>> {
    lines: Lines<R>,
}

impl Reader {
    /// Opens a file of trees; see [`Input::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let input = Input::open(path)?;
        Ok(Self::new(input.name, input.reader))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads the trees of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader) }
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Option<ConTree>;

    fn next_tree(&mut self) -> Result<Option<Self::Tree>> {
        let fault = match self.lines.next_line()? {
            None => return Ok(None),
            Some(line) if line.trim().is_empty() => return Ok(Some(None)),
            Some(line) => match read_line(line) {
                Ok(tree) => return Ok(Some(Some(tree))),
                Err(fault) => fault,
            },
        };
        Err(match fault {
            Fault::Text(message) => self.lines.malformed(message).into(),
            Fault::Tree(why) => Error::Invalid { place: self.lines.place(), why },
        })
    }
}

enum Fault {
    Text(String),
    Tree(Invalid),
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Text(message)
    }
}

fn read_line(line: &str) -> std::result::Result<ConTree, Fault> {
    let mut builder = ConBuilder::default();
    let mut open: Vec<Draft> = Vec::new();
    let mut text = String::new();
    let mut rest = line;
    loop {
        let at = rest.find('<').unwrap_or(rest.len());
        for word in rest[..at].split([' ', '\t']).filter(|w| !w.is_empty()) {
            let Some(&parent) = open.last() else {
                return Err(format!("the word `{word}` is in no <tree>; a line is one tree").into());
            };
            decode(word, &mut text)?;
            builder.word(&text, parent);
        }
        if at == rest.len() {
            break;
        }
        let end = rest[at..]
            .find('>')
            .ok_or_else(|| "`<` without `>`; write the character as `&lt;`".to_string())?;
        let tag = rest[at + 1..at + end].trim();
        rest = &rest[at + end + 1..];
        if tag == "/tree" {
            open.pop().ok_or_else(|| "</tree> closes nothing".to_string())?;
            continue;
        }
        if open.is_empty() && builder.node_count() > 0 {
            return Err("a second tree on the line; a line is one tree".to_string().into());
        }
        read_label(tag, &mut text)?;
        open.push(builder.node(&text, open.last().copied()));
    }
    if !open.is_empty() {
        return Err(format!("{} <tree> without </tree>", open.len()).into());
    }
    builder.finish().map_err(Fault::Tree)
}

/// Decodes the label of a start tag. Other attributes are passed over, as Moses does.
fn read_label(tag: &str, label: &mut String) -> std::result::Result<(), String> {
    let Some(mut rest) = tag.strip_prefix("tree").filter(|r| r.starts_with([' ', '\t'])) else {
        let start: String = tag.chars().take(40).collect();
        return Err(format!(
            "<{start}> where only <tree label=\"...\"> and </tree> may stand; write `<` as `&lt;`"
        ));
    };
    let wrong = || format!("<{tag}> is not of the form <tree label=\"...\">");
    loop {
        let (name, after) = rest.trim_start().split_once('=').ok_or_else(wrong)?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(wrong)?;
        let (value, after) = after[1..].split_once(quote).ok_or_else(wrong)?;
        if name.trim_end() == "label" {
            return decode(value, label);
        }
        rest = after;
    }
}

fn decode(raw: &str, out: &mut String) -> std::result::Result<(), String> {
    out.clear();
    if !MOSES_NAMES.iter().any(|(name, _)| raw.contains(name)) {
        return unescape_into(raw, out);
    }
    let raw = MOSES_NAMES.iter().fold(raw.to_string(), |raw, (name, number)| raw.replace(name, number));
    unescape_into(&raw, out)
}

/// Why a tree cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The bytes could not be written, or a character cannot stand in XML.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Nested trees cannot have gaps.
    #[error("the constituent `{label}` is discontinuous, which nested trees cannot be")]
    Discontinuous {
        /// Its label.
        label: String,
    },
    /// Nested trees cannot have gaps.
    #[error(
        "the dependents of word {word} leave a gap: make the tree projective with `treeglot tree project`"
    )]
    NonProjective {
        /// The head whose subtree has a gap.
        word: WordIx,
    },
    /// A word that would leave no trace on the line.
    #[error("word {word} is empty")]
    EmptyWord {
        /// The word.
        word: WordIx,
    },
}

impl From<WriteError> for ConvertError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => Self::Io(error),
            error => Self::Unfit(Box::new(error)),
        }
    }
}

fn write_tree(
    tree: AnyTree,
    conversion: &mut Conversion,
    out: &mut dyn Write,
) -> std::result::Result<(), ConvertError> {
    if !matches!(tree, AnyTree::Dep(_) | AnyTree::Graph(_)) {
        return Ok(write(conversion.continuous(tree)?.as_ref(), out)?);
    }
    match conversion.dep(tree)? {
        Some(parse) => {
            let (checked, labels) =
                (parse.checked_tree(conversion.options.roots)?, conversion.options.labels);
            Ok(write_dependencies(&parse, &checked, labels, out)?)
        }
        None => Ok(write(None, out)?),
    }
}

/// How the trees of a dependency structure are labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labels {
    /// All `X`.
    #[default]
    X,
    /// By the relation to the head.
    Relations,
}

/// Writes a constituency tree, or an empty line for a failed parse. Edge labels, lemmas and morphology have no place
/// in the format.
pub fn write(tree: Option<&ConTree>, out: &mut (impl Write + ?Sized)) -> std::result::Result<(), WriteError> {
    let Some(tree) = tree else {
        return Ok(out.write_all(b"\n")?);
    };
    if let Some(node) = tree.nodes().find(|&n| tree.span(n).is_none()) {
        return Err(WriteError::Discontinuous { label: tree.label(node).to_string() });
    }
    write_nested(out, tree.forms(), tree.nodes().map(|n| (tree.label(n), tree.hull(n))))
}

/// Writes a projective dependency tree as nested trees, heads as bare words among their dependents' trees. `tree` is
/// the checked tree of `parse`.
pub fn write_dependencies(
    parse: &DepParse,
    tree: &DepTree,
    labels: Labels,
    out: &mut (impl Write + ?Sized),
) -> std::result::Result<(), WriteError> {
    if let Some(word) = tree.words().find(|&w| tree.span(w).is_none()) {
        return Err(WriteError::NonProjective { word });
    }
    let label = |word: WordIx| match labels {
        Labels::X => "X",
        Labels::Relations => parse.deprel(word),
    };
    write_nested(out, parse.forms(), tree.preorder().iter().map(|&w| (label(w), tree.hull(w))))
}

/// Writes words and the brackets around them. Brackets come outermost first; as they nest, that is also by start.
fn write_nested<'a>(
    out: &mut (impl Write + ?Sized),
    words: impl Iterator<Item = &'a str>,
    brackets: impl Iterator<Item = (&'a str, Span)>,
) -> std::result::Result<(), WriteError> {
    let mut brackets = brackets.peekable();
    let mut ends: Vec<u32> = Vec::new();
    for (w, form) in words.enumerate() {
        let word = WordIx::from(w);
        if form.is_empty() {
            return Err(WriteError::EmptyWord { word });
        }
        if w > 0 {
            out.write_all(b" ")?;
        }
        while let Some((label, span)) = brackets.next_if(|(_, span)| span.start == word.0) {
            out.write_all(b"<tree label=\"")?;
            write_token(out, label, false)?;
            out.write_all(b"\"> ")?;
            ends.push(span.end);
        }
        write_token(out, form, true)?;
        while ends.pop_if(|end| *end == word.0 + 1).is_some() {
            out.write_all(b" </tree>")?;
        }
    }
    Ok(out.write_all(b"\n")?)
}

/// Escapes as Moses does: what XML needs, and `'`, `[`, `]`, `|`; in words also blanks.
fn write_token(out: &mut (impl Write + ?Sized), token: &str, word: bool) -> io::Result<()> {
    let mut rest = token;
    while let Some(at) = rest.find(|c: char| matches!(c, '\'' | '[' | ']' | '|') || (word && c == ' ')) {
        write_escaped(out, &rest[..at])?;
        out.write_all(match rest.as_bytes()[at] {
            b'\'' => b"&apos;",
            b'[' => b"&#91;",
            b']' => b"&#93;",
            b'|' => b"&#124;",
            _ => b"&#32;",
        })?;
        rest = &rest[at + 1..];
    }
    write_escaped(out, rest)
}
