//! Enju's stand-off format: one element a line, `start TAB end TAB tag attributes`, where the positions are bytes of
//! the raw text that was parsed, counted through the whole file. Phrases stand before what they contain.
//!
//! The words themselves are not in the file. They come from the raw text, read alongside; without it, base forms can
//! stand in for them.

use super::ReadTrees;
use super::any::{AnyReader, ReadOptions, any};
use super::enju::{Attributes, Sentence, SentenceBuilder};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use super::xml::unescape_into;
use crate::error::{Error, Result};
use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::sync::Arc;
use treeglot_text::{Input, Lines, Place};

/// Enju's stand-off format.
pub const FORMAT: Format = Format(&Definition {
    name: "enju-so",
    about: "Enju's parses in stand-off form, without their words; read only",
    endings: &["so"],
    content: Content::Predicates,
    records: RecordLayout::Begins(|_, line| {
        line.split('\t').nth(2).is_some_and(|tag| tag.starts_with("sentence"))
    }),
    read,
    writer: None,
});

fn read(input: Input, options: &ReadOptions) -> Result<AnyReader> {
    let Input { name, reader } = input;
    Ok(match &options.text {
        None => any(Reader::with_base_forms(name, reader)),
        Some(path) => {
            let text = Input::open(path)?;
            any(Reader::with_text(name, reader, text.name, text.reader))
        }
    })
}

/// Reads sentences from Enju's stand-off format. Sentences that were not parsed keep their place, without tokens.
pub struct Reader<R, T = io::Empty> {
    lines: Lines<R>,
    /// The sentence line that ended the sentence before.
    next: Option<Element>,
    text: Option<RawText<T>>,
}

impl<R: BufRead> Reader<R> {
    /// The sentences of `reader`, called `name` in messages, with base forms in place of words.
    pub fn with_base_forms(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader), next: None, text: None }
    }
}

impl<R: BufRead, T: BufRead> Reader<R, T> {
    /// The sentences of `reader`, called `name` in messages, with the words of the raw text that was parsed.
    pub fn with_text(name: impl Into<Arc<str>>, reader: R, text_name: impl Into<Arc<str>>, text: T) -> Self {
        let text = RawText { name: text_name.into(), reader: text, start: 0, bytes: Vec::new() };
        Self { lines: Lines::new(name, reader), next: None, text: Some(text) }
    }

    fn next_element(&mut self) -> Result<Option<Element>> {
        let element = loop {
            match self.lines.next_line()? {
                None => return Ok(None),
                Some(line) if line.trim().is_empty() => {}
                Some(line) => break Element::parse(line),
            }
        };
        match element {
            Ok(element) => Ok(Some(Element { line: self.lines.line(), ..element })),
            Err(message) => Err(self.lines.malformed(message).into()),
        }
    }

    /// Adds an element, after closing the phrases it does not lie in.
    fn add(
        &mut self,
        element: Element,
        sentence: &mut SentenceBuilder,
        around: &mut Vec<Range<u64>>,
        done: &mut u64,
    ) -> Result<()> {
        let Element { span, tag, attributes, line } = element;
        while around.len() > 1 && !covers(&around[around.len() - 1], &span) {
            sentence.close();
            around.pop();
        }
        if !covers(&around[0], &span) || span.start < *done {
            let message = format!("the span {}-{} does not nest with those before it", span.start, span.end);
            return Err(self.lines.malformed(message).into());
        }
        if tag == "cons" {
            sentence.open(attributes, line);
            around.push(span);
            return Ok(());
        }
        let form = match &mut self.text {
            None => attributes.get("base").to_string(),
            Some(text) => {
                sentence.loose(&text.get(*done..span.start, &self.lines)?);
                text.get(span.clone(), &self.lines)?
            }
        };
        if form.is_empty() {
            return Err(self.lines.malformed("this tok has neither a base form nor a span of text").into());
        }
        *done = span.end;
        sentence.tok(form, attributes, line);
        Ok(())
    }
}

impl<R: BufRead, T: BufRead> ReadTrees for Reader<R, T> {
    type Tree = Sentence;

