//! TIGER-XML to sentences: which elements may stand where, and what each contributes.

use super::assemble::{Draft, Edge, Kind, Nonterminal, Secondary, Terminal};
use super::{Corpus, Head, Sentence};
use crate::error::{Error, Result};
use crate::format::ReadTrees;
use crate::format::xml::{Event, XmlReader};
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;
use treeglot_text::Input;

/// Reads the sentences of a TIGER-XML corpus one by one; the corpus' head is there from the start.
pub struct Reader<R = Box<dyn BufRead + Send>> {
    xml: XmlReader<R>,
    corpus: Corpus,
    subcorpus: Vec<Arc<str>>,
    ended: bool,
}

impl Reader {
    /// Opens a corpus; see [`Input::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let input = Input::open(path)?;
        Self::new(input.name, input.reader)
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads the corpus of `reader`, called `name` in messages, up to its first sentence.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Result<Self> {
        let mut reader = Self {
            xml: XmlReader::new(name, reader),
            corpus: Corpus::default(),
            subcorpus: Vec::new(),
            ended: false,
        };
        reader.read_corpus()?;
        Ok(reader)
    }

    /// The corpus' id and declarations.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The line that was reached: the end of the sentence read last.
    pub fn line(&self) -> u64 {
        self.xml.place().line
    }

    fn read_corpus(&mut self) -> Result<()> {
        if self.xml.next_event()? != Event::Start || self.xml.tag() != "corpus" {
            return Err(self.xml.malformed("this is not TIGER-XML, which starts with <corpus>"));
        }
        self.corpus.id = self.xml.attr("id").unwrap_or_default().to_string();
        self.corpus.attrs = self.xml.other_attrs(&["id"]);
        loop {
            match self.xml.next_event()? {
                Event::Start if self.xml.tag() == "head" => {
                    self.corpus.head = Some(Head::read(&mut self.xml)?);
                }
                Event::Start if self.xml.tag() == "body" => return Ok(()),
                Event::Start => return Err(self.unexpected("<head> or <body>")),
                Event::Text => self.refuse_text()?,
                Event::End | Event::Eof => {
                    return Err(self.xml.malformed("the corpus has no <body>"));
                }
            }
        }
    }

    fn enter_subcorpus(&mut self) -> Result<()> {
        let name: Arc<str> = self.xml.required("name")?.into();
        if let Some(file) = self.xml.attr("external") {
            let message = format!("the subcorpus `{name}` is in another file, {file}: read that one");
            return Err(self.xml.malformed(message));
        }
        self.subcorpus.push(name);
        Ok(())
    }

    fn read_sentence(&mut self) -> Result<Sentence> {
        let attrs = self.xml.other_attrs(&["id"]);
        let mut draft = Draft::new(self.xml.required("id")?, &self.subcorpus, attrs, self.xml.place());
        loop {
            match self.xml.next_event()? {
                Event::Start if self.xml.tag() == "graph" => self.read_graph(&mut draft)?,
                Event::Start if matches!(self.xml.tag(), "matches" | "match") => self.xml.skip_element()?,
                Event::Start => return Err(self.unexpected("<graph>")),
                Event::Text => self.refuse_text()?,
                Event::End | Event::Eof => return draft.finish(),
            }
        }
    }

    fn read_graph(&mut self, draft: &mut Draft) -> Result<()> {
        let attrs = self.xml.other_attrs(&["root"]);
        draft.start_graph(self.xml.attr("root"), attrs, self.xml.place().line);
        loop {
            match self.xml.next_event()? {
                Event::Start if self.xml.tag() == "terminals" => self.read_list(draft, "t")?,
                Event::Start if self.xml.tag() == "nonterminals" => self.read_list(draft, "nt")?,
                Event::Start => return Err(self.unexpected("<terminals> or <nonterminals>")),
                Event::Text => self.refuse_text()?,
                Event::End | Event::Eof => return Ok(()),
            }
        }
    }

    /// Reads the terminals or nonterminals of a graph.
    fn read_list(&mut self, draft: &mut Draft, tag: &str) -> Result<()> {
        loop {
            match self.xml.next_event()? {
                Event::Start if self.xml.tag() != tag => return Err(self.unexpected(&format!("<{tag}>"))),
                Event::Start if tag == "t" => self.read_terminal(draft)?,
                Event::Start => self.read_nonterminal(draft)?,
                Event::Text => self.refuse_text()?,
                Event::End | Event::Eof => return Ok(()),
            }
        }
    }

