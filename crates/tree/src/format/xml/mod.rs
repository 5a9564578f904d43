//! XML for the formats that are made of it: a cursor over tags and text that knows the line of each, and escaping.
//!
//! The reader never recurses, keeps one event at a time, and says where an element was opened when the file ends
//! inside it. UTF-8 and, when the prolog declares it, ISO-8859-1 are read.

mod escape;
mod source;

use self::escape::{entity, unknown_entity};
use self::source::Source;
use crate::error::{Error, Result};
use memchr::memchr_iter;
use quick_xml::events::{BytesStart, Event as Raw};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufRead};
use std::ops::Range;
use std::sync::Arc;
use treeglot_text::Place;

pub(crate) use self::escape::{unescape_into, write_attr, write_attrs, write_element, write_escaped};

/// More attributes than any format has, few enough that comparing all of them costs nothing.
const MAX_ATTRIBUTES: usize = 256;

/// What [`XmlReader::next_event`] stands on. An empty element is a start and an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A start tag: see [`XmlReader::tag`] and [`XmlReader::attr`].
    Start,
    /// An end tag: see [`XmlReader::tag`].
    End,
    /// All the text between two tags, decoded: see [`XmlReader::text`].
    Text,
    /// The end of a complete document.
    Eof,
}

/// A cursor over an XML document. What it stands on is asked for with [`tag`](Self::tag), [`attr`](Self::attr) and
/// [`text`](Self::text), so that an error can be made at any time.
pub(crate) struct XmlReader<R> {
    name: Arc<str>,
    xml: quick_xml::Reader<Source<R>>,
    buffer: Vec<u8>,
    /// The line on which the current event starts.
    line: u64,
    /// A tag that was met while text was gathered, and its line.
    held: Option<(Event, u64)>,
    text: String,
    tag: Tag,
    /// The first element.
    root: Option<String>,
    /// Whether there was a record.
    found: bool,
    /// The names of the open elements in one string; where each starts, and its line.
    open_names: String,
    open: Vec<(usize, u64)>,
}

#[derive(Default)]
struct Tag {
    content: String,
    name: usize,
    attrs: Vec<(Range<usize>, Range<usize>)>,
}

