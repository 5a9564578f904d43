//! Parsers of a recipe: trees for texts that come without files of them. Each is trained, given as a file, or a program.

use super::sources::{Choice, one_or_many};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use treeglot_parse::{BridgeSettings, Method, Parse, ParseSettings, Settings};
use treeglot_tree::TreeKind;
use treeglot_tree::transform::heads::{BuiltIn, HeadRules, to_dependencies};
use treeglot_tree::transform::pas;

/// The parsers of a kind of trees of a side: one, or several by name, of which systems choose.
pub type Parsers = Choice<ParserSource>;

/// Where a parser comes from: exactly one of `train`, `model` and `command` is given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ParserSource {
    /// Treebanks to train it from.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub train: Vec<PathBuf>,
    /// A treebank by which the best round of training is chosen.
    pub dev: Option<PathBuf>,
    /// How it is trained, as `treeglot parse train` has it.
    #[serde(skip_serializing_if = "toml::Table::is_empty")]
    pub settings: toml::Table,
    /// The file of a trained parser.
    pub model: Option<PathBuf>,
    /// How a trained parser is used.
    pub options: ParseSettings,
    /// How its trees become the dependency trees that are wanted: `syn` or `sem` makes predicate-argument structures of Universal
    /// Dependencies, head rules (`ptb`, ...) make dependencies of constituents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<String>,
    /// A program that reads sentences and writes trees.
    pub command: Option<String>,
    /// How the program is used.
    pub bridge: BridgeSettings,
}

/// What is done to the trees of a parser.
#[derive(Debug, Clone)]
pub(crate) enum Conversion {
    /// Nothing.
    None,
    /// Universal Dependencies become predicate-argument structures.
    Predicates(pas::Heads),
    /// Constituents become dependencies.
    Rules(HeadRules),
}

impl Conversion {
    /// The parse as it is wanted.
    pub fn apply(&self, parse: Parse) -> Parse {
        match (self, parse) {
            (Self::Predicates(heads), Parse::Dependency(parse)) => {
                Parse::Dependency(pas::from_ud::from_ud(&parse, *heads).parse)
            }
            (Self::Rules(rules), Parse::Constituency(Some(tree))) => {
                Parse::Dependency(to_dependencies(&tree, rules))
            }
            (_, parse) => parse,
        }
    }
}

impl ParserSource {
    /// What is wrong with it, as a parser of a kind of trees.
    pub(super) fn check(&self, kind: TreeKind) -> Result<(), String> {
        let given = usize::from(!self.train.is_empty())
            + usize::from(self.model.is_some())
            + usize::from(self.command.is_some());
        if given != 1 {
            return Err("a parser has one of `train`, `model` and `command`".into());
        }
        if self.train.is_empty() && (self.dev.is_some() || !self.settings.is_empty()) {
            return Err("`dev` and `settings` belong to `train`: nothing is trained here".into());
        }
        self.bridge.check().map_err(|error| format!("bridge: {error}"))?;
        self.conversion(kind)?;
        if !self.train.is_empty() {
            let kind = self.kind(kind);
            let method = self.training(kind, "en")?.method;
            if method.kind() != kind {
                return Err(format!("method `{}` gives {} trees", method.name(), method.kind()));
            }
        }
        Ok(())
    }

    /// The kind of trees that the parser itself gives where those of `wanted` are: head rules are for constituents.
    pub fn kind(&self, wanted: TreeKind) -> TreeKind {
        match &self.heads {
            Some(name) if pas::Heads::from_name(name).is_none() => TreeKind::Constituency,
            _ => wanted,
        }
    }

    /// What is done to its trees.
    pub(crate) fn conversion(&self, wanted: TreeKind) -> Result<Conversion, String> {
        let Some(name) = &self.heads else { return Ok(Conversion::None) };
        if wanted != TreeKind::Dependency {
            return Err("`heads` is for dependency trees".into());
        }
        let rules = || BuiltIn::from_name(name).map(|rules| Conversion::Rules(HeadRules::built_in(rules)));
        let predicates = pas::Heads::from_name(name).map(Conversion::Predicates);
        let unknown = || format!("`heads` is syn, sem, ptb, negra, ctb or ftb, not `{name}`");
        predicates.or_else(rules).ok_or_else(unknown)
    }

    /// The settings of training: what is not given is as it is by default for the kind of trees.
    pub fn training(&self, kind: TreeKind, language: &str) -> Result<Settings, String> {
        let mut table = self.settings.clone();
        if kind == TreeKind::Constituency {
            table.entry("method").or_insert_with(|| Method::Constituency.name().into());
        }
        table.entry("language").or_insert_with(|| language.into());
        let settings: Settings =
            table.try_into().map_err(|error: toml::de::Error| error.message().to_string())?;
        settings.check().map_err(|error| error.to_string())?;
        Ok(settings)
    }

    pub(super) fn files_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.train.iter_mut().chain(&mut self.dev).chain(&mut self.model)
    }
}

impl<'de> Deserialize<'de> for Parsers {
    /// A table with a key of a parser is one, any other is a table of parsers by name.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        const KEYS: [&str; 3] = ["train", "model", "command"];
        let table = toml::Table::deserialize(from)?;
        let message = |error: toml::de::Error| D::Error::custom(error.message());
        if KEYS.iter().any(|key| table.contains_key(*key)) {
            return Ok(Self::One(table.try_into().map_err(message)?));
        }
        let mut named = BTreeMap::new();
        for (name, value) in table {
            if !value.is_table() {
                let why = format!("unknown key `{name}`: a parser has one of `{}`", KEYS.join("`, `"));
                return Err(D::Error::custom(why));
            }
            named.insert(name, value.try_into().map_err(message)?);
        }
        Ok(Self::Named(named))
    }
}
