//! Laws of sub-tree alignment: links are well-formed, and those that greedy selection by hand would take; the paper's
//! example.

use proptest::prelude::*;
use treeglot_align::trees::well_formed;
use treeglot_align::trees::{
    Aligner, Kinds, LexicalTables, NodeScore, NodeSmoothing, Nodes, NumberedTree, Skip, Span1,
    TreeAlignSettings,
};
use treeglot_align::{LexTable, Link};
use treeglot_text::Lines;
use treeglot_tree::{ConBuilder, ConTree, DepTree, Roots, WordIx};

fn lexicon(pairs: &[(String, String, f64, f64)]) -> LexicalTables {
    let mut lexicon = LexicalTables::default();
    let lines = |text: String| Lines::new("lex", std::io::Cursor::new(text.into_bytes()));
    let f2e: String = pairs.iter().map(|(s, t, p, _)| format!("{t} {s} {p:.7}\n")).collect();
    let e2f: String = pairs.iter().map(|(s, t, _, p)| format!("{s} {t} {p:.7}\n")).collect();
    lexicon.read(&mut lines(f2e), LexTable::TargetGivenSource).expect("a table");
    lexicon.read(&mut lines(e2f), LexTable::SourceGivenTarget).expect("a table");
    lexicon
}

/// A tree from brackets; words may stand beside each other without tags.
fn bracket(text: &str) -> ConTree {
    let mut b = ConBuilder::default();
    let mut path = Vec::new();
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut tokens = spaced.split_whitespace();
    while let Some(token) = tokens.next() {
        match token {
            "(" => path.push(b.node(tokens.next().expect("a label"), path.last().copied())),
            ")" => drop(path.pop()),
            word => drop(b.word(word, *path.last().expect("a node above"))),
        }
    }
    b.finish().expect("a tree")
}

/// The labels of linked nodes.
fn labels(sides: [&NumberedTree; 2], links: &[Link]) -> Vec<String> {
    let label = |side: &NumberedTree, node: u32| {
        let word = side.nodes.word(node).map(|word| side.words[word.ix()].clone());
        let label = side.labels[node as usize].clone();
        if label.is_empty() { word.unwrap_or_default() } else { label }
    };
    links.iter().map(|link| format!("{}-{}", label(sides[0], link.src), label(sides[1], link.tgt))).collect()
}

#[test]
fn the_pair_of_hearnes_figure_3_is_aligned_as_drawn() {
    let english = NumberedTree::of_con(&bracket("(VP (V click) (NP (D the) (ADJ Save As) (N button)))"), 1);
    let french = NumberedTree::of_con(
        &bracket("(VP (V cliquez) (PP (P sur) (NP (D le) (N bouton) (ADJ Enregistrer Sous))))"),
        1,
    );
    let entry = |s: &str, t: &str, f2e: f64, e2f: f64| (s.to_string(), t.to_string(), f2e, e2f);
    let tables = [
        entry("click", "cliquez", 0.6, 0.9),
        entry("click", "sur", 0.2, 0.1),
        entry("the", "le", 0.3, 0.6),
        entry("Save", "Enregistrer", 0.7, 0.5),
        entry("As", "Sous", 0.4, 0.5),
        entry("button", "bouton", 0.9, 0.9),
        entry("NULL", "sur", 0.1, 0.2),
    ];
    for score in [NodeScore::One, NodeScore::Two] {
        let settings = TreeAlignSettings { score, ..TreeAlignSettings::default() };
        let aligner = Aligner::new(lexicon(&tables), settings);
        let links = aligner.worker().align([&english, &french]);
        let expected = ["VP-VP", "V-V", "NP-NP", "D-D", "ADJ-ADJ", "Save-Enregistrer", "As-Sous", "N-N"];
        assert_eq!(labels([&english, &french], &links), expected, "{score:?}");
    }
}

/// A constituency tree over words of a small vocabulary: each choice opens a node, adds a word or closes a node.
fn con_tree(side: char) -> impl Strategy<Value = NumberedTree> {
    prop::collection::vec((0u8..4, 0u8..4), 1..14).prop_map(move |steps| {
        let mut b = ConBuilder::default();
        let root = b.node("R", None);
        let mut path = vec![root];
        let mut filled = false;
        for (what, word) in steps {
            let &top = path.last().expect("the root stays");
            match what {
                0 if path.len() < 4 => {
                    let node = b.node("X", Some(top));
                    b.word(&format!("{side}{word}"), node);
                    path.push(node);
                }
                1 if path.len() > 1 => {
                    path.pop();
                    continue;
                }
                _ => {
                    let tag = b.node("T", Some(top));
                    b.word(&format!("{side}{word}"), tag);
                }
            }
            filled = true;
        }
        if !filled {
            b.word(&format!("{side}0"), root);
        }
        NumberedTree::of_con(&b.finish().expect("a tree"), 1)
    })
}

