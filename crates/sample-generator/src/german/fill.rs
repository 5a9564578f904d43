//! Filling the fields of a German clause: participants, the words that belong to the verb, adverbials and complements.

use super::clause::{Built, Fields, Form};
use super::field::{self, Item, Origin, Rank};
use super::np::Nominal;
use super::{German, morphology as morph};
use crate::draft::{Con, Tok, Word};
use crate::features::{Agreement, Case, Gender, Person};
use crate::lexicon::{DeSlot, Frame, Noun, Unit};
use crate::syntax::{
    Adverbial, Body, Clause, Concept, Core, Embedded, EmbeddedKind, Front, Kind, Negation, Np, Predicate,
};

impl German {
    pub(super) fn participants(&mut self, clause: &Clause, fields: &mut Fields) {
        let subject = clause.de_subject();
        for (role, np) in clause.participants.iter().enumerate() {
            let Some(np) = np else { continue };
            let slot = match &clause.predicate {
                _ if role == subject => DeSlot::Bare(Case::Nom),
                Predicate::Verb(frame) if clause.passive && role == frame.de_subject() => {
                    DeSlot::Prep("von", Case::Dat)
                }
                Predicate::Verb(frame) => frame.roles[role].de,
                _ => DeSlot::Bare(Case::Nom),
            };
            let concept = clause.participants[role].as_ref().map_or(clause.concept, |n| n.concept.part(3));
            let mut nominal = self.participant(np, slot, concept);
            let relation = relation(clause, role, slot);
            self.draft.attach(nominal.head, fields.head, relation.0);
            fields.after.append(&mut nominal.tail);
            let rank = if role == subject {
                fields.subject = Some(role);
                field::subject_rank(np, clause.scrambled, clause.has_ambiguous_pronoun())
            } else {
                field::role_rank(slot, np, clause.scrambled && clause.lets_object_pass())
            };
            let con = nominal.con.role(relation.1);
            let con = match nominal.what {
                Some(what) if clause.scrambled => {
                    fields.front.push(Con::node("NP", vec![what]));
                    con
                }
                Some(what) => join_what(what, con),
                None => con,
            };
            fields.middle.push(Item { rank, origin: Origin::Role(role), con });
        }
    }

    fn participant(&mut self, np: &Np, slot: DeSlot, concept: Concept) -> Nominal {
        match slot {
            DeSlot::Bare(case) => self.np(np, case),
            DeSlot::Prep(preposition, case) => self.nominal(np, case, Some((preposition, concept))),
            DeSlot::Direction => {
                let (preposition, case) = direction(np);
                self.nominal(np, case, Some((preposition, concept)))
            }
            DeSlot::Location => {
                let preposition = place(np).and_then(|n| n.place).map_or("in", |p| p.location.0);
                self.nominal(np, Case::Dat, Some((preposition, concept)))
            }
        }
    }

    /// Reflexive pronoun, fixed words and `bitte`; returns the head of the fixed words.
    pub(super) fn verb_words(
        &mut self,
        clause: &Clause,
        form: Form,
        agreement: Agreement,
        fields: &mut Fields,
    ) -> Option<Tok> {
        let Predicate::Verb(frame) = clause.predicate else { return None };
        if let Form::Order(person, please) = form {
            if person == Person::Formal {
                let word = Word::new("Sie", "Sie", "PRON", "PPER").feats("Case=Nom|PronType=Prs");
                let con = self.draft.dependent(word, fields.head, "nsubj");
                let con = Con::node("NP", vec![con]).role("SB");
                fields.middle.push(Item { rank: Rank::EarlySubject, origin: Origin::Other, con });
            }
            if let Some(please) = please {
                let word = Word::new("bitte", "bitte", "INTJ", "ITJ").means(please);
                let con = self.draft.dependent(word, fields.head, "discourse");
                fields.middle.push(Item { rank: Rank::Subject, origin: Origin::Other, con });
            }
        }
        if let Some(case) = frame.de.reflexive {
            let con = self.reflexive(case, agreement, clause.concept, fields.head);
            let rank = if case == Case::Acc { Rank::AccusativePronoun } else { Rank::DativePronoun };
            fields.middle.push(Item { rank, origin: Origin::Other, con });
        }
        self.fixed(&frame.de.fixed, clause, fields)
    }

    fn reflexive(&mut self, case: Case, agreement: Agreement, concept: Concept, head: Tok) -> Con {
        let form = match (agreement.person, agreement.plural) {
            (1, false) => morph::pronoun(Person::I, case),
            (2, false) => morph::pronoun(Person::Thou, case),
            (1, true) => "uns",
            (2, true) => "euch",
            _ => "sich",
        };
        let feats = format!("Case={}|PronType=Prs|Reflex=Yes", case.ud());
        let word = Word::new(form, "sich", "PRON", "PRF").helps(concept).feats(feats);
        Con::node("NP", vec![self.draft.dependent(word, head, "expl:pv")]).role("OA")
    }

