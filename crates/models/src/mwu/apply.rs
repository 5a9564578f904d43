//! What rules of units can build for an input: the decoder that the paper leaves for later (Na & Lee 2011, section 7).
//!
//! A node of the forest stands for all derivations that cover the same words, the subtrees of neighbouring dependents. It is
//! built by every unit whose tops these are and every covering of what is below it that the table has a rule for: source sides are
//! matched part by part along the trie, so that no k best are needed. Several trees of an input meet in one forest, as in
//! [`super::forest`]. A node whose words stand side by side may also be what hierarchical rules build and, if asked for, stand
//! for their variables. Where units are unseen, phrases, single words and the pseudo rule step in, which joins a head and the
//! subtrees of its dependents in the order of the source.

use super::MwuOptions;
use super::cover::View;
use super::induce::joined;
use super::sets::{Key, Keys};
use super::units::Units;
use crate::builder::{Builds, ForestBuilder, Run, weave};
use crate::chart::{Chart, ForestInput};
use crate::dep2str::Phrases;
use crate::estimates::Estimates;
use crate::forest::{Forest, NodeIx, position_of_variable};
use rustc_hash::FxHashMap;
use treeglot_grammar::pattern::UNIT;
use treeglot_grammar::{Symbol, Table, TrieNode};
use treeglot_tree::{DepTree, Span, WordIx};

/// Fills the forest of an input.
pub fn fill(
    options: &MwuOptions,
    input: &ForestInput<'_>,
    estimates: &mut dyn Estimates,
    chart: &mut Chart,
    forest: &mut Forest,
) {
    let parses: Vec<Parse<'_>> = input
        .trees
        .deps
        .iter()
        .filter(|parse| parse.tree.len() == input.length)
        .map(|parse| Parse { tree: &parse.tree, tags: &parse.tags })
        .collect();
    let (false, Some(rules)) = (parses.is_empty(), input.tables.first()) else {
        return chart.fill(input, estimates, forest);
    };
    let keys = Keys::new(input.length);
    let views: Vec<View<'_>> =
        parses.iter().map(|parse| View::new(parse.tree, keys.subtrees(parse.tree))).collect();
    let (sites, by_key) = sites(&views, &keys, options.m);
    let mut builder = Builder {
        parses: &parses,
        views: &views,
        rules: rules.table,
        all_phrases: options.phrases == Phrases::All,
        weave: options.weave,
        sites: &sites,
        by_key,
        built: vec![None; sites.len()],
        words: vec![None; input.length],
    };
    let mut forest_builder =
        ForestBuilder::new(input, (0..input.length as u32).collect(), estimates, chart, forest);
    // Of two sites of the same hull one may lie in the other, which has more words then.
    let mut order: Vec<(Span, u32)> = (0..).zip(&sites).map(|(number, site)| (site.hull, number)).collect();
    order.sort_by_key(|&(_, site)| sites[site as usize].size);
    weave(&mut builder, &mut forest_builder, &order);
    let root = builder.below(0, &[views[0].tree.root()]);
    forest_builder.finish(&[(root, 0.0)]);
}

/// A tree of the input.
struct Parse<'a> {
    tree: &'a DepTree,
    tags: &'a [String],
}

/// Words that derivations cover, in one or more trees.
struct Site {
    size: usize,
    hull: Span,
    by_tree: Vec<SiteInTree>,
}

/// The same as one tree has it: the tops, and the units that begin with them.
struct SiteInTree {
    tree: usize,
    sigma: Vec<WordIx>,
    units: Vec<(Vec<WordIx>, Vec<WordIx>)>,
}

/// All that derivations can cover, with the units of at most `max` words.
fn sites(views: &[View<'_>], keys: &Keys, max: usize) -> (Vec<Site>, FxHashMap<Key, usize>) {
    let (mut sites, mut by_key): (Vec<Site>, FxHashMap<Key, usize>) = Default::default();
    for (tree, view) in views.iter().enumerate() {
        for unit in Units::of(view.tree, keys, max).iter() {
            let (sigma, tau) = view.ends(unit);
            let site = *by_key.entry(view.below(&sigma)).or_insert_with(|| {
                let hull = sigma.iter().fold(Span::default(), |hull, &top| hull.hull(view.tree.hull(top)));
                let size = sigma.iter().map(|&top| view.tree.subtree_len(top)).sum();
                sites.push(Site { size, hull, by_tree: Vec::new() });
                sites.len() - 1
            });
            let by_tree = &mut sites[site].by_tree;
            if by_tree.last().is_none_or(|of_tree| of_tree.tree != tree) {
                by_tree.push(SiteInTree { tree, sigma, units: Vec::new() });
            }
            if let Some(of_tree) = by_tree.last_mut() {
                of_tree.units.push((unit.to_vec(), tau));
            }
        }
    }
    (sites, by_key)
}

struct Builder<'a> {
    parses: &'a [Parse<'a>],
    views: &'a [View<'a>],
    rules: &'a Table,
    all_phrases: bool,
    weave: bool,
    sites: &'a [Site],
    by_key: FxHashMap<Key, usize>,
    built: Vec<Option<NodeIx>>,
    /// What was built of single words that have dependents.
    words: Vec<Option<NodeIx>>,
}

