//! `treeglot align aer`.

use crate::commands::common;
use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use treeglot_align::gold::{self, Agreement, Base, Scores};
use treeglot_align::links::parse;
use treeglot_text::{Lines, Output};

const HELP: &str = "\
Gold links are read as `1-1 2p3` with p, ? or : for possible links, as JSON lines with `alignment`, or as `sentence src \
tgt S|P`, one link a line.

Example:
  treeglot align aer --gold enfr.gold links";

/// The arguments of `treeglot align aer`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The gold links
    #[arg(long, value_name = "FILE")]
    gold: PathBuf,

    /// From which number the gold links count positions; auto: from 0 if a 0 occurs in the file
    #[arg(long, value_name = "BASE", default_value = "auto", value_parser = base_parser())]
    base: Base,

    /// The links to score, counted from 0
    #[arg(value_name = "LINKS", default_value = "-")]
    links: PathBuf,

    /// Print a JSON object
    #[arg(long)]
    json: bool,

    /// Where to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

fn base_parser() -> impl TypedValueParser<Value = Base> {
    PossibleValuesParser::new(["auto", "0", "1"]).map(|name| match name.as_str() {
        "0" => Base::Zero,
        "1" => Base::One,
        _ => Base::Auto,
    })
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scores: Scores,
    sentences: usize,
    links: usize,
    sure: usize,
    possible: usize,
}

impl Args {
    pub fn run(self) -> Result<()> {
        super::check_distinct(&self.gold, &self.links)?;
        let gold = gold::read(&mut Lines::open(&self.gold)?, self.base)?;
        let mut lines = Lines::open(&self.links)?;
        let mut agreement = Agreement::default();
        let mut read = 0;
        loop {
            let links = match lines.next_line()? {
                None => break,
                Some(line) => line.to_string(),
            };
            let links = parse(&links, &lines.place())?;
            if let Some(pair) = gold.get(read) {
                agreement.add(pair, &links);
            }
            read += 1;
        }
        if read != gold.len() {
            let (links, of) = (common::name(&self.links), common::name(&self.gold));
            bail!(
                "{links} has {}, but {of} has {}: score the same sentences",
                lines_of(read),
                lines_of(gold.len())
            );
        }
        let mut output = Output::create(&self.output)?;
        self.print(&agreement, &mut output).map_err(|e| output.error(e))?;
        Ok(output.finish()?)
    }

    fn print(&self, agreement: &Agreement, output: &mut Output) -> std::io::Result<()> {
        let Agreement { sentences, links, sure, possible, .. } = *agreement;
        let scores = agreement.scores();
        if self.json {
            serde_json::to_writer(&mut *output, &Report { scores, sentences, links, sure, possible })?;
            return writeln!(output);
        }
        let Scores { aer, precision, recall, f1 } = scores;
        let percent = |share: f64| format!("{:.2}%", share * 100.0);
        writeln!(output, "AER        {}", percent(aer))?;
        writeln!(output, "precision  {}", percent(precision))?;
        writeln!(output, "recall     {}", percent(recall))?;
        writeln!(output, "F1         {}", percent(f1))?;
        writeln!(
            output,
            "{links} links in {sentences} pairs; gold: {sure} sure, {possible} with possible ones"
        )
    }
}

fn lines_of(n: usize) -> String {
    common::count(n, "line")
}
