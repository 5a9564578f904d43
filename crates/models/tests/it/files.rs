//! What is read from files of pairs, and what is refused.

use crate::support::{Folder, model, run};
use serde_json::json;
use treeglot_align::LexTable;
use treeglot_models::Model;
use treeglot_models::extract::Lexicon;

fn phrase() -> Box<dyn Model> {
    model("phrase", json!({}))
}

fn constrained() -> Box<dyn Model> {
    model("constrained", json!({}))
}

/// CoNLL-U of sentences written as `word/head word/head`.
fn conllu(sentences: &[&str]) -> String {
    let mut out = String::new();
    for sentence in sentences {
        for (k, item) in sentence.split(' ').enumerate() {
            let (word, head) = item.split_once('/').expect("a word and its head");
            out.push_str(&format!("{}\t{word}\t_\t_\t_\t_\t{head}\t_\t_\t_\n", k + 1));
        }
        out.push('\n');
    }
    out
}

#[test]
fn pairs_with_an_empty_side_have_no_rules_and_are_counted() {
    let folder = Folder::with("a\n\n\nb\n", "x\n\ny\nz\n", "0-0\n\n\n0-0\n");
    let (text, summary) = folder.extract(&*phrase(), false).unwrap();
    assert_eq!(text.lines().count(), 2);
    assert_eq!((summary.pairs, summary.empty, summary.instances), (2, 2, 2));
    assert_eq!(summary.to_string(), "2 instances from 2 pairs; 2 pairs with an empty side");
}

#[test]
fn words_that_read_as_notation_are_escaped() {
    let folder = Folder::with("[X] |||\n", "[1]\n", "0-0 1-0\n");
    let (text, _) = folder.extract(&*phrase(), false).unwrap();
    assert_eq!(text, "&#91;X&#93; &#124;&#124;&#124; ||| &#91;1&#93; ||| 0-0 1-0 ||| 1 ||| mono mono\n");
}

#[test]
fn what_does_not_fit_is_an_error_with_its_place() {
    for (source, target, links, message) in [
        ("a b\nc\n", "x\n", "0-0\n0-0\n", "source:2: this line has no partner: target has only 1 lines"),
        (
            "a\nb\n",
            "x\ny\n",
            "0-0\n0-1\n",
            "links:2: link `0-1` points outside its pair of 1 and 1 words: links are `source-target`, from 0",
        ),
        (
            "a\n\n",
            "x\ny\n",
            "0-0\n0-0\n",
            "links:2: the pair has links, but its source side is empty: are the files of the same pairs?",
        ),
        (
            "a\n",
            "x\n",
            "0:0\n",
            "links:1: `0:0` is no link: expected two positions from 0 to 9999, as in `3-4`",
        ),
    ] {
        let folder = Folder::with(source, target, links);
        assert_eq!(folder.extract(&*phrase(), false).unwrap_err(), message);
    }
}

#[test]
fn trees_must_be_of_the_words_of_the_text() {
    let advice = "trees must be of the tokens of the text (`skip-bad` leaves such pairs out)";
    let cases = [
        (
            conllu(&["a/0 b/1", "c/0"]),
            "source.conllu:4: word 1 of the tree is `c`, but of source:2 `d`: ADVICE",
        ),
        (conllu(&["a/0", "d/0"]), "source.conllu:1: the tree has 1 words, but source:1 has 2: ADVICE"),
        (
            conllu(&["a/0 b/1"]),
            "source:2: this line has no tree: source.conllu has only 1 trees; give one for each line",
        ),
        (
            conllu(&["a/0 b/1", "d/0", "e/0"]),
            "source.conllu: tree 3 has no line in source: trees and text must match",
        ),
    ];
    for (trees, message) in cases {
        let folder = Folder::with("a b\nd\n", "x\ny\n", "0-0\n0-0\n");
        folder.write("source.conllu", &trees);
        let found = folder.extract(&*constrained(), false).unwrap_err();
        assert_eq!(found, message.replace("ADVICE", advice));
    }
}

