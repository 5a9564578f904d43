//! Dependency trees as brackets: the figures of Hearne 2008, round trips, and errors.

use crate::common::data_files;
use crate::parses::parses_of_any_text;
use proptest::prelude::*;
use treeglot_tree::format::depbracket::{self, Options, Reader};
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::{DepParse, Field, Roots};

fn line(parse: &DepParse, options: &Options) -> String {
    let tree = depbracket::to_brackets(parse, Roots::One, options).expect("the heads make a tree");
    assert!(tree.is_continuous());
    let mut out = Vec::new();
    depbracket::write(&tree, &mut out).expect("memory can be written");
    String::from_utf8(out).expect("what is written is UTF-8")
}

fn read(text: &str) -> Result<DepParse, String> {
    match Reader::new("t.dep", text.as_bytes()).next_tree() {
        Ok(parse) => Ok(parse.flatten().expect("a parse")),
        Err(e) => Err(e.to_string()),
    }
}

/// What the notation holds of every word.
fn held(parse: &DepParse) -> Vec<[String; 5]> {
    let text = |w, f| parse.get(w, f).to_string();
    parse
        .words()
        .map(|w| {
            let head = parse.raw_head(w).expect("every word has a head").to_string();
            [
                text(w, Field::Form),
                parse.tag(w).to_string(),
                text(w, Field::Lemma),
                head,
                text(w, Field::Deprel),
            ]
        })
        .collect()
}

fn parse(words: &[(&str, &str, &str, u32, &str)]) -> DepParse {
    let mut parse = DepParse::new(0);
    for &(form, tag, lemma, head, relation) in words {
        parse.push([form, lemma, tag, tag, "_", relation, "_", "_"], Some(head));
    }
    parse
}

#[test]
fn figure_4_is_written_with_the_numbers_of_the_paper() {
    let figure = parse(&[
        ("the", "Det", "the", 2, "det"),
        ("information", "Nom", "information", 8, "subj"),
        ("forwarded", "Ppa", "forward", 2, "Adj"),
        ("by", "Prep", "by", 3, "prep"),
        ("the", "Det", "the", 7, "det"),
        ("Member", "Nom", "member", 7, "nn"),
        ("States", "Nom", "state", 4, "cprep"),
        ("is", "V", "be", 0, "root"),
        ("satisfactory", "Adj", "satisfactory", 8, "atts"),
    ]);
    let options = Options { first_index: 4, ..Options::default() };
    let expected = "(17;H=11;subj=16;atts=12 \
        (16;H=5;det=4;Adj=15 (4;Det;the the) (5;Nom;information information) \
        (15;H=6;prep=14 (6;Ppa;forward forwarded) \
        (14;H=7;cprep=13 (7;Prep;by by) \
        (13;H=10;nn=9;det=8 (8;Det;the the) (9;Nom;member Member) (10;Nom;state States))))) \
        (11;V;be is) (12;Adj;satisfactory satisfactory))\n";
    assert_eq!(line(&figure, &options), expected);
    assert_eq!(read(expected).unwrap(), figure);
}

#[test]
fn figure_5_hangs_the_crossing_word_from_the_unit_and_tells_its_head_in_the_label() {
    let figure = parse(&[
        ("this", "Det", "this", 2, "det"),
        ("approach", "Nom", "approach", 6, "subj"),
        ("has", "V", "has", 6, "unit"),
        ("not", "Adv", "not", 6, "adv"),
        ("been", "V", "been", 6, "unit"),
        ("followed", "V", "followed", 0, "root"),
    ]);
    let options = Options { first_index: 10, ..Options::default() };
    let expected = "(15;H=13;subj=14;adv=12 (14;H=11;det=10 (10;Det;this this) (11;Nom;approach approach)) \
        (13;V;has+been+followed has (12;Adv;not not) been followed))\n";
    assert_eq!(line(&figure, &options), expected);
    assert_eq!(read(expected).unwrap(), figure);
}

#[test]
fn a_crossing_constituent_hangs_from_the_lowest_node_that_it_does_not_cross() {
    let question = parse(&[
        ("When", "WRB", "when", 5, "adv"),
        ("did", "VBD", "do", 0, "root"),
        ("the", "DT", "the", 4, "det"),
        ("crisis", "NN", "crisis", 2, "subj"),
        ("begin", "VB", "begin", 2, "vc"),
        ("?", ".", "?", 2, "p"),
    ]);
    let expected = "(9;H=2;subj=7;vc=8;p=6 (1;WRB;when When) (2;VBD;do did) \
        (7;H=4;det=3 (3;DT;the the) (4;NN;crisis crisis)) (8;H=5;adv=1 (5;VB;begin begin)) (6;.;? ?))\n";
    assert_eq!(line(&question, &Options::default()), expected);
    assert_eq!(read(expected).unwrap(), question);
}

