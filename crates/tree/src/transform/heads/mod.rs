//! Constituency trees to dependency parses by head rules (Magerman 1995, Collins 1999, Johansson & Nugues 2007): how
//! the constituency parser of Wu 2012 (section 2.3) gives dependency trees, and what head-outward binarisation and
//! lexicalised models take as the head of a constituent.
//!
//! Every constituent's head word is that of its head child; the other children's head words depend on it.
//! Discontinuous constituents give non-projective trees. Words of empty categories are words here: drop them
//! before.

pub(crate) mod labels;
mod rules;

pub use rules::{BuiltIn, Coordination, HeadRules};

use crate::con::{Child, ConTree};
use crate::dep::{DepTree, Roots};
use crate::index::{NodeId, WordIx};
use crate::parse::DepParse;
use labels::Category;
use std::ops::Range;

/// The relation of the root.
pub const ROOT: &str = "root";
/// The relation of punctuation.
pub const PUNCTUATION: &str = "punct";
/// The relation of a coordinator to the conjunct before it.
pub const COORDINATOR: &str = "cc";
/// The relation of a later conjunct.
pub const CONJUNCT: &str = "conj";

/// The heads of all constituents of a tree, and the dependencies between the words that follow.
#[derive(Debug, Clone)]
pub struct Heads {
    children: Vec<usize>,
    words: Vec<WordIx>,
    heads: Vec<Option<WordIx>>,
    relations: Vec<String>,
}

impl Heads {
    /// Finds them by a table.
    pub fn find(tree: &ConTree, rules: &HeadRules) -> Self {
        let mut found = Self {
            children: vec![0; tree.node_count()],
            words: vec![WordIx(0); tree.node_count()],
            heads: vec![None; tree.len()],
            relations: vec![ROOT.to_string(); tree.len()],
        };
        for node in tree.nodes().rev() {
            found.visit(tree, rules, node);
        }
        found
    }

    /// Which child of a node is its head, as an index into [`ConTree::children`].
    pub fn child(&self, node: NodeId) -> usize {
        self.children[node.ix()]
    }

    /// A node's head word.
    pub fn word(&self, node: NodeId) -> WordIx {
        self.words[node.ix()]
    }

    /// The dependency tree that the heads make.
    pub fn tree(&self) -> DepTree {
        DepTree::new(self.heads.clone(), Roots::One).expect("each word but one depends on a word higher up")
    }

    fn head_word(&self, child: Child) -> WordIx {
        match child {
            Child::Word(w) => w,
            Child::Node(n) => self.word(n),
        }
    }

    fn visit(&mut self, tree: &ConTree, rules: &HeadRules, node: NodeId) {
        let children = tree.children(node);
        let categories: Vec<Category<'_>> = children.iter().map(|&c| category(tree, c)).collect();
        let label = category(tree, Child::Node(node));
        let all = Part { rules, label, rule: label.name, children, categories: &categories };
        let head = match rules.inner(label.name, &categories) {
            Some((head, rule, range)) => {
                let inner = all.inner(rule, range.clone());
                let inner_head = range.start + self.attach_part(&inner);
                let site = Site { part: &all, head };
                let outside = (0..children.len()).filter(|c| *c != head && !range.contains(c));
                outside.chain([inner_head]).for_each(|c| self.attach(&site, c, head, None));
                head
            }
            None => self.attach_part(&all),
        };
        self.children[node.ix()] = head;
        self.words[node.ix()] = self.head_word(children[head]);
    }

    /// Hangs all children of a part from its head or its conjuncts; returns the head.
    fn attach_part(&mut self, part: &Part<'_>) -> usize {
        let conjuncts = conjuncts(part.rule, part.categories, part.rules);
        let Some(first) = conjuncts.first() else {
            let head = part.rules.head_among(part.rule, part.categories);
            let site = Site { part, head };
            (0..part.children.len()).filter(|&c| c != head).for_each(|c| self.attach(&site, c, head, None));
            return head;
        };
        self.attach_conjuncts(&Site { part, head: first.head }, &conjuncts);
        first.head
    }

    /// Hangs child `child` of a node from its child `on`.
    fn attach(&mut self, site: &Site<'_>, child: usize, on: usize, relation: Option<&str>) {
        let part = site.part;
        let word = self.head_word(part.children[child]);
        self.heads[word.ix()] = Some(self.head_word(part.children[on]));
        let category = &part.categories[child];
        self.relations[word.ix()] = if part.rules.is_punctuation(category) {
            PUNCTUATION.to_string()
        } else if let Some(relation) = relation {
            relation.to_string()
        } else if let Some(function) = category.function() {
            function.to_string()
        } else {
            format!("{}-{}-{}", category.name, part.label.name, part.categories[site.head].name)
        };
    }

    fn attach_conjuncts(&mut self, site: &Site<'_>, conjuncts: &[Conjunct]) {
        let (rules, categories) = (site.part.rules, site.part.categories);
        let chain = rules.coordination == Coordination::Chain;
        let mut previous = site.head;
        for (i, conjunct) in conjuncts.iter().enumerate() {
            if i > 0 {
                let coordinator = conjunct.coordinator.filter(|_| chain);
                let on = if chain { previous } else { site.head };
                self.attach(site, conjunct.head, coordinator.unwrap_or(on), Some(CONJUNCT));
            }
            let is_last = i + 1 == conjuncts.len();
            for child in (conjunct.start..conjunct.end).filter(|&c| c != conjunct.head) {
                let category = &categories[child];
                if Some(child) == conjunct.coordinator {
                    let on = if chain { previous } else { site.head };
                    self.attach(site, child, on, Some(COORDINATOR));
                } else if child < conjunct.first {
                    self.attach(site, child, if chain { previous } else { site.head }, None);
                } else if is_last && child > conjunct.head && rules.is_punctuation(category) {
                    self.attach(site, child, site.head, None);
                } else {
                    self.attach(site, child, conjunct.head, None);
                }
            }
            previous = conjunct.head;
        }
    }
}

