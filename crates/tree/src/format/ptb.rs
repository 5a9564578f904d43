//! Penn Treebank brackets: `(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))`, over several lines or one a line.
//!
//! Brackets inside words and labels are written `-LRB-` and `-RRB-` and read back as `(` and `)`, so that the words
//! equal those of the sentence and of its dependency parse; the Penn tags `-LRB-` and `-RRB-` stay as they are.

use super::ReadTrees;
use super::any::{AnyTree, any};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use crate::con::{ConBuilder, ConTree, Draft};
use crate::convert::{Conversion, ConvertError};
use crate::error::{Error, Result};
use crate::index::NodeId;
use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Lines, Place};

/// Penn Treebank brackets.
pub const FORMAT: Format = Format(&Definition {
    name: "ptb",
    about: "Penn Treebank brackets, over several lines or one tree a line",
    endings: &["ptb", "mrg"],
    content: Content::Constituents,
    records: RecordLayout::Lines,
    read: |input, options| Ok(any(Reader::new(input.name, input.reader, options.brackets))),
    writer: Some(|| Box::new(write_tree)),
});

/// How bracketed trees stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BracketLayout {
    /// Trees may span lines; blank lines mean nothing.
    #[default]
    Free,
    /// One tree a line; a blank line is a sentence that the parser failed on, so that line numbers stay in step.
    OnePerLine,
}

/// Reads trees. `()`, `(())` and, with [`BracketLayout::OnePerLine`], a blank line are failed parses: `None`.
pub struct Reader<R = Box<dyn BufRead + Send>> {
    lines: Lines<R>,
    layout: BracketLayout,
    /// The text of the current line that is still to be read.
    rest: String,
}

