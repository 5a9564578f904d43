//! `treeglot tree heads`.

use super::head_rules;
use crate::args::{Files, count};
use anyhow::Result;
use treeglot_tree::convert::{Converter, Options};
use treeglot_tree::format::ptb::BracketLayout;
use treeglot_tree::format::{ReadOptions, ReadTrees, conllu, ptb};
use treeglot_tree::transform::strip::Strip;

const HELP: &str = "\
Every constituent gets a head child by the rules; each other child's head word depends on the head child's. Traces are \
dropped. The relation is the function in the label (NP-SBJ gives SBJ) where there is one.

Rules: ptb (English; conventions of the LTH converter), negra (German), ctb (Chinese), ftb (French), or a file. Print \
a built-in table as a model for your own with --print.

Examples:
  treeglot tree heads --rules ptb parses.en.ptb > parses.en.conllu
  treeglot tree heads --rules negra --print > my-rules.txt";

/// The arguments of `treeglot tree heads`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The head rules: ptb, negra, ctb, ftb, or a file
    #[arg(long, value_name = "RULES")]
    rules: String,

    /// Print the rules, and do nothing else
    #[arg(long)]
    print: bool,

    /// Trees stand one a line, and a blank line is a failed parse
    #[arg(long)]
    one_per_line: bool,

    #[command(flatten)]
    files: Files,
}

impl Args {
    pub fn run(self) -> Result<()> {
        if self.print {
            return self.print();
        }
        let options = Options {
            heads: Some(head_rules(&self.rules)?),
            strip: Strip { empty: true, functions: false, top: true },
            ..Options::default()
        };
        let brackets = if self.one_per_line { BracketLayout::OnePerLine } else { BracketLayout::Free };
        let read = ReadOptions { brackets, ..ReadOptions::default() };
        let mut reader = ptb::FORMAT.open(&self.files.input, &read)?;
        let mut converter = Converter::new(conllu::FORMAT, options, self.files.output()?)?;
        while let Some(tree) = reader.next_tree()? {
            converter.add(tree, None)?;
        }
        let (output, summary) = converter.finish()?;
        output.finish()?;
        self.files.note(&format!(
            "{}, {} without a tree",
            count(summary.sentences, "sentence"),
            summary.failed
        ));
        Ok(())
    }

    fn print(&self) -> Result<()> {
        use std::io::Write;
        let text = match treeglot_tree::transform::heads::BuiltIn::from_name(&self.rules) {
            Some(table) => table.text().to_string(),
            None => {
                head_rules(&self.rules)?;
                std::fs::read_to_string(&self.rules)?
            }
        };
        self.files.out.write(|output| output.write_all(text.as_bytes()))
    }
}
