//! Moses' nested trees: constituents, Graham's dependency trees, and what is refused.

use crate::common::data;
use crate::generate::{Shape, trees};
use proptest::prelude::*;
use std::time::Instant;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::mosesxml::{Labels, Reader, write, write_dependencies};
use treeglot_tree::format::tigerxml;
use treeglot_tree::{Child, ConTree, DepParse, NodeId, Roots, WordIx};

fn read(text: &str) -> Result<Vec<Option<ConTree>>, String> {
    Reader::new("t", text.as_bytes()).trees().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

fn written(tree: Option<&ConTree>) -> Result<String, String> {
    let mut out = Vec::new();
    write(tree, &mut out).map_err(|e| e.to_string())?;
    String::from_utf8(out).map_err(|e| e.to_string())
}

#[test]
fn words_may_stand_beside_subtrees() {
    let line = "<tree label=\"X\"><tree span='0-1' label=\"X\"> the </tree>black  cat</tree>\n";
    let tree = read(line).unwrap().remove(0).unwrap();
    let want = [Child::Node(NodeId(1)), Child::Word(WordIx(1)), Child::Word(WordIx(2))];
    assert_eq!(tree.children(tree.root()), want);
    assert_eq!(
        written(Some(&tree)).unwrap(),
        "<tree label=\"X\"> <tree label=\"X\"> the </tree> black cat </tree>\n"
    );
}

#[test]
fn all_of_moses_escapes_are_read_and_its_own_are_written() {
    let line =
        "<tree label=\"P&apos;&#124;\"> &amp;&lt;&gt;&quot;&apos;&#91;&#93;&#124; &bra;&ket;&bar; </tree>\n";
    let tree = read(line).unwrap().remove(0).unwrap();
    assert_eq!(tree.label(tree.root()), "P'|");
    assert_eq!(tree.forms().collect::<Vec<_>>(), ["&<>\"'[]|", "[]|"]);
    assert_eq!(written(Some(&tree)).unwrap(), line.replace("&bra;&ket;&bar;", "&#91;&#93;&#124;"));
}

#[test]
fn an_empty_line_is_a_failed_parse_that_keeps_its_place() {
    let trees = read("<tree label=\"A\"> a </tree>\n\n \n<tree label=\"B\"> b </tree>").unwrap();
    assert_eq!(trees.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, true]);
    assert_eq!(written(None).unwrap(), "\n");
}

#[test]
fn a_dependency_tree_nests_as_in_grahams_example() {
    let mut parse = DepParse::new(0);
    for (form, head, relation) in [
        ("the", 3, "det"),
        ("black", 3, "amod"),
        ("cat", 4, "nsubj"),
        ("ate", 0, "root"),
        ("the", 6, "det"),
        ("rat", 4, "obj"),
    ] {
        parse.push_word(form, "_", Some(head), relation);
    }
    let tree = parse.tree(Roots::One).unwrap();
    let mut out = Vec::new();
    write_dependencies(&parse, &tree, Labels::X, &mut out).unwrap();
    let want = "<tree label=\"X\"> <tree label=\"X\"> <tree label=\"X\"> the </tree> <tree label=\"X\"> black </tree> cat </tree> \
                ate <tree label=\"X\"> <tree label=\"X\"> the </tree> rat </tree> </tree>\n";
    assert_eq!(String::from_utf8(out.clone()).unwrap(), want);
    let again = read(want).unwrap().remove(0).unwrap();
    assert_eq!(again.forms().collect::<Vec<_>>(), parse.forms().collect::<Vec<_>>());
    out.clear();
    write_dependencies(&parse, &tree, Labels::Relations, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().starts_with("<tree label=\"root\"> <tree label=\"nsubj\"> "));
}

#[test]
fn what_does_not_nest_is_not_written() {
    let mut parse = DepParse::new(0);
    for head in [3, 0, 2, 1] {
        parse.push_word("w", "_", Some(head), "x");
    }
    let tree = parse.tree(Roots::One).unwrap();
    let error = write_dependencies(&parse, &tree, Labels::X, &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the dependents of word 1 leave a gap: make the tree projective with `treeglot tree project`"
    );
}

