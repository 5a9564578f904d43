//! The rules of `mteval-v14.pl --international-tokenization` as sacreBLEU's `intl` has them: Unicode's classes instead
//! of ASCII's punctuation, three substitutions one after the other.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

fn is(c: char, group: GeneralCategoryGroup) -> bool {
    c.general_category_group() == group
}

fn is_punctuation(c: char) -> bool {
    is(c, GeneralCategoryGroup::Punctuation)
}

fn is_number(c: char) -> bool {
    is(c, GeneralCategoryGroup::Number)
}

/// Separates punctuation unless between numbers, and symbols.
pub fn tokenize(text: &str) -> String {
    let text = pairs(text, |a, b| is_punctuation(b) && !is_number(a), |a, b| [a, ' ', b, ' ']);
    let text = pairs(&text, |a, b| is_punctuation(a) && !is_number(b), |a, b| [' ', a, ' ', b]);
    super::spaced(&text, |c| is(c, GeneralCategoryGroup::Symbol))
}

/// Rewrites each non-overlapping pair of neighbours that `is_pair`.
fn pairs(
    text: &str,
    is_pair: impl Fn(char, char) -> bool,
    rewrite: impl Fn(char, char) -> [char; 4],
) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut rest = text.chars();
    let mut held = rest.next();
    while let Some(first) = held {
        held = rest.next();
        match held {
            Some(second) if is_pair(first, second) => {
                out.extend(rewrite(first, second));
                held = rest.next();
            }
            _ => out.push(first),
        }
    }
    out
}
