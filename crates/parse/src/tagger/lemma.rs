//! Lemmas as edits: how a form becomes its lemma by changing its two ends and its case, so that `went` keeps its own
//! edit while `talked` shares one with all regular verbs.

use serde::{Deserialize, Serialize};

/// An edit that turns a form into a lemma.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Edit {
    /// Whether the form is put in lower case first.
    lower: bool,
    /// How many characters go at the start and at the end.
    cut: (usize, usize),
    /// What comes in their place.
    put: (String, String),
}

impl Edit {
    /// The edit from a form to its lemma that keeps as much of the form as possible.
    pub(crate) fn between(form: &str, lemma: &str) -> Self {
        let lemma: Vec<char> = lemma.chars().collect();
        let cased: Vec<char> = form.chars().collect();
        let lowered: Vec<char> = form.to_lowercase().chars().collect();
        let (kept, kept_lower) = (common(&cased, &lemma), common(&lowered, &lemma));
        let lower = kept_lower.2 > kept.2;
        let (form, (from, to, length)) = if lower { (lowered, kept_lower) } else { (cased, kept) };
        let text = |chars: &[char]| chars.iter().collect::<String>();
        if length == 0 {
            return Self { lower: false, cut: (form.len(), 0), put: (text(&lemma), String::new()) };
        }
        Self {
            lower,
            cut: (from, form.len() - from - length),
            put: (text(&lemma[..to]), text(&lemma[to + length..])),
        }
    }

    /// The lemma it makes of a form; `None` if the form is too short, or nothing would be left.
    pub(crate) fn apply(&self, form: &str) -> Option<String> {
        let form: Vec<char> =
            if self.lower { form.to_lowercase() } else { form.to_string() }.chars().collect();
        let end = form.len().checked_sub(self.cut.1)?;
        let kept = form.get(self.cut.0..end)?;
        let lemma = format!("{}{}{}", self.put.0, kept.iter().collect::<String>(), self.put.1);
        Some(lemma).filter(|l| !l.is_empty())
    }
}

/// The longest common run: where it starts in each, and its length; the first of equals.
fn common(a: &[char], b: &[char]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    let mut lengths = vec![0usize; b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let length = if x == y { diagonal + 1 } else { 0 };
            diagonal = std::mem::replace(&mut lengths[j + 1], length);
            if length > best.2 {
                best = (i + 1 - length, j + 1 - length, length);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn regular_forms_share_an_edit() {
        let edit = Edit::between("Talked", "talk");
        assert_eq!(edit.apply("walked").as_deref(), Some("walk"));
        assert_eq!(edit.apply("WALKED").as_deref(), Some("walk"));
        assert_eq!(Edit::between("gegangen", "gehen").apply("gegangen").as_deref(), Some("gehen"));
        assert_eq!(edit.apply("a"), None);
    }

    proptest! {
        #[test]
        fn an_edit_gives_the_lemma_it_was_made_from(form in ".{1,8}", lemma in ".{1,8}") {
            let edit = Edit::between(&form, &lemma);
            prop_assert_eq!(edit.apply(&form), Some(lemma));
        }
    }
}
