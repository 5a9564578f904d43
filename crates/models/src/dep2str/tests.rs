//! The figures of Meng et al. (2013), and laws on small random trees.

use super::fragments::{Aligned, Annotated, Role};
use super::labelled::Labelled;
use super::*;
use crate::described::DescribedSpan;
use crate::testing::Sentences;
use proptest::prelude::*;
use std::collections::BTreeSet;
use treeglot_align::Link;
use treeglot_tree::{ConBuilder, ConTree, DepTree, Roots, Span, WordIx};

const HEADS: [u32; 8] = [3, 3, 0, 8, 6, 8, 8, 3];
const TAGS: &str = "NR AD VV NR OD M JJ NN";

/// Figure 1: constituents as spans from 1 with their labels, over the words of figure 1.
fn constituents(words: &[&str], spans: &[(&str, u32, u32)]) -> ConTree {
    let mut builder = ConBuilder::default();
    let mut open: Vec<(_, u32)> = Vec::new();
    for (at, word) in (1..).zip(words) {
        for &(label, _, end) in spans.iter().filter(|(_, start, _)| *start == at) {
            let node = builder.node(label, open.last().map(|&(node, _)| node));
            open.push((node, end));
        }
        let tag = builder.node("T", open.last().map(|&(node, _)| node));
        builder.word(word, tag);
        open.retain(|&(_, end)| end > at);
    }
    builder.finish().unwrap()
}

fn figure_1() -> Sentences {
    let source = "英特尔 将 推出 亚洲 首 款 超 级本";
    let words: Vec<&str> = source.split(' ').collect();
    let spans =
        [("IP", 1, 8), ("VP", 2, 8), ("VP", 3, 8), ("NP", 4, 8), ("QP", 5, 6), ("CLP", 6, 6), ("NP", 7, 8)];
    let target = "Intel will launch the first Ultrabook in Asia";
    Sentences::new(source, target, "0-0 1-1 2-2 3-6 3-7 4-3 4-4 6-5 7-5")
        .source_heads(&HEADS)
        .source_tags(TAGS)
        .source_con(constituents(&words, &spans))
}

fn rules(pair: &mut Sentences, model: &dyn crate::Model) -> Vec<String> {
    let short = |line: &String| line.split(" ||| ").take(2).collect::<Vec<_>>().join(" -> ");
    pair.extract(model).iter().map(short).collect()
}

fn consdep() -> ConsDep2Str {
    ConsDep2Str::new(HeadOptions::default()).unwrap()
}

fn labelled_figure(pair: &mut Sentences) -> Labelled {
    let mut labelled = None;
    pair.with(|pair, _, _| {
        let (tree, tags) = pair.source_deps().next().unwrap();
        labelled = Some(Labelled::new(tree, tags, pair.source_cons(), NonProjective::Lift));
    });
    labelled.unwrap()
}

#[test]
fn figure_1_phrasal_nodes_are_those_the_dependency_tree_lacks() {
    let labelled = labelled_figure(&mut figure_1());
    let at = |word: u32| -> Vec<(u32, u32, String)> {
        let nodes = labelled.phrasal(WordIx(word - 1)).iter();
        nodes.map(|p| (p.span.start + 1, p.span.end, p.label.clone())).collect()
    };
    assert_eq!(at(3), [(2, 8, "VP|||AD_VV_NN".to_string()), (3, 8, "VP|||VV_NN".to_string())]);
    assert_eq!(at(8), [(7, 8, "NP|||JJ_NN".to_string())]);
    assert!([1, 2, 4, 5, 6, 7].iter().all(|&word| at(word).is_empty()));
}

