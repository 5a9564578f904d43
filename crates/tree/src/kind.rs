//! Kinds of trees, and what a sentence pair has for each kind on each side.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Index, IndexMut};
use treeglot_text::Side;

/// A kind of syntax tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeKind {
    /// Words depend on words.
    Dependency,
    /// Constituents over words.
    Constituency,
}

impl TreeKind {
    /// Both kinds, dependencies first.
    pub const BOTH: [Self; 2] = [Self::Dependency, Self::Constituency];

    /// `dependency` or `constituency`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dependency => "dependency",
            Self::Constituency => "constituency",
        }
    }
}

impl fmt::Display for TreeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something for each kind of tree on each side of a sentence pair: files, readers, trees, or whether they are needed.
///
/// ```
/// use treeglot_text::Side;
/// use treeglot_tree::{PerTree, TreeKind};
///
/// let mut needed = PerTree::<bool>::default();
/// needed[(Side::Source, TreeKind::Dependency)] = true;
/// let wanted: Vec<String> = needed.iter().filter(|(_, needed)| **needed).map(|(at, _)| at.to_string()).collect();
/// assert_eq!(wanted, ["source dependency"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PerTree<T> {
    /// Dependency trees of the source.
    pub source_dep: T,
    /// Constituency trees of the source.
    pub source_con: T,
    /// Dependency trees of the target.
    pub target_dep: T,
    /// Constituency trees of the target.
    pub target_con: T,
}

/// Which trees are meant: a side and a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeSlot {
    /// The side of the pair.
    pub side: Side,
    /// The kind of tree.
    pub kind: TreeKind,
}

impl TreeSlot {
    /// All four, in the order of the fields of [`PerTree`].
    pub const ALL: [Self; 4] = [
        Self { side: Side::Source, kind: TreeKind::Dependency },
        Self { side: Side::Source, kind: TreeKind::Constituency },
        Self { side: Side::Target, kind: TreeKind::Dependency },
        Self { side: Side::Target, kind: TreeKind::Constituency },
    ];

    /// What recipes call it: `source-dep`, `target-con` and so on.
    pub fn key(self) -> &'static str {
        match (self.side, self.kind) {
            (Side::Source, TreeKind::Dependency) => "source-dep",
            (Side::Source, TreeKind::Constituency) => "source-con",
            (Side::Target, TreeKind::Dependency) => "target-dep",
            (Side::Target, TreeKind::Constituency) => "target-con",
        }
    }
}

impl From<(Side, TreeKind)> for TreeSlot {
    fn from((side, kind): (Side, TreeKind)) -> Self {
        Self { side, kind }
    }
}

impl fmt::Display for TreeSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.side, self.kind)
    }
}

impl<T> PerTree<T> {
    /// Made by a function of the slot.
    pub fn from_fn(mut make: impl FnMut(TreeSlot) -> T) -> Self {
        let [source_dep, source_con, target_dep, target_con] = TreeSlot::ALL.map(&mut make);
        Self { source_dep, source_con, target_dep, target_con }
    }

    /// Each slot with what it has.
    pub fn iter(&self) -> impl Iterator<Item = (TreeSlot, &T)> {
        let all = [&self.source_dep, &self.source_con, &self.target_dep, &self.target_con];
        TreeSlot::ALL.into_iter().zip(all)
    }

    /// Each slot with what it has, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (TreeSlot, &mut T)> {
        let all = [&mut self.source_dep, &mut self.source_con, &mut self.target_dep, &mut self.target_con];
        TreeSlot::ALL.into_iter().zip(all)
    }

    /// The same with each value replaced.
    pub fn map<U>(self, mut with: impl FnMut(TreeSlot, T) -> U) -> PerTree<U> {
        let [dep, con, target_dep, target_con] = TreeSlot::ALL;
        PerTree {
            source_dep: with(dep, self.source_dep),
            source_con: with(con, self.source_con),
            target_dep: with(target_dep, self.target_dep),
            target_con: with(target_con, self.target_con),
        }
    }

    /// References to each value.
    pub fn each_ref(&self) -> PerTree<&T> {
        PerTree::from_fn(|slot| &self[slot])
    }

    /// The same with each value replaced, unless one fails.
    pub fn try_map<U, E>(self, mut with: impl FnMut(TreeSlot, T) -> Result<U, E>) -> Result<PerTree<U>, E> {
        let [dep, con, target_dep, target_con] = TreeSlot::ALL;
        Ok(PerTree {
            source_dep: with(dep, self.source_dep)?,
            source_con: with(con, self.source_con)?,
            target_dep: with(target_dep, self.target_dep)?,
            target_con: with(target_con, self.target_con)?,
        })
    }
}

impl<T, S: Into<TreeSlot>> Index<S> for PerTree<T> {
    type Output = T;

    fn index(&self, slot: S) -> &T {
        let TreeSlot { side, kind } = slot.into();
        match (side, kind) {
            (Side::Source, TreeKind::Dependency) => &self.source_dep,
            (Side::Source, TreeKind::Constituency) => &self.source_con,
            (Side::Target, TreeKind::Dependency) => &self.target_dep,
            (Side::Target, TreeKind::Constituency) => &self.target_con,
        }
    }
}

impl<T, S: Into<TreeSlot>> IndexMut<S> for PerTree<T> {
    fn index_mut(&mut self, slot: S) -> &mut T {
        let TreeSlot { side, kind } = slot.into();
        match (side, kind) {
            (Side::Source, TreeKind::Dependency) => &mut self.source_dep,
            (Side::Source, TreeKind::Constituency) => &mut self.source_con,
            (Side::Target, TreeKind::Dependency) => &mut self.target_dep,
            (Side::Target, TreeKind::Constituency) => &mut self.target_con,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_fields_and_keys_name_the_same() {
        let keys = PerTree::from_fn(TreeSlot::key);
        let [dep, con, target_dep, target_con] = TreeSlot::ALL.map(|slot| keys[slot]);
        assert_eq!([keys.source_dep, keys.source_con], [dep, con]);
        assert_eq!([keys.target_dep, keys.target_con], [target_dep, target_con]);
        let json = serde_json::to_value(keys).unwrap();
        for slot in TreeSlot::ALL {
            assert_eq!(json[slot.key()], slot.key());
        }
    }

    #[test]
    fn the_first_failure_ends_a_map() {
        let numbers = PerTree { source_dep: 1, source_con: 2, target_dep: 3, target_con: 4 };
        assert_eq!(numbers.map(|_, n| n * 2).target_con, 8);
        assert_eq!(numbers.try_map(|slot, n| if n > 2 { Err(slot) } else { Ok(n) }), Err(TreeSlot::ALL[2]));
    }
}
