//! German clauses: front field, finite verb, middle field, verbs at the end, and what comes after them.

use super::field::{self, Item, Origin, Rank};
use super::np::Nominal;
use super::{German, morphology as morph};
use crate::draft::{Con, Tok, Word};
use crate::features::{Agreement, Case, Person};
use crate::lexicon::{DeSlot, Frame, Noun, Unit};
use crate::syntax::{
    Adverbial, Body, Clause, Concept, Core, Embedded, EmbeddedKind, Front, Kind, Negation, Np, Predicate,
};

/// The forms a clause can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// Verb second.
    Main,
    /// Verb second after a question word, else verb first.
    Question,
    /// Verb first, with `bitte` if it has a concept.
    Order(Person, Option<Concept>),
    /// Verb second without a subject, after `und`.
    SharedSubject(Agreement),
    /// Verb last after a conjunction.
    Subordinate(&'static str),
    /// Verb last after a relative pronoun.
    Relative,
    /// Verb last after a question word.
    IndirectQuestion,
    /// `zu` and infinitive, whose understood subject has this agreement; with `um` or not.
    Infinitive(Agreement, bool),
}

impl Form {
    /// Whether the finite verb stands at the end.
    pub fn is_verb_last(self) -> bool {
        matches!(self, Self::Subordinate(_) | Self::Relative | Self::IndirectQuestion | Self::Infinitive(..))
    }
}

/// A clause in German.
pub(super) struct Built {
    pub head: Tok,
    pub parts: Vec<Con>,
    /// A participant of the infinitive that goes to the front of the higher clause.
    pub raised: Option<Con>,
}

/// A clause while its pieces are gathered.
struct Fields {
    head: Tok,
    middle: Vec<Item>,
    /// What follows the verbs.
    after: Vec<Con>,
    front: Vec<Con>,
    subject: Option<usize>,
}

impl German {
    /// A clause in a form.
    pub(super) fn clause(&mut self, clause: &Clause, form: Form) -> Built {
        let agreement = match form {
            Form::Infinitive(agreement, _) => agreement,
            Form::Order(person, _) => person.de_agreement(),
            Form::SharedSubject(agreement) => agreement,
            _ => self.subject_agreement(clause),
        };
        let complex = self.complex(clause, form, agreement);
        let head = complex.head;
        let mut fields = Fields { head, middle: vec![], after: vec![], front: vec![], subject: None };
        self.participants(clause, &mut fields);
        let fixed = self.verb_words(clause, form, agreement, &mut fields);
        self.negation(clause, &mut fields);
        for (at, adverbial) in clause.adverbials.iter().enumerate() {
            self.adverbial(at, adverbial, clause, &mut fields);
        }
        if let Some(embedded) = &clause.complement {
            self.complement(embedded, fixed, clause, form, agreement, &mut fields);
        }
        if let Some(predicate) = complex.predicate {
            fields.middle.push(Item { rank: Rank::Direction, origin: Origin::Other, con: predicate });
        }
        fields.after.extend(complex.comparison);
        fields.middle.sort_by_key(|i| i.rank);
        let raised = match (form, clause.front) {
            (Form::Infinitive(..), Front::Role(role)) => field::take(&mut fields.middle, Origin::Role(role)),
            _ => None,
        };
        if fields.front.is_empty() && !matches!(form, Form::Infinitive(..)) {
            let front = take_front(clause, form, &mut fields);
            fields.front.extend(front);
        }
        let verbs = Verbs { finite: complex.finite, prefix: complex.prefix, inner: complex.inner };
        let parts = self.assemble(clause, form, fields, verbs);
        Built { head, parts, raised }
    }

    fn subject_agreement(&self, clause: &Clause) -> Agreement {
        clause.agreement_of(clause.de_subject()).unwrap_or(Agreement::THIRD)
    }

