//! Which spans of a dependency tree are well-formed structures (Shen et al. 2008, definitions 1 to 3): those that a rule's
//! target side, or what a variable stands for, may be.
//!
//! A span is *fixed on h* if h, whose head is outside, is its only word with a head outside, and words outside depend on h
//! alone, if on any word of it. It is *floating* if several of its words have heads outside, all of them the same one, and no word
//! outside depends on a word inside. (A span whose only such word is h and that no word outside depends on is both by the
//! paper's definitions; it is called fixed here.)

use treeglot_tree::{DepTree, Span, WordIx};

/// What the words of a span are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// No well-formed structure.
    Ill,
    /// Fixed on this word.
    Fixed(WordIx),
    /// Floating; the children of this word, which is outside.
    Floating(WordIx),
}

impl Structure {
    /// Whether it is fixed or floating.
    pub fn is_well_formed(self) -> bool {
        self != Self::Ill
    }
}

/// The structures of all spans of a tree up to a length.
pub struct Structures<'t> {
    tree: &'t DepTree,
    longest: usize,
    /// By start and length.
    spans: Vec<Structure>,
}

impl<'t> Structures<'t> {
    /// Classifies all spans of at most `longest` words.
    pub fn new(tree: &'t DepTree, longest: usize) -> Self {
        let longest = longest.min(tree.len());
        let mut spans = Vec::with_capacity(tree.len() * longest);
        for start in 0..tree.len() {
            let mut scan = Scan::new(tree, start);
            let most = longest.min(tree.len() - start);
            spans.extend((0..most).map(|_| scan.next()));
            spans.resize((start + 1) * longest, Structure::Ill);
        }
        Self { tree, longest, spans }
    }

    /// The tree.
    pub fn tree(&self) -> &'t DepTree {
        self.tree
    }

    /// What a span is; ill-formed if it is empty or too long.
    pub fn of(&self, span: Span) -> Structure {
        match span.len() {
            length if (1..=self.longest).contains(&length) => {
                self.spans[span.start as usize * self.longest + length - 1]
            }
            _ => Structure::Ill,
        }
    }
}

/// The spans that begin at one word, one word longer each time. All that the definitions ask for is known from sums over the
/// words of a span, which change by one word's dependents when it grows.
struct Scan<'t> {
    tree: &'t DepTree,
    start: usize,
    end: usize,
    /// Words whose head is outside.
    tops: u64,
    /// The sum of their positions: the position itself where there is one.
    positions: u64,
    /// The sum of the positions of their heads, from 1, and of the squares: the heads are one word if and only if
    /// their variance is 0.
    heads: u64,
    squares: u64,
    /// Words outside that depend on words inside.
    dependents: u64,
}

impl<'t> Scan<'t> {
    fn new(tree: &'t DepTree, start: usize) -> Self {
        Self { tree, start, end: start, tops: 0, positions: 0, heads: 0, squares: 0, dependents: 0 }
    }

    /// What the span with one more word is.
    fn next(&mut self) -> Structure {
        let (tree, before) = (self.tree, self.start..self.end);
        let word = WordIx(self.end as u32);
        let head = tree.head(word);
        match head.filter(|head| before.contains(&head.ix())) {
            Some(_) => self.dependents -= 1,
            None => self.add_top(word, head, 1),
        }
        for &below in tree.dependents(word) {
            if before.contains(&below.ix()) {
                self.add_top(below, Some(word), -1);
            } else {
                self.dependents += 1;
            }
        }
        self.end += 1;
        self.structure()
    }

    /// Counts a word whose head is outside, or no longer.
    fn add_top(&mut self, word: WordIx, head: Option<WordIx>, times: i64) {
        let head = head.map_or(0, |head| u64::from(head.0) + 1);
        let add = |sum: &mut u64, value: u64| *sum = sum.wrapping_add_signed(times * value as i64);
        add(&mut self.tops, 1);
        add(&mut self.positions, u64::from(word.0));
        add(&mut self.heads, head);
        add(&mut self.squares, head * head);
    }

