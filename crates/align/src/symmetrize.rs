//! Combining the links of the two directions (Och & Ney 2003, section 4; Koehn et al. 2005). The heuristics of the
//! grow-diag family depend on the order in which links are tried; both orders in use are here.

use crate::links::Link;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the links of two directions are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Symmetrize {
    /// Links of both directions
    Intersect,
    /// Links of either direction
    Union,
    /// The intersection, grown by neighbouring links of the union that reach a word without links
    GrowDiag,
    /// Then links of the union that reach a word without links
    GrowDiagFinal,
    /// Then links of the union between two words without links
    #[default]
    GrowDiagFinalAnd,
    /// The forward links as they are
    None,
}

/// In which order links are tried where it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum GrowOrder {
    /// As fast_align's `atools`: rounds over the links of the union, by source position
    #[default]
    Atools,
    /// As Moses' `symal`: from each link to its neighbours, by target position
    Moses,
}

/// Combines links; the result is sorted by source, then target position.
pub fn symmetrize(forward: &[Link], reverse: &[Link], how: Symmetrize, order: GrowOrder) -> Vec<Link> {
    let mut grid = Grid::new(forward, reverse);
    match how {
        Symmetrize::None => {
            let mut links = forward.to_vec();
            links.sort_unstable();
            links.dedup();
            return links;
        }
        Symmetrize::Union => grid.union.iter().for_each(|&link| grid.chosen.push(link)),
        Symmetrize::Intersect => grid.intersect(),
        Symmetrize::GrowDiag | Symmetrize::GrowDiagFinal | Symmetrize::GrowDiagFinalAnd => {
            grid.intersect();
            match order {
                GrowOrder::Atools => grid.grow_by_union(),
                GrowOrder::Moses => grid.grow_by_neighbours(),
            }
        }
    }
    if how == Symmetrize::GrowDiagFinal || how == Symmetrize::GrowDiagFinalAnd {
        grid.finish(how == Symmetrize::GrowDiagFinalAnd, order);
    }
    let mut links = grid.chosen;
    links.sort_unstable();
    links.dedup();
    links
}

const IN_FORWARD: u8 = 1;
const IN_REVERSE: u8 = 2;
const CHOSEN: u8 = 4;

/// The links of a pair as a matrix.
struct Grid {
    width: usize,
    cells: Vec<u8>,
    src_linked: Vec<bool>,
    tgt_linked: Vec<bool>,
    /// The links of either direction, by source, then target position.
    union: Vec<Link>,
    chosen: Vec<Link>,
}

impl Grid {
    fn new(forward: &[Link], reverse: &[Link]) -> Self {
        let all = || forward.iter().chain(reverse);
        let height = all().map(|l| l.src as usize + 1).max().unwrap_or(0);
        let width = all().map(|l| l.tgt as usize + 1).max().unwrap_or(0);
        let mut union: Vec<Link> = all().copied().collect();
        union.sort_unstable();
        union.dedup();
        let mut grid = Self {
            width,
            cells: vec![0; height * width],
            src_linked: vec![false; height],
            tgt_linked: vec![false; width],
            union,
            chosen: Vec::new(),
        };
        for (links, bit) in [(forward, IN_FORWARD), (reverse, IN_REVERSE)] {
            for link in links {
                grid.cells[link.src as usize * width + link.tgt as usize] |= bit;
            }
        }
        grid
    }

    fn cell(&self, link: Link) -> u8 {
        self.cells[link.src as usize * self.width + link.tgt as usize]
    }

    fn choose(&mut self, link: Link) {
        self.cells[link.src as usize * self.width + link.tgt as usize] |= CHOSEN;
        self.src_linked[link.src as usize] = true;
        self.tgt_linked[link.tgt as usize] = true;
        self.chosen.push(link);
    }

    fn intersect(&mut self) {
        for k in 0..self.union.len() {
            let link = self.union[k];
            if self.cell(link) == IN_FORWARD | IN_REVERSE {
                self.choose(link);
            }
        }
    }

    fn reaches_free_word(&self, link: Link) -> bool {
        !(self.src_linked[link.src as usize] && self.tgt_linked[link.tgt as usize])
    }

    /// The links of the union around a position, in the order `symal` tries them.
    fn neighbours(&self, link: Link) -> impl Iterator<Item = Link> + use<'_> {
        const AROUND: [(i64, i64); 8] =
            [(0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1)];
        let height = self.src_linked.len();
        AROUND.into_iter().filter_map(move |(down, right)| {
            let src = i64::from(link.src) + down;
            let tgt = i64::from(link.tgt) + right;
            let inside = (0..height as i64).contains(&src) && (0..self.width as i64).contains(&tgt);
            let neighbour = inside.then(|| Link::new(src as u32, tgt as u32))?;
            (self.cell(neighbour) != 0).then_some(neighbour)
        })
    }

    fn grow_by_union(&mut self) {
        let mut open: Vec<Link> =
            self.union.iter().copied().filter(|&l| self.cell(l) & CHOSEN == 0).collect();
        loop {
            let before = open.len();
            open.retain(|&link| {
                let beside_chosen = |grid: &Self| grid.neighbours(link).any(|n| grid.cell(n) & CHOSEN != 0);
                if !self.reaches_free_word(link) || !beside_chosen(self) {
                    return true;
                }
                self.choose(link);
                false
            });
            if open.len() == before {
                return;
            }
        }
    }

    fn grow_by_neighbours(&mut self) {
        let mut current: BTreeSet<(u32, u32)> = self.chosen.iter().map(|l| (l.tgt, l.src)).collect();
        loop {
            let before = current.len();
            let mut at = current.first().copied();
            while let Some((tgt, src)) = at {
                let neighbours: Vec<Link> = self.neighbours(Link::new(src, tgt)).collect();
                for link in neighbours {
                    if self.reaches_free_word(link) {
                        self.choose(link);
                        current.insert((link.tgt, link.src));
                    }
                }
                at = current.range((tgt, src + 1)..).next().copied();
            }
            if current.len() == before {
                return;
            }
        }
    }

    fn finish(&mut self, both_free: bool, order: GrowOrder) {
        let mut union = self.union.clone();
        if order == GrowOrder::Moses {
            union.sort_unstable_by_key(|l| (l.tgt, l.src));
        }
        for direction in [IN_FORWARD, IN_REVERSE] {
            for &link in &union {
                if self.cell(link) & CHOSEN != 0 || self.cell(link) & direction == 0 {
                    continue;
                }
                let neither = !self.src_linked[link.src as usize] && !self.tgt_linked[link.tgt as usize];
                if neither || (!both_free && self.reaches_free_word(link)) {
                    self.choose(link);
                }
            }
        }
    }
}