impl Builds for Builder<'_> {
    fn build(&mut self, forest: &mut ForestBuilder<'_>, number: u32, built: &mut Vec<NodeIx>) {
        let site = &self.sites[number as usize];
        let node = self.site(forest, site);
        self.built[number as usize] = Some(node);
        built.extend((self.weave && site.size == site.hull.len()).then_some(node));
    }
}

impl Builder<'_> {
    /// The node of what lies below neighbouring dependents.
    fn below(&self, tree: usize, sigma: &[WordIx]) -> NodeIx {
        let site = self.by_key[&self.views[tree].below(sigma)];
        self.built[site].expect("what covers fewer words is built before")
    }

    fn site(&mut self, forest: &mut ForestBuilder<'_>, site: &Site) -> NodeIx {
        let mut chains = Vec::new();
        for of_tree in &site.by_tree {
            chains.extend(self.chain(forest, of_tree));
        }
        for of_tree in &site.by_tree {
            for (unit, tau) in &of_tree.units {
                self.rules_of(forest, of_tree.tree, unit, tau);
            }
        }
        if site.size == site.hull.len() {
            forest.phrases(site.hull);
            forest.back_off(site.hull);
        }
        if site.size == 1 {
            forest.copy(site.hull.start);
        }
        forest.pseudo(chains, 0.0);
        let first = &site.by_tree[0];
        let label = self.tags(first.tree, &first.sigma);
        forest.named(site.hull, &label)
    }

    fn tags(&self, tree: usize, sigma: &[WordIx]) -> String {
        joined(sigma.iter().map(|word| self.parses[tree].tags.get(word.ix()).map_or("", String::as_str)))
    }

    /// Adds the rules for a unit with these dependents to the node that comes next.
    fn rules_of(&self, forest: &mut ForestBuilder<'_>, tree: usize, unit: &[WordIx], tau: &[WordIx]) {
        let mut parts: Vec<(WordIx, Option<usize>)> = unit.iter().map(|&word| (word, None)).collect();
        parts.extend(tau.iter().enumerate().map(|(k, &word)| (word, Some(k))));
        parts.sort_unstable();
        let mut matcher = Matcher {
            builder: self,
            forest,
            tree,
            tau,
            parts: &parts,
            steps: Vec::new(),
            tails: Vec::new(),
            found: Vec::new(),
        };
        matcher.walk(0, 0, self.rules.root());
        for (trie, steps, tails) in matcher.found {
            forest.edge_at(0, trie, tails, steps);
        }
    }

    /// A head's word and what lies below its dependents, or below several tops, side by side: the last steps of a chain that
    /// the pseudo rule takes.
    fn chain(&mut self, forest: &mut ForestBuilder<'_>, of_tree: &SiteInTree) -> Vec<[NodeIx; 2]> {
        let SiteInTree { tree, ref sigma, .. } = *of_tree;
        let view = &self.views[tree];
        let mut parts: Vec<WordIx> = sigma.clone();
        let head = (sigma.len() == 1).then(|| sigma[0]);
        if let Some(head) = head {
            parts.extend(view.tree.dependents(head));
            parts.sort_unstable();
        }
        if parts.len() < 2 {
            return Vec::new();
        }
        let nodes: Vec<NodeIx> =
            parts
                .iter()
                .map(|&part| {
                    if Some(part) == head { self.word(forest, tree, part) } else { self.below(tree, &[part]) }
                })
                .collect();
        let runs = self.runs(forest, tree, head, &parts);
        forest.chain(&nodes, &runs)
    }

    /// Neighbouring parts that are built as one.
    fn runs(
        &self,
        forest: &mut ForestBuilder<'_>,
        tree: usize,
        head: Option<WordIx>,
        parts: &[WordIx],
    ) -> Vec<Run> {
        let view = &self.views[tree];
        let mut runs = Vec::new();
        let all = (0..parts.len()).flat_map(|i| (i + 2..=parts.len()).map(move |j| (i, j)));
        for (i, j) in all.filter(|&(i, j)| j - i < parts.len()) {
            let run = &parts[i..j];
            if !head.is_some_and(|head| run.contains(&head)) {
                let site = self.by_key.get(&view.below(run)).and_then(|&site| self.built[site]);
                runs.extend(site.map(|built| Run { parts: (i, j), built, variable: None }));
                continue;
            }
            let words = |&part: &WordIx| {
                if Some(part) == head {
                    (Span::of(part), 1)
                } else {
                    (view.tree.hull(part), view.tree.subtree_len(part))
                }
            };
            let (hull, size) = run
                .iter()
                .map(words)
                .fold((Span::default(), 0), |(hull, size), (more, words)| (hull.hull(more), size + words));
            if !self.all_phrases || hull.len() != size {
                continue;
            }
            forest.phrases(hull);
            if forest.forest.is_open() {
                let built = forest.forest.node(hull, 0);
                runs.push(Run { parts: (i, j), built, variable: None });
            }
        }
        runs
    }

    /// The node of a head's word alone.
    fn word(&mut self, forest: &mut ForestBuilder<'_>, tree: usize, word: WordIx) -> NodeIx {
        if let Some(built) = self.words[word.ix()] {
            return built;
        }
        self.rules_of(forest, tree, &[word], &[]);
        forest.phrases(Span::of(word));
        forest.copy(word.0);
        let label = self.tags(tree, &[word]);
        let built = forest.named(Span::of(word), &label);
        self.words[word.ix()] = Some(built);
        built
    }
}