#[test]
fn figure_4_spans() {
    let labelled = labelled_figure(&mut figure_1());
    let links = [(0, 0), (1, 1), (2, 2), (3, 6), (3, 7), (4, 3), (4, 4), (6, 5), (7, 5)];
    let links = links.map(|(s, t)| Link::new(s, t));
    let annotated = Annotated::new(&labelled, &links, 8);
    let span = |from: u32, to: u32| Aligned::Consistent(Span::new(from - 1, to));
    let bad = Aligned::Inconsistent;
    assert_eq!(
        annotated.nsp,
        [span(1, 1), span(2, 2), span(3, 3), span(7, 8), span(4, 5), Aligned::Nothing, bad, bad]
    );
    assert_eq!(
        annotated.tsp,
        [span(1, 1), span(2, 2), span(1, 8), span(7, 8), span(4, 5), span(4, 5), bad, span(4, 8)]
    );
    assert_eq!(annotated.psp(WordIx(7), 0), span(6, 6));
    assert_eq!(annotated.psp(WordIx(2), 1), span(3, 8));
    assert_eq!(annotated.psp(WordIx(2), 0), span(2, 8));
}

#[test]
fn figure_5_rules() {
    let found = rules(&mut figure_1(), &consdep());
    let expected = [
        "(英特尔) (将) 推出 (x1:级本) -> Intel will launch x1",
        "(x1:NR) (x2:AD) 推出 (x3:级本) -> x1 x2 launch x3",
        "(英特尔) (将) 推出 (x1:NN) -> Intel will launch x1",
        "(x1:NR) (x2:AD) 推出 (x3:NN) -> x1 x2 launch x3",
        "(英特尔) (将) x1:VV (x2:级本) -> Intel will x1 x2",
        "(x1:NR) (x2:AD) x3:VV (x4:级本) -> x1 x2 x3 x4",
        "(英特尔) (将) x1:VV (x2:NN) -> Intel will x1 x2",
        "(x1:NR) (x2:AD) x3:VV (x4:NN) -> x1 x2 x3 x4",
        "(英特尔) (将) x1:VP|||VV_NN -> Intel will x1",
        "(x1:NR) (x2:AD) x3:VP|||VV_NN -> x1 x2 x3",
        "(英特尔) x1:VP|||AD_VV_NN -> Intel x1",
        "(x1:NR) x2:VP|||AD_VV_NN -> x1 x2",
    ];
    assert_eq!(found[..12], expected);
}

#[test]
fn figure_3_rules_below_the_root() {
    let found = rules(&mut figure_1(), &consdep());
    for rule in ["(亚洲) (x1:M) x2:NP|||JJ_NN -> x1 x2 in Asia", "(首) 款 -> the first"] {
        assert!(found.iter().any(|line| line == rule), "{rule} in {found:#?}");
    }
    assert_eq!(found.len(), 12 + 4 + 2);
}

#[test]
fn without_constituents_only_normal_rules_are_left() {
    let model = Dep2Str::new(HeadOptions::default()).unwrap();
    let found = rules(&mut figure_1(), &model);
    assert_eq!(found.len(), 8 + 2);
    assert!(found.iter().all(|rule| !rule.contains("|||")));
}

#[test]
fn target_words_without_links_are_shared_out_in_every_way() {
    let mut pair =
        Sentences::new("er kommt", "well he then comes", "0-1 1-3").source_heads(&[2, 0]).source_tags("P V");
    let model = Dep2Str::new(HeadOptions::default()).unwrap();
    assert_eq!(
        pair.extract(&model),
        [
            "(er) kommt ||| he then comes ||| 0-0 1-2 ||| 0.5 ||| hdr",
            "(er) kommt ||| well he then comes ||| 0-1 1-3 ||| 0.5 ||| hdr",
            "(x1:P) kommt ||| x1 then comes ||| 1-2 ||| 0.5 ||| hdr",
            "(x1:P) kommt ||| x1 comes ||| 1-1 ||| 0.5 ||| hdr",
            "(er) x1:V ||| he then x1 ||| 0-0 ||| 0.25 ||| hdr",
            "(er) x1:V ||| he x1 ||| 0-0 ||| 0.25 ||| hdr",
            "(er) x1:V ||| well he then x1 ||| 0-1 ||| 0.25 ||| hdr",
            "(er) x1:V ||| well he x1 ||| 0-1 ||| 0.25 ||| hdr",
            "(x1:P) x2:V ||| x1 then x2 |||  ||| 1 ||| hdr",
        ]
    );
}

