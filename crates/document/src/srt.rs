//! Subtitles: a number, a line with times, lines of text, an empty line. The text of a subtitle is a segment, set on as many lines as
//! before; a line that begins with a dash is a speaker's own. Tags (`<i>`, `{\an8}`) stay.

use crate::inline::TagKind;
use crate::markup::{Token, kinds, tokens};
use crate::segment::{Document, Segment};

/// Cuts subtitles.
pub(crate) fn read(text: &str) -> Document {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut document = Document::new(str::to_string, line_end);
    let lines = text.split_inclusive('\n');
    let mut in_text = false;
    let mut gathered: Vec<&str> = Vec::new();
    for line in lines {
        let bare = line.trim_end_matches(['\n', '\r']);
        let is_dash = bare.trim_start().starts_with(['-', '\u{2013}']);
        if !in_text || bare.trim().is_empty() || is_dash {
            finish(&mut gathered, &mut document);
        }
        if bare.contains("-->") {
            in_text = true;
            document.fix(line);
        } else if !in_text || bare.trim().is_empty() {
            in_text &= !bare.trim().is_empty();
            document.fix(line);
        } else {
            gathered.push(line);
        }
    }
    finish(&mut gathered, &mut document);
    document
}

/// Makes a segment of lines.
fn finish(gathered: &mut Vec<&str>, document: &mut Document) {
    let lines = std::mem::take(gathered);
    let Some(last) = lines.last() else { return };
    let text = lines.concat();
    let end = &last[last.trim_end_matches(['\n', '\r']).len()..];
    let body = &text[..text.len() - end.len()];
    let start = body.len() - body.trim_start_matches(['-', '\u{2013}', ' ']).len();
    let mut segment = Segment::default();
    let parts = cut(&body[start..]);
    let tags: Vec<&str> = parts.iter().filter(|(tag, _)| *tag).map(|(_, part)| *part).collect();
    let mut kinds = kinds(&tags).into_iter();
    for (is_tag, part) in parts {
        match is_tag {
            true => segment.push_tag(part, kinds.next().unwrap_or(TagKind::Alone)),
            false => segment.push_text(part),
        }
    }
    if segment.is_blank() {
        document.fix(&text);
        return;
    }
    document.fix(&body[..start]);
    document.segment(segment, lines.len(), Some(&body[start..]));
    document.fix(end);
}

/// Cuts a text at tags and at settings in braces; whether each part is one.
fn cut(text: &str) -> Vec<(bool, &str)> {
    let mut parts = Vec::new();
    for token in tokens(text) {
        let mut rest = match token {
            Token::Tag(tag) => {
                parts.push((true, tag));
                continue;
            }
            Token::Text(text) => text,
        };
        while let Some((start, end)) =
            rest.find("{\\").and_then(|at| Some((at, at + rest[at..].find('}')? + 1)))
        {
            parts.push((false, &rest[..start]));
            parts.push((true, &rest[start..end]));
            rest = &rest[end..];
        }
        parts.push((false, rest));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "1\n00:00:01,000 --> 00:00:02,500\n<i>Das ist ein\nHaus.</i>\n\n2\n00:00:03,000 --> 00:00:04,000 X1:1\n- {\\an8}Ja?\n- Nein.\n\n3\n00:00:05,000 --> 00:00:06,000\n12\n";

    #[test]
    fn a_subtitle_is_a_segment_and_each_speaker_has_his_own() {
        let document = read(TEXT);
        let texts: Vec<&str> = document.segments().iter().map(Segment::text).collect();
        assert_eq!(texts, ["Das ist ein Haus.", "Ja?", "Nein."]);
    }

    #[test]
    fn all_but_the_text_stays() {
        assert_eq!(read(TEXT).write(&[]), TEXT);
        let windows = TEXT.replace('\n', "\r\n");
        assert_eq!(read(&windows).write(&[]), windows);
    }
}
