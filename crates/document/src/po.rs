//! Catalogues of gettext: an entry without a translation gets one and is marked as fuzzy, which tells that nobody has looked at it
//! yet. Entries that have one, comments, headers and obsolete entries stay as they are.

use crate::inline::TagKind;
use crate::markup::{Token, kinds, tokens};
use crate::segment::{Document, Segment};
use crate::{Result, malformed};

/// One string of an entry: its key, its value, and which lines it takes.
struct Field<'a> {
    key: &'a str,
    value: String,
    lines: std::ops::Range<usize>,
}

/// Cuts a catalogue.
pub(crate) fn read(text: &str) -> Result<Document> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut document = Document::new(escape, line_end);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut start = 0;
    while start < lines.len() {
        let blank = |line: &&str| line.trim().is_empty();
        let end = lines[start..].iter().position(blank).map_or(lines.len(), |at| start + at + 1);
        entry(text, &lines, start..end, &mut document)?;
        start = end;
    }
    Ok(document)
}

fn entry(text: &str, lines: &[&str], range: std::ops::Range<usize>, document: &mut Document) -> Result<()> {
    let offset = |line: usize| lines[..line].iter().map(|line| line.len()).sum();
    let fields = fields(lines, range.clone()).map_err(|(line, why)| malformed(text, offset(line), why))?;
    let value = |key: &str| fields.iter().find(|field| field.key == key).map(|field| field.value.as_str());
    let source = value("msgid").unwrap_or_default();
    let open: Vec<&Field<'_>> =
        fields.iter().filter(|field| field.key.starts_with("msgstr") && field.value.is_empty()).collect();
    let translated = fields.iter().any(|field| field.key.starts_with("msgstr") && !field.value.is_empty());
    if source.is_empty() || translated || open.is_empty() || !source.contains(char::is_alphabetic) {
        lines[range].iter().for_each(|line| document.fix(line));
        return Ok(());
    }
    let plural = value("msgid_plural").unwrap_or(source);
    let end = if lines[range.start].ends_with("\r\n") { "\r\n" } else { "\n" };
    let flags =
        lines[range.clone()].iter().position(|line| line.starts_with("#,")).map(|at| range.start + at);
    let first = fields.iter().map(|field| field.lines.start).min().unwrap_or(range.start);
    for line in range {
        if line == first && flags.is_none() {
            document.fix("#, fuzzy");
            document.fix(end);
        }
        if Some(line) == flags && !lines[line].contains("fuzzy") {
            let bare = lines[line].trim_end_matches(['\n', '\r']);
            document.fix(&format!("{bare}, fuzzy{}", &lines[line][bare.len()..]));
            continue;
        }
        let Some(field) = open.iter().find(|field| field.lines.contains(&line)) else {
            document.fix(lines[line]);
            continue;
        };
        if line == field.lines.start {
            let own = if matches!(field.key, "msgstr" | "msgstr[0]") { source } else { plural };
            let tail = &lines[line][lines[line].trim_end_matches(['\n', '\r']).len()..];
            document.fix(field.key);
            document.fix(" ");
            strings(own, tail, document);
        }
    }
    Ok(())
}

/// The pairs of a catalogue: entries that somebody translated.
pub(crate) fn pairs(text: &str) -> Result<Vec<[String; 2]>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut pairs, mut start) = (Vec::new(), 0);
    while start < lines.len() {
        let blank = |line: &&str| line.trim().is_empty();
        let end = lines[start..].iter().position(blank).map_or(lines.len(), |at| start + at + 1);
        let offset = |line: usize| lines[..line].iter().map(|line| line.len()).sum();
        let fields = fields(&lines, start..end).map_err(|(line, why)| malformed(text, offset(line), why))?;
        let fuzzy = lines[start..end].iter().any(|line| line.starts_with("#,") && line.contains("fuzzy"));
        let value = |key: &str| fields.iter().find(|field| field.key == key).map(|field| field.value.clone());
        start = end;
        let Some(source) = value("msgid").filter(|source| !source.is_empty() && !fuzzy) else { continue };
        let plural = value("msgid_plural").unwrap_or_default();
        let sides =
            [(&source, value("msgstr")), (&source, value("msgstr[0]")), (&plural, value("msgstr[1]"))];
        pairs.extend(sides.into_iter().filter_map(|(source, target)| Some([source.clone(), target?])));
    }
    Ok(pairs)
}