    fn participants(&mut self, clause: &Clause, fields: &mut Fields) {
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
                field::subject_rank(np, clause.scrambled)
            } else {
                field::role_rank(slot, np, clause.scrambled)
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
    fn verb_words(
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
        let word = Word::new(form, "sich", "PRON", "PRF").means(concept).feats(feats);
        Con::node("NP", vec![self.draft.dependent(word, head, "expl:pv")]).role("OA")
    }

    fn fixed(&mut self, unit: &Unit, clause: &Clause, fields: &mut Fields) -> Option<Tok> {
        if unit.is_empty() {
            return None;
        }
        let (head, parts) = self.draft.unit(unit, clause.concept);
        self.draft.attach(head, fields.head, unit.words[unit.head()].relation);
        let con = Con::node("NP", parts).role("OA");
        fields.middle.push(Item { rank: Rank::Fixed, origin: Origin::Other, con });
        Some(head)
    }

    fn negation(&mut self, clause: &Clause, fields: &mut Fields) {
        if let Some(Negation::Not(concept)) = clause.negation {
            let word = Word::new("nicht", "nicht", "PART", "PTKNEG").means(concept).feats("Polarity=Neg");
            let con = self.draft.dependent(word, fields.head, "advmod");
            fields.middle.push(Item { rank: Rank::Negation, origin: Origin::Other, con });
        }
    }

    fn adverbial(&mut self, at: usize, adverbial: &Adverbial, clause: &Clause, fields: &mut Fields) {
        let concept = adverbial.concept;
        let head = fields.head;
        let con = match &adverbial.body {
            Body::Adverb(adverb) => {
                let (tok, parts) = self.draft.unit(&adverb.de, concept);
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
                self.subordinate(built, "S", "advcl", inner.concept, fields, clause, at);
                return;
            }
            Body::Purpose(inner) => {
                let form = Form::Infinitive(self.subject_agreement(clause), true);
                let built = self.clause(inner, form);
                self.subordinate(built, "VP", "advcl", inner.concept, fields, clause, at);
                return;
            }
        };
        let rank = field::adverbial_rank(adverbial.kind);
        fields.middle.push(Item { rank, origin: Origin::Adverbial(at), con });
    }

    /// Places an adverbial clause first or last.
    #[expect(clippy::too_many_arguments, reason = "each is another thing; a struct would be used once")]
    fn subordinate(
        &mut self,
        built: Built,
        label: &'static str,
        relation: &'static str,
        concept: Concept,
        fields: &mut Fields,
        clause: &Clause,
        at: usize,
    ) {
        self.draft.attach(built.head, fields.head, relation);
        let comma = self.draft.comma(built.head, Some(concept.part(Concept::COMMA)));
        let con = Con::node(label, built.parts).role("MO");
        if clause.front == Front::Adverbial(at) {
            fields.front.extend([con, comma]);
        } else {
            let close = self.draft.comma(built.head, None);
            fields.after.extend([comma, con, close]);
        }
    }

    fn complement(
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
        let con = Con::node(label, built.parts).role("OC");
        match embedded.kind {
            EmbeddedKind::Infinitive(_, true) => {
                fields.middle.push(Item { rank: Rank::Infinitive, origin: Origin::Other, con });
            }
            EmbeddedKind::Infinitive(..) if matches!(clause.front, Front::Inner(_)) => {
                fields.after.insert(0, con);
            }
            _ => {
                debug_assert!(!matches!(form, Form::Infinitive(..)));
                let open = self.draft.comma(built.head, None);
                let close = self.draft.comma(built.head, None);
                fields.after.extend([open, con, close]);
            }
        }
    }

    fn assemble(&mut self, clause: &Clause, form: Form, fields: Fields, verbs: Verbs) -> Vec<Con> {
        let Fields { head, middle, after, front, subject } = fields;
        let subject = subject.map(Origin::Role);
        let before = middle.iter().position(|i| Some(i.origin) == subject).map_or(0, |at| at + 1);
        let mut middle: Vec<Con> = middle.into_iter().map(|i| i.con).collect();
        let rest = middle.split_off(before);
        let mut parts: Vec<Con> = vec![];
        match form {
            Form::Subordinate(conjunction) => {
                let concept = clause.concept.part(Concept::MARK);
                let word = Word::new(conjunction, conjunction, "SCONJ", "KOUS").means(concept);
                parts.push(self.draft.dependent(word, head, "mark"));
            }
            Form::Infinitive(_, true) => {
                let word = Word::new("um", "um", "SCONJ", "KOUI").means(clause.concept.part(3));
                parts.push(self.draft.dependent(word, head, "mark"));
            }
            _ => {}
        }
        parts.extend(front);
        let Verbs { mut finite, prefix, inner } = verbs;
        if !form.is_verb_last() {
            parts.extend(finite.take());
        }
        parts.append(&mut middle);
        if matches!(form, Form::Infinitive(..)) {
            parts.extend(rest);
            parts.extend(inner);
        } else {
            parts.extend(verb_phrase(rest, inner));
        }
        parts.extend(finite);
        parts.extend(prefix);
        parts.extend(after);
        parts
    }
}

/// What stands first: the topic, the question word or the relative pronoun.
fn take_front(clause: &Clause, form: Form, fields: &mut Fields) -> Option<Con> {
    let wanted = match clause.front {
        Front::Subject => fields.subject.map(Origin::Role),
        Front::Role(role) => Some(Origin::Role(role)),
        Front::Adverbial(at) => Some(Origin::Adverbial(at)),
        Front::Inner(_) => None,
    };
    let fronts = match form {
        Form::Main | Form::Relative | Form::IndirectQuestion => true,
        Form::Question => clause.asks(),
        _ => false,
    };
    wanted.filter(|_| fronts).and_then(|origin| field::take(&mut fields.middle, origin))
}

/// The verbs of a clause by place.
struct Verbs {
    finite: Option<Con>,
    prefix: Option<Con>,
    inner: Vec<Con>,
}

/// The rest of the middle field with the verbs at the end: nested phrases, or no phrase if there are no such verbs.
fn verb_phrase(rest: Vec<Con>, inner: Vec<Con>) -> Vec<Con> {
    if inner.is_empty() {
        return rest;
    }
    let mut parts = rest;
    for verb in inner {
        parts.push(verb);
        parts = vec![Con::node("VP", parts).role("OC")];
    }
    parts
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
