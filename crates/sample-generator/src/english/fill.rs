//! Filling the fields of an English clause: participants, adverbials and complements.

use super::English;
use super::clause::{Built, Fields, Form};
use crate::draft::{Con, Tok, Word};
use crate::lexicon::{EnSlot, Unit};
use crate::syntax::{
    Adverbial, Body, Clause, Concept, Core, Embedded, EmbeddedKind, Front, Kind, Np, Predicate,
};

impl English {
    /// Subject, objects, particle and fixed words; returns the head of the fixed words.
    pub(super) fn participants(&mut self, clause: &Clause, form: Form, fields: &mut Fields) -> Option<Tok> {
        let subject = clause.en_subject();
        if let Some(Some(np)) = clause.participants.get(subject) {
            let nominal = self.np(np, true);
            let relation = if clause.passive { "nsubj:pass" } else { "nsubj" };
            self.draft.attach(nominal.head, fields.top, relation);
            if clause.fronts_in_english(np, form) {
                fields.front = Some(nominal.con);
            } else {
                fields.subject = Some(nominal.con);
            }
        }
        let Predicate::Verb(frame) = clause.predicate else { return None };
        let object = frame.en_role(EnSlot::Object).and_then(|r| clause.participants[r].as_ref());
        let light_object = object.is_some_and(|o| o.is_pronoun() && !clause.passive);
        let rest = if frame.en.is_copular() { None } else { self.rest(&frame.en.rest, clause, fields) };
        if !light_object {
            self.particle(frame.en.particle, clause.concept, fields);
        }
        let heavy = object.is_some_and(Np::is_heavy);
        let order = |slot: EnSlot| match slot {
            EnSlot::Indirect => 0,
            EnSlot::Object if heavy => 4,
            EnSlot::Object => 1,
            EnSlot::Prep(_) => 2,
            EnSlot::Direction | EnSlot::Location => 3,
            EnSlot::Subject => 5,
        };
        let mut roles: Vec<usize> = (0..frame.roles.len()).filter(|&r| r != subject).collect();
        roles.sort_by_key(|&r| order(frame.roles[r].en));
        for role in roles {
            let Some(np) = &clause.participants[role] else { continue };
            let slot = match frame.roles[role].en {
                EnSlot::Subject => EnSlot::Prep("by"),
                EnSlot::Indirect if clause.passive || clause.fronts_in_english(np, form) => {
                    EnSlot::Prep("to")
                }
                slot => slot,
            };
            self.object(np, slot, clause, form, fields);
            if light_object && slot == EnSlot::Object {
                self.particle(frame.en.particle, clause.concept, fields);
            }
        }
        rest
    }

    fn particle(&mut self, particle: Option<&str>, concept: Concept, fields: &mut Fields) {
        let Some(particle) = particle else { return };
        let word = Word::new(particle, particle, "ADP", "RP").helps(concept);
        let con = self.draft.dependent(word, fields.content, "compound:prt");
        fields.objects.push(Con::node("PRT", vec![con]));
    }

    fn rest(&mut self, unit: &Unit, clause: &Clause, fields: &mut Fields) -> Option<Tok> {
        if unit.is_empty() {
            return None;
        }
        let (head, parts) = self.draft.unit(unit, clause.concept, true);
        let word = &unit.words[unit.head()];
        self.draft.attach(head, fields.content, word.relation);
        fields.objects.push(Con::node(unit_label(unit), parts));
        Some(head)
    }

    fn object(&mut self, np: &Np, slot: EnSlot, clause: &Clause, form: Form, fields: &mut Fields) {
        let concept = np.concept.part(3);
        let fronted = clause.fronts_in_english(np, form);
        let (preposition, relation) = match slot {
            EnSlot::Subject | EnSlot::Object => (None, "obj"),
            EnSlot::Indirect => (None, "iobj"),
            EnSlot::Prep("by") if clause.passive => (Some("by"), "obl:agent"),
            EnSlot::Prep(preposition) => (Some(preposition), "obl"),
            EnSlot::Direction => (Some(place(np).map_or("to", |p| p.1)), "obl"),
            EnSlot::Location => (Some(place(np).map_or("in", |p| p.0)), "obl"),
        };
        let nominal = match preposition {
            Some(preposition) if fronted && np.is_wh() => {
                let nominal = self.np(np, false);
                let word = self.preposition(preposition, concept, nominal.head);
                fields.objects.push(Con::node("PP", vec![word]));
                nominal
            }
            Some(preposition) => self.pp(preposition, concept, np),
            None => self.np(np, false),
        };
        self.draft.attach(nominal.head, fields.content, relation);
        if fronted {
            fields.front = Some(nominal.con);
        } else {
            fields.objects.push(nominal.con);
        }
    }

