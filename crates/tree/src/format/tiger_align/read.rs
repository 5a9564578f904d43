//! The TreeAligner's XML to an [`Alignment`].

use super::{Alignment, Link, LinkFeature, LinkType, Piece, SentenceLink, Side, TreebankRef, Unlinked};
use crate::error::{Error, Result};
use crate::format::xml::{Event, XmlReader};
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;
use treeglot_text::Input;

impl Alignment {
    /// Loads a file of links; see [`Input::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let input = Input::open(path)?;
        Self::read(input.name, input.reader)
    }

    /// Loads the links of `reader`, called `name` in messages.
    pub fn read(name: impl Into<Arc<str>>, reader: impl BufRead) -> Result<Self> {
        let name = name.into();
        let xml = &mut XmlReader::new(name.clone(), reader);
        if xml.next_event()? != Event::Start || xml.tag() != "treealign" {
            return Err(xml.malformed("this is not a TreeAligner alignment, which starts with <treealign>"));
        }
        let mut alignment = Self::new(Default::default());
        alignment.name = name;
        alignment.attrs = xml.other_attrs(&[]);
        alignment.meta.clear();
        alignment.features.clear();
        let mut treebanks = Vec::new();
        loop {
            match xml.next_event()? {
                Event::Start if xml.tag() == "head" => alignment.read_head(xml, &mut treebanks)?,
                Event::Start if xml.tag() == "alignments" => {
                    alignment.treebanks = take_two(xml, &mut treebanks)?;
                    alignment.read_links(xml)?;
                }
                Event::Start => return Err(unexpected(xml, "<head> or <alignments>")),
                Event::Text | Event::End => {}
                Event::Eof if alignment.treebanks[0].id.is_empty() => {
                    return Err(xml.malformed("the alignment has no <alignments>"));
                }
                Event::Eof => return Ok(alignment),
            }
        }
    }

    fn read_head<R: BufRead>(
        &mut self,
        xml: &mut XmlReader<R>,
        treebanks: &mut Vec<TreebankRef>,
    ) -> Result<()> {
        let depth = xml.depth();
        while xml.depth() >= depth {
            if xml.next_event()? != Event::Start {
                continue;
            }
            match xml.tag() {
                "alignment-metadata" => self.meta = xml.text_children()?,
                "treebanks" | "alignment-features" => {}
                "treebank" => {
                    treebanks.push(TreebankRef {
                        id: xml.required("id")?.into(),
                        language: xml.attr("language").unwrap_or_default().to_string(),
                        filename: xml.attr("filename").unwrap_or_default().to_string(),
                        attrs: xml.other_attrs(&["id", "language", "filename"]),
                    });
                    xml.skip_element()?;
                }
                "alignment-feature" => {
                    let name = xml.required("name")?.to_string();
                    let color = xml.attr("color").unwrap_or_default().to_string();
                    self.features.push(LinkFeature { name, color, text: xml.text_content()? });
                }
                _ => keep_element(xml, &mut self.settings)?,
            }
        }
        Ok(())
    }

    fn read_links<R: BufRead>(&mut self, xml: &mut XmlReader<R>) -> Result<()> {
        loop {
            match xml.next_event()? {
                Event::Start if xml.tag() == "align" => {
                    let link = self.read_link(xml)?;
                    self.links.push(link);
                }
                Event::Start if xml.tag() == "sen-align" => {
                    let (attrs, line) = (xml.other_attrs(&[]), xml.place().line);
                    let ids = self.read_ends(xml)?;
                    self.sentence_links.push(SentenceLink { attrs, ids, line });
                }
                Event::Start if xml.tag() == "to-empty" => {
                    let side = self.side(xml, xml.required("tb-id")?)?;
                    let id = xml.required("root-id")?.into();
                    let attrs = xml.other_attrs(&["tb-id", "root-id", "empty-in"]);
                    self.unlinked.push(Unlinked { side, id, attrs });
                    xml.skip_element()?;
                }
                Event::Start => return Err(unexpected(xml, "<align>, <sen-align> or <to-empty>")),
                Event::Text => {}
                Event::End | Event::Eof => return Ok(()),
            }
        }
    }

    fn read_link<R: BufRead>(&self, xml: &mut XmlReader<R>) -> Result<Link> {
        Ok(Link {
            kind: LinkType::from(xml.required("type")?),
            author: xml.attr("author").map(Box::from),
            last_change: xml.attr("last_change").map(Box::from),
            attrs: xml.other_attrs(&["type", "author", "last_change"]),
            line: xml.place().line,
            ids: self.read_ends(xml)?,
        })
    }

    /// Reads the two `<node>`s of the current element and moves to its end.
    fn read_ends<R: BufRead>(&self, xml: &mut XmlReader<R>) -> Result<[Box<str>; 2]> {
        let element = xml.tag().to_string();
        let mut ends: [Option<Box<str>>; 2] = [None, None];
        loop {
            match xml.next_event()? {
                Event::Start if xml.tag() == "node" => {
                    let side = self.side(xml, xml.required("treebank_id")?)?;
                    let id = xml.required("node_id")?;
                    if ends[side].replace(id.into()).is_some() {
                        let treebank = &self.treebanks[side].id;
                        return Err(
                            xml.malformed(format!("<{element}> has two nodes of treebank `{treebank}`"))
                        );
                    }
                    xml.skip_element()?;
                }
                Event::Start => return Err(unexpected(xml, "<node>")),
                Event::Text => {}
                Event::End | Event::Eof => break,
            }
        }
        match ends {
            [Some(first), Some(second)] => Ok([first, second]),
            _ => Err(xml.malformed(format!("<{element}> needs a <node> of each treebank"))),
        }
    }

    fn side<R: BufRead>(&self, xml: &XmlReader<R>, id: &str) -> Result<Side> {
        let side = self.treebanks.iter().position(|t| *t.id == *id);
        side.ok_or_else(|| {
            let [first, second] = &self.treebanks;
            xml.malformed(format!(
                "no treebank `{id}`; this file declares `{}` and `{}`",
                first.id, second.id
            ))
        })
    }
}

fn take_two<R: BufRead>(xml: &XmlReader<R>, treebanks: &mut Vec<TreebankRef>) -> Result<[TreebankRef; 2]> {
    let count = treebanks.len();
    match <[TreebankRef; 2]>::try_from(std::mem::take(treebanks)) {
        Ok([first, second]) if first.id != second.id && !first.id.is_empty() => Ok([first, second]),
        _ => Err(xml.malformed(format!(
            "the head declares {count} treebanks; an alignment is between two, with different ids"
        ))),
    }
}

/// Keeps the current element with all that is in it, blanks aside.
fn keep_element<R: BufRead>(xml: &mut XmlReader<R>, pieces: &mut Vec<Piece>) -> Result<()> {
    let above = xml.depth() - 1;
    pieces.push(Piece::Start(xml.tag().into(), xml.other_attrs(&[])));
    while xml.depth() > above {
        match xml.next_event()? {
            Event::Start => pieces.push(Piece::Start(xml.tag().into(), xml.other_attrs(&[]))),
            Event::End => pieces.push(Piece::End(xml.tag().into())),
            Event::Text if xml.text().trim().is_empty() => {}
            Event::Text => pieces.push(Piece::Text(xml.text().into())),
            Event::Eof => break,
        }
    }
    Ok(())
}

fn unexpected<R: BufRead>(xml: &XmlReader<R>, expected: &str) -> Error {
    xml.malformed(format!("<{}> where a TreeAligner alignment has {expected}", xml.tag()))
}