    fn next_tree(&mut self) -> Result<Option<Sentence>> {
        let first = match self.next.take() {
            Some(element) => element,
            None => match self.next_element()? {
                None => return Ok(None),
                Some(element) => element,
            },
        };
        if first.tag != "sentence" {
            return Err(self
                .lines
                .malformed(format!("a {} before the line of its sentence", first.tag))
                .into());
        }
        let place = Place::new(self.lines.name().clone(), first.line);
        let mut sentence = SentenceBuilder::new(place, first.attributes);
        let mut done = first.span.start;
        let end = first.span.end;
        let mut around = vec![first.span];
        while let Some(element) = self.next_element()? {
            if element.tag == "sentence" {
                self.next = Some(element);
                break;
            }
            self.add(element, &mut sentence, &mut around, &mut done)?;
        }
        if let Some(text) = &mut self.text {
            sentence.loose(&text.get(done..end, &self.lines)?);
        }
        sentence.finish().map(Some)
    }
}

fn covers(around: &Range<u64>, span: &Range<u64>) -> bool {
    around.start <= span.start && span.end <= around.end
}

/// One line of the format.
#[derive(Debug)]
struct Element {
    span: Range<u64>,
    tag: String,
    attributes: Attributes,
    line: u64,
}

impl Element {
    fn parse(line: &str) -> std::result::Result<Self, String> {
        let mut columns = line.splitn(3, '\t');
        let mut number = || columns.next().and_then(|c| c.parse().ok());
        let (Some(start), Some(end)) = (number(), number()) else {
            return Err(
                "a line must begin with two positions and a tab after each, as in `0\\t4\\ttok id=\"t0\"`"
                    .into(),
            );
        };
        if end < start {
            return Err(format!("the span {start}-{end} ends before it starts"));
        }
        let content = columns.next().unwrap_or_default().trim();
        let (tag, mut rest) = content.split_once(' ').unwrap_or((content, ""));
        if !matches!(tag, "sentence" | "cons" | "tok") {
            return Err(format!("`{tag}` where `sentence`, `cons` or `tok` is due"));
        }
        let mut attributes = Attributes::default();
        while !rest.trim_start().is_empty() {
            let (name, after) =
                rest.trim_start().split_once("=\"").ok_or("attributes look like name=\"value\"")?;
            let (value, after) =
                after.split_once('"').ok_or_else(|| format!("the value of `{name}` has no end"))?;
            let mut plain = String::new();
            unescape_into(value, &mut plain)?;
            attributes.push(name, &plain);
            rest = after;
        }
        Ok(Self { span: start..end, tag: tag.to_string(), attributes, line: 0 })
    }
}

/// The raw text, of which only what lies ahead is kept.
struct RawText<T> {
    name: Arc<str>,
    reader: T,
    /// The position of the first byte kept.
    start: u64,
    bytes: Vec<u8>,
}

impl<T: BufRead> RawText<T> {
    /// The text of a span; spans must come in order.
    fn get(&mut self, span: Range<u64>, lines: &Lines<impl BufRead>) -> Result<String> {
        let fault = |message: String| -> Error { lines.malformed(message).into() };
        if span.start < self.start {
            return Err(fault(format!(
                "position {} lies before what was read of {}; positions must count through the whole text",
                span.start, self.name
            )));
        }
        let missing = span.end.saturating_sub(self.start + self.bytes.len() as u64);
        let read = (&mut self.reader).take(missing).read_to_end(&mut self.bytes);
        if let Err(source) = read {
            let place = Place::new(self.name.clone(), 0);
            return Err(treeglot_text::Error::Read { place, source }.into());
        }
        let used = (span.start - self.start).min(self.bytes.len() as u64) as usize;
        self.bytes.drain(..used);
        self.start += used as u64;
        let length = (span.end - span.start) as usize;
        let bytes = self.bytes.get(..length).filter(|_| self.start == span.start);
        let bytes = bytes.ok_or_else(|| {
            let end = self.start + self.bytes.len() as u64;
            fault(format!("the span ends at {}, but {} has only {end} bytes", span.end, self.name))
        })?;
        let text = std::str::from_utf8(bytes).map(str::to_string);
        text.map_err(|_| {
            fault(format!(
                "the bytes {}-{} of {} are not whole UTF-8 characters; positions must count bytes",
                span.start, span.end, self.name
            ))
        })
    }
}
