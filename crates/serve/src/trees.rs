//! Trees of source sentences: those that a request brings, and all as the drawings of the page read them.

use crate::error::ApiError;
use serde_json::{Value, json};
use treeglot_models::InputTrees;
use treeglot_models::pairs::TreeReader;
use treeglot_parse::Parse;
use treeglot_tree::page::Drawing;

/// The trees that a request brings, of these words; none if it brings none.
pub(crate) fn read(
    words: &str,
    dependencies: Option<&str>,
    constituents: Option<&str>,
) -> Result<Option<InputTrees>, ApiError> {
    // A parse of CoNLL-U ends with an empty line; of trees in brackets each line is one.
    let given = |text: Option<&str>, end: &str| {
        text.filter(|text| !text.trim().is_empty()).map(|text| format!("{}{end}", text.trim()))
    };
    let (dependencies, constituents) = (given(dependencies, "\n\n"), given(constituents, "\n"));
    if dependencies.is_none() && constituents.is_none() {
        return Ok(None);
    }
    let bad = |error: treeglot_models::Error| ApiError::bad(error.to_string());
    let mut reader = TreeReader::of_texts(dependencies, constituents, "q").map_err(bad)?;
    let trees = reader.next(words).map_err(bad)?;
    reader.finish().map_err(bad)?;
    Ok(Some(trees))
}

/// The trees of a sentence: those that were given come before those that parsers of the bundle gave.
pub(crate) fn json(given: Option<&InputTrees>, parses: &[Parse], words: &[String]) -> Value {
    let given_dep = given.and_then(|trees| trees.deps.first()).map(|dep| Drawing::Dependencies {
        words: words.to_vec(),
        heads: dep.tree.heads().iter().map(|head| head.map(|head| head.0)).collect(),
        labels: Vec::new(),
        tags: dep.tags.clone(),
    });
    let given_con = given.and_then(|trees| trees.cons.first()).map(|con| Drawing::from(&con.tree));
    let parsed_dep = || {
        let dep = |parse: &Parse| {
            if let Parse::Dependency(parse) = parse { Some(Drawing::from(parse)) } else { None }
        };
        parses.iter().find_map(dep)
    };
    let parsed_con = || {
        let con = |parse: &Parse| {
            if let Parse::Constituency(Some(tree)) = parse { Some(Drawing::from(tree)) } else { None }
        };
        parses.iter().find_map(con)
    };
    json!({ "dependencies": given_dep.or_else(parsed_dep), "constituents": given_con.or_else(parsed_con) })
}
