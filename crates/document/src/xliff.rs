//! XLIFF 1.2 and 2: a unit without a target gets one. Units that have one, those with `translate="no"` and all else stay as they are.

use crate::inline::TagKind;
use crate::markup::{Token, closes, escape, kinds, name, tokens, unescape};
use crate::segment::{Document, Segment};
use crate::{Result, malformed};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::ops::Range;

/// What is known of a unit while it is read.
#[derive(Default)]
struct Unit {
    /// The element that holds source and target.
    depth: usize,
    untranslated: bool,
    /// The source element, and what is in it.
    source: Option<(Range<usize>, Range<usize>)>,
    /// The target element, and what is in it.
    target: Option<(Range<usize>, Range<usize>)>,
}

/// A target that is to be written: over which bytes, before and after the translation, and what is translated.
struct Edit {
    over: Range<usize>,
    before: String,
    after: String,
    source: Range<usize>,
}

/// Cuts a file.
pub(crate) fn read(text: &str) -> Result<Document> {
    let mut document = Document::new(escape, "\n");
    let (edits, language_at) = edits(text)?;
    document.language_at = language_at;
    let mut at = 0;
    for edit in edits {
        let segment = segment(&text[edit.source.clone()]);
        document.fix(&text[at..edit.over.start]);
        at = edit.over.end;
        if segment.is_blank() {
            document.fix(&text[edit.over]);
            continue;
        }
        document.fix(&edit.before);
        document.segment(segment, 1, None);
        document.fix(&edit.after);
    }
    document.fix(&text[at..]);
    Ok(document)
}

/// What is known of a file while it is read.
#[derive(Default)]
struct Reading {
    edits: Vec<Edit>,
    depth: usize,
    unit: Option<Unit>,
    /// Whether each open element is not to be translated.
    untranslated: Vec<bool>,
    /// How many elements are open whose sources and targets are none of the file's own.
    hidden: usize,
    /// Whether there is an `<xliff>`.
    seen: bool,
    /// Where the target language belongs that a file of version 2 with targets must name, and does not.
    language_at: Option<usize>,
}

fn hides(local: &str) -> bool {
    matches!(local, "alt-trans" | "matches")
}

impl Reading {
    /// The unit whose own elements, or whose children, are at this depth.
    fn unit_above(&mut self, below: usize) -> Option<&mut Unit> {
        let (depth, hidden) = (self.depth, self.hidden);
        self.unit.as_mut().filter(|unit| unit.depth + below == depth && hidden == 0)
    }

    fn start(&mut self, tag: &BytesStart<'_>, at: Range<usize>) {
        self.depth += 1;
        let local = local_name(tag);
        if local == "xliff" && !self.seen {
            self.seen = true;
            let unnamed = attribute_of(tag, "version").is_some_and(|version| version.starts_with('2'))
                && attribute_of(tag, "trgLang").is_none();
            self.language_at = unnamed.then(|| at.end - 1);
        }
        let above = self.untranslated.last().copied().unwrap_or(false);
        self.untranslated.push(has_no_translate(tag) || above);
        self.hidden += usize::from(hides(&local));
        if matches!(local.as_str(), "trans-unit" | "segment") && self.hidden == 0 {
            let untranslated = self.untranslated.last().copied().unwrap_or(false);
            self.unit = Some(Unit { depth: self.depth, untranslated, ..Unit::default() });
        }
        let Some(unit) = self.unit_above(1) else { return };
        let element = Some((at.clone(), at.end..at.end));
        match local.as_str() {
            "source" => unit.source = element,
            "target" => unit.target = element,
            _ => {}
        }
    }

    fn empty(&mut self, tag: &BytesStart<'_>, at: Range<usize>) {
        if let (Some(unit), "target") = (self.unit_above(0), local_name(tag).as_str()) {
            unit.target = Some((at.clone(), at.end..at.end));
        }
    }

    fn end(&mut self, local: &str, at: Range<usize>, text: &str) {
        if let Some(unit) = self.unit_above(1) {
            let field = match local {
                "source" => unit.source.as_mut(),
                "target" => unit.target.as_mut(),
                _ => None,
            };
            if let Some((element, inside)) = field {
                (element.end, inside.end) = (at.end, at.start);
            }
        }
        self.hidden = self.hidden.saturating_sub(usize::from(hides(local)));
        let depth = self.depth;
        if let Some(done) = self.unit.take_if(|unit| unit.depth == depth) {
            self.edits.extend(done.edit(text));
        }
        self.untranslated.pop();
        self.depth = self.depth.saturating_sub(1);
    }
}