    fn fixed(&mut self, unit: &Unit, clause: &Clause, fields: &mut Fields) -> Option<Tok> {
        if unit.is_empty() {
            return None;
        }
        let (head, parts) = self.draft.unit(unit, clause.concept, true);
        self.draft.attach(head, fields.head, unit.words[unit.head()].relation);
        let con = Con::node("NP", parts).role("OA");
        fields.middle.push(Item { rank: Rank::Fixed, origin: Origin::Other, con });
        Some(head)
    }

    pub(super) fn negation(&mut self, clause: &Clause, fields: &mut Fields) {
        if let Some(Negation::Not(concept)) = clause.negation {
            let word = Word::new("nicht", "nicht", "PART", "PTKNEG").means(concept).feats("Polarity=Neg");
            let con = self.draft.dependent(word, fields.head, "advmod");
            fields.middle.push(Item { rank: Rank::Negation, origin: Origin::Other, con });
        }
    }

    pub(super) fn adverbial(
        &mut self,
        at: usize,
        adverbial: &Adverbial,
        clause: &Clause,
        fields: &mut Fields,
    ) {
        let concept = adverbial.concept;
        let head = fields.head;
        let con = match &adverbial.body {
            Body::Adverb(adverb) => {
                let (tok, parts) = self.draft.unit(&adverb.de, concept, false);
                let word = &adverb.de.words[adverb.de.head()];
                self.draft.attach(tok, head, word.relation);
                Con::node(unit_label(&adverb.de), parts).role("MO")
            }
            Body::Phrase(phrase) => {
                let mut nominal = self.phrase(phrase);
                self.draft.attach(nominal.head, head, "obl");
                fields.after.append(&mut nominal.tail);
                nominal.con.role("MO")
            }
            Body::Question(form, _) => {
                let word = Word::new(form, form, "ADV", "PWAV").means(concept);
                Con::node("AVP", vec![self.draft.dependent(word, head, "advmod")]).role("MO")
            }
            Body::Compared(form, _, than) => {
                let word = Word::new(form, form, "ADV", "ADJD").means(concept).feats("Degree=Cmp");
                let tok = self.draft.word(word);
                self.draft.attach(tok, head, "advmod");
                let than = self.than(than, tok);
                fields.after.push(than);
                Con::node("AVP", vec![Con::Word(tok)]).role("MO")
            }
            Body::Clause(conjunction, _, inner) => {
                let built = self.clause(inner, Form::Subordinate(conjunction));
                self.subordinate(built, "S", inner, clause.front == Front::Adverbial(at), fields);
                return;
            }
            Body::Purpose(inner) => {
                let form = Form::Infinitive(clause.subject_agreement(), true);
                let built = self.clause(inner, form);
                self.subordinate(built, "VP", inner, clause.front == Front::Adverbial(at), fields);
                return;
            }
        };
        let rank = field::adverbial_rank(adverbial.kind);
        fields.middle.push(Item { rank, origin: Origin::Adverbial(at), con });
    }

    /// Places an adverbial clause first or last.
    fn subordinate(
        &mut self,
        built: Built,
        label: &'static str,
        inner: &Clause,
        first: bool,
        fields: &mut Fields,
    ) {
        self.draft.attach(built.head, fields.head, "advcl");
        let con = Con::node(label, built.parts).role("MO");
        if first {
            let comma = self.draft.comma(built.head, Some(inner.concept.part(Concept::COMMA)));
            fields.front.extend([con, comma]);
        } else {
            let comma = self.draft.comma(built.head, Some(inner.opener()));
            let close = self.draft.comma(built.head, None);
            fields.after.extend([comma, con, close]);
        }
    }

    pub(super) fn complement(
        &mut self,
        embedded: &Embedded,
        fixed: Option<Tok>,
        clause: &Clause,
        form: Form,
        agreement: Agreement,
        fields: &mut Fields,
    ) {
        let inner = &embedded.clause;
        let inner_form = match embedded.kind {
            EmbeddedKind::That => Form::Subordinate("dass"),
            EmbeddedKind::Whether => Form::Subordinate("ob"),
            EmbeddedKind::Question => Form::IndirectQuestion,
            EmbeddedKind::Infinitive(infinitive, _) => {
                Form::Infinitive(clause.agreement_of(infinitive.controller).unwrap_or(agreement), false)
            }
        };
        let mut built = self.clause(inner, inner_form);
        let infinitive = matches!(embedded.kind, EmbeddedKind::Infinitive(..));
        let (head, relation) = match (embedded.kind, fixed) {
            (EmbeddedKind::Infinitive(i, _), Some(noun)) if i.of_noun => (noun, "acl"),
            (EmbeddedKind::Infinitive(..), _) => (fields.head, "xcomp"),
            _ => (fields.head, "ccomp"),
        };
        self.draft.attach(built.head, head, relation);
        if matches!(clause.front, Front::Inner(_)) {
            fields.front.extend(built.raised.take());
        }
        let label = if infinitive { "VP" } else { "S" };
        let alone = infinitive && built.parts.len() == 1;
        let con = Con::node(label, built.parts).role("OC");
        match embedded.kind {
            EmbeddedKind::Infinitive(_, true) => {
                fields.middle.push(Item { rank: Rank::Infinitive, origin: Origin::Other, con });
            }
            EmbeddedKind::Infinitive(i, _)
                if (alone && !i.of_noun) || matches!(clause.front, Front::Inner(_)) =>
            {
                fields.after.insert(0, con);
            }
            _ => {
                debug_assert!(!matches!(form, Form::Infinitive(..)));
                let open = self.draft.comma(built.head, Some(inner.opener()));
                let close = self.draft.comma(built.head, None);
                fields.after.extend([open, con, close]);
            }
        }
    }
}

