//! The table of formats. A format is one file of this folder, which defines its `FORMAT`, and one line of [`FORMATS`];
//! names, file endings, records, readers and writers are asked for here and nowhere else.

use super::any::{AnyReader, AnyTree, ReadOptions};
use super::records::RecordLayout;
use super::{
    ReadTrees, ccg_auto, ccg_parg, conll09, conllu, conllx, depbracket, egret, enju_so, enju_xml, mosesxml,
    ptb, tigerxml,
};
use crate::convert::{Conversion, ConvertError};
use crate::error::Result;
use crate::kind::TreeKind;
use crate::parse::DepParse;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;
use treeglot_text::{Input, unpacked_name};

/// All formats, in the order in which help texts list them.
pub const FORMATS: &[Format] = &[
    conllu::FORMAT,
    conllx::FORMAT,
    conll09::FORMAT,
    ptb::FORMAT,
    tigerxml::FORMAT,
    mosesxml::FORMAT,
    depbracket::FORMAT,
    enju_xml::FORMAT,
    enju_so::FORMAT,
    ccg_auto::FORMAT,
    ccg_parg::FORMAT,
    egret::FORMAT,
];

/// A tree format: a line of [`FORMATS`].
///
/// ```
/// use treeglot_tree::format::{Format, conllu};
///
/// assert_eq!(Format::of_file("train.de.conllu.gz"), Some(conllu::FORMAT));
/// assert_eq!("conllu".parse(), Ok(conllu::FORMAT));
/// ```
#[derive(Clone, Copy)]
pub struct Format(pub(super) &'static Definition);

/// What a format's file says of it.
pub(crate) struct Definition {
    /// The name by which users choose it.
    pub name: &'static str,
    /// A line for help texts.
    pub about: &'static str,
    /// How names of such files end, the usual ending first; no other format has them.
    pub endings: &'static [&'static str],
    /// What a sentence is.
    pub content: Content,
    /// How sentences are told apart without reading them.
    pub records: RecordLayout,
    /// Its reader.
    pub read: fn(Input, &ReadOptions) -> Result<AnyReader>,
    /// Its writer; none if only a parser writes it.
    pub writer: Option<fn() -> Box<dyn WriteTrees>>,
}

/// What a sentence of a format is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A dependency tree.
    Dependencies,
    /// A constituency tree.
    Constituents,
    /// Predicates with their arguments beside constituents, which have heads of their own.
    Predicates,
    /// A derivation, a graph or a forest, from which a tree is made.
    Other,
}

/// The writer of a format: a function where trees just follow each other.
pub(crate) trait WriteTrees {
    /// What stands before the first tree.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes a tree, converted to what the format holds.
    fn tree(
        &mut self,
        tree: AnyTree,
        conversion: &mut Conversion,
        out: &mut dyn Write,
    ) -> std::result::Result<(), ConvertError>;

    /// What stands after the last tree.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl<F> WriteTrees for F
where
    F: FnMut(AnyTree, &mut Conversion, &mut dyn Write) -> std::result::Result<(), ConvertError>,
{
    fn tree(
        &mut self,
        tree: AnyTree,
        conversion: &mut Conversion,
        out: &mut dyn Write,
    ) -> std::result::Result<(), ConvertError> {
        self(tree, conversion, out)
    }
}

/// A writer of what only one format, or one family of them, holds: `write` writes it and gives nothing for any other tree;
/// `from` says what can be written.
pub(crate) fn write_only<F>(from: &'static str, mut write: F) -> Box<dyn WriteTrees>
where
    F: FnMut(&AnyTree, &mut Conversion, &mut dyn Write) -> Option<io::Result<()>> + 'static,
{
    Box::new(move |tree: AnyTree, conversion: &mut Conversion, out: &mut dyn Write| {
        match write(&tree, conversion, out) {
            Some(written) => Ok(written?),
            None => Err(conversion.only_from(from)),
        }
    })
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// A line about it for help texts.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// How names of its files end, the usual ending first, without the dot.
    pub fn endings(self) -> &'static [&'static str] {
        self.0.endings
    }

    /// What a sentence of it is.
    pub fn content(self) -> Content {
        self.0.content
    }

    /// How its sentences are told apart without reading them.
    pub fn records(self) -> RecordLayout {
        self.0.records
    }

    /// The format a file's name tells, packed or not.
    pub fn of_file(path: impl AsRef<Path>) -> Option<Self> {
        let name = path.as_ref().file_name()?.to_string_lossy().to_ascii_lowercase();
        let ending = unpacked_name(&name).rsplit_once('.')?.1;
        FORMATS.iter().copied().find(|format| format.endings().contains(&ending))
    }

    /// The format of a file that should hold trees of a kind: the one its name tells, else the usual one of the kind.
    pub fn of_trees(path: impl AsRef<Path>, kind: TreeKind) -> Self {
        Self::of_file(path).unwrap_or(match kind {
            TreeKind::Dependency => conllu::FORMAT,
            TreeKind::Constituency => ptb::FORMAT,
        })
    }

    /// All names, for messages.
    pub fn names() -> String {
        FORMATS.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
    }

    /// A writer of it, unless only a parser writes it.
    pub(crate) fn writer(self) -> Option<Box<dyn WriteTrees>> {
        self.0.writer.map(|make| make())
    }

    /// Opens a file, `-` for standard input.
    pub fn open(self, path: impl AsRef<Path>, options: &ReadOptions) -> Result<AnyReader> {
        self.read(Input::open(path)?, options)
    }

    /// Reads an input.
    pub fn read(self, input: Input, options: &ReadOptions) -> Result<AnyReader> {
        (self.0.read)(input, options)
    }

    /// Opens a file for its dependency parses. What is none is read as a sentence without words.
    pub fn open_dependencies(
        self,
        path: impl AsRef<Path>,
    ) -> Result<Box<dyn ReadTrees<Tree = DepParse> + Send>> {
        Ok(Box::new(Dependencies(self.open(path, &ReadOptions::default())?)))
    }
}

struct Dependencies(AnyReader);

impl ReadTrees for Dependencies {
    type Tree = DepParse;

    fn next_tree(&mut self) -> Result<Option<DepParse>> {
        Ok(self.0.next_tree()?.map(|tree| match tree {
            AnyTree::Dep(parse) => parse,
            _ => DepParse::new(0),
        }))
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tree format `{0}`; the formats are {list}", list = Format::names())]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> std::result::Result<Self, UnknownFormat> {
        let found = FORMATS.iter().copied().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormat(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name_and_its_endings() {
        for &format in FORMATS {
            assert_eq!(format.name().parse(), Ok(format));
            for ending in format.endings() {
                assert_eq!(
                    Format::of_file(format!("a/Train.{ending}")),
                    Some(format),
                    "one format an ending"
                );
                assert_eq!(Format::of_file(format!("a/train.{ending}.GZ")), Some(format));
            }
        }
        let error = "conll".parse::<Format>().unwrap_err().to_string();
        assert!(
            error.starts_with("there is no tree format `conll`; the formats are conllu, conllx, "),
            "{error}"
        );
    }

    #[test]
    fn a_kind_has_a_usual_format() {
        assert_eq!(Format::of_trees("a.parzu", TreeKind::Dependency), conllu::FORMAT);
        assert_eq!(Format::of_trees("a.berkeley", TreeKind::Constituency), ptb::FORMAT);
        assert_eq!(Format::of_trees("a.forest.zst", TreeKind::Constituency), egret::FORMAT);
    }
}
