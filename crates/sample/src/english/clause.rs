//! English clauses.

use super::English;
use super::np::Nominal;
use super::verbs::{Job, Link, chain};
use crate::draft::{Con, Tok, Word};
use crate::features::Agreement;
use crate::lexicon::{EnSlot, Unit};
use crate::syntax::{
    Adverbial, Body, Clause, Concept, Core, Embedded, EmbeddedKind, Front, Kind, Np, Predicate,
};

/// The forms a clause can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Main,
    Question,
    Order,
    /// A verb phrase that shares the subject of the clause before it.
    SharedSubject(Agreement),
    Subordinate(&'static str),
    Relative,
    IndirectQuestion,
    /// `to` and infinitive, or the `-ing` form if the first is true; after `in order` if the second is.
    Infinitive(bool, bool),
}

/// A clause in English.
pub(super) struct Built {
    pub head: Tok,
    pub con: Con,
    /// A question word that goes to the front of the higher clause.
    pub raised: Option<Con>,
}

/// A clause while its pieces are gathered.
struct Fields {
    /// What the subject and adverbials depend on.
    top: Tok,
    /// What objects depend on.
    content: Tok,
    subject: Option<Con>,
    /// A question word or relative pronoun.
    front: Option<Con>,
    /// Adverbials before the subject.
    opening: Vec<Con>,
    /// Adverbs in the middle.
    middle: Vec<Con>,
    objects: Vec<Con>,
    manner: Vec<Con>,
    place: Vec<Con>,
    time: Vec<Con>,
    clauses: Vec<Con>,
}

impl English {
    /// A clause in a form.
    pub(super) fn clause(&mut self, clause: &Clause, form: Form) -> Built {
        let inverts = form == Form::Question && !clause.subject_asks();
        let agreement = match form {
            Form::SharedSubject(agreement) => agreement,
            _ => clause.en_agreement(),
        };
        let links = chain(clause, form, inverts);
        let (toks, predicate) = self.verbs(clause, &links, agreement);
        let content = predicate.as_ref().map_or(toks[toks.len() - 1], |p| p.head);
        let top = links.iter().position(|l| l.job == Job::Governor).map_or(content, |at| toks[at]);
        self.attach_verbs(&links, &toks, content);
        let mut fields = Fields {
            top,
            content,
            subject: None,
            front: None,
            opening: vec![],
            middle: vec![],
            objects: vec![],
            manner: vec![],
            place: vec![],
            time: vec![],
            clauses: vec![],
        };
        let rest = self.participants(clause, form, &mut fields);
        for (at, adverbial) in clause.adverbials.iter().enumerate() {
            self.adverbial(at, adverbial, clause, form, &mut fields);
        }
        let raised = match &clause.complement {
            Some(embedded) => self.complement(embedded, rest, &mut fields),
            None => None,
        };
        let raised_here = if matches!(form, Form::Infinitive(..)) { fields.front.take() } else { None };
        if form == Form::Question {
            fields.front = fields.front.or(raised);
        }
        if let Some(concept) = clause.negation_concept() {
            let word = Word::new("not", "not", "PART", "RB").means(concept).feats("Polarity=Neg");
            let not = self.draft.dependent(word, fields.top, "advmod");
            fields.middle.insert(0, not);
        }
        let con = self.assemble(clause, form, inverts, &links, &toks, predicate, fields);
        Built { head: top, con, raised: raised_here }
    }

    /// The words of the chain, and the predicate of a copula.
    fn verbs(
        &mut self,
        clause: &Clause,
        links: &[Link],
        agreement: Agreement,
    ) -> (Vec<Tok>, Option<Nominal>) {
        let toks: Vec<Tok> = links.iter().map(|l| self.draft.word(l.word(agreement))).collect();
        let predicate = match &clause.predicate {
            Predicate::Verb(frame) if frame.en.is_copular() => {
                let (head, parts) = self.draft.unit(&frame.en.rest, clause.concept);
                Some(Nominal { head, con: Con::node("ADJP", parts) })
            }
            Predicate::Verb(_) => None,
            Predicate::Adjective(concept, adjective, than) => Some(match than {
                None => {
                    let word = Word::new(adjective.en, adjective.en, "ADJ", "JJ").means(*concept);
                    let head = self.draft.word(word.feats("Degree=Pos"));
                    Nominal { head, con: Con::node("ADJP", vec![Con::Word(head)]) }
                }
                Some(than) => {
                    self.compared(adjective.en_comparative.as_deref(), adjective.en, *concept, than)
                }
            }),
            Predicate::Noun(np) => Some(self.np(np, false)),
        };
        (toks, predicate)
    }

