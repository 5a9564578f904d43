//! Units: the word sets of a dependency tree that are vertices of its forest (Na & Lee 2011, section 3).
//!
//! A horizontal unit is a run of neighbouring dependents of one head, a vertical unit the path from a word up to one of
//! its ancestors. Unions of a horizontal and a vertical unit, and of two vertical ones, are units as well if they are
//! well-formed (Shen, Xu & Weischedel 2008): *fixed* on one head, that is connected, or *floating*, that is connected
//! pieces whose tops are neighbouring dependents of one word outside.

use super::sets::{Key, Keys};
use hashbrown::HashTable;
use treeglot_tree::{DepTree, WordIx};

/// The units of one tree, in one arena.
pub struct Units {
    words: Vec<WordIx>,
    ends: Vec<u32>,
}

impl Units {
    /// All units of at most `max` words, each once.
    pub fn of(tree: &DepTree, keys: &Keys, max: usize) -> Self {
        let mut finder = Finder {
            tree,
            keys,
            max,
            units: Self { words: Vec::new(), ends: Vec::new() },
            seen: HashTable::new(),
            sets: Vec::new(),
            scratch: Vec::new(),
        };
        for word in tree.words() {
            finder.runs_below(word, &[]);
            let mut path = Vec::with_capacity(max);
            for above in std::iter::once(word).chain(tree.ancestors(word)).take(max) {
                path.push(above);
                finder.around(&path);
            }
        }
        finder.units
    }

    /// The units, each with its words from left to right.
    pub fn iter(&self) -> impl Iterator<Item = &[WordIx]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.words[start as usize..end as usize])
    }
}

struct Finder<'a> {
    tree: &'a DepTree,
    keys: &'a Keys,
    max: usize,
    units: Units,
    /// The units found, by the keys of their sets.
    seen: HashTable<u32>,
    sets: Vec<Key>,
    scratch: Vec<WordIx>,
}

impl Finder<'_> {
    /// Adds a path, from the bottom up, and all its unions with runs and with other paths.
    fn around(&mut self, path: &[WordIx]) {
        let tree = self.tree;
        self.add(path, &[]);
        let room = self.max - path.len();
        if room == 0 {
            return;
        }
        for (k, &word) in path.iter().enumerate() {
            self.runs_below(word, path);
            let below = k.checked_sub(1).map(|k| path[k]);
            for &other in tree.dependents(word).iter().filter(|&&other| Some(other) != below) {
                self.paths_down(path, other, room);
            }
        }
        let Some(&top) = path.last() else { return };
        let Some(head) = tree.head(top) else { return };
        let siblings = tree.dependents(head);
        let Ok(at) = siblings.binary_search(&top) else { return };
        for start in at.saturating_sub(room)..=at {
            for end in at + 1..=siblings.len().min(start + room + 1) {
                self.add(path, &siblings[start..end]);
            }
        }
        for neighbour in [at.checked_sub(1), Some(at + 1)].into_iter().flatten() {
            if let Some(&other) = siblings.get(neighbour) {
                self.paths_down(path, other, room);
            }
        }
    }

    /// Adds the unions of a path with the runs of a word's dependents.
    fn runs_below(&mut self, head: WordIx, path: &[WordIx]) {
        let dependents = self.tree.dependents(head);
        // A run holds at most one word of a path, that below the head.
        let most = self.max - path.len() + usize::from(!path.is_empty());
        for start in 0..dependents.len() {
            for end in start + 1..=dependents.len().min(start + most) {
                self.add(path, &dependents[start..end]);
            }
        }
    }

    /// Adds the unions of a path with all paths that begin at `top` and go down, of at most `room` words.
    fn paths_down(&mut self, path: &[WordIx], top: WordIx, room: usize) {
        let mut stack = vec![(top, 1)];
        let mut down: Vec<WordIx> = Vec::with_capacity(room);
        while let Some((word, depth)) = stack.pop() {
            down.truncate(depth - 1);
            down.push(word);
            self.add(path, &down);
            if depth < room {
                stack.extend(self.tree.dependents(word).iter().map(|&below| (below, depth + 1)));
            }
        }
    }

    /// Adds the union of two sets of words if it is small enough and new.
    fn add(&mut self, first: &[WordIx], second: &[WordIx]) {
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        words.extend_from_slice(first);
        words.extend(second.iter().filter(|word| !first.contains(word)));
        if words.len() <= self.max {
            words.sort_unstable();
            self.add_sorted(&words);
        }
        self.scratch = words;
    }

    fn add_sorted(&mut self, words: &[WordIx]) {
        let set = self.keys.of(words.iter().copied());
        let Self { seen, sets, units, .. } = self;
        if seen.find(set.hash(), |&unit| sets[unit as usize] == set).is_some() {
            return;
        }
        seen.insert_unique(set.hash(), sets.len() as u32, |&unit| sets[unit as usize].hash());
        sets.push(set);
        units.words.extend_from_slice(words);
        units.ends.push(units.words.len() as u32);
    }
}
