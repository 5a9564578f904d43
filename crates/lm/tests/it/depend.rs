//! The dependency language model: whatever the order in which a tree is put together, the scores of the steps add up to
//! that of the tree.

use crate::support::Oracle;
use proptest::prelude::*;
use std::path::Path;
use treeglot_lm::Search;
use treeglot_lm::depend::{Branch, DepLm, DepScorer, Fixed, Structure, from_trees};
use treeglot_lm::estimate::MEMORY;
use treeglot_lm::{Lm, LmLayout, Settings};
use treeglot_text::vocab::Sym;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::{DepParse, DepTree, Roots, WordIx};

/// A sentence of `a` to `h`: word `i`, in the order of `ranks`, hangs from an earlier one.
fn parse(spec: &[(u8, u8)]) -> DepParse {
    let mut parse = DepParse::new(0);
    let mut order: Vec<usize> = (0..spec.len()).collect();
    order.sort_by_key(|&w| (spec[w].1, w));
    let mut heads = vec![0; spec.len()];
    for (rank, &word) in order.iter().enumerate().skip(1) {
        heads[word] = order[usize::from(spec[word].0) % rank] as u32 + 1;
    }
    for (&(word, _), head) in spec.iter().zip(heads) {
        parse.push_word(&((b'a' + word % 8) as char).to_string(), "_", Some(head), "_");
    }
    parse
}

fn with_tree(parse: DepParse) -> (DepParse, DepTree) {
    let tree = parse.tree(Roots::One).unwrap();
    (parse, tree)
}

fn model(specs: &[Vec<(u8, u8)>], order: usize) -> DepLm {
    let trees = specs.iter().map(|spec| Ok(with_tree(parse(spec))));
    let (ngrams, _) = from_trees(trees, order, MEMORY).unwrap();
    DepLm::new(Lm::build(ngrams, LmLayout::Probing).unwrap()).unwrap()
}

/// Builds the structure under a word; `choices` decides on order and grouping.
fn assemble<S: Search>(
    scorer: &DepScorer<'_, S>,
    tree: &DepTree,
    words: &[Sym],
    head: WordIx,
    choices: &mut dyn Iterator<Item = u8>,
) -> (f64, Fixed) {
    let mut fixed = Fixed::word(words[head.ix()]);
    let mut sum = 0.0;
    let mut pieces = Vec::new();
    for &child in tree.dependents(head) {
        let (score, piece) = assemble(scorer, tree, words, child, choices);
        sum += score;
        pieces.push((child, Structure::Fixed(piece)));
    }
    let split = pieces.partition_point(|(child, _)| *child < head);
    let mut right: Vec<Structure> = pieces.split_off(split).into_iter().map(|(_, p)| p).collect();
    let mut left: Vec<Structure> = pieces.into_iter().map(|(_, p)| p).collect();
    while !left.is_empty() || !right.is_empty() {
        let choice = choices.next().unwrap_or(0);
        let on_left = !left.is_empty() && (right.is_empty() || choice.is_multiple_of(2));
        let side = if on_left { &mut left } else { &mut right };
        let inner = if on_left { side.len() - 1 } else { 0 };
        if choice.is_multiple_of(3) && side.len() > 1 {
            // Two neighbours float until their head takes both.
            let at = usize::from(choice / 6) % (side.len() - 1);
            let both = side[at].beside(&side[at + 1]);
            side.splice(at..at + 2, [Structure::Floating(both)]);
            continue;
        }
        let piece = side.remove(inner);
        sum += scorer.attach(&mut fixed, if on_left { Branch::Left } else { Branch::Right }, &piece);
    }
    (sum, fixed)
}

