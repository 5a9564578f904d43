//! The forest of units of a sentence (Na & Lee 2011, algorithm 1): units as vertices, coverings to cover their dependents as
//! hyperarcs, weights by inside-outside, and pruning.
//!
//! What a derivation of a vertex covers, the words of its subtrees, does not depend on the derivation. So vertices of several
//! trees of a sentence meet in one forest: whatever covers the same words can stand for each other, and each derivation
//! still covers every word once. With one tree this is the paper's forest.

use super::cover::{Covers, View};
use super::sets::{Key, Keys};
use super::units::Units;
use rustc_hash::FxHashMap;
use std::ops::Range;
use treeglot_tree::{DepTree, WordIx};

/// How large a forest may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most words of a unit.
    pub max_words: usize,
    /// The most hyperarcs into a vertex.
    pub max_edges: usize,
}

/// Words that a derivation can cover: the subtrees of neighbouring dependents.
pub struct Cover {
    words: Range<u32>,
    /// The vertices that cover them, the largest first.
    pub vertices: Vec<u32>,
}

/// A unit in the forest.
pub struct Vertex {
    words: Range<u32>,
    /// What its derivations cover.
    pub cover: u32,
    group: u32,
    /// The outside weight, see [`UnitForest::outside`].
    pub alpha: f64,
    /// The inside probability.
    pub beta: f64,
}

/// A covering to go on below a vertex.
pub struct Hyperarc {
    tails: Range<u32>,
    /// The tree it comes from.
    pub tree: u32,
    /// `c(e)`, which its probability is its share of.
    score: f64,
    /// Its probability among those of its head.
    pub p: f64,
    /// Its probability times the inside probabilities of its tails.
    inside: f64,
    /// Which of the hyperarcs into the same vertex is the first whose tails hang by the same words.
    pub first: u32,
}

/// A part of a hyperarc.
pub struct Tail {
    /// The vertex.
    pub vertex: u32,
    sigma: Range<u32>,
}

/// The forest of one sentence.
pub struct UnitForest {
    words: Vec<WordIx>,
    covers: Vec<Cover>,
    vertices: Vec<Vertex>,
    /// Hyperarcs into each group of vertices that have the same dependents.
    groups: Vec<Range<u32>>,
    /// Where the hyperarcs of each group end if none is left out.
    ends: Vec<u32>,
    edges: Vec<Hyperarc>,
    tails: Vec<Tail>,
    /// The group of the dummy root.
    top: u32,
    /// The vertices in an order that has heads before tails.
    top_down: Vec<u32>,
}

impl UnitForest {
    /// The forest of a sentence with one or more trees.
    pub fn new(trees: &[&DepTree], limits: &Limits) -> Self {
        let length = trees.first().map_or(0, |tree| tree.len());
        let keys = Keys::new(length);
        let views: Vec<View<'_>> = trees.iter().map(|tree| View::new(tree, keys.subtrees(tree))).collect();
        let mut builder = Builder {
            limits: *limits,
            views: &views,
            covers: FxHashMap::default(),
            known: FxHashMap::default(),
            dependents: Vec::new(),
            coverings: Covers::default(),
            runs: Vec::new(),
            forest: Self {
                words: Vec::new(),
                covers: Vec::new(),
                vertices: Vec::new(),
                groups: Vec::new(),
                ends: Vec::new(),
                edges: Vec::new(),
                tails: Vec::new(),
                top: 0,
                top_down: Vec::new(),
            },
        };
        for (number, view) in views.iter().enumerate() {
            for unit in Units::of(view.tree, &keys, limits.max_words).iter() {
                builder.vertex(number, keys.of(unit.iter().copied()), unit);
            }
        }
        builder.sort_covers();
        builder.runs = views.iter().map(|view| runs(view, &builder.covers, limits.max_words)).collect();
        builder.hyperarcs();
        let mut forest = builder.forest;
        let covered = |v: u32| forest.covers[forest.vertices[v as usize].cover as usize].words.len();
        let mut order: Vec<u32> = (0..forest.vertices.len() as u32).collect();
        order.sort_by_key(|&v| std::cmp::Reverse(covered(v)));
        forest.top_down = order;
        forest.keep_best(limits.max_edges);
        forest
    }

