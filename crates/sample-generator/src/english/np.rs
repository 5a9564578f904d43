//! English noun phrases and prepositional phrases.

use super::clause::Form;
use super::{English, morphology as morph};
use crate::draft::{Con, Tok, Word};
use crate::features::number_ud;
use crate::lexicon::{Name, Noun};
use crate::syntax::{Concept, Core, Det, Np, Relative};

/// A phrase in English.
pub(super) struct Nominal {
    pub head: Tok,
    pub con: Con,
}

impl English {
    /// A noun phrase, as subject or not.
    pub(super) fn np(&mut self, np: &Np, subject: bool) -> Nominal {
        match &np.core {
            Core::Common(noun, det) => self.common(np, noun, *det),
            Core::Name(name) => self.name(np, name),
            Core::And(first, second) => {
                let (one, two) = (self.np(first, subject), self.np(second, subject));
                self.draft.attach(two.head, one.head, "conj");
                let and = Word::new("and", "and", "CCONJ", "CC").means(np.concept);
                let and = self.draft.dependent(and, two.head, "cc");
                Nominal { head: one.head, con: Con::node("NP", vec![one.con, and, two.con]) }
            }
            _ => {
                let head = self.draft.word(pronoun(np, subject));
                let label = if np.is_wh() || np.is_relative() { "WHNP" } else { "NP" };
                Nominal { head, con: self.with_relative(np, head, Con::node(label, vec![Con::Word(head)])) }
            }
        }
    }

    /// A noun phrase after a preposition.
    pub(super) fn pp(&mut self, preposition: &str, concept: Concept, np: &Np) -> Nominal {
        let nominal = match np.core {
            Core::Relative(_, _, false) => {
                let word = Word::new("which", "which", "PRON", "WDT").means(np.concept).feats("PronType=Rel");
                let head = self.draft.word(word);
                Nominal { head, con: Con::node("WHNP", vec![Con::Word(head)]) }
            }
            _ => self.np(np, false),
        };
        let word = self.preposition(preposition, concept, nominal.head);
        let label = if np.is_relative() || np.is_wh() { "WHPP" } else { "PP" };
        Nominal { head: nominal.head, con: Con::node(label, vec![word, nominal.con]) }
    }

    pub(super) fn preposition(&mut self, form: &str, concept: Concept, head: Tok) -> Con {
        let xpos = if form == "to" { "TO" } else { "IN" };
        let word = Word::new(form, form, "ADP", xpos);
        let word = if form == "of" { word.helps(concept) } else { word.means(concept) };
        self.draft.dependent(word, head, "case")
    }

    fn name(&mut self, np: &Np, name: &Name) -> Nominal {
        let mut words = name.en.split(' ');
        let first = words.next().unwrap_or(name.en);
        let rest: Vec<&str> = words.collect();
        let concept = if rest.is_empty() { np.concept } else { np.concept.part(1) };
        let head =
            self.draft.word(Word::new(first, first, "PROPN", "NNP").means(concept).feats("Number=Sing"));
        let mut parts = vec![Con::Word(head)];
        for form in rest {
            let word = Word::new(form, form, "PROPN", "NNP").means(np.concept).feats("Number=Sing");
            parts.push(self.draft.dependent(word, head, "flat"));
        }
        Nominal { head, con: self.with_relative(np, head, Con::node("NP", parts)) }
    }

