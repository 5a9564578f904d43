//! Laws of symmetrisation, and its outcome beside implementations that follow the published description step by step.

use proptest::prelude::*;
use std::collections::BTreeSet;
use treeglot_align::symmetrize;
use treeglot_align::{GrowOrder, Link, Symmetrize};

type Links = BTreeSet<(u32, u32)>;

/// Links with at most one for each target word, and with at most one for each source word.
fn directions() -> impl Strategy<Value = (Vec<Link>, Vec<Link>)> {
    let side = || prop::collection::vec(prop::option::weighted(0.8, 0u32..7), 0..8);
    (side(), side()).prop_map(|(forward, reverse)| {
        let forward =
            forward.iter().enumerate().filter_map(|(j, i)| i.map(|i| Link::new(i, j as u32))).collect();
        let reverse =
            reverse.iter().enumerate().filter_map(|(i, j)| j.map(|j| Link::new(i as u32, j))).collect();
        (forward, reverse)
    })
}

fn set(links: &[Link]) -> Links {
    links.iter().map(|l| (l.src, l.tgt)).collect()
}

fn is_free(links: &Links, (i, j): (u32, u32)) -> (bool, bool) {
    (!links.iter().any(|l| l.0 == i), !links.iter().any(|l| l.1 == j))
}

fn touches(a: (u32, u32), b: (u32, u32)) -> bool {
    a != b && a.0.abs_diff(b.0) <= 1 && a.1.abs_diff(b.1) <= 1
}

/// Rounds over all links of the union by source position, until a round adds nothing.
fn grow_by_rounds(forward: &Links, reverse: &Links) -> Links {
    let mut links: Links = forward & reverse;
    loop {
        let before = links.len();
        for &link in &(forward | reverse) {
            let (src, tgt) = is_free(&links, link);
            if (src || tgt) && links.iter().any(|&l| touches(l, link)) {
                links.insert(link);
            }
        }
        if links.len() == before {
            return links;
        }
    }
}

/// The published pseudo-code: for each target word, each source word, each neighbour.
fn grow_by_points(forward: &Links, reverse: &Links) -> Links {
    let mut links: Links = forward & reverse;
    let union = forward | reverse;
    let around = [(0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1)];
    loop {
        let before = links.len();
        for (j, i) in (0..8u32).flat_map(|j| (0..8u32).map(move |i| (j, i))) {
            if !links.contains(&(i, j)) {
                continue;
            }
            for (down, right) in around {
                let (Some(x), Some(y)) = (i.checked_add_signed(down), j.checked_add_signed(right)) else {
                    continue;
                };
                let (src, tgt) = is_free(&links, (x, y));
                if (src || tgt) && union.contains(&(x, y)) {
                    links.insert((x, y));
                }
            }
        }
        if links.len() == before {
            return links;
        }
    }
}

fn finish(links: &Links, forward: &Links, reverse: &Links, both: bool, order: GrowOrder) -> Links {
    let mut links = links.clone();
    for direction in [forward, reverse] {
        let mut candidates: Vec<(u32, u32)> = direction.iter().copied().collect();
        if order == GrowOrder::Moses {
            candidates.sort_by_key(|&(i, j)| (j, i));
        }
        for link in candidates {
            let (src, tgt) = is_free(&links, link);
            if if both { src && tgt } else { src || tgt } {
                links.insert(link);
            }
        }
    }
    links
}

proptest! {
    #[test]
    fn every_heuristic_gives_what_its_description_says((forward, reverse) in directions()) {
        let (f, r) = (set(&forward), set(&reverse));
        let got = |how, order| set(&symmetrize(&forward, &reverse, how, order));
        for order in [GrowOrder::Atools, GrowOrder::Moses] {
            prop_assert_eq!(got(Symmetrize::None, order), f.clone());
            prop_assert_eq!(got(Symmetrize::Intersect, order), &f & &r);
            prop_assert_eq!(got(Symmetrize::Union, order), &f | &r);
            let grown = if order == GrowOrder::Atools { grow_by_rounds(&f, &r) } else { grow_by_points(&f, &r) };
            prop_assert_eq!(&got(Symmetrize::GrowDiag, order), &grown);
            let with_final = finish(&grown, &f, &r, false, order);
            prop_assert_eq!(got(Symmetrize::GrowDiagFinal, order), with_final);
            let with_final_and = finish(&grown, &f, &r, true, order);
            prop_assert_eq!(got(Symmetrize::GrowDiagFinalAnd, order), with_final_and);
        }
    }

    #[test]
    fn results_are_sorted_and_lie_between_intersection_and_union((forward, reverse) in directions()) {
        let (f, r) = (set(&forward), set(&reverse));
        for how in [Symmetrize::GrowDiag, Symmetrize::GrowDiagFinal, Symmetrize::GrowDiagFinalAnd] {
            let links = symmetrize(&forward, &reverse, how, GrowOrder::Atools);
            prop_assert!(links.windows(2).all(|w| w[0] < w[1]));
            let links = set(&links);
            prop_assert!((&f & &r).is_subset(&links) && links.is_subset(&(&f | &r)));
        }
    }
}
