//! `treeglot lm query`.

use super::Work;
use crate::args::OutputArgs;
use crate::print::plain_note;
use anyhow::Result;
use rayon::prelude::*;
use std::io::Write;
use std::path::PathBuf;
use treeglot_lm::depend::DepLm;
use treeglot_lm::{Lm, Total, words};
use treeglot_text::Lines;
use treeglot_text::vocab::Sym;
use treeglot_tree::Roots;
use treeglot_tree::format::{ReadTrees, conllu};

const HELP: &str = "\
Each line of the output is the total log10 probability of the line of the text, its end included. Perplexity, with \
and without unknown words, is printed on standard error. With a model of `treeglot lm depbuild` the input is CoNLL-U \
trees, and each line of the output is the probability of a tree.

Examples:
  treeglot lm query train.en.lm < test.tok.en > test.scores
  treeglot lm query train.en.arpa.gz test.tok.en
  treeglot lm query train.en.deplm test.en.conllu";

/// The arguments of `treeglot lm query`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The model: binary (mapped), or ARPA, plain or packed
    #[arg(value_name = "LM")]
    model: PathBuf,

    /// The text, one sentence a line, or trees for a dependency language model; `.gz` and `.zst` are unpacked
    #[arg(value_name = "TEXT", default_value = "-")]
    input: PathBuf,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    work: Work,
}

impl Args {
    pub fn run(self) -> Result<()> {
        self.work.threads.run(|| self.query())
    }

    fn query(&self) -> Result<()> {
        let lm = Lm::open(&self.model)?;
        lm.verify()?;
        if DepLm::is_dependency_model(&lm) {
            return self.trees(&DepLm::new(lm).expect("it is one"));
        }
        let mut lines = Lines::open(&self.input)?;
        let mut output = self.out.create()?;
        let mut batch = Batch::default();
        let mut sum = Total::default();
        let mut sentences = 0u64;
        while batch.fill(&mut lines)? {
            for total in batch.score(&lm) {
                writeln!(output, "{}", total.prob as f32).map_err(|e| output.error(e))?;
                sum += total;
                sentences += 1;
            }
        }
        output.finish()?;
        if !self.work.notes.notes.quiet {
            plain_note(&format!("Perplexity including OOVs: {}", sum.perplexity()));
            plain_note(&format!("Perplexity excluding OOVs: {}", sum.perplexity_known()));
        }
        if self.work.notes.verbose {
            let Total { tokens, oovs, prob, .. } = sum;
            plain_note(&format!(
                "Sentences: {sentences}, tokens: {tokens}, OOVs: {oovs}, log10 probability: {prob}"
            ));
        }
        Ok(())
    }

    /// Scores trees by a dependency language model.
    fn trees(&self, lm: &DepLm) -> Result<()> {
        let mut reader = conllu::Reader::open(&self.input)?;
        let mut output = self.out.create()?;
        let tables = lm.tables();
        let scorer = lm.scorer(&tables);
        let (mut trees, mut words, mut sum) = (0u64, 0u64, 0f64);
        while let Some(parse) = reader.next_tree()? {
            let tree = parse.checked_tree(Roots::AttachToFirst)?;
            let symbols: Vec<Sym> = parse.forms().map(|form| lm.symbol(form)).collect();
            let prob = scorer.tree(&tree, &symbols);
            writeln!(output, "{}", prob as f32).map_err(|e| output.error(e))?;
            trees += 1;
            words += symbols.len() as u64;
            sum += prob;
        }
        output.finish()?;
        if !self.work.notes.notes.quiet && words > 0 {
            plain_note(&format!("Perplexity including OOVs: {}", 10f64.powf(-sum / words as f64)));
        }
        if self.work.notes.verbose {
            plain_note(&format!("Trees: {trees}, words: {words}, log10 probability: {sum}"));
        }
        Ok(())
    }
}

/// Some lines of the text.
#[derive(Default)]
struct Batch {
    text: String,
    ends: Vec<usize>,
}

impl Batch {
    /// Takes the next lines; whether there were any.
    fn fill(&mut self, lines: &mut Lines) -> Result<bool> {
        self.text.clear();
        self.ends.clear();
        while self.text.len() < 1 << 19 {
            let Some(line) = lines.next_line()? else { break };
            self.text.push_str(line);
            self.ends.push(self.text.len());
        }
        Ok(!self.ends.is_empty())
    }

    fn line(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    fn score(&self, lm: &Lm) -> Vec<Total> {
        let tables = lm.tables();
        let score = |symbols: &mut Vec<Sym>, at: usize| {
            symbols.clear();
            symbols.extend(words(self.line(at)).map(|word| lm.symbol(word)));
            tables.sentence(symbols)
        };
        (0..self.ends.len()).into_par_iter().with_min_len(64).map_init(Vec::new, score).collect()
    }
}
