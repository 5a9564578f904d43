//! Where an apostrophe is cut off, by language. The rules are applied one after the other to the whole line, each
//! from left to right, and a rule that has cut at one apostrophe does not look again at the character behind it:
//! that is how Moses' chain of substitutions treats `rock'n'roll`, and its tokens can only be matched by doing the same.

use super::chars::Class;
use super::language::Apostrophe;

/// What must stand on one side of the apostrophe.
#[derive(Clone, Copy)]
enum Side {
    Alpha,
    NotAlpha,
    Number,
    NotWord,
    SmallS,
}

impl Side {
    fn admits(self, c: char) -> bool {
        match self {
            Self::Alpha => Class::of(c).is_alpha(),
            Self::NotAlpha => !Class::of(c).is_alpha(),
            Self::Number => Class::of(c).is_number(),
            Self::NotWord => !Class::of(c).is_word(),
            Self::SmallS => c == 's',
        }
    }
}

/// A rule: between `left` and `right`, put a space before or after the apostrophe, or both.
struct Rule {
    left: Side,
    right: Side,
    before: bool,
    after: bool,
}

const fn apart(left: Side, right: Side) -> Rule {
    Rule { left, right, before: true, after: true }
}

const STARTS_WORD: &[Rule] = &[
    apart(Side::NotAlpha, Side::NotAlpha),
    apart(Side::NotWord, Side::Alpha),
    apart(Side::Alpha, Side::NotAlpha),
    Rule { left: Side::Alpha, right: Side::Alpha, before: true, after: false },
    Rule { left: Side::Number, right: Side::SmallS, before: true, after: false },
];

const ENDS_WORD: &[Rule] = &[
    apart(Side::NotAlpha, Side::NotAlpha),
    apart(Side::NotAlpha, Side::Alpha),
    apart(Side::Alpha, Side::NotAlpha),
    Rule { left: Side::Alpha, right: Side::Alpha, before: false, after: true },
];

const LETTER: &[Rule] = &[
    apart(Side::NotAlpha, Side::NotAlpha),
    apart(Side::NotAlpha, Side::Alpha),
    apart(Side::Alpha, Side::NotAlpha),
];

/// Cuts at the apostrophes of `text`; `spare` is a buffer.
pub(crate) fn cut(how: Apostrophe, text: &mut String, spare: &mut String) {
    let rules = match how {
        Apostrophe::StartsWord => STARTS_WORD,
        Apostrophe::EndsWord => ENDS_WORD,
        Apostrophe::Letter => LETTER,
        Apostrophe::Alone => {
            spare.clear();
            for (i, piece) in text.split('\'').enumerate() {
                if i > 0 {
                    spare.push_str(" ' ");
                }
                spare.push_str(piece);
            }
            std::mem::swap(text, spare);
            return;
        }
    };
    for rule in rules {
        spare.clear();
        rule.apply(text, spare);
        std::mem::swap(text, spare);
    }
}

impl Rule {
    fn apply(&self, text: &str, out: &mut String) {
        let mut copied = 0;
        let mut free = 0;
        for at in memchr::memchr_iter(b'\'', text.as_bytes()) {
            let left = text[free.min(at)..at].chars().next_back();
            let right = text[at + 1..].chars().next();
            let (Some(left), Some(right)) = (left, right) else { continue };
            if !self.left.admits(left) || !self.right.admits(right) {
                continue;
            }
            out.push_str(&text[copied..at]);
            out.push_str(match (self.before, self.after) {
                (true, true) => " ' ",
                (true, false) => " '",
                (false, _) => "' ",
            });
            copied = at + 1;
            free = at + 1 + right.len_utf8();
        }
        out.push_str(&text[copied..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_one(how: Apostrophe, text: &str) -> String {
        let mut text = text.to_string();
        cut(how, &mut text, &mut String::new());
        text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn english_contractions_start_with_the_apostrophe() {
        assert_eq!(cut_one(Apostrophe::StartsWord, "she's in the 1980's"), "she 's in the 1980 's");
        assert_eq!(cut_one(Apostrophe::StartsWord, "the dogs' owner"), "the dogs ' owner");
    }

    #[test]
    fn french_elisions_end_with_the_apostrophe() {
        assert_eq!(cut_one(Apostrophe::EndsWord, "l'eau qu'il boit"), "l' eau qu' il boit");
    }

    #[test]
    fn a_glottal_stop_stays_in_its_word() {
        assert_eq!(cut_one(Apostrophe::Letter, "mba'e 'x' so'o"), "mba'e ' x ' so'o");
    }

    #[test]
    fn elsewhere_it_stands_alone() {
        assert_eq!(cut_one(Apostrophe::Alone, "wie geht's"), "wie geht ' s");
    }

    #[test]
    fn the_letter_behind_a_cut_is_not_looked_at_again() {
        assert_eq!(cut_one(Apostrophe::StartsWord, "rock'n'roll"), "rock 'n'roll");
    }

    #[test]
    fn the_first_and_the_last_character_of_a_line_are_not_cut() {
        assert_eq!(cut_one(Apostrophe::StartsWord, "'Tis the boys'"), "'Tis the boys'");
    }
}