/// Puts `was` before `für ein`.
fn join_what(what: Con, con: Con) -> Con {
    match con {
        Con::Node(label, role, mut parts) => {
            parts.insert(0, what);
            Con::Node(label, role, parts)
        }
        word => word,
    }
}

/// The noun of a place.
fn place(np: &Np) -> Option<&'static Noun> {
    match np.core {
        Core::Common(noun, _) => Some(noun),
        _ => None,
    }
}

/// The preposition of a direction, and its case.
pub(super) fn direction(np: &Np) -> (&'static str, Case) {
    match place(np).and_then(|n| n.place) {
        Some(place) if place.direction.0 == "zu" => ("zu", Case::Dat),
        Some(place) => (place.direction.0, Case::Acc),
        None => ("nach", Case::Dat),
    }
}

/// The relation of a participant, in Universal Dependencies and in the constituency tree.
fn relation(clause: &Clause, role: usize, slot: DeSlot) -> (&'static str, &'static str) {
    let two_objects = |frame: &Frame| frame.de_object().is_some();
    match (slot, &clause.predicate) {
        (DeSlot::Bare(Case::Nom), _) if clause.passive => ("nsubj:pass", "SB"),
        (DeSlot::Bare(Case::Nom), _) => ("nsubj", "SB"),
        (DeSlot::Bare(Case::Dat), Predicate::Verb(frame)) if two_objects(frame) => ("iobj", "DA"),
        (DeSlot::Bare(Case::Dat), _) => ("obl:arg", "DA"),
        (DeSlot::Bare(_), _) => ("obj", "OA"),
        (DeSlot::Prep(..), Predicate::Verb(frame)) if clause.passive && role == frame.de_subject() => {
            ("obl:agent", "SBP")
        }
        (DeSlot::Prep(..), _) => ("obl:arg", "OP"),
        (DeSlot::Direction | DeSlot::Location, _) => ("obl", "MO"),
    }
}

/// The label of a fixed adverbial.
fn unit_label(unit: &Unit) -> &'static str {
    let has = |upos: &str| unit.words.iter().any(|w| w.upos == upos);
    match () {
        () if has("ADP") => "PP",
        () if has("NOUN") || has("PROPN") => "NP",
        () => "AVP",
    }
}

impl Clause {
    /// What the finite verb agrees with.
    pub(super) fn subject_agreement(&self) -> Agreement {
        self.agreement_of(self.de_subject()).unwrap_or(Agreement::THIRD)
    }

    /// Whether the object may stand before the dative: not where a dative would look like its genitive.
    fn lets_object_pass(&self) -> bool {
        let Predicate::Verb(frame) = self.predicate else { return true };
        let dative = frame.de_role(DeSlot::Bare(Case::Dat)).and_then(|role| self.participants[role].as_ref());
        dative.is_none_or(|np| match np.core {
            Core::Common(noun, _) => noun.gender == Gender::Masc && !np.plural && np.is_definite(),
            _ => np.is_pronoun(),
        })
    }

    /// Whether an accusative pronoun has the form of the nominative, so that it must follow the subject.
    fn has_ambiguous_pronoun(&self) -> bool {
        let Predicate::Verb(frame) = self.predicate else { return false };
        let object = frame.de_object().and_then(|role| self.participants[role].as_ref());
        object.is_some_and(|np| match np.core {
            Core::Pronoun(person) => morph::pronoun(person, Case::Acc) == morph::pronoun(person, Case::Nom),
            _ => false,
        })
    }

    /// Whether something in it asks.
    pub(crate) fn asks(&self) -> bool {
        let inner = match (&self.complement, self.front) {
            (Some(embedded), Front::Inner(role)) => embedded.clause.participants[role].as_ref(),
            _ => None,
        };
        self.participants.iter().flatten().chain(inner).any(Np::is_wh)
            || self.adverbials.iter().any(|a| matches!(a.body, Body::Question(..)))
    }

    /// Whether an adverbial of a kind is there.
    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.adverbials.iter().any(|a| a.kind == kind)
    }
}
