//! Comparison of parses: agreement, attachment scores, brackets, and files that are not of the same sentences.

use crate::common::{data, tree};
use crate::generate::{Shape, trees};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use treeglot_tree::compare::{
    Agreement, AttachmentScore, BracketOptions, BracketScore, InStep, Match, is_punctuation,
};
use treeglot_tree::format::{ReadTrees, conllu, conllx};
use treeglot_tree::{ConTree, DepParse};

const GAPS: Shape = Shape { discontinuous: true, annotated: true };
const LABEL: &str = r"(S|NP|VP-SBJ|PP-1|CC|,|@NP|N\|P|X\^|NN|)";

fn parse(words: &[(&str, u32, &str)]) -> DepParse {
    let mut parse = DepParse::new(0);
    for &(form, head, relation) in words {
        parse.push_word(form, "T", Some(head), relation);
    }
    parse
}

#[test]
fn pairs_of_parsers_agree_on_roots_and_heads() {
    let a = parse(&[("x", 2, "r"), ("y", 0, "r"), ("z", 2, "r")]);
    let b = parse(&[("x", 3, "r"), ("y", 0, "r"), ("z", 2, "r")]);
    let c = parse(&[("x", 2, "r"), ("y", 3, "r"), ("z", 0, "r")]);
    let loops = parse(&[("x", 2, "r"), ("y", 1, "r"), ("z", 0, "r")]);
    let mut agreement = Agreement::new(["a", "b", "c"].map(String::from).to_vec());
    agreement.add(&[a.clone(), b, c]);
    agreement.add(&[a.clone(), a, loops]);
    let pair = |i, j| {
        let p = agreement.pair(i, j).unwrap();
        (p.equal_roots, p.equal_heads, p.sentences, p.words)
    };
    assert_eq!(pair(0, 1), (2, 5, 2, 6));
    assert_eq!(pair(2, 0), (0, 2, 2, 6));
    assert_eq!(pair(1, 2), (0, 1, 2, 6));
    assert_eq!(agreement.pair(1, 1), None);
    assert_eq!(agreement.illegal, [0, 0, 1]);
    let mut twice = agreement.clone();
    twice.merge(&agreement);
    assert_eq!(twice.pair(0, 1).unwrap().equal_heads, 10);
    let expected = "\
roots / heads                 1               2               3
1 a                           -  100.00 / 83.33    0.00 / 33.33
2 b              100.00 / 83.33               -    0.00 / 16.67
3 c                0.00 / 33.33    0.00 / 16.67               -
no trees                      0               0               1
several roots                 0               0               0
";
    assert_eq!(agreement.to_string(), expected);
}

#[test]
fn attachment_scores_count_heads_relations_and_punctuation() {
    let gold = parse(&[("he", 2, "subj"), ("ran", 0, "root"), ("home", 2, "obj"), (".", 2, "punct")]);
    let mut system = parse(&[("he", 2, "subj"), ("ran", 0, "root"), ("home", 2, "adv"), (".", 3, "punct")]);
    let mut score = AttachmentScore::default();
    score.add(&gold, &system);
    assert_eq!((score.all.heads, score.all.labelled, score.all.gold), (3, 2, 4));
    let plain = score.without_punctuation;
    assert_eq!((plain.heads, plain.labelled, plain.gold), (3, 2, 3));
    assert_eq!((score.exact_heads, score.roots, score.illegal), (0, 1, 0));
    system = DepParse::new(0);
    for (form, head) in [("he", None), ("ran", Some(0)), ("home", Some(2)), (".", Some(2))] {
        system.push_word(form, "T", head, "root");
    }
    let mut partial = AttachmentScore::default();
    partial.add(&gold, &system);
    assert_eq!((partial.all.precision(), partial.all.recall()), (1.0, 0.75));
    assert_eq!(partial.illegal, 1);
    score.merge(&partial);
    assert_eq!((score.sentences, score.all.gold, score.illegal), (2, 8, 1));
    assert!(
        score.to_string().starts_with("all words                85.71   75.00   42.86   37.50        8\n")
    );
}

#[test]
fn punctuation_is_told_by_tag_or_characters() {
    assert!(is_punctuation("...", "_") && is_punctuation("«", "_") && is_punctuation("。", "_"));
    assert!(is_punctuation("$", "PUNCT") && !is_punctuation("$", "_") && !is_punctuation("a.", "_"));
    assert!(!is_punctuation("", "_") && is_punctuation("-", "SYM"));
}

#[test]
fn brackets_are_counted_as_evalb_counts_them() {
    let gold = tree("(ROOT (S (NP-SBJ (DT a) (NN b)) (VP (VB c) (NP (NN d))) (. .)))");
    let system = tree("(ROOT (S (NP (DT a)) (VP (VB b) (NP (NN c) (NN d))) (. .)))");
    let score = |options: &BracketOptions| {
        let mut score = BracketScore::default();
        score.add(&gold, Some(&system), options);
        score
    };
    let plain = score(&BracketOptions::default());
    assert_eq!((plain.gold, plain.system, plain.matched, plain.exact), (4, 4, 1, 0));
    assert_eq!((plain.words, plain.tags, plain.crossing), (4, 2, 1));
    assert_eq!((plain.precision(), plain.recall(), plain.f1()), (0.25, 0.25, 0.25));
    let unlabelled = score(&BracketOptions { labels: false, ..BracketOptions::default() });
    assert_eq!(unlabelled.matched, 2);
    let mut failed = plain;
    failed.add(&gold, None, &BracketOptions::default());
    assert_eq!((failed.failed, failed.gold, failed.system, failed.sentences), (1, 8, 4, 2));
}

