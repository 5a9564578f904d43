//! Golden sentences: one for each construction, written by hand in the abstract syntax, with words, links and heads on
//! both sides as `golden.txt` has them.

use crate::corpus::translate;
use crate::features::{Gender, Person};
use crate::lexicon::Complement;
use crate::lexicon::{Adverb, Frame, LEXICON, Noun};
use crate::syntax::{
    Adverbial, Body, Clause, Concept, Core, Det, Embedded, EmbeddedKind, Front, Kind, Modal, Negation, Np,
    Predicate, Relative, Sentence, Tense,
};
use std::cell::Cell;
use std::fmt::Write;
use treeglot_sample::SampleSentence;

thread_local! {
    static NEXT: Cell<u32> = const { Cell::new(0) };
}

fn fresh() -> Concept {
    NEXT.set(NEXT.get() + Concept::PARTS);
    Concept(NEXT.get())
}

fn noun(de: &str) -> &'static Noun {
    LEXICON.nouns.iter().find(|n| n.de == de).unwrap()
}

/// The first frame of a German verb, with its prefix before `|`, and an English one.
fn frame(de: &str, en: &str) -> &'static Frame {
    let (prefix, base) = de.split_once('|').map_or((None, de), |(p, b)| (Some(p), b));
    let fits = |f: &&Frame| f.de.prefix == prefix && f.de.base == base && f.en.lemma == en;
    LEXICON.frames.iter().find(fits).unwrap_or_else(|| panic!("no frame {de} = {en}"))
}

/// The frame of a verb that takes an infinitive.
fn governing(base: &str) -> &'static Frame {
    let fits = |f: &&Frame| f.de.base == base && matches!(f.complement, Some(Complement::Infinitive(_)));
    LEXICON.frames.iter().find(fits).unwrap()
}

fn adverb(de: &str) -> Body {
    let form = |a: &Adverb| a.de.words.iter().map(|w| w.form).collect::<Vec<_>>().join(" ");
    Body::Adverb(LEXICON.adverbs.iter().find(|a| form(a) == de).unwrap())
}

fn common(de: &str, det: Det) -> Np {
    Np::new(fresh(), Core::Common(noun(de), Some(det)), false)
}

fn the(de: &str) -> Np {
    common(de, Det::Definite)
}

fn plural(mut np: Np) -> Np {
    np.plural = true;
    np
}

fn pronoun(person: Person) -> Np {
    Np::new(fresh(), Core::Pronoun(person), person.de_agreement().plural)
}

fn he() -> Np {
    pronoun(Person::He)
}

fn she() -> Np {
    pronoun(Person::She)
}

fn relative_pronoun(de: &str, plural: bool) -> Np {
    let noun = noun(de);
    Np::new(fresh(), Core::Relative(noun.gender, plural, noun.is("per")), plural)
}

fn clause(frame: &'static Frame, tense: Tense, participants: Vec<Option<Np>>) -> Clause {
    assert_eq!(frame.roles.len(), participants.len());
    Clause { tense, ..Clause::new(fresh(), Predicate::Verb(frame), participants) }
}

fn with_adverb(mut clause: Clause, kind: Kind, body: Body) -> Clause {
    clause.adverbials.push(Adverbial { concept: fresh(), kind, body });
    clause
}

fn fronted(mut clause: Clause, front: Front) -> Clause {
    clause.front = front;
    clause
}

fn with_modal(mut clause: Clause, modal: Modal) -> Clause {
    clause.modal = Some((fresh(), modal));
    clause
}

fn related(mut np: Np, clause: Clause, extraposed: bool) -> Np {
    np.relative = Some(Box::new(Relative { clause, extraposed }));
    np
}

/// Gives a verb its infinitive, before the verb or after it.
fn with_infinitive(mut main: Clause, inner: Clause, enclosed: bool) -> Clause {
    let Predicate::Verb(Frame { complement: Some(Complement::Infinitive(infinitive)), .. }) = main.predicate
    else {
        panic!("the verb takes no infinitive");
    };
    let kind = EmbeddedKind::Infinitive(*infinitive, enclosed);
    main.complement = Some(Box::new(Embedded { clause: inner, kind }));
    main
}

fn with_clause(mut main: Clause, inner: Clause, kind: EmbeddedKind) -> Clause {
    main.complement = Some(Box::new(Embedded { clause: inner, kind }));
    main
}

fn read(subject: Np, tense: Tense, object: Np) -> Clause {
    clause(frame("lesen", "read"), tense, vec![Some(subject), Some(object)])
}

fn heads(side: &SampleSentence) -> String {
    let head = |w| format!("{}:{}", side.parse.raw_head(w).unwrap(), side.parse.deprel(w));
    side.parse.words().map(head).collect::<Vec<_>>().join(" ")
}

