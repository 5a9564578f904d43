//! `cons2str`: fragments of a constituency tree to strings (Galley et al. 2004, GHKM; Liu, Liu & Lin 2006): the baseline
//! of Meng et al. (2013, section 5.2).
//!
//! A node whose words are consistent with the links is a frontier node. A rule takes such a node down to other frontier
//! nodes, its variables, and to words: the smallest such fragment and all larger ones up to a height. `apply` matches
//! them against the tree of an input. Bilingual phrases have a table of their own, that of the model `phrase`.

mod apply;
mod beside;
mod parses;
#[cfg(test)]
mod tests;

use crate::agenda::Agenda;
use crate::chart::{Chart, ForestInput};
use crate::error::{Error, Result};
use crate::estimates::Estimates;
use crate::forest::Forest;
use crate::matrix::Matrix;
use crate::packed::Share;
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::unaligned::{Piece, Sides};
use crate::{Applies, Model, TableRole};
pub(crate) use beside::Beside;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use treeglot_grammar::notation::PART;
use treeglot_grammar::pattern::{FRAGMENT, MAX_PARTS};
use treeglot_grammar::{Instance, RuleSink, Symbol};
use treeglot_text::vocab::Vocab;
use treeglot_tree::transform::binarize::{Direction, Markov, binarize};
use treeglot_tree::{Child, ConTree, NodeId, Span, TreeKind, WordIx};

/// How nodes of more than two children are parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Binarize {
    /// They stay as they are
    #[default]
    None,
    /// The first children stay together longest
    Left,
    /// The last children stay together longest
    Right,
    /// Both, as two parses of the sentence in one forest
    Both,
}

impl Binarize {
    /// A tree with its nodes parted: one tree, or one for each direction.
    pub fn apply(self, tree: &ConTree) -> impl Iterator<Item = Cow<'_, ConTree>> {
        let directions: &[Direction] = match self {
            Self::None => &[],
            Self::Left => &[Direction::Left],
            Self::Right => &[Direction::Right],
            Self::Both => &[Direction::Left, Direction::Right],
        };
        let parted = |&direction| Cow::Owned(binarize(tree, direction, Markov::default()));
        (self == Self::None).then_some(Cow::Borrowed(tree)).into_iter().chain(directions.iter().map(parted))
    }
}

/// The options of [`Cons2Str`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FragmentOptions {
    /// The most levels of a fragment: a tag over its word is one
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 3))]
    pub max_height: usize,

    /// Part nodes of more than two children first, so that there are more constituents
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t))]
    pub binarize: Binarize,

    /// The most fragments of one node: those of the fewest nodes come first
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 50))]
    pub max_fragments: usize,

    /// The most ways in which target words without links are shared out among the words of a rule
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 32))]
    pub max_variants: usize,
}

impl Default for FragmentOptions {
    fn default() -> Self {
        Self { max_height: 3, binarize: Binarize::None, max_fragments: 50, max_variants: 32 }
    }
}

/// Fragments of constituency trees to strings.
#[derive(Debug, Clone, Copy)]
pub struct Cons2Str(FragmentOptions);

impl Registered for Cons2Str {
    const NAME: &'static str = "cons2str";
    const ABOUT: &'static str = "Fragments of constituency trees to strings (Galley 2004, Liu 2006)";
    const ROLE: Option<TableRole> = Some(TableRole::Constituents);
    type Options = FragmentOptions;

    fn new(options: FragmentOptions) -> Result<Self> {
        if options.max_height > 0 {
            return Ok(Self(options));
        }
        let why = "`max-height` must be 1 or more".to_string();
        Err(Error::BadOptions { model: Self::NAME, why })
    }
}

impl Model for Cons2Str {
    fn needs(&self) -> Needs {
        Needs::source_parses(&[TreeKind::Constituency])
    }