    fn common(&mut self, np: &Np, noun: &Noun, det: Option<Det>) -> Nominal {
        let form = if np.plural { &noun.en_plural } else { noun.en };
        let words: Vec<&str> = form.split(' ').collect();
        let lemmas: Vec<&str> = noun.en.split(' ').collect();
        let (xpos, feats) = if np.plural { ("NNS", "Number=Plur") } else { ("NN", "Number=Sing") };
        let last = words.len() - 1;
        let word = Word::new(words[last], lemmas[last], "NOUN", xpos).means(np.concept).feats(feats);
        let head = self.draft.word(word);
        let compounds: Vec<Con> = words[..last]
            .iter()
            .map(|w| {
                let word = Word::new(w, w, "NOUN", "NN").means(np.concept).feats("Number=Sing");
                self.draft.dependent(word, head, "compound")
            })
            .collect();
        if det == Some(Det::WhatKind) {
            return self.what_kind(np, head, compounds);
        }
        let first_word = np.adjectives.first().map_or(words[0], |(_, a)| a.en);
        let mut parts = vec![];
        let owner = np.genitive.as_deref();
        match owner.filter(|o| is_owner(o)) {
            Some(owner) => parts.push(self.owner(owner, head)),
            None => parts.extend(self.determiners(np, det, first_word, head)),
        }
        for (concept, adjective) in &np.adjectives {
            let word = Word::new(adjective.en, adjective.en, "ADJ", "JJ").means(*concept).feats("Degree=Pos");
            parts.push(self.draft.dependent(word, head, "amod"));
        }
        parts.extend(compounds);
        parts.push(Con::Word(head));
        let wh = np.is_wh() || np.is_relative();
        let mut con = Con::node(if wh { "WHNP" } else { "NP" }, parts);
        if let Some(owner) = owner.filter(|o| !is_owner(o)) {
            let of = self.pp("of", owner.concept.part(2), owner);
            self.draft.attach(of.head, head, "nmod");
            con = Con::node("NP", vec![con, of.con]);
        }
        if let Some(phrase) = &np.phrase {
            let phrase = self.pp(phrase.en, phrase.concept, &phrase.np);
            self.draft.attach(phrase.head, head, "nmod");
            con = Con::node("NP", vec![con, phrase.con]);
        }
        if let Some(than) = &np.than {
            let than = self.pp("than", than.concept.part(2), than);
            self.draft.attach(than.head, head, "obl");
            con = Con::node("NP", vec![con, than.con]);
        }
        Nominal { head, con: self.with_relative(np, head, con) }
    }

    /// `what kind of car`: the kind is the head.
    fn what_kind(&mut self, np: &Np, noun: Tok, compounds: Vec<Con>) -> Nominal {
        let concept = np.concept.part(1);
        let kind =
            self.draft.word(Word::new("kind", "kind", "NOUN", "NN").helps(concept).feats("Number=Sing"));
        let what = self.draft.dependent(Word::new("what", "what", "DET", "WDT").means(concept), kind, "det");
        self.draft.attach(noun, kind, "nmod");
        let of = self.draft.dependent(Word::new("of", "of", "ADP", "IN").helps(concept), noun, "case");
        let mut inner = compounds;
        inner.push(Con::Word(noun));
        let pp = Con::node("PP", vec![of, Con::node("NP", inner)]);
        Nominal {
            head: kind,
            con: Con::node("WHNP", vec![Con::node("WHNP", vec![what, Con::Word(kind)]), pp]),
        }
    }

    fn owner(&mut self, owner: &Np, head: Tok) -> Con {
        let nominal = self.np(owner, false);
        self.draft.attach(nominal.head, head, "nmod:poss");
        let form = if owner.plural && plural_in_s(owner) { "'" } else { "'s" };
        let word = Word::new(form, "'s", "PART", "POS").helps(owner.concept.part(2));
        let mark = self.draft.dependent(word, nominal.head, "case");
        match nominal.con {
            Con::Node(label, role, mut parts) => {
                parts.push(mark);
                Con::Node(label, role, parts)
            }
            word => Con::node("NP", vec![word, mark]),
        }
    }

