//! Fragments of small trees.

use super::*;
use crate::testing::Sentences;
use treeglot_tree::ConBuilder;

/// `er hat das haus gesehen` as `(S (P er) (VP (H hat) (NP (D das) (N haus)) (V gesehen)))`.
fn pair() -> Sentences {
    let mut b = ConBuilder::default();
    let s = b.node("S", None);
    let vp = b.node("VP-X", Some(s));
    let np = b.node("NP", Some(vp));
    for (tag, parent, word) in
        [("P", s, "er"), ("H", vp, "hat"), ("D", np, "das"), ("N", np, "haus"), ("V", vp, "gesehen")]
    {
        let tag = b.node(tag, Some(parent));
        b.word(word, tag);
    }
    Sentences::new("er hat das haus gesehen", "he saw the house", "0-0 1-1 2-2 3-3 4-1")
        .source_con(b.finish().unwrap())
}

fn rules(options: FragmentOptions) -> Vec<String> {
    let short = |line: &String| line.split(" ||| ").take(2).collect::<Vec<_>>().join(" -> ");
    pair().extract(&Cons2Str::new(options).unwrap()).iter().map(short).collect()
}

#[test]
fn fragments_reach_from_frontier_nodes_to_frontier_nodes_and_words() {
    let found = rules(FragmentOptions { max_height: 2, ..FragmentOptions::default() });
    assert_eq!(
        found,
        [
            "(S x1:P x2:VP) -> x1 x2",
            "(S (P er) x1:VP) -> he x1",
            "(P er) -> he",
            "(VP (H hat) x1:NP (V gesehen)) -> saw x1",
            "(VP (H hat) (NP x1:D x2:N) (V gesehen)) -> saw x1 x2",
            "(NP x1:D x2:N) -> x1 x2",
            "(NP x1:D (N haus)) -> x1 house",
            "(NP (D das) x1:N) -> the x1",
            "(NP (D das) (N haus)) -> the house",
            "(D das) -> the",
            "(N haus) -> house",
        ]
    );
}

#[test]
fn a_height_of_three_reaches_words_below_inner_nodes() {
    let found = rules(FragmentOptions::default());
    let deepest = "(S (P er) (VP (H hat) x1:NP (V gesehen))) -> he saw x1";
    assert!(found.iter().any(|rule| rule == deepest), "{found:#?}");
    let lexical = "(VP (H hat) (NP (D das) (N haus)) (V gesehen)) -> saw the house";
    assert!(found.iter().any(|rule| rule == lexical), "{found:#?}");
}

#[test]
fn parted_nodes_give_more_rules() {
    let parted = rules(FragmentOptions { binarize: Binarize::Right, ..FragmentOptions::default() });
    assert!(parted.iter().any(|rule| rule.contains("(@VP")), "{parted:#?}");
}

#[test]
fn a_limit_keeps_the_smallest_fragments() {
    let mut b = ConBuilder::default();
    let top = b.node("S", None);
    let words = ["a", "b", "c", "d", "e", "f", "g"];
    for word in words {
        let tag = b.node(&word.to_uppercase(), Some(top));
        b.word(word, tag);
    }
    let text = words.join(" ");
    let links = (0..7).map(|k| format!("{k}-{k}")).collect::<Vec<_>>().join(" ");
    let mut pair = Sentences::new(&text, &text, &links).source_con(b.finish().unwrap());
    let model = Cons2Str::new(FragmentOptions { max_fragments: 29, ..FragmentOptions::default() }).unwrap();
    let batch = pair.with(|pair, vocab, batch| model.extract(pair, vocab, batch));
    assert_eq!(batch.cut_phrases(), 1, "99 of 128 fragments are left out");
    let sizes: Vec<usize> = crate::testing::lines(&batch)
        .iter()
        .filter(|line| line.starts_with("(S"))
        .map(|line| line.split(" ||| ").next().unwrap().matches('(').count() - 1)
        .collect();
    let expected = [vec![0], vec![1; 7], vec![2; 21]].concat();
    assert_eq!(sizes, expected, "no word, one of seven, two of seven");
}

#[test]
fn a_height_of_zero_is_refused() {
    let options = FragmentOptions { max_height: 0, ..FragmentOptions::default() };
    let error = Cons2Str::new(options).unwrap_err();
    assert_eq!(error.to_string(), "model `cons2str`: `max-height` must be 1 or more");
}
