//! A document as pieces that stay and segments that are translated.

use crate::inline::{Linked, Part, TagKind, place};
use std::ops::Range;

/// Stands in the text of a segment where a tag stands: a character of private use, which translators take out and count words at.
pub const PLACE: char = '\u{f8fe}';

/// How the characters of a translation are written in a document.
pub(crate) type Escape = fn(&str) -> String;

/// An inline tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// What the document has for it.
    pub markup: String,
    pub kind: TagKind,
    /// The offset in the segment's text.
    pub at: usize,
    /// Blanks stand on both sides of it.
    pub spaced: bool,
}

/// Text that is translated as one, with its inline tags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segment {
    text: String,
    pub(crate) tags: Vec<Tag>,
    /// What the document has in its place, where it has something.
    raw: Option<String>,
    /// Its place takes no elements, such as the title of a page.
    plain: bool,
}

impl Segment {
    /// A segment without text yet, whose place takes elements or not.
    pub(crate) fn new(plain: bool) -> Self {
        Self { plain, ..Self::default() }
    }

    /// Its text without tags.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its text with [`PLACE`] where tags stand.
    pub fn marked(&self) -> String {
        let mut marked = String::with_capacity(self.text.len() + 4 * self.tags.len());
        let mut at = 0;
        for tag in &self.tags {
            marked.push_str(&self.text[at..tag.at]);
            marked.push(PLACE);
            at = tag.at;
        }
        marked.push_str(&self.text[at..]);
        marked
    }

    /// How many tags it has.
    pub fn tags(&self) -> usize {
        self.tags.len()
    }

    /// Adds text; blanks and line breaks are one blank.
    pub(crate) fn push_text(&mut self, text: &str) {
        for c in text.chars().filter(|&c| c != PLACE) {
            let blank = c.is_whitespace();
            if !blank {
                self.text.push(c);
            } else if !self.text.ends_with(' ') && !self.text.is_empty() {
                self.text.push(' ');
            } else {
                let end = self.text.len();
                self.tags.iter_mut().rev().take_while(|tag| tag.at == end).for_each(|tag| tag.spaced = true);
            }
        }
    }

    pub(crate) fn push_tag(&mut self, markup: &str, kind: TagKind) {
        self.tags.push(Tag { markup: markup.to_string(), kind, at: self.text.len(), spaced: false });
    }

    /// Whether there is nothing to translate: no letter.
    pub(crate) fn is_blank(&self) -> bool {
        !self.text.contains(char::is_alphabetic)
    }

    /// Takes a blank at the end away.
    fn trim(&mut self) {
        let length = self.text.trim_end_matches(' ').len();
        self.text.truncate(length);
        self.tags.iter_mut().for_each(|tag| tag.at = tag.at.min(length));
    }

    /// Writes a run of a translation; where sentences are rated, in elements with their colours.
    fn run(&self, linked: &Linked, run: Range<usize>, escape: Escape, out: &mut String) {
        let mut at = run.start;
        for rated in linked.rated.iter().filter(|_| !self.plain) {
            let (start, end) = (rated.range.start.max(at), rated.range.end.min(run.end));
            if start < end && !linked.text[start..end].trim().is_empty() {
                out.push_str(&escape(&linked.text[at..start]));
                out.push_str(&rated.element(&escape(&linked.text[start..end])));
                at = end;
            }
        }
        out.push_str(&escape(&linked.text[at..run.end]));
    }

    /// The segment with a translation in its place: words and tags.
    fn translated(&self, linked: &Linked, escape: Escape, out: &mut String) {
        let kinds: Vec<TagKind> = self.tags.iter().map(|tag| tag.kind).collect();
        let (mut blank_due, mut at) = (false, 0);
        for part in place(&kinds, linked) {
            match part {
                Part::Text(text) => {
                    let due = std::mem::take(&mut blank_due) && text.starts_with(char::is_alphanumeric);
                    out.push_str(if due { " " } else { "" });
                    self.run(linked, at..at + text.len(), escape, out);
                    at += text.len();
                }
                Part::Tag(number) => {
                    // What stood by itself, such as code, is not glued to a word.
                    let Tag { markup, kind, spaced, .. } = &self.tags[number];
                    let stands_alone = *kind == TagKind::Alone && *spaced;
                    let due = stands_alone && out.ends_with(char::is_alphanumeric);
                    out.push_str(if due { " " } else { "" });
                    out.push_str(markup);
                    blank_due |= stands_alone;
                }
            }
        }
    }
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Stays as it is.
    Fixed(String),
    /// The translation of a segment, by number, on so many lines.
    Text { segment: usize, lines: usize },
}