impl<R: BufRead> XmlReader<R> {
    /// A cursor before the start of `reader`, called `name` in messages.
    pub(crate) fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        let mut xml = quick_xml::Reader::from_reader(Source::new(reader));
        let config = xml.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        Self {
            name: name.into(),
            xml,
            buffer: Vec::new(),
            line: 1,
            held: None,
            text: String::new(),
            tag: Tag::default(),
            root: None,
            found: false,
            open_names: String::new(),
            open: Vec::new(),
        }
    }

    /// Where the current event starts.
    pub(crate) fn place(&self) -> Place {
        Place { name: self.name.clone(), line: self.line }
    }

    /// An error at the current event.
    pub(crate) fn malformed(&self, message: impl Into<String>) -> Error {
        treeglot_text::Error::Malformed { place: self.place(), message: message.into() }.into()
    }

    /// The name of the current start or end tag.
    pub(crate) fn tag(&self) -> &str {
        &self.tag.content[..self.tag.name]
    }

    /// The attributes of the current start tag, in the order of the file, decoded.
    pub(crate) fn attrs(&self) -> impl Iterator<Item = (&str, &str)> {
        let get = |range: &Range<usize>| &self.tag.content[range.clone()];
        self.tag.attrs.iter().map(move |(name, value)| (get(name), get(value)))
    }

    /// An attribute of the current start tag.
    pub(crate) fn attr(&self, name: &str) -> Option<&str> {
        self.attrs().find(|a| a.0 == name).map(|a| a.1)
    }

    /// An attribute of the current start tag without which it makes no sense.
    pub(crate) fn required(&self, name: &str) -> Result<&str> {
        self.attr(name).ok_or_else(|| self.malformed(format!("<{}> needs an attribute `{name}`", self.tag())))
    }

    /// The attributes of the current start tag that are not among `known`.
    pub(crate) fn other_attrs(&self, known: &[&str]) -> Vec<(Box<str>, Box<str>)> {
        let others = self.attrs().filter(|(name, _)| !known.contains(name));
        others.map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// The current text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many elements are open; a start tag counts itself, an end tag does not.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Moves to the next tag or text. Comments and processing instructions are passed over.
    pub(crate) fn next_event(&mut self) -> Result<Event> {
        if let Some((event, line)) = self.held.take() {
            return self.enter(event, line);
        }
        self.text.clear();
        let mut text_line = None;
        loop {
            let line = self.xml.get_ref().line;
            let event = match self.read_raw(line)? {
                Some(event) => event,
                None => continue,
            };
            if self.open.is_empty() {
                self.check_blank(line)?;
            }
            if event == Event::Text {
                text_line.get_or_insert(line);
            } else if let Some(text_line) = text_line.filter(|_| !self.text.is_empty()) {
                self.held = Some((event, line));
                self.line = text_line;
                return Ok(Event::Text);
            } else {
                return self.enter(event, line);
            }
        }
    }

    /// Drops text outside the document's element, where only blanks may be.
    fn check_blank(&mut self, line: u64) -> Result<()> {
        if !self.text.chars().all(char::is_whitespace) {
            self.line = line;
            return Err(
                self.malformed("text outside of any element; this is not an XML file, or not from its start")
            );
        }
        self.text.clear();
        Ok(())
    }

    /// Moves to the next start tag of a record, an element `<wanted>`; false at the end. A document without any is refused,
    /// as it is of another kind than `format`, unless it has no element at all or its first is the empty `around`; so is an element
    /// of `inside` that is in no record.
    pub(crate) fn next_record(
        &mut self,
        wanted: &str,
        inside: &[&str],
        around: Option<&str>,
        format: &str,
    ) -> Result<bool> {
        loop {
            match self.next_event()? {
                Event::Start if self.tag() == wanted => {
                    self.found = true;
                    return Ok(true);
                }
                Event::Start if inside.contains(&self.tag()) => {
                    return Err(self.malformed(format!("<{}> outside of any <{wanted}>", self.tag())));
                }
                Event::Start | Event::End | Event::Text => {}
                Event::Eof => break,
            }
        }
        match self.root.as_deref() {
            Some(root) if !self.found && Some(root) != around => Err(self.malformed(format!(
                "this is not {format}: it has no <{wanted}>, and its first element is <{root}>"
            ))),
            _ => Ok(false),
        }
    }

    /// Moves to the end tag of the element whose start tag is the current event.
    pub(crate) fn skip_element(&mut self) -> Result<()> {
        let above = self.depth() - 1;
        while self.depth() > above {
            self.next_event()?;
        }
        Ok(())
    }

    /// Moves to the end tag of the current element, which may hold text but no element, and returns its text.
    pub(crate) fn text_content(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            match self.next_event()? {
                Event::Text => text.push_str(self.text()),
                Event::Start => {
                    return Err(self.malformed(format!("<{}> stands where only text may be", self.tag())));
                }
                Event::End | Event::Eof => return Ok(text),
            }
        }
    }

    /// Moves to the end tag of the current element, whose children hold only text, and returns their names and texts.
    pub(crate) fn text_children(&mut self) -> Result<Vec<(String, String)>> {
        let mut children = Vec::new();
        loop {
            match self.next_event()? {
                Event::Start => {
                    let name = self.tag().to_string();
                    children.push((name, self.text_content()?));
                }
                Event::End | Event::Eof => return Ok(children),
                Event::Text => {}
            }
        }
    }

    /// Reads one piece of the file into `text` or `tag`; `None` when it is nothing that counts.
    fn read_raw(&mut self, line: u64) -> Result<Option<Event>> {
        self.buffer.clear();
        let raw = match self.xml.read_event_into(&mut self.buffer) {
            Ok(raw) => raw,
            Err(error) => return Err(self.broken(error, line)),
        };
        let fault = match raw {
            Raw::Text(text) => {
                self.text.push_str(&text.xml10_content());
                return Ok(Some(Event::Text));
            }
            Raw::CData(text) => {
                self.text.push_str(&text.xml10_content());
                return Ok(Some(Event::Text));
            }
            Raw::GeneralRef(reference) => match entity(&reference) {
                Some(c) => {
                    self.text.push(c);
                    return Ok(Some(Event::Text));
                }
                None => unknown_entity(&reference),
            },
            Raw::Start(start) | Raw::Empty(start) => match self.tag.fill(&start) {
                Ok(()) => return Ok(Some(Event::Start)),
                Err(fault) => fault,
            },
            Raw::End(end) => {
                self.tag.set_name(end.name().as_ref());
                return Ok(Some(Event::End));
            }
            Raw::Eof => return Ok(Some(Event::Eof)),
            Raw::Comment(_) | Raw::PI(_) | Raw::DocType(_) => return Ok(None),
            Raw::Decl(decl) => match decl.encoding().and_then(std::result::Result::ok) {
                None => return Ok(None),
                Some(encoding) => match encoding.to_ascii_lowercase().as_str() {
                    "utf-8" | "utf8" | "us-ascii" | "ascii" => return Ok(None),
                    "iso-8859-1" | "latin1" | "latin-1" => {
                        self.xml.get_mut().latin1 = true;
                        return Ok(None);
                    }
                    other => format!("the encoding {other} is not read; convert the file to UTF-8"),
                },
            },
        };
        self.line = line;
        Err(self.malformed(fault))
    }

    /// Makes a tag that was read the current event, and checks that elements nest.
    fn enter(&mut self, event: Event, line: u64) -> Result<Event> {
        self.line = line;
        match event {
            Event::Start => {
                if self.root.is_none() {
                    self.root = Some(self.tag().to_string());
                }
                self.open.push((self.open_names.len(), line));
                self.open_names.push_str(&self.tag.content[..self.tag.name]);
            }
            Event::End => {
                let Some((start, opened)) = self.open.pop() else {
                    return Err(self.malformed(format!("</{}> closes nothing", self.tag())));
                };
                let expected = &self.open_names[start..];
                if expected != self.tag() {
                    let message = format!("</{}> where </{expected}> is due (line {opened})", self.tag());
                    return Err(self.malformed(message));
                }
                self.open_names.truncate(start);
            }
            Event::Eof => {
                if let Some(&(start, opened)) = self.open.last() {
                    let name = &self.open_names[start..];
                    return Err(
                        self.malformed(format!("the file ends inside <{name}>, opened on line {opened}"))
                    );
                }
            }
            Event::Text => {}
        }
        Ok(event)
    }

    fn broken(&mut self, error: quick_xml::Error, line: u64) -> Error {
        self.line = line;
        match error {
            quick_xml::Error::Io(source) => {
                let source = io::Error::new(source.kind(), source.to_string());
                treeglot_text::Error::Read { place: self.place(), source }.into()
            }
            quick_xml::Error::Encoding(quick_xml::encoding::EncodingError::Utf8(e)) => {
                let before = self.buffer.get(..e.valid_up_to()).unwrap_or_default();
                self.line += memchr_iter(b'\n', before).count() as u64;
                self.malformed("not valid UTF-8; declare the file's encoding or convert it to UTF-8")
            }
            other => self.malformed(format!("not well-formed XML: {other}")),
        }
    }
}

