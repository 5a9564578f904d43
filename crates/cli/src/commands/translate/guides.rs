//! Options that say what is known of translations beforehand: terms, markup, unknown words, what passes as it is.

use anyhow::Result;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use treeglot_decode::UnknownWords;
use treeglot_models::Binding;
use treeglot_pipeline::translator::{Guides, Markup, Terms};

#[derive(ClapArgs)]
#[command(next_help_heading = "Terms and markup")]
pub struct GuideArgs {
    /// What becomes of words that the bundle does not know
    #[arg(long, value_name = "HOW", default_value = "copy")]
    pub unknown: UnknownWords,

    /// Terms that translations keep: a file with `source<TAB>target` on each line, and rules in a third column: `case` (the source
    /// is written just so), `ending` (its last word may have an ending), `exact` (the translation is never changed)
    #[arg(long, value_name = "FILE")]
    terms: Option<PathBuf>,

    /// Read Moses' markup in the text: `<x translation="a||b" prob="0.8||0.2">`, `<zone>`, `<wall/>`
    #[arg(long, value_name = "MODE", default_value = "pass-through")]
    xml_input: XmlInput,

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
    /// What they come to.
    pub fn guides(&self) -> Result<Guides> {
        let terms = self.terms.as_deref().map(Terms::read).transpose()?.unwrap_or_default();
        let markup = match self.xml_input {
            XmlInput::PassThrough => Markup::PassThrough,
            XmlInput::Ignore => Markup::Ignore,
            XmlInput::Exclusive => Markup::Heed(Binding::Exclusive),
            XmlInput::Inclusive => Markup::Heed(Binding::Inclusive),
            XmlInput::Constraint => Markup::Heed(Binding::Constraint),
        };
        Ok(Guides { terms, markup, translate_all: self.translate_all, ..Guides::default() })
    }
}
