//! The sample sentences of a report: source trees, links, every system's translation and its derivation, as pictures.

use crate::error::{Error, Result};
use crate::experiment::DirectionResult;
use crate::recipe::Recipe;
use crate::report::{Picture, Sample, SampleOutput};
use crate::translator::read_lines;
use serde_json::{Value, json};
use std::path::Path;
use treeglot_align::trees::TreeFile;
use treeglot_text::Side;
use treeglot_tree::TreeKind;
use treeglot_tree::format::AnyTree;
use treeglot_tree::page::Drawing;

/// The explained sentences of the first test set, with every system's translation.
pub(crate) fn samples(recipe: &Recipe, results: &DirectionResult) -> Result<Vec<Sample>> {
    let Some(test) = recipe.data.test.first() else { return Ok(Vec::new()) };
    let direction = results.direction;
    let references = read_lines(test.text(direction.to()))?;
    let mut samples: Vec<(u64, Sample)> = Vec::new();
    for system in &results.systems {
        let file = &system.explained[0];
        // What is shown is what was scored: explanations are of words, references may be raw text.
        let outputs = read_lines(&system.outputs[0])?;
        for line in read_lines(file)? {
            let bad = |e| Error::Invalid(format!("{}: {e}", file.display()));
            let object: Value = serde_json::from_str(&line).map_err(bad)?;
            let number = object["line"].as_u64().unwrap_or(0);
            let at = samples.iter().position(|(known, _)| *known == number).unwrap_or_else(|| {
                let source = object["source"].as_str().unwrap_or_default().to_string();
                let reference = references.get(number as usize).cloned().unwrap_or_default();
                samples.push((number, Sample { source, reference, ..Sample::default() }));
                samples.len() - 1
            });
            samples[at].1.outputs.push(SampleOutput {
                system: system.name.clone(),
                text: outputs.get(number as usize).cloned().unwrap_or_default(),
                pictures: pictures(&object["explanation"]),
            });
        }
    }
    let lines: Vec<u64> = samples.iter().map(|(line, _)| *line).collect();
    for kind in TreeKind::BOTH {
        let given = test.trees()[(direction.from, kind)].iter().next();
        // A system sees the language it translates from as its source.
        let parsed = results.systems.iter().filter_map(|system| system.trees.first());
        let parsed = parsed.flat_map(|trees| &trees[(Side::Source, kind)]).next();
        let of_parser = parsed.map(|file| (if given.is_none() { "our parser" } else { "" }, file));
        if let Some((name, file)) = given.or(of_parser) {
            for (line, picture) in source_trees(file, name, &lines)? {
                let of_line = samples.iter_mut().find(|(known, _)| *known == line);
                of_line.into_iter().for_each(|(_, sample)| sample.pictures.push(picture.clone()));
            }
        }
    }
    Ok(samples.into_iter().map(|(_, sample)| sample).collect())
}

/// Pictures of the trees of some lines.
pub(crate) fn source_trees(file: &Path, parser: &str, lines: &[u64]) -> Result<Vec<(u64, Picture)>> {
    let Some(last) = lines.iter().max() else { return Ok(Vec::new()) };
    let mut trees = TreeFile::open(file, None)?;
    let mut pictures = Vec::new();
    for line in 0..=*last {
        let Some(tree) = trees.next_any()? else { break };
        if !lines.contains(&line) {
            continue;
        }
        let (kind, drawing) = match &tree {
            AnyTree::Dep(parse) => ("dependency tree", Drawing::from(parse)),
            AnyTree::Con(tree) => ("constituency tree", Drawing::from(tree)),
            _ => continue,
        };
        let of = if parser.is_empty() { String::new() } else { format!(" by {parser}") };
        pictures.push((line, Picture { heading: format!("source {kind}{of}"), drawing: json!(drawing) }));
    }
    Ok(pictures)
}

/// Links and derivation of an explained translation.
pub(crate) fn pictures(explanation: &Value) -> Vec<Picture> {
    let words = explanation["words"].as_array().map_or(&[][..], |words| words);
    let sources = |word: &Value| word["source"].as_array().cloned().unwrap_or_default();
    let links: Vec<Value> = (words.iter().enumerate())
        .flat_map(|(t, word)| sources(word).into_iter().map(move |s| json!([s, t])))
        .collect();
    let target: Vec<&Value> = words.iter().map(|word| &word["word"]).collect();
    let links = json!({ "kind": "links", "source": explanation["source"], "target": target, "links": links });
    let derivation = json!({ "kind": "derivation", "rules": explanation["rules"] });
    vec![
        Picture { heading: "links".into(), drawing: links },
        Picture { heading: "derivation".into(), drawing: derivation },
    ]
}
