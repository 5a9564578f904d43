//! The forest of an input: all that a model's rules can build for it, before any language model looks at it.
//!
//! A *node* is something that can be built over a span. A *hyperarc* builds it from other nodes, its tails, by any rule
//! of a *list*: all rules with one source side. So a hyperarc stands for as many rules as its list has, which the search
//! ranks once and combines with the translations of the tails (a cube, Huang & Chiang 2007, section 3).

use std::ops::Range;
use treeglot_grammar::TrieNode;
use treeglot_tree::Span;

/// A node of a forest: its number, tails before heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub u32);

impl NodeIx {
    /// The number as a slice index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

/// Rules with the same source side: what a hyperarc chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleList {
    /// The rules of a table at a node of its trie.
    Table {
        /// Which of the tables, from 0.
        table: u32,
        /// The node.
        node: TrieNode,
    },
    /// The begin of the sentence: `S` to `<s>`.
    Begin,
    /// The first piece: `S` to `S X` after the begin of the sentence.
    First,
    /// One more piece: `S` to `S X`.
    Glue,
    /// Two neighbours side by side, for nothing.
    Join,
    /// What another node builds, as it is.
    Same,
    /// What rules of a simpler model build, in place of the model's own.
    Backoff,
    /// The end of the sentence: `S` to `S </s>`.
    End,
    /// The source word at this position, copied.
    Copy(u32),
    /// The translations that were given for a span, by number.
    Given(u32),
    /// A source word whose translation stands with another word.
    Silent,
    /// Those rules of a table at a node of its trie that have a given translation in their target side.
    Containing {
        /// Which of the tables, from 0.
        table: u32,
        /// The node.
        node: TrieNode,
        /// The number of what is given.
        given: u32,
    },
}

/// Something that can be built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The source words below it.
    pub span: Span,
    /// Its label: the model's number for it.
    pub label: u32,
    /// What its best derivation is worth, as far as [`Forest::estimated_list`] was told.
    pub estimate: f32,
    edges_end: u32,
}

/// What builds a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The rules it chooses from: a position in [`Forest::lists`].
    pub list: u32,
    tails: u32,
    arity: u32,
    /// Where its positions lie among those of the forest; none for a source side that is a span of the input.
    positions: (u32, u32),
    /// How much of the parses of its node it is a part of, where the input has several: a logarithm.
    pub parse: f32,
}

/// What stands for the variable of this number among the positions of a source side, where others are those of words.
pub fn position_of_variable(number: usize) -> u32 {
    u32::MAX - number as u32
}

/// The number of the variable that a position of a source side is; `None` for the position of a word.
pub fn variable_at(position: u32) -> Option<usize> {
    (position > u32::MAX - 256).then(|| (u32::MAX - position) as usize)
}

/// An arena hypergraph, cleared and filled again for each input.
#[derive(Debug, Clone)]
pub struct Forest {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    tails: Vec<NodeIx>,
    positions: Vec<u32>,
    lists: Vec<RuleList>,
    /// What the best rule of each list is worth.
    estimates: Vec<f32>,
    /// The best estimate of the hyperarcs that wait for their node.
    best: f32,
    names: Vec<String>,
    order: Vec<u32>,
}

impl Default for Forest {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            tails: Vec::new(),
            positions: Vec::new(),
            lists: Vec::new(),
            estimates: Vec::new(),
            best: f32::NEG_INFINITY,
            names: Vec::new(),
            order: Vec::new(),
        }
    }
}

