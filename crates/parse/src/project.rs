//! Trees carried over word links to a language without a treebank: the direct projection algorithm of Hwa, Resnik,
//! Weinberg, Cabezas and Kolak (2005), section 3.
//!
//! | links | what is projected |
//! |---|---|
//! | one to one | head(e, e') gives head(f, f') |
//! | unaligned source word | an empty word stands for it, so that its dependents keep a head |
//! | one source word, many target words | an empty word stands above the target words |
//! | many source words, one target word | only the link of the topmost source word stays |
//! | many to many | first as one to many, then as many to one |
//! | unaligned target word | none: it is left out of the projected tree |
//!
//! Our trees have no empty words. One without words below it goes; one above several target words is the last of them;
//! any other hands its dependents to the nearest word above it. Words left out hang as `dep` from the nearest word of the
//! tree, and [`Projected::share`] says how many words have a projected head, so that poor trees can be passed over.

use treeglot_tree::{DepParse, Field, Invalid, Roots};

/// A projected tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Projected {
    /// The target words with heads, relations and UPOS of their source words.
    pub parse: DepParse,
    /// The share of target words whose head was projected.
    pub share: f32,
}

/// The relation of words that have none from the source.
const UNKNOWN_RELATION: &str = "dep";

/// Carries the tree of a parsed source sentence over to target words. `links` are pairs of source and target positions
/// from 0; those beyond the sentences are ignored. An error if the source parse is no tree.
///
/// ```
/// use treeglot_tree::DepParse;
///
/// let mut source = DepParse::new(0);
/// source.push_word("the", "DET", Some(2), "det");
/// source.push_word("dog", "NOUN", Some(3), "nsubj");
/// source.push_word("barks", "VERB", Some(0), "root");
/// let target = ["el", "perro", "ladra"];
/// let projected = treeglot_parse::project(&source, &target, &[(0, 0), (1, 1), (2, 2)]).unwrap();
/// let heads: Vec<u32> = projected.parse.words().filter_map(|w| projected.parse.raw_head(w)).collect();
/// assert_eq!((heads, projected.share), (vec![2, 3, 0], 1.0));
/// ```
pub fn project(source: &DepParse, target: &[&str], links: &[(usize, usize)]) -> Result<Projected, Invalid> {
    let tree = source.tree(Roots::AttachToFirst)?;
    let depth: Vec<usize> = tree.words().map(|w| tree.depth(w)).collect();
    let (owner, words_of) = resolve(source.len(), target.len(), links, &depth);
    // The word that stands for each source word: its own, or the last of several.
    let stands: Vec<Option<usize>> = words_of.iter().map(|words| words.last().copied()).collect();
    let nearest_above = |s: usize| {
        let above = tree.ancestors(s.into()).map(|a| stands[a.ix()]);
        above.flatten().next()
    };
    let mut heads: Vec<Option<Head>> = vec![None; target.len()];
    for (s, words) in words_of.iter().enumerate() {
        let Some(top) = stands[s] else { continue };
        for &w in words.iter().filter(|&&w| w != top) {
            heads[w] = Some(Head { head: top, relation: None });
        }
        if let Some(head) = nearest_above(s) {
            heads[top] = Some(Head { head, relation: Some(s) });
        }
    }
    let top = (0..source.len()).filter(|&s| stands[s].is_some()).min_by_key(|&s| (depth[s], s));
    Ok(assemble(source, target, &owner, heads, top.and_then(|s| stands[s])))
}

#[derive(Clone, Copy)]
struct Head {
    head: usize,
    /// The source word whose relation it is.
    relation: Option<usize>,
}

/// The one source word of each target word, and the target words of each source word.
fn resolve(
    source: usize,
    target: usize,
    links: &[(usize, usize)],
    depth: &[usize],
) -> (Vec<Option<usize>>, Vec<Vec<usize>>) {
    let mut owner: Vec<Option<usize>> = vec![None; target];
    for &(s, t) in links.iter().filter(|l| l.0 < source && l.1 < target) {
        let higher = |other: usize| (depth[s], s) < (depth[other], other);
        if owner[t].is_none_or(higher) {
            owner[t] = Some(s);
        }
    }
    let mut words_of = vec![Vec::new(); source];
    for (t, s) in owner.iter().enumerate() {
        if let Some(s) = s {
            words_of[*s].push(t);
        }
    }
    (owner, words_of)
}

