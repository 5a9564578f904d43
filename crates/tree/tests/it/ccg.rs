//! CCG derivations and dependencies: read, written, converted; on written fixtures and on real output.

use crate::common::data;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use treeglot_tree::format::ccg_auto::{self, AnyReader, Child, Derivation, category};
use treeglot_tree::format::ccg_parg::{self, Graph, Relation};
use treeglot_tree::format::{ReadTrees, ccg_auto::candc_xml};
use treeglot_tree::transform::pas::Tally;
use treeglot_tree::{DepParse, Roots, WordIx};

const AUTO: &str = include_str!("fixtures/ccg.auto");
const EXTENDED: &str = include_str!("fixtures/ccg_extended.auto");
const DRAWING: &str = include_str!("fixtures/easyccg.txt");
const CANDC_XML: &str = include_str!("fixtures/candc.xml");
const PARG: &str = include_str!("fixtures/ccg.parg");
const GRS: &str = include_str!("fixtures/candc.grs");

fn derivations(text: &str) -> Result<Vec<Option<Derivation>>, String> {
    let reader = AnyReader::new("t.auto", text.as_bytes()).map_err(|e| e.to_string())?;
    reader.trees().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

fn graphs(text: &str) -> Result<Vec<Graph>, String> {
    let reader = ccg_parg::Reader::new("t.parg", text.as_bytes());
    reader.trees().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

fn auto(derivation: &Derivation) -> String {
    let mut out = Vec::new();
    ccg_auto::write(derivation, &mut out).expect("memory takes what is written");
    String::from_utf8(out).expect("what is written is text")
}

/// Heads from 1, 0 for the root.
fn heads(parse: &DepParse) -> Vec<u32> {
    parse.words().map(|w| parse.raw_head(w).expect("every word has a head")).collect()
}

fn samples() -> PathBuf {
    data("parses/samples/ccg")
}

#[test]
fn a_derivation_gives_both_kinds_of_tree() {
    let derivations = derivations(AUTO).unwrap();
    let first = derivations[0].as_ref().unwrap();
    assert_eq!(first.id(), Some("sample.1"));
    let tree = first.to_con().unwrap();
    assert_eq!(tree.forms().collect::<Vec<_>>().join(" "), "The tall sisters will bake bread .");
    assert_eq!(tree.label(tree.root()), "S[dcl]");
    assert_eq!(tree.tag(WordIx(3)), Some(r"(S[dcl]\NP)/(S[b]\NP)"));
    let parse = first.to_dep();
    assert_eq!(heads(&parse), [3, 3, 4, 0, 4, 5, 4]);
    assert_eq!(parse.deprel(WordIx(4)), r"S[b]\NP");
    assert_eq!(parse.tag(WordIx(4)), "VB");
    assert!(parse.tree(Roots::One).is_ok());
}

#[test]
fn a_sentence_that_was_not_parsed_keeps_its_place() {
    let parsed = |text| derivations(text).unwrap().iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(parsed(AUTO), [true, false, true]);
    assert_eq!(parsed(EXTENDED), [true, false]);
    assert_eq!(parsed(CANDC_XML), [true, false]);
    assert_eq!(parsed("ID=1\n"), [false]);
    assert!(parsed("").is_empty());
}

#[test]
fn a_sentence_may_be_one_word() {
    let derivations = derivations(AUTO).unwrap();
    let hello = derivations[2].as_ref().unwrap();
    assert_eq!(hello.root(), Child::Leaf(0));
    assert_eq!(heads(&hello.to_dep()), [0]);
    assert_eq!(hello.to_con().unwrap().node_count(), 1);
}

#[test]
fn auto_is_written_byte_for_byte() {
    let written: String = derivations(AUTO).unwrap().iter().flatten().map(auto).collect();
    assert_eq!(written, AUTO.replace("ID=sample.2 PARSER=GOLD NUMPARSE=1\n", ""));
}

#[test]
fn the_extended_form_tells_rules_and_lemmas_and_a_word_may_look_like_an_end() {
    let derivations = derivations(EXTENDED).unwrap();
    let sang = derivations[0].as_ref().unwrap();
    assert_eq!(sang.nodes()[0].rule.as_deref(), Some("ba"));
    let words: Vec<&str> = sang.leaves().iter().map(|l| l.word.as_str()).collect();
    assert_eq!(words, ["She", "sang", ">)"]);
    assert_eq!(sang.leaves()[1].lemma.as_deref(), Some("sing"));
    assert_eq!(heads(&sang.to_dep()), [2, 0, 2]);
}

#[test]
fn drawings_and_xml_are_derivations_whose_heads_follow_from_categories() {
    let drawn = derivations(DRAWING).unwrap();
    let drawn = drawn[0].as_ref().unwrap();
    let want = "(<T S[dcl] 1 2> (<T NP[nb] 1 2> (<L NP[nb]/N POS POS the NP[nb]/N>) (<T N 1 2> (<L N/N POS POS red N/N>) \
                (<L N POS POS kite N>) ) ) (<T S[dcl]\\NP 0 2> (<L (S[dcl]\\NP)/NP POS POS chased (S[dcl]\\NP)/NP>) \
                (<T NP 0 1> (<L N POS POS café N>) ) ) )\n";
    assert_eq!(auto(drawn), want);
    assert_eq!(heads(&drawn.to_dep()), [3, 3, 4, 0, 4]);
    let xml = derivations(CANDC_XML).unwrap();
    let xml = xml[0].as_ref().unwrap();
    assert_eq!((xml.id(), xml.nodes()[0].rule.as_deref()), (Some("7"), Some("ba")));
    assert_eq!(heads(&xml.to_dep()), [2, 3, 0]);
}

#[test]
fn bad_derivations_are_errors_with_their_line() {
    for (text, want) in [
        ("ID=1\n(<T N 0 1> ", "t.auto:2: `N` is not closed"),
        ("(<T N 0 1>)", "t.auto:1: `N` has nothing below it"),
        ("(<T N 0 2> (<L N X X a N>) )", "t.auto:1: `N` has 1 children, but announces 2"),
        ("(<T N 5 1> (<L N X X a N>) )", "t.auto:1: `N` has head 5, but only 1 children"),
        ("(<T N x 1> (<L N X X a N>) )", "t.auto:1: `x` in `<T N x 1>` is not a number"),
        ("(<T N> )", "t.auto:1: `<T N>` is not of the form `<T category head children>`"),
        ("(<L N X X a>)", "t.auto:1: `(<L` needs a category, two tags, a word and a category before `>)`"),
        ("(<L N X X a b N>)", "t.auto:1: `<L N X X a b N>` has 6 fields"),
        ("(<L N X X a N>) )", "t.auto:1: a bracket closes nothing"),
        ("(<L N X X a N>) (<L N X X a N>)", "t.auto:1: a second tree follows the first on this line"),
        ("\n\n(S (NP a))", "t.auto:3: `(S (NP a))` where `(<T`, `(<L` or `)` is due"),
        ("  ┌N a\n N┤\n", "t.auto:2: the drawing is cut short by the end of the file"),
        ("  ┌N a\n N┤\ntitle", "t.auto:3: the drawing above this line is cut short"),
        ("  ┌N a\n N┤\n   └N b\n", "t.auto:3: nothing hangs below `N`"),
        ("  ┌N\n N┤\n  └N b\n", "t.auto:1: no word after the category `N`"),
        ("<candc>\n<ccg>\n<rule cat='N'></rule></ccg></candc>", "t.auto:3: `N` has nothing below it"),
        ("<candc><ccg>\n<lf word='a'/></ccg></candc>", "t.auto:2: <lf> needs an attribute `cat`"),
        ("<candc><ccg>\n<x/></ccg></candc>", "t.auto:2: <x> where <rule> or <lf> is due"),
    ] {
        let error = derivations(text).unwrap_err();
        assert!(error.starts_with(want), "{text:?}: {error}");
    }
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let depth = 10_000;
    let text = format!("{}(<L N X X a N>) {}\n", "(<T N 0 1> ".repeat(depth), ") ".repeat(depth).trim_end());
    let derivations = derivations(&text).unwrap();
    let deep = derivations[0].as_ref().unwrap();
    assert_eq!(auto(deep), text);
    assert_eq!(deep.to_con().unwrap().node_count(), depth + 1);
    assert_eq!(heads(&deep.to_dep()), [0]);
    let xml = format!(
        "<ccg>{}<lf word='a' cat='N'/>{}</ccg>",
        "<rule cat='N'>".repeat(depth),
        "</rule>".repeat(depth)
    );
    let mut reader = candc_xml::Reader::new("t", xml.as_bytes());
    assert_eq!(reader.next_tree().unwrap().unwrap().unwrap().nodes().len(), depth);
}

#[test]
fn functors_are_heads_of_arguments_but_modifiers_depend() {
    let graphs = graphs(PARG).unwrap();
    let got = graphs[0].to_dep(None);
    // The final word takes no part in any dependency.
    assert_eq!(heads(&got.parse), [3, 3, 5, 0, 4, 5, 4]);
    assert_eq!((got.report.dropped, got.report.attached, got.report.illegal), (1, 1, false));
    assert_eq!([0, 2, 4].map(|w| got.parse.deprel(WordIx(w))), ["mod", "arg1", "arg2"]);
    assert_eq!((got.parse.form(WordIx(4)), got.parse.form(WordIx(6))), ("bake", "_"));
    assert_eq!((graphs[1].words().len(), graphs[1].edges().len()), (4, 0));
}

#[test]
fn the_root_can_be_another_parsers() {
    let graph = &graphs(PARG).unwrap()[0];
    let got = graph.to_dep(Some(WordIx(4)));
    assert_eq!(got.parse.raw_head(WordIx(4)), Some(0));
    assert_eq!(got.parse.raw_head(WordIx(3)), Some(5), "a headless word hangs from the root");
    assert!(got.parse.tree(Roots::One).is_ok());
    assert_eq!(graph.to_dep(Some(WordIx(99))).parse, graph.to_dep(None).parse);
}

#[test]
fn parg_is_written_byte_for_byte() {
    let mut written = Vec::new();
    for graph in graphs(PARG).unwrap() {
        ccg_parg::write(&graph, &mut written).unwrap();
    }
    assert_eq!(String::from_utf8(written).unwrap(), PARG);
}

#[test]
fn words_without_dependencies_are_named_by_the_derivation() {
    let (mut graphs, derivations) = (graphs(PARG).unwrap(), derivations(AUTO).unwrap());
    graphs[0].name_words(derivations[0].as_ref().unwrap()).unwrap();
    assert_eq!(graphs[0].to_dep(None).parse.form(WordIx(6)), ".");
    let error = graphs[0].name_words(derivations[2].as_ref().unwrap()).unwrap_err().to_string();
    assert_eq!(error, "t.parg:1: this sentence has 7 words, but its derivation has 1");
}

#[test]
fn relations_and_dependencies_of_candc_are_read_with_all_words() {
    let graphs = graphs(GRS).unwrap();
    assert_eq!(graphs.iter().map(|g| g.place().line).collect::<Vec<_>>(), [3, 10]);
    let relations = graphs[0].to_dep(None);
    assert_eq!(heads(&relations.parse), [3, 3, 5, 5, 0, 5, 5]);
    assert_eq!([3, 5, 6].map(|w| relations.parse.deprel(WordIx(w))), ["aux", "dobj", "dep"]);
    assert_eq!(relations.parse.tag(WordIx(6)), ".");
    assert_eq!(heads(&graphs[1].to_dep(None).parse), [2, 3, 0]);
}

#[test]
fn bad_dependencies_are_errors_with_their_line() {
    for (text, want) in [
        ("<s id=\"a\"> x\n<\\s>\n", "t.parg:1: a sentence starts with `<s id=\"NAME\"> LAST`"),
        ("<s id=\"a\"> 99999999999\n<\\s>\n", "t.parg:1: a sentence of 99999999999 words"),
        ("<s id=\"a\"> 1\n0 1 N/N 1 a b", "t.parg:2: the file ends before `<\\s>`"),
        ("<s id=\"a\"> 1\n0 1 N/N 1 a\n<\\s>", "t.parg:2: `0 1 N/N 1 a` has 5 fields"),
        ("<s id=\"a\"> 1\n0 7 N/N 1 a b\n<\\s>", "t.parg:2: position 7, but the last word is 1"),
        ("<s id=\"a\"> 1\n0 1 N/N x a b\n<\\s>", "t.parg:2: the slot `x` is not a number"),
        (
            "<s id=\"a\"> 1\n0 1 N/N 1 a b\n0 1 N/N 1 c b\n<\\s>",
            "t.parg:3: word 0 is `c` here, but `a` before",
        ),
        ("(dobj a_0 b_1)\n", "t.parg:1: the file ends before the `<c>` line of its last sentence"),
        ("(nonsense a_0 b_1)\n", "t.parg:1: the grammatical relation `nonsense` is not known"),
        ("(dobj a_0)\n", "t.parg:1: `(dobj a_0)` is too short for `dobj`"),
        ("(dobj a_0 b_1\n", "t.parg:1: `(dobj a_0 b_1` has no closing bracket"),
        ("(dobj a_0 b)\n", "t.parg:1: `b` is not of the form `word_6`"),
        ("(dobj a_0 b_1)\n<c> a|N b\n", "t.parg:2: `b` in the `<c>` line is not of the form"),
        ("(dobj a_0 b_1)\n<c> a|N c|N\n", "t.parg:2: a dependency names word 2 `b`, but it is `c`"),
        ("(dobj a_0 b_1)\n<c> a|N\n", "t.parg:2: a dependency names word 2, but the sentence has 1"),
        ("a_0 N/N 1 b_1 0\n", "t.parg:1: `a_0` is not of the form `word_7`"),
        ("what is this\n", "t.parg:1: `what is this` is neither a dependency"),
    ] {
        let error = graphs(text).unwrap_err();
        assert!(error.starts_with(want), "{text:?}: {error}");
    }
}

fn auto_trees() -> impl Strategy<Value = String> {
    let category =
        prop::sample::select(vec!["N", "NP[nb]/N", r"(S[dcl]\NP)/NP", ",", "conj", r"NP\NP[conj]"]);
    let leaf = (category.clone(), "[A-Z]{1,3}", "[!-~äß日>)(]{1,6}")
        .prop_map(|(category, tag, word)| format!("(<L {category} {tag} {tag} {word} {category}>)"));
    leaf.prop_recursive(8, 40, 3, move |inner| {
        (category.clone(), prop::collection::vec(inner, 1..4), any::<prop::sample::Index>()).prop_map(
            |(category, children, head)| {
                let (head, size) = (head.index(children.len()), children.len());
                format!("(<T {category} {head} {size}> {} )", children.join(" "))
            },
        )
    })
}

proptest! {
    #[test]
    fn what_is_read_is_written_again(text in auto_trees()) {
        let text = format!("ID=x\n{text}\n");
        let read = derivations(&text).unwrap();
        let tree = read[0].as_ref().unwrap();
        prop_assert_eq!(auto(tree), text);
        let parse = tree.to_dep();
        prop_assert!(parse.tree(Roots::One).is_ok());
        let con = tree.to_con().unwrap();
        prop_assert_eq!(con.len(), parse.len());
        prop_assert_eq!(con.node_count(), tree.nodes().len() + tree.leaves().len());
    }

    #[test]
    fn no_input_makes_the_readers_panic(text in r"[()<>TLSN/\\\[\]{}_ 0-2\n┌┐┤└│|]{0,60}") {
        let _ = derivations(&text);
        let _ = graphs(&text);
        let _ = category::slots(&text);
        let _ = category::bare(&text);
        let _ = category::head_child(&text, &[&text, "N"]);
        let _ = category::marked_depends_on(&text, 1);
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn ccgbank_derivations_survive_a_round_trip_and_their_heads_follow_from_categories() {
    let folder = samples();
    let text = fs::read_to_string(folder.join("depbank560.auto")).unwrap();
    let derivations: Vec<Derivation> = derivations(&text).unwrap().into_iter().flatten().collect();
    assert_eq!(derivations.len(), 560);
    assert!(derivations.iter().map(auto).collect::<String>() == text, "the bytes are those that were read");
    let (mut same, mut all) = (0, 0);
    for derivation in &derivations {
        assert!(derivation.to_con().unwrap().is_continuous());
        assert!(derivation.to_dep().tree(Roots::One).is_ok());
        for node in derivation.nodes().iter().filter(|n| n.children.len() == 2) {
            let children: Vec<&str> = node.children.iter().map(|&c| derivation.category(c)).collect();
            same += usize::from(node.head == Some(category::head_child(&node.category, &children)));
            all += 1;
        }
    }
    println!("heads found from categories: {same} of {all}");
    assert!(all == 12_046 && same >= 12_017, "{same} of {all}");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn drawings_and_xml_of_real_parsers_give_trees() {
    let folder = samples();
    let mut counts = Vec::new();
    let mut files = vec![folder.join("easyccg_qald_trees.txt")];
    files.extend(fs::read_dir(folder.join("candc_xml")).unwrap().map(|f| f.unwrap().path()));
    for file in files {
        let derivations = derivations(&fs::read_to_string(&file).unwrap()).unwrap();
        for derivation in &derivations {
            let derivation = derivation.as_ref().unwrap();
            assert!(derivation.to_con().unwrap().is_continuous());
            assert!(derivation.to_dep().tree(Roots::One).is_ok());
        }
        counts.push(derivations.len());
    }
    assert_eq!((counts[0], counts[1..].len(), counts[1..].iter().sum::<usize>()), (207, 40, 98));
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn dependencies_of_ccgbank_and_candc_give_trees() {
    let folder = samples();
    let mut tallies = Vec::new();
    for name in ["parg_sample.txt", "parser.correct", "depbank560.retok.goldpos.out"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let mut tally = Tally::default();
        for graph in graphs(&text).unwrap() {
            let converted = graph.to_dep(None);
            assert_eq!(converted.parse.tree(Roots::One).is_err(), converted.report.illegal);
            tally += converted.report;
        }
        println!("{name}: {tally:?}");
        tallies.push((tally.sentences, tally.illegal));
        if name == "parg_sample.txt" {
            let mut written = Vec::new();
            ccg_parg::write(&graphs(&text).unwrap()[0], &mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), text);
        }
    }
    assert_eq!(tallies, [(1, 0), (82, 0), (560, 3)]);
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn the_variables_of_candc_and_the_shapes_of_categories_agree_on_who_depends() {
    let folder = samples();
    let text = fs::read_to_string(folder.join("parser.correct")).unwrap();
    let mut compared = 0;
    for graph in graphs(&text).unwrap() {
        for edge in graph.edges() {
            let Relation::Slot { category, slot, .. } = &edge.relation else { continue };
            let Some(marked) = category::marked_depends_on(category, *slot) else {
                assert!(
                    category.starts_with("conj") || !category.contains('{'),
                    "{category} marks no slot {slot}"
                );
                continue;
            };
            let mark = format!("<{slot}>");
            let slots = category::slots(category);
            let shape = slots.into_iter().find(|s| s.argument.contains(&mark)).unwrap();
            assert_eq!(category::depends_on(shape), marked, "{category} {slot}");
            compared += 1;
        }
    }
    println!("{compared} dependencies agree");
    assert_eq!(compared, 677);
}