    /// Leaves all but the `most` best hyperarcs into each vertex out: the forest is as if it had been made with this limit, which
    /// is not above the one that it was made with. Pruning and outside weights of before are forgotten.
    pub fn keep_best(&mut self, most: usize) {
        for (group, &end) in self.groups.iter_mut().zip(&self.ends) {
            group.end = end.min(group.start.saturating_add(u32::try_from(most).unwrap_or(u32::MAX)));
            let edges = &mut self.edges[group.start as usize..group.end as usize];
            let total: f64 = edges.iter().map(|edge| edge.score).sum();
            edges.iter_mut().for_each(|edge| edge.p = edge.score / total);
        }
        self.inside();
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// The words of a vertex, from left to right.
    pub fn words(&self, vertex: &Vertex) -> &[WordIx] {
        self.slice(&vertex.words)
    }

    /// What derivations can cover.
    pub fn covers(&self) -> &[Cover] {
        &self.covers
    }

    /// The words of a cover.
    pub fn covered(&self, cover: &Cover) -> &[WordIx] {
        self.slice(&cover.words)
    }

    /// `IN(v)`, best first.
    pub fn incoming(&self, vertex: &Vertex) -> &[Hyperarc] {
        self.edges_of(vertex.group)
    }

    /// `IN(v0)`.
    pub fn top(&self) -> &[Hyperarc] {
        self.edges_of(self.top)
    }

    /// The tails of a hyperarc, from left to right.
    pub fn tails(&self, edge: &Hyperarc) -> &[Tail] {
        &self.tails[edge.tails.start as usize..edge.tails.end as usize]
    }

    /// The words that a tail hangs by, as the tree of its hyperarc has them.
    pub fn sigma(&self, tail: &Tail) -> &[WordIx] {
        self.slice(&tail.sigma)
    }

    fn slice(&self, range: &Range<u32>) -> &[WordIx] {
        &self.words[range.start as usize..range.end as usize]
    }

    fn edges_of(&self, group: u32) -> &[Hyperarc] {
        let range = &self.groups[group as usize];
        &self.edges[range.start as usize..range.end as usize]
    }

    /// The vertices in an order that has heads before tails.
    pub fn top_down(&self) -> &[u32] {
        &self.top_down
    }

    /// Inside probabilities (equation 1), from the leaves up.
    fn inside(&mut self) {
        // Whatever vertices have the same dependents, what lies below these covers fewer words than any of them.
        let mut betas: Vec<Option<f64>> = vec![None; self.groups.len()];
        for at in (0..self.top_down.len()).rev() {
            let v = self.top_down[at] as usize;
            let group = self.vertices[v].group;
            let beta = betas[group as usize].unwrap_or_else(|| self.inside_of(group));
            betas[group as usize] = Some(beta);
            self.vertices[v].beta = beta;
        }
        self.inside_of(self.top);
    }

    /// The inside probability of the vertices with these dependents.
    fn inside_of(&mut self, group: u32) -> f64 {
        let Self { groups, edges, tails, vertices, .. } = self;
        let Range { start, end } = groups[group as usize];
        let edges = &mut edges[start as usize..end as usize];
        if edges.is_empty() {
            return 1.0;
        }
        for edge in &mut *edges {
            let tails = &tails[edge.tails.start as usize..edge.tails.end as usize];
            edge.inside =
                edge.p * tails.iter().map(|tail| vertices[tail.vertex as usize].beta).product::<f64>();
        }
        edges.iter().map(|edge| edge.inside).sum()
    }

    /// A hyperarc's probability times the inside probabilities of its tails.
    pub fn score(&self, edge: &Hyperarc) -> f64 {
        edge.inside
    }

    /// Hyperarcs into one vertex that differ only in what lies deeper in their tails make one rule: the first of each such set, and the
    /// sum of their scores.
    pub fn by_sigma<'f>(&'f self, vertex: &Vertex) -> impl Iterator<Item = (&'f Hyperarc, f64)> {
        let edges = self.incoming(vertex);
        (0..).zip(edges).filter(|(number, edge)| *number == edge.first).map(move |(number, edge)| {
            let same = edges[number as usize..].iter().filter(move |other| other.first == number);
            (edge, same.map(|edge| edge.inside).sum())
        })
    }

    /// Outside weights. With `mean` they are those of equation 2: the mean over all hyperarcs that lead on from a vertex, and
    /// 1 where there are none. Else they are the sum, so that `alpha * beta` is the probability that a derivation uses the
    /// vertex.
    pub fn outside(&mut self, mean: bool) {
        let mut alpha = vec![0.0; self.vertices.len()];
        let mut out = vec![0u32; self.vertices.len()];
        self.pass_down(self.top, 1.0, &mut alpha, &mut out);
        for at in 0..self.top_down.len() {
            let v = self.top_down[at] as usize;
            if mean {
                alpha[v] = if out[v] == 0 { 1.0 } else { alpha[v] / f64::from(out[v]) };
            }
            self.vertices[v].alpha = alpha[v];
            self.pass_down(self.vertices[v].group, alpha[v], &mut alpha, &mut out);
        }
    }

