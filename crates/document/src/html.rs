//! HTML: a segment is what stands between the tags of blocks, with the tags of inline elements inside. Scripts, code, comments,
//! attributes, and elements with `translate="no"` stay as they are.

use crate::markup::{Token, closes, escape, kinds, name, tokens, unescape};
use crate::segment::{Document, Segment};

/// Elements that stand inside of sentences.
const INLINE: [&str; 32] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time",
    "tt", "u", "var", "wbr",
];

/// Elements whose content is not for readers, or is no prose.
const RAW: [&str; 11] =
    ["script", "style", "textarea", "code", "pre", "svg", "math", "kbd", "samp", "var", "template"];

/// Elements that have text and no other elements in them.
const PLAIN: [&str; 2] = ["title", "option"];

/// So many pieces of text and markup are one segment at most.
const LONGEST: usize = 2000;

/// A piece of a segment in the making: text, or markup that stands inside of it.
enum Inside<'a> {
    Text(&'a str),
    Markup(&'a str),
}

/// Cuts a page.
pub(crate) fn read(page: &str) -> Document {
    let mut document = Document::new(escape, "\n");
    let tokens = tokens(page);
    let mut inside: Vec<Inside<'_>> = Vec::new();
    let (mut at, mut plain) = (0, false);
    while at < tokens.len() {
        if inside.len() > LONGEST {
            finish(&mut inside, plain, &mut document);
        }
        match tokens[at] {
            Token::Text(text) => inside.push(Inside::Text(text)),
            Token::Tag(tag) => {
                let end = raw_end(&tokens, at);
                let markup = slice(page, tokens[at], tokens[end]);
                if is_inline(tag) {
                    inside.push(Inside::Markup(markup));
                } else {
                    finish(&mut inside, plain, &mut document);
                    plain = !closes(tag) && PLAIN.contains(&name(tag).as_str());
                    document.fix(markup);
                }
                at = end;
            }
        }
        at += 1;
    }
    finish(&mut inside, plain, &mut document);
    document
}

fn is_inline(tag: &str) -> bool {
    tag.starts_with("<!--") || INLINE.contains(&name(tag).as_str())
}

/// The token that ends what stays as it is from a tag on: the tag itself, or the end of its element.
fn raw_end(tokens: &[Token<'_>], at: usize) -> usize {
    let Token::Tag(tag) = tokens[at] else { return at };
    let own = name(tag);
    let untranslated = tag.contains("translate=\"no\"") || tag.contains("translate=no");
    if closes(tag) || tag.ends_with("/>") || !(RAW.contains(&own.as_str()) || untranslated) {
        return at;
    }
    let mut depth = 0usize;
    for (number, token) in tokens.iter().enumerate().skip(at) {
        let Token::Tag(tag) = token else { continue };
        if name(tag) == own && !tag.ends_with("/>") {
            depth = if closes(tag) { depth - 1 } else { depth + 1 };
        }
        if depth == 0 {
            return number;
        }
    }
    // Nothing closes it: an untranslated element that has no end is its tag alone, a script is all that follows.
    if RAW.contains(&own.as_str()) { tokens.len() - 1 } else { at }
}

/// The text from one token to another.
fn slice<'a>(page: &'a str, first: Token<'a>, last: Token<'a>) -> &'a str {
    let (Token::Tag(first) | Token::Text(first), Token::Tag(last) | Token::Text(last)) = (first, last);
    let offset = |part: &str| part.as_ptr() as usize - page.as_ptr() as usize;
    &page[offset(first)..offset(last) + last.len()]
}

/// Makes a segment of what was gathered. Markup at its ends stays outside of it, and so do blanks.
fn finish(inside: &mut Vec<Inside<'_>>, plain: bool, document: &mut Document) {
    let pieces = std::mem::take(inside);
    let has_letters =
        |piece: &Inside<'_>| matches!(piece, Inside::Text(text) if text.contains(char::is_alphabetic));
    let has_signs = |piece: &Inside<'_>| matches!(piece, Inside::Text(text) if !text.trim_ascii().is_empty());
    let ends = (pieces.iter().position(has_signs), pieces.iter().rposition(has_signs));
    let (true, (Some(first), Some(last))) = (pieces.iter().any(has_letters), ends) else {
        pieces.iter().for_each(|(Inside::Text(text) | Inside::Markup(text))| document.fix(text));
        return;
    };
    let (first, last) = balanced(&pieces, first, last);
    pieces[..first].iter().for_each(|(Inside::Text(text) | Inside::Markup(text))| document.fix(text));
    let tags: Vec<&str> = pieces[first..=last]
        .iter()
        .filter_map(|piece| match piece {
            Inside::Markup(markup) => Some(*markup),
            Inside::Text(_) => None,
        })
        .collect();
    let mut kinds = kinds(&tags).into_iter();
    let mut segment = Segment::new(plain);
    let mut ends = ("", "");
    for (number, piece) in pieces[first..=last].iter().enumerate() {
        match piece {
            Inside::Text(text) => {
                if number == 0 {
                    ends.0 = &text[..text.len() - text.trim_ascii_start().len()];
                }
                if number == last - first {
                    ends.1 = &text[text.trim_ascii_end().len()..];
                }
                segment.push_text(&unescape(text));
            }
            Inside::Markup(markup) => {
                let kind = kinds.next().unwrap_or(crate::inline::TagKind::Alone);
                segment.push_tag(markup, kind);
            }
        }
    }
    document.fix(ends.0);
    let raw: String =
        pieces[first..=last].iter().map(|(Inside::Text(text) | Inside::Markup(text))| *text).collect();
    document.segment(segment, 1, Some(&raw[ends.0.len()..raw.len() - ends.1.len()]));
    document.fix(ends.1);
    pieces[last + 1..].iter().for_each(|(Inside::Text(text) | Inside::Markup(text))| document.fix(text));
}