    pub(super) fn adverbial(
        &mut self,
        at: usize,
        adverbial: &Adverbial,
        clause: &Clause,
        form: Form,
        fields: &mut Fields,
    ) {
        let concept = adverbial.concept;
        let con = match &adverbial.body {
            Body::Adverb(adverb) => {
                let (tok, parts) = self.draft.unit(&adverb.en, concept, false);
                self.draft.attach(tok, fields.top, adverb.en.words[adverb.en.head()].relation);
                Con::node(unit_label(&adverb.en), parts)
            }
            Body::Phrase(phrase) => {
                let pp = self.pp(phrase.en, phrase.concept, &phrase.np);
                self.draft.attach(pp.head, fields.content, "obl");
                pp.con
            }
            Body::Question(_, question) => {
                let word = Word::new(question, question, "ADV", "WRB").means(concept);
                fields.front =
                    Some(Con::node("WHADVP", vec![self.draft.dependent(word, fields.top, "advmod")]));
                return;
            }
            Body::Compared(_, form, than) => {
                let head = self.draft.word(Word::new(form, form, "ADV", "RBR").means(concept));
                self.draft.attach(head, fields.content, "advmod");
                let than = self.pp("than", than.concept.part(2), than);
                self.draft.attach(than.head, head, "obl");
                Con::node("ADVP", vec![Con::Word(head), than.con])
            }
            Body::Clause(_, conjunction, inner) => {
                let built = self.clause(inner, Form::Subordinate(conjunction));
                self.subordinate(at, built, inner, clause, fields);
                return;
            }
            Body::Purpose(inner) => {
                let built = self.clause(inner, Form::Infinitive(false, true));
                self.subordinate(at, built, inner, clause, fields);
                return;
            }
        };
        match adverbial.kind {
            Kind::Time if form == Form::Main && clause.is_heavy() => fields.opening.push(con),
            Kind::Time => fields.time.push(con),
            Kind::Middle | Kind::Aspect => fields.middle.push(con),
            Kind::Stance(pause) => {
                fields.opening.insert(0, con);
                if pause {
                    let comma = self.draft.comma(fields.top, None);
                    fields.opening.insert(1, comma);
                }
            }
            Kind::Place => fields.place.push(con),
            Kind::Manner | Kind::Clause => fields.manner.push(con),
        }
    }

    fn subordinate(&mut self, at: usize, built: Built, inner: &Clause, clause: &Clause, fields: &mut Fields) {
        self.draft.attach(built.head, fields.top, "advcl");
        if clause.front == Front::Adverbial(at) {
            let comma = self.draft.comma(built.head, Some(inner.concept.part(Concept::COMMA)));
            fields.opening.extend([built.con, comma]);
        } else {
            fields.clauses.push(built.con);
        }
    }

    pub(super) fn complement(
        &mut self,
        embedded: &Embedded,
        rest: Option<Tok>,
        fields: &mut Fields,
    ) -> Option<Con> {
        let form = match embedded.kind {
            EmbeddedKind::That => Form::Subordinate("that"),
            EmbeddedKind::Whether => Form::Subordinate("whether"),
            EmbeddedKind::Question => Form::IndirectQuestion,
            EmbeddedKind::Infinitive(infinitive, _) => Form::Infinitive(infinitive.gerund, false),
        };
        let built = self.clause(&embedded.clause, form);
        let (head, relation) = match (embedded.kind, rest) {
            (EmbeddedKind::Infinitive(i, _), Some(noun)) if i.of_noun => (noun, "acl"),
            (EmbeddedKind::Infinitive(..), _) => (fields.content, "xcomp"),
            _ => (fields.content, "ccomp"),
        };
        self.draft.attach(built.head, head, relation);
        fields.clauses.push(built.con);
        built.raised
    }
}

/// The English prepositions of a place: location and direction.
fn place(np: &Np) -> Option<(&'static str, &'static str)> {
    match np.core {
        Core::Common(noun, _) => noun.place.map(|p| (p.location.1, p.direction.1)),
        _ => None,
    }
}

fn unit_label(unit: &Unit) -> &'static str {
    let has = |upos: &str| unit.words.iter().any(|w| w.upos == upos);
    match unit.words[unit.head()].upos {
        "ADJ" => "ADJP",
        "ADV" => "ADVP",
        _ if has("ADP") && unit.words[0].upos == "ADP" => "PP",
        "NOUN" | "PROPN" => "NP",
        _ => "ADVP",
    }
}