fn specs(most: usize) -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
    proptest::collection::vec(proptest::collection::vec(any::<(u8, u8)>(), 1..10), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn pieces_put_together_in_any_order_score_as_the_finished_tree(
        train in specs(12),
        test in proptest::collection::vec(any::<(u8, u8)>(), 1..14),
        order in 2usize..6,
        choices in proptest::collection::vec(any::<u8>(), 60),
    ) {
        let lm = model(&train, order);
        let (parse, tree) = with_tree(parse(&test));
        let words: Vec<Sym> = parse.forms().map(|f| lm.symbol(f)).collect();
        let tables = lm.tables();
        let scorer = lm.scorer(&tables);
        let (sum, fixed) = assemble(&scorer, &tree, &words, tree.root(), &mut choices.into_iter());
        let sum = sum + scorer.finish(&Structure::Fixed(fixed));
        let whole = scorer.tree(&tree, &words);
        prop_assert!((sum - whole).abs() < 1e-9 * (1.0 + whole.abs()), "{sum} {whole}");
    }

    #[test]
    fn the_words_a_head_may_have_on_a_side_sum_to_one(train in specs(12), order in 2usize..5) {
        let specs: Vec<_> = train.iter().map(|spec| with_tree(parse(spec))).collect();
        let (ngrams, _) = from_trees(specs.into_iter().map(Ok), order, MEMORY).unwrap();
        let oracle = Oracle::new(&ngrams);
        let lm = DepLm::new(Lm::build(ngrams, LmLayout::Trie).unwrap()).unwrap();
        let tables = lm.tables();
        let scorer = lm.scorer(&tables);
        let words: Vec<Sym> = (b'a'..=b'h').map(|c| lm.symbol(&(c as char).to_string())).collect();
        let mut events: Vec<Sym> = words.iter().copied().chain([Sym(0)]).collect();
        events.sort_unstable();
        events.dedup();
        for &head in &words {
            for inner in [vec![], vec![words[0]], vec![words[1], words[0]]] {
                let sum: f64 =
                    events.iter().map(|&d| 10f64.powf(f64::from(scorer.child(Branch::Left, head, &inner, d)))).sum();
                prop_assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            }
        }
        let left = lm.ngrams().symbol("<left>");
        let direct = oracle.prob(&[words[0], left, words[1]]);
        prop_assert!(direct <= 0.0);
    }
}

#[test]
fn a_model_of_text_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.lm");
    Lm::build(crate::support::estimate("a b\n", &Settings::of_order(3)), LmLayout::Probing)
        .unwrap()
        .write(&path)
        .unwrap();
    let error = DepLm::open(&path).err().unwrap().to_string();
    assert!(error.contains("text.lm: this is an n-gram model of text"), "{error}");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn siblings_make_held_out_trees_likelier() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    let trees = |file: &str| {
        let path = folder.join("gum").join(file);
        let trees = conllu::Reader::open(&path).unwrap().trees().map(|parse| {
            let parse = parse.unwrap();
            let tree = parse.tree(Roots::AttachToFirst).unwrap();
            (parse, tree)
        });
        trees.collect::<Vec<_>>()
    };
    let (train, test) = (trees("gum-test.conllu.gz"), trees("gum-dev.conllu.gz"));
    let perplexity = |order: usize| {
        let (ngrams, _) = from_trees(train.iter().cloned().map(Ok), order, MEMORY).unwrap();
        let lm = DepLm::new(Lm::build(ngrams, LmLayout::Probing).unwrap()).unwrap();
        let tables = lm.tables();
        let scorer = lm.scorer(&tables);
        let mut sum = (0.0, 0.0);
        for (parse, tree) in &test {
            let words: Vec<Sym> = parse.forms().map(|f| lm.symbol(f)).collect();
            sum = (sum.0 + scorer.tree(tree, &words), sum.1 + words.len() as f64);
        }
        10f64.powf(-sum.0 / sum.1)
    };
    let perplexities = [2, 3].map(perplexity);
    println!("perplexity a word of order 2 and 3: {perplexities:?}");
    assert!(perplexities[1] < perplexities[0]);
}
