//! What of a text passes through translation as it is: addresses, code, placeholders of programs, times and dates.

use std::ops::Range;

/// The parts of a text that pass as they are, as ranges of bytes, in order and without overlap. A part reaches as far as letters and
/// digits touch it, so that nothing is torn from it: `v{version}` is one.
pub fn protected(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let fresh = !text[..at].ends_with(char::is_alphanumeric);
        let length = [code(rest), braces(rest), address(rest, fresh), printf(rest, fresh), word(rest, fresh)]
            .into_iter()
            .flatten()
            .max();
        match length.filter(|&length| length > 0) {
            Some(length) => {
                let range = widened(text, at..at + length);
                let start = found.last().map_or(range.start, |last| range.start.max(last.end));
                at = range.end;
                found.push(start..range.end);
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// A range with the letters and digits that touch it.
fn widened(text: &str, range: Range<usize>) -> Range<usize> {
    let alphanumeric = |c: &char| c.is_alphanumeric();
    let before: usize = text[..range.start].chars().rev().take_while(alphanumeric).map(char::len_utf8).sum();
    let after: usize = text[range.end..].chars().take_while(alphanumeric).map(char::len_utf8).sum();
    range.start - before..range.end + after
}

/// `code` between backticks.
fn code(rest: &str) -> Option<usize> {
    let ticks = rest.bytes().take_while(|&byte| byte == b'`').count();
    if ticks == 0 {
        return None;
    }
    let inside = &rest[ticks..];
    let end = inside.find(&rest[..ticks]).filter(|&end| end > 0 && !inside[..end].contains('\n'))?;
    Some(end + 2 * ticks)
}

/// `{name}`, `{{name}}`, `${name}`: short, and without braces inside.
fn braces(rest: &str) -> Option<usize> {
    const LONGEST: usize = 60;
    let dollar = usize::from(rest.starts_with('$') || rest.starts_with('#') || rest.starts_with('%'));
    let opened = rest[dollar..].bytes().take_while(|&byte| byte == b'{').count();
    if opened == 0 || opened > 2 {
        return None;
    }
    let inside = &rest[dollar + opened..];
    let end = inside.find(['{', '}', '\n']).filter(|&end| end <= LONGEST)?;
    let closes = inside[end..].starts_with(&"}}"[..opened]);
    let blank = inside[..end].starts_with(char::is_whitespace) && opened == 1;
    (closes && !blank).then_some(dollar + 2 * opened + end)
}

/// An address of the web or of mail.
fn address(rest: &str, fresh: bool) -> Option<usize> {
    if !fresh {
        return None;
    }
    let end = rest.find(|c: char| {
        c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}')
    });
    let whole = &rest[..end.unwrap_or(rest.len())];
    let word = trimmed(whole);
    let scheme = word.find("://").filter(|&at| {
        let scheme = &word[..at];
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    let web = scheme.is_some_and(|at| word.len() > at + 3) || (word.starts_with("www.") && word.len() > 6);
    (web || is_mail(word)).then_some(word.len())
}

/// A word without the signs at its end that belong to the sentence.
fn trimmed(mut word: &str) -> &str {
    loop {
        let shorter = word.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '\u{2019}', '*']);
        let count = |sign: char| shorter.matches(sign).count();
        let unopened = |close: char, open: char| shorter.ends_with(close) && count(close) > count(open);
        let shorter =
            if unopened(')', '(') || unopened(']', '[') { &shorter[..shorter.len() - 1] } else { shorter };
        if shorter.len() == word.len() {
            return word;
        }
        word = shorter;
    }
}

fn is_mail(word: &str) -> bool {
    let Some((name, host)) = word.split_once('@') else { return false };
    let of_name = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    let of_host = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let top = host.rsplit('.').next().unwrap_or_default();
    !name.is_empty()
        && name.chars().all(of_name)
        && host.chars().all(of_host)
        && host.contains('.')
        && top.len() >= 2
        && top.chars().all(char::is_alphabetic)
}

/// `%s`, `%1$d`, `%(name)s`, `%02d`: but not the percent sign of a number.
fn printf(rest: &str, fresh: bool) -> Option<usize> {
    let after = rest.strip_prefix('%').filter(|_| fresh)?;
    let is_kind = |c: char| matches!(c, 's' | 'd' | 'i' | 'u' | 'f' | 'x' | 'X' | 'c' | '@');
    let ends = |length: usize| !rest[length..].starts_with(|c: char| c.is_alphanumeric());
    if let Some(named) = after.strip_prefix('(') {
        let end = named.find(')')?;
        let kind = named[end + 1..].chars().next().filter(|&c| is_kind(c))?;
        return Some(end + 3 + kind.len_utf8());
    }
    let flags = after
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'$' | b'.' | b'-' | b'+'))
        .count();
    let long = after[flags..].bytes().take_while(|byte| matches!(byte, b'l' | b'z')).count();
    let kind = after[flags + long..].chars().next().filter(|&c| is_kind(c))?;
    let length = 1 + flags + long + kind.len_utf8();
    ends(length).then_some(length)
}

