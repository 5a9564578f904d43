//! What is written of a translation: links, trees, explanations, JSON.

use serde::Serialize;
use std::io::Write;
use std::path::Path;
use treeglot_decode::{Explanation, FeatureSet, NamedValues};
use treeglot_parse::Parse;
use treeglot_pipeline::translator::{Hypothesis, Translated};
use treeglot_text::Output;
use treeglot_tree::format::{conllu, ptb};
use treeglot_tree::{DepParse, DepTree, Note, WordIx};

/// The trees of a line's translations, of words, as CoNLL-U.
pub fn conllu_trees(id: u64, translated: &Translated) -> treeglot_pipeline::Result<String> {
    let best = translated.sentences.iter().flat_map(|sentence| sentence.best.first());
    best.map(|best| conllu_tree(id, best)).collect()
}

/// The tree of a translation, of words, as CoNLL-U.
fn conllu_tree(id: u64, translation: &Hypothesis) -> treeglot_pipeline::Result<String> {
    let Some(heads) = &translation.tree else {
        let why = "the rules of this bundle have no heads, so its translations have no trees: see `extract str2dep`";
        return Err(treeglot_pipeline::Error::Invalid(why.to_string()));
    };
    let mut parse = DepParse::new(0);
    parse.push_note(Note::Comment, &format!("# sent_id = {}", id + 1));
    for (word, &head) in translation.words.split(' ').zip(heads) {
        parse.push_word(word, "_", Some(head), if head == 0 { "root" } else { "dep" });
    }
    let mut out = Vec::new();
    if !heads.is_empty() {
        conllu::write(&parse, &mut out).expect("memory takes every byte");
    }
    Ok(String::from_utf8(out).expect("words are text"))
}

/// A parse in one line: brackets with the labels of constituents, or with the relation, the word and its dependents.
pub fn bracketed(parse: &Parse) -> Option<String> {
    match parse {
        Parse::Dependency(parse) => {
            let sound = parse.sound_tree()?;
            Some(dependency_brackets(parse, &sound.tree, sound.tree.root()))
        }
        Parse::Constituency(tree) => {
            let mut out = Vec::new();
            ptb::write(tree.as_ref()?, &mut out).ok()?;
            Some(String::from_utf8_lossy(&out).trim_end().to_string())
        }
    }
}

/// `(root sleeps (nsubj dog (det the)))`: dependents stand before and after their head as in the sentence.
fn dependency_brackets(parse: &DepParse, tree: &DepTree, word: WordIx) -> String {
    let mut out = format!("({}", parse.deprel(word));
    let dependents = tree.dependents(word);
    let before = dependents.partition_point(|&dependent| dependent < word);
    let mut put = |part: String| {
        out.push(' ');
        out.push_str(&part);
    };
    dependents[..before].iter().for_each(|&dependent| put(dependency_brackets(parse, tree, dependent)));
    put(format!("{}/{}", parse.form(word), parse.tag(word)));
    dependents[before..].iter().for_each(|&dependent| put(dependency_brackets(parse, tree, dependent)));
    out.push(')');
    out
}

/// The source words of a translation that was explained.
pub fn source_words(translated: &Translated) -> String {
    let best = translated.sentences.iter().flat_map(|sentence| sentence.best.first());
    let words = best.flat_map(|best| &best.explanation).flat_map(|explanation| explanation.source.clone());
    words.collect::<Vec<_>>().join(" ")
}

/// Writes lines that a human should look at, the worst first.
pub fn write_review(path: &Path, mut review: Vec<(f64, u64, String, String)>) -> treeglot_text::Result<()> {
    review.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut out = Output::create(path)?;
    for (confidence, line, source, translation) in review {
        let source = source.replace('\t', " ");
        writeln!(out, "{confidence:.3}\t{line}\t{source}\t{translation}").map_err(|e| out.error(e))?;
    }
    out.finish()
}

/// A translation as JSON.
#[derive(Serialize)]
struct JsonLine<'a> {
    id: u64,
    text: &'a str,
    score: f64,
    system: usize,
    features: NamedValues<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trees: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
}

/// A translation as a line of JSON.
pub fn json_line(
    id: u64,
    text: &str,
    (hypothesis, trees): (&Hypothesis, &[String]),
    features: &FeatureSet,
    explanation: Option<&Explanation>,
    confidence: Option<f64>,
) -> String {
    let line = JsonLine {
        id,
        text,
        score: hypothesis.score,
        system: hypothesis.system,
        features: features.named(&hypothesis.features),
        confidence,
        trees,
        explanation,
    };
    let text = serde_json::to_string(&line).expect("names are text and scores are numbers");
    text + "\n"
}