impl Tag {
    fn set_name(&mut self, name: &str) {
        self.content.clear();
        self.attrs.clear();
        self.content.push_str(name);
        self.name = name.len();
    }

    /// Takes over a start tag, or tells what is wrong with it.
    fn fill(&mut self, start: &BytesStart) -> std::result::Result<(), String> {
        self.set_name(start.name().as_ref());
        for attribute in start.attributes() {
            let fault = |e: &dyn Display| format!("<{}>: {e}", start.name().as_ref());
            let attribute = attribute.map_err(|e| fault(&e))?;
            if self.attrs.len() == MAX_ATTRIBUTES {
                return Err(fault(&format!("more than {MAX_ATTRIBUTES} attributes")));
            }
            let at = self.content.len();
            self.content.push_str(attribute.key.as_ref());
            let name = at..self.content.len();
            unescape_into(&normalised(&attribute.value), &mut self.content).map_err(|e| fault(&e))?;
            self.attrs.push((name.clone(), name.end..self.content.len()));
        }
        Ok(())
    }
}

/// An attribute's raw value with line ends and tabs turned into spaces, as XML prescribes.
fn normalised(value: &str) -> Cow<'_, str> {
    if !value.contains(['\t', '\n', '\r']) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.replace("\r\n", " ").replace(['\t', '\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &[u8]) -> std::result::Result<Vec<String>, String> {
        let mut xml = XmlReader::new("t.xml", text);
        let mut out = Vec::new();
        loop {
            let event = xml.next_event().map_err(|e| e.to_string())?;
            let line = xml.place().line;
            out.push(match event {
                Event::Start => {
                    let attrs: Vec<String> = xml.attrs().map(|(n, v)| format!(" {n}={v}")).collect();
                    format!("{line}<{}{}>", xml.tag(), attrs.concat())
                }
                Event::End => format!("{line}</{}>", xml.tag()),
                Event::Text => format!("{line}{:?}", xml.text()),
                Event::Eof => return Ok(out),
            });
        }
    }

    #[test]
    fn every_event_has_the_line_it_starts_on() {
        let text = b"<?xml version=\"1.0\"?>\n<a\n x='1'>\n<!-- -->\n<b y=\"&lt;\n&#228;\"/>f&amp;<![CDATA[<]]>\n\n</a>";
        let want = ["2<a x=1>", "3\"\\n\\n\"", "5<b y=< ä>", "6</b>", "6\"f&<\\n\\n\"", "8</a>"];
        assert_eq!(events(text).unwrap(), want);
    }

    #[test]
    fn latin_1_is_read_when_the_prolog_declares_it() {
        let text = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a x=\"\xe4\">\n\xfc</a>";
        assert_eq!(events(text).unwrap(), ["2<a x=ä>", "2\"\\nü\"", "3</a>"]);
        let error = events(b"<a>\n\n\xfc</a>").unwrap_err();
        assert_eq!(error, "t.xml:3: not valid UTF-8; declare the file's encoding or convert it to UTF-8");
        let error = events(b"<?xml version='1.0' encoding='KOI8-R'?><a/>").unwrap_err();
        assert_eq!(error, "t.xml:1: the encoding koi8-r is not read; convert the file to UTF-8");
    }

    #[test]
    fn what_is_not_xml_is_an_error_with_its_line() {
        for (text, want) in [
            ("<a>\n<b>\n</a>", "t.xml:3: </a> where </b> is due (line 2)"),
            ("<a>\n<b/>\n", "t.xml:3: the file ends inside <a>, opened on line 1"),
            (
                "\n(S a)",
                "t.xml:1: text outside of any element; this is not an XML file, or not from its start",
            ),
            ("</a>", "t.xml:1: </a> closes nothing"),
            (
                "<a>\n&nbsp;</a>",
                "t.xml:2: `&nbsp;` is unknown; write the character itself or its number as in `&#228;`",
            ),
            ("<a>\n<b x='&'/></a>", "t.xml:2: <b>: a lone `&`; write `&amp;`"),
        ] {
            assert_eq!(events(text.as_bytes()).unwrap_err(), want);
        }
        for text in ["<a x=1/>", "<a x='1' x='2'/>", "<a", "<a><!-- ", "<a>&</a>"] {
            let error = events(text.as_bytes()).unwrap_err();
            assert!(error.starts_with("t.xml:1: "), "{text}: {error}");
        }
    }

    #[test]
    fn nesting_has_no_bound() {
        let text = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
        assert_eq!(events(text.as_bytes()).unwrap().len(), 200_000);
    }

    #[test]
    fn escaped_text_reads_back() {
        let odd = "a<b>&\"'\t\r\n c\u{1f600}";
        let mut text = b"<a x=\"".to_vec();
        write_escaped(&mut text, odd).unwrap();
        text.extend_from_slice(b"\">");
        write_escaped(&mut text, odd).unwrap();
        text.extend_from_slice(b"</a>");
        let mut xml = XmlReader::new("t", &text[..]);
        xml.next_event().unwrap();
        assert_eq!(xml.attr("x"), Some(odd));
        assert_eq!(xml.text_content().unwrap(), odd);
        assert_eq!(write_escaped(&mut text, "\u{1}").unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
