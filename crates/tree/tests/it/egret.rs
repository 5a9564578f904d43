//! Parse forests: the format, and search checked against all parses spelt out.

use crate::common::data;
use crate::generate::{Shape, trees};
use proptest::prelude::*;
use std::time::Instant;
use treeglot_text::Input;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::egret::{
    Derivation, Forest, ForestBuilder, ForestEdge, ForestNode, Markers, PackError, Reader, Tail, write,
};
use treeglot_tree::{Child, ConTree, NodeId, Span, WordIx};

const SMALL: &str = "sentence 1 :\nsaw her duck\n\
    V[0,0] => saw ||| -0.5\nPRP[1,1] => her ||| -0.25\nN[2,2] => duck ||| -1.0\nVB[2,2] => duck ||| -1.5\n\
    NP^g[1,1] => PRP[1,1]  ||| 0.0\n@VP[1,2] => PRP[1,1] N[2,2]  ||| -0.5\nS[1,2] => NP^g[1,1] VB[2,2]  ||| -0.125\n\
    VP^g[0,2] => V[0,0] @VP[1,2]  ||| -1.0\nVP^g[0,2] => V[0,0] S[1,2]  ||| -1.5\nROOT[0,2] => VP^g[0,2]  ||| 0.0\n\n";

fn read(text: &str) -> Result<Vec<Option<Forest>>, String> {
    Reader::new("f", text.as_bytes()).trees().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

fn written(forests: &[Option<Forest>]) -> String {
    let mut out = Vec::new();
    for (number, forest) in (1..).zip(forests) {
        write(number, forest.as_ref(), &mut out).expect("memory takes it");
    }
    String::from_utf8(out).expect("a forest is text")
}

/// Labelled brackets, to compare trees in one line.
fn brackets(tree: &ConTree, node: NodeId) -> String {
    let children: Vec<String> = tree
        .children(node)
        .iter()
        .map(|child| match *child {
            Child::Node(n) => brackets(tree, n),
            Child::Word(w) => tree.form(w).to_string(),
        })
        .collect();
    format!("({} {})", tree.label(node), children.join(" "))
}

/// Every parse of a node, as hyperedges in pre-order.
fn all_parses(forest: &Forest, node: ForestNode) -> Vec<(Vec<ForestEdge>, f64)> {
    let mut all = Vec::new();
    for edge in forest.edges(node) {
        let mut partial = vec![(vec![edge], forest.score(edge))];
        for tail in forest.tails(edge) {
            let Tail::Node(below) = *tail else { continue };
            let parts = all_parses(forest, below);
            partial = partial
                .iter()
                .flat_map(|(edges, score)| {
                    parts.iter().map(move |(more, s)| ([edges.clone(), more.clone()].concat(), score + s))
                })
                .collect();
        }
        all.extend(partial);
    }
    all
}

#[test]
fn a_forest_is_read_with_its_parses_best_first() {
    let forest = read(SMALL).unwrap().remove(0).unwrap();
    assert_eq!((forest.node_count(), forest.edge_count(), forest.tree_count()), (9, 10, 2));
    assert_eq!((forest.label(forest.root()), forest.span(forest.root())), ("ROOT", Span::new(0, 3)));
    let found: Vec<(f64, String)> = forest
        .kbest()
        .map(|d| {
            let tree = forest.tree(&d, Markers::Remove);
            (d.score, brackets(&tree, tree.root()))
        })
        .collect();
    assert_eq!(found[0], (-3.25, "(ROOT (VP (V saw) (PRP her) (N duck)))".into()));
    assert_eq!(found[1], (-3.875, "(ROOT (VP (V saw) (S (NP (PRP her)) (VB duck))))".into()));
    assert_eq!(found.len(), 2);
    let kept = forest.tree(&forest.best(), Markers::Keep);
    assert_eq!(brackets(&kept, kept.root()), "(ROOT (VP^g (V saw) (@VP (PRP her) (N duck))))");
}

#[test]
fn lines_may_come_in_any_order_but_the_roots_is_last() {
    let mut lines: Vec<&str> = SMALL.trim_end().lines().collect();
    let body = lines.len() - 1;
    lines[2..body].reverse();
    let turned = read(&(lines.join("\n") + "\n")).unwrap().remove(0).unwrap();
    let forest = read(SMALL).unwrap().remove(0).unwrap();
    assert_eq!(turned.tree_count(), forest.tree_count());
    assert_eq!(turned.best().score, forest.best().score);
}

#[test]
fn a_sentence_without_a_forest_keeps_its_place() {
    let text = format!("sentence 1 :\nno parse\n\nsentence 2 :\n\n\n{SMALL}");
    let forests = read(&text).unwrap();
    assert_eq!(forests.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(read(&written(&forests)).unwrap(), forests);
}

#[test]
fn words_that_look_like_nodes_or_brackets_are_words() {
    let text = "sentence 1 :\nNN[0,0] ( |||\nNN[0,0] => NN[0,0] ||| -1.0\n-LRB-[1,1] => -LRB- ||| 0.0\n:[2,2] => ||| ||| 0.0\n\
        X[0,2] => NN[0,0] -LRB-[1,1] :[2,2]  ||| 0.0\n";
    let forest = read(text).unwrap().remove(0).unwrap();
    let tree = forest.tree(&forest.best(), Markers::Keep);
    assert_eq!(tree.forms().collect::<Vec<_>>(), ["NN[0,0]", "(", "|||"]);
    assert_eq!(read(&written(&[Some(forest.clone())])).unwrap(), [Some(forest)]);
}

#[test]
fn a_bad_forest_is_an_error_with_its_line() {
    for (from, to, want) in [
        ("sentence 1 :", "sentence :", "f:1: a forest starts with a line `sentence 1 :`"),
        ("=> saw |||", "-> saw |||", "f:3: a line of a forest is `NP[0,1] => DT[0,0] NN[1,1]  ||| -0.5`"),
        ("||| -0.25", "||| x", "f:4: `x` is not a score"),
        (
            "||| -0.25",
            "||| inf",
            "f:12: in the forest that ends here, the score of a hyperedge of PRP[1,1] is not a number below infinity",
        ),
        (
            "=> saw",
            "=> see",
            "f:3: `see` is neither word 0 of the sentence nor a node that a line builds there",
        ),
        (
            "V[0,0] S[1,2]",
            "V[0,0] S[1,3]",
            "f:11: `S[1,3]` is neither word 1 of the sentence nor a node that a line builds there",
        ),
        (
            "V[0,0] S[1,2]",
            "V[0,0]",
            "f:11: what is below ends before word 1, but the node ends before word 3",
        ),
        (
            "ROOT[0,2] => VP^g[0,2]",
            "ROOT[0,0] => V[0,0]",
            "f:12: in the forest that ends here, the root ROOT[0,0] must cover the sentence and be below no other node",
        ),
        (
            "NP^g[1,1] => PRP[1,1]",
            "NP^g[1,1] => NP^g[1,1]",
            "f:12: in the forest that ends here, the node NP^g[1,1] is below itself",
        ),
        ("S[1,2] =>", "S[1,9] =>", "f:9: what is below ends before word 3, but the node ends before word 10"),
    ] {
        assert!(SMALL.contains(from), "{from}");
        assert_eq!(read(&SMALL.replace(from, to)).unwrap_err(), want);
    }
}

#[test]
fn a_chain_of_ten_thousand_nodes_is_read_searched_and_written() {
    let mut text = String::from("sentence 1 :\na\nX0[0,0] => a ||| -1\nX0[0,0] => a ||| -2\n");
    for n in 1..10_000 {
        text.push_str(&format!("X{n}[0,0] => X{}[0,0]  ||| 0\n", n - 1));
    }
    let forest = read(&text).unwrap().remove(0).unwrap();
    let scores: Vec<f64> = forest.kbest().map(|d| d.score).collect();
    assert_eq!(scores, [-1.0, -2.0]);
    assert_eq!(forest.tree(&forest.best(), Markers::Keep).node_count(), 10_000);
    assert_eq!(read(&written(&[Some(forest.clone())])).unwrap(), [Some(forest)]);
}

#[test]
fn a_forest_of_more_parses_than_can_be_listed_is_counted_and_searched() {
    let n = 64;
    let words: Vec<String> = (0..n).map(|w| format!("w{w}")).collect();
    let mut b = ForestBuilder::new(words.iter().map(String::as_str));
    let mut at = std::collections::BTreeMap::new();
    for length in 1..=n {
        for start in 0..=n - length {
            let node = b.node("X", Span::new(start, start + length));
            at.insert((start, start + length), node);
            if length == 1 {
                b.edge(node, vec![Tail::Word(WordIx(start))], 0.0);
            }
            for middle in start + 1..start + length {
                let tails = [(start, middle), (middle, start + length)].map(|s| Tail::Node(at[&s]));
                b.edge(node, tails.to_vec(), -f64::from(middle * 7 % 13));
            }
        }
    }
    let forest = b.finish(at[&(0, n)]).unwrap();
    assert_eq!(
        forest.tree_count(),
        94_295_850_558_771_979_787_935_384_946_380_125,
        "the 63rd Catalan number"
    );
    let scores: Vec<f64> = forest.kbest().take(1000).map(|d| d.score).collect();
    assert_eq!(scores.len(), 1000);
    assert!(scores.is_sorted_by(|a, b| a >= b));
}

/// A bag of trees over one sentence.
fn same_words(labels: &'static str) -> impl Strategy<Value = Vec<(ConTree, f64)>> {
    let shape = Shape { discontinuous: false, annotated: false };
    let tree = trees(shape, "w", labels);
    let weighted = (tree, -4.0..0.0f64);
    proptest::collection::vec(weighted, 1..24).prop_map(|mut all: Vec<(ConTree, f64)>| {
        let length = all[0].0.len();
        all.retain(|t| t.0.len() == length);
        all
    })
}

proptest! {
    #[test]
    fn a_written_forest_is_read_back(bag in same_words("[A-B\\[\\]^|=>@]{1,2}")) {
        if let Ok(forest) = Forest::from_trees(&bag) {
            let forests = [Some(forest), None];
            prop_assert_eq!(read(&written(&forests)).unwrap(), forests);
        }
    }

    #[test]
    fn search_agrees_with_all_parses_spelt_out(bag in same_words("[AB]")) {
        let forest = Forest::from_trees(&bag).unwrap();
        prop_assume!(forest.tree_count() < 2000);
        let mut all = all_parses(&forest, forest.root());
        prop_assert_eq!(forest.tree_count(), all.len() as u128);
        let total: f64 = all.iter().map(|p| p.1.exp()).sum();
        prop_assert!((forest.inside()[forest.root().ix()].exp() - total).abs() < 1e-9);
        prop_assert!((total - 1.0).abs() < 1e-9, "{}", total);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut found: Vec<Derivation> = forest.kbest().collect();
        prop_assert_eq!(found.len(), all.len());
        for (derivation, (_, score)) in found.iter().zip(&all) {
            prop_assert!((derivation.score - score).abs() < 1e-9);
        }
        let mut expected: Vec<Vec<ForestEdge>> = all.into_iter().map(|p| p.0).collect();
        expected.sort();
        found.sort_by(|a, b| a.edges.cmp(&b.edges));
        prop_assert_eq!(found.into_iter().map(|d| d.edges).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_packed_tree_is_a_parse(bag in same_words("[ABC]")) {
        let forest = Forest::from_trees(&bag).unwrap();
        prop_assume!(forest.tree_count() < 2000);
        let parses: Vec<ConTree> = forest.kbest().map(|d| forest.tree(&d, Markers::Remove)).collect();
        for (tree, _) in &bag {
            prop_assert!(parses.contains(tree));
        }
    }

    #[test]
    fn no_file_makes_the_reader_panic(body in "([AB]\\[[012],[012]\\]| => |[ab ]| {2}\\|\\|\\| -?[0-9]|\n){0,40}") {
        let _ = read(&format!("sentence 1 :\na b a\n{body}"));
    }
}

#[test]
fn trees_of_different_sentences_do_not_pack() {
    let shape = |form: &str| {
        let mut b = treeglot_tree::ConBuilder::default();
        let s = b.node("S", None);
        b.word(form, s);
        b.finish().unwrap()
    };
    assert_eq!(Forest::from_trees(&[]).unwrap_err(), PackError::NoTrees);
    let two = [(shape("a"), 0.0), (shape("b"), 0.0)];
    assert_eq!(Forest::from_trees(&two).unwrap_err().to_string(), "tree 2 has other words than tree 1");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn the_best_parses_of_egrets_forests_are_egrets_trees() {
    let folder = data("parses/samples/other");
    let path = folder.join("val20.en.egret-l1.forest");
    let start = Instant::now();
    let forests: Vec<Option<Forest>> = Input::open(&path)
        .map(|input| Reader::new(input.name, input.reader))
        .unwrap()
        .trees()
        .collect::<Result<_, _>>()
        .unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert_eq!(read(&written(&forests)).unwrap(), forests);
    let gold = std::fs::read_to_string(folder.join("val20.en.egret-l1.ptb")).unwrap();
    assert_eq!((forests.len(), gold.lines().count()), (20, 20));
    let mut same = 0;
    for (forest, gold) in forests.iter().flatten().zip(gold.lines()) {
        let tree = forest.tree(&forest.best(), Markers::Remove);
        let best = brackets(&tree, tree.root()).replacen("(ROOT ", "( ", 1);
        same += usize::from(best == gold.trim());
        assert!(forest.kbest().take(50).is_sorted_by(|a, b| a.score >= b.score));
    }
    let nodes: usize = forests.iter().flatten().map(Forest::node_count).sum();
    let edges: usize = forests.iter().flatten().map(Forest::edge_count).sum();
    let parses: u128 = forests.iter().flatten().map(Forest::tree_count).sum();
    println!(
        "{same} of 20 best parses are the same; {nodes} nodes, {edges} hyperedges, {parses} parses, {:.1} MB/s",
        bytes as f64 / 1e6 / seconds
    );
    assert_eq!((same, edges), (20, 2179));
}