#[test]
fn words_that_stand_apart_from_their_heads_move_or_their_arcs_are_lifted() {
    let pair = || {
        Sentences::new("was hat er gesehen", "what has he seen", "0-0 1-1 2-2 3-3")
            .source_heads(&[4, 0, 2, 2])
            .source_tags("W H P V")
    };
    let options = |non_projective| HeadOptions { non_projective, ..HeadOptions::default() };
    let lifted = rules(&mut pair(), &Dep2Str::new(options(NonProjective::Lift)).unwrap());
    assert_eq!(lifted[0], "(was) hat (er) (gesehen) -> what has he seen");
    let moved = rules(&mut pair(), &Dep2Str::new(options(NonProjective::Inorder)).unwrap());
    assert!(moved.is_empty(), "`was gesehen` has no target words of its own: {moved:?}");
}

type Heads = Vec<Option<WordIx>>;

/// Small projective trees with links and constituents, all from one list of numbers.
fn small() -> impl Strategy<Value = (Heads, Vec<Link>, Vec<(usize, usize)>)> {
    (2usize..7).prop_flat_map(|n| {
        let heads = prop::collection::vec(0usize..100, n);
        let links = prop::collection::vec((0..n as u32, 0u32..6), 0..8);
        let spans = prop::collection::vec((0..n, 0..n), 0..4);
        (heads, links, spans).prop_map(move |(numbers, links, spans)| {
            let mut heads = vec![None; n];
            attach(&numbers, 0, n, None, &mut heads);
            let mut links: Vec<Link> = links.into_iter().map(|(s, t)| Link::new(s, t)).collect();
            links.sort_unstable();
            links.dedup();
            let spans = spans.into_iter().map(|(a, b)| (a.min(b), a.max(b) + 1)).collect();
            (heads, links, spans)
        })
    })
}

/// Hangs the words of a stretch below one head: the tree is projective by construction.
fn attach(numbers: &[usize], start: usize, end: usize, head: Option<usize>, heads: &mut [Option<WordIx>]) {
    if start == end {
        return;
    }
    let top = start + numbers[start] % (end - start);
    heads[top] = head.map(WordIx::from);
    for (from, to) in [(start, top), (top + 1, end)] {
        let middle = from + if to > from { numbers[top] % (to - from + 1) } else { 0 };
        attach(numbers, from, middle, Some(top), heads);
        attach(numbers, middle, to, Some(top), heads);
    }
}

/// A constituency tree of the spans that nest.
fn nested(words: usize, spans: &[(usize, usize)]) -> ConTree {
    let mut kept: Vec<(usize, usize)> = vec![(0, words)];
    for &(a, b) in spans {
        if kept.iter().all(|&(c, d)| b <= c || d <= a || (a <= c && d <= b) || (c <= a && b <= d)) {
            kept.push((a, b));
        }
    }
    kept.sort_by_key(|&(a, b)| (a, std::cmp::Reverse(b)));
    kept.dedup();
    let named: Vec<(&str, u32, u32)> = kept.iter().map(|&(a, b)| ("C", a as u32 + 1, b as u32)).collect();
    let forms: Vec<String> = (0..words).map(|w| format!("s{w}")).collect();
    constituents(&forms.iter().map(String::as_str).collect::<Vec<_>>(), &named)
}

/// The target span of a set of source words, if it is consistent: as section 0 of the definitions has it.
fn consistent(words: &BTreeSet<u32>, links: &[Link]) -> Option<(u32, u32)> {
    let own: Vec<u32> = links.iter().filter(|l| words.contains(&l.src)).map(|l| l.tgt).collect();
    let (low, high) = (*own.iter().min()?, *own.iter().max()?);
    let inside = |l: &&Link| low <= l.tgt && l.tgt <= high;
    links.iter().filter(inside).all(|l| words.contains(&l.src)).then_some((low, high))
}

