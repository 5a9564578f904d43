//! An [`Alignment`] to the TreeAligner's XML: a complete document with its head.

use super::{Alignment, Piece};
use crate::format::xml::{write_attr, write_attrs, write_element, write_escaped};
use std::io::{self, Write};

impl Alignment {
    /// Writes the document.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let out = &mut out;
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<treealign")?;
        write_attrs(out, &self.attrs)?;
        out.write_all(b">\n")?;
        self.write_head(out)?;
        out.write_all(b"<alignments>\n")?;
        for unlinked in &self.unlinked {
            out.write_all(b"<to-empty")?;
            write_attr(out, "empty-in", &self.treebanks[1 - unlinked.side].id)?;
            write_attrs(out, &unlinked.attrs)?;
            write_attr(out, "tb-id", &self.treebanks[unlinked.side].id)?;
            write_attr(out, "root-id", &unlinked.id)?;
            out.write_all(b"/>\n")?;
        }
        for link in &self.sentence_links {
            out.write_all(b"<sen-align")?;
            write_attrs(out, &link.attrs)?;
            self.write_ends(out, &link.ids)?;
            out.write_all(b"</sen-align>\n")?;
        }
        for link in &self.links {
            out.write_all(b"<align")?;
            write_attr(out, "type", &link.kind.to_string())?;
            for (name, value) in [("last_change", &link.last_change), ("author", &link.author)] {
                if let Some(value) = value {
                    write_attr(out, name, value)?;
                }
            }
            write_attrs(out, &link.attrs)?;
            self.write_ends(out, &link.ids)?;
            out.write_all(b"</align>\n")?;
        }
        out.write_all(b"</alignments>\n</treealign>\n")?;
        out.flush()
    }

    fn write_head(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"<head>\n<alignment-metadata>\n")?;
        for (name, text) in &self.meta {
            match name.as_str() {
                "size" => write_element(out, name, &self.size().to_string())?,
                _ => write_element(out, name, text)?,
            }
            out.write_all(b"\n")?;
        }
        out.write_all(b"</alignment-metadata>\n<treebanks>\n")?;
        for treebank in &self.treebanks {
            out.write_all(b"<treebank")?;
            write_attr(out, "id", &treebank.id)?;
            write_attr(out, "language", &treebank.language)?;
            write_attr(out, "filename", &treebank.filename)?;
            write_attrs(out, &treebank.attrs)?;
            out.write_all(b"/>\n")?;
        }
        out.write_all(b"</treebanks>\n<alignment-features>\n")?;
        for feature in &self.features {
            out.write_all(b"<alignment-feature")?;
            write_attr(out, "color", &feature.color)?;
            write_attr(out, "name", &feature.name)?;
            out.write_all(b">")?;
            write_escaped(out, &feature.text)?;
            out.write_all(b"</alignment-feature>\n")?;
        }
        out.write_all(b"</alignment-features>\n")?;
        for piece in &self.settings {
            match piece {
                Piece::Start(name, attrs) => {
                    write!(out, "<{name}")?;
                    write_attrs(out, attrs)?;
                    out.write_all(b">")?;
                }
                Piece::Text(text) => write_escaped(out, text)?,
                Piece::End(name) => writeln!(out, "</{name}>")?,
            }
        }
        out.write_all(b"</head>\n")
    }

    /// Completes the start tag of a link, and writes its nodes.
    fn write_ends(&self, out: &mut impl Write, ids: &[Box<str>; 2]) -> io::Result<()> {
        out.write_all(b">\n")?;
        for (treebank, id) in self.treebanks.iter().zip(ids) {
            out.write_all(b"<node")?;
            write_attr(out, "treebank_id", &treebank.id)?;
            write_attr(out, "node_id", id)?;
            out.write_all(b"/>\n")?;
        }
        Ok(())
    }
}
