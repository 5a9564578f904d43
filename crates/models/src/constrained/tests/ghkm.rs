//! The limits `ghkm` against the definition that Moses' extraction of GHKM rules follows, tried on graphs of a few words: a node for
//! each subtree, one for each word with dependents, words of both sides, and every set of nodes as variables.

use super::*;

/// A node of the graph of tree, words and links.
#[derive(Clone, Default)]
struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
    /// The word of the tree, if it is one.
    word: Option<u32>,
    /// The top of the subtree, if it is one.
    subtree: Option<WordIx>,
    /// The positions of the other side below, one bit each.
    span: u32,
    outside: u32,
}

/// The graph, its nodes from the root downwards.
struct Graph {
    nodes: Vec<Node>,
}

impl Graph {
    fn new(tree: &DepTree, links: &[(u32, u32)], others: u32) -> Self {
        let mut graph = Self { nodes: Vec::new() };
        let root = tree.words().find(|&w| tree.head(w).is_none()).unwrap();
        let mut leaves = vec![0; tree.len()];
        graph.grow(tree, root, None, &mut leaves);
        let mut attached: Vec<Vec<usize>> = (0..others)
            .map(|other| links.iter().filter(|l| l.1 == other).map(|l| leaves[l.0 as usize]).collect())
            .collect();
        for other in 0..others as usize {
            if attached[other].is_empty() {
                let left = attached[..other].iter().rev().find(|above| !above.is_empty());
                let right = attached[other + 1..].iter().find(|above| !above.is_empty());
                let point = match (left, right) {
                    (Some(left), Some(right)) => graph.lowest_above(left.iter().chain(right)),
                    _ => 0,
                };
                graph.nodes[point].children.push(usize::MAX);
                attached[other] = vec![point];
            }
            for &above in &attached[other] {
                let mut node = Some(above);
                while let Some(at) = node {
                    graph.nodes[at].span |= 1 << other;
                    node = graph.nodes[at].parent;
                }
            }
        }
        let direct = |at: usize| attached.iter().enumerate().filter(move |(_, above)| above.contains(&at));
        for at in 1..graph.nodes.len() {
            let parent = graph.nodes[at].parent.unwrap();
            let siblings =
                graph.nodes[parent].children.iter().filter(|&&child| child != at && child != usize::MAX);
            let mut outside = graph.nodes[parent].outside;
            outside |= siblings.fold(0, |all, &child| all | graph.nodes[child].span);
            outside |= direct(parent).fold(0, |all, (other, _)| all | 1 << other);
            graph.nodes[at].outside = outside;
        }
        graph
    }

    fn grow(&mut self, tree: &DepTree, word: WordIx, parent: Option<usize>, leaves: &mut [usize]) {
        let top = self.add(parent, Node { subtree: Some(word), ..Node::default() });
        let over = if tree.dependents(word).is_empty() { top } else { self.add(Some(top), Node::default()) };
        leaves[word.ix()] = self.add(Some(over), Node { word: Some(word.0), ..Node::default() });
        for &dependent in tree.dependents(word) {
            self.grow(tree, dependent, Some(top), leaves);
        }
    }

    fn add(&mut self, parent: Option<usize>, node: Node) -> usize {
        self.nodes.push(Node { parent, ..node });
        let number = self.nodes.len() - 1;
        if let Some(parent) = parent {
            self.nodes[parent].children.push(number);
        }
        number
    }

    fn path(&self, node: usize) -> Vec<usize> {
        std::iter::successors(Some(node), |&at| self.nodes[at].parent).collect()
    }

    /// The lowest node above all of these that is no word.
    fn lowest_above<'n>(&self, nodes: impl Iterator<Item = &'n usize>) -> usize {
        let paths: Vec<Vec<usize>> = nodes.map(|&node| self.path(node)).collect();
        let common =
            |at: &&usize| self.nodes[**at].word.is_none() && paths.iter().all(|path| path.contains(at));
        *paths[0].iter().find(common).unwrap()
    }

    fn closure(&self, node: usize) -> Span {
        let span = self.nodes[node].span;
        Span::new(span.trailing_zeros(), 32 - span.leading_zeros())
    }

    fn is_frontier(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        let free = |span: Span| (span.start..span.end).all(|other| node.outside >> other & 1 == 0);
        node.word.is_none()
            && node.span != 0
            && free(self.closure(at))
            && node.parent.is_none_or(|parent| self.nodes[parent].span != node.span)
    }

    fn below(&self, top: usize, node: usize) -> bool {
        node != top && self.path(node).contains(&top)
    }

    /// Whether the variables make a rule over `top` within 2 levels, 2 inner nodes, `nodes` nodes, or a minimal one.
    fn allows(&self, top: usize, variables: &[usize], [nodes, size, depth]: [usize; 3]) -> bool {
        let kept = |at: &usize| {
            (*at == top || self.below(top, *at)) && !variables.iter().any(|&v| v == *at || self.below(v, *at))
        };
        let kept: Vec<usize> = (0..self.nodes.len()).filter(kept).collect();
        let frontier_kept = kept.iter().any(|&at| at != top && self.is_frontier(at));
        let preterminal = |at: usize| matches!(self.nodes[at].children[..], [only] if only != usize::MAX && self.nodes[only].word.is_some());
        let trees: Vec<usize> = kept.into_iter().filter(|&at| self.nodes[at].word.is_none()).collect();
        let inner: Vec<usize> = trees.iter().copied().filter(|&at| !preterminal(at)).collect();
        let level = |at: usize| self.path(at).len() - self.path(top).len() + 1;
        let levels = inner.iter().map(|&at| level(at)).max().unwrap_or(0);
        !frontier_kept || (trees.len() + variables.len() <= nodes && inner.len() <= size && levels <= depth)
    }

    fn scope(&self, top: usize, variables: &[usize]) -> usize {
        let mut spans: Vec<Span> = variables.iter().map(|&at| self.closure(at)).collect();
        spans.sort_unstable_by_key(|span| span.start);
        let whole = self.closure(top);
        let ends =
            usize::from(spans[0].start == whole.start) + usize::from(spans[spans.len() - 1].end == whole.end);
        ends + spans.windows(2).filter(|pair| pair[0].end == pair[1].start).count()
    }

    /// All rules whose variables are subtrees.
    fn rules(&self, tree: &DepTree, limits: [usize; 3], scope: usize) -> Vec<(SpanPair, Vec<SpanPair>)> {
        let frontier: Vec<usize> = (0..self.nodes.len()).filter(|&at| self.is_frontier(at)).collect();
        let spans = |at: usize| SpanPair {
            source: tree.span(self.nodes[at].subtree.unwrap()).unwrap(),
            target: self.closure(at),
        };
        let mut rules = Vec::new();
        for (&top, set) in
            frontier.iter().flat_map(|top| (1u32..1 << frontier.len()).map(move |set| (top, set)))
        {
            let chosen: Vec<usize> =
                (0..frontier.len()).filter(|k| set >> k & 1 == 1).map(|k| frontier[k]).collect();
            let apart =
                chosen.iter().all(|&a| self.below(top, a) && chosen.iter().all(|&b| !self.below(a, b)));
            let subtrees = chosen.iter().chain([&top]).all(|&at| self.nodes[at].subtree.is_some());
            if apart && subtrees && self.scope(top, &chosen) <= scope && self.allows(top, &chosen, limits) {
                rules.push((spans(top), chosen.iter().map(|&at| spans(at)).collect()));
            }
        }
        rules
    }
}

