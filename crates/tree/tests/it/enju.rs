//! Enju's two formats: read, written, converted; on written fixtures and on real output.

use crate::common::data;
use proptest::prelude::*;
use std::fs;
use treeglot_tree::format::enju::{Loose, Part, Sentence};
use treeglot_tree::format::{ReadTrees, enju_so, enju_xml};
use treeglot_tree::transform::pas::{self, Heads, Options, Unknown, table};
use treeglot_tree::{ConTree, Field, Roots, WordIx};

const XML: &str = include_str!("fixtures/enju.xml");
const SO: &str = include_str!("fixtures/enju.so");
const TEXT: &str = include_str!("fixtures/enju.txt");

fn xml(text: &str) -> Result<Vec<Sentence>, String> {
    enju_xml::Reader::new("t.xml", text.as_bytes())
        .trees()
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())
}

fn so(text: &str, raw: &str) -> Result<Vec<Sentence>, String> {
    let reader = enju_so::Reader::with_text("t.so", text.as_bytes(), "t.txt", raw.as_bytes());
    reader.trees().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

fn bracketed(tree: &ConTree) -> String {
    let mut text = String::new();
    let mut stack = vec![Ok(tree.root())];
    while let Some(next) = stack.pop() {
        match next {
            Err(close) => text.push_str(close),
            Ok(node) => {
                text.push_str(&format!("({}", tree.label(node)));
                if let Some(word) = tree.preterminal(node) {
                    text.push_str(&format!(" {}", tree.form(word)));
                }
                stack.push(Err(")"));
                stack.extend(tree.children(node).iter().rev().filter_map(|c| match c {
                    treeglot_tree::Child::Node(n) => Some(Ok(*n)),
                    treeglot_tree::Child::Word(_) => None,
                }));
            }
        }
    }
    text
}

/// Heads from 1, 0 for the root.
fn heads(sentence: &Sentence, options: Options) -> Vec<u32> {
    let parse = pas::to_dep(sentence, options).expect("the sentence converts").parse;
    parse.words().map(|w| parse.raw_head(w).expect("every word has a head")).collect()
}

fn sample(name: &str) -> String {
    let path = data("parses/samples/enju").join(name);
    fs::read_to_string(path).expect("the sample can be read")
}

#[test]
fn both_formats_say_the_same() {
    let (from_xml, from_so) = (xml(XML).unwrap(), so(SO, TEXT).unwrap());
    assert_eq!(from_xml.len(), 3);
    assert_eq!(from_xml, from_so);
    let loose: Vec<(usize, &str)> = from_so[2].loose_words().collect();
    assert_eq!(loose, [(2, ","), (5, "!")]);
}

#[test]
fn a_sentence_that_was_not_parsed_keeps_its_place() {
    let failed = &xml(XML).unwrap()[1];
    assert!(!failed.is_parsed() && failed.toks().is_empty());
    assert_eq!(failed.attributes().get("id"), "s1");
    assert!(failed.to_con(Loose::Drop).unwrap().is_none());
    assert!(failed.to_dep(Heads::Syn).unwrap().parse.is_empty());
}

#[test]
fn what_is_written_as_xml_reads_back() {
    let sentences = xml(XML).unwrap();
    let mut written = Vec::new();
    for sentence in &sentences {
        enju_xml::write(sentence, &mut written).unwrap();
    }
    assert_eq!(xml(std::str::from_utf8(&written).unwrap()).unwrap(), sentences);
}

#[test]
fn base_forms_stand_in_for_words_without_the_text() {
    let sentences: Vec<Sentence> =
        enju_so::Reader::with_base_forms("t.so", SO.as_bytes()).trees().collect::<Result<_, _>>().unwrap();
    assert_eq!(sentences[2].toks()[2].form(), "steal");
    assert_eq!(heads(&sentences[2], Options::default()), heads(&xml(XML).unwrap()[2], Options::default()));
}

#[test]
fn phrases_become_a_tree_with_or_without_loose_words() {
    let sentences = xml(XML).unwrap();
    let tree = sentences[2].to_con(Loose::Drop).unwrap().unwrap();
    let want = "(FRAG(NP(NX(ADJP(UH Oh))(NX(NN dear))))(S(NP(VP(VBN stolen))(NX(NNS boats)))(VP(VBP sink))))";
    assert_eq!(bracketed(&tree), want);
    assert_eq!(tree.lemma(WordIx(2)), "steal");
    let tree = sentences[2].to_con(Loose::Keep).unwrap().unwrap();
    assert_eq!(tree.forms().collect::<Vec<_>>(), ["Oh", "dear", ",", "stolen", "boats", "sink", "!"]);
    assert_eq!(tree.tag(WordIx(6)), Some("."));
}

#[test]
fn a_subordinate_clause_hangs_from_its_conjunction() {
    let sentence = &xml(XML).unwrap()[0];
    let got = pas::to_dep(sentence, Options::default()).unwrap();
    // When the bell is old , Zoë is glad & calm
    // Predicative adjectives have two heads that reach the root; the longer arc, to the subject, is kept.
    let want = [8, 3, 4, 1, 3, 8, 8, 0, 7, 9, 7];
    assert_eq!(heads(sentence, Options::default()), want);
    assert!(!got.report.illegal);
    assert_eq!(got.parse.deprel(WordIx(0)), "conj_arg12");
    assert_eq!(got.parse.deprel(WordIx(3)), "conj_arg12:arg2");
    assert_eq!(got.parse.get(WordIx(3), Field::Feats), "aspect=none|aux=copular|tense=present|voice=active");
    assert!(got.parse.tree(Roots::One).is_ok());
    let kept = heads(sentence, Options { loose: Loose::Keep, ..Options::default() });
    assert_eq!(kept, [&want[..], &[8]].concat());
}

#[test]
fn syntactic_and_semantic_heads_differ_where_the_phrase_says_so() {
    let sentence = &xml(XML).unwrap()[0];
    assert_eq!(sentence.head_word(Part::Cons(1), Heads::Syn).unwrap(), WordIx(0));
    assert_eq!(sentence.head_word(Part::Cons(1), Heads::Sem).unwrap(), WordIx(3));
}

#[test]
fn an_unknown_type_is_an_error_that_names_it_or_a_headless_word() {
    let odd = XML.replace("\"punct_arg1\"", "\"pause_arg1\"");
    let sentence = &xml(&odd).unwrap()[0];
    let error = sentence.to_dep(Heads::Syn).unwrap_err().to_string();
    assert!(error.starts_with("t.xml:3: ") && error.contains("`pause_arg1`"), "{error}");
    let got = pas::to_dep(sentence, Options { unknown: Unknown::Headless, ..Options::default() }).unwrap();
    assert_eq!((got.report.unknown, got.report.attached), (1, 1));
    assert_eq!((got.parse.raw_head(WordIx(5)), got.parse.deprel(WordIx(5))), (Some(8), "dep"));
}

#[test]
fn bad_input_is_an_error_with_its_line() {
    for (text, want) in [
        ("<sentence>\n<tok id='t0'> </tok></sentence>", "t.xml:2: this <tok> has no word"),
        ("<a>\n<tok>x</tok></a>", "t.xml:2: <tok> outside of any <sentence>"),
        ("<sentence>\n<sentence/></sentence>", "t.xml:2: a <sentence> within a <sentence>"),
        (
            "<sentence>\n<cons id='c' head='t9'><tok id='t0'>x</tok></cons></sentence>",
            "t.xml:2: head=\"t9\" refers to nothing in this sentence",
        ),
        (
            "<sentence><tok id='t'>x</tok>\n<tok id='t'>y</tok></sentence>",
            "t.xml:2: two elements of this sentence have the id `t`",
        ),
        ("<sentence>\n<cons>", "t.xml:2: the file ends inside <cons>, opened on line 2"),
    ] {
        assert_eq!(xml(text).unwrap_err(), want);
    }
    for (text, want) in [
        ("0\tx\tsentence", "t.so:1: a line must begin with two positions"),
        ("0\t1\tphrase", "t.so:1: `phrase` where `sentence`, `cons` or `tok` is due"),
        ("0\t1\ttok id=\"t0\"", "t.so:1: a tok before the line of its sentence"),
        ("0\t9\tsentence\n3\t2\ttok", "t.so:2: the span 3-2 ends before it starts"),
        ("0\t9\tsentence\n0\t3\ttok\n1\t5\tcons", "t.so:3: the span 1-5 does not nest with those before it"),
        ("0\t9\tsentence id=\"s0", "t.so:1: the value of `id` has no end"),
        ("0\t99\tsentence", "t.so:1: the span ends at 99, but t.txt has only 8 bytes"),
        ("0\t8\tsentence\n0\t2\ttok", "t.so:2: the bytes 0-2 of t.txt are not whole UTF-8 characters"),
        (
            "4\t8\tsentence\n4\t8\ttok\n0\t2\tsentence",
            "t.so:3: position 0 lies before what was read of t.txt",
        ),
    ] {
        let error = so(text, "né voilà".trim_end_matches('à')).unwrap_err();
        assert!(error.starts_with(want), "{error}");
    }
}

#[test]
fn heads_in_a_circle_and_missing_heads_are_errors() {
    let circle =
        "<sentence><cons id='a' head='b'><cons id='b' head='a'><tok id='t'>x</tok></cons></cons></sentence>";
    let error = xml(circle).unwrap()[0].to_dep(Heads::Syn).unwrap_err().to_string();
    assert!(error.contains("run in a circle"), "{error}");
    let headless = "<sentence>\n<cons id='a'><tok id='t'>x</tok></cons></sentence>";
    let error = xml(headless).unwrap()[0].to_dep(Heads::Sem).unwrap_err().to_string();
    assert_eq!(error, "t.xml:2: the phrase `a` has no head");
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let depth = 10_000;
    let open: String = (0..depth).map(|d| format!("<cons id='c{d}' cat='X' head='c{}'>", d + 1)).collect();
    let text = format!(
        "<sentence>{open}<cons id='c{depth}' cat='X' head='t'><tok id='t' pos='N' pred='noun_arg0'>x</tok></cons>{}</sentence>",
        "</cons>".repeat(depth)
    );
    let sentence = &xml(&text).unwrap()[0];
    assert_eq!(sentence.to_con(Loose::Drop).unwrap().unwrap().node_count(), depth + 2);
    assert_eq!(heads(sentence, Options::default()), [0]);
    let mut written = Vec::new();
    enju_xml::write(sentence, &mut written).unwrap();
    assert_eq!(&xml(std::str::from_utf8(&written).unwrap()).unwrap()[0], sentence);
}

proptest! {
    #[test]
    fn damaged_files_never_make_the_readers_panic(
        at in any::<prop::sample::Index>(),
        length in 0usize..40,
        put in r#"[<>/"=a-z0-9\t\n ]{0,8}"#,
    ) {
        let damage = |text: &str| {
            let chars: Vec<char> = text.chars().collect();
            let start = at.index(chars.len());
            let end = (start + length).min(chars.len());
            let kept = [&chars[..start], &put.chars().collect::<Vec<_>>(), &chars[end..]].concat();
            kept.into_iter().collect::<String>()
        };
        let convert = |sentences: Result<Vec<Sentence>, String>| {
            for sentence in sentences.unwrap_or_default() {
                let _ = sentence.to_con(Loose::Keep);
                let _ = sentence.to_dep(Heads::Syn);
                let _ = sentence.to_dep(Heads::Sem);
            }
        };
        convert(xml(&damage(XML)));
        convert(so(&damage(SO), TEXT));
        convert(so(SO, &damage(TEXT)));
    }
}

/// The raw text behind a stand-off file, put together from the words of the XML file.
fn raw_text(so: &str, sentence: &Sentence) -> String {
    let span = |line: &str| -> (usize, usize) {
        let mut columns = line.split('\t').map(|c| c.parse().expect("a position"));
        let mut next = || columns.next().expect("two positions");
        (next(), next())
    };
    let mut text = vec![b' '; span(so).1];
    let toks = so.lines().filter(|l| l.contains("\ttok "));
    for (line, tok) in toks.zip(sentence.toks()) {
        let (start, end) = span(line);
        text[start..end].copy_from_slice(tok.form().as_bytes());
    }
    let last: Vec<&str> = sentence.loose_words().map(|l| l.1).collect();
    let end = text.len();
    text[end - last.concat().len()..].copy_from_slice(last.concat().as_bytes());
    String::from_utf8(text).expect("words are text")
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn the_sample_in_both_formats_is_one_sentence() {
    let (as_xml, as_so) = (sample("enju_1sent.xml"), sample("enju_1sent.so"));
    let from_xml = xml(&as_xml).unwrap();
    assert_eq!((from_xml.len(), from_xml[0].toks().len()), (1, 6));
    assert_eq!(so(&as_so, &raw_text(&as_so, &from_xml[0])).unwrap(), from_xml);
    for heads in [Heads::Syn, Heads::Sem] {
        let converted = from_xml[0].to_dep(heads).unwrap();
        assert!(converted.parse.tree(Roots::One).is_ok() && !converted.report.illegal);
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn argument_heads_are_those_of_enjus_own_word_output() {
    let (as_xml, words) = (sample("enju_1sent.xml"), sample("default_pas.txt"));
    let sentence = &xml(&as_xml).unwrap()[0];
    let mut found = Vec::new();
    let root = sentence.root_word(Heads::Syn).unwrap().unwrap();
    found.push(format!("ROOT ROOT {}", root.ix()));
    for predicate in pas::predicates(sentence, Heads::Syn).unwrap() {
        for (role, word) in table::ROLES.iter().zip(predicate.arguments) {
            let Some(word) = word else { continue };
            let role = role.to_string().to_uppercase();
            found.push(format!("{} {role} {}", predicate.kind, word.ix()));
        }
    }
    let wanted = words.lines().map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        format!("{} {} {}", fields[5], fields[6], fields[fields.len() - 1])
    });
    assert_eq!(found, wanted.collect::<Vec<_>>());
    assert_eq!(heads(sentence, Options::default()), [2, 0, 6, 6, 6, 2]);
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn the_sample_with_a_relative_clause_gives_trees() {
    let text = sample("enju_2sent_nysol.xml");
    let sentences = xml(&text).unwrap();
    assert_eq!(sentences.len(), 2);
    assert_eq!(heads(&sentences[0], Options::default()), [2, 0, 4, 2]);
    let relative = sentences[1].to_dep(Heads::Syn).unwrap();
    assert_eq!(heads(&sentences[1], Options::default()), [2, 6, 2, 5, 6, 0, 2]);
    assert_eq!((relative.report.dropped, relative.report.attached), (2, 1));
    assert!(!relative.report.illegal && relative.parse.tree(Roots::One).is_ok());
    let tree = sentences[0].to_con(Loose::Drop).unwrap().unwrap();
    assert_eq!(bracketed(&tree), "(S(NP(PRP He))(VP(VX(VBZ runs))(NP(DP(DT the))(NX(NN company)))))");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn the_table_has_every_type_that_enju_documents() {
    let (types, manual) = (sample("pred_types.txt"), sample("enju-manual-examples.txt"));
    let mut documented: Vec<&str> = types.lines().filter_map(|l| l.split('\t').next()).collect();
    documented.sort_unstable();
    assert_eq!(table::kinds(), documented);
    let used = manual.split("pred=").skip(1).map(|rest| rest.split([',', ']', ' ', '\n']).next().unwrap());
    let mut unknown: Vec<&str> = used.filter(|kind| table::arcs(kind).is_none()).collect();
    unknown.sort_unstable();
    unknown.dedup();
    assert_eq!(unknown, ["aux_arg1", "coord_ard12", "det_arg11"], "only misprints are unknown");
}
