//! `treeglot lm query`.

use super::Work;
use crate::args::{OutputArgs, SkipBad};
use crate::print::plain_note;
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;
use treeglot_lm::depend::DepLm;
use treeglot_lm::{Lm, Total};
use treeglot_text::Lines;
use treeglot_text::vocab::Sym;
use treeglot_tree::TreeCounts;
use treeglot_tree::format::{ReadTrees, conllu};

const HELP: &str = "\
Each line of the output is the total log10 probability of the line of the text, its end included. Perplexity, with \
and without unknown words, is printed on standard error. With a model of `treeglot lm depbuild` the input is CoNLL-U \
trees, and each line of the output is the probability of a tree; one with cycles or several roots is scored as the tree \
that is sound in it, and counted.

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
    bad: SkipBad,

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
        let mut sum = Total::default();
        let mut sentences = 0u64;
        let skipped = lm.score_lines(&mut lines, self.bad.skip_bad, |total| -> Result<()> {
            match total {
                Some(total) => writeln!(output, "{}", total.prob as f32),
                None => writeln!(output),
            }
            .map_err(|e| output.error(e))?;
            sum += total.unwrap_or_default();
            sentences += u64::from(total.is_some());
            Ok(())
        })?;
        output.finish()?;
        if skipped.total() > 0 {
            self.work.notes.notes.note(&skipped.to_string());
        }
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
        let mut counts = TreeCounts::default();
        while let Some(parse) = reader.next_tree()? {
            let Some(tree) = counts.tree_of(&parse, self.bad.skip_bad)? else {
                writeln!(output).map_err(|e| output.error(e))?;
                continue;
            };
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
        if !counts.is_empty() {
            self.work.notes.notes.note(&counts.to_string());
        }
        if self.work.notes.verbose {
            plain_note(&format!("Trees: {trees}, words: {words}, log10 probability: {sum}"));
        }
        Ok(())
    }
}