proptest! {
    #[test]
    fn fragments_are_those_that_brute_force_finds((heads, links, spans) in small()) {
        let tree = DepTree::new(heads, Roots::One).unwrap();
        let con = nested(tree.len(), &spans);
        let tags = vec!["T".to_string(); tree.len()];
        let labelled = Labelled::new(&tree, &tags, Some(&con), NonProjective::Lift);
        let annotated = Annotated::new(&labelled, &links, 6);
        for node in tree.words() {
            let (found, cut) = annotated.fragments(node, usize::MAX);
            prop_assert!(!cut);
            let phrasal = |f: &fragments::Fragment| {
                f.sites.iter().filter(|site| matches!(site.role, fragments::Role::Phrasal(..))).count()
            };
            prop_assert!(found.is_sorted_by_key(phrasal), "those of fewer phrasal nodes come first");
            prop_assert_eq!(&annotated.fragments(node, 2).0[..], &found[..found.len().min(2)]);
            let found: BTreeSet<Vec<BTreeSet<u32>>> = found.iter().map(|f| site_words(f, &labelled)).collect();
            prop_assert_eq!(found, brute_force(&tree, node, &con, &links));
        }
    }

    #[test]
    fn lexicalised_rules_give_the_target_back((heads, links, _) in small()) {
        let tree = DepTree::new(heads.clone(), Roots::One).unwrap();
        let numbers: Vec<u32> = heads.iter().map(|head| head.map_or(0, |head| head.0 + 1)).collect();
        let tags = (0..tree.len()).map(|w| format!("T{w}")).collect::<Vec<_>>().join(" ");
        let mut pair = Sentences::numbered(tree.len() as u32, 6, &links).source_heads(&numbers).source_tags(&tags);
        let rules = rules(&mut pair, &Dep2Str::new(HeadOptions::default()).unwrap());
        let labelled = Labelled::new(&tree, &[], None, NonProjective::Lift);
        let annotated = Annotated::new(&labelled, &links, 6);
        for node in tree.words() {
            if let Some(promised) = promised(&annotated, &tree, node) {
                let derived = derive(&rules, &tree, node);
                prop_assert!(derived.contains(&promised), "{promised} not in {derived:?} of {rules:#?}");
            }
        }
    }
}

#[test]
fn pairs_of_the_sample_are_derived_by_their_own_rules() {
    let (mut derived_nodes, mut whole) = (0, 0);
    for sample in treeglot_sample::Sample::embedded().pairs().take(300) {
        let tree = sample.source.parse.tree(Roots::AttachToFirst).unwrap();
        let tree = Labelled::new(&tree, &[], None, NonProjective::Lift).tree;
        let links: Vec<Link> = sample.links.iter().map(|&(s, t)| Link::new(s, t)).collect();
        let (source, target) = (tree.len(), sample.target.parse.len());
        let numbers: Vec<u32> = tree.heads().iter().map(|head| head.map_or(0, |head| head.0 + 1)).collect();
        let mut pair = Sentences::numbered(source as u32, target as u32, &links)
            .source_heads(&numbers)
            .source_tags(&vec!["T"; source].join(" "));
        let options = HeadOptions { max_variants: 1, ..HeadOptions::default() };
        let rules = rules(&mut pair, &Dep2Str::new(options).unwrap());
        let labelled = Labelled::new(&tree, &[], None, NonProjective::Lift);
        let annotated = Annotated::new(&labelled, &links, target);
        for node in tree.words() {
            let Some(promised) = promised(&annotated, &tree, node) else { continue };
            assert_eq!(derive(&rules, &tree, node), BTreeSet::from([promised]), "{rules:#?}");
            derived_nodes += 1;
            whole += u32::from(node == tree.root());
        }
    }
    assert!(derived_nodes > 300 && whole > 30, "{derived_nodes} subtrees, {whole} sentences");
}

