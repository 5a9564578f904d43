//! Markdown, as pulldown-cmark reads it: a segment is the inline content of a paragraph, heading, list item or cell of a table, with
//! its emphasis, links, code and HTML as tags. All else stays as it is.

use crate::inline::TagKind;
use crate::segment::{Document, Segment};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A piece of inline content.
enum Inline {
    Text(String),
    Open,
    Close,
    Alone,
}

/// So many pieces of inline content are one segment at most.
const LONGEST: usize = 2000;

/// Cuts a text.
pub(crate) fn read(text: &str) -> Document {
    let mut reading =
        Reading { text, document: Document::new(escape, "\n"), done: 0, run: Vec::new(), skipped: 0 };
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        reading.event(event, range);
    }
    reading.finish();
    let Reading { mut document, done, .. } = reading;
    document.fix(&text[done..]);
    document
}

/// What is read beside CommonMark.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
}

struct Reading<'t> {
    text: &'t str,
    document: Document,
    /// Up to where the document is cut.
    done: usize,
    /// The inline content at hand.
    run: Vec<(Inline, Range<usize>)>,
    /// How many elements whose content is not translated are open.
    skipped: usize,
}

/// Whether an element stands inside of sentences.
fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

fn ends_inline(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Whether the content of an element stays as it is.
fn is_kept(tag: &Tag<'_>) -> bool {
    let automatic = |kind: &LinkType| matches!(kind, LinkType::Autolink | LinkType::Email);
    match tag {
        Tag::CodeBlock(_) | Tag::MetadataBlock(_) | Tag::HtmlBlock | Tag::Image { .. } => true,
        Tag::Link { link_type, .. } => automatic(link_type),
        _ => false,
    }
}

impl Reading<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.run.len() > LONGEST && self.skipped == 0 {
            self.finish();
        }
        match event {
            Event::Start(tag) if self.skipped > 0 || is_kept(&tag) => {
                self.skipped += 1;
                if self.skipped == 1 {
                    if is_inline(&tag) { self.run.push((Inline::Alone, range)) } else { self.finish() }
                }
            }
            Event::End(_) if self.skipped > 0 => self.skipped -= 1,
            _ if self.skipped > 0 => {}
            Event::Start(tag) if is_inline(&tag) => self.run.push((Inline::Open, range)),
            Event::End(tag) if ends_inline(&tag) => self.run.push((Inline::Close, range)),
            Event::Text(text) => self.run.push((Inline::Text(text.to_string()), range)),
            Event::SoftBreak => self.run.push((Inline::Text(" ".to_string()), range)),
            Event::Code(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::TaskListMarker(_) => self.run.push((Inline::Alone, range)),
            Event::Start(_) | Event::End(_) | Event::HardBreak | Event::Html(_) | Event::Rule => {
                self.finish();
            }
        }
    }

    /// Makes a segment of the inline content at hand. Tags before its first and after its last words stay outside.
    fn finish(&mut self) {
        let run = std::mem::take(&mut self.run);
        let has_letters = |(piece, _): &(Inline, Range<usize>)| matches!(piece, Inline::Text(text) if text.contains(char::is_alphabetic));
        let is_text = |(piece, _): &(Inline, Range<usize>)| matches!(piece, Inline::Text(text) if !text.trim().is_empty());
        let (Some(first), Some(last)) = (run.iter().position(is_text), run.iter().rposition(is_text)) else {
            return;
        };
        if !run.iter().any(has_letters) {
            return;
        }
        let kinds = kinds(self.text, &run);
        let (first, last) = whole_pairs(&kinds, first, last);
        let start = run[first].1.start;
        let end = match run[last].0 {
            Inline::Open => run[last].1.start,
            _ => run[last].1.end,
        };
        if start < self.done || end < start {
            return;
        }
        let raw = &self.text[start..end];
        let mut segment = Segment::default();
        let mut at = start;
        for (number, (piece, range)) in run.iter().enumerate().take(last + 1).skip(first) {
            match piece {
                Inline::Text(text) => {
                    segment.push_text(text);
                    at = range.end;
                }
                Inline::Open => {
                    // The markup that opens an element reaches to whatever comes next.
                    let next = run.get(number + 1).map_or(range.end, |(piece, next)| match piece {
                        Inline::Close => range.end,
                        _ => next.start,
                    });
                    segment.push_tag(&self.text[range.start..next.clamp(range.start, end)], kinds[number].0);
                    at = next;
                }
                Inline::Close => {
                    segment.push_tag(&self.text[at.min(range.end)..range.end], kinds[number].0);
                    at = range.end;
                }
                Inline::Alone => {
                    segment.push_tag(&self.text[range.clone()], kinds[number].0);
                    at = range.end;
                }
            }
        }
        self.document.fix(&self.text[self.done..start]);
        let trimmed = raw.trim_end();
        self.document.segment(segment, 1, Some(trimmed));
        self.done = start + trimmed.len();
    }
}

