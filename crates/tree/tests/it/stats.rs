//! Statistics of treebanks: by hand, additive, and the published figures of real ones.

use crate::common::data_files;
use crate::parses::parses_of_any_text;
use proptest::prelude::*;
use treeglot_tree::format::{ReadTrees, conllu, ptb};
use treeglot_tree::stats::{ConStats, DepStats, Histogram};
use treeglot_tree::{ConBuilder, DepParse, Roots, WordIx};

fn parse(heads: &[u32]) -> DepParse {
    let mut parse = DepParse::new(0);
    for &head in heads {
        parse.push_word("w", "T", Some(head), if head == 0 { "root" } else { "dep" });
    }
    parse
}

#[test]
fn shapes_of_a_small_treebank() {
    let mut stats = DepStats::default();
    stats.add_parse(&parse(&[5, 0, 4, 2, 2, 2]));
    stats.add_parse(&parse(&[0, 1, 2]));
    stats.add_parse(&parse(&[0, 0]));
    stats.add_parse(&parse(&[2, 1]));
    assert_eq!((stats.sentences, stats.tokens, stats.illegal), (4, 13, 1));
    assert_eq!((stats.nonprojective_sentences, stats.arcs, stats.nonprojective_arcs), (1, 8, 1));
    assert_eq!(stats.branching.iter().collect::<Vec<_>>(), [(1, 2), (3, 1)]);
    assert_eq!(stats.depths.iter().collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    assert_eq!(stats.arc_lengths.sum(), 4 + 1 + 2 + 3 + 4 + 1 + 1 + 1);
    assert_eq!(stats.roots.iter().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 1)]);
    assert_eq!(stats.labels["root"], 4);
    let summary = stats.summary();
    assert_eq!((summary.several_roots, summary.max_length, summary.max_depth), (1, 6, 2));
    assert!((summary.nonprojective_sentence_share - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn histograms_know_mean_median_and_maximum() {
    let mut h = Histogram::default();
    assert_eq!((h.mean(), h.median(), h.max()), (0.0, 0, 0));
    [3, 1, 8, 1].into_iter().for_each(|v| h.add(v));
    assert_eq!((h.mean(), h.median(), h.max(), h.count(), h.sum()), (3.25, 1, 8, 4, 13));
}

#[test]
fn the_table_has_the_figures_distributions_and_relations() {
    let mut stats = DepStats::default();
    stats.add_parse(&parse(&[5, 0, 4, 2, 2, 2]));
    stats.add_parse(&parse(&[0, 1]));
    let expected = "\
sentences                   2
tokens                      8
length                      4.00 mean, 6 max
no trees                    0
several roots               0
non-projective sentences    1 (50.00%)
non-projective arcs         1 (16.67%)
arc length                  2.50 mean
branching factor            2.00 mean, 3 max
depth factor                1.50 mean, 2 max

 value      length   branching       depth
     1           0           1           1
     2           1           0           1
     3           0           1           0
     6           1           0           0

    count    share  relation
        6   75.00%  dep
        2   25.00%  root
";
    assert_eq!(stats.to_string(), expected);
}

#[test]
fn counts_are_serialised() {
    let mut stats = DepStats::default();
    stats.add_parse(&parse(&[0, 1]));
    let json = serde_json::to_value(&stats).unwrap();
    assert_eq!(json["lengths"], serde_json::json!({"2": 1}));
    assert_eq!(json["labels"]["dep"], 1);
    assert_eq!(serde_json::to_value(stats.summary()).unwrap()["mean_length"], 2.0);
}

#[test]
fn constituency_trees_have_heights_branching_and_gaps() {
    let mut b = ConBuilder::default();
    let s = b.node("S", None);
    let v = b.node("V", Some(s));
    let vp = b.node("VP", Some(s));
    let np = b.node("NP", Some(vp));
    let (x, y) = (b.node("X", Some(np)), b.node("Y", Some(vp)));
    b.word("a", x);
    b.word("b", v);
    b.word("c", y);
    let tree = b.finish().unwrap();
    let mut stats = ConStats::default();
    stats.add(&tree);
    stats.add_failed();
    assert_eq!((stats.sentences, stats.failed, stats.tokens, stats.nodes), (2, 1, 3, 3));
    assert_eq!((stats.discontinuous_nodes, stats.discontinuous_sentences), (1, 1));
    assert_eq!((stats.heights.max(), stats.branching.max()), (4, 2));
    assert_eq!(stats.tags.keys().collect::<Vec<_>>(), ["V", "X", "Y"]);
    assert!((stats.discontinuous_sentence_share() - 1.0).abs() < 1e-12);
    let mut twice = stats.clone();
    twice.merge(&stats);
    assert_eq!((twice.nodes, twice.labels["VP"], twice.heights.count()), (6, 2, 2));
    assert!(twice.to_string().contains("discontinuous constituents  2 (33.33%)"));
}

proptest! {
    #[test]
    fn merged_counts_are_those_of_the_whole(parses in prop::collection::vec(parses_of_any_text(), 0..6), at in 0usize..6) {
        let count = |parses: &[DepParse]| {
            let mut stats = DepStats::default();
            parses.iter().for_each(|p| stats.add_parse(p));
            stats
        };
        let at = at.min(parses.len());
        let mut merged = count(&parses[..at]);
        merged.merge(&count(&parses[at..]));
        prop_assert_eq!(merged, count(&parses));
    }

    #[test]
    fn branching_depth_and_crossing_are_those_of_the_definitions(parse in parses_of_any_text()) {
        let tree = parse.tree(Roots::One).unwrap();
        let mut stats = DepStats::default();
        stats.add(&tree);
        let dependents = |h: WordIx| tree.words().filter(|&w| tree.head(w) == Some(h)).count();
        prop_assert_eq!(stats.branching.max() as usize, tree.words().map(dependents).max().unwrap());
        let depth = |w: WordIx| tree.ancestors(w).count();
        prop_assert_eq!(stats.depths.max() as usize, tree.words().map(depth).max().unwrap());
        prop_assert_eq!(stats.nonprojective_sentences == 0, tree.is_projective());
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn non_projective_shares_of_universal_dependencies_are_those_published_with_the_data() {
    let figures = [
        ("de_gsd-ud-dev", 48, 799),
        ("de_gsd-ud-test", 93, 977),
        ("de_pud-ud-test", 135, 1_000),
        ("de_lit-ud-test", 149, 1_920),
        ("en_ewt-ud-train.rebuilt", 288, 12_544),
        ("en_ewt-ud-dev", 31, 2_001),
        ("en_ewt-ud-test", 26, 2_077),
        ("en_lines-ud-train", 185, 3_457),
        ("fr_sequoia-ud-train", 59, 2_231),
        ("cs_fictree-ud-dev", 144, 1_309),
        ("es_gsd-ud-dev", 106, 1_400),
        ("zh_gsd-ud-dev", 12, 500),
    ];
    for (name, crossing, sentences) in figures {
        let mut stats = DepStats::default();
        for path in data_files("ud", &format!("{name}.conllu.gz")) {
            conllu::Reader::open(path).unwrap().trees().for_each(|p| stats.add_parse(&p.unwrap()));
        }
        let s = stats.summary();
        println!(
            "{name}: {}/{} sentences, {:.2}% of arcs non-projective; BF {:.2} (max {}), DF {:.2} (max {})",
            s.nonprojective_sentences,
            s.sentences,
            100.0 * s.nonprojective_arc_share,
            s.mean_branching,
            s.max_branching,
            s.mean_depth,
            s.max_depth
        );
        assert_eq!((s.nonprojective_sentences, s.sentences, s.illegal), (crossing, sentences, 0), "{name}");
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn penn_treebank_trees_are_counted() {
    for path in data_files("ptb", "wsj-dev.mrg.gz") {
        let mut stats = ConStats::default();
        for tree in ptb::Reader::open(path, ptb::BracketLayout::Free).unwrap().trees() {
            stats.add(&tree.unwrap().unwrap());
        }
        assert_eq!((stats.sentences, stats.discontinuous_nodes), (168, 0));
    }
}
