//! Units: fixed words of an expression, with their tags and relations, as `form:lemma:UPOS:XPOS:relation#links`.

/// One word of a unit.
#[derive(Debug, Clone)]
pub(crate) struct UnitWord {
    pub form: &'static str,
    pub lemma: &'static str,
    pub upos: &'static str,
    pub xpos: &'static str,
    pub relation: &'static str,
    /// Which parts of the unit's meaning the word carries; words that share a part across languages are linked.
    pub parts: Vec<u32>,
}

/// The words of a fixed expression.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unit {
    pub words: Vec<UnitWord>,
}

/// Relations of words that depend on the next word that is none of these.
const MODIFIERS: [&str; 5] = ["case", "det", "amod", "nummod", "compound"];

impl Unit {
    /// Reads words separated by spaces; `None` if one is not well-formed.
    pub fn read(text: &'static str) -> Option<Self> {
        let words = text.split_whitespace().map(|word| {
            let mut parts = word.split('#');
            let columns: Vec<&'static str> = parts.next()?.split(':').collect();
            let &[form, lemma, upos, xpos, relation] = columns.as_slice() else { return None };
            let parts: Vec<u32> = parts.map(|p| p.parse().ok()).collect::<Option<_>>()?;
            let parts = if parts.is_empty() { vec![0] } else { parts };
            Some(UnitWord { form, lemma, upos, xpos, relation, parts })
        });
        Some(Self { words: words.collect::<Option<_>>()? })
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The word the others depend on: the last that is no modifier and no part of a fixed expression.
    pub fn head(&self) -> usize {
        let dependent =
            |w: &UnitWord| MODIFIERS.contains(&w.relation) || ["fixed", "nmod"].contains(&w.relation);
        self.words.iter().rposition(|w| !dependent(w)).unwrap_or(0)
    }

    /// The head of each word within the unit, `None` for the unit's own head.
    pub fn heads(&self) -> Vec<Option<usize>> {
        let head = self.head();
        let of = |at: usize| match self.words[at].relation {
            _ if at == head => None,
            "fixed" | "nmod" => Some(head),
            _ => {
                let later =
                    (at + 1..self.words.len()).find(|&w| !MODIFIERS.contains(&self.words[w].relation));
                Some(later.unwrap_or(head))
            }
        };
        (0..self.words.len()).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(text: &'static str) -> Vec<Option<usize>> {
        Unit::read(text).unwrap().heads()
    }

    #[test]
    fn modifiers_depend_on_the_next_head_and_fixed_words_on_the_first() {
        assert_eq!(heads("drei:d:NUM:CARD:nummod Tage:T:NOUN:NN:obl"), [Some(1), None]);
        assert_eq!(heads("days:d:NOUN:NNS:obl ago:a:ADV:RB:case"), [None, Some(0)]);
        assert_eq!(heads("ab:a:X:X:advmod und:u:X:X:fixed zu:z:X:X:fixed"), [None, Some(0), Some(0)]);
        let before = "the:t:D:D:det day:d:N:N:obl before:b:A:I:case yesterday:y:N:N:nmod";
        assert_eq!(heads(before), [Some(1), None, Some(3), Some(1)]);
    }

    #[test]
    fn links_within_a_unit_are_numbered() {
        let unit = Unit::read("abroad:a:ADV:RB:advmod#1#2").unwrap();
        assert_eq!(unit.words[0].parts, [1, 2]);
        assert!(Unit::read("abroad:ADV").is_none());
    }
}
