//! What a recipe may give once or several times: files of trees by the names of their parsers, and sets of rules that
//! are added up.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a recipe gives once, or several times by name, of which systems choose.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(untagged)]
pub enum Choice<T> {
    /// There is none.
    #[default]
    None,
    /// One.
    One(T),
    /// Several, by the names that systems know them by, those of parsers.
    Named(BTreeMap<String, T>),
}

/// Trees of one kind for a text: a file, or several by name.
pub type Trees = Choice<PathBuf>;

impl From<Option<PathBuf>> for Trees {
    fn from(file: Option<PathBuf>) -> Self {
        file.map_or(Self::None, Self::One)
    }
}

impl<'de> Deserialize<'de> for Trees {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a file, or a table of files by the names of their parsers")]
        enum Files {
            One(PathBuf),
            Named(BTreeMap<String, PathBuf>),
        }
        Ok(match Files::deserialize(from)? {
            Files::One(file) => Self::One(file),
            Files::Named(files) => Self::Named(files),
        })
    }
}

impl<T> Choice<T> {
    /// All, each with its name; a single one has none.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        let (one, named) = match self {
            Self::None => (None, None),
            Self::One(one) => (Some(("", one)), None),
            Self::Named(named) => (None, Some(named)),
        };
        one.into_iter().chain(named.into_iter().flatten().map(|(name, one)| (name.as_str(), one)))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let (one, named) = match self {
            Self::None => (None, None),
            Self::One(one) => (Some(one), None),
            Self::Named(named) => (None, Some(named)),
        };
        one.into_iter().chain(named.into_iter().flat_map(BTreeMap::values_mut))
    }
}

/// Those of all that a system means by these names: those so called, or else the only one. The error says what there is to choose
/// from.
pub fn chosen<T: Clone>(all: &[(&str, T)], names: &[String]) -> Result<Vec<T>, String> {
    let called: Vec<T> = names
        .iter()
        .filter_map(|name| all.iter().find(|(known, _)| known == name).map(|(_, one)| one.clone()))
        .collect();
    match (called.is_empty(), all.len()) {
        (false, _) => Ok(called),
        (true, 0 | 1) => Ok(all.iter().map(|(_, one)| one.clone()).collect()),
        (true, _) => {
            let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            Err(format!("choose its trees with `parsers`: there are {}", known.join(", ")))
        }
    }
}

/// Reads one value or a list.
pub(super) fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a file or a list of files")]
    enum OneOrMany<T> {
        One(T),
        Many(Vec<T>),
    }
    Ok(match OneOrMany::deserialize(from)? {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}

/// A name, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a name or a list of names")]
enum Names {
    One(String),
    Many(Vec<String>),
}

/// Reads a name or a list of names.
pub(super) fn names<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match Names::deserialize(from)? {
        Names::One(name) => vec![name],
        Names::Many(names) => names,
    })
}

/// The same where nothing need be said.
pub(super) fn some_names<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    names(from).map(Some)
}

/// The rules of a system: one set, or several whose counts are added up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a table of options, or a list of such tables")]
pub enum Extract {
    /// One set.
    One(RuleSet),
    /// Several.
    Sum(Vec<RuleSet>),
}

impl Default for Extract {
    fn default() -> Self {
        Self::One(RuleSet::default())
    }
}

impl Extract {
    /// The sets.
    pub fn sets(&self) -> &[RuleSet] {
        match self {
            Self::One(set) => std::slice::from_ref(set),
            Self::Sum(sets) => sets,
        }
    }
}

/// One set of rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleSet {
    /// What each of its rules counts.
    #[serde(default = "one")]
    pub weight: f64,
    /// The parsers whose trees it is read off; those of its system if there are none.
    #[serde(default, deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub parsers: Vec<String>,
    /// The model's own options, as `treeglot extract` has them.
    #[serde(flatten)]
    pub options: toml::Table,
}

impl Default for RuleSet {
    fn default() -> Self {
        Self { weight: one(), parsers: Vec::new(), options: toml::Table::new() }
    }
}

fn one() -> f64 {
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(files: &[&str]) -> Trees {
        Trees::Named(files.iter().map(|name| (name.to_string(), PathBuf::from(name))).collect())
    }

    fn chosen(trees: &Trees, names: &[&str]) -> Result<Vec<String>, String> {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let all: Vec<(&str, &PathBuf)> = trees.iter().collect();
        Ok(super::chosen(&all, &names)?.into_iter().map(|file| file.display().to_string()).collect())
    }

    #[test]
    fn a_system_gets_the_trees_it_names_or_the_only_ones() {
        let two = named(&["malt", "parzu"]);
        assert_eq!(chosen(&two, &["parzu", "berkeley"]), Ok(vec!["parzu".to_string()]));
        assert_eq!(chosen(&two, &["parzu", "malt"]).unwrap(), ["parzu", "malt"]);
        assert!(chosen(&two, &[]).unwrap_err().ends_with("there are malt, parzu"));
        assert_eq!(chosen(&named(&["malt"]), &["parzu"]), Ok(vec!["malt".to_string()]));
        assert_eq!(chosen(&Trees::None, &["parzu"]), Ok(vec![]));
    }

    #[test]
    fn a_sum_of_sets_is_a_list_of_tables() {
        #[derive(Deserialize)]
        struct System {
            extract: Extract,
        }
        let one: System = toml::from_str("extract = { max-length = 5 }").unwrap();
        assert_eq!(one.extract.sets()[0].options["max-length"].as_integer(), Some(5));
        let sum: System =
            toml::from_str("extract = [{ from = 'str' }, { from = 'con', weight = 0.5, parsers = 'b' }]")
                .unwrap();
        let [first, second] = sum.extract.sets() else { panic!("two sets") };
        assert_eq!((first.weight, second.weight), (1.0, 0.5));
        assert_eq!(second.parsers, ["b"]);
        assert!(!second.options.contains_key("weight"));
    }
}