fn site_words(fragment: &fragments::Fragment, labelled: &Labelled) -> Vec<BTreeSet<u32>> {
    let words = |site: &fragments::Site| -> BTreeSet<u32> {
        match site.role {
            Role::Head => [site.word.0].into(),
            Role::Phrasal(number, _) => {
                labelled.phrasal(site.word)[number].span.words().map(|w| w.0).collect()
            }
            _ => labelled.tree.subtree(site.word).iter().map(|w| w.0).collect(),
        }
    };
    fragment.sites.iter().map(words).collect()
}

/// All ways to cover the words below a node by its head, its dependents' subtrees and constituents, every one of them
/// acceptable, by trying all subsets.
fn brute_force(tree: &DepTree, node: WordIx, con: &ConTree, links: &[Link]) -> BTreeSet<Vec<BTreeSet<u32>>> {
    let words_of = |word: WordIx| -> BTreeSet<u32> { tree.subtree(word).iter().map(|w| w.0).collect() };
    let all = words_of(node);
    if tree.dependents(node).is_empty() || consistent(&all, links).is_none() {
        return BTreeSet::new();
    }
    let mut atoms: Vec<(BTreeSet<u32>, bool)> = vec![([node.0].into(), true)];
    for &dependent in tree.dependents(node) {
        atoms.push((words_of(dependent), tree.dependents(dependent).is_empty()));
    }
    let mut pieces = atoms.clone();
    for constituent in con.nodes() {
        let words: BTreeSet<u32> = con.words_of(constituent).map(|w| w.0).collect();
        let made_of_atoms = atoms.iter().all(|(atom, _)| atom.is_subset(&words) || atom.is_disjoint(&words));
        let whole_subtree = tree.words().any(|word| words_of(word) == words);
        if words.is_subset(&all) && words.len() > 1 && made_of_atoms && !whole_subtree {
            pieces.push((words, false));
        }
    }
    pieces.sort();
    pieces.dedup();
    let acceptable = |(words, word): &(BTreeSet<u32>, bool)| {
        let unlinked = links.iter().all(|link| !words.contains(&link.src));
        consistent(words, links).is_some() || (*word && unlinked)
    };
    let mut found = BTreeSet::new();
    for subset in 0u32..1 << pieces.len() {
        let chosen =
            || pieces.iter().enumerate().filter(|(k, _)| subset >> k & 1 == 1).map(|(_, piece)| piece);
        let union: BTreeSet<u32> = chosen().flat_map(|piece| piece.0.iter().copied()).collect();
        let size: usize = chosen().map(|piece| piece.0.len()).sum();
        if union == all && size == all.len() && chosen().all(acceptable) {
            let mut parts: Vec<BTreeSet<u32>> = chosen().map(|piece| piece.0.clone()).collect();
            parts.sort();
            found.insert(parts);
        }
    }
    found
}

/// The target words of a node whose fragment, and all below it, are acceptable: its rules must give exactly these.
fn promised(annotated: &Annotated<'_>, tree: &DepTree, node: WordIx) -> Option<String> {
    let inner = |word: &&WordIx| !tree.dependents(**word).is_empty();
    let all = tree.subtree(node).iter().filter(inner).all(|&word| !annotated.fragments(word, 1).0.is_empty());
    let span = annotated.tsp[node.ix()].span().filter(|_| all && !tree.dependents(node).is_empty())?;
    Some(span.words().map(|word| format!("t{}", word.0)).collect::<Vec<_>>().join(" "))
}

