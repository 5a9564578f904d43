//! What stands before the sentences of a TIGER-XML corpus: who made it, and which labels it uses.

use super::Attributes;
use crate::error::Result;
use crate::format::xml::{Event, XmlReader, write_attr, write_element, write_escaped};
use std::io::{self, BufRead, Write};

/// The corpus element: its id, and its declarations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Corpus {
    /// The corpus' id.
    pub id: String,
    /// Further attributes, such as the schema.
    pub attrs: Attributes,
    /// The declarations, if there are any.
    pub head: Option<Head>,
}

/// The declarations of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The file that has the declarations, when they are not here.
    pub external: Option<String>,
    /// Name and text of each element of `<meta>`: name, author, date, description, format, history.
    pub meta: Vec<(String, String)>,
    /// The attributes that terminals and nonterminals have.
    pub features: Vec<Feature>,
    /// The labels of edges, if declared.
    pub edge_labels: Option<Vec<Value>>,
    /// The labels of secondary edges, if declared.
    pub secedge_labels: Option<Vec<Value>>,
}

/// An attribute of terminals or nonterminals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// The attribute's name.
    pub name: String,
    /// `T` for terminals, `NT` for nonterminals, `FREC` for both.
    pub domain: String,
    /// The values it takes, if listed.
    pub values: Vec<Value>,
}

/// A declared value or label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The value.
    pub name: String,
    /// What it means.
    pub text: String,
}

impl Corpus {
    /// A corpus whose head declares what any tree has: words, parts of speech, lemmas, morphology, categories.
    pub fn new(id: impl Into<String>) -> Self {
        let feature = |(name, domain): (&str, &str)| Feature {
            name: name.into(),
            domain: domain.into(),
            values: Vec::new(),
        };
        let features = [("word", "T"), ("lemma", "T"), ("pos", "T"), ("morph", "T"), ("cat", "NT")];
        let head = Head {
            features: features.map(feature).into(),
            edge_labels: Some(Vec::new()),
            secedge_labels: Some(Vec::new()),
            ..Head::default()
        };
        Self { id: id.into(), attrs: Vec::new(), head: Some(head) }
    }
}

impl Head {
    /// Reads from `<head>`, the current event, to its end. Elements that TIGER-XML does not know are passed over.
    pub(super) fn read<R: BufRead>(xml: &mut XmlReader<R>) -> Result<Self> {
        let mut head = Self { external: xml.attr("external").map(String::from), ..Self::default() };
        let depth = xml.depth();
        while xml.depth() >= depth {
            if xml.next_event()? != Event::Start {
                continue;
            }
            match xml.tag() {
                "meta" => head.meta = xml.text_children()?,
                "annotation" => {}
                "feature" => {
                    let name = xml.required("name")?.into();
                    let domain = xml.required("domain")?.into();
                    head.features.push(Feature { name, domain, values: read_values(xml)? });
                }
                "edgelabel" => head.edge_labels = Some(read_values(xml)?),
                "secedgelabel" => head.secedge_labels = Some(read_values(xml)?),
                _ => xml.skip_element()?,
            }
        }
        Ok(head)
    }

    pub(super) fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        out.write_all(b" <head")?;
        if let Some(external) = &self.external {
            write_attr(out, "external", external)?;
        }
        out.write_all(b">\n  <meta>\n")?;
        for (name, text) in &self.meta {
            out.write_all(b"   ")?;
            write_element(out, name, text)?;
            out.write_all(b"\n")?;
        }
        out.write_all(b"  </meta>\n  <annotation>\n")?;
        for feature in &self.features {
            out.write_all(b"   <feature")?;
            write_attr(out, "name", &feature.name)?;
            write_attr(out, "domain", &feature.domain)?;
            write_values(out, "feature", &feature.values)?;
        }
        for (tag, labels) in [("edgelabel", &self.edge_labels), ("secedgelabel", &self.secedge_labels)] {
            if let Some(labels) = labels {
                write!(out, "   <{tag}")?;
                write_values(out, tag, labels)?;
            }
        }
        out.write_all(b"  </annotation>\n </head>\n")
    }
}

fn read_values<R: BufRead>(xml: &mut XmlReader<R>) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    loop {
        match xml.next_event()? {
            Event::Start if xml.tag() == "value" => {
                let name = xml.required("name")?.into();
                values.push(Value { name, text: xml.text_content()? });
            }
            Event::Start => xml.skip_element()?,
            Event::End | Event::Eof => return Ok(values),
            Event::Text => {}
        }
    }
}

/// Completes the start tag of a list of values, and writes the list.
fn write_values(out: &mut (impl Write + ?Sized), tag: &str, values: &[Value]) -> io::Result<()> {
    if values.is_empty() {
        return out.write_all(b"/>\n");
    }
    out.write_all(b">\n")?;
    for value in values {
        out.write_all(b"    <value")?;
        write_attr(out, "name", &value.name)?;
        out.write_all(b">")?;
        write_escaped(out, &value.text)?;
        out.write_all(b"</value>\n")?;
    }
    writeln!(out, "   </{tag}>")
}
