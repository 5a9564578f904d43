//! Apostrophes that are letters, before anything is cut. The glottal stop of many languages of America, and the ejectives of Aymara and
//! Quechua (`p'`, `t'`, `k'`, `q'`, `ch'`), are typed with whatever sign looks like one, and text that went through a tokeniser made for
//! other languages has blanks around it (`jach 'a`, `arst ’ iwa`): one word becomes three, in the training text of these languages
//! often all of them. Words get their sign back, the same everywhere.

use super::chars::Class;
use super::language::Glottal;

/// What is typed for an apostrophe.
fn is_sign(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '´' | '`' | '′')
}

/// Whether there is anything to mend.
pub(crate) fn has_sign(line: &str) -> bool {
    line.contains(is_sign)
}

/// Writes `line` with a plain apostrophe for each sign that is part of a word.
pub(crate) fn mend(glottal: Glottal, line: &str, out: &mut String) {
    out.clear();
    let mut from = 0;
    for (at, sign) in line.char_indices().filter(|(_, c)| is_sign(*c)) {
        let (left, right) = (&line[from..at], &line[at + sign.len_utf8()..]);
        let inside = ends_in_letter(&line[..at]) && right.chars().next().is_some_and(is_letter);
        if inside {
            out.push_str(left);
        } else if glottal == Glottal::Ejectives && is_torn(&line[..at], right) {
            out.push_str(left.strip_suffix(' ').unwrap_or(left));
        } else {
            continue;
        }
        out.push('\'');
        from = at + sign.len_utf8();
        if !inside && right.starts_with(' ') {
            from += 1;
        }
    }
    out.push_str(&line[from..]);
}

fn is_letter(c: char) -> bool {
    Class::of(c).is_alpha()
}

fn ends_in_letter(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_letter)
}

/// Whether a sign after `left` and before `right` was torn from its word by a blank before it, and perhaps one behind it: it stands
/// between a consonant that can be an ejective and a vowel. A sign with a blank only behind it is a quote that ends.
fn is_torn(left: &str, right: &str) -> bool {
    let Some(left) = left.strip_suffix(' ') else { return false };
    let mut before = left.chars().rev().map(|c| c.to_ascii_lowercase());
    let ejective = match before.next() {
        Some('p' | 't' | 'k' | 'q') => true,
        Some('h') => before.next() == Some('c'),
        _ => false,
    };
    let after = right.strip_prefix(' ').unwrap_or(right).chars().next();
    ejective && after.is_some_and(|c| "aiuoeäïüáíúóé".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(glottal: Glottal, line: &str) -> String {
        let mut out = String::new();
        mend(glottal, line, &mut out);
        out
    }

    #[test]
    fn words_get_one_sign() {
        let line = "Kuimba’e ha'e he´i `mba‘e´ puso`i’ 'a' ’";
        assert_eq!(mended(Glottal::Stop, line), "Kuimba'e ha'e he'i `mba'e´ puso'i’ 'a' ’");
    }

    #[test]
    fn ejectives_that_were_torn_are_whole_again() {
        let line = "Bob arst ’ iwa jach 'a ch ´ ama mayjt’iwa Q ’ uma lup ’ ïwi";
        assert_eq!(mended(Glottal::Ejectives, line), "Bob arst'iwa jach'a ch'ama mayjt'iwa Q'uma lup'ïwi");
        assert_eq!(mended(Glottal::Stop, "jach 'a"), "jach 'a");
    }

    #[test]
    fn quotes_stay() {
        for line in ["sasin 'ukax' satawa", "'internet' ukax", "jupax ’ uka ’ sasa", "h 'a", "' a", "t '", ""]
        {
            assert_eq!(mended(Glottal::Ejectives, line), line);
        }
    }
}