/// A random tree whose subtrees are contiguous: words in the order of a walk in which each stands somewhere among its dependents.
fn projective(order: &[usize], choices: &[usize]) -> DepTree {
    fn walk(heads: &[Option<usize>], top: usize, out: &mut Vec<usize>) {
        let below = |w: &usize| heads[*w] == Some(top);
        (0..top).filter(below).for_each(|w| walk(heads, w, out));
        out.push(top);
        (top..heads.len()).filter(below).for_each(|w| walk(heads, w, out));
    }
    let any: Vec<Option<usize>> =
        heads(order, choices).into_iter().map(|head| head.map(|h| h.ix())).collect();
    let mut walked = Vec::new();
    walk(&any, order[0], &mut walked);
    let place = |word: usize| walked.iter().position(|&w| w == word).unwrap();
    let heads = walked.iter().map(|&w| any[w].map(|head| WordIx::from(place(head)))).collect();
    DepTree::new(heads, Roots::One).unwrap()
}

proptest! {
    #[test]
    fn ghkm_limits_give_the_rules_that_moses_gives(
        order in Just((0..5usize).collect::<Vec<_>>()).prop_shuffle(),
        choices in prop::collection::vec(0usize..5, 5),
        mut links in prop::collection::vec((0u32..5, 0u32..6), 1..8),
        target_side: bool,
        limits in (4usize..9, 1usize..4, 1usize..4),
        scope in 1usize..5,
    ) {
        links.sort_unstable();
        links.dedup();
        let tree = projective(&order, &choices);
        let expected = Graph::new(&tree, &links, 6).rules(&tree, limits.into(), scope);
        let mut cells: Vec<Link> =
            links.iter().map(|&(w, other)| if target_side { Link::new(other, w) } else { Link::new(w, other) }).collect();
        cells.sort_unstable();
        let invert = |spans: SpanPair| SpanPair { source: spans.target, target: spans.source };
        let expected: Vec<(SpanPair, Vec<SpanPair>)> = expected
            .into_iter()
            .map(|(top, holes)| if target_side { (invert(top), holes.into_iter().map(invert).collect()) } else { (top, holes) })
            .collect();
        let (source, target) = if target_side { (6, 5) } else { (5, 6) };
        let mut pair = Sentences::numbered(source, target, &cells);
        let expected = pair.lines_of(&expected);
        let side = if target_side { Side::Target } else { Side::Source };
        let options = ConstrainedOptions {
            side,
            max_nodes: Some(limits.0 as u32),
            max_size: Some(limits.1 as u32),
            max_depth: Some(limits.2 as u32),
            max_scope: Some(scope as u32),
            ..ConstrainedOptions::default()
        };
        let found = pair.with(|pair, vocab, batch| {
            let parsed = [ParsedTree::Dependency(tree.clone(), Vec::new())];
            let side_of = if target_side { text::Side::Target } else { text::Side::Source };
            let mut trees = pair.trees;
            trees[(side_of, TreeKind::Dependency)] = &parsed;
            let pair = Pair { trees, ..*pair };
            let matrix = Matrix::new(&cells, source as usize, target as usize);
            let sites = Sites::new(&pair, &matrix, side, true).unwrap();
            let mut rules = Rules::new(&pair, &matrix, vocab);
            assert_eq!(add_rules(&sites, &options.tree_limits(), false, &mut rules), 0);
            rules.hand_on(batch);
        });
        let sorted = |mut lines: Vec<String>| { lines.sort(); lines };
        prop_assert_eq!(sorted(crate::testing::lines(&found)), sorted(expected));
    }
}