#[test]
fn a_model_without_its_trees_says_which_option_gives_them() {
    let folder = Folder::with("a\n", "x\n", "0-0\n");
    assert_eq!(
        folder.extract(&*constrained(), false).unwrap_err(),
        "the model reads source dependency trees, but none are given"
    );
}

#[test]
fn bad_pairs_are_skipped_and_counted_on_request() {
    let folder = Folder::with("a\nb\nc\nd\ne\n", "x\ny\nz\nv\n", "0-0\n0-7\n0-0\n0-0\n0-0\n");
    folder.write("source.conllu", &conllu(&["a/0", "b/0", "q/0", "d/0", "e/0"]));
    let (text, summary) = folder.extract(&*constrained(), true).unwrap();
    assert_eq!(text, "a [X] ||| x [X] ||| 0-0 ||| 1\nd [X] ||| v [X] ||| 0-0 ||| 1\n");
    assert_eq!((summary.bad.links, summary.bad.trees, summary.lines.unpaired), (1, 1, 1));
    assert_eq!(
        summary.to_string(),
        "2 instances from 2 pairs; 1 pair skipped for links that do not fit; \
         1 pair skipped for trees that do not fit; 1 line skipped: 0 not UTF-8, 0 too long, 1 without partner"
    );
}

#[test]
fn an_empty_sentence_may_have_no_tree() {
    let folder = Folder::with("a\n\nb\n", "x\n\ny\n", "0-0\n\n0-0\n");
    folder.write("source.conllu", &conllu(&["a/0", "b/0"]));
    assert_eq!(folder.extract(&*constrained(), false).unwrap().1.pairs, 2);
    folder.write("source.conllu", &conllu(&["a/0"]));
    folder.write("source.conllu", &format!("{}# nothing\n\n{}", conllu(&["a/0"]), conllu(&["b/0"])));
    assert_eq!(folder.extract(&*constrained(), false).unwrap().1.pairs, 2);
}

#[test]
fn later_sentences_of_a_line_hang_from_the_first() {
    let folder = Folder::with("go ! come\n", "geh ! komm\n", "0-0 1-1 2-2\n");
    folder.write("source.conllu", &conllu(&["go/0 !/1 come/0"]));
    let (text, _) = folder.extract(&*constrained(), false).unwrap();
    assert!(text.contains("go ! [X][X] [X] ||| geh ! [X][X] [X] ||| 0-0 1-1 2-2 ||| 1\n"), "{text}");
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let lines = |word: &str| (0..3_000).map(|k| format!("{word}{k} b c\n")).collect::<String>();
    let folder = Folder::with(&lines("a"), &lines("x"), &"0-0 1-1 2-2\n".repeat(3_000));
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| folder.extract(&*model("hiero", json!({})), false).unwrap())
    };
    let one = on(1);
    assert_eq!(one.1.pairs, 3_000);
    assert!(one.0.starts_with("a0 [X]"));
    assert!(one == on(2) && one == on(5));
}

#[test]
fn the_first_error_is_reported_wherever_it_is_found() {
    let mut links = "0-0\n".repeat(3_000);
    links.replace_range(4_000..4_003, "0-9");
    let folder = Folder::with(&"a\n".repeat(3_000), &"x\n".repeat(2_999), &links);
    let error = folder.extract(&*phrase(), false).unwrap_err();
    assert!(error.starts_with("links:1001: link `0-9`"), "{error}");
}

#[test]
fn lexical_tables_are_counted_on_the_way() {
    let folder = Folder::with("das haus\ndas\n", "the house\nthe it\n", "0-0 1-1\n0-1\n");
    let mut lexicon = Lexicon::default();
    run(&folder.files(), &*phrase(), false, Some(&mut lexicon)).unwrap();
    let mut out = Vec::new();
    lexicon.write(LexTable::TargetGivenSource, &mut out).unwrap();
    let table = "the NULL 1.0000000\nit das 0.5000000\nthe das 0.5000000\nhouse haus 1.0000000\n";
    assert_eq!(String::from_utf8(out).unwrap(), table);
}