/// All that the rules with words for heads and leaves, and words for variables, derive for a node.
fn derive(rules: &[String], tree: &DepTree, node: WordIx) -> BTreeSet<String> {
    let mut parts: Vec<WordIx> = tree.dependents(node).to_vec();
    parts.push(node);
    parts.sort_unstable();
    let (mut pattern, mut variables) = (Vec::new(), Vec::new());
    for &part in &parts {
        if part == node {
            pattern.push(format!("s{}", part.0));
        } else if tree.dependents(part).is_empty() {
            pattern.push(format!("(s{})", part.0));
        } else {
            variables.push(part);
            pattern.push(format!("(x{}:s{})", variables.len(), part.0));
        }
    }
    let pattern = pattern.join(" ");
    let targets =
        rules.iter().filter_map(|rule| rule.split_once(" -> ")).filter(|(source, _)| *source == pattern);
    let mut derived = BTreeSet::new();
    for (_, target) in targets {
        let mut texts: Vec<String> = vec![target.to_string()];
        for (k, &variable) in variables.iter().enumerate() {
            let fill = |text: &String| -> Vec<String> {
                let name = format!("x{}", k + 1);
                let put = |below: &String| {
                    let word = |word: &str| if word == name { below.clone() } else { word.to_string() };
                    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
                };
                derive(rules, tree, variable).iter().map(put).collect()
            };
            texts = texts.iter().flat_map(fill).collect();
        }
        derived.extend(texts);
    }
    derived
}

#[test]
fn phrasal_nodes_have_rules_of_their_own_if_asked_for() {
    let nested = ConsDep2Str::new(HeadOptions { nested: true, ..HeadOptions::default() }).unwrap();
    let (paper, all) = (rules(&mut figure_1(), &consdep()), rules(&mut figure_1(), &nested));
    assert!(paper.iter().all(|rule| all.contains(rule)));
    let own: Vec<&String> = all.iter().filter(|rule| !paper.contains(rule)).collect();
    let of_the_outer = [
        "(将) 推出 (x1:级本) -> will launch x1",
        "(x1:AD) 推出 (x2:级本) -> x1 launch x2",
        "(将) 推出 (x1:NN) -> will launch x1",
        "(x1:AD) 推出 (x2:NN) -> x1 launch x2",
        "(将) x1:VV (x2:级本) -> will x1 x2",
        "(x1:AD) x2:VV (x3:级本) -> x1 x2 x3",
        "(将) x1:VV (x2:NN) -> will x1 x2",
        "(x1:AD) x2:VV (x3:NN) -> x1 x2 x3",
        "(将) x1:VP|||VV_NN -> will x1",
        "(x1:AD) x2:VP|||VV_NN -> x1 x2",
    ];
    let of_the_inner = [
        "推出 (x1:级本) -> launch x1",
        "推出 (x1:NN) -> launch x1",
        "x1:VV (x2:级本) -> x1 x2",
        "x1:VV (x2:NN) -> x1 x2",
    ];
    assert_eq!(own, [&of_the_outer[..], &of_the_inner].concat());
}

#[test]
fn figure_4_as_people_read_it() {
    let mut described = None;
    figure_1().with(|pair, vocab, _| described = describe(&HeadOptions::default(), pair, vocab));
    let described = described.unwrap();
    let named = DescribedSpan::named;
    let node = |word: u32| described.nodes.iter().find(|node| node.word == word - 1).unwrap();
    assert_eq!((named(node(8).nsp), named(node(8).tsp)), ("([5,5])".to_string(), "[3,7]".to_string()));
    assert_eq!((named(node(6).nsp), named(node(6).tsp)), ("-".to_string(), "[3,4]".to_string()));
    let phrasal = |word| -> Vec<String> {
        node(word).phrasal.iter().map(|p| format!("{} {}", p.label, named(p.psp))).collect()
    };
    assert_eq!(phrasal(3), ["VP|||AD_VV_NN [1,7]", "VP|||VV_NN [2,7]"]);
    assert_eq!(phrasal(8), ["NP|||JJ_NN [5,5]"]);
    assert_eq!((node(3).depth, node(8).depth, node(8).head), (0, 1, Some(2)));
    let fragments = |word| node(word).fragments;
    assert_eq!(
        (fragments(3), fragments(8), fragments(7)),
        (3, 1, 0),
        "figure 5: (a), (b) and (c) at the root"
    );
}
