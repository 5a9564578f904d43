//! `treeglot align aer`.

use super::for_each_links;
use crate::args::{Json, OutputArgs, check_distinct, count, name};
use crate::print::json_line;
use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use treeglot_align::gold::{self, Agreement, Base, Scores};
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

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    out: OutputArgs,
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
        check_distinct(&self.gold, &self.links)?;
        let gold = gold::read(&mut Lines::open(&self.gold)?, self.base)?;
        let mut agreement = Agreement::default();
        let read = for_each_links(&self.links, |number, links, _| {
            if let Some(pair) = gold.get(number) {
                agreement.add(pair, links);
            }
            Ok(())
        })?;
        if read != gold.len() {
            let (links, of) = (name(&self.links), name(&self.gold));
            let (read, wanted) = (count(read, "line"), count(gold.len(), "line"));
            bail!("{links} has {read}, but {of} has {wanted}: score the same sentences");
        }
        self.out.write(|output| self.print(&agreement, output))
    }

    fn print(&self, agreement: &Agreement, output: &mut Output) -> std::io::Result<()> {
        let Agreement { sentences, links, sure, possible, .. } = *agreement;
        let scores = agreement.scores();
        if self.form.json {
            return json_line(output, &Report { scores, sentences, links, sure, possible });
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
