//! The checking step of Wu et al. 2012, section 2.4: from a graph of word arcs to one head for each word.
//!
//! Words are taken from left to right. Of several heads a word keeps the one whose deletion from the graph, as
//! decided so far, would cut most words from the root; on a tie the longest arc, then the leftmost head. Words
//! without any head go to the root afterwards. The root's own arcs are dropped first. Cycles stay: such a result is
//! illegal as a tree, but its acyclic parts can still be used.

use super::Report;
use crate::index::WordIx;
use rustc_hash::FxHashSet;

/// A word arc: `dependent` depends on `head`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The word below.
    pub dependent: WordIx,
    /// The word above.
    pub head: WordIx,
    /// What the dependent is to the head.
    pub label: String,
}

/// What the checking step decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// For each word the number of the arc that gives its head; `None` for the root and for words that had no arc,
    /// which hang from the root.
    pub kept: Vec<Option<usize>>,
    /// What it took.
    pub report: Report,
}

/// Leaves each of `words` words one head. Arcs from a word to itself say nothing and are passed over, as are repeated
/// arcs.
///
/// # Panics
/// When the root or an arc lies beyond the sentence.
pub fn one_head_each(words: usize, root: WordIx, graph: &[Dependency]) -> Checked {
    let mut heads = arcs_up(words, graph);
    let mut report = Report { dropped: std::mem::take(&mut heads[root.ix()]).len(), ..Report::default() };
    for word in (0..words).map(WordIx::from) {
        if heads[word.ix()].len() < 2 {
            continue;
        }
        let kept = choose(word, root, &heads, graph);
        report.dropped += heads[word.ix()].len() - 1;
        heads[word.ix()] = vec![kept];
    }
    let kept: Vec<Option<usize>> = heads.iter().map(|arcs| arcs.first().copied()).collect();
    report.attached = kept.iter().filter(|k| k.is_none()).count() - 1;
    report.illegal = has_cycle(&kept, graph);
    Checked { kept, report }
}

/// The word to take for the root when nobody says: of the words without a head (or of all, when each has one) the one
/// that most words depend on, directly or through others; the first of several. `None` without words.
pub fn likely_root(words: usize, graph: &[Dependency]) -> Option<WordIx> {
    let heads = arcs_up(words, graph);
    let below = arcs_down(words, graph);
    let headless: Vec<usize> = (0..words).filter(|&w| heads[w].is_empty()).collect();
    let candidates = if headless.is_empty() { (0..words).collect() } else { headless };
    let size = |&w: &usize| reach(w, words, |v| below[v].iter().copied()).iter().filter(|&&r| r).count();
    candidates.into_iter().rev().max_by_key(size).map(WordIx::from)
}

/// For each word the numbers of its arcs upwards.
fn arcs_up(words: usize, graph: &[Dependency]) -> Vec<Vec<usize>> {
    let mut heads: Vec<Vec<usize>> = vec![Vec::new(); words];
    let mut seen = FxHashSet::default();
    for (a, arc) in graph.iter().enumerate() {
        assert!(arc.head.ix() < words, "an arc stays within its sentence");
        if arc.dependent != arc.head && seen.insert((arc.dependent, arc.head)) {
            heads[arc.dependent.ix()].push(a);
        }
    }
    heads
}

/// For each word the words right below it.
fn arcs_down(words: usize, graph: &[Dependency]) -> Vec<Vec<usize>> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); words];
    for arc in graph {
        below[arc.head.ix()].push(arc.dependent.ix());
    }
    below
}

