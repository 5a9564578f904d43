use super::*;
use proptest::prelude::*;

/// Hyperarcs by node, each with its tails and its score.
#[derive(Debug, Clone)]
struct Graph {
    nodes: Vec<std::ops::Range<u32>>,
    arcs: Vec<(Vec<u32>, f64)>,
}

impl Hypergraph for Graph {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
        self.nodes[node as usize].clone()
    }

    fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
        self.arcs[arc as usize].0.iter().copied()
    }
}

impl Weighted for Graph {
    fn weight(&self, arc: u32) -> f64 {
        self.arcs[arc as usize].1
    }
}

impl Graph {
    fn new(nodes: &[Vec<(Vec<u32>, f64)>]) -> Self {
        let mut graph = Self { nodes: Vec::new(), arcs: Vec::new() };
        for arcs in nodes {
            let start = graph.arcs.len() as u32;
            graph.arcs.extend(arcs.iter().cloned());
            graph.nodes.push(start..graph.arcs.len() as u32);
        }
        graph
    }

    /// All derivations of a node: their scores and the hyperarcs they use.
    fn all(&self, node: u32) -> Vec<(f64, Vec<u32>)> {
        let mut found = Vec::new();
        for arc in self.arcs(node) {
            let mut partial = vec![(self.weight(arc), vec![arc])];
            for tail in self.tails(arc) {
                let below = self.all(tail);
                let joined = |(score, arcs): &(f64, Vec<u32>)| {
                    let with = |(more, others): &(f64, Vec<u32>)| {
                        (score + more, arcs.iter().chain(others).copied().collect())
                    };
                    below.iter().map(with).collect::<Vec<_>>()
                };
                partial = partial.iter().flat_map(joined).collect();
            }
            found.extend(partial);
        }
        found
    }
}

fn graphs() -> impl Strategy<Value = Graph> {
    let arc = (prop::collection::vec(0u32..100, 0..3), -4i8..0);
    prop::collection::vec(prop::collection::vec(arc, 1..3), 1..6).prop_map(|nodes| {
        let tied = |(at, arcs): (usize, Vec<(Vec<u32>, i8)>)| -> Vec<(Vec<u32>, f64)> {
            let below = |tails: Vec<u32>| match at {
                0 => Vec::new(),
                _ => tails.into_iter().map(|tail| tail % at as u32).collect(),
            };
            arcs.into_iter().map(|(tails, score)| (below(tails), f64::from(score) / 2.0)).collect()
        };
        Graph::new(&nodes.into_iter().enumerate().map(tied).collect::<Vec<_>>())
    })
}

proptest! {
    #[test]
    fn derivations_come_in_order_and_all_of_them(graph in graphs()) {
        let goal = graph.node_count() as u32 - 1;
        prop_assume!(derivation_counts(&graph)[goal as usize] < 2000);
        let mut expected: Vec<f64> = graph.all(goal).iter().map(|(score, _)| *score).collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        let viterbi = Viterbi::new(&graph);
        let mut best = KBest::new(&viterbi);
        let found: Vec<f64> = (0..).map_while(|rank| best.get(goal, rank).map(|found| found.score)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn distinct_strings_are_those_of_all_derivations(graph in graphs()) {
        let goal = graph.node_count() as u32 - 1;
        prop_assume!(derivation_counts(&graph)[goal as usize] < 2000);
        // The string of a derivation is the halves of its hyperarcs' scores, before those of their tails.
        let word = |arc: u32| (graph.weight(arc) * -2.0) as u64 / 2;
        let mut strings: std::collections::BTreeMap<Vec<u64>, f64> = Default::default();
        for (score, arcs) in graph.all(goal) {
            let known = strings.entry(arcs.iter().map(|&arc| word(arc)).collect()).or_insert(score);
            *known = known.max(score);
        }
        let mut expected: Vec<f64> = strings.into_values().collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        let viterbi = Viterbi::new(&graph);
        let mut words = |arc: u32, items: &mut Vec<YieldItem>| {
            items.push(YieldItem::Words(Yield::word(word(arc))));
            items.extend((0..graph.tails(arc).count() as u8).map(YieldItem::Tail));
        };
        let mut best = KBest::distinct(&viterbi, &mut words);
        let found: Vec<f64> = (0..).map_while(|rank| best.get(goal, rank).map(|found| found.score)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn sums_are_those_over_all_derivations(graph in graphs()) {
        let goal = graph.node_count() as u32 - 1;
        prop_assume!(derivation_counts(&graph)[goal as usize] < 2000);
        let all = graph.all(goal);
        prop_assert_eq!(derivation_counts(&graph)[goal as usize], all.len() as u128);
        let inside = inside(&graph);
        let total: f64 = all.iter().map(|(score, _)| score.exp()).sum();
        prop_assert!((inside[goal as usize] - total.ln()).abs() < 1e-9);
        let outside = outside(&graph, &inside, goal);
        let viterbi = Viterbi::new(&graph);
        let max_outside = max_outside(&viterbi, goal, 0.0);
        for node in 0..=goal {
            for arc in graph.arcs(node) {
                // How often derivations use a hyperarc, by their probabilities, and the best of those that do.
                let uses = |arcs: &[u32]| arcs.iter().filter(|&&used| used == arc).count() as f64;
                let expected: f64 = all.iter().map(|(score, arcs)| score.exp() * uses(arcs)).sum();
                let below: f64 = graph.tails(arc).map(|tail| inside[tail as usize]).sum();
                let found = (outside[node as usize] + graph.weight(arc) + below).exp();
                prop_assert!((found - expected).abs() < 1e-9 * (1.0 + expected));
                let with = all.iter().filter(|(_, arcs)| arcs.contains(&arc));
                let best = with.map(|(score, _)| *score).fold(f64::NEG_INFINITY, f64::max);
                let found = max_outside[node as usize] + viterbi.best(arc);
                prop_assert!(found == best || (found - best).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_chain_of_a_million_nodes_needs_no_stack() {
    let node = |at: u32| match at {
        0 => vec![(Vec::new(), -1.0), (Vec::new(), -2.0)],
        _ => vec![(vec![at - 1], -1.0)],
    };
    let graph = Graph::new(&(0..1_000_000).map(node).collect::<Vec<_>>());
    let viterbi = Viterbi::new(&graph);
    let mut best = KBest::new(&viterbi);
    let scores: Vec<f64> =
        (0..3).map_while(|rank| best.get(999_999, rank).map(|found| found.score)).collect();
    assert_eq!(scores, [-1_000_000.0, -1_000_001.0]);
}
