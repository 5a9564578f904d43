//! Enju's XML: `<sentence>` elements, in whatever element they stand, of nested `<cons>` and `<tok>`. Attributes are
//! kept in their order, also those that mean nothing here; blanks between elements are layout.

use super::ReadTrees;
use super::any::{AnyTree, any};
use super::enju::{Attributes, Part, Sentence, SentenceBuilder};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format, write_only};
use super::xml::{Event, XmlReader, write_escaped};
use crate::error::Result;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

/// Enju's XML.
pub const FORMAT: Format = Format(&Definition {
    name: "enju-xml",
    about: "Enju's HPSG parses",
    endings: &["enju"],
    content: Content::Predicates,
    records: RecordLayout::Document,
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| {
        write_only("Enju's parses (enju-xml, enju-so)", |tree, _, out| match tree {
            AnyTree::Enju(sentence) => Some(write(sentence, out)),
            _ => None,
        })
    }),
});

/// Reads sentences from Enju's XML. Sentences that were not parsed keep their place, without tokens.
pub struct Reader<R> {
    xml: XmlReader<R>,
}

impl<R: BufRead> Reader<R> {
    /// The sentences of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { xml: XmlReader::new(name, reader) }
    }

    fn attributes(&self) -> Attributes {
        self.xml.attrs().collect()
    }

    /// Reads up to the end of the sentence whose start tag is the current event.
    fn sentence(&mut self) -> Result<Sentence> {
        let mut sentence = SentenceBuilder::new(self.xml.place(), self.attributes());
        let depth = self.xml.depth();
        while self.xml.depth() >= depth {
            match self.xml.next_event()? {
                Event::Text => sentence.loose(self.xml.text()),
                Event::Start => self.element(&mut sentence)?,
                Event::End if self.xml.tag() == "cons" => sentence.close(),
                Event::End | Event::Eof => {}
            }
        }
        sentence.finish()
    }

    fn element(&mut self, sentence: &mut SentenceBuilder) -> Result<()> {
        let (line, attributes) = (self.xml.place().line, self.attributes());
        match self.xml.tag() {
            "cons" => sentence.open(attributes, line),
            "tok" => {
                let form = self.xml.text_content()?.trim().to_string();
                if form.is_empty() {
                    return Err(self.xml.malformed("this <tok> has no word"));
                }
                sentence.tok(form, attributes, line);
            }
            "sentence" => return Err(self.xml.malformed("a <sentence> within a <sentence>")),
            _ => {}
        }
        Ok(())
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Sentence;

    fn next_tree(&mut self) -> Result<Option<Sentence>> {
        match self.xml.next_record("sentence", &["cons", "tok"], None, "Enju's XML")? {
            true => self.sentence().map(Some),
            false => Ok(None),
        }
    }
}

/// Writes a sentence as one line of XML, as Enju does. Blanks stand between words only.
pub fn write(sentence: &Sentence, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut writer = SentenceWriter { out, sentence, toks: 0, loose: sentence.loose_words().peekable() };
    writer.sentence()
}

struct SentenceWriter<'a, W, I: Iterator<Item = (usize, &'a str)>> {
    out: W,
    sentence: &'a Sentence,
    toks: usize,
    loose: std::iter::Peekable<I>,
}

impl<'a, W: Write, I: Iterator<Item = (usize, &'a str)>> SentenceWriter<'a, W, I> {
    fn sentence(&mut self) -> io::Result<()> {
        self.start("sentence", self.sentence.attributes())?;
        let mut stack: Vec<Option<Part>> = self.sentence.tops().iter().rev().copied().map(Some).collect();
        while let Some(next) = stack.pop() {
            let Some(part) = next else {
                self.out.write_all(b"</cons>")?;
                continue;
            };
            match part {
                Part::Tok(word) => self.tok(word.ix())?,
                Part::Cons(c) => {
                    let cons = &self.sentence.cons()[c];
                    self.start("cons", cons.attributes())?;
                    stack.push(None);
                    stack.extend(cons.children().iter().rev().copied().map(Some));
                }
            }
        }
        self.loose_words()?;
        self.out.write_all(b"</sentence>\n")
    }

    fn tok(&mut self, word: usize) -> io::Result<()> {
        self.loose_words()?;
        if self.toks > 0 {
            self.out.write_all(b" ")?;
        }
        let tok = &self.sentence.toks()[word];
        self.start("tok", tok.attributes())?;
        write_escaped(&mut self.out, tok.form())?;
        self.toks += 1;
        self.out.write_all(b"</tok>")
    }

    fn loose_words(&mut self) -> io::Result<()> {
        while let Some((_, word)) = self.loose.next_if(|l| l.0 <= self.toks) {
            self.out.write_all(b" ")?;
            write_escaped(&mut self.out, word)?;
        }
        Ok(())
    }

    fn start(&mut self, name: &str, attributes: &Attributes) -> io::Result<()> {
        write!(self.out, "<{name}")?;
        for (name, value) in attributes.iter() {
            write!(self.out, " {name}=\"")?;
            write_escaped(&mut self.out, value)?;
            self.out.write_all(b"\"")?;
        }
        self.out.write_all(b">")
    }
}