    fn applies(&self) -> Applies {
        Applies::Trees
    }

    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let trees = pair.source_cons().filter(|tree| tree.is_continuous());
        let trees: Vec<Cow<'_, ConTree>> = trees.flat_map(|tree| self.0.binarize.apply(tree)).collect();
        let mut rules = Share { rules, share: 1.0 / trees.len() as f32 };
        for tree in &trees {
            let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
            let targets: Vec<_> = tree.nodes().map(|node| matrix.target_of(tree.hull(node))).collect();
            let must_open = Opened::of(tree, &targets);
            let extractor = Extractor { options: &self.0, pair, tree, matrix, targets, must_open };
            tree.nodes().for_each(|node| extractor.node(node, vocab, &mut rules));
        }
    }

    fn forest(
        &self,
        input: &ForestInput<'_>,
        estimates: &mut dyn Estimates,
        chart: &mut Chart,
        forest: &mut Forest,
    ) {
        apply::fill(&self.0, input, estimates, chart, forest);
    }
}

/// A part of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Site {
    Variable(NodeId),
    Word(WordIx),
}

/// A fragment on its way from left to right: what is still to be done, what was done.
#[derive(Debug, Clone, Default)]
struct Draft {
    pending: Vec<Next>,
    sites: Vec<Site>,
    brackets: Brackets,
    /// How many nodes it opens at least, what is still to be done included.
    size: usize,
}

/// What comes next in a fragment, the first of it last.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// A node, so many levels below the top.
    Node(NodeId, usize),
    Word(WordIx),
    Close,
}

/// The brackets of a fragment, `#` for each part.
#[derive(Debug, Clone, Default)]
struct Brackets(String);

impl Brackets {
    fn open(&mut self, label: &str) {
        self.space();
        self.0.push('(');
        self.0.push_str(label);
    }

    fn part(&mut self) {
        self.space();
        self.0.push_str(PART);
    }

    fn close(&mut self) {
        self.0.push(')');
    }

    fn space(&mut self) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
    }
}

impl Draft {
    /// Opens a node: its children come next.
    fn expand(&mut self, tree: &ConTree, node: NodeId, depth: usize) {
        self.brackets.open(label(tree, node));
        self.pending.push(Next::Close);
        self.pending.extend(tree.children(node).iter().rev().map(|child| match *child {
            Child::Node(child) => Next::Node(child, depth + 1),
            Child::Word(word) => Next::Word(word),
        }));
    }
}

/// A node's label as rules have it: no grammatical function, and no blank, which would part it in files.
fn label(tree: &ConTree, node: NodeId) -> &str {
    let label = crate::dep2str::category(tree.label(node));
    if label.is_empty() { "-" } else { label }
}

struct Extractor<'a> {
    options: &'a FragmentOptions,
    pair: &'a Pair<'a>,
    tree: &'a ConTree,
    matrix: Matrix<'a>,
    /// By node, the target words of a frontier node.
    targets: Vec<Option<Span>>,
    /// By node, what a fragment that opens it must open at least.
    must_open: Vec<Opened>,
}

/// How many nodes are opened, and how many levels of them.
#[derive(Debug, Clone, Copy, Default)]
struct Opened {
    nodes: usize,
    levels: usize,
}

impl Opened {
    /// By node: itself, and what is below it down to the next nodes that can be variables.
    fn of(tree: &ConTree, targets: &[Option<Span>]) -> Vec<Self> {
        let mut must_open = vec![Self { nodes: 1, levels: 1 }; targets.len()];
        // Nodes are numbered in pre-order, so that children come before their parents here.
        for node in tree.nodes().rev() {
            for child in tree.children(node) {
                if let Child::Node(child) = *child
                    && targets[child.ix()].is_none()
                {
                    let below = must_open[child.ix()];
                    let all = &mut must_open[node.ix()];
                    all.nodes += below.nodes;
                    all.levels = all.levels.max(below.levels + 1);
                }
            }
        }
        must_open
    }
}