    fn compared(&mut self, form: Option<&str>, lemma: &str, concept: Concept, than: &Np) -> Nominal {
        let form = form.unwrap_or(lemma);
        let (more, last) = form.split_once(' ').map_or((None, form), |(more, last)| (Some(more), last));
        let tag = if more.is_some() { "JJ" } else { "JJR" };
        let head = self.draft.word(Word::new(last, lemma, "ADJ", tag).means(concept).feats("Degree=Cmp"));
        let mut parts = vec![];
        if let Some(more) = more {
            let word = Word::new(more, more, "ADV", "RBR").means(concept);
            parts.push(self.draft.dependent(word, head, "advmod"));
        }
        let than = self.pp("than", than.concept.part(2), than);
        self.draft.attach(than.head, head, "obl");
        parts.extend([Con::Word(head), than.con]);
        Nominal { head, con: Con::node("ADJP", parts) }
    }

    /// Attaches each helper to the next full verb, and the content verb to its governor.
    fn attach_verbs(&mut self, links: &[Link], toks: &[Tok], content: Tok) {
        let mut governor = None;
        let mut helpers: Vec<(Tok, &'static str)> = vec![];
        for (link, &tok) in links.iter().zip(toks) {
            match link.job {
                Job::Auxiliary => helpers.push((tok, "aux")),
                Job::PassiveAuxiliary => helpers.push((tok, "aux:pass")),
                Job::Purpose if !helpers.is_empty() => self.draft.attach(tok, helpers[0].0, "fixed"),
                Job::To | Job::Purpose => helpers.push((tok, "mark")),
                Job::Copula => helpers.push((tok, "cop")),
                Job::Governor => {
                    helpers.drain(..).for_each(|(helper, relation)| self.draft.attach(helper, tok, relation));
                    governor = Some(tok);
                }
                Job::Main => {}
            }
        }
        helpers.into_iter().for_each(|(helper, relation)| self.draft.attach(helper, content, relation));
        if let Some(governor) = governor {
            self.draft.attach(content, governor, "xcomp");
        }
    }

    /// Subject, objects, particle and fixed words; returns the head of the fixed words.
    fn participants(&mut self, clause: &Clause, form: Form, fields: &mut Fields) -> Option<Tok> {
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
        let order = |slot: EnSlot| match slot {
            EnSlot::Subject | EnSlot::Indirect => 0,
            EnSlot::Object => 1,
            EnSlot::Prep(_) => 2,
            EnSlot::Direction | EnSlot::Location => 3,
        };
        let mut roles: Vec<usize> = (0..frame.roles.len()).filter(|&r| r != subject).collect();
        roles.sort_by_key(|&r| order(frame.roles[r].en));
        for role in roles {
            let Some(np) = &clause.participants[role] else { continue };
            let slot = match frame.roles[role].en {
                EnSlot::Subject => EnSlot::Prep("by"),
                EnSlot::Indirect if clause.passive => EnSlot::Prep("to"),
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
        let word = Word::new(particle, particle, "ADP", "RP").means(concept);
        let con = self.draft.dependent(word, fields.content, "compound:prt");
        fields.objects.push(Con::node("PRT", vec![con]));
    }

    fn rest(&mut self, unit: &Unit, clause: &Clause, fields: &mut Fields) -> Option<Tok> {
        if unit.is_empty() {
            return None;
        }
        let (head, parts) = self.draft.unit(unit, clause.concept);
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

    fn adverbial(
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
                let (tok, parts) = self.draft.unit(&adverb.en, concept);
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

    fn complement(&mut self, embedded: &Embedded, rest: Option<Tok>, fields: &mut Fields) -> Option<Con> {
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

    #[expect(clippy::too_many_arguments, reason = "the pieces of one clause, put together once")]
    fn assemble(
        &mut self,
        clause: &Clause,
        form: Form,
        inverts: bool,
        links: &[Link],
        toks: &[Tok],
        predicate: Option<Nominal>,
        fields: Fields,
    ) -> Con {
        let Fields { subject, front, opening, middle, objects, manner, place, time, clauses, top, .. } =
            fields;
        let mut tail: Vec<Con> = vec![];
        match predicate {
            Some(Nominal { con: Con::Node("ADJP", _, mut parts), .. }) => {
                parts.extend(objects);
                tail.push(Con::node("ADJP", parts));
            }
            Some(Nominal { con, .. }) => tail.push(con),
            None => tail.extend(objects),
        }
        for group in [manner, place, time, clauses] {
            tail.extend(group);
        }
        let helped = matches!(links[0].job, Job::Auxiliary | Job::PassiveAuxiliary | Job::Copula);
        let mut words = links.iter().zip(toks).map(|(l, &t)| (l.job, t)).collect::<Vec<_>>();
        let mut parts = opening;
        let label = match (form, inverts) {
            (Form::Question, true) => {
                let (_, first) = words.remove(0);
                let mut inner = vec![Con::Word(first)];
                inner.extend(subject);
                inner.extend(middle);
                match words.is_empty() {
                    true => inner.extend(tail),
                    false => inner.push(verb_phrase(&words, vec![], tail)),
                }
                match front {
                    Some(front) => {
                        parts.extend([front, Con::node("SQ", inner)]);
                        "SBARQ"
                    }
                    None => {
                        parts.extend(inner);
                        "SQ"
                    }
                }
            }
            _ => {
                let (before, after) = if helped { (vec![], middle) } else { (middle, vec![]) };
                let mut inner: Vec<Con> = subject.into_iter().collect();
                inner.extend(before);
                inner.push(verb_phrase(&words, after, tail));
                match front {
                    Some(front) => {
                        let label = if form == Form::Question { "SQ" } else { "S" };
                        parts.extend([front, Con::node(label, inner)]);
                        if form == Form::Question { "SBARQ" } else { "SBAR" }
                    }
                    None => {
                        parts.extend(inner);
                        "S"
                    }
                }
            }
        };
        match form {
            Form::Subordinate(conjunction) => {
                let words: Vec<Con> = self.conjunction(conjunction, clause.concept.part(Concept::MARK), top);
                let mut outer = words;
                outer.push(Con::node(label, parts));
                Con::node("SBAR", outer)
            }
            Form::SharedSubject(_) if parts.len() == 1 => parts.remove(0),
            _ => Con::node(label, parts),
        }
    }

    fn conjunction(&mut self, form: &str, concept: Concept, head: Tok) -> Vec<Con> {
        let mut words = form.split(' ');
        let first = words.next().unwrap_or(form);
        let tag = if first == "when" { "WRB" } else { "IN" };
        let tok = self.draft.word(Word::new(first, first, "SCONJ", tag).means(concept));
        self.draft.attach(tok, head, "mark");
        let mut parts = vec![Con::Word(tok)];
        for word in words {
            parts.push(self.draft.dependent(
                Word::new(word, word, "SCONJ", "IN").means(concept),
                tok,
                "fixed",
            ));
        }
        parts
    }
}

/// Nests a chain: each helper over the rest, `to` and what follows as a clause of its own.
fn verb_phrase(words: &[(Job, Tok)], middle: Vec<Con>, tail: Vec<Con>) -> Con {
    let Some((&(job, tok), rest)) = words.split_first() else { return Con::node("VP", tail) };
    let mut parts = vec![Con::Word(tok)];
    parts.extend(middle);
    match job {
        Job::Main | Job::Copula => parts.extend(tail),
        Job::Governor => parts.push(Con::node("S", vec![verb_phrase(rest, vec![], tail)])),
        Job::Purpose => {
            let inner = verb_phrase(rest, vec![], tail);
            if matches!(rest.first(), Some((Job::Purpose, _))) {
                let Con::Node(_, _, inner) = inner else { return Con::node("SBAR", parts) };
                parts.extend(inner);
            } else {
                parts.push(Con::node("S", vec![inner]));
            }
            return Con::node("SBAR", parts);
        }
        Job::Auxiliary | Job::PassiveAuxiliary | Job::To => parts.push(verb_phrase(rest, vec![], tail)),
    }
    Con::node("VP", parts)
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

impl Clause {
    /// The role of the English subject.
    pub(crate) fn en_subject(&self) -> usize {
        match self.predicate {
            Predicate::Verb(frame) if self.passive => frame.en_role(EnSlot::Object).unwrap_or(0),
            Predicate::Verb(frame) => frame.en_role(EnSlot::Subject).unwrap_or(0),
            _ => 0,
        }
    }

    /// What the English verb agrees with.
    pub(crate) fn en_agreement(&self) -> Agreement {
        let subject = self.participants.get(self.en_subject()).and_then(Option::as_ref);
        subject.map_or(Agreement::THIRD, Np::en_agreement)
    }

    /// Whether the subject itself asks, so that nothing is inverted.
    fn subject_asks(&self) -> bool {
        self.participants.get(self.en_subject()).and_then(Option::as_ref).is_some_and(Np::is_wh)
    }

    /// Whether English puts a participant first: a question word or relative pronoun.
    fn fronts_in_english(&self, np: &Np, form: Form) -> bool {
        match form {
            Form::Question | Form::IndirectQuestion | Form::Infinitive(..) => np.is_wh(),
            Form::Relative => np.is_relative(),
            _ => false,
        }
    }
}
