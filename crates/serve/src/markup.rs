//! HTML cut into markup, which stays byte for byte as it is, and text, which is translated. A text is what stands between two tags:
//! tags inside a sentence part it.

/// A piece of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Tags, comments, scripts, and blanks at the ends of texts.
    Markup(&'a str),
    /// Text, with its entities.
    Text(&'a str),
}

/// Elements whose content is not for readers, or is no prose.
const RAW: [&str; 7] = ["script", "style", "textarea", "code", "pre", "svg", "math"];

/// Cuts a page.
pub(crate) fn pieces(html: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let start = tag_start(rest).unwrap_or(rest.len());
        let (text, after) = rest.split_at(start);
        push_text(text, &mut pieces);
        let end = markup_end(after);
        let (markup, after) = after.split_at(end);
        if !markup.is_empty() {
            pieces.push(Piece::Markup(markup));
        }
        rest = after;
    }
    pieces
}

/// Where the next tag, comment or declaration begins. A `<` before anything else is text.
fn tag_start(text: &str) -> Option<usize> {
    let begins = |(at, _): &(usize, &str)| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
    };
    text.match_indices('<').find(begins).map(|(at, _)| at)
}

/// Where the markup that a text begins with ends.
fn markup_end(text: &str) -> usize {
    if let Some(comment) = text.strip_prefix("<!--") {
        return comment.find("-->").map_or(text.len(), |at| at + 7);
    }
    let end = tag_end(text);
    let name =
        text.trim_start_matches('<').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let raw = RAW.iter().find(|raw| raw.eq_ignore_ascii_case(name));
    let Some(raw) = raw.filter(|_| !text[..end].ends_with("/>")) else { return end };
    let close = format!("</{raw}");
    let inside = &text[end..];
    let lower = inside.to_ascii_lowercase();
    lower.find(&close).map_or(text.len(), |at| end + at + tag_end(&inside[at..]))
}

/// Where a tag ends: at the first `>` outside of quotes.
fn tag_end(text: &str) -> usize {
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

fn push_text<'a>(text: &'a str, pieces: &mut Vec<Piece<'a>>) {
    let words = text.trim();
    if words.is_empty() {
        if !text.is_empty() {
            pieces.push(Piece::Markup(text));
        }
        return;
    }
    let start = text.len() - text.trim_start().len();
    let blank = |blank: &'a str, pieces: &mut Vec<Piece<'a>>| {
        if !blank.is_empty() {
            pieces.push(Piece::Markup(blank));
        }
    };
    blank(&text[..start], pieces);
    pieces.push(Piece::Text(words));
    blank(&text[start + words.len()..], pieces);
}

/// The characters that a text of a page stands for; line breaks are blanks there.
pub(crate) fn unescape(text: &str) -> String {
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
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn character(entity: &str) -> Option<char> {
    if let Some(number) = entity.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        };
        return code.and_then(char::from_u32);
    }
    const NAMED: [(&str, char); 22] = [
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
    ];
    NAMED.iter().find(|(name, _)| *name == entity).map(|&(_, c)| c)
}

/// A text as it may stand in a page.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::Piece::{Markup, Text};
    use super::*;

    #[test]
    fn only_what_people_read_is_text() {
        let page = "<!doctype html><p class=\"a>b\"> Das <b>Haus</b>.<!-- <i>nichts</i> --><script>if (a<b) x()</script>5 < 6";
        assert_eq!(
            pieces(page),
            [
                Markup("<!doctype html>"),
                Markup("<p class=\"a>b\">"),
                Markup(" "),
                Text("Das"),
                Markup(" "),
                Markup("<b>"),
                Text("Haus"),
                Markup("</b>"),
                Text("."),
                Markup("<!-- <i>nichts</i> -->"),
                Markup("<script>if (a<b) x()</script>"),
                Text("5 < 6"),
            ]
        );
    }

    #[test]
    fn pieces_are_the_whole_page_however_broken_it_is() {
        for page in [
            "<",
            "<p",
            "a<b c=\"",
            "<!--",
            "<script>",
            "<style></styl",
            "&",
            "</",
            "<svg/>x",
            "ä<Ü>ö</é>",
            " \n ",
        ] {
            let all: String = pieces(page).iter().map(|&(Markup(text) | Text(text))| text).collect();
            assert_eq!(all, page);
        }
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
