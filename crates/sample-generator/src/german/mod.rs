//! The German side: morphology, and the order of words by topological fields.

mod clause;
mod field;
mod fill;
pub(crate) mod morphology;
mod np;
mod predicate;
pub(crate) mod verb;

use crate::draft::{Con, Concepts, Draft, Tok, Word};
use crate::syntax::{Concept, Sentence};
use clause::Form;
use treeglot_sample::SampleSentence;

/// The concept of the full stop or its kin, which no clause has.
pub(crate) const STOP: Concept = Concept(0);

/// Writes German.
pub(crate) struct German {
    draft: Draft,
}

/// A sentence in German, with each word's concepts.
pub(crate) fn write(sentence: &Sentence) -> (SampleSentence, Vec<Concepts>) {
    let mut german = German { draft: Draft::new("$,") };
    let con = german.sentence(sentence);
    german.draft.finish(&con)
}

impl German {
    fn sentence(&mut self, sentence: &Sentence) -> Con {
        let (head, mut parts, label, stop) = match sentence {
            Sentence::Statement(clause) => {
                let main = self.clause(clause, Form::Main);
                (main.head, main.parts, "S", ".")
            }
            Sentence::Question(clause) => {
                let main = self.clause(clause, Form::Question);
                (main.head, main.parts, "S", "?")
            }
            Sentence::Order(clause, person, please) => {
                let main = self.clause(clause, Form::Order(*person, *please));
                (main.head, main.parts, "S", "!")
            }
            Sentence::Pair(first, concept, (conjunction, _), second) => {
                let one = self.clause(first, Form::Main);
                let shared = second.participants[second.de_subject()].is_none();
                let agreement = first.subject_agreement();
                let form = if shared { Form::SharedSubject(agreement) } else { Form::Main };
                let two = self.clause(second, form);
                self.draft.attach(two.head, one.head, "conj");
                let mut parts = vec![Con::node("S", one.parts).role("CJ")];
                if *conjunction != "und" {
                    parts.push(self.draft.comma(two.head, Some(first.concept.part(Concept::COMMA))));
                }
                let word = Word::new(conjunction, conjunction, "CCONJ", "KON").means(*concept);
                parts.push(self.draft.dependent(word, two.head, "cc"));
                parts.push(Con::node("S", two.parts).role("CJ"));
                (one.head, parts, "CS", ".")
            }
        };
        parts.push(self.stop(stop, head));
        Con::node(label, parts)
    }

    fn stop(&mut self, mark: &str, head: Tok) -> Con {
        self.draft.dependent(Word::new(mark, mark, "PUNCT", "$.").means(STOP), head, "punct")
    }
}
