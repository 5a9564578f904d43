//! `treeglot parse eval`.

use crate::args::{Json, OutputArgs, SkipBad, check_inputs, name};
use crate::print::json_line;
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use treeglot_parse::{DepMetric, Evaluation, Treebank, plain};
use treeglot_text::Output;
use treeglot_tree::compare::{BracketOptions, BracketScore};
use treeglot_tree::format::{Content, Format, ReadTrees, ptb};
use treeglot_tree::{ConTree, DepParse, TreeKind};

const HELP: &str = "\
Dependency parses are scored by the definition of the CoNLL 2018 shared task: the words of both files are aligned over the \
characters of the text, and a figure is the F1 of what is right among them. Constituency trees are scored as evalb does with \
COLLINS.prm: labelled brackets, punctuation and traces left aside. The names of the files tell which they are.

Examples:
  treeglot parse eval --gold en_ewt-ud-test.conllu parsed.conllu
  treeglot parse eval --gold wsj-test.mrg.gz --json parsed.ptb";

/// The arguments of `treeglot parse eval`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The right trees
    #[arg(long, value_name = "FILE")]
    gold: PathBuf,

    /// The parses
    #[arg(value_name = "FILE", default_value = "-")]
    input: PathBuf,

    /// Compare the words of dependency trees alone, in their order, and leave multi-word tokens aside
    #[arg(long)]
    words: bool,

    /// Print also precision, recall and counts
    #[arg(short, long)]
    verbose: bool,

    #[command(flatten)]
    bad: SkipBad,

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    out: OutputArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        check_inputs([self.gold.as_path(), self.input.as_path()])?;
        let constituents = [&self.gold, &self.input]
            .iter()
            .any(|path| Format::of_file(path).is_some_and(|f| f.content() == Content::Constituents));
        if constituents { self.brackets() } else { self.dependencies() }
    }

    fn dependencies(&self) -> Result<()> {
        let gold = Treebank::open(TreeKind::Dependency, [&self.gold], self.bad.skip_bad)?;
        // A parse that is no tree is scored all the same: its wrong heads are wrong.
        let system = Treebank::open(TreeKind::Dependency, [&self.input], true)?;
        if gold.is_empty() {
            bail!("{}: there are no trees to compare with", name(&self.gold));
        }
        let scores = match self.words {
            false => Evaluation::of(gold.parses(), system.parses())?,
            true => Evaluation::of(&without_tokens(&gold), &without_tokens(&system))?,
        };
        self.out.write(|out| self.print_dependencies(&scores, out))
    }

    fn print_dependencies(&self, scores: &Evaluation, out: &mut Output) -> io::Result<()> {
        if self.form.json {
            let mut object = Map::from_iter([("file".to_string(), Value::from(name(&self.input)))]);
            for metric in DepMetric::ALL {
                let counts = scores.get(metric);
                let (precision, recall) = (100.0 * counts.precision(), 100.0 * counts.recall());
                let aligned = counts.aligned_accuracy().map(|a| 100.0 * a);
                let f1 = 100.0 * counts.f1();
                let value = json!({ "precision": precision, "recall": recall, "f1": f1, "aligned-accuracy": aligned });
                object.insert(metric.name().to_string(), value);
            }
            return json_line(out, &object);
        }
        if self.verbose {
            return writeln!(out, "{scores}");
        }
        let line = |metric: DepMetric| format!("{:<8}{:6.2}", metric.name(), 100.0 * scores.get(metric).f1());
        DepMetric::ALL.into_iter().try_for_each(|metric| writeln!(out, "{}", line(metric)))
    }

    fn brackets(&self) -> Result<()> {
        let gold = Treebank::open(TreeKind::Constituency, [&self.gold], self.bad.skip_bad)?;
        let trees: Vec<&ConTree> = gold.trees().collect();
        let mut reader = ptb::Reader::open(&self.input, ptb::BracketLayout::Free)?;
        let mut score = BracketScore::default();
        let mut number = 0;
        while let Some(tree) = reader.next_tree()? {
            let Some(gold) = trees.get(number) else {
                bail!("{}: there are more trees than the {} of {}", reader.place(), number, name(&self.gold));
            };
            number += 1;
            let tree = tree.and_then(|tree| plain(&tree).ok());
            if let Some(tree) = tree.as_ref().filter(|tree| !tree.forms().eq(gold.forms())) {
                let differ = tree.forms().zip(gold.forms()).find(|(a, b)| a != b);
                let (here, there) = differ.unwrap_or(("the end", "the end"));
                let place = reader.place();
                bail!("{place}: tree {number} has `{here}`, but the gold tree `{there}`");
            }
            score.add(gold, tree.as_ref(), &BracketOptions::collins());
        }
        if number < trees.len() {
            let (gold, input) = (name(&self.gold), name(&self.input));
            bail!("{input}: there are {number} trees, but {} in {gold}", trees.len());
        }
        self.out.write(|out| self.print_brackets(&score, out))
    }

    fn print_brackets(&self, score: &BracketScore, out: &mut Output) -> io::Result<()> {
        let shares = [
            ("precision", score.precision()),
            ("recall", score.recall()),
            ("f1", score.f1()),
            ("exact", score.exact_share()),
            ("tags", score.tag_share()),
        ];
        if self.form.json {
            let mut object = Map::from_iter([("file".to_string(), Value::from(name(&self.input)))]);
            object.extend(shares.map(|(name, share)| (name.to_string(), Value::from(100.0 * share))));
            object.insert("sentences".to_string(), score.sentences.into());
            object.insert("failed".to_string(), score.failed.into());
            return json_line(out, &object);
        }
        for (name, share) in shares {
            writeln!(out, "{name:<10}{:6.2}", 100.0 * share)?;
        }
        if self.verbose {
            writeln!(out, "{score}")?;
        }
        Ok(())
    }
}

/// The words of parses with their columns and heads only.
fn without_tokens(bank: &Treebank) -> Vec<DepParse> {
    let words = |parse: &DepParse| {
        let mut words = DepParse::at(parse.place().clone());
        for w in parse.words() {
            words.push(parse.columns(w), parse.raw_head(w));
        }
        words
    };
    bank.parses().iter().map(words).collect()
}