impl Forest {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.tails.clear();
        self.positions.clear();
        self.lists.clear();
        self.estimates.clear();
        self.best = f32::NEG_INFINITY;
        self.names.clear();
        self.order.clear();
    }

    /// Gives a label a name that explanations show; its number, from 1.
    pub fn name(&mut self, label: &str) -> u32 {
        let known = self.names.iter().position(|name| name == label);
        let number = known.unwrap_or_else(|| {
            self.names.push(label.to_string());
            self.names.len() - 1
        });
        number as u32 + 1
    }

    /// The name of a label, if it was given one.
    pub fn name_of(&self, label: u32) -> Option<&str> {
        self.names.get(label.checked_sub(1)? as usize).map(String::as_str)
    }

    /// Tells that spans count the words of the input in another order: its positions, one after the other.
    pub fn set_order(&mut self, order: impl IntoIterator<Item = u32>) {
        self.order.clear();
        self.order.extend(order);
    }

    /// The order in which spans count the words of the input; empty for the order they stand in.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Adds a list of rules; its position.
    pub fn list(&mut self, list: RuleList) -> u32 {
        self.estimated_list(list, 0.0)
    }

    /// The same for a list whose best rule is worth so much.
    pub fn estimated_list(&mut self, list: RuleList, estimate: f32) -> u32 {
        self.lists.push(list);
        self.estimates.push(estimate);
        self.lists.len() as u32 - 1
    }

    /// Takes lists, names and order of another forest over.
    pub(crate) fn copy_frame(&mut self, other: &Self) {
        self.clear();
        self.lists.extend_from_slice(&other.lists);
        self.estimates.extend_from_slice(&other.estimates);
        self.names.extend_from_slice(&other.names);
        self.order.extend_from_slice(&other.order);
    }

    /// Adds a hyperarc of the node that comes next. Its tails are in the order of the source side's variables.
    pub fn edge(&mut self, list: u32, tails: impl IntoIterator<Item = NodeIx>) {
        let start = self.tails.len();
        self.tails.extend(tails);
        let of_tails: f32 = self.tails[start..].iter().map(|&tail| self.estimate(tail)).sum();
        self.best = self.best.max(self.estimates[list as usize] + of_tails);
        let arity = (self.tails.len() - start) as u32;
        self.edges.push(Edge { list, tails: start as u32, arity, positions: (0, 0), parse: 0.0 });
    }

    /// Tells where the symbols of the last hyperarc's source side stand, for one that is no span of the input: positions of
    /// words, and `u32::MAX - k` for variable k.
    pub fn set_positions(&mut self, positions: impl IntoIterator<Item = u32>) {
        let start = self.positions.len() as u32;
        self.positions.extend(positions);
        if let Some(edge) = self.edges.last_mut() {
            edge.positions = (start, self.positions.len() as u32);
        }
    }

    /// Tells the share of the last hyperarc in the parses of its node, as a logarithm.
    pub fn share(&mut self, parse: f32) {
        if let Some(edge) = self.edges.last_mut() {
            edge.parse = parse;
        }
    }

    /// Where the symbols of a hyperarc's source side stand; empty for a span of the input.
    pub fn positions(&self, edge: &Edge) -> &[u32] {
        &self.positions[edge.positions.0 as usize..edge.positions.1 as usize]
    }

    /// Adds the node that the hyperarcs since the last node build. The last node of all is the goal.
    pub fn node(&mut self, span: Span, label: u32) -> NodeIx {
        let estimate = std::mem::replace(&mut self.best, f32::NEG_INFINITY);
        self.nodes.push(Node { span, label, estimate, edges_end: self.edges.len() as u32 });
        NodeIx(self.nodes.len() as u32 - 1)
    }

    /// Whether a hyperarc waits for its node.
    pub fn is_open(&self) -> bool {
        self.edges.len() as u32 > self.nodes.last().map_or(0, |node| node.edges_end)
    }

    /// What the best rule of a list is worth.
    pub fn estimate_of_list(&self, list: u32) -> f32 {
        self.estimates[list as usize]
    }

    /// What the best derivation of a node is worth.
    pub fn estimate(&self, node: NodeIx) -> f32 {
        self.nodes[node.ix()].estimate
    }

    /// The nodes, tails before heads.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The positions of a node's hyperarcs.
    pub fn edges_of(&self, node: NodeIx) -> Range<usize> {
        let start = node.ix().checked_sub(1).map_or(0, |before| self.nodes[before].edges_end);
        start as usize..self.nodes[node.ix()].edges_end as usize
    }

    /// The node that a hyperarc builds.
    pub fn head(&self, edge: usize) -> NodeIx {
        NodeIx(self.nodes.partition_point(|node| node.edges_end as usize <= edge) as u32)
    }

    /// All hyperarcs.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// What a hyperarc builds on.
    pub fn tails(&self, edge: &Edge) -> &[NodeIx] {
        &self.tails[edge.tails as usize..(edge.tails + edge.arity) as usize]
    }

    /// All lists.
    pub fn lists(&self) -> &[RuleList] {
        &self.lists
    }

    /// The node that stands for the whole input; `None` for an empty forest.
    pub fn goal(&self) -> Option<NodeIx> {
        (self.nodes.len() as u32).checked_sub(1).map(NodeIx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_belong_to_the_node_added_after_them() {
        let mut forest = Forest::default();
        let list = forest.list(RuleList::Copy(0));
        forest.edge(list, []);
        let leaf = forest.node(Span::new(0, 1), 0);
        let glue = forest.list(RuleList::Glue);
        forest.edge(glue, [leaf]);
        forest.edge(glue, [leaf, leaf]);
        assert!(forest.is_open());
        let top = forest.node(Span::new(0, 1), 1);
        assert!(!forest.is_open());
        assert_eq!((forest.edges_of(leaf), forest.edges_of(top)), (0..1, 1..3));
        assert_eq!(forest.tails(&forest.edges()[2]), [leaf, leaf]);
        assert_eq!(forest.goal(), Some(top));
    }
}