#[test]
fn punctuation_left_out_moves_no_bracket() {
    let gold = tree("(S (NP (NN a)) (, ,) (VP (VB b)))");
    let system = tree("(S (NP (NN a) (, ,)) (VP (VB b)))");
    let mut score = BracketScore::default();
    score.add(&gold, Some(&system), &BracketOptions::default());
    assert_eq!((score.matched, score.exact), (3, 1));
    let mut strict = BracketScore::default();
    strict.add(
        &gold,
        Some(&system),
        &BracketOptions { ignored_tags: Vec::new(), ..BracketOptions::default() },
    );
    assert_eq!((strict.matched, strict.exact), (2, 0));
}

#[test]
fn particles_and_adverbs_are_one_category_for_collins() {
    let gold = tree("(TOP (S (NP (PRP I)) (VP (VBD gave) (PRT (RP up))) (: ;) ($ $)))");
    let system = tree("(TOP (S (NP (PRP I)) (VP (VBD gave) (ADVP (RB up)) (: ;)) ($ $)))");
    let mut score = BracketScore::default();
    score.add(&gold, Some(&system), &BracketOptions::collins());
    // S, NP, VP and the adverb; the semicolon is left out, the dollar sign is not.
    assert_eq!((score.gold, score.system, score.matched, score.exact), (4, 4, 4, 1));
    assert_eq!((score.words, score.tags, score.tag_share()), (4, 3, 0.75));
}

proptest! {
    #[test]
    fn a_tree_has_all_its_own_brackets(tree in trees(GAPS, "[a-z]{1,2}", LABEL)) {
        let mut score = BracketScore::default();
        score.add(&tree, Some(&tree), &BracketOptions::default());
        prop_assert_eq!((score.matched, score.matched, score.exact), (score.gold, score.system, 1));
    }

    #[test]
    fn brackets_match_as_sets_of_words(pair in (trees(GAPS, "[a-z]{1,2}", LABEL), trees(GAPS, "[a-z]{1,2}", LABEL))) {
        let (a, b) = pair;
        if a.len() == b.len() {
            let options = BracketOptions { labels: false, ignored_tags: Vec::new(), ..BracketOptions::default() };
            let mut score = BracketScore::default();
            score.add(&a, Some(&b), &options);
            let bag = |t: &ConTree| {
                let mut bag: HashMap<Vec<u32>, u64> = HashMap::new();
                for n in t.nodes().filter(|&n| t.preterminal(n).is_none()) {
                    if n != t.root() || !t.label(n).is_empty() {
                        *bag.entry(t.words_of(n).map(|w| w.0).collect()).or_default() += 1;
                    }
                }
                bag
            };
            let (left, right) = (bag(&a), bag(&b));
            let shared: u64 = left.iter().map(|(k, n)| *n.min(right.get(k).unwrap_or(&0))).sum();
            prop_assert_eq!(score.matched, shared);
        }
    }
}

fn conllu_files<'a>(texts: &[&'a str]) -> InStep<'a, DepParse> {
    let open = |(i, text): (usize, &&'a str)| {
        let name: Arc<str> = format!("f{}", i + 1).into();
        let reader: Box<dyn ReadTrees<Tree = DepParse> + 'a> =
            Box::new(conllu::Reader::new(name.clone(), text.as_bytes()));
        (name, reader)
    };
    InStep::new(texts.iter().enumerate().map(open).collect(), Match::Forms)
}

fn error(texts: &[&str]) -> String {
    let mut files = conllu_files(texts);
    loop {
        match files.next_sentences() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the files match"),
            Err(e) => return e.to_string(),
        }
    }
}

const ONE: &str = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\td\t_\t_\n\n";
const OTHER: &str = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tc\t_\tX\t_\t_\t1\td\t_\t_\n\n";
const SHORT: &str = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n";

#[test]
fn files_of_other_sentences_are_errors_with_line_and_sentence() {
    let two = ONE.repeat(2);
    assert_eq!(error(&[&two, ONE]), "f1:4: sentence 2 has no partner: f2 has only 1 sentences");
    assert_eq!(error(&[ONE, &two]), "f2:4: sentence 2 has no partner: f1 has only 1 sentences");
    let late = format!("{ONE}# x\n{OTHER}");
    assert_eq!(error(&[&two, &two, &late]), "f3:6: word 2 of sentence 2 is `c`, but `b` in f1");
    assert_eq!(error(&[ONE, SHORT]), "f2:1: sentence 1 has 1 words, but 2 in f1");
    let mut same = conllu_files(&[&two, &two]);
    let mut count = 0;
    while same.next_sentences().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 2);
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn parsers_of_multi30k_agree_in_part() {
    let root = data("");
    let folder = root.join("parses/multi30k");
    let names = ["en.lth.conll", "en.stanford-basic.conll", "en.malt-ud.conllu", "en.spacy.conllu"];
    let open = |name: &&str| {
        let path = folder.join(format!("val.{name}.gz"));
        let reader: Box<dyn ReadTrees<Tree = DepParse>> = match name.ends_with('u') {
            true => Box::new(conllu::Reader::open(path).unwrap()),
            false => Box::new(conllx::Reader::open(path).unwrap()),
        };
        (Arc::from(*name), reader)
    };
    let mut files = InStep::new(names.iter().map(open).collect(), Match::Forms);
    let mut agreement = Agreement::new(names.map(String::from).to_vec());
    while let Some(parses) = files.next_sentences().unwrap() {
        agreement.add(&parses);
    }
    println!("ran on multi30k val:\n{agreement}");
    assert_eq!(agreement.pair(0, 1).unwrap().sentences, 1_014);
    assert!(agreement.pair(0, 1).unwrap().root_share() > 0.5);
}