fn show(name: &str, sentence: &Sentence, out: &mut String) {
    let pair = translate(sentence);
    let links: Vec<String> = pair.links.iter().map(|(s, t)| format!("{s}-{t}")).collect();
    let (de, en) = (&pair.source, &pair.target);
    writeln!(out, "{name}\n{}\n{}\n{}", de.tokens(), heads(de), en.tokens()).unwrap();
    writeln!(out, "{}\n{}\n", heads(en), links.join(" ")).unwrap();
}

/// Clauses with one verb.
fn simple(out: &mut String) {
    let call = || frame("an|rufen", "call");
    let c = clause(call(), Tense::Past, vec![Some(she()), Some(the("Arzt"))]);
    show("separable prefix", &Sentence::Statement(c), out);

    let c = fronted(read(he(), Tense::Perfect, common("Roman", Det::Demonstrative)), Front::Role(1));
    show("fronted object, perfect", &Sentence::Statement(c), out);

    let c =
        clause(frame("gefallen", "like"), Tense::Present, vec![Some(the("Kleid")), Some(pronoun(Person::I))]);
    show("dative experiencer", &Sentence::Statement(c), out);

    let give = frame("geben", "give");
    let c = clause(give, Tense::Perfect, vec![Some(the("Frau")), Some(he()), Some(the("Schlüssel"))]);
    let c = with_adverb(Clause { scrambled: true, ..c }, Kind::Time, adverb("gestern"));
    show("pronoun before subject", &Sentence::Statement(fronted(c, Front::Adverbial(0))), out);

    let mut np = common("Buch", Det::No);
    np.plural = true;
    let negation = Some(Negation::No(np.concept.part(1)));
    let c = Clause {
        negation,
        ..clause(frame("kaufen", "buy"), Tense::Perfect, vec![Some(the("Lehrerin")), Some(np)])
    };
    show("kein", &Sentence::Statement(c), out);

    let c = with_modal(clause(call(), Tense::Present, vec![Some(he()), Some(the("Gast"))]), Modal::Can);
    let c = Clause { negation: Some(Negation::Not(fresh())), ..c };
    show("modal and nicht", &Sentence::Statement(c), out);

    let refl = frame("freuen", "look");
    let c = clause(refl, Tense::Progressive, vec![Some(pronoun(Person::We)), Some(the("Hochzeit"))]);
    show("reflexive with prepositional object", &Sentence::Statement(c), out);

    let c = clause(frame("treffen", "make"), Tense::Perfect, vec![Some(the("Richter"))]);
    show("light verb", &Sentence::Statement(c), out);

    let c = read(the("Vater"), Tense::Present, the("Zeitung"));
    let c = with_adverb(c, Kind::Time, adverb("in der Regel"));
    show("multi-word adverb", &Sentence::Statement(fronted(c, Front::Adverbial(0))), out);

    let go = frame("gehen", "go");
    let c = clause(go, Tense::Future, vec![Some(the("Kind")), Some(the("Schule"))]);
    show("direction", &Sentence::Statement(c), out);

    let mut owned = the("Auto");
    owned.genitive = Some(Box::new(the("Nachbar")));
    let c = clause(frame("reparieren", "repair"), Tense::Perfect, vec![Some(the("Mechaniker")), Some(owned)]);
    show("passive with agent and genitive", &Sentence::Statement(Clause { passive: true, ..c }), out);
}

/// Questions and orders.
fn asking(out: &mut String) {
    let c = clause(
        frame("ein|laden", "invite"),
        Tense::Perfect,
        vec![Some(pronoun(Person::Thou)), Some(the("Freund"))],
    );
    show("yes-no question", &Sentence::Question(c), out);

    let who = Np::new(fresh(), Core::Who, false);
    let c = clause(frame("warten", "wait"), Tense::Progressive, vec![Some(she()), Some(who)]);
    show("prepositional question", &Sentence::Question(fronted(c, Front::Role(1))), out);

    let buy =
        clause(frame("kaufen", "buy"), Tense::Perfect, vec![Some(he()), Some(common("Auto", Det::WhatKind))]);
    let buy = fronted(Clause { scrambled: true, ..buy }, Front::Role(1));
    show("was für, split", &Sentence::Question(buy), out);

    let inner = read(he(), Tense::Present, Np::new(fresh(), Core::What, false));
    let inner =
        fronted(Clause { participants: vec![None, inner.participants[1].clone()], ..inner }, Front::Role(1));
    let c = clause(governing("versuchen"), Tense::Perfect, vec![Some(she())]);
    let c = fronted(with_infinitive(c, inner, true), Front::Inner(1));
    show("question out of an infinitive", &Sentence::Question(c), out);

    let c = clause(frame("auf|machen", "open"), Tense::Present, vec![None, Some(the("Fenster"))]);
    show("order", &Sentence::Order(c, Person::Formal, Some(fresh())), out);
}