impl Extractor<'_> {
    /// Hands on the rules of a frontier node.
    fn node(&self, node: NodeId, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let Some(target) = self.targets[node.ix()] else { return };
        let (fragments, cut) = self.fragments(node);
        if cut {
            rules.cut();
        }
        for fragment in fragments.iter().filter(|fragment| fragment.sites.len() <= MAX_PARTS) {
            self.rule(fragment, target, vocab, rules);
        }
    }

    /// The fragments below a frontier node, those that open fewer nodes first, and whether there are more than the limit.
    fn fragments(&self, top: NodeId) -> (Vec<Draft>, bool) {
        let must = self.must_open[top.ix()];
        if must.levels > self.options.max_height {
            return (Vec::new(), false);
        }
        let mut first = Draft { size: must.nodes, ..Draft::default() };
        first.expand(self.tree, top, 0);
        let (mut drafts, mut found) = (Agenda::new(first), Vec::new());
        while let Some(mut draft) = drafts.pop() {
            match draft.pending.pop() {
                None if found.len() == self.options.max_fragments => return (found, true),
                None => found.push(draft),
                Some(Next::Close) => {
                    draft.brackets.close();
                    drafts.push(draft.size, draft);
                }
                Some(Next::Word(word)) => {
                    draft.sites.push(Site::Word(word));
                    draft.brackets.part();
                    drafts.push(draft.size, draft);
                }
                Some(Next::Node(node, depth)) => self.choose(draft, node, depth, &mut drafts),
            }
        }
        (found, false)
    }

    /// Leaves the next node of a draft closed as a variable, and opens it; what can be no variable must be opened.
    fn choose(&self, draft: Draft, node: NodeId, depth: usize, drafts: &mut Agenda<Draft>) {
        let (closes, must) = (self.targets[node.ix()].is_some(), self.must_open[node.ix()]);
        if !closes || depth + must.levels <= self.options.max_height {
            let mut deeper = draft.clone();
            deeper.expand(self.tree, node, depth);
            deeper.size += if closes { must.nodes } else { 0 };
            drafts.push(deeper.size, deeper);
        }
        if closes {
            let mut draft = draft;
            draft.sites.push(Site::Variable(node));
            draft.brackets.part();
            drafts.push(draft.size, draft);
        }
    }

    fn rule(&self, fragment: &Draft, target: Span, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let (mut source, mut pieces, mut variables) = (Vec::new(), Vec::new(), 0);
        for site in &fragment.sites {
            match *site {
                Site::Variable(node) => {
                    source.push(Symbol::var(vocab.intern(label(self.tree, node))));
                    let piece = |span| Piece { span, variable: Some(variables) };
                    pieces.extend(self.targets[node.ix()].map(piece));
                    variables += 1;
                }
                Site::Word(word) => source.push(self.pair.source[word.ix()]),
            }
        }
        let words = || {
            fragment.sites.iter().enumerate().filter_map(|(at, site)| match site {
                Site::Word(word) => Some((at as u8, word.0)),
                Site::Variable(_) => None,
            })
        };
        let linked = words().flat_map(|(_, word)| self.matrix.of_source(word)).map(|link| link.tgt);
        pieces.extend(linked.map(|at| Piece { span: Span::new(at, at + 1), variable: None }));
        pieces.sort_by_key(|piece| piece.span);
        pieces.dedup();
        source.push(Symbol::label(vocab.intern(&fragment.brackets.0)));
        source.push(Symbol::mark(FRAGMENT));
        let sides = Sides { matrix: &self.matrix, words: self.pair.target, target, pieces: &pieces };
        let variants = sides.variants(self.options.max_variants);
        let count = 1.0 / variants.len() as f32;
        for side in &variants {
            let links = side.links(&self.matrix, words());
            let (source, target, links) = (&source[..], &side.symbols[..], &links[..]);
            rules.rule(Instance { source, target, links, count, orientation: None, origin: 0 });
        }
    }
}