    fn read_terminal(&mut self, draft: &mut Draft) -> Result<()> {
        let xml = &self.xml;
        let mut text = |name: &str| draft.text.push(xml.attr(name).unwrap_or_default());
        let terminal = Terminal {
            id: xml.required("id")?.into(),
            form: text("word"),
            lemma: text("lemma"),
            morph: text("morph"),
            pos: xml.attr("pos").map(|_| text("pos")),
            attrs: xml.other_attrs(&["id", "word", "lemma", "morph", "pos"]),
            graph: draft.graph(),
            line: xml.place().line,
        };
        draft.terminals.push(terminal);
        loop {
            match self.xml.next_event()? {
                Event::Start if self.xml.tag() == "secedge" => {
                    let from = Kind::Terminal(draft.terminals.len() - 1);
                    self.read_secedge(draft, from)?;
                }
                Event::Start => return Err(self.unexpected("<secedge>, which is all a terminal may have")),
                Event::Text => self.refuse_text()?,
                Event::End | Event::Eof => return Ok(()),
            }
        }
    }

    fn read_nonterminal(&mut self, draft: &mut Draft) -> Result<()> {
        let xml = &self.xml;
        let nonterminal = Nonterminal {
            id: xml.required("id")?.into(),
            cat: draft.text.push(xml.attr("cat").unwrap_or_default()),
            attrs: xml.other_attrs(&["id", "cat"]),
            graph: draft.graph(),
            line: xml.place().line,
            children: 0,
        };
        draft.nonterminals.push(nonterminal);
        let ix = draft.nonterminals.len() - 1;
        loop {
            match self.xml.next_event()? {
                Event::Start if self.xml.tag() == "edge" => {
                    let child = draft.text.push(self.xml.required("idref")?);
                    let label = draft.text.push(self.xml.attr("label").unwrap_or_default());
                    draft.edges.push(Edge { parent: ix, child, label, line: self.xml.place().line });
                    draft.nonterminals[ix].children += 1;
                    self.xml.skip_element()?;
                }
                Event::Start if self.xml.tag() == "secedge" => {
                    self.read_secedge(draft, Kind::Nonterminal(ix))?;
                }
                Event::Start => return Err(self.unexpected("<edge> or <secedge>")),
                Event::Text => self.refuse_text()?,
                Event::End | Event::Eof => break,
            }
        }
        if draft.nonterminals[ix].children == 0 {
            let id = &draft.nonterminals[ix].id;
            return Err(self
                .xml
                .malformed(format!("the nonterminal `{id}` has no <edge>: it dominates no word")));
        }
        Ok(())
    }

    fn read_secedge(&mut self, draft: &mut Draft, from: Kind) -> Result<()> {
        let to = draft.text.push(self.xml.required("idref")?);
        let label = self.xml.attr("label").unwrap_or_default().into();
        draft.secondary.push(Secondary { from, to, label, line: self.xml.place().line });
        self.xml.skip_element()
    }

    fn unexpected(&self, expected: &str) -> Error {
        self.xml.malformed(format!("<{}> where TIGER-XML has {expected}", self.xml.tag()))
    }

    fn refuse_text(&self) -> Result<()> {
        match self.xml.text().trim() {
            "" => Ok(()),
            text => {
                let start: String = text.chars().take(20).collect();
                Err(self.xml.malformed(format!("the text `{start}` where TIGER-XML has elements only")))
            }
        }
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Sentence;

    fn next_tree(&mut self) -> Result<Option<Sentence>> {
        while !self.ended {
            match self.xml.next_event()? {
                Event::Start if self.xml.tag() == "s" => return self.read_sentence().map(Some),
                Event::Start if self.xml.tag() == "subcorpus" => self.enter_subcorpus()?,
                Event::Start => return Err(self.unexpected("<s> or <subcorpus>")),
                Event::Text => self.refuse_text()?,
                Event::End if self.xml.tag() == "subcorpus" => {
                    self.subcorpus.pop();
                }
                Event::End => {}
                Event::Eof => self.ended = true,
            }
        }
        Ok(None)
    }
}