/// The arc that `word` keeps. Deleting an arc of a word with several cuts words off only when no other of its arcs
/// leads to the root, so that at most one arc cuts any; else all are tied at none.
fn choose(word: WordIx, root: WordIx, heads: &[Vec<usize>], graph: &[Dependency]) -> usize {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); heads.len()];
    for (w, arcs) in heads.iter().enumerate().filter(|(w, _)| *w != word.ix()) {
        for &a in arcs {
            below[graph[a].head.ix()].push(w);
        }
    }
    let reaches_root = reach(root.ix(), heads.len(), |v| below[v].iter().copied());
    let arcs = &heads[word.ix()];
    let mut leading = arcs.iter().copied().filter(|&a| reaches_root[graph[a].head.ix()]);
    if let (Some(only), None) = (leading.next(), leading.next()) {
        return only;
    }
    let longest = arcs.iter().copied().max_by_key(|&a| {
        let head = graph[a].head;
        (head.0.abs_diff(word.0), std::cmp::Reverse(head))
    });
    longest.expect("a choice is made among at least two arcs")
}

fn reach<I: Iterator<Item = usize>>(start: usize, words: usize, next: impl Fn(usize) -> I) -> Vec<bool> {
    let mut seen = vec![false; words];
    let mut stack = vec![start];
    while let Some(w) = stack.pop() {
        if !std::mem::replace(&mut seen[w], true) {
            stack.extend(next(w));
        }
    }
    seen
}

fn has_cycle(kept: &[Option<usize>], graph: &[Dependency]) -> bool {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); kept.len()];
    let mut stack = Vec::new();
    for (w, arc) in kept.iter().enumerate() {
        match arc {
            Some(a) => below[graph[*a].head.ix()].push(w),
            None => stack.push(w),
        }
    }
    let mut reached = 0;
    while let Some(w) = stack.pop() {
        reached += 1;
        stack.append(&mut below[w]);
    }
    reached < kept.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(arcs: &[(u32, u32)]) -> Vec<Dependency> {
        let arc = |&(d, h)| Dependency { dependent: WordIx(d), head: WordIx(h), label: String::new() };
        arcs.iter().map(arc).collect()
    }

    fn heads(words: usize, root: u32, arcs: &[(u32, u32)]) -> (Vec<Option<u32>>, Report) {
        let graph = graph(arcs);
        let checked = one_head_each(words, WordIx(root), &graph);
        (checked.kept.iter().map(|k| k.map(|a| graph[a].head.0)).collect(), checked.report)
    }

    #[test]
    fn of_two_heads_the_one_that_leads_to_the_root_is_kept() {
        let (got, report) = heads(4, 0, &[(1, 0), (1, 3), (2, 1)]);
        assert_eq!(got, [None, Some(0), Some(1), None]);
        assert_eq!(report, Report { illegal: false, dropped: 1, attached: 1, unknown: 0 });
    }

    #[test]
    fn on_a_tie_the_longest_arc_is_kept_and_then_the_leftmost_head() {
        assert_eq!(heads(5, 0, &[(2, 0), (2, 1), (1, 0)]).0[2], Some(0));
        assert_eq!(heads(5, 2, &[(1, 2), (3, 2), (2, 0), (4, 3), (4, 1), (1, 3)]).0[4], Some(1));
        assert_eq!(heads(3, 1, &[(0, 1), (2, 1), (1, 0)]).0, [Some(1), None, Some(1)]);
        assert_eq!(heads(5, 4, &[(0, 4), (4, 0), (2, 0), (2, 4), (2, 2), (2, 0)]).0[2], Some(0));
    }

    #[test]
    fn cycles_stay_and_make_the_tree_illegal() {
        let (got, report) = heads(4, 0, &[(1, 2), (2, 1), (3, 1)]);
        assert_eq!(got, [None, Some(2), Some(1), Some(1)]);
        assert!(report.illegal);
        assert_eq!(report.attached, 0);
    }

    #[test]
    fn the_likely_root_is_the_headless_word_above_most_others() {
        assert_eq!(likely_root(0, &[]), None);
        assert_eq!(likely_root(3, &[]), Some(WordIx(0)));
        assert_eq!(likely_root(5, &graph(&[(0, 1), (3, 2), (4, 3)])), Some(WordIx(2)));
        assert_eq!(likely_root(3, &graph(&[(0, 1), (1, 0), (2, 1)])), Some(WordIx(0)));
    }
}