/// The first and the last piece of a segment, with the markup before and after it that belongs to markup inside.
fn balanced(pieces: &[Inside<'_>], mut first: usize, mut last: usize) -> (usize, usize) {
    use crate::inline::TagKind::{Close, Open};
    let tags: Vec<(usize, &str)> = pieces
        .iter()
        .enumerate()
        .filter_map(|(number, piece)| match piece {
            Inside::Markup(markup) => Some((number, *markup)),
            Inside::Text(_) => None,
        })
        .collect();
    let kinds = kinds(&tags.iter().map(|(_, tag)| *tag).collect::<Vec<_>>());
    let (mut pairs, mut open) = (Vec::new(), Vec::new());
    for (&(number, _), kind) in tags.iter().zip(kinds) {
        match kind {
            Open => open.push(number),
            Close => pairs.extend(open.pop().map(|start| (start, number))),
            crate::inline::TagKind::Alone => {}
        }
    }
    // A pair of which one tag lies inside takes the other in.
    loop {
        let before = (first, last);
        for &(open, close) in &pairs {
            let (opens_inside, closes_inside) =
                ((first..=last).contains(&open), (first..=last).contains(&close));
            if opens_inside != closes_inside {
                first = first.min(open);
                last = last.max(close);
            }
        }
        if (first, last) == before {
            return before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(page: &str) -> Vec<String> {
        read(page).segments().iter().map(|segment| segment.marked().replace(crate::PLACE, "|")).collect()
    }

    #[test]
    fn inline_tags_stay_in_their_sentence_and_blocks_part_sentences() {
        let page = "<!doctype html><p class=\"a>b\"> Das <b>Haus</b>.<!-- <i>nichts</i> --></p><script>if (a<b) x()</script>\n<li>5 < 6 &amp; mehr";
        assert_eq!(texts(page), ["Das |Haus|.", "5 < 6 & mehr"]);
        assert_eq!(
            texts("<p><b>Ein <i>Wort</i></b></p><td translate=\"no\">nicht <b>dies</b></td>"),
            ["Ein |Wort|"]
        );
        assert_eq!(
            texts("<p>Der <code>Satz <b>x</b></code> bleibt.</p><p>12 <b>!</b></p>"),
            ["Der |bleibt."]
        );
    }

    #[test]
    fn sentences_that_are_rated_have_colours_where_elements_may_stand() {
        use crate::{Linked, Rated};
        let document = read("<title>Ja.</title><p>Das <b>Haus</b>. Ja &amp; nein.</p>");
        let title = Linked {
            text: "Yes.".to_string(),
            rated: vec![Rated { range: 0..4, confidence: 0.5 }],
            ..Linked::default()
        };
        let text = "The house. <Yes>.";
        let rated = |range, confidence| Rated { range, confidence };
        let linked = Linked {
            text: text.to_string(),
            words: vec![0..3, 4..9, 9..10, 11..16, 16..17],
            links: (0..5).map(|at| (at, at)).collect(),
            places: vec![1, 2],
            rated: vec![rated(0..10, 0.2), rated(11..17, 0.9)],
        };
        let written = document.write(&[title, linked]);
        assert_eq!(
            bracketed(&written),
            "<title>Yes.</title><p>[0.20 The ]<b>[0.20 house]</b>[0.20 .] [0.90 &lt;Yes&gt;.]</p>"
        );
    }

    /// A page with its coloured elements in brackets.
    fn bracketed(page: &str) -> String {
        let mut out = String::new();
        for part in page.split("<span class=\"confidence\" data-confidence=\"") {
            match part.split_once("\">") {
                Some((tag, rest)) if tag.contains("style=\"background:hsl(") => {
                    out.push_str(&format!("[{} {}", &tag[..4], rest.replace("</span>", "]")));
                }
                _ => out.push_str(part),
            }
        }
        out
    }

    #[test]
    fn a_page_without_translations_is_written_as_it_was() {
        for page in [
            "<!doctype html>\n<html><head><title>Ein Titel</title><style>p > a { x }</style></head>\n<body class='x'>\n<p>Das <a href=\"y?a=1&b=2\">alte <b>Haus</b></a> schl&auml;ft.</p>\n",
            "Text <b>ohne Ende <i>hier</b> und</i> da<br>neue Zeile <img src=x> Ende",
        ] {
            assert_eq!(read(page).write(&[]), page);
        }
    }
}
