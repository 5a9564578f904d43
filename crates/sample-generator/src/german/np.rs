//! German noun phrases and prepositional phrases.

use super::clause::Form;
use super::{German, morphology as morph};
use crate::draft::{Con, Tok, Word};
use crate::features::{Case, Gender, number_ud};
use crate::lexicon::{Name, Noun};
use crate::syntax::{Concept, Core, Det, Np, Phrase, Relative};
use morph::Series;

/// A phrase in German.
pub(super) struct Nominal {
    pub head: Tok,
    pub con: Con,
    /// Clauses and comparisons that stand apart, after the verb.
    pub tail: Vec<Con>,
    /// The `was` of `was für ein`, to be placed first.
    pub what: Option<Con>,
}

impl Nominal {
    fn new(head: Tok, label: &'static str, parts: Vec<Con>) -> Self {
        Self { head, con: Con::node(label, parts), tail: vec![], what: None }
    }
}

/// A preposition in front of a phrase: form, case and concept.
type Prep = Option<(&'static str, Concept)>;

/// Case, gender and number, of a noun or a determiner.
fn feats(case: Case, gender: Gender, plural: bool) -> String {
    format!("Case={}|Gender={}|Number={}", case.ud(), gender.ud(), number_ud(plural))
}

impl German {
    /// A noun phrase in a case.
    pub(super) fn np(&mut self, np: &Np, case: Case) -> Nominal {
        self.nominal(np, case, None)
    }

    /// A prepositional phrase.
    pub(super) fn phrase(&mut self, phrase: &Phrase) -> Nominal {
        self.nominal(&phrase.np, phrase.de.1, Some((phrase.de.0, phrase.concept)))
    }

    /// A phrase with or without a preposition, which may contract with the article or the question word.
    pub(super) fn nominal(&mut self, np: &Np, case: Case, prep: Prep) -> Nominal {
        if let (Core::What, Some((form, concept))) = (&np.core, prep) {
            let form = morph::wo_form(form);
            let head =
                self.draft.word(Word::new(&form, &form, "ADV", "PWAV").means(concept).means(np.concept));
            return Nominal::new(head, "PP", vec![Con::Word(head)]);
        }
        match &np.core {
            Core::Common(noun, det) => self.common(np, noun, *det, case, prep),
            Core::Name(name) => self.name(np, name, case, prep),
            Core::And(first, second) => self.coordination(np.concept, first, second, case, prep),
            _ => {
                let head = self.draft.word(pronoun(np, case));
                let parts = self.with_preposition(prep, head, vec![Con::Word(head)]);
                Nominal::new(head, if prep.is_some() { "PP" } else { "NP" }, parts)
            }
        }
    }

    fn with_preposition(&mut self, prep: Prep, head: Tok, mut parts: Vec<Con>) -> Vec<Con> {
        if let Some((form, concept)) = prep {
            let word = Word::new(form, form, "ADP", "APPR").means(concept);
            let word = self.draft.dependent(word, head, "case");
            parts.insert(0, word);
        }
        parts
    }

    fn coordination(&mut self, concept: Concept, first: &Np, second: &Np, case: Case, prep: Prep) -> Nominal {
        let (one, two) = (self.np(first, case), self.np(second, case));
        self.draft.attach(two.head, one.head, "conj");
        let and = Word::new("und", "und", "CCONJ", "KON").means(concept);
        let and = self.draft.dependent(and, two.head, "cc");
        let parts = vec![one.con.role("CJ"), and, two.con.role("CJ")];
        if prep.is_none() {
            return Nominal::new(one.head, "CNP", parts);
        }
        let parts = self.with_preposition(prep, one.head, vec![Con::node("CNP", parts)]);
        Nominal::new(one.head, "PP", parts)
    }

    fn name(&mut self, np: &Np, name: &Name, case: Case, prep: Prep) -> Nominal {
        let mut words = name.de.split(' ');
        let first = words.next().unwrap_or(name.de);
        let rest: Vec<&str> = words.collect();
        let form = match (first, case) {
            ("Herr", Case::Acc | Case::Dat | Case::Gen) => "Herrn".to_owned(),
            (_, Case::Gen) => format!("{first}s"),
            _ => first.to_owned(),
        };
        let (upos, xpos) = if rest.is_empty() { ("PROPN", "NE") } else { ("NOUN", "NN") };
        let feats = format!("Case={}|Number=Sing", case.ud());
        let concept = if rest.is_empty() { np.concept } else { np.concept.part(1) };
        let head = self.draft.word(Word::new(&form, first, upos, xpos).means(concept).feats(feats.as_str()));
        let mut parts = vec![Con::Word(head)];
        for form in rest {
            let word = Word::new(form, form, "PROPN", "NE").means(np.concept).feats(feats.as_str());
            parts.push(self.draft.dependent(word, head, "flat"));
        }
        if case == Case::Gen {
            self.draft.add_help(head, np.concept.part(2));
        }
        let mut parts = self.with_preposition(prep, head, parts);
        let tail = self.relative(np, head, &mut parts);
        Nominal { tail, ..Nominal::new(head, if prep.is_some() { "PP" } else { "NP" }, parts) }
    }

    fn common(&mut self, np: &Np, noun: &'static Noun, det: Option<Det>, case: Case, prep: Prep) -> Nominal {
        let form = morph::noun(noun, case, np.plural);
        let features = feats(case, noun.gender, np.plural);
        let head = self.draft.word(Word::new(&form, noun.de, "NOUN", "NN").means(np.concept).feats(features));
        let (mut parts, what) = self.opening(np, noun, det, case, prep, head);
        let owner = prenominal_owner(np);
        let series = if owner.is_some() { Series::Strong } else { series(det, np.plural) };
        for (concept, adjective) in &np.adjectives {
            let form = morph::adjective(adjective.de_stem, series, case, noun.gender, np.plural);
            let word = Word::new(&form, adjective.de, "ADJ", "ADJA").means(*concept);
            let word = word.feats(format!("{}|Degree=Pos", feats(case, noun.gender, np.plural)));
            parts.push(self.draft.dependent(sorted_feats(word), head, "amod"));
        }
        parts.push(Con::Word(head));
        if let Some(owner) = np.genitive.as_deref().filter(|_| owner.is_none()) {
            let owner = self.np(owner, Case::Gen);
            self.draft.attach(owner.head, head, "nmod");
            parts.push(owner.con.role("AG"));
        }
        if let Some(phrase) = &np.phrase {
            let phrase = self.phrase(phrase);
            self.draft.attach(phrase.head, head, "nmod");
            parts.push(phrase.con.role("MNR"));
        }
        let mut tail = self.relative(np, head, &mut parts);
        if let Some(than) = &np.than {
            tail.push(self.than(than, head));
        }
        let label = if prep.is_some() { "PP" } else { "NP" };
        Nominal { tail, what, ..Nominal::new(head, label, parts) }
    }

    /// What stands before the adjectives: preposition, article or owner; and a `was` to be placed apart.
    fn opening(
        &mut self,
        np: &Np,
        noun: &Noun,
        det: Option<Det>,
        case: Case,
        prep: Prep,
        head: Tok,
    ) -> (Vec<Con>, Option<Con>) {
        let contracted = prep.filter(|_| det == Some(Det::Definite) && np.relative.is_none()).and_then(|p| {
            let article = morph::article(case, noun.gender, np.plural);
            morph::contraction(p.0, article).map(|form| (form, p))
        });
        if let Some((form, (lemma, concept))) = contracted {
            let word = Word::new(form, lemma, "ADP", "APPRART").means(concept).helps(np.concept.part(1));
            return (vec![self.draft.dependent(word, head, "case")], None);
        }
        if let Some(owner) = prenominal_owner(np) {
            let owner = self.np(owner, Case::Gen);
            self.draft.attach(owner.head, head, "nmod:poss");
            return (self.with_preposition(prep, head, vec![owner.con.role("AG")]), None);
        }
        let (mut parts, mut what) = (vec![], None);
        if det == Some(Det::WhatKind) {
            let was = Word::new("was", "was", "DET", "PWAT").means(np.concept.part(1));
            what = Some(self.draft.dependent(was, head, "det"));
            let with = Word::new("für", "für", "ADP", "APPR").helps(np.concept.part(1));
            parts.push(self.draft.dependent(with, head, "case"));
        }
        if let Some(word) = det.and_then(|d| determiner(np, noun, d, case)) {
            let relation = match det {
                Some(Det::Possessive(_) | Det::Whose(..)) => "det:poss",
                Some(Det::Number(..)) => "nummod",
                _ => "det",
            };
            parts.push(self.draft.dependent(word, head, relation));
        }
        (self.with_preposition(prep, head, parts), what)
    }

    /// What is compared with: `als sein Bruder`.
    pub(super) fn than(&mut self, than: &Np, head: Tok) -> Con {
        let than_np = self.np(than, Case::Nom);
        self.draft.attach(than_np.head, head, "obl");
        let word = Word::new("als", "als", "ADP", "KOKOM").means(than.concept.part(2));
        let als = self.draft.dependent(word, than_np.head, "case");
        Con::Node("NP", "CC", vec![als, than_np.con])
    }

    /// Adds a relative clause to a phrase, or returns it if it stands apart.
    fn relative(&mut self, np: &Np, head: Tok, parts: &mut Vec<Con>) -> Vec<Con> {
        let Some(Relative { clause, extraposed }) = np.relative.as_deref() else { return vec![] };
        let built = self.clause(clause, Form::Relative);
        self.draft.attach(built.head, head, "acl:relcl");
        let open = self.draft.comma(built.head, Some(clause.opener()));
        let close = self.draft.comma(built.head, None);
        let clause = vec![open, Con::node("S", built.parts).role("RC"), close];
        if *extraposed {
            return clause;
        }
        parts.extend(clause);
        vec![]
    }
}

/// An owner with a name, who stands before the noun: `Annas Hut`.
fn prenominal_owner(np: &Np) -> Option<&Np> {
    np.genitive.as_deref().filter(|g| matches!(g.core, Core::Name(_)))
}

/// Which endings an adjective has after a determiner.
fn series(det: Option<Det>, plural: bool) -> Series {
    match det {
        Some(Det::Definite | Det::Demonstrative | Det::Which | Det::Every | Det::All) => Series::Weak,
        Some(Det::Indefinite | Det::WhatKind) if !plural => Series::Mixed,
        Some(Det::No | Det::Possessive(_)) => Series::Mixed,
        _ => Series::Strong,
    }
}

fn determiner(np: &Np, noun: &Noun, det: Det, case: Case) -> Option<Word> {
    let (gender, plural) = (noun.gender, np.plural);
    let der = |stem: &str| morph::der_word(stem, case, gender, plural);
    let ein = |stem: &str| morph::ein_word(stem, case, gender, plural);
    let (form, lemma, xpos) = match det {
        Det::Definite => (morph::article(case, gender, plural).to_owned(), "der", "ART"),
        Det::Profession => return None,
        Det::Indefinite | Det::WhatKind if plural => return None,
        Det::Indefinite | Det::WhatKind => (ein("ein"), "ein", "ART"),
        Det::No => (ein("kein"), "kein", "PIAT"),
        Det::Demonstrative => (der("dies"), "dieser", "PDAT"),
        Det::Possessive(person) => (ein(morph::possessive(person)), morph::possessive(person), "PPOSAT"),
        Det::Which => (der("welch"), "welcher", "PWAT"),
        Det::Every => (der("jed"), "jeder", "PIAT"),
        Det::Some => (der("einig"), "einige", "PIAT"),
        Det::Many => (der("viel"), "viel", "PIAT"),
        Det::All => (der("all"), "all", "PIAT"),
        Det::More => ("mehr".to_owned(), "viel", "PIAT"),
        Det::Number(form, _) => (form.to_owned(), form, "CARD"),
        Det::Whose(gender, plural) => {
            (morph::relative(Case::Gen, gender, plural).to_owned(), "der", "PRELAT")
        }
    };
    let upos = if xpos == "CARD" { "NUM" } else { "DET" };
    let word = Word::new(&form, lemma, upos, xpos);
    let concept = np.concept.part(1);
    let word = if det == Det::WhatKind { word.helps(concept) } else { word.means(concept) };
    let word = match det {
        Det::Number(..) => word.feats("NumType=Card"),
        Det::More | Det::Whose(..) => word,
        _ => word.feats(feats(case, gender, plural)),
    };
    Some(if case == Case::Gen { word.helps(np.concept.part(2)) } else { word })
}

fn sorted_feats(mut word: Word) -> Word {
    let mut feats: Vec<&str> = word.feats.split('|').collect();
    feats.sort_unstable();
    word.feats = feats.join("|");
    word
}

/// A phrase of one word.
fn pronoun(np: &Np, case: Case) -> Word {
    let word = match np.core {
        Core::Pronoun(person) => {
            let form = morph::pronoun(person, case);
            let agreement = person.de_agreement();
            let feats = format!(
                "Case={}|Number={}|Person={}|PronType=Prs",
                case.ud(),
                number_ud(agreement.plural),
                agreement.person
            );
            Word::new(form, morph::pronoun(person, Case::Nom), "PRON", "PPER").feats(feats)
        }
        Core::Who => {
            let form = match case {
                Case::Nom => "wer",
                Case::Acc => "wen",
                Case::Dat => "wem",
                Case::Gen => "wessen",
            };
            Word::new(form, "wer", "PRON", "PWS").feats(format!("Case={}|PronType=Int", case.ud()))
        }
        Core::What => {
            Word::new("was", "was", "PRON", "PWS").feats(format!("Case={}|PronType=Int", case.ud()))
        }
        Core::Someone => {
            let form = match case {
                Case::Nom | Case::Gen => "jemand",
                Case::Acc => "jemanden",
                Case::Dat => "jemandem",
            };
            Word::new(form, "jemand", "PRON", "PIS").feats(format!("Case={}|PronType=Ind", case.ud()))
        }
        Core::Relative(gender, plural, _) => {
            let form = morph::relative(case, gender, plural);
            Word::new(form, "der", "PRON", "PRELS").feats(format!(
                "Case={}|Gender={}|Number={}|PronType=Rel",
                case.ud(),
                gender.ud(),
                number_ud(plural)
            ))
        }
        Core::Common(..) | Core::Name(_) | Core::And(..) => unreachable!("these are not pronouns"),
    };
    word.means(np.concept)
}
