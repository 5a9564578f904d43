//! Trees of source sentences: those that a request brings, and all as JSON for drawings.

use crate::error::ApiError;
use serde_json::{Value, json};
use treeglot_models::InputTrees;
use treeglot_models::pairs::TreeReader;
use treeglot_tree::{ConTree, WordIx};

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

/// Trees as drawings read them: of each kind the best one.
pub(crate) fn json(trees: &InputTrees, words: &[String]) -> Value {
    let dependencies = trees.deps.first().map(|dep| {
        let heads: Vec<Option<u32>> = dep.tree.heads().iter().map(|head| head.map(|head| head.0)).collect();
        json!({ "words": words, "heads": heads, "tags": dep.tags })
    });
    let constituents = trees.cons.first().map(|con| constituents(&con.tree, words));
    json!({ "dependencies": dependencies, "constituents": constituents })
}

/// A constituency tree by nodes in pre-order, each with its label and its parent; and the node that each word hangs from.
fn constituents(tree: &ConTree, words: &[String]) -> Value {
    let labels: Vec<&str> = tree.nodes().map(|node| tree.label(node)).collect();
    let parents: Vec<i64> =
        tree.nodes().map(|node| tree.parent(node).map_or(-1, |parent| i64::from(parent.0))).collect();
    let leaves: Vec<u32> = (0..tree.len() as u32).map(|word| tree.parent_of_word(WordIx(word)).0).collect();
    json!({ "words": words, "labels": labels, "parents": parents, "leaves": leaves })
}