#[test]
fn a_bad_line_is_an_error_with_its_number() {
    for (line, want) in [
        ("<tree label=\"A\"> a", "t:2: 1 <tree> without </tree>"),
        ("<tree label=\"A\"> a </tree> </tree>", "t:2: </tree> closes nothing"),
        (
            "<tree label=\"A\"> a </tree> <tree label=\"B\"> b </tree>",
            "t:2: a second tree on the line; a line is one tree",
        ),
        ("<tree label=\"A\"> a </tree> b", "t:2: the word `b` is in no <tree>; a line is one tree"),
        (
            "<tree label=\"A\"> a < b </tree>",
            "t:2: <b </tree> where only <tree label=\"...\"> and </tree> may stand; write `<` as `&lt;`",
        ),
        ("<tree label=\"A\"> a <", "t:2: `<` without `>`; write the character as `&lt;`"),
        (
            "<tree> a </tree>",
            "t:2: <tree> where only <tree label=\"...\"> and </tree> may stand; write `<` as `&lt;`",
        ),
        ("<tree cat=\"A\"> a </tree>", "t:2: <tree cat=\"A\"> is not of the form <tree label=\"...\">"),
        ("<tree label=A> a </tree>", "t:2: <tree label=A> is not of the form <tree label=\"...\">"),
        ("<tree label=\"A\"> <tree label=\"B\"> </tree> a </tree>", "t:2: the constituent `B` has no words"),
        ("<tree label=\"A\"> </tree>", "t:2: the sentence has no words"),
        ("<tree label=\"A\"> Q&A </tree>", "t:2: a lone `&`; write `&amp;`"),
    ] {
        assert_eq!(read(&format!("\n{line}\n")).unwrap_err(), want);
    }
}

#[test]
fn nesting_of_ten_thousand_trees_is_read_and_written() {
    let line = "<tree label=\"A\"> ".repeat(10_000) + "a" + &" </tree>".repeat(10_000) + "\n";
    let tree = read(&line).unwrap().remove(0).unwrap();
    assert_eq!(tree.node_count(), 10_000);
    assert_eq!(written(Some(&tree)).unwrap(), line);
}

proptest! {
    #[test]
    fn any_continuous_tree_written_is_read_back(
        tree in trees(Shape { discontinuous: false, annotated: false }, "[ -~äß\u{a0}\n\t]{1,4}", "[ -~é\n]{0,3}")
    ) {
        let line = written(Some(&tree)).unwrap();
        prop_assert_eq!(read(&line).unwrap(), [Some(tree)]);
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in "(<tree label=\"|\">|</tree>|<|&|;|amp|[ a-z='\"])*") {
        let _ = read(&line);
    }

    #[test]
    fn a_discontinuous_tree_is_refused(
        tree in trees(Shape { discontinuous: true, annotated: false }, "[a-z]{1,4}", "[A-Z]{1,3}")
    ) {
        prop_assert_eq!(written(Some(&tree)).is_ok(), tree.is_continuous());
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn continuous_trees_of_a_treebank_survive_a_round_trip() {
    let folder = data("treebanks/squoia");
    let bank = tigerxml::Treebank::open(folder.join("DW_SQUOIA_ES.xml.gz")).unwrap();
    let trees: Vec<&ConTree> =
        bank.sentences().iter().filter_map(|s| s.tree()).filter(|t| t.is_continuous()).collect();
    let text: String = trees.iter().map(|t| written(Some(t)).unwrap()).collect();
    let start = Instant::now();
    let again = read(&text).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let words: usize = trees.iter().map(|t| t.len()).sum();
    println!(
        "{} trees, {words} words, {:.1} MB/s, {:.0} words/s",
        trees.len(),
        text.len() as f64 / 1e6 / seconds,
        words as f64 / seconds
    );
    assert_eq!(again.len(), trees.len());
    for (again, tree) in again.iter().zip(trees) {
        assert_eq!(&written(again.as_ref()).unwrap(), &written(Some(tree)).unwrap());
    }
}