impl Reader {
    /// Opens a file, `-` for standard input.
    pub fn open(path: impl AsRef<Path>, layout: BracketLayout) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)?, layout, rest: String::new() })
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads from `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R, layout: BracketLayout) -> Self {
        Self { lines: Lines::new(name, reader), layout, rest: String::new() }
    }

    /// The line read last.
    pub fn place(&self) -> Place {
        self.lines.place()
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Option<ConTree>;

    fn next_tree(&mut self) -> Result<Option<Option<ConTree>>> {
        let mut open = Open::default();
        loop {
            if self.rest.is_empty() {
                let Some(line) = self.lines.next_line()? else {
                    if open.depth() > 0 {
                        let message =
                            format!("the file ends inside a tree: {} brackets are open", open.depth());
                        return Err(self.lines.malformed(message).into());
                    }
                    return Ok(None);
                };
                self.rest.push_str(line);
                if self.layout == BracketLayout::OnePerLine && line.trim().is_empty() {
                    self.rest.clear();
                    return Ok(Some(None));
                }
            }
            let used = open.read(&self.rest).map_err(|message| self.lines.malformed(message))?;
            self.rest.drain(..used);
            if open.complete {
                if self.layout == BracketLayout::OnePerLine && !self.rest.is_empty() {
                    let message = "text follows the tree; one tree a line is expected here";
                    return Err(self.lines.malformed(message).into());
                }
                let place = self.lines.place();
                return match open.finish() {
                    None => Ok(Some(None)),
                    Some(tree) => tree.map(|t| Some(Some(t))).map_err(|why| Error::Invalid { place, why }),
                };
            }
            if self.layout == BracketLayout::OnePerLine {
                let message = format!("the line ends inside a tree: {} brackets are open", open.depth());
                return Err(self.lines.malformed(message).into());
            }
        }
    }
}

/// A tree that is being read.
#[derive(Default)]
struct Open {
    builder: ConBuilder,
    stack: Vec<Option<Draft>>,
    /// A bracket was opened and its label has not come yet.
    unlabelled: bool,
    /// Brackets without content have come: fine for a failed parse, wrong inside a tree.
    hollow: bool,
    complete: bool,
}

impl Open {
    fn depth(&self) -> usize {
        self.stack.len() + usize::from(self.unlabelled)
    }

    /// Reads on in `text` until it or the tree ends; returns how much was used, spaces after the tree included.
    fn read(&mut self, text: &str) -> std::result::Result<usize, String> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && !self.complete {
            match bytes[at] {
                b'(' => {
                    if self.unlabelled {
                        self.open("")?;
                    }
                    self.unlabelled = true;
                    at += 1;
                }
                b')' => {
                    self.close()?;
                    at += 1;
                }
                b if b.is_ascii_whitespace() => at += 1,
                _ => {
                    let end =
                        bytes[at..].iter().position(|b| matches!(b, b'(' | b')') || b.is_ascii_whitespace());
                    let end = end.map_or(bytes.len(), |e| at + e);
                    self.atom(&text[at..end])?;
                    at = end;
                }
            }
        }
        if self.complete {
            at += bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        }
        Ok(at)
    }

    fn open(&mut self, label: &str) -> std::result::Result<(), String> {
        self.check_not_hollow()?;
        let parent = self.stack.last().copied().flatten();
        let node = self.builder.node(label, parent);
        self.stack.push(Some(node));
        self.unlabelled = false;
        Ok(())
    }

    fn check_not_hollow(&self) -> std::result::Result<(), String> {
        if self.hollow {
            Err("the brackets `()` inside a tree have no label and no words".to_string())
        } else {
            Ok(())
        }
    }

    fn atom(&mut self, atom: &str) -> std::result::Result<(), String> {
        if self.unlabelled {
            let label = if is_bracket_tag(atom) { Cow::Borrowed(atom) } else { unescape(atom) };
            return self.open(&label);
        }
        self.check_not_hollow()?;
        let Some(&Some(parent)) = self.stack.last() else {
            return Err(format!("`{atom}` stands outside a tree; a tree begins with `(`"));
        };
        self.builder.word(&unescape(atom), parent);
        Ok(())
    }

    fn close(&mut self) -> std::result::Result<(), String> {
        if self.unlabelled {
            self.unlabelled = false;
            self.hollow = true;
            if self.builder.word_count() > 0 {
                self.check_not_hollow()?;
            }
            self.complete = self.stack.is_empty();
            return Ok(());
        }
        if self.stack.pop().is_none() {
            return Err("a bracket closes that was not opened".to_string());
        }
        self.complete = self.stack.is_empty();
        Ok(())
    }

    /// The tree, or `None` if the brackets hold no word and no label.
    fn finish(self) -> Option<std::result::Result<ConTree, crate::error::Invalid>> {
        let failed = self.builder.word_count() == 0 && self.builder.node_count() <= 1;
        (!failed).then(|| self.builder.finish())
    }
}

fn is_bracket_tag(label: &str) -> bool {
    matches!(label, "-LRB-" | "-RRB-")
}

/// An atom as it stands in the sentence: `-LRB-` and `-RRB-` as brackets.
pub fn unescape(atom: &str) -> Cow<'_, str> {
    if atom.contains("-LRB-") || atom.contains("-RRB-") {
        Cow::Owned(atom.replace("-LRB-", "(").replace("-RRB-", ")"))
    } else {
        Cow::Borrowed(atom)
    }
}

/// Text as one atom: brackets as `-LRB-` and `-RRB-`, a space inside a word as a no-break space.
fn escape(text: &str) -> Cow<'_, str> {
    if text.contains(|c: char| matches!(c, '(' | ')') || c.is_ascii_whitespace()) {
        let text = text.replace('(', "-LRB-").replace(')', "-RRB-");
        Cow::Owned(text.replace(|c: char| c.is_ascii_whitespace(), "\u{a0}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether two words are the same but for their case, which texts are often changed in after parsing, and for the names that
/// the Penn Treebank has for brackets and Moses for marks (`&apos;`).
pub fn same_word(form: &str, word: &str) -> bool {
    let plain = |text: &str| {
        let mut out = String::new();
        treeglot_text::tokenize::unescape(text, &mut out);
        out
    };
    let lower = |text: &str| text.to_lowercase();
    form == word
        || lower(form) == lower(word)
        || unescape(&form.to_uppercase()) == word
        || (form.contains('&') || word.contains('&')) && lower(&plain(form)) == lower(&plain(word))
}

/// Writes a tree on one line. It must be continuous ([`ConTree::is_continuous`]): brackets cannot say more; see
/// [`crate::transform::continuous`].
pub fn write(tree: &ConTree, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    if !tree.is_continuous() {
        let message = "brackets cannot hold a discontinuous tree; make it continuous first";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut open: Vec<NodeId> = Vec::new();
    for word in tree.words() {
        let parent = tree.parent_of_word(word);
        let mut fresh: Vec<NodeId> = Vec::new();
        let mut node = Some(parent);
        while let Some(n) = node.filter(|n| open.last() != Some(n)) {
            fresh.push(n);
            node = tree.parent(n);
        }
        for &n in fresh.iter().rev() {
            if !open.is_empty() {
                out.write_all(b" ")?;
            }
            write!(out, "({}", escape(tree.label(n)))?;
            open.push(n);
        }
        let form = tree.form(word);
        write!(out, " {}", if form.is_empty() { Cow::Borrowed("_") } else { escape(form) })?;
        while open.last().is_some_and(|&n| tree.hull(n).end == word.0 + 1) {
            open.pop();
            out.write_all(b")")?;
        }
    }
    out.write_all(b"\n")
}

fn write_tree(
    tree: AnyTree,
    conversion: &mut Conversion,
    out: &mut dyn Write,
) -> std::result::Result<(), ConvertError> {
    match conversion.continuous(tree)? {
        Some(tree) => write(&tree, out)?,
        None => write_failed(out)?,
    }
    Ok(())
}

/// Writes the line of a failed parse.
pub fn write_failed(out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    out.write_all(b"(())\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, layout: BracketLayout) -> Result<Vec<Option<ConTree>>> {
        Reader::new("t.ptb", text.as_bytes(), layout).trees().collect()
    }

    fn written(tree: &ConTree) -> String {
        let mut out = Vec::new();
        write(tree, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn trees_over_several_lines_are_written_on_one() {
        let text = "( (S \n    (NP-SBJ (DT the) (NN cat) )\n  (VP (VBZ sleeps)))\n)\n\n(X a (Y b) c)";
        let trees = read(text, BracketLayout::Free).unwrap();
        let lines: Vec<String> = trees.iter().flatten().map(written).collect();
        assert_eq!(lines, ["( (S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sleeps))))\n", "(X a (Y b) c)\n"]);
        assert_eq!(read(&lines.concat(), BracketLayout::OnePerLine).unwrap(), trees);
    }

    #[test]
    fn brackets_in_words_are_escaped_and_the_penn_tags_kept() {
        let line = "(PRN (-LRB- -LRB-) (NN a-LRB-b-RRB-) (-RRB- -RRB-))\n";
        let tree = read(line, BracketLayout::OnePerLine).unwrap().remove(0).unwrap();
        assert_eq!(tree.forms().collect::<Vec<_>>(), ["(", "a(b)", ")"]);
        assert_eq!(tree.tag(crate::WordIx(0)), Some("-LRB-"));
        assert_eq!(written(&tree), line);
    }

    #[test]
    fn a_failed_parse_keeps_its_line() {
        let trees = read("(NN a)\n\n(())\n()\n(NN b)\n", BracketLayout::OnePerLine).unwrap();
        assert_eq!(trees.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, false, true]);
        assert_eq!(read("(NN a)\n\n(())\n(NN b)\n", BracketLayout::Free).unwrap().len(), 3);
    }

    #[test]
    fn what_is_not_a_tree_is_an_error_with_its_line() {
        let error = |text, layout| read(text, layout).unwrap_err().to_string();
        assert_eq!(
            error("(NN a)\n(NP (NN b)\n", BracketLayout::OnePerLine),
            "t.ptb:2: the line ends inside a tree: 1 brackets are open"
        );
        assert_eq!(
            error("(S\n(NN b)\n", BracketLayout::Free),
            "t.ptb:2: the file ends inside a tree: 1 brackets are open"
        );
        assert_eq!(error("(NN a))", BracketLayout::Free), "t.ptb:1: a bracket closes that was not opened");
        let hollow = "t.ptb:1: the brackets `()` inside a tree have no label and no words";
        assert_eq!(error("(NP (() a))", BracketLayout::Free), hollow);
        assert_eq!(error("(NP (NN a) ())", BracketLayout::Free), hollow);
        assert_eq!(
            error("a", BracketLayout::Free),
            "t.ptb:1: `a` stands outside a tree; a tree begins with `(`"
        );
        assert_eq!(
            error("(S (NP) (VB a))", BracketLayout::Free),
            "t.ptb:1: the constituent `NP` has no words"
        );
        assert_eq!(
            error("(NN a) (NN b)\n", BracketLayout::OnePerLine),
            "t.ptb:1: text follows the tree; one tree a line is expected here"
        );
    }

    #[test]
    fn very_deep_nesting_is_read_and_written() {
        let deep = format!("{}a{}\n", "(X ".repeat(50_000), ")".repeat(50_000));
        let tree = read(&deep, BracketLayout::OnePerLine).unwrap().remove(0).unwrap();
        assert_eq!(written(&tree), deep);
    }

    #[test]
    fn case_and_names_of_brackets_make_no_difference() {
        assert!(same_word("Haus", "haus") && same_word("-LRB-", "(") && same_word("-rrb-", ")"));
        assert!(same_word("&apos;S", "'s") && same_word("&", "&amp;") && !same_word("&apos;s", "\"s"));
        assert!(!same_word("-LRB-", ")") && !same_word("haus", "maus"));
    }
}
