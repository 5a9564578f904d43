//! Punctuation written in one way: straight quotes, plain hyphens, no space before `:` or inside brackets. Data from
//! several sources then has one token where it had five. The steps are those of Moses' `normalize-punctuation.perl`,
//! except that `’` always becomes an apostrophe: there it becomes a double quote beside letters outside ASCII.

use crate::tokenize::{Language, Script};

const NO_BREAK_SPACE: char = '\u{A0}';

const BRACKETS: &[(&str, &str)] = &[("\r", ""), ("(", " ("), (")", ") ")];

const SPACES: &[(&str, &str)] = &[
    (") .", ")."),
    (") !", ")!"),
    (") :", "):"),
    (") ?", ")?"),
    (") ;", ");"),
    (") ,", "),"),
    ("( ", "("),
    (" )", ")"),
    (" :", ":"),
    (" ;", ";"),
];

const QUOTES: &[(&str, &str)] = &[
    ("`", "'"),
    ("''", " \" "),
    ("„", "\""),
    ("“", "\""),
    ("”", "\""),
    ("–", "-"),
    ("—", " - "),
    ("´", "'"),
    ("‘", "'"),
    ("‚", "'"),
    ("’", "'"),
    ("''", "\""),
    ("…", "..."),
    (" « ", " \""),
    ("« ", "\""),
    ("«", "\""),
    (" » ", "\" "),
    (" »", "\""),
    ("»", "\""),
    ("\u{A0}%", "%"),
    ("nº\u{A0}", "nº "),
    ("\u{A0}:", ":"),
    ("\u{A0}ºC", " ºC"),
    ("\u{A0}cm", " cm"),
    ("\u{A0}?", "?"),
    ("\u{A0}!", "!"),
    ("\u{A0};", ";"),
    (",\u{A0}", ", "),
];

/// Appends `text` with its punctuation normalised for `language`.
pub fn punctuation(text: &str, language: &Language, out: &mut String) {
    let mut text = text.to_string();
    replace_all(&mut text, BRACKETS);
    collapse_spaces(&mut text);
    replace_all(&mut text, SPACES);
    text = between_digits(&text, ' ', |after| after == '%', "");
    replace_all(&mut text, QUOTES);
    collapse_spaces(&mut text);
    if language.script == Script::Spaced {
        order_quotes(&mut text, language);
        let mark = if matches!(language.code, "de" | "es" | "cs" | "fr") { "," } else { "." };
        text = between_digits(&text, NO_BREAK_SPACE, |after| after.is_ascii_digit(), mark);
    }
    out.push_str(&text);
}

fn replace_all(text: &mut String, table: &[(&str, &str)]) {
    for (from, to) in table {
        if text.contains(from) {
            *text = text.replace(from, to);
        }
    }
}

fn collapse_spaces(text: &mut String) {
    if !text.contains("  ") {
        return;
    }
    let mut last = '\0';
    text.retain(|c| {
        let keep = c != ' ' || last != ' ';
        last = c;
        keep
    });
}

/// Writes `to` for each `space` that stands between a digit and a character that `after` accepts.
fn between_digits(text: &str, space: char, after: impl Fn(char) -> bool, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = '\0';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == space && last.is_ascii_digit() && chars.peek().is_some_and(|&c| after(c)) {
            out.push_str(to);
        } else {
            out.push(c);
        }
        last = c;
    }
    out
}

/// English sets commas and periods before the closing quote, Czech as it likes, the others behind it.
fn order_quotes(text: &mut String, language: &Language) {
    if language.code == "cs" || !text.contains('"') {
        return;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    if language.code == "en" {
        while let Some((before, after)) = rest.split_once('"') {
            let end = after.find(|c| c != ',' && c != '.').unwrap_or(after.len());
            out.push_str(before);
            out.push_str(&after[..end]);
            out.push('"');
            rest = &after[end..];
        }
        out.push_str(rest);
    } else {
        while let Some((before, after)) = rest.split_once('"') {
            let body = if after.starts_with('<') { before } else { before.trim_end_matches('.') };
            let body = if body.len() == before.len() { body.strip_suffix(',').unwrap_or(body) } else { body };
            out.push_str(body);
            out.push('"');
            out.push_str(&before[body.len()..]);
            rest = after;
        }
        out.push_str(rest);
    }
    *text = out;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(language: &str, text: &str) -> String {
        let mut out = String::new();
        punctuation(text, Language::find(language).unwrap(), &mut out);
        out
    }

    #[test]
    fn quotes_dashes_and_dots_become_plain() {
        assert_eq!(normal("de", "„Halt“ – rief er … und »los«"), "\"Halt\" - rief er ... und\"los\"");
    }

    #[test]
    fn an_apostrophe_is_an_apostrophe_beside_any_letter() {
        assert_eq!(normal("fr", "l’été, c’est l’eau"), "l'été, c'est l'eau");
    }

    #[test]
    fn spaces_inside_brackets_and_before_signs_go() {
        assert_eq!(normal("en", "a ( b ) , c : d\u{A0}! 5 %"), "a (b), c: d! 5%");
    }

    #[test]
    fn commas_move_into_english_quotes_and_out_of_others() {
        assert_eq!(normal("en", "a \"b\", \"c\"."), "a \"b,\" \"c.\"");
        assert_eq!(normal("de", "a \"b,\" c \"d.\" E"), "a \"b\", c \"d\". E");
        assert_eq!(normal("cs", "a \"b\", c \"d.\""), "a \"b\", c \"d.\"");
    }

    #[test]
    fn a_no_break_space_inside_a_number_becomes_its_sign() {
        assert_eq!(normal("de", "5\u{A0}300"), "5,300");
        assert_eq!(normal("en", "5\u{A0}300"), "5.300");
    }
}