/// The nodes of a dependency tree over such words.
fn dep_tree(side: char) -> impl Strategy<Value = NumberedTree> {
    prop::collection::vec((any::<prop::sample::Index>(), 0u8..4), 1..8).prop_map(move |words| {
        let heads = (0..words.len()).map(|w| (w > 0).then(|| WordIx::from(words[w].0.index(w)))).collect();
        let nodes = Nodes::of_dep(&DepTree::new(heads, Roots::One).expect("heads come first"));
        let labels = vec![String::new(); nodes.len()];
        let ids = vec![None; nodes.len()];
        let words = words.iter().map(|(_, word)| format!("{side}{word}")).collect();
        NumberedTree { nodes, words, labels, ids, added_top: false }
    })
}

fn tree(side: char) -> impl Strategy<Value = NumberedTree> {
    prop_oneof![con_tree(side), dep_tree(side)]
}

fn table() -> impl Strategy<Value = Vec<(String, String, f64, f64)>> {
    let entry = (0u8..4, 0u8..4, 1u8..5, 1u8..5)
        .prop_map(|(s, t, p, q)| (format!("s{s}"), format!("t{t}"), f64::from(p) / 5.0, f64::from(q) / 5.0));
    prop::collection::vec(entry, 0..12)
}

fn settings() -> impl Strategy<Value = TreeAlignSettings> {
    let score = prop_oneof![Just(NodeScore::One), Just(NodeScore::Two)];
    let smoothing = prop_oneof![Just(NodeSmoothing::None), Just(NodeSmoothing::Empty)];
    let skip = prop_oneof![Just(Skip::None), Just(Skip::One), Just(Skip::Two)];
    let kinds = prop_oneof![Just(Kinds::Same), Just(Kinds::Any)];
    let span1 = prop_oneof![Just(Span1::Off), Just(Span1::On), Just(Span1::Likely)];
    (score, smoothing, skip, span1, kinds).prop_map(|(score, smoothing, skip, span1, kinds)| {
        TreeAlignSettings { score, smoothing, skip, span1, kinds }
    })
}

/// `ln g(s,t)` by the definition, without smoothing.
fn g(lexicon: &LexicalTables, sides: [&NumberedTree; 2], score: NodeScore, link: Link) -> f64 {
    let split = |side: &NumberedTree, node: u32| -> [Vec<String>; 2] {
        let words = || (0..side.words.len()).map(WordIx::from);
        let pick = |within: bool| {
            words()
                .filter(|&w| side.nodes.has_word(node, w) == within)
                .map(|w| side.words[w.ix()].clone())
                .collect()
        };
        [pick(true), pick(false)]
    };
    let (s, t) = (split(sides[0], link.src), split(sides[1], link.tgt));
    // P(x|y) with x of the source, or of the target.
    let p = |of_source: bool, x: &str, y: &str| {
        let (s, t) = if of_source { (x, y) } else { (y, x) };
        lexicon.pair(lexicon.word(0, s), lexicon.word(1, t))[usize::from(!of_source)]
    };
    let a = |of_source: bool, x: &[String], y: &[String]| -> f64 {
        let mean = |sum: f64, n: usize| if n == 0 { 0.0 } else { sum / n as f64 };
        match score {
            NodeScore::One => {
                y.iter().map(|y| mean(x.iter().map(|x| p(of_source, x, y)).sum(), x.len())).product()
            }
            NodeScore::Two => {
                x.iter().map(|x| mean(y.iter().map(|y| p(of_source, x, y)).sum(), y.len())).product()
            }
        }
    };
    (a(true, &s[0], &t[0]) * a(false, &t[0], &s[0]) * a(true, &s[1], &t[1]) * a(false, &t[1], &s[1])).ln()
}

/// Greedy selection as the paper words it: pick, drop what goes against it, start anew.
fn greedy(scored: &[(i64, Link)], whole: i64, nodes: [&Nodes; 2], selection: TreeAlignSettings) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    loop {
        let mut open: Vec<(i64, Link)> = scored
            .iter()
            .copied()
            .filter(|(_, l)| links.iter().all(|&other| well_formed(nodes, other, *l)))
            .collect();
        let single = |l: Link| nodes[0].size(l.src) == 1 && nodes[1].size(l.tgt) == 1;
        let waits = |score: i64, l: Link| match selection.span1 {
            Span1::Off => false,
            Span1::On => single(l),
            Span1::Likely => single(l) || score < whole,
        };
        if open.iter().any(|&(score, l)| !waits(score, l)) {
            open.retain(|&(score, l)| !waits(score, l));
        }
        open.sort_by_key(|&(score, l)| (-score, l));
        let tied = |score: i64, l: Link| {
            open.iter().any(|&(other, m)| other == score && m != l && (m.src == l.src || m.tgt == l.tgt))
        };
        let blocked = |score: i64, l: Link| {
            selection.skip == Skip::Two
                && open.iter().any(|&(better, m)| {
                    better > score && (m.src == l.src || m.tgt == l.tgt) && is_tied_above(&open, better, m)
                })
        };
        let free = open
            .iter()
            .copied()
            .find(|&(score, l)| selection.skip == Skip::None || (!tied(score, l) && !blocked(score, l)));
        match free.or(open.first().copied()) {
            Some((_, link)) => links.push(link),
            None => break,
        }
    }
    links.sort();
    links
}