    fn pass_down(&self, group: u32, above: f64, alpha: &mut [f64], out: &mut [u32]) {
        for edge in self.edges_of(group) {
            let score = above * self.score(edge);
            for tail in self.tails(edge) {
                let v = tail.vertex as usize;
                alpha[v] += score / self.vertices[v].beta;
                out[v] += 1;
            }
        }
    }

    /// Leaves hyperarcs of at most this probability out, but for the best one of each vertex.
    pub fn prune(&mut self, delta: f64) {
        for group in &mut self.groups {
            let edges = &self.edges[group.start as usize..group.end as usize];
            let kept = edges.iter().take_while(|edge| edge.p > delta).count().max(1).min(edges.len());
            group.end = group.start + kept as u32;
        }
    }
}

/// The dependents of a vertex in one of the trees.
struct Dependents {
    vertex: u32,
    tree: u32,
    tau: Range<u32>,
}

struct Builder<'a> {
    limits: Limits,
    views: &'a [View<'a>],
    covers: FxHashMap<Key, u32>,
    known: FxHashMap<(Key, Key), u32>,
    dependents: Vec<Dependents>,
    coverings: Covers,
    /// By tree, see [`runs`].
    runs: Vec<Vec<Vec<Option<u32>>>>,
    forest: UnitForest,
}

