//! Moses' entities: the characters that mean something in its files (`|` separates factors, `[X]` is a variable,
//! `<` starts markup) are written as entities inside tokens.

/// Appends `token` with Moses' special characters as entities.
pub fn escape(token: &str, out: &mut String) {
    let mut done = 0;
    for (at, byte) in token.bytes().enumerate() {
        let Some(entity) = entity(byte) else { continue };
        out.push_str(&token[done..at]);
        out.push_str(entity);
        done = at + 1;
    }
    out.push_str(&token[done..]);
}

/// Appends `text` with Moses' entities, and the older names it once used for them, as characters.
pub fn unescape(text: &str, out: &mut String) {
    let mut done = 0;
    for at in memchr::memchr_iter(b'&', text.as_bytes()) {
        if at < done {
            continue;
        }
        let Some(&(entity, c)) = ENTITIES.iter().find(|(entity, _)| text[at..].starts_with(entity)) else {
            continue;
        };
        out.push_str(&text[done..at]);
        out.push(c);
        done = at + entity.len();
    }
    out.push_str(&text[done..]);
}

fn entity(byte: u8) -> Option<&'static str> {
    match byte {
        b'&' => Some("&amp;"),
        b'|' => Some("&#124;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'\'' => Some("&apos;"),
        b'"' => Some("&quot;"),
        b'[' => Some("&#91;"),
        b']' => Some("&#93;"),
        _ => None,
    }
}

const ENTITIES: &[(&str, char)] = &[
    ("&apos;", '\''),
    ("&quot;", '"'),
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&#124;", '|'),
    ("&#91;", '['),
    ("&#93;", ']'),
    ("&bar;", '|'),
    ("&bra;", '['),
    ("&ket;", ']'),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(s: &str) -> String {
        let mut out = String::new();
        escape(s, &mut out);
        out
    }

    fn unescaped(s: &str) -> String {
        let mut out = String::new();
        unescape(s, &mut out);
        out
    }

    #[test]
    fn an_escaped_ampersand_does_not_make_a_new_entity() {
        assert_eq!(escaped("&lt;"), "&amp;lt;");
        assert_eq!(unescaped("&amp;lt;"), "&lt;");
    }

    #[test]
    fn older_names_of_entities_are_read() {
        assert_eq!(unescaped("&bra;X&ket; &bar; &nbsp;"), "[X] | &nbsp;");
    }

    proptest! {
        #[test]
        fn unescape_undoes_escape(s in "[a&;|<>'\"\\[\\]ltgquo#0-9é]{0,30}") {
            prop_assert_eq!(unescaped(&escaped(&s)), s);
        }

        #[test]
        fn an_escaped_token_has_no_special_character(s in "\\PC{0,30}") {
            prop_assert!(!escaped(&s).contains(['|', '<', '>', '\'', '"', '[', ']']));
        }
    }
}
