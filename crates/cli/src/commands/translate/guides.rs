//! Options that say what is known of translations beforehand: terms, markup, unknown words, what passes as it is.

use anyhow::{Context, Result};
use clap::{Args as ClapArgs, ValueEnum};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_decode::UnknownWords;
use treeglot_document::{PairFormat, read_pairs};
use treeglot_models::Binding;
use treeglot_pipeline::translator::{Guides, Markup, Terms};
use treeglot_pipeline::{Bundle, Memory};
use treeglot_text::Input;

#[derive(ClapArgs)]
#[command(next_help_heading = "Terms and markup")]
pub struct GuideArgs {
    /// What becomes of words that the bundle does not know
    #[arg(long, value_name = "HOW", default_value = "guess")]
    pub unknown: UnknownWords,

    /// Terms that translations keep: a file with `source<TAB>target` on each line, and rules in a third column: `case` (the source
    /// is written just so), `ending` (its last word may have an ending), `exact` (the translation is never changed)
    #[arg(long, value_name = "FILE")]
    terms: Option<PathBuf>,

    /// Read Moses' markup in the text: `<x translation="a||b" prob="0.8||0.2">`, `<zone>`, `<wall/>`
    #[arg(long, value_name = "MODE", default_value = "pass-through")]
    xml_input: XmlInput,

    /// A translation memory: a sentence that is in it word for word gets its translation, and phrases of the pair most like a sentence
    /// are preferred; pairs are read as by `train --pairs` (.tmx, .po, .tsv, or lines of `source ||| target`)
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,

    /// Translate addresses, code, place holders, times and dates like other text, instead of keeping them as they are
    #[arg(long)]
    translate_all: bool,
}

/// What is done with markup, as by Moses' `-xml-input`.
#[derive(Clone, Copy, ValueEnum)]
enum XmlInput {
    /// Nothing: it is text
    PassThrough,
    /// It is taken out
    Ignore,
    /// Nothing but its translations is used for its words
    Exclusive,
    /// Its translations compete with those of rules
    Inclusive,
    /// Only rules that have its translation are used for its words
    Constraint,
}

impl GuideArgs {
    /// Reads the memory for the words of a bundle.
    fn memory(&self, bundle: &Path) -> Result<Option<Arc<Memory>>> {
        let Some(path) = &self.memory else { return Ok(None) };
        let bundle = Bundle::open(bundle)?;
        let language = |language: &Option<String>| language.clone().unwrap_or_default();
        let languages = [language(&bundle.manifest().source), language(&bundle.manifest().target)];
        let (mut text, name) = (String::new(), path.display().to_string());
        let read = Input::open(path)?.reader.read_to_string(&mut text);
        read.with_context(|| format!("{name}: cannot read"))?;
        let pairs =
            read_pairs(PairFormat::of(&name), &text, [&languages[0], &languages[1]]).with_context(|| name)?;
        Ok(Some(Arc::new(Memory::new(bundle, &pairs)?)))
    }

    /// What they come to.
    pub fn guides(&self, bundle: &Path) -> Result<Guides> {
        let terms = self.terms.as_deref().map(Terms::read).transpose()?.unwrap_or_default();
        let markup = match self.xml_input {
            XmlInput::PassThrough => Markup::PassThrough,
            XmlInput::Ignore => Markup::Ignore,
            XmlInput::Exclusive => Markup::Heed(Binding::Exclusive),
            XmlInput::Inclusive => Markup::Heed(Binding::Inclusive),
            XmlInput::Constraint => Markup::Heed(Binding::Constraint),
        };
        Ok(Guides {
            terms,
            markup,
            translate_all: self.translate_all,
            memory: self.memory(bundle)?,
            ..Guides::default()
        })
    }
}