    fn determiners(&mut self, np: &Np, det: Option<Det>, next: &str, head: Tok) -> Vec<Con> {
        let Some(det) = det.filter(|&d| d != Det::Definite || !is_regular_meal(np)) else { return vec![] };
        let concept = np.concept.part(1);
        let plural = np.plural;
        let words: Vec<(&str, &str, &'static str)> = match det {
            Det::Definite => vec![("the", "the", "DT")],
            Det::Indefinite if plural => vec![],
            Det::Indefinite | Det::Profession => vec![(morph::article(next), "a", "DT")],
            Det::No if plural || is_mass(np) => vec![("any", "any", "DT")],
            Det::No => vec![(morph::article(next), "a", "DT")],
            Det::Demonstrative if plural => vec![("these", "this", "DT")],
            Det::Demonstrative => vec![("this", "this", "DT")],
            Det::Possessive(person) => {
                vec![(morph::possessive(person), morph::possessive(person), "PRP$")]
            }
            Det::Which => vec![("which", "which", "WDT")],
            Det::WhatKind => vec![],
            Det::Every => vec![("every", "every", "DT")],
            Det::Some => vec![("some", "some", "DT")],
            Det::Many => vec![("many", "many", "JJ")],
            Det::All => vec![("all", "all", "PDT"), ("the", "the", "DT")],
            Det::More => vec![("more", "more", "JJR")],
            Det::Number(_, form) => vec![(form, form, "CD")],
            Det::Whose(..) => vec![("whose", "whose", "WP$")],
        };
        let build = |(form, lemma, xpos): (&str, &str, &'static str)| {
            let (upos, relation) = match xpos {
                "CD" => ("NUM", "nummod"),
                "JJ" | "JJR" => ("ADJ", "amod"),
                "PRP$" | "WP$" => ("PRON", "nmod:poss"),
                "PDT" => ("DET", "det:predet"),
                _ => ("DET", "det"),
            };
            let word = Word::new(form, lemma, upos, xpos);
            let beside = det == Det::No || (det == Det::All && form == "the");
            let word = if beside { word.helps(concept) } else { word.means(concept) };
            self.draft.dependent(word, head, relation)
        };
        words.into_iter().map(build).collect()
    }

    fn with_relative(&mut self, np: &Np, head: Tok, con: Con) -> Con {
        let Some(Relative { clause, .. }) = np.relative.as_deref() else { return con };
        let built = self.clause(clause, Form::Relative);
        self.draft.attach(built.head, head, "acl:relcl");
        Con::node("NP", vec![con, built.con])
    }
}

fn is_mass(np: &Np) -> bool {
    matches!(np.core, Core::Common(noun, _) if noun.is_mass())
}

/// Whether English names it without an article: `cook dinner`.
fn is_regular_meal(np: &Np) -> bool {
    matches!(np.core, Core::Common(noun, _) if noun.is("cookmeal"))
}

fn plural_in_s(np: &Np) -> bool {
    matches!(np.core, Core::Common(noun, _) if noun.en_plural.ends_with('s'))
}

/// Whether English writes the owner before the owned, with `'s`.
fn is_owner(np: &Np) -> bool {
    match np.core {
        Core::Common(noun, _) => noun.is("per") || noun.is("animal"),
        _ => true,
    }
}

fn pronoun(np: &Np, subject: bool) -> Word {
    let word = match np.core {
        Core::Pronoun(person) => {
            let agreement = person.en_agreement();
            let case = if subject { "Nom" } else { "Acc" };
            let number = number_ud(agreement.plural);
            let feats = format!("Case={case}|Number={number}|Person={}|PronType=Prs", agreement.person);
            Word::new(morph::pronoun(person, subject), morph::pronoun(person, true), "PRON", "PRP")
                .feats(feats)
        }
        Core::Who => Word::new("who", "who", "PRON", "WP").feats("PronType=Int"),
        Core::What => Word::new("what", "what", "PRON", "WP").feats("PronType=Int"),
        Core::Someone => Word::new("someone", "someone", "PRON", "NN").feats("PronType=Ind"),
        Core::Relative(_, _, person) => {
            let (form, xpos) = match (person, subject) {
                (true, true) => ("who", "WP"),
                (true, false) => ("whom", "WP"),
                (false, _) => ("that", "WDT"),
            };
            Word::new(form, form, "PRON", xpos).feats("PronType=Rel")
        }
        Core::Common(..) | Core::Name(_) | Core::And(..) => unreachable!("these are not pronouns"),
    };
    word.means(np.concept)
}
