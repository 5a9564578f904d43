//! CCG derivations: CCGbank's AUTO format, with its variants of EasyCCG and C&C, read into [`Derivation`] and written
//! back; the target trees "CCG" of Wu et al. 2012 can be made from them by head indices.
//!
//! AUTO has a line `ID=...` and a line `(<T category head children> ...)` with leaves
//! `(<L category tag tag word indexed-category>)`. The extended variant names the rule in `<T` and has lemma, tag,
//! entity and chunk in `<L`. EasyCCG's drawings with box characters and the XML of C&C are read as well
//! ([`drawing`], [`candc_xml`]); neither tells heads, which then follow from the categories.

pub mod candc_xml;
pub mod category;
mod derivation;
pub mod drawing;
mod scan;

pub use derivation::{Child, Derivation, Leaf, Node};

use super::ReadTrees;
use super::any::{AnyTree, any};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format, write_only};
use crate::error::Result;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use treeglot_text::{Lines, Place};

/// CCG derivations.
pub const FORMAT: Format = Format(&Definition {
    name: "ccg-auto",
    about: "CCG derivations of CCGbank, C&C (XML too) and EasyCCG",
    endings: &["auto"],
    content: Content::Other,
    records: RecordLayout::Begins(begins),
    read: |input, _| Ok(any(AnyReader::new(input.name, input.reader)?)),
    writer: Some(|| {
        write_only("CCG derivations (ccg-auto)", |tree, conversion, out| match tree {
            AnyTree::Derivation(derivation) => Some(write(derivation, out)),
            AnyTree::Failed => {
                conversion.failed();
                Some(out.write_all(FAILED.as_bytes()))
            }
            _ => None,
        })
    }),
});

/// A derivation begins with its `ID=` line, or where it has none.
fn begins(before: &str, line: &str) -> bool {
    line.starts_with("ID=") || (line.starts_with('(') && !before.starts_with("ID="))
}

/// Reads derivations in AUTO format. A sentence that was not parsed (an `ID=` line without a tree, or EasyCCG's tree
/// of the one word `fail`) is `None`.
pub struct Reader<R> {
    lines: Lines<R>,
    /// An `ID=` line whose tree was not met yet.
    header: Option<String>,
}

impl<R: BufRead> Reader<R> {
    /// The derivations of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader), header: None }
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Option<Derivation>;

    fn next_tree(&mut self) -> Result<Option<Option<Derivation>>> {
        loop {
            let Some(line) = self.lines.next_line()? else {
                return Ok(self.header.take().map(|_| None));
            };
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if line.starts_with("ID=") {
                if self.header.replace(line.to_string()).is_some() {
                    return Ok(Some(None));
                }
                continue;
            }
            let scanned = scan::derivation(line);
            let place: Place = self.lines.place();
            return match scanned {
                Err(message) => Err(self.lines.malformed(message).into()),
                Ok(tree) if tree.is_failure() => {
                    self.header = None;
                    Ok(Some(None))
                }
                Ok(mut tree) => {
                    tree.set_origin(self.header.take(), place);
                    Ok(Some(Some(tree)))
                }
            };
        }
    }
}

/// Reads derivations in whichever of the three notations the input begins with.
pub enum AnyReader<R> {
    /// AUTO, the default.
    Auto(Reader<R>),
    /// The XML of C&C: the input begins with `<`.
    Xml(Box<candc_xml::Reader<R>>),
    /// EasyCCG's drawings: box characters are met early.
    Drawing(drawing::Reader<R>),
}

impl<R: BufRead> AnyReader<R> {
    /// Looks at the start of `reader`, called `name` in messages, and reads on accordingly.
    pub fn new(name: impl Into<Arc<str>>, mut reader: R) -> Result<Self> {
        let name = name.into();
        let start = reader.fill_buf();
        let start = start
            .map_err(|source| treeglot_text::Error::Read { place: Place::new(name.clone(), 0), source })?;
        let start = String::from_utf8_lossy(start);
        let text = start.trim_start_matches('\u{feff}').trim_start();
        let is_auto = text.starts_with("ID=") || text.starts_with('(');
        let (is_xml, is_drawing) = (text.starts_with('<'), !is_auto && text.contains(['┌', '┐', '┤']));
        Ok(if is_xml {
            Self::Xml(Box::new(candc_xml::Reader::new(name, reader)))
        } else if is_drawing {
            Self::Drawing(drawing::Reader::new(name, reader))
        } else {
            Self::Auto(Reader::new(name, reader))
        })
    }
}

impl<R: BufRead> ReadTrees for AnyReader<R> {
    type Tree = Option<Derivation>;

    fn next_tree(&mut self) -> Result<Option<Option<Derivation>>> {
        match self {
            Self::Auto(reader) => reader.next_tree(),
            Self::Xml(reader) => reader.next_tree(),
            Self::Drawing(reader) => reader.next_tree(),
        }
    }
}

/// What EasyCCG writes for a sentence that it could not parse.
const FAILED: &str = "(<L NP NN NN fail N>)\n";

/// Writes a derivation in CCGbank's AUTO format, with its `ID=` line if it has one. Where the input was CCGbank's own,
/// the bytes are the same. A leaf without a tag gets `POS`, as EasyCCG does it.
pub fn write(derivation: &Derivation, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    enum Step {
        Open(Child),
        Close,
    }
    if let Some(header) = derivation.header() {
        writeln!(out, "{header}")?;
    }
    let mut stack = vec![Step::Open(derivation.root())];
    while let Some(step) = stack.pop() {
        match step {
            Step::Close => out.write_all(b")")?,
            Step::Open(Child::Leaf(l)) => {
                let leaf = &derivation.leaves()[l];
                let pos = leaf.pos.as_deref().unwrap_or("POS");
                let original = leaf.original_pos.as_deref().unwrap_or(pos);
                let Leaf { category, word, indexed, .. } = leaf;
                write!(
                    out,
                    "(<L {category} {pos} {original} {word} {}>)",
                    indexed.as_ref().unwrap_or(category)
                )?;
            }
            Step::Open(Child::Node(n)) => {
                let node = &derivation.nodes()[n];
                let (head, children) = (derivation.head_child(n), node.children.len());
                write!(out, "(<T {} {head} {children}> ", node.category)?;
                stack.push(Step::Close);
                stack.extend(node.children.iter().rev().map(|&child| Step::Open(child)));
                continue;
            }
        }
        out.write_all(if stack.is_empty() { b"\n" } else { b" " })?;
    }
    Ok(())
}