/// Sentences of several clauses.
fn complex(out: &mut String) {
    let inner = clause(
        frame("kaufen", "buy"),
        Tense::Perfect,
        vec![Some(she()), Some(relative_pronoun("Buch", false))],
    );
    let np = related(the("Buch"), fronted(inner, Front::Role(1)), true);
    show("extraposed relative clause", &Sentence::Statement(read(he(), Tense::Perfect, np)), out);

    let inner = clause(
        frame("sprechen", "talk"),
        Tense::Past,
        vec![Some(relative_pronoun("Arzt", true)), Some(common("Bruder", Det::Possessive(Person::She)))],
    );
    let np = related(plural(the("Arzt")), fronted(inner, Front::Role(0)), false);
    let c = clause(frame("helfen", "help"), Tense::Past, vec![Some(np), Some(pronoun(Person::We))]);
    show("adjacent relative clause", &Sentence::Statement(c), out);

    let reason = with_modal(read(she(), Tense::Past, the("Brief")), Modal::Want);
    let c = clause(frame("auf|stehen", "get"), Tense::Past, vec![Some(the("Tante"))]);
    let c = with_adverb(c, Kind::Clause, Body::Clause("weil", "because", Box::new(reason)));
    show("fronted adverbial clause", &Sentence::Statement(fronted(c, Front::Adverbial(0))), out);

    let inner = clause(frame("an|kommen", "arrive"), Tense::Pluperfect, vec![Some(the("Zug"))]);
    let c = clause(frame("wissen", "know"), Tense::Past, vec![Some(he())]);
    let c = Clause { negation: Some(Negation::Not(fresh())), ..with_clause(c, inner, EmbeddedKind::Whether) };
    show("whether", &Sentence::Statement(c), out);
}

/// Sentences with infinitives and comparisons.
fn infinitives(out: &mut String) {
    let inner = clause(
        frame("ab|schicken", "send"),
        Tense::Present,
        vec![None, Some(common("Brief", Det::Demonstrative))],
    );
    let c = clause(governing("vergessen"), Tense::Perfect, vec![Some(he())]);
    let raised =
        fronted(with_infinitive(c.clone(), fronted(inner.clone(), Front::Role(1)), true), Front::Inner(1));
    show("object fronted out of an infinitive", &Sentence::Statement(raised), out);
    show("infinitive after the verb", &Sentence::Statement(with_infinitive(c, inner, false)), out);

    let inner = clause(frame("schlafen", "sleep"), Tense::Present, vec![None]);
    let c = clause(frame("haben", "have"), Tense::Past, vec![Some(the("Koch"))]);
    let c = with_infinitive(c, inner, false);
    let main = clause(frame("sagen", "say"), Tense::Present, vec![Some(she())]);
    show(
        "infinitive of a noun, verb last",
        &Sentence::Statement(with_clause(main, c, EmbeddedKind::That)),
        out,
    );

    let purpose = clause(frame("ein|kaufen", "go"), Tense::Present, vec![None]);
    let c = clause(frame("gehen", "go"), Tense::Perfect, vec![Some(the("Onkel")), Some(the("Stadt"))]);
    let c = with_adverb(c, Kind::Clause, Body::Purpose(Box::new(purpose)));
    show("um zu", &Sentence::Statement(c), out);

    let mut more = plural(common("Apfel", Det::More));
    more.than = Some(Box::new(common("Schwester", Det::Possessive(Person::He))));
    let c = clause(frame("essen", "eat"), Tense::Perfect, vec![Some(the("Junge")), Some(more)]);
    show("comparison apart from its noun", &Sentence::Statement(c), out);

    let second = clause(frame("öffnen", "open"), Tense::Past, vec![None, Some(the("Fenster"))]);
    let first = clause(frame("auf|stehen", "get"), Tense::Past, vec![Some(the("Frau"))]);
    let pair = Sentence::Pair(Box::new(first), fresh(), ("und", "and"), Box::new(second));
    show("shared subject", &pair, out);

    let adjective = LEXICON.adjectives.iter().find(|a| a.de == "teuer").unwrap();
    let c = clause(frame("kaufen", "buy"), Tense::Past, vec![Some(she()), Some(the("Lampe"))]);
    let inner = Clause {
        predicate: Predicate::Adjective(fresh(), adjective, None),
        ..clause(frame("schlafen", "sleep"), Tense::Past, vec![Some(pronoun(Person::Thing(Gender::Fem)))])
    };
    let c = with_adverb(c, Kind::Clause, Body::Clause("obwohl", "although", Box::new(inner)));
    show("pronoun for a thing", &Sentence::Statement(c), out);
}

#[test]
fn constructions_are_written_as_by_hand() {
    NEXT.set(0);
    let mut out = String::new();
    simple(&mut out);
    asking(&mut out);
    complex(&mut out);
    infinitives(&mut out);
    let expected = include_str!("golden.txt");
    for (ours, golden) in out.split("\n\n").zip(expected.split("\n\n")) {
        assert_eq!(ours, golden);
    }
    assert_eq!(out, expected);
}
