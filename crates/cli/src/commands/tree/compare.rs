//! `treeglot tree compare`.

use super::format_of;
use crate::args::{Json, OutputArgs, name};
use crate::errors::wrong;
use crate::print::json_line;
use anyhow::{Result, bail};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use treeglot_text::Output;
use treeglot_tree::compare::{
    ATTACHMENT_COLUMNS, Agreement, AttachmentScore, BracketOptions, BracketScore, InStep, Match,
};
use treeglot_tree::format::{Content, Format, ReadTrees, ptb};
use treeglot_tree::{ConTree, DepParse};

const HELP: &str = "\
Dependency parses (CoNLL-U, CoNLL-X, CoNLL-09): for every two files the share of equal roots and of equal heads (Wu 2012, table 2); \
with --gold, precision and recall of heads and relations (table 3). Constituency trees (PTB): labelled bracket \
precision, recall and F1 against --gold, or against the first file. All files must have the same words.

Examples:
  treeglot tree compare val.en.malt.conllu val.en.lth.conll val.en.stanford.conll
  treeglot tree compare --gold test.conllu --json parser1.conllu parser2.conllu";

/// The arguments of `treeglot tree compare`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The parses to compare
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,

    /// The right trees
    #[arg(long, value_name = "FILE")]
    gold: Option<PathBuf>,

    /// The format of the files, where their names do not tell it
    #[arg(long, value_name = "FMT")]
    format: Option<Format>,

    /// Compare sentences of the same length even if their words differ (case, escapes)
    #[arg(long)]
    ignore_words: bool,

    /// Compare brackets without their labels
    #[arg(long)]
    unlabelled: bool,

    /// Count the brackets' punctuation too
    #[arg(long)]
    punctuation: bool,

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    out: OutputArgs,
}

#[derive(Serialize)]
struct DepReport {
    agreement: Agreement,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gold: Vec<Named<AttachmentScore>>,
}

#[derive(Serialize)]
struct Named<T> {
    file: String,
    #[serde(flatten)]
    score: T,
}

type Reader<T> = (Arc<str>, Box<dyn ReadTrees<Tree = T>>);

impl Args {
    pub fn run(self) -> Result<()> {
        let paths: Vec<&PathBuf> = self.gold.iter().chain(&self.inputs).collect();
        if paths.len() < 2 {
            wrong!("one file cannot be compared: give a second one, or --gold");
        }
        let formats = paths.iter().map(|p| format_of(self.format, p)).collect::<Result<Vec<_>>>()?;
        if formats.iter().all(|&f| f == ptb::FORMAT) {
            return self.brackets(&paths);
        }
        let files = paths.iter().zip(&formats).map(|(path, format)| open(path, *format));
        let files = files.collect::<Result<Vec<_>>>()?;
        self.heads(files)
    }

    fn how(&self) -> Match {
        if self.ignore_words { Match::Length } else { Match::Forms }
    }

    fn heads(&self, files: Vec<Reader<DepParse>>) -> Result<()> {
        let mut in_step = InStep::new(files, self.how());
        let names: Vec<String> = self.inputs.iter().map(|p| name(p)).collect();
        let mut report = DepReport { agreement: Agreement::new(names.clone()), gold: Vec::new() };
        if self.gold.is_some() {
            report.gold =
                names.into_iter().map(|file| Named { file, score: AttachmentScore::default() }).collect();
        }
        while let Some(parses) = in_step.next_sentences()? {
            match &self.gold {
                None => report.agreement.add(&parses),
                Some(_) => {
                    report.agreement.add(&parses[1..]);
                    for (score, parse) in report.gold.iter_mut().zip(&parses[1..]) {
                        score.score.add(&parses[0], parse);
                    }
                }
            }
        }
        self.out.write(|output| self.print_heads(&report, output))
    }

    fn print_heads(&self, report: &DepReport, out: &mut Output) -> std::io::Result<()> {
        if self.form.json {
            return json_line(out, report);
        }
        if report.agreement.names.len() > 1 {
            write!(out, "{}", report.agreement)?;
        }
        for Named { file, score } in &report.gold {
            writeln!(out, "\n{file}\n{ATTACHMENT_COLUMNS}\n{score}")?;
        }
        Ok(())
    }

    fn brackets(&self, paths: &[&PathBuf]) -> Result<()> {
        let mut files: Vec<Reader<Option<ConTree>>> = Vec::new();
        for path in paths {
            files.push((name(path).into(), Box::new(ptb::Reader::open(path, ptb::BracketLayout::Free)?)));
        }
        let mut options = BracketOptions { labels: !self.unlabelled, ..BracketOptions::default() };
        if self.punctuation {
            options.ignored_tags = vec!["-NONE-".to_string()];
        }
        let mut scores: Vec<Named<BracketScore>> = paths[1..]
            .iter()
            .map(|path| Named { file: name(path), score: BracketScore::default() })
            .collect();
        let mut in_step = InStep::new(files, self.how());
        while let Some(trees) = in_step.next_sentences()? {
            let Some(gold) = &trees[0] else { continue };
            for (score, tree) in scores.iter_mut().zip(&trees[1..]) {
                score.score.add(gold, tree.as_ref(), &options);
            }
        }
        self.out.write(|output| self.print_brackets(&scores, output))
    }

    fn print_brackets(&self, scores: &[Named<BracketScore>], out: &mut Output) -> std::io::Result<()> {
        for named in scores {
            if self.form.json {
                json_line(out, named)?;
            } else {
                writeln!(out, "{}\n{}", named.file, named.score)?;
            }
        }
        Ok(())
    }
}

fn open(path: &PathBuf, format: Format) -> Result<Reader<DepParse>> {
    if format.content() != Content::Dependencies {
        bail!("{}: compare reads conllu, conllx and conll09, or ptb for all files, not {format}", name(path));
    }
    Ok((name(path).into(), format.open_dependencies(path)?))
}
