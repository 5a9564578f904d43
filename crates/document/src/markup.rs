//! Tags in a text, as HTML, XML and subtitles have them: found, told apart and never changed.

use crate::inline::TagKind;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A tag, a comment, a declaration.
    Tag(&'a str),
    /// Text, with its entities.
    Text(&'a str),
}

/// Cuts a text at its tags. What follows each other is the whole text.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let start = tag_start(rest).unwrap_or(rest.len());
        if start > 0 {
            tokens.push(Token::Text(&rest[..start]));
        }
        rest = &rest[start..];
        let end = tag_end(rest);
        if end > 0 {
            tokens.push(Token::Tag(&rest[..end]));
        }
        let raw = raw_text(&rest[..end]);
        rest = &rest[end..];
        let inside =
            raw.and_then(|name| find_close(rest, name)).unwrap_or(if raw.is_some() { rest.len() } else { 0 });
        if inside > 0 {
            tokens.push(Token::Text(&rest[..inside]));
            rest = &rest[inside..];
        }
    }
    tokens
}

/// The name of an element in which nothing is a tag but its own end, if a tag opens one.
fn raw_text(tag: &str) -> Option<&'static str> {
    let own = name(tag);
    let opens = !closes(tag) && !tag.ends_with("/>");
    ["script", "style", "textarea"].into_iter().find(|raw| opens && own == *raw)
}

/// Where the end tag of an element begins.
fn find_close(text: &str, name: &str) -> Option<usize> {
    let mut ends = text.match_indices("</").map(|(at, _)| at);
    ends.find(|at| {
        text.as_bytes()[at + 2..]
            .get(..name.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Where the next tag, comment or declaration begins. A `<` before anything else is text.
fn tag_start(text: &str) -> Option<usize> {
    let begins = |(at, _): &(usize, &str)| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
    };
    text.match_indices('<').find(begins).map(|(at, _)| at)
}

/// Where the tag that a text begins with ends: at the first `>` outside of quotes.
pub(crate) fn tag_end(text: &str) -> usize {
    if let Some(comment) = text.strip_prefix("<!--") {
        return comment.find("-->").map_or(text.len(), |at| at + 7);
    }
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The name of a tag, in small letters; empty for comments and declarations.
pub(crate) fn name(tag: &str) -> String {
    let inside = tag.trim_start_matches('<').trim_start_matches('/');
    inside
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != ':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// Whether a tag closes an element.
pub(crate) fn closes(tag: &str) -> bool {
    tag.starts_with("</")
}

/// What each tag of a row is: those that close nothing or that nothing closes stand alone.
pub(crate) fn kinds(tags: &[&str]) -> Vec<TagKind> {
    let mut kinds = vec![TagKind::Alone; tags.len()];
    let mut open: Vec<(usize, String)> = Vec::new();
    for (number, tag) in tags.iter().enumerate() {
        let name = name(tag);
        if name.is_empty() || tag.ends_with("/>") {
            continue;
        }
        if !closes(tag) {
            open.push((number, name));
        } else if let Some(at) = open.iter().rposition(|(_, other)| *other == name) {
            // What was opened in between is left open: those tags stand alone.
            kinds[open[at].0] = TagKind::Open;
            kinds[number] = TagKind::Close;
            open.truncate(at);
        }
    }
    kinds
}

/// The characters that a text with entities stands for.
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest.find(';').filter(|&end| end <= 10).map(|end| &rest[1..end]);
        match entity.and_then(|entity| Some((character(entity)?, entity.len() + 2))) {
            Some((c, length)) => {
                out.push(c);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(entity: &str) -> Option<char> {
    if let Some(number) = entity.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        };
        return code.and_then(char::from_u32);
    }
    const NAMED: [(&str, char); 26] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", '\u{a0}'),
        ("shy", '\u{ad}'),
        ("auml", 'ä'),
        ("ouml", 'ö'),
        ("uuml", 'ü'),
        ("Auml", 'Ä'),
        ("Ouml", 'Ö'),
        ("Uuml", 'Ü'),
        ("szlig", 'ß'),
        ("eacute", 'é'),
        ("egrave", 'è'),
        ("agrave", 'à'),
        ("ccedil", 'ç'),
        ("hellip", '…'),
        ("ndash", '–'),
        ("mdash", '—'),
        ("euro", '€'),
        ("ldquo", '\u{201c}'),
        ("rdquo", '\u{201d}'),
        ("bdquo", '\u{201e}'),
        ("rsquo", '\u{2019}'),
    ];
    NAMED.iter().find(|(name, _)| *name == entity).map(|&(_, c)| c)
}

/// A text as it may stand between tags.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_whole_text_however_broken_it_is() {
        for page in ["<", "<p", "a<b c=\"", "<!--", "</", "<svg/>x", "ä<Ü>ö</é>", " \n ", "5 < 6 <b>"] {
            let all: String =
                tokens(page).iter().map(|&(Token::Tag(text) | Token::Text(text))| text).collect();
            assert_eq!(all, page);
        }
    }

    #[test]
    fn tags_without_a_partner_stand_alone() {
        use TagKind::{Alone, Close, Open};
        assert_eq!(
            kinds(&["<b>", "<br>", "<i>", "</b>", "</i>", "<x/>"]),
            [Open, Alone, Alone, Close, Alone, Alone]
        );
        assert_eq!(kinds(&["<b>", "<b>", "</b>", "</b>"]), [Open, Open, Close, Close]);
    }

    #[test]
    fn entities_are_characters_to_the_translator() {
        assert_eq!(
            unescape("K&uuml;he &amp; &#x41;&#66; &unknown; &#xd800; a&b"),
            "Kühe & AB &unknown; &#xd800; a&b"
        );
        assert_eq!(escape("a < b & c"), "a &lt; b &amp; c");
    }
}