impl Builder<'_> {
    fn append(&mut self, words: impl IntoIterator<Item = WordIx>) -> Range<u32> {
        let start = self.forest.words.len() as u32;
        self.forest.words.extend(words);
        start..self.forest.words.len() as u32
    }

    /// Adds a unit of a tree.
    fn vertex(&mut self, tree: usize, set: Key, unit: &[WordIx]) {
        let view = &self.views[tree];
        let (sigma, tau) = view.ends(unit);
        let below = view.below(&sigma);
        let cover = self.cover(below, tree, &sigma);
        let vertex = match self.known.get(&(set, below)) {
            Some(&vertex) => vertex,
            None => {
                let vertex = self.forest.vertices.len() as u32;
                self.known.insert((set, below), vertex);
                let words = self.append(unit.iter().copied());
                self.forest.vertices.push(Vertex { words, cover, group: 0, alpha: 0.0, beta: 1.0 });
                self.forest.covers[cover as usize].vertices.push(vertex);
                vertex
            }
        };
        let tau = self.append(tau);
        self.dependents.push(Dependents { vertex, tree: tree as u32, tau });
    }

    fn cover(&mut self, below: Key, tree: usize, sigma: &[WordIx]) -> u32 {
        if let Some(&cover) = self.covers.get(&below) {
            return cover;
        }
        let view = &self.views[tree];
        let words = self.append(sigma.iter().flat_map(|&top| view.tree.subtree(top)).copied());
        let cover = self.forest.covers.len() as u32;
        self.covers.insert(below, cover);
        self.forest.covers.push(Cover { words, vertices: Vec::new() });
        cover
    }

    /// Of units of one size, those that leave fewer dependents come first.
    fn sort_covers(&mut self) {
        let mut left = vec![u32::MAX; self.forest.vertices.len()];
        for part in &self.dependents {
            let left = &mut left[part.vertex as usize];
            *left = (*left).min(part.tau.len() as u32);
        }
        let UnitForest { covers, vertices, .. } = &mut self.forest;
        let size = |v: u32| vertices[v as usize].words.len();
        for cover in covers {
            cover.vertices.sort_by_key(|&v| (std::cmp::Reverse(size(v)), left[v as usize]));
        }
    }

    /// Finds the hyperarcs into all vertices and the dummy root.
    fn hyperarcs(&mut self) {
        let mut dependents = std::mem::take(&mut self.dependents);
        dependents.sort_by_key(|part| part.vertex);
        let mut groups: FxHashMap<Key, u32> = FxHashMap::default();
        let roots: Vec<(usize, Range<u32>)> =
            (0..self.views.len()).map(|tree| (tree, self.append([self.views[tree].tree.root()]))).collect();
        self.forest.top = self.group(&roots);
        for parts in dependents.chunk_by(|a, b| a.vertex == b.vertex) {
            let taus: Vec<(usize, Range<u32>)> =
                parts.iter().map(|part| (part.tree as usize, part.tau.clone())).collect();
            let key = taus.iter().fold(Key::default(), |key, (tree, tau)| {
                let words = self.forest.slice(tau);
                key.join(self.views[*tree].below(words).rotated(*tree as u32))
            });
            let group = match groups.get(&key) {
                Some(&group) => group,
                None => {
                    let group = self.group(&taus);
                    groups.insert(key, group);
                    group
                }
            };
            self.forest.vertices[parts[0].vertex as usize].group = group;
        }
    }

    /// The hyperarcs into vertices with these dependents, by tree.
    fn group(&mut self, taus: &[(usize, Range<u32>)]) -> u32 {
        let tree_ends = self.coverings_of(taus);
        let kept = self.kept(taus.len());
        let Self { forest, coverings, .. } = self;
        let start = forest.edges.len();
        let mut firsts: Vec<(u64, u32)> = Vec::new();
        for covering in kept {
            let (tree, ref tau) = taus[tree_ends.partition_point(|&end| end <= covering)];
            let tree = tree as u32;
            let covering = &coverings.found[covering];
            let begin_tails = forest.tails.len() as u32;
            let (mut begin, mut mixed) = (tau.start, u64::from(tree));
            for &(vertex, end) in coverings.units(covering) {
                let end = tau.start + end;
                mixed = (mixed.rotate_left(5) ^ u64::from(end)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                forest.tails.push(Tail { vertex, sigma: begin..end });
                begin = end;
            }
            let tails = begin_tails..forest.tails.len() as u32;
            let number = (forest.edges.len() - start) as u32;
            // Tails into one vertex are cut from one list of dependents a tree, so that equal words stand at equal places.
            let sigmas = |tails: &Range<u32>| {
                forest.tails[tails.start as usize..tails.end as usize].iter().map(|tail| &tail.sigma)
            };
            let same = |&&(other, number): &&(u64, u32)| {
                let edge = &forest.edges[start + number as usize];
                other == mixed && edge.tree == tree && sigmas(&edge.tails).eq(sigmas(&tails))
            };
            let first = firsts.iter().find(same).map_or(number, |&(_, number)| number);
            if first == number {
                firsts.push((mixed, number));
            }
            forest.edges.push(Hyperarc { tails, tree, score: covering.score(), p: 0.0, inside: 0.0, first });
        }
        let end = forest.edges.len() as u32;
        forest.groups.push(start as u32..end);
        forest.ends.push(end);
        forest.groups.len() as u32 - 1
    }

    /// Finds the best coverings of these dependents in each tree; how many there are up to each tree.
    fn coverings_of(&mut self, taus: &[(usize, Range<u32>)]) -> Vec<usize> {
        let Self { forest, coverings, runs, limits, .. } = self;
        coverings.clear();
        let covered = |(tree, tau): &(usize, Range<u32>)| {
            let units_of = |run: &[WordIx]| {
                let cover = runs[*tree][run[0].ix()].get(run.len() - 1).copied().flatten();
                cover.map_or(&[][..], |cover| &forest.covers[cover as usize].vertices)
            };
            let size = |v: u32| forest.vertices[v as usize].words.len() as u32;
            if !tau.is_empty() {
                let limits = (limits.max_words, limits.max_edges);
                coverings.best(&self.views[*tree], forest.slice(tau), limits, units_of, size);
            }
            coverings.found.len()
        };
        taus.iter().map(covered).collect()
    }

    /// The best of the coverings found, without those that have the same units as a better one of another tree.
    fn kept(&self, trees: usize) -> Vec<usize> {
        let Self { coverings, limits, .. } = self;
        let mut order: Vec<usize> = (0..coverings.found.len()).collect();
        if trees == 1 {
            return order;
        }
        order.sort_by(|&a, &b| coverings.found[b].score().total_cmp(&coverings.found[a].score()));
        let units =
            |&covering: &usize| coverings.units(&coverings.found[covering]).iter().map(|&(unit, _)| unit);
        let mut kept: Vec<usize> = Vec::new();
        for covering in order {
            if kept.len() < limits.max_edges && !kept.iter().any(|other| units(other).eq(units(&covering))) {
                kept.push(covering);
            }
        }
        kept
    }
}

/// By the first word of a run of neighbouring dependents and the number of its words, what the units cover that have these as tops.
fn runs(view: &View<'_>, covers: &FxHashMap<Key, u32>, max: usize) -> Vec<Vec<Option<u32>>> {
    let mut runs = vec![Vec::new(); view.tree.len()];
    let heads = view.tree.words().map(|head| view.tree.dependents(head));
    let root = [view.tree.root()];
    for dependents in heads.chain([&root[..]]) {
        for (start, first) in dependents.iter().enumerate() {
            let mut below = Key::default();
            let longest = dependents[start..].iter().take(max);
            let covered = longest.map(|&word| {
                below = below.join(view.subtrees[word.ix()]);
                covers.get(&below).copied()
            });
            runs[first.ix()] = covered.collect();
        }
    }
    runs
}