/// What each piece is as a tag, and its partner; text is a tag by itself.
fn kinds(text: &str, run: &[(Inline, Range<usize>)]) -> Vec<(TagKind, usize)> {
    let mut kinds: Vec<(TagKind, usize)> = (0..run.len()).map(|at| (TagKind::Alone, at)).collect();
    let mut open = Vec::new();
    for (at, (piece, _)) in run.iter().enumerate() {
        match piece {
            Inline::Open => open.push(at),
            Inline::Close => {
                if let Some(start) = open.pop() {
                    kinds[start] = (TagKind::Open, at);
                    kinds[at] = (TagKind::Close, start);
                }
            }
            _ => {}
        }
    }
    // Tags of HTML are pairs too.
    let is_html = |(piece, range): &(Inline, Range<usize>)| {
        matches!(piece, Inline::Alone) && text[range.clone()].starts_with('<')
    };
    let html: Vec<usize> = (0..run.len()).filter(|&at| is_html(&run[at])).collect();
    let tags: Vec<&str> = html.iter().map(|&at| &text[run[at].1.clone()]).collect();
    let mut open = Vec::new();
    for (&at, kind) in html.iter().zip(crate::markup::kinds(&tags)) {
        match kind {
            TagKind::Open => open.push(at),
            TagKind::Close => {
                if let Some(start) = open.pop() {
                    kinds[start] = (TagKind::Open, at);
                    kinds[at] = (TagKind::Close, start);
                }
            }
            TagKind::Alone => {}
        }
    }
    kinds
}

/// A range of pieces with the partners of the tags in it.
fn whole_pairs(kinds: &[(TagKind, usize)], first: usize, last: usize) -> (usize, usize) {
    let (mut first, mut last) = (first, last);
    // Pairs right around the words belong to them: `**word**` moves as one.
    while first > 0 && last + 1 < kinds.len() && kinds[first - 1] == (TagKind::Open, last + 1) {
        (first, last) = (first - 1, last + 1);
    }
    loop {
        let partners = || kinds[first..=last].iter().map(|kind| kind.1);
        let (least, most) = (partners().min().unwrap_or(first), partners().max().unwrap_or(last));
        if (least.min(first), most.max(last)) == (first, last) {
            return (first, last);
        }
        (first, last) = (least.min(first), most.max(last));
    }
}

/// A text whose characters are none of Markdown's signs.
fn escape(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let is_word = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric());
    for (at, &c) in chars.iter().enumerate() {
        let sign = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' => true,
            '_' => !(is_word(at.checked_sub(1)) && is_word(Some(at + 1))),
            '#' | '>' | '+' | '-' => at == 0 && chars.get(1).is_none_or(|next| *next == ' ' || *next == c),
            '.' | ')' => {
                at > 0 && chars[..at].iter().all(char::is_ascii_digit) && chars.get(at + 1) == Some(&' ')
            }
            '~' => chars.get(at + 1) == Some(&'~'),
            _ => false,
        };
        if sign {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        read(text).segments().iter().map(|segment| segment.marked().replace(crate::PLACE, "|")).collect()
    }

    #[test]
    fn blocks_part_segments_and_inline_signs_are_tags() {
        let text = "# Ein *Titel*\n\n> Ein Satz\n> mit **fettem `code`** und [Link](http://x.y).\n\n- [ ] Punkt\n- ![Bild](a.png) Wort\n\n```\nnicht dies\n```\n\n| Kopf | 12 |\n|---|---|\n| Zelle <b>a</b> | <http://a.b> |\n";
        assert_eq!(
            texts(text),
            ["Ein |Titel|", "Ein Satz mit |fettem ||und |Link|.", "Punkt", "Wort", "Kopf", "Zelle |a|"]
        );
        assert_eq!(read(text).write(&[]), text);
    }

    #[test]
    fn signs_of_a_translation_mean_themselves() {
        assert_eq!(escape("a * b_c _d_ [x] 1|2"), "a \\* b_c \\_d\\_ \\[x\\] 1\\|2");
        assert_eq!(escape("- x"), "\\- x");
        assert_eq!(escape("1. Mai"), "1\\. Mai");
    }
}