    fn structure(&self) -> Structure {
        if self.tops == 1 {
            let top = WordIx(self.positions as u32);
            let own = self.tree.dependents(top).iter();
            let own = own.filter(|word| !(self.start..self.end).contains(&word.ix())).count();
            return if own as u64 == self.dependents { Structure::Fixed(top) } else { Structure::Ill };
        }
        let one_head = self.heads * self.heads == self.tops * self.squares;
        match (self.heads / self.tops.max(1)).checked_sub(1) {
            Some(head) if one_head && self.dependents == 0 => Structure::Floating(WordIx(head as u32)),
            _ => Structure::Ill,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;
    use treeglot_tree::Roots;
    use treeglot_tree::format::{ReadTrees, conllu};

    /// The definitions, word for word.
    fn by_definition(tree: &DepTree, span: Span) -> Structure {
        let inside = |word: WordIx| span.contains(word);
        let words: Vec<WordIx> = tree.words().filter(|&word| inside(word)).collect();
        let head_inside = |word: WordIx| tree.head(word).is_some_and(inside);
        let fixed_on = |h: WordIx| {
            !head_inside(h)
                && words.iter().all(|&k| k == h || head_inside(k))
                && tree.words().all(|k| inside(k) || tree.head(k).is_none_or(|d| d == h || !inside(d)))
        };
        let floating_under = |h: WordIx| {
            let children: Vec<WordIx> = words.iter().copied().filter(|&k| tree.head(k) == Some(h)).collect();
            let well_formed = !inside(h)
                && !children.is_empty()
                && words.iter().all(|k| children.contains(k) || head_inside(*k))
                && tree.words().all(|k| inside(k) || tree.head(k).is_none_or(|d| !inside(d)));
            assert!(!well_formed || children.len() > 1 || fixed_on(children[0]), "one child: fixed as well");
            well_formed
        };
        let fixed = words.iter().copied().find(|&h| fixed_on(h)).map(Structure::Fixed);
        let floating = || tree.words().find(|&h| floating_under(h)).map(Structure::Floating);
        fixed.or_else(floating).unwrap_or(Structure::Ill)
    }

    fn check(tree: &DepTree, longest: usize) {
        let structures = Structures::new(tree, longest);
        for start in 0..tree.len() as u32 {
            for end in start + 1..=(tree.len() as u32).min(start + longest as u32) {
                let span = Span::new(start, end);
                assert_eq!(structures.of(span), by_definition(tree, span), "{span:?} of {:?}", tree.heads());
            }
        }
    }

    fn tree(heads: &[u32]) -> DepTree {
        let heads = heads.iter().map(|&head| head.checked_sub(1).map(WordIx)).collect();
        DepTree::new(heads, Roots::AttachToFirst).unwrap()
    }

    #[test]
    fn figure_2_of_shen() {
        // the boy will find it interesting
        let tree = tree(&[2, 4, 4, 0, 4, 4]);
        let structures = Structures::new(&tree, 6);
        let of = |start, end| structures.of(Span::new(start, end));
        assert_eq!(of(0, 2), Structure::Fixed(WordIx(1)));
        assert_eq!(of(2, 4), Structure::Fixed(WordIx(3)));
        assert_eq!(of(0, 3), Structure::Floating(WordIx(3)));
        assert_eq!(of(4, 6), Structure::Floating(WordIx(3)));
        assert_eq!(of(1, 3), Structure::Ill);
        assert_eq!(of(0, 6), Structure::Fixed(WordIx(3)));
        assert_eq!(of(0, 0), Structure::Ill);
        check(&tree, 6);
    }

    proptest! {
        #[test]
        fn all_spans_of_any_tree_are_what_the_definitions_say(
            links in prop::collection::vec((any::<u8>(), any::<u8>()), 1..12),
        ) {
            let mut order: Vec<usize> = (0..links.len()).collect();
            order.sort_by_key(|&word| (links[word].1, word));
            let mut heads = vec![0; links.len()];
            for (rank, &word) in order.iter().enumerate().skip(1) {
                heads[word] = order[usize::from(links[word].0) % rank] as u32 + 1;
            }
            check(&tree(&heads), links.len());
        }
    }

    /// `TREEGLOT_TREES=10000` checks all spans of that many trees; without it, short spans of a few.
    #[test]
    #[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
    fn spans_of_real_trees_are_what_the_definitions_say() {
        let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("ud");
        let files = std::fs::read_dir(&folder).unwrap();
        let wanted = std::env::var("TREEGLOT_TREES").ok().and_then(|trees| trees.parse::<usize>().ok());
        let longest = if wanted.is_some() { usize::MAX } else { 12 };
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        let mut checked = (0, 0);
        for file in files {
            for parse in conllu::Reader::open(&file).unwrap().trees() {
                if checked.0 == wanted.unwrap_or(300) {
                    return println!(
                        "ran: {} trees, {} words, on {}",
                        checked.0,
                        checked.1,
                        folder.display()
                    );
                }
                let tree = parse.unwrap().tree(Roots::AttachToFirst).unwrap();
                check(&tree, longest.min(tree.len()));
                checked = (checked.0 + 1, checked.1 + tree.len());
            }
        }
        panic!("only {} trees", checked.0);
    }
}