/// The children of a node, or those of a phrase among them that has no node of its own.
struct Part<'a> {
    rules: &'a HeadRules,
    /// The node's label.
    label: Category<'a>,
    /// The label whose rule finds the head.
    rule: &'a str,
    children: &'a [Child],
    categories: &'a [Category<'a>],
}

impl<'a> Part<'a> {
    fn inner(&self, rule: &'a str, range: Range<usize>) -> Self {
        Self {
            rule,
            children: &self.children[range.clone()],
            categories: &self.categories[range],
            rules: self.rules,
            label: self.label,
        }
    }
}

/// A part with its head, while its children are being attached.
struct Site<'a> {
    part: &'a Part<'a>,
    head: usize,
}

/// A conjunct among the children of a node: `start..first` are the separators and the coordinator before it.
#[derive(Debug)]
struct Conjunct {
    start: usize,
    first: usize,
    end: usize,
    head: usize,
    coordinator: Option<usize>,
}

fn category(tree: &ConTree, child: Child) -> Category<'_> {
    match child {
        Child::Node(n) => Category::new(tree.label(n), tree.edge(n)),
        Child::Word(_) => Category::new("", ""),
    }
}

/// Parts a node's children into conjuncts, if a coordinator stands between some of them: before every coordinator,
/// and before each separator that has parts of the same kind on both sides.
fn conjuncts(label: &str, children: &[Category<'_>], rules: &HeadRules) -> Vec<Conjunct> {
    let solid = |c: &Category<'_>| !rules.is_punctuation(c) && !rules.is_coordinator(c);
    let Some(first) = children.iter().position(solid) else { return Vec::new() };
    let last = children.iter().rposition(solid).unwrap_or(first);
    let coordinators: Vec<usize> = (first..last).filter(|&c| rules.is_coordinator(&children[c])).collect();
    if coordinators.is_empty() {
        return Vec::new();
    }
    let mut breaks: Vec<usize> = (first..last)
        .filter(|&c| rules.is_coordinator(&children[c]) || rules.is_separator(&children[c]))
        .collect();
    let mut parts = cut_at(label, children, rules, &breaks);
    let kind = parts[parts.iter().rposition(|p| p.coordinator.is_some()).unwrap_or(0)].head;
    let like = |p: &Conjunct| alike(children[p.head].name, children[kind].name);
    let dropped: Vec<usize> = (1..parts.len())
        .filter(|&i| parts[i].coordinator.is_none() && !(like(&parts[i]) && like(&parts[i - 1])))
        .map(|i| parts[i].start)
        .collect();
    if !dropped.is_empty() {
        breaks.retain(|b| !dropped.contains(b));
        parts = cut_at(label, children, rules, &breaks);
    }
    parts
}

/// Cuts the children before each of `breaks`; breaks with nothing solid between them count as one.
fn cut_at(label: &str, children: &[Category<'_>], rules: &HeadRules, breaks: &[usize]) -> Vec<Conjunct> {
    let is_break = |c: usize| breaks.contains(&c);
    let loose = |c: usize| is_break(c) || rules.is_punctuation(&children[c]);
    let mut parts: Vec<Conjunct> = Vec::new();
    let mut start = 0;
    while start < children.len() {
        let first =
            (start..children.len()).find(|&c| parts.is_empty() || !loose(c)).unwrap_or(children.len());
        let end = (first + 1..children.len()).find(|&c| is_break(c)).unwrap_or(children.len());
        if first == children.len() {
            if let Some(part) = parts.last_mut() {
                part.end = children.len();
            }
            return parts;
        }
        let head = first + rules.head_among(label, &children[first..end]);
        let coordinator = (start..first).find(|&c| rules.is_coordinator(&children[c]));
        parts.push(Conjunct { start, first, end, head, coordinator });
        start = end;
    }
    parts
}

/// Whether two categories are of one kind: `NN` and `NNS`, `VBD` and `VBZ`.
fn alike(a: &str, b: &str) -> bool {
    a == b || (a.len() > 1 && a.get(..2) == b.get(..2))
}

/// The dependency parse of a constituency tree. Tags are the labels of preterminals (`_` where there is none),
/// lemmas and morphology come along where the tree has them.
///
/// A relation is, in this order: `root`; `punct`; `cc` and `conj` in coordinations; the grammatical function of
/// the dependent constituent (`SBJ` of `NP-SBJ-1`, or the edge label); else the categories of the dependent, of the
/// constituent and of its head child: `NP-S-VP`.
pub fn to_dependencies(tree: &ConTree, rules: &HeadRules) -> DepParse {
    let found = Heads::find(tree, rules);
    let mut parse = DepParse::new(0);
    for w in tree.words() {
        let tag = tree.tag(w).map_or("", |t| Category::new(t, "").name);
        let columns = [
            tree.form(w),
            or_absent(tree.lemma(w)),
            or_absent(tag),
            or_absent(tag),
            or_absent(tree.morph(w)),
            &found.relations[w.ix()],
            "_",
            "_",
        ];
        parse.push(columns, Some(found.heads[w.ix()].map_or(0, |h| h.0 + 1)));
    }
    parse
}

fn or_absent(text: &str) -> &str {
    if text.is_empty() { "_" } else { text }
}