/// Walks the trie of the rules along a unit's words and dependents.
struct Matcher<'a, 'b, 'c> {
    builder: &'a Builder<'b>,
    forest: &'a ForestBuilder<'c>,
    tree: usize,
    tau: &'a [WordIx],
    /// The unit's words, and its dependents with their numbers, from left to right.
    parts: &'a [(WordIx, Option<usize>)],
    /// Where the parts of the pattern stand.
    steps: Vec<u32>,
    tails: Vec<NodeIx>,
    /// Where patterns that fit end, where their parts stand, and what their variables stand for.
    found: Vec<(TrieNode, Vec<u32>, Vec<NodeIx>)>,
}

impl Matcher<'_, '_, '_> {
    /// Goes on from a part; dependents before `next` are covered.
    fn walk(&mut self, at: usize, next: usize, trie: TrieNode) {
        let rules = self.builder.rules;
        match self.parts.get(at) {
            None => {
                let end = rules.child(trie, Symbol::mark(UNIT)).filter(|&end| rules.rules(end).len() > 0);
                self.found.extend(end.map(|end| (end, self.steps.clone(), self.tails.clone())));
            }
            Some(&(word, None)) => {
                let symbol = self.forest.word(0, word.0).map(Symbol::word);
                if let Some(trie) = symbol.and_then(|symbol| rules.child(trie, symbol)) {
                    self.steps.push(word.0);
                    self.walk(at + 1, next, trie);
                    self.steps.pop();
                }
            }
            Some(&(_, Some(number))) if number < next => self.walk(at + 1, next, trie),
            Some(&(_, Some(number))) => {
                for length in 1..=self.builder.views[self.tree].run(&self.tau[number..], usize::MAX) {
                    self.variable(at, (number, number + length), trie);
                }
            }
        }
    }

    /// Takes a run of dependents as a variable, labelled by its words or by their tags.
    fn variable(&mut self, at: usize, (start, end): (usize, usize), trie: TrieNode) {
        let (builder, sigma) = (self.builder, &self.tau[start..end]);
        let vocab = builder.rules.vocab();
        let word = |word: &WordIx| self.forest.word(0, word.0).and_then(|word| vocab.word(word));
        let words: Option<Vec<&str>> = sigma.iter().map(word).collect();
        let by_words = words.map(|words| words.join("_"));
        let by_tags = Some(builder.tags(self.tree, sigma)).filter(|tags| Some(tags) != by_words.as_ref());
        for label in [by_words, by_tags].into_iter().flatten() {
            let symbol = vocab.get(&label).map(Symbol::var);
            if let Some(trie) = symbol.and_then(|symbol| builder.rules.child(trie, symbol)) {
                self.steps.push(position_of_variable(self.tails.len()));
                self.tails.push(builder.below(self.tree, sigma));
                self.walk(at + 1, end, trie);
                self.tails.pop();
                self.steps.pop();
            }
        }
    }
}