/// A document that was cut.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) pieces: Vec<Piece>,
    segments: Vec<Segment>,
    escape: Escape,
    /// What a line ends with, where texts have several.
    line_end: &'static str,
    /// Where the document should name the language it is translated to and does not, in its first piece.
    pub(crate) language_at: Option<usize>,
}

impl Document {
    pub(crate) fn new(escape: Escape, line_end: &'static str) -> Self {
        Self { pieces: Vec::new(), segments: Vec::new(), escape, line_end, language_at: None }
    }

    /// The document as one that says which language it is translated to, where its format wants that and it does not.
    #[must_use]
    pub fn with_target_language(mut self, language: &str) -> Self {
        if let (Some(at), Some(Piece::Fixed(first)), false) =
            (self.language_at.take(), self.pieces.first_mut(), self.segments.is_empty())
        {
            first.insert_str(at, &format!(" trgLang=\"{language}\""));
        }
        self
    }

    /// What is translated.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Adds what stays as it is.
    pub(crate) fn fix(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Fixed(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Fixed(text.to_string())),
        }
    }

    /// Adds a segment, whose translation is set on so many lines; `raw` is what the document has in its place.
    pub(crate) fn segment(&mut self, mut segment: Segment, lines: usize, raw: Option<&str>) {
        segment.trim();
        segment.raw = raw.map(str::to_string);
        self.pieces.push(Piece::Text { segment: self.segments.len(), lines });
        self.segments.push(segment);
    }

    /// The document with translations in the places of its segments. Where there is none for a segment, its own text stands.
    pub fn write(&self, translations: &[Linked]) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Fixed(text) => out.push_str(text),
                Piece::Text { segment, lines } => {
                    let own = &self.segments[*segment];
                    let mut text = String::new();
                    match translations.get(*segment) {
                        Some(linked) => own.translated(linked, self.escape, &mut text),
                        None => match &own.raw {
                            Some(raw) => {
                                out.push_str(raw);
                                continue;
                            }
                            None => own.translated(&Linked::itself(own), self.escape, &mut text),
                        },
                    }
                    out.push_str(&broken(&text, *lines, self.line_end));
                }
            }
        }
        out
    }
}

/// A text on so many lines of about the same length, broken at blanks.
fn broken(text: &str, lines: usize, line_end: &str) -> String {
    let length = text.chars().count();
    let (mut out, mut rest) = (String::new(), text);
    for left in (2..=lines).rev() {
        let wanted = rest.chars().count().min(length) / left;
        let blanks = rest.match_indices(' ').filter(|&(at, _)| !is_within_tag(&rest[..at]));
        let near = |&(at, _): &(usize, &str)| rest[..at].chars().count().abs_diff(wanted);
        let Some((at, _)) = blanks.min_by_key(near) else { break };
        out.push_str(&rest[..at]);
        out.push_str(line_end);
        rest = &rest[at + 1..];
    }
    out + rest
}

fn is_within_tag(before: &str) -> bool {
    before.rfind('<') > before.rfind('>')
}

/// Plain text: each line that is not empty is a segment.
pub(crate) fn lines(text: &str) -> Document {
    let mut document = Document::new(str::to_string, "\n");
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let mut segment = Segment::default();
        segment.push_text(words);
        if segment.is_blank() {
            document.fix(line);
            continue;
        }
        let start = line.len() - line.trim_start().len();
        document.fix(&line[..start]);
        document.segment(segment, 1, Some(words));
        document.fix(&line[start + words.len()..]);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_into_even_parts() {
        assert_eq!(broken("the old man sleeps in the house", 2, "\n"), "the old man sleeps\nin the house");
        assert_eq!(broken("one", 3, "\n"), "one");
        assert_eq!(broken("<i class=x>a</i> b", 2, "\n"), "<i class=x>a</i>\nb");
    }

    #[test]
    fn a_text_without_translations_is_written_as_it_was() {
        let text = "  Das Haus.\n\n12\nEin Hund \n";
        let document = lines(text);
        assert_eq!(document.segments().len(), 2);
        assert_eq!(document.write(&[]), text);
    }
}
