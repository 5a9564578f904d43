//! Quotes and apostrophes: which of them open, which close, and which are part of a word. Straight quotes alternate;
//! directed ones follow the language's habit; an apostrophe between a word and one of its known endings joins them.

use super::join::Cling;
use crate::tokenize::{Apostrophe, Language};

/// The open quotes of one line, asked token by token from the left.
pub(super) struct Quotes<'a> {
    language: &'static Language,
    tokens: &'a [&'a str],
    double: Marks,
    single: Marks,
    /// Where `”`, `«` and `»` stand last.
    last_high: usize,
    last_left: usize,
    last_right: usize,
}

/// The state of one kind of quote.
struct Marks {
    open: bool,
    /// How many signs of this kind are still to come, apostrophes of words not counted.
    left: usize,
}

impl<'a> Quotes<'a> {
    pub(super) fn new(language: &'static Language, tokens: &'a [&'a str]) -> Self {
        let none = || Marks { open: false, left: 0 };
        let last = |sign: &str| tokens.iter().rposition(|&token| token == sign).unwrap_or(0);
        let mut quotes = Self {
            language,
            tokens,
            double: none(),
            single: none(),
            last_high: last("”"),
            last_left: last("«"),
            last_right: last("»"),
        };
        for (i, &token) in tokens.iter().enumerate() {
            match token {
                "\"" if !quotes.joins_word(i) => quotes.double.left += 1,
                "'" if !quotes.joins_word(i) => quotes.single.left += 1,
                _ => {}
            }
        }
        quotes
    }

    /// To which side the quote at `i` clings; `None` when the token is no quote.
    pub(super) fn cling(&mut self, i: usize) -> Option<Cling> {
        let token = self.tokens[i];
        match token {
            "\"" | "'" | "’" | "´" | "‘" if self.joins_word(i) => Some(Cling::Both),
            "\"" => {
                let lone = !self.double.open && self.double.left == 1;
                let opens = if lone { !self.closes_alone(i) } else { !self.double.open };
                self.double.left -= 1;
                Some(self.double.turn(opens))
            }
            "'" => {
                let lone = !self.single.open && self.single.left == 1;
                let opens =
                    if lone { self.opens_alone(i) } else { !self.single.open && !self.is_possessive(i) };
                self.single.left -= 1;
                Some(if opens || self.single.open { self.single.turn(opens) } else { Cling::Left })
            }
            "''" | "``" => Some(self.double.turn(token == "``" || !self.double.open)),
            "`" => Some(self.single.turn(true)),
            "„" => Some(self.double.turn(true)),
            "‚" => Some(self.single.turn(true)),
            "“" => Some(self.double.turn(self.opens_high_quote(i))),
            "”" => {
                let opens = !self.double.open && self.last_high > i && self.language.code != "en";
                Some(self.double.turn(opens))
            }
            "«" | "»" => {
                let usual =
                    (token == "«") != matches!(self.language.code, "de" | "da" | "cs" | "sk" | "sl" | "hr");
                Some(self.double.turn(if self.double.open { false } else { usual || self.pairs_later(i) }))
            }
            "‘" => Some(self.single.turn(!self.single.open)),
            "’" | "´" if i == 0 => Some(Cling::Right),
            "’" | "´" => Some(self.single.turn(false)),
            _ if self.is_contraction(i) => Some(Cling::Left),
            _ if self.is_elision(i) => Some(Cling::Right),
            _ => None,
        }
    }

    /// In languages with `„`, the sign `“` closes; elsewhere it opens, unless no `”` is left to close what it opens.
    fn opens_high_quote(&self, i: usize) -> bool {
        !self.double.open
            || matches!(self.language.code, "en" | "fr" | "es" | "it" | "pt") && self.last_high > i
    }

    /// A guillemet that comes before its partner opens, whichever way it points.
    fn pairs_later(&self, i: usize) -> bool {
        (if self.tokens[i] == "«" { self.last_right } else { self.last_left }) > i
    }

    /// A double quote without partner closes after a number (inches), after an owner (`the boys" mother`, a common
    /// misprint), and before the end or a sign.
    fn closes_alone(&self, i: usize) -> bool {
        let after_digit = i > 0 && self.tokens[i - 1].ends_with(|c: char| c.is_ascii_digit());
        after_digit
            || self.may_own(i)
            || self.tokens.get(i + 1).is_none_or(|next| !next.starts_with(char::is_alphanumeric))
    }

    /// An apostrophe without partner opens at the start of a line, and where English wrote `they 're` with a space.
    fn opens_alone(&self, i: usize) -> bool {
        let ending = self.tokens.get(i + 1).is_some_and(|next| is_ending(next));
        i == 0 || ending && self.language.apostrophe == Apostrophe::StartsWord
    }

    /// `the boys ' mother`: the sign may be an apostrophe after an owner.
    fn may_own(&self, i: usize) -> bool {
        let owner = i.checked_sub(1).map(|before| self.tokens[before]);
        self.language.code == "en" && owner.is_some_and(|o| o.ends_with('s') && !o.starts_with('\''))
    }

    /// Whether the sign that may follow an owner does. If an even number is left, it may as well open a quotation, and
    /// does unless the next one may follow an owner too.
    fn is_possessive(&self, i: usize) -> bool {
        let next = || (i + 1..self.tokens.len()).find(|&at| self.tokens[at] == "'" && !self.joins_word(at));
        self.may_own(i) && (self.single.left % 2 == 1 || next().is_none_or(|at| self.may_own(at)))
    }

    /// English `'s`, `'ll`, `'re`, which start with the apostrophe.
    fn is_contraction(&self, i: usize) -> bool {
        i > 0
            && self.language.apostrophe == Apostrophe::StartsWord
            && self.tokens[i].strip_prefix('\'').is_some_and(|end| end.starts_with(char::is_alphabetic))
            && self.tokens[i - 1].ends_with(char::is_alphanumeric)
    }

    /// French `l'`, `qu'`, which end with the apostrophe.
    fn is_elision(&self, i: usize) -> bool {
        self.language.apostrophe == Apostrophe::EndsWord
            && self.tokens[i].strip_suffix('\'').is_some_and(|word| word.ends_with(char::is_alphabetic))
            && self.tokens.get(i + 1).is_some_and(|next| next.starts_with(char::is_alphabetic))
    }

    /// Whether the sign at `i` is an apostrophe inside a word that the tokeniser has cut in three.
    fn joins_word(&self, i: usize) -> bool {
        if i == 0 || i + 1 == self.tokens.len() {
            return false;
        }
        let (before, after) = (self.tokens[i - 1], self.tokens[i + 1]);
        if !before.ends_with(char::is_alphabetic) || !after.starts_with(char::is_alphabetic) {
            return false;
        }
        let ending = is_ending(after);
        match (self.tokens[i], self.language.apostrophe) {
            ("’" | "´", Apostrophe::EndsWord | Apostrophe::Letter) => true,
            ("\"", Apostrophe::EndsWord) => is_elided(before),
            ("\"" | "‘", _) => matches!(after, "s" | "t"),
            ("'", Apostrophe::EndsWord | Apostrophe::StartsWord) => false,
            _ => ending || is_elided(before) || before == "O",
        }
    }
}

impl Marks {
    fn turn(&mut self, opens: bool) -> Cling {
        self.open = opens;
        if opens { Cling::Right } else { Cling::Left }
    }
}

/// What may follow an apostrophe inside a word: English and German endings, also in names kept in other languages.
fn is_ending(token: &str) -> bool {
    let ending = token.split_once('-').map_or(token, |(ending, _)| ending);
    matches!(
        ending,
        "s" | "S"
            | "t"
            | "T"
            | "d"
            | "m"
            | "n"
            | "ll"
            | "re"
            | "ve"
            | "em"
            | "en"
            | "ne"
            | "nen"
            | "nem"
            | "ner"
    )
}

/// What may stand before an apostrophe inside a word: French, Italian and Catalan forms that lost their vowel.
fn is_elided(token: &str) -> bool {
    const FORMS: [&str; 20] = [
        "l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "aujourd",
        "dell", "all", "nell", "sull", "dall", "un",
    ];
    FORMS.iter().any(|form| form.eq_ignore_ascii_case(token))
}
