//! The sample sentences of a report: source trees, links, every system's translation and its derivation, as pictures.

use crate::error::{Error, Result};
use crate::experiment::DirectionResult;
use crate::recipe::Recipe;
use crate::report::drawing::{self, Node};
use crate::report::{Picture, Sample, SampleOutput};
use serde_json::Value;
use std::path::Path;
use treeglot_align::trees::TreeFile;
use treeglot_text::{Lines, Side};
use treeglot_tree::format::AnyTree;
use treeglot_tree::{Child, ConTree, DepParse, NodeId, TreeKind};

/// The explained sentences of the first test set, with every system's translation.
pub(crate) fn samples(recipe: &Recipe, results: &DirectionResult) -> Result<Vec<Sample>> {
    let Some(test) = recipe.data.test.first() else { return Ok(Vec::new()) };
    let direction = results.direction;
    let references = read_lines(test.text(direction.to()))?;
    let mut samples: Vec<(u64, Sample)> = Vec::new();
    for system in &results.systems {
        let file = &system.explained[0];
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
                text: object["text"].as_str().unwrap_or_default().to_string(),
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
fn source_trees(file: &Path, parser: &str, lines: &[u64]) -> Result<Vec<(u64, Picture)>> {
    let Some(last) = lines.iter().max() else { return Ok(Vec::new()) };
    let mut trees = TreeFile::open(file, None)?;
    let mut pictures = Vec::new();
    for line in 0..=*last {
        let Some(tree) = trees.next_any()? else { break };
        if !lines.contains(&line) {
            continue;
        }
        let (kind, svg) = match &tree {
            AnyTree::Dep(parse) => ("dependency tree", dep_picture(parse)),
            AnyTree::Con(tree) => ("constituency tree", drawing::tree(&con_node(tree, tree.root()), "tree")),
            _ => continue,
        };
        let of = if parser.is_empty() { String::new() } else { format!(" by {parser}") };
        pictures.push((line, Picture { heading: format!("source {kind}{of}"), svg }));
    }
    Ok(pictures)
}

fn dep_picture(parse: &DepParse) -> String {
    let words: Vec<&str> = parse.forms().collect();
    let heads = parse.words().map(|word| parse.raw_head(word)?.checked_sub(1).map(|head| head as usize));
    let labels: Vec<&str> = parse.words().map(|word| parse.deprel(word)).collect();
    drawing::dependencies(&words, &heads.collect::<Vec<_>>(), &labels)
}

fn con_node(tree: &ConTree, node: NodeId) -> Node {
    let below = |child: &Child| match child {
        Child::Node(node) => con_node(tree, *node),
        Child::Word(word) => Node { text: tree.form(*word).to_string(), ..Node::default() },
    };
    let children = tree.children(node).iter().map(below).collect();
    Node { text: tree.label(node).to_string(), tip: String::new(), children }
}

fn read_lines(path: &Path) -> Result<Vec<String>> {
    let (mut lines, mut all) = (Lines::open(path)?, Vec::new());
    while let Some(line) = lines.next_line()? {
        all.push(line.to_string());
    }
    Ok(all)
}

/// Links and derivation of an explained translation.
fn pictures(explanation: &Value) -> Vec<Picture> {
    let texts = |value: &Value, key: Option<&str>| -> Vec<String> {
        let of = |item: &Value| key.map_or(item, |key| &item[key]).as_str().unwrap_or_default().to_string();
        value.as_array().map(|items| items.iter().map(of).collect()).unwrap_or_default()
    };
    let source = texts(&explanation["source"], None);
    let target = texts(&explanation["words"], Some("word"));
    let mut links = Vec::new();
    for (t, word) in explanation["words"].as_array().into_iter().flatten().enumerate() {
        for s in word["source"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            links.push((s as usize, t));
        }
    }
    let source: Vec<&str> = source.iter().map(String::as_str).collect();
    let target: Vec<&str> = target.iter().map(String::as_str).collect();
    let mut pictures =
        vec![Picture { heading: "links".into(), svg: drawing::links(&source, &target, &links) }];
    let rules: Vec<&Value> = explanation["rules"].as_array().into_iter().flatten().collect();
    let roots: Vec<usize> = (0..rules.len()).filter(|&k| rules[k].get("fills").is_none()).collect();
    let mut children: Vec<Node> = roots.iter().map(|&root| node(&rules, root)).collect();
    let root = match children.len() {
        1 => children.remove(0),
        _ => Node { text: "sentence".into(), tip: String::new(), children },
    };
    pictures.push(Picture { heading: "derivation".into(), svg: drawing::tree(&root, "derivation") });
    pictures
}

/// A rule with what fills its variables, in their order. Steps that are rules of no table are told by their kind.
fn node(rules: &[&Value], at: usize) -> Node {
    let rule = rules[at];
    let text = |key: &str| rule[key].as_str().unwrap_or_default();
    let mut below: Vec<usize> =
        (at + 1..rules.len()).filter(|&k| rules[k]["fills"][0].as_u64() == Some(at as u64)).collect();
    below.sort_by_key(|&k| rules[k]["fills"][1].as_u64());
    let label = rule["label"].as_str().map(|label| format!("{label}: ")).unwrap_or_default();
    Node {
        text: match text("kind") {
            "rule" | "unknown" => format!("{label}{} → {}", text("source"), text("target")),
            kind => format!("{label}{kind}"),
        },
        tip: format!("{} {:.3} {}", text("kind"), rule["score"].as_f64().unwrap_or(0.0), rule["features"]),
        children: below.into_iter().map(|k| node(rules, k)).collect(),
    }
}