#[test]
fn a_root_relation_other_than_root_is_told_by_the_top_node() {
    let one = parse(&[("yes", "UH", "yes", 0, "discourse")]);
    assert_eq!(line(&one, &Options::default()), "(2;H=1;discourse=2 (1;UH;yes yes))\n");
    assert_eq!(read("(2;H=1;discourse=2 (1;UH;yes yes))").unwrap(), one);
    assert_eq!(line(&parse(&[("yes", "UH", "yes", 0, "root")]), &Options::default()), "(1;UH;yes yes)\n");
}

#[test]
fn characters_of_the_notation_are_escaped() {
    let odd = parse(&[("a (b)", "T;=", "_", 0, "root"), ("-LRB-", "-LRB-", "50%", 1, "a b=c")]);
    let expected = "(3;H=1;a%20b%3Dc=2 (1;T%3B%3D;_ a%20%28b%29) (2;%2DLRB%2D;50%25 %2DLRB%2D))\n";
    assert_eq!(line(&odd, &Options::default()), expected);
    assert_eq!(read(expected).unwrap(), odd);
}

#[test]
fn a_failed_parse_keeps_its_line() {
    let parses: Vec<_> =
        Reader::new("t", "\n(1;A;a a)\n(())\n".as_bytes()).trees().map(|p| p.unwrap().is_some()).collect();
    assert_eq!(parses, [false, true, false]);
}

#[test]
fn what_is_not_the_notation_is_an_error_with_its_line() {
    let error = |text: &str| {
        let mut reader = Reader::new("t.dep", text.as_bytes());
        loop {
            match reader.next_tree() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("no error in {text}"),
                Err(e) => return e.to_string(),
            }
        }
    };
    let good = "(1;A;a a)\n";
    assert_eq!(error(&format!("{good}(x;A;a a)")), "t.dep:2: the label `x;A;a` has no number");
    assert_eq!(error("(1 a)"), "t.dep:1: the label `1` has only one field");
    assert_eq!(error("(1;A a)"), "t.dep:1: the label `1;A` is neither index;tag;lemma nor index;H=index");
    assert_eq!(
        error("(2;H=1 (1;A;a a) b)"),
        "t.dep:1: the word 2 (`b`) is not below a label index;tag;lemma"
    );
    assert_eq!(error("(2;H=9;x=1 (1;A;a a))"), "t.dep:1: no word has the number 9");
    assert_eq!(error("(1;H=1 (1;A;a a))"), "t.dep:1: the label `1;A;a` has a number that another node has");
    assert_eq!(error("(3;H=1;x=2;y=2 (1;A;a a) (2;B;b b))"), "t.dep:1: the node 2 has two heads");
    assert!(error("(3;H=1 (1;A;a a) (2;B;b b))").contains("both roots"));
    assert!(error("(4;H=1;x=2 (1;A;a a) (3;H=2;y=1 (2;B;b b)))").contains("cycle"));
    assert_eq!(
        error("(1;A;a+b a)"),
        "t.dep:1: the label `1;A;a+b` has another number of lemmas than of words below it"
    );
    assert!(error("(1;A;a a%)").contains("t.dep:1: a word has a broken escape"));
    assert!(error("(1;A%;a a)").contains("has a broken escape"));
    assert!(error("(1;A;a a").contains("t.dep:1: the line ends inside a tree"));
}

#[test]
fn very_deep_trees_are_written_and_read() {
    let words: Vec<_> = (0..20_000).map(|w| ("w", "T", "l", w, if w == 0 { "root" } else { "x" })).collect();
    let deep = parse(&words);
    assert_eq!(read(&line(&deep, &Options::default())).unwrap(), deep);
}

proptest! {
    #[test]
    fn every_tree_comes_back(parse in parses_of_any_text(), first_index in 0u32..50) {
        let text = line(&parse, &Options { first_index, ..Options::default() });
        prop_assert_eq!(held(&read(&text).unwrap()), held(&parse));
    }

    #[test]
    fn any_text_is_read_or_refused(text in r"[()0-9;H=+%a \-]{0,30}") {
        let parses: Vec<_> = Reader::new("t.dep", text.as_bytes()).trees().collect();
        prop_assert!(parses.iter().rev().skip(1).all(Result::is_ok), "an error ends the reading");
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn real_trees_come_back() {
    for path in data_files("ud", "de_gsd-ud-dev.conllu.gz")
        .iter()
        .chain(&data_files("ud", "fictree-ud-dev.conllu.gz"))
    {
        let mut crossing = 0;
        for parse in conllu::Reader::open(path).unwrap().trees() {
            let parse = parse.unwrap();
            crossing += usize::from(!parse.tree(Roots::One).unwrap().is_projective());
            let text = line(&parse, &Options::default());
            assert_eq!(held(&read(&text).unwrap()), held(&parse));
        }
        assert!(crossing > 40, "non-projective trees are among them");
    }
}
