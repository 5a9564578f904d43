//! The XML of C&C: `<ccg>` elements of nested `<rule type cat>` and leaves `<lf word lemma pos cat/>`. An empty
//! `<ccg>` is a sentence that was not parsed.

use super::derivation::{Derivation, DerivationBuilder, Leaf};
use crate::error::{Error, Result};
use crate::format::ReadTrees;
use crate::format::xml::{Event, XmlReader};
use std::io::BufRead;
use std::sync::Arc;

/// Reads derivations from the XML of C&C.
pub struct Reader<R> {
    xml: XmlReader<R>,
}

impl<R: BufRead> Reader<R> {
    /// The derivations of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { xml: XmlReader::new(name, reader) }
    }

    /// Reads up to the end of the `<ccg>` whose start tag is the current event.
    fn derivation(&mut self) -> Result<Option<Derivation>> {
        let (place, depth) = (self.xml.place(), self.xml.depth());
        let header = self.xml.attr("id").map(|id| format!("ID={id}"));
        let mut tree = DerivationBuilder::default();
        while self.xml.depth() >= depth {
            match self.xml.next_event()? {
                Event::Start => self.element(&mut tree)?,
                Event::End if self.xml.tag() == "rule" => {
                    tree.close().map_err(|message| self.xml.malformed(message))?;
                }
                Event::End | Event::Text | Event::Eof => {}
            }
        }
        if !tree.is_complete() {
            return Ok(None);
        }
        let mut tree = tree.finish(place.clone()).map_err(|message| self.xml.malformed(message))?;
        tree.set_origin(header, place);
        Ok(Some(tree))
    }

    fn element(&self, tree: &mut DerivationBuilder) -> Result<()> {
        let added = match self.xml.tag() {
            "rule" => tree.open(self.xml.required("cat")?, self.xml.attr("type"), None),
            "lf" => {
                let given = |name: &str| self.xml.attr(name).map(str::to_string);
                tree.leaf(Leaf {
                    category: self.xml.required("cat")?.to_string(),
                    word: self.xml.required("word")?.to_string(),
                    pos: given("pos"),
                    lemma: given("lemma"),
                    ..Leaf::default()
                })
            }
            other => Err(format!("<{other}> where <rule> or <lf> is due")),
        };
        added.map_err(|message| -> Error { self.xml.malformed(message) })
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Option<Derivation>;

    fn next_tree(&mut self) -> Result<Option<Option<Derivation>>> {
        match self.xml.next_record("ccg", &[], Some("candc"), "the XML of C&C")? {
            true => self.derivation().map(Some),
            false => Ok(None),
        }
    }
}