/// The strings of an entry.
fn fields<'a>(
    lines: &[&'a str],
    range: std::ops::Range<usize>,
) -> std::result::Result<Vec<Field<'a>>, (usize, &'static str)> {
    let mut fields: Vec<Field<'a>> = Vec::new();
    for number in range {
        let line = lines[number].trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = line.find('"').ok_or((number, "expected a string in quotes"))?;
        let value = string(&line[at..]).ok_or((number, "a string without its last quote"))?;
        match line[..at].trim() {
            "" => {
                let last = fields.last_mut().ok_or((number, "a string that belongs to nothing"))?;
                last.value.push_str(&value);
                last.lines.end = number + 1;
            }
            key => fields.push(Field { key, value, lines: number..number + 1 }),
        }
    }
    Ok(fields)
}

/// The characters of a string in quotes.
fn string(quoted: &str) -> Option<String> {
    let inside = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                other => out.push(other),
            },
            '"' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

/// Adds the lines of a string as segments: one line in one string, several each in their own.
fn strings(text: &str, end: &str, document: &mut Document) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.len() > 1 {
        document.fix("\"\"");
        document.fix(end);
    }
    for line in lines {
        let body = line.trim();
        let start = line.len() - line.trim_start().len();
        let mut segment = Segment::default();
        let parts = tokens(body);
        let tags: Vec<&str> = parts
            .iter()
            .filter_map(|token| match token {
                Token::Tag(tag) => Some(*tag),
                Token::Text(_) => None,
            })
            .collect();
        let mut kinds = kinds(&tags).into_iter();
        for part in parts {
            match part {
                Token::Tag(tag) => segment.push_tag(&escape(tag), kinds.next().unwrap_or(TagKind::Alone)),
                Token::Text(text) => segment.push_text(text),
            }
        }
        document.fix("\"");
        if segment.is_blank() {
            document.fix(&escape(line));
        } else {
            document.fix(&escape(&line[..start]));
            document.segment(segment, 1, None);
            document.fix(&escape(&line[start + body.len()..]));
        }
        document.fix("\"");
        document.fix(end);
    }
}

/// A text as it stands in quotes.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('\t', "\\t")
        .replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n#: a.c:1\nmsgid \"Ein <b>Haus</b>\"\nmsgstr \"\"\n\n#, c-format\nmsgid \"%d Hund\"\nmsgid_plural \"%d Hunde\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\nmsgid \"fertig\"\nmsgstr \"done\"\n\nmsgid \"\"\n\"Zwei\\n\"\n\"Zeilen \\\"hier\\\"\"\nmsgstr \"\"\n\n#~ msgid \"alt\"\n#~ msgstr \"\"\n";

    #[test]
    fn only_entries_without_a_translation_get_one() {
        let document = read(TEXT).unwrap();
        let texts: Vec<&str> = document.segments().iter().map(Segment::text).collect();
        assert_eq!(texts, ["Ein Haus", "%d Hund", "%d Hunde", "Zwei", "Zeilen \"hier\""]);
        let written = document.write(&[]);
        assert!(
            written.contains("#: a.c:1\n#, fuzzy\nmsgid \"Ein <b>Haus</b>\"\nmsgstr \"Ein <b>Haus</b>\"\n"),
            "{written}"
        );
        assert!(written.contains("#, c-format, fuzzy\n"), "{written}");
        assert!(written.contains("msgstr[0] \"%d Hund\"\nmsgstr[1] \"%d Hunde\"\n"), "{written}");
        assert!(written.contains("msgstr \"\"\n\"Zwei\\n\"\n\"Zeilen \\\"hier\\\"\"\n"), "{written}");
        assert!(
            written.ends_with("\n#~ msgid \"alt\"\n#~ msgstr \"\"\n") && written.contains("msgstr \"done\"")
        );
    }

    #[test]
    fn a_broken_string_is_named_by_its_line() {
        let error = read("msgid \"a\"\nmsgstr \"b\n").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("last quote"), "{error}");
    }
}