/// A number that tokenisers would cut (`12:30`, `5/1/2024`), a name with underscores, an option of a program. Other numbers, such as
/// `3.000,50`, are words: models may have learnt how the target language writes them, and copy those they have not.
fn word(rest: &str, fresh: bool) -> Option<usize> {
    if !fresh {
        return None;
    }
    let end = rest
        .find(|c: char| c.is_whitespace() || "\"'()[]{}<>\u{201c}\u{201d}\u{201e}\u{ab}\u{bb}".contains(c));
    let word = trimmed(&rest[..end.unwrap_or(rest.len())]);
    let number = word.strip_prefix(['+', '-']).unwrap_or(word);
    let number = number.strip_suffix(['%', '\u{20ac}', '$', '\u{b0}']).unwrap_or(number);
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let is_number = digits >= 2
        && number.bytes().all(|byte| byte.is_ascii_digit() || b".,:/-".contains(&byte))
        && number.bytes().any(|byte| b":/".contains(&byte))
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(|c: char| c.is_ascii_digit());
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = word.chars().take_while(|&c| of_name(c)).count();
    let is_name = word[..name].trim_matches('_').contains('_');
    let option = word.strip_prefix("--").filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let option = option.map(|name| {
        name.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'-').count() + 2
    });
    is_number.then_some(word.len()).or(is_name.then_some(name)).or(option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> Vec<&str> {
        protected(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn addresses_code_placeholders_and_numbers_are_found() {
        assert_eq!(
            parts("Siehe http://www.example.com/a?b=1, (https://x.org/y_(z)) oder www.a.de."),
            ["http://www.example.com/a?b=1", "https://x.org/y_(z)", "www.a.de"]
        );
        assert_eq!(parts("Mail an <a.b@c-d.de>, bitte."), ["a.b@c-d.de"]);
        assert_eq!(parts("Der `cargo test -p x` und ``a`b``."), ["`cargo test -p x`", "``a`b``"]);
        assert_eq!(
            parts("Hallo {user name}, %s hat %1$d von %(all)s in v{version}."),
            ["{user name}", "%s", "%1$d", "%(all)s", "v{version}"]
        );
        assert_eq!(parts("Um 12:30 kosten 3.000,50 \u{20ac} am 5/1/2024."), ["12:30", "5/1/2024"]);
        assert_eq!(parts("Die Option --no-copy von my_file_name."), ["--no-copy", "my_file_name"]);
    }

    #[test]
    fn words_are_left_to_the_models() {
        for text in [
            "50 % sind 100%ig gut.",
            "Zwei { offene Klammern",
            "a@b und 1990er, 7 Uhr",
            "ein-zwei; so-und-so",
            "Er sagte: \"ja\".",
        ] {
            assert_eq!(parts(text), Vec::<&str>::new(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn parts_lie_in_order_on_characters(text in "[a{}`%$@.:/w 0-9_\u{e4}\u{201e}-]{0,40}") {
            let mut end = 0;
            for range in protected(&text) {
                prop_assert!(range.start >= end && range.start < range.end);
                prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
                end = range.end;
            }
        }
    }
}
