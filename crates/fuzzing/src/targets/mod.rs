//! The table of all readers, and their functions, one file a crate.

mod align;
mod decode;
mod document;
mod grammar;
mod joint;
mod lm;
mod metrics;
mod parse;
mod pipeline;
mod text;
mod tree;

use crate::{Failure, Outcome};
use std::path::Path;

/// How files are damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Bytes, words and lines.
    Bytes,
    /// Mostly behind valid checksums.
    Sealed,
}

/// Makes seeds in a folder.
pub type Make = fn(&Path) -> Result<Vec<Vec<u8>>, Failure>;

/// A reader.
pub struct Target {
    /// Its name, which is also that of its seeds.
    pub name: &'static str,
    /// Reads a file and uses all that it gives.
    pub read: fn(&Path) -> Outcome,
    /// Makes seeds that are not kept as files, in a folder.
    pub make: Option<Make>,
    /// How its files are damaged.
    pub damage: Damage,
    /// How its files' names end.
    pub ending: &'static str,
    /// How many damaged files a plain run tries.
    pub inputs: usize,
}

/// A reader of text.
const fn text(name: &'static str, read: fn(&Path) -> Outcome) -> Target {
    Target { name, read, make: None, damage: Damage::Bytes, ending: "", inputs: 10_000 }
}

/// A reader of mapped files.
const fn mapped(name: &'static str, read: fn(&Path) -> Outcome, make: Make) -> Target {
    Target { name, read, make: Some(make), damage: Damage::Sealed, ending: "", inputs: 10_000 }
}

impl Target {
    const fn inputs(self, inputs: usize) -> Self {
        Self { inputs, ..self }
    }

    const fn ending(self, ending: &'static str) -> Self {
        Self { ending, ..self }
    }
}

/// All readers.
pub static TARGETS: &[Target] = &[
    text("tokenize", text::tokenize).inputs(1000),
    text("html", document::html),
    text("markdown", document::markdown),
    text("srt", document::srt),
    text("po", document::po),
    text("xliff", document::xliff),
    text("tmx", document::tmx),
    text("terms", document::terms),
    text("corrections", document::corrections).inputs(1000),
    text("subwords", text::subwords),
    text("compounds", text::compounds),
    text("truecase", text::truecase),
    text("prefixes", text::prefixes),
    mapped("vocab", text::vocab, text::make_vocab),
    text("conllu", tree::conllu),
    text("conllx", tree::conllx),
    text("conll09", tree::conll09),
    text("ptb", tree::ptb),
    text("tigerxml", tree::tigerxml),
    text("mosesxml", tree::mosesxml),
    text("depbracket", tree::depbracket),
    text("enju-xml", tree::enju_xml),
    text("enju-so", tree::enju_so),
    text("ccg-auto", tree::ccg_auto),
    text("ccg-parg", tree::ccg_parg),
    text("egret", tree::egret),
    text("tiger-align", tree::tiger_align),
    text("head-rules", tree::head_rules),
    text("links", align::links),
    text("gold", align::gold),
    text("priors", align::priors),
    text("classes", align::classes),
    text("lexical-table", align::lexical_table),
    text("arpa", lm::arpa).inputs(5000),
    mapped("lm", lm::model, lm::make_models),
    mapped("dependency-lm", lm::dependency_model, lm::make_dependency_models),
    mapped("joint", joint::model, joint::make_models).inputs(2000),
    mapped("dependency-parser", parse::parser, parse::make_dependency_parsers).inputs(2000),
    mapped("constituency-parser", parse::parser, parse::make_constituency_parsers).inputs(2000),
    text("instances", grammar::instances).inputs(2000),
    text("moses-table", grammar::moses_table).inputs(1000),
    text("reordering-table", grammar::reordering_table).inputs(1000),
    mapped("table", grammar::table, grammar::make_tables).inputs(5000),
    mapped("counts", grammar::counts, grammar::make_counts).inputs(2000),
    text("weights", decode::weights),
    text("nbest", decode::nbest),
    text("synonyms", metrics::synonyms),
    text("paraphrases", metrics::paraphrases),
    text("affixes", pipeline::affixes).inputs(1000),
    text("recipe", pipeline::recipe).inputs(3000),
    Target { make: Some(pipeline::make_manifests), ..text("manifest", pipeline::manifest) }.inputs(3000),
    Target { make: Some(pipeline::make_archives), ..text("archive", pipeline::archive) }
        .ending(".tar")
        .inputs(1000),
    mapped("system", pipeline::system_of_table, grammar::make_tables).inputs(300),
];