fn assemble(
    source: &DepParse,
    target: &[&str],
    owner: &[Option<usize>],
    mut heads: Vec<Option<Head>>,
    top: Option<usize>,
) -> Projected {
    let root = top.unwrap_or(0);
    let projected = heads.iter().flatten().count() + usize::from(top.is_some());
    // Several topmost words, where the source's root has no link: the others hang from the first.
    for (t, head) in heads.iter_mut().enumerate().filter(|h| h.0 != root && h.1.is_none()) {
        let near = owner.iter().enumerate().filter(|o| o.1.is_some() && o.0 != t);
        let near = near.min_by_key(|(o, _)| (o.abs_diff(t), usize::from(*o < t))).map_or(root, |n| n.0);
        let head_of = if owner[t].is_some() { root } else { near };
        *head = Some(Head { head: head_of, relation: None });
    }
    let mut parse = DepParse::new(0);
    for (t, form) in target.iter().enumerate() {
        let upos = owner[t].map_or("X", |s| source.get(s.into(), Field::Upos));
        let head = heads[t].filter(|_| t != root);
        let relation = match head {
            None => "root",
            Some(head) => head.relation.map_or(UNKNOWN_RELATION, |s| source.deprel(s.into())),
        };
        let head = head.map_or(0, |h| h.head as u32 + 1);
        parse.push([form, "_", upos, "_", "_", relation, "_", "_"], Some(head));
    }
    Projected { parse, share: projected as f32 / target.len().max(1) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// "the old man gave up smoking": gave is the root.
    fn source() -> DepParse {
        let mut parse = DepParse::new(0);
        for (form, tag, head, relation) in [
            ("the", "DET", 3, "det"),
            ("old", "ADJ", 3, "amod"),
            ("man", "NOUN", 4, "nsubj"),
            ("gave", "VERB", 0, "root"),
            ("up", "ADP", 4, "compound"),
            ("smoking", "VERB", 4, "xcomp"),
        ] {
            parse.push_word(form, tag, Some(head), relation);
        }
        parse
    }

    fn heads(target: &[&str], links: &[(usize, usize)]) -> (Vec<(u32, String)>, f32) {
        let projected = project(&source(), target, links).unwrap();
        let parse = &projected.parse;
        let heads = parse.words().map(|w| (parse.raw_head(w).unwrap(), parse.deprel(w).to_string()));
        (heads.collect(), projected.share)
    }

    fn arcs(list: &[(u32, &str)]) -> Vec<(u32, String)> {
        list.iter().map(|a| (a.0, a.1.to_string())).collect()
    }

    #[test]
    fn one_to_one_links_carry_arcs_and_labels_over() {
        let (tree, share) = heads(&["hombre", "dejó", "fumar"], &[(2, 0), (3, 1), (5, 2)]);
        assert_eq!(tree, arcs(&[(2, "nsubj"), (0, "root"), (2, "xcomp")]));
        assert_eq!(share, 1.0);
    }

    #[test]
    fn many_source_words_on_one_target_word_leave_the_topmost() {
        let (tree, _) = heads(&["anciano", "dejó", "fumar"], &[(1, 0), (2, 0), (3, 1), (4, 1), (5, 2)]);
        assert_eq!(tree, arcs(&[(2, "nsubj"), (0, "root"), (2, "xcomp")]));
    }

    #[test]
    fn many_target_words_of_one_source_word_hang_from_the_last() {
        let links = [(2, 0), (3, 1), (3, 2), (5, 3)];
        let (tree, share) = heads(&["hombre", "ha", "dejado", "fumar"], &links);
        assert_eq!(tree, arcs(&[(3, "nsubj"), (3, "dep"), (0, "root"), (3, "xcomp")]));
        assert_eq!(share, 1.0);
    }

    #[test]
    fn dependents_of_an_unaligned_source_word_go_to_the_word_above_it() {
        // "man" has no link: "old" hangs from what "man" hangs from.
        let (tree, _) = heads(&["viejo", "dejó"], &[(1, 0), (3, 1)]);
        assert_eq!(tree, arcs(&[(2, "amod"), (0, "root")]));
    }

    #[test]
    fn unaligned_target_words_hang_from_the_nearest_and_lower_the_share() {
        let (tree, share) = heads(&["dejó", "de", "fumar", "!"], &[(3, 0), (5, 2)]);
        assert_eq!(tree, arcs(&[(0, "root"), (3, "dep"), (1, "xcomp"), (3, "dep")]));
        assert_eq!(share, 0.5);
    }

    #[test]
    fn a_root_without_link_leaves_one_root() {
        let (tree, _) = heads(&["hombre", "fumar"], &[(2, 0), (5, 1)]);
        assert_eq!(tree, arcs(&[(0, "root"), (1, "dep")]));
        assert_eq!(heads(&["a", "b"], &[]).1, 0.0);
    }

    proptest! {
        #[test]
        fn any_links_give_a_tree(words in 1usize..8, links in proptest::collection::vec((0usize..7, 0usize..9), 0..20)) {
            let target = vec!["w"; words];
            let projected = project(&source(), &target, &links).unwrap();
            prop_assert!(projected.parse.tree(Roots::One).is_ok());
            prop_assert!((0.0..=1.0).contains(&projected.share));
        }
    }
}