fn is_tied_above(open: &[(i64, Link)], score: i64, l: Link) -> bool {
    open.iter().any(|&(other, m)| other == score && m != l && (m.src == l.src || m.tgt == l.tgt))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn scores_are_those_of_the_definition(
        (s, t, table, one) in (tree('s'), tree('t'), table(), any::<bool>())
    ) {
        let score = if one { NodeScore::One } else { NodeScore::Two };
        let settings = TreeAlignSettings { score, smoothing: NodeSmoothing::None, ..TreeAlignSettings::default() };
        let aligner = Aligner::new(lexicon(&table), settings);
        let scores = aligner.worker().scores([&s, &t]);
        let tables = lexicon(&table);
        for src in 0..s.nodes.len() as u32 {
            for tgt in 0..t.nodes.len() as u32 {
                let expected = g(&tables, [&s, &t], score, Link::new(src, tgt));
                match scores.get(src, tgt) {
                    None => prop_assert!(expected == f64::NEG_INFINITY, "{src}-{tgt}: {expected}"),
                    Some(found) => {
                        let found = treeglot_align::trees::Scores::log(found);
                        prop_assert!((found - expected).abs() < 1e-4, "{src}-{tgt}: {found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn links_are_well_formed_and_complete((s, t, table, settings) in (tree('s'), tree('t'), table(), settings())) {
        let aligner = Aligner::new(lexicon(&table), settings);
        let nodes = [&s.nodes, &t.nodes];
        let links = aligner.worker().align([&s, &t]);
        for (k, &a) in links.iter().enumerate() {
            for &b in &links[k + 1..] {
                prop_assert!(well_formed(nodes, a, b), "{a} and {b}");
            }
        }
        let scores = aligner.worker().scores([&s, &t]);
        for src in 0..s.nodes.len() as u32 {
            for tgt in 0..t.nodes.len() as u32 {
                let link = Link::new(src, tgt);
                let same = s.nodes.word(src).is_some() == t.nodes.word(tgt).is_some();
                let may_be = same || settings.kinds == Kinds::Any;
                let could_be = may_be && !links.contains(&link) && links.iter().all(|&other| well_formed(nodes, link, other));
                prop_assert!(!could_be || scores.get(src, tgt).is_none(), "{link} is missing");
            }
        }
    }

    #[test]
    fn selection_is_that_of_the_plain_algorithm((s, t, table, settings) in (tree('s'), tree('t'), table(), settings())) {
        let aligner = Aligner::new(lexicon(&table), settings);
        let nodes = [&s.nodes, &t.nodes];
        let scores = aligner.worker().scores([&s, &t]);
        let mut scored = Vec::new();
        for src in 0..s.nodes.len() as u32 {
            for tgt in 0..t.nodes.len() as u32 {
                let same = s.nodes.word(src).is_some() == t.nodes.word(tgt).is_some();
                let score = scores.get(src, tgt).filter(|_| same || settings.kinds == Kinds::Any);
                scored.extend(score.map(|score| (score, Link::new(src, tgt))));
            }
        }
        let links = aligner.worker().align([&s, &t]);
        prop_assert_eq!(links, greedy(&scored, scores.whole(), nodes, settings));
    }

    #[test]
    fn turning_the_pair_around_turns_the_scores_around((s, t, table) in (tree('s'), tree('t'), table())) {
        let turned: Vec<_> = table.iter().map(|(s, t, p, q)| (t.clone(), s.clone(), *q, *p)).collect();
        let scores = Aligner::new(lexicon(&table), TreeAlignSettings::default());
        let scores = scores.worker().scores([&s, &t]);
        let back = Aligner::new(lexicon(&turned), TreeAlignSettings::default());
        let back = back.worker().scores([&t, &s]);
        for src in 0..s.nodes.len() as u32 {
            for tgt in 0..t.nodes.len() as u32 {
                prop_assert_eq!(scores.get(src, tgt), back.get(tgt, src));
            }
        }
    }
}