/// What is to be written where, and where the target language.
fn edits(text: &str) -> Result<(Vec<Edit>, Option<usize>)> {
    let mut reader = Reader::from_str(text);
    let mut reading = Reading::default();
    loop {
        let start = reader.buffer_position() as usize;
        let event = reader.read_event();
        let at = start..reader.buffer_position() as usize;
        match event.map_err(|error| malformed(text, start, error.to_string()))? {
            Event::Start(tag) => reading.start(&tag, at),
            Event::Empty(tag) => reading.empty(&tag, at),
            Event::End(tag) => reading.end(tag.local_name().as_ref(), at, text),
            Event::Eof => break,
            _ => {}
        }
    }
    if reading.depth > 0 {
        return Err(malformed(text, text.len(), "the file ends within an element"));
    }
    if !reading.seen {
        return Err(malformed(text, 0, "no XLIFF: there is no <xliff> element"));
    }
    reading.edits.sort_by_key(|edit| edit.over.start);
    Ok((reading.edits, reading.language_at))
}

fn local_name(tag: &BytesStart<'_>) -> String {
    tag.local_name().as_ref().to_string()
}

fn attribute_of(tag: &BytesStart<'_>, key: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.as_ref() == key)?;
    Some(found.value.to_string())
}

fn has_no_translate(tag: &BytesStart<'_>) -> bool {
    attribute_of(tag, "translate").is_some_and(|value| value == "no")
}

impl Unit {
    /// What is to be written for it; nothing if it has a target.
    fn edit(self, text: &str) -> Option<Edit> {
        let (source, inside) = self.source.filter(|_| !self.untranslated)?;
        let tag = &text[source.start..inside.start];
        let qualified =
            tag.trim_start_matches('<').split(|c: char| c.is_whitespace() || c == '>' || c == '/').next()?;
        let target = qualified.replace("source", "target");
        match self.target {
            Some((element, inside_target)) => {
                let own = &text[element.clone()];
                if !text[inside_target].trim().is_empty() {
                    return None;
                }
                let open = &own[..crate::markup::tag_end(own)];
                let open =
                    open.strip_suffix("/>").map_or(open.to_string(), |open| format!("{}>", open.trim_end()));
                Some(Edit { over: element, before: open, after: format!("</{target}>"), source: inside })
            }
            None => {
                let before = &text[..source.start];
                let indent = &before[before.trim_end_matches([' ', '\t', '\n', '\r']).len()..];
                let over = source.end..source.end;
                Some(Edit {
                    over,
                    before: format!("{indent}<{target}>"),
                    after: format!("</{target}>"),
                    source: inside,
                })
            }
        }
    }
}

/// The text of a source with its inline elements.
fn segment(inside: &str) -> Segment {
    let tokens = tokens(inside);
    let (mut parts, mut at): (Vec<(Option<String>, &str)>, usize) = (Vec::new(), 0);
    while at < tokens.len() {
        match tokens[at] {
            Token::Text(text) => parts.push((None, text)),
            Token::Tag(tag) => {
                let end = element_end(&tokens, at);
                let offset = |part: &str| part.as_ptr() as usize - inside.as_ptr() as usize;
                let (Token::Tag(last) | Token::Text(last)) = tokens[end];
                let markup = &inside[offset(tag)..offset(last) + last.len()];
                parts.push((Some(role(tag)), markup));
                at = end;
            }
        }
        at += 1;
    }
    let roles: Vec<&str> = parts.iter().filter_map(|(role, _)| role.as_deref()).collect();
    let mut kinds = kinds(&roles).into_iter();
    let mut segment = Segment::default();
    for (role, part) in &parts {
        match role {
            Some(_) => segment.push_tag(part, kinds.next().unwrap_or(TagKind::Alone)),
            None => segment.push_text(&unescape(part)),
        }
    }
    segment
}

/// Whether an element stands around text that is translated.
fn is_around(name: &str) -> bool {
    matches!(name, "g" | "mrk" | "pc")
}

