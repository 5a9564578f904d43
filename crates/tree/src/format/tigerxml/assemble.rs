//! From the elements of one `<s>`, which refer to each other by id in any order, to a checked [`Sentence`].

use super::{Attributes, Element, Graph, SecEdge, Sentence, TOP, Target};
use crate::arena::{Text, TextArena};
use crate::con::{self, ConBuilder};
use crate::error::{Error, Result};
use crate::index::{NodeId, Span, WordIx};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use treeglot_text::Place;

/// A terminal or nonterminal, by its position among its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Terminal(usize),
    Nonterminal(usize),
}

pub(super) struct Terminal {
    pub(super) id: Box<str>,
    pub(super) form: Text,
    pub(super) lemma: Text,
    pub(super) morph: Text,
    pub(super) pos: Option<Text>,
    pub(super) attrs: Attributes,
    pub(super) graph: usize,
    pub(super) line: u64,
}

pub(super) struct Nonterminal {
    pub(super) id: Box<str>,
    pub(super) cat: Text,
    pub(super) attrs: Attributes,
    pub(super) graph: usize,
    pub(super) line: u64,
    pub(super) children: usize,
}

pub(super) struct Edge {
    pub(super) parent: usize,
    pub(super) child: Text,
    pub(super) label: Text,
    pub(super) line: u64,
}

pub(super) struct Secondary {
    pub(super) from: Kind,
    pub(super) to: Text,
    pub(super) label: Box<str>,
    pub(super) line: u64,
}

struct DraftGraph {
    root: Option<Box<str>>,
    attrs: Attributes,
    line: u64,
}

/// A sentence as its elements were read.
pub(super) struct Draft {
    id: String,
    subcorpus: Vec<Arc<str>>,
    attrs: Attributes,
    place: Place,
    pub(super) text: TextArena,
    pub(super) terminals: Vec<Terminal>,
    pub(super) nonterminals: Vec<Nonterminal>,
    pub(super) edges: Vec<Edge>,
    pub(super) secondary: Vec<Secondary>,
    graphs: Vec<DraftGraph>,
}

/// The parent of a terminal or nonterminal, and the label of the edge from it.
type Above = Option<(usize, Text)>;

impl Draft {
    /// A sentence without elements, opened at `place`.
    pub(super) fn new(id: &str, subcorpus: &[Arc<str>], attrs: Attributes, place: Place) -> Self {
        Self {
            id: id.to_string(),
            subcorpus: subcorpus.to_vec(),
            attrs,
            place,
            text: TextArena::default(),
            terminals: Vec::new(),
            nonterminals: Vec::new(),
            edges: Vec::new(),
            secondary: Vec::new(),
            graphs: Vec::new(),
        }
    }

    pub(super) fn start_graph(&mut self, root: Option<&str>, attrs: Attributes, line: u64) {
        self.graphs.push(DraftGraph { root: root.map(Box::from), attrs, line });
    }

    /// The graph being read.
    pub(super) fn graph(&self) -> usize {
        self.graphs.len() - 1
    }

    pub(super) fn finish(self) -> Result<Sentence> {
        let kinds = self.kinds()?;
        let (above_t, above_n) = self.parents(&kinds)?;
        let tops = above_t.iter().chain(&above_n).filter(|a| a.is_none()).count();
        let added_top = tops > 1;
        let (tree, numbers) = match self.terminals.is_empty() && self.nonterminals.is_empty() {
            true => (None, Vec::new()),
            false => {
                let built = self.build(&above_t, &above_n, added_top);
                let (tree, numbers) = built
                    .finish_with_numbers()
                    .map_err(|why| Error::Invalid { place: self.place.clone(), why })?;
                (Some(tree), numbers)
            }
        };
        let target = |kind: Kind| match kind {
            Kind::Terminal(t) => Target::Word(t.into()),
            Kind::Nonterminal(n) => Target::Node(numbers[n + usize::from(added_top)]),
        };
        let graphs = self.finish_graphs(&kinds, target)?;
        let secedges = self.finish_secedges(&kinds, target)?;
        let mut nodes = vec![Element::default(); tree.as_ref().map_or(0, con::ConTree::node_count)];
        for (n, nt) in self.nonterminals.into_iter().enumerate() {
            let NodeId(number) = numbers[n + usize::from(added_top)];
            nodes[number as usize] = Element { id: Some(nt.id), attrs: nt.attrs };
        }
        let words = self.terminals.into_iter().map(|t| Element { id: Some(t.id), attrs: t.attrs }).collect();
        let mut sentence = Sentence {
            id: self.id,
            subcorpus: self.subcorpus,
            attrs: self.attrs,
            tree,
            added_top,
            graphs,
            words,
            nodes,
            secedges,
            by_id: Vec::new(),
        };
        sentence.sort_ids();
        Ok(sentence)
    }

