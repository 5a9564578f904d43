//! `treeglot tree join`.

use crate::args::{Files, name};
use anyhow::{Result, bail};
use std::path::PathBuf;
use treeglot_text::Lines;
use treeglot_tree::DepParse;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::transform::join::{RELATION, join_parses};

const HELP: &str = "\
A line of parallel text may hold several sentences, which parsers take one by one. This command reads as many trees as \
fill each line of the tokenised text and makes one structure of them: later roots hang from the first (Graham 2013, \
section 7), so that trees and lines are in step again.

Example:
  treeglot tree join --lines train.tok.de sentences.conllu > train.de.conllu";

/// The arguments of `treeglot tree join`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The tokenised text whose lines the trees are to be in step with
    #[arg(long, value_name = "FILE")]
    lines: PathBuf,

    /// The relation of later roots to the first
    #[arg(long, value_name = "LABEL", default_value = RELATION)]
    relation: String,

    #[command(flatten)]
    files: Files,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let mut lines = Lines::open(&self.lines)?;
        let mut reader = conllu::Reader::open(&self.files.input)?;
        let mut output = self.files.output()?;
        let (mut sentences, mut joined) = (0, 0);
        while let Some(line) = lines.next_line()? {
            let words = line.split_ascii_whitespace().count();
            let mut parts: Vec<DepParse> = Vec::new();
            let mut filled = 0;
            while filled < words {
                let Some(parse) = reader.next_tree()? else {
                    bail!("{}: the trees end before this line is filled", lines.place());
                };
                filled += parse.len();
                parts.push(parse);
            }
            if filled > words {
                let at = parts.last().map_or(0, DepParse::line);
                let file = name(&self.files.input);
                bail!("{file}:{at}: the trees have {filled} words where {} has {words}", lines.place());
            }
            sentences += parts.len();
            joined += 1;
            let (parse, _) = join_parses(&parts, &self.relation);
            conllu::write(&parse, &mut output).map_err(|e| output.error(e))?;
        }
        if let Some(parse) = reader.next_tree()? {
            bail!(
                "{}:{}: the trees go on after the last line of text",
                name(&self.files.input),
                parse.line()
            );
        }
        output.finish()?;
        self.files.note(&format!("{sentences} trees joined to {joined} lines"));
        Ok(())
    }
}