/// The last token of an inline element whose content is not translated.
fn element_end(tokens: &[Token<'_>], at: usize) -> usize {
    let Token::Tag(tag) = tokens[at] else { return at };
    let own = name(tag);
    if closes(tag) || tag.ends_with("/>") || own.is_empty() || is_around(&own) {
        return at;
    }
    let is_close = |token: &Token<'_>| matches!(token, Token::Tag(tag) if closes(tag) && name(tag) == own);
    tokens[at..].iter().position(is_close).map_or(at, |end| at + end)
}

/// What an inline element is, as a tag that opens or closes something: `bpt` and `ept`, `bx` and `ex`, `sc` and `ec` are pairs too.
fn role(tag: &str) -> String {
    let id = |keys: &[&str]| keys.iter().find_map(|key| attribute(tag, key)).unwrap_or_default();
    match name(tag).as_str() {
        "bpt" | "bx" | "sc" => format!("<pair-{}>", id(&["rid", "id"])),
        "ept" | "ex" => format!("</pair-{}>", id(&["rid", "id"])),
        "ec" => format!("</pair-{}>", id(&["startRef", "id"])),
        own if is_around(own) && !tag.ends_with("/>") => tag.to_string(),
        _ => "<alone/>".to_string(),
    }
}

fn attribute(tag: &str, key: &str) -> Option<String> {
    let at = tag.find(&format!(" {key}="))? + key.len() + 2;
    let quote = tag[at..].chars().next().filter(|&c| c == '"' || c == '\'')?;
    let value = &tag[at + 1..];
    let value = &value[..value.find(quote)?];
    Some(value.chars().filter(char::is_ascii_alphanumeric).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="de"><body>
  <trans-unit id="1">
    <source>Das <g id="1">alte <x id="2"/>Haus</g> &amp; <ph id="3">&lt;br/&gt;</ph>ich</source>
  </trans-unit>
  <trans-unit id="2"><source>fertig</source><target>done</target><alt-trans><source>x y</source></alt-trans></trans-unit>
  <trans-unit id="3" translate="no"><source>bleibt</source></trans-unit>
  <trans-unit id="4"><source><bpt id="1">{b}</bpt>leer<ept id="1">{/b}</ept></source><target state="new"/></trans-unit>
</body></file></xliff>
"#;
    const TWO: &str = "<xliff version=\"2.0\" srcLang=\"de\"><file id=\"f\"><unit id=\"u\"><segment><source>Ein <pc id=\"1\">Hund</pc></source></segment><ignorable><source> und </source></ignorable><segment><source>so</source><target></target></segment></unit></file></xliff>";

    #[test]
    fn units_without_a_target_get_one() {
        let document = read(ONE).unwrap();
        let texts: Vec<&str> = document.segments().iter().map(Segment::text).collect();
        assert_eq!(texts, ["Das alte Haus & ich", "leer"]);
        let written = document.write(&[]);
        let expected = ONE
            .replace("ich</source>\n", "ich</source>\n    <target>Das <g id=\"1\">alte <x id=\"2\"/>Haus</g> &amp; <ph id=\"3\">&lt;br/&gt;</ph>ich</target>\n")
            .replace("<target state=\"new\"/>", "<target state=\"new\"><bpt id=\"1\">{b}</bpt>leer<ept id=\"1\">{/b}</ept></target>");
        assert_eq!(written, expected);
        let written = read(TWO).unwrap().write(&[]);
        let expected = TWO
            .replace(
                "</source></segment><ign",
                "</source><target>Ein <pc id=\"1\">Hund</pc></target></segment><ign",
            )
            .replace("<target></target>", "<target>so</target>");
        assert_eq!(written, expected);
    }

    #[test]
    fn a_file_of_version_2_names_the_language_of_its_targets() {
        let named = |text: &str| read(text).unwrap().with_target_language("en").write(&[]);
        assert!(named(TWO).starts_with("<xliff version=\"2.0\" srcLang=\"de\" trgLang=\"en\"><file"));
        assert!(named(ONE).starts_with(&ONE[..100]), "version 1.2 need not");
        let done = "<xliff version=\"2.0\"><file id=\"f\"/></xliff>";
        assert_eq!(named(done), done, "without targets there is nothing to name");
    }

    #[test]
    fn what_is_no_xliff_is_told() {
        assert!(read("<a>").is_err());
        assert!(read("<a/>").unwrap_err().to_string().contains("no <xliff>"));
        assert!(read("<xliff>\n<b></xliff>").unwrap_err().to_string().contains("line 2"));
    }
}
