//! The English side: morphology, auxiliaries, and the order of words.

mod assemble;
mod clause;
mod fill;
pub(crate) mod morphology;
mod np;
mod verbs;

use crate::draft::{Con, Concepts, Draft, Word};
use crate::german::STOP;
use crate::syntax::{Clause, Concept, Sentence};
use clause::Form;
use treeglot_sample::SampleSentence;

/// Writes English.
pub(crate) struct English {
    draft: Draft,
}

/// A sentence in English, with each word's concepts.
pub(crate) fn write(sentence: &Sentence) -> (SampleSentence, Vec<Concepts>) {
    let mut english = English { draft: Draft::new(",") };
    let con = english.sentence(sentence);
    english.draft.finish(&con)
}

impl English {
    fn sentence(&mut self, sentence: &Sentence) -> Con {
        let (built, mark) = match sentence {
            Sentence::Statement(clause) => (self.clause(clause, Form::Main), "."),
            Sentence::Question(clause) => (self.clause(clause, Form::Question), "?"),
            Sentence::Order(clause, _, please) => {
                let mut built = self.clause(clause, Form::Order);
                if let (Some(please), Con::Node(_, _, parts)) = (please, &mut built.con) {
                    let word = Word::new("please", "please", "INTJ", "UH").means(*please);
                    let word = self.draft.dependent(word, built.head, "discourse");
                    parts.insert(0, Con::node("INTJ", vec![word]));
                }
                (built, "!")
            }
            Sentence::Pair(first, concept, (_, conjunction), second) => {
                (self.pair(first, *concept, conjunction, second), ".")
            }
        };
        let stop = Word::new(mark, mark, "PUNCT", ".").means(STOP);
        let stop = self.draft.dependent(stop, built.head, "punct");
        match built.con {
            Con::Node(label, role, mut parts) => {
                parts.push(stop);
                Con::Node(label, role, parts)
            }
            word => Con::node("S", vec![word, stop]),
        }
    }

    fn pair(
        &mut self,
        first: &Clause,
        concept: Concept,
        conjunction: &str,
        second: &Clause,
    ) -> clause::Built {
        let one = self.clause(first, Form::Main);
        let agreement = first.en_agreement();
        let shared = second.participants[second.en_subject()].is_none();
        let two = self.clause(second, if shared { Form::SharedSubject(agreement) } else { Form::Main });
        self.draft.attach(two.head, one.head, "conj");
        let word = Word::new(conjunction, conjunction, "CCONJ", "CC").means(concept);
        let and = self.draft.dependent(word, two.head, "cc");
        let con = match (shared, one.con) {
            (true, Con::Node(label, role, mut parts)) => {
                let verb_phrase = parts.pop().expect("a clause ends in its verb phrase");
                parts.push(Con::node("VP", vec![verb_phrase, and, two.con]));
                Con::Node(label, role, parts)
            }
            (_, con) => {
                let mut parts = vec![con];
                if conjunction != "and" {
                    parts.push(self.draft.comma(two.head, Some(first.concept.part(Concept::COMMA))));
                }
                parts.extend([and, two.con]);
                Con::node("S", parts)
            }
        };
        clause::Built { head: one.head, con, raised: None }
    }
}