    /// What each id names; an id given twice is an error.
    fn kinds(&self) -> Result<FxHashMap<&str, Kind>> {
        let terminals = self.terminals.iter().enumerate().map(|(t, e)| (&*e.id, Kind::Terminal(t), e.line));
        let nonterminals =
            self.nonterminals.iter().enumerate().map(|(n, e)| (&*e.id, Kind::Nonterminal(n), e.line));
        let mut kinds = FxHashMap::default();
        for (id, kind, line) in terminals.chain(nonterminals) {
            if kinds.insert(id, kind).is_some() {
                return Err(self.malformed(line, format!("the id `{id}` is given twice in one sentence")));
            }
        }
        Ok(kinds)
    }

    fn parents(&self, kinds: &FxHashMap<&str, Kind>) -> Result<(Vec<Above>, Vec<Above>)> {
        let mut above_t: Vec<Above> = vec![None; self.terminals.len()];
        let mut above_n: Vec<Above> = vec![None; self.nonterminals.len()];
        for edge in &self.edges {
            let child = self.text.get(edge.child);
            let graph = self.nonterminals[edge.parent].graph;
            let (above, in_graph) = match kinds.get(child) {
                Some(&Kind::Terminal(t)) => (&mut above_t[t], self.terminals[t].graph == graph),
                Some(&Kind::Nonterminal(n)) => (&mut above_n[n], self.nonterminals[n].graph == graph),
                None => return Err(self.unknown(edge.line, child)),
            };
            if !in_graph {
                return Err(self.malformed(edge.line, format!("`{child}` belongs to another graph")));
            }
            if let Some((first, _)) = above.replace((edge.parent, edge.label)) {
                let (first, second) = (&self.nonterminals[first].id, &self.nonterminals[edge.parent].id);
                return Err(self.malformed(
                    edge.line,
                    format!(
                        "`{child}` has two parents, `{first}` and `{second}`; a second one needs a <secedge>"
                    ),
                ));
            }
        }
        Ok((above_t, above_n))
    }

    /// The tree's draft: an added top, if any, then the nonterminals in their order, then preterminals.
    fn build(&self, above_t: &[Above], above_n: &[Above], added_top: bool) -> ConBuilder {
        let mut builder = ConBuilder::default();
        let top = added_top.then(|| builder.node(TOP, None));
        let drafts: Vec<con::Draft> =
            self.nonterminals.iter().map(|n| builder.node(self.text.get(n.cat), top)).collect();
        for (n, above) in above_n.iter().enumerate() {
            if let Some((parent, label)) = *above {
                builder.set_parent(drafts[n], Some(drafts[parent]));
                builder.set_edge(drafts[n], self.text.get(label));
            }
        }
        for (terminal, above) in self.terminals.iter().zip(above_t) {
            let label = above.map_or("", |(_, label)| self.text.get(label));
            let parent = above.map(|(parent, _)| drafts[parent]).or(top);
            let alone = above.is_some_and(|(parent, _)| self.nonterminals[parent].children == 1);
            let bare = terminal.pos.is_none() && label.is_empty() && !alone;
            let below = match parent.filter(|_| bare) {
                Some(parent) => parent,
                None => {
                    let pos = terminal.pos.map_or("", |pos| self.text.get(pos));
                    let preterminal = builder.node(pos, parent);
                    builder.set_edge(preterminal, label);
                    preterminal
                }
            };
            let [form, lemma, morph] =
                [terminal.form, terminal.lemma, terminal.morph].map(|t| self.text.get(t));
            builder.word_with(form, lemma, morph, below);
        }
        builder
    }

    fn finish_graphs(
        &self,
        kinds: &FxHashMap<&str, Kind>,
        target: impl Fn(Kind) -> Target,
    ) -> Result<Vec<Graph>> {
        let mut end = 0;
        let mut graphs = Vec::with_capacity(self.graphs.len());
        for (g, graph) in self.graphs.iter().enumerate() {
            let start = end;
            end += self.terminals[start..].iter().take_while(|t| t.graph == g).count();
            let words = Span::new(WordIx::from(start).0, WordIx::from(end).0);
            let root = match &graph.root {
                None => None,
                Some(id) => match kinds.get(&**id) {
                    Some(&kind) => Some(target(kind)),
                    None => return Err(self.unknown(graph.line, id)),
                },
            };
            graphs.push(Graph { root, words, attrs: graph.attrs.clone() });
        }
        Ok(graphs)
    }

    fn finish_secedges(
        &self,
        kinds: &FxHashMap<&str, Kind>,
        target: impl Fn(Kind) -> Target,
    ) -> Result<Vec<SecEdge>> {
        let mut secedges = Vec::with_capacity(self.secondary.len());
        for edge in &self.secondary {
            let id = self.text.get(edge.to);
            let &to = kinds.get(id).ok_or_else(|| self.unknown(edge.line, id))?;
            secedges.push(SecEdge { from: target(edge.from), to: target(to), label: edge.label.clone() });
        }
        secedges.sort_by_key(|e| e.from);
        Ok(secedges)
    }

    fn unknown(&self, line: u64, id: &str) -> Error {
        self.malformed(line, format!("the sentence `{}` has no terminal or nonterminal `{id}`", self.id))
    }

    fn malformed(&self, line: u64, message: String) -> Error {
        let place = Place { name: self.place.name.clone(), line };
        treeglot_text::Error::Malformed { place, message }.into()
    }
}
