//! `treeglot score`.

use crate::args::TableArgs;
use crate::errors::wrong;
use anyhow::Result;
use clap::ValueEnum;
use std::path::PathBuf;
use treeglot_grammar::{Counter, MAX_ORIGINS, ScoreInputs, ScoreSettings, Scratch, is_counts, write_table};
use treeglot_text::Input;

const HELP: &str = "\
Instances are lines `source ||| target ||| links ||| count`, as `treeglot extract` and Moses' extractors write them. Their \
counts are added up, and every distinct rule gets the scores of Moses: p(s|t), lex(s|t), p(t|s), lex(t|s), and reordering \
scores where the instances have orientations. The table does not depend on the number of threads, on `--memory`, or on how \
the instances are split.

Examples:
  treeglot extract hiero --src train.de --tgt train.en --links train.links | treeglot score --lex lex -o rules.table
  treeglot score --from part1.gz --from part2.gz --discount kn --limit 100 -o rules.table
  treeglot score --from string.gz --from trees.gz --weight 1 --weight 0.5 -o both.table";

/// The arguments of `treeglot score`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Rule instances, or counts that `--counts-out` wrote; give it again to add more up [default: standard input]
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,

    /// What the counts of a `--from` are multiplied with: one a `--from`, in order [default: 1]
    #[arg(long, value_name = "W")]
    weight: Vec<f64>,

    /// Where to write the table
    #[arg(short, long, value_name = "TABLE", required_unless_present = "counts_out")]
    output: Option<PathBuf>,

    /// Write the counts to a binary file, smaller and read faster than text, for `--from` of another `score`
    #[arg(long, value_name = "FILE")]
    counts_out: Option<PathBuf>,

    /// Read the probabilities of words from PREFIX.f2e and PREFIX.e2f, as `align --lex` and Moses write them; without it
    /// they are relative frequencies of the links of the instances themselves
    #[arg(long, value_name = "PREFIX", conflicts_with = "lexical")]
    lex: Option<PathBuf>,

    /// The settings of another program: `moses` discounts nothing
    #[arg(long, value_enum, value_name = "WHOSE", conflicts_with = "discount")]
    preset: Option<Preset>,

    #[command(flatten)]
    settings: ScoreSettings,

    /// The source sentences for `--significance`
    #[arg(long, value_name = "FILE", requires = "significance", requires = "tgt")]
    src: Option<PathBuf>,

    /// The target sentences for `--significance`
    #[arg(long, value_name = "FILE", requires = "significance", requires = "src")]
    tgt: Option<PathBuf>,

    /// Give rules a score for each source of instances, which tells whether the rule is one of theirs (logarithm 1, else 0): by
    /// what the instances say, as `extract` tells trees of several parsers apart, or by `--from`
    #[arg(long, value_enum, value_name = "HOW")]
    origins: Option<Origins>,

    #[command(flatten)]
    table: TableArgs,
}

/// Whose settings to take.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// Those of Moses' `score` and `consolidate`
    Moses,
}

/// What tells the sources of instances apart.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Origins {
    /// What the instances say
    Instances,
    /// Which file they are in
    Files,
}

impl Args {
    pub fn run(self) -> Result<()> {
        self.table.threads.run(|| self.work())
    }

    fn work(&self) -> Result<()> {
        let memory = self.table.scratch.memory();
        let scratch = Scratch::within(memory, self.table.scratch.temp());
        let mut counter = Counter::new(memory / 2, &scratch);
        for (number, (path, weight)) in self.inputs()?.into_iter().enumerate() {
            counter.set_origin((self.origins == Some(Origins::Files)).then_some(number as u8));
            if is_counts(&path) {
                counter.add_counts(&path, weight)?;
            } else {
                counter.add_text(Input::open(path)?, weight)?;
            }
        }
        let mut counted = counter.finish()?;
        if let Some(path) = &self.counts_out {
            counted.write(path)?;
        }
        let Some(output) = &self.output else { return Ok(()) };
        let written = write_table(counted, &self.settings(), &self.score_inputs(memory), &scratch, output)?;
        let (rules, seen) = (written.rules, written.seen);
        self.table.notes.note(&format!("{rules} of {seen} rules in {}", output.display()));
        Ok(())
    }

    fn inputs(&self) -> Result<Vec<(PathBuf, f64)>> {
        let from = if self.from.is_empty() { vec![PathBuf::from("-")] } else { self.from.clone() };
        if !self.weight.is_empty() && self.weight.len() != from.len() {
            wrong!("{} --from but {} --weight: give one a --from, or none", from.len(), self.weight.len());
        }
        let most = usize::from(MAX_ORIGINS);
        let told_apart = self.origins == Some(Origins::Files);
        if told_apart && from.len() > most {
            wrong!("at most {most} --from can be told apart");
        }
        if self.weight.iter().any(|w| *w <= 0.0) {
            wrong!("a --weight is a number above 0");
        }
        let weights = self.weight.iter().copied().chain(std::iter::repeat(1.0));
        Ok(from.into_iter().zip(weights).collect())
    }

    fn settings(&self) -> ScoreSettings {
        let discount = if self.preset == Some(Preset::Moses) {
            ScoreSettings::moses().discount
        } else {
            self.settings.discount
        };
        ScoreSettings { discount, origins: self.origins.is_some(), ..self.settings.clone() }
    }

    fn score_inputs(&self, memory: u64) -> ScoreInputs {
        let corpus = self.src.clone().zip(self.tgt.clone()).map(|(src, tgt)| [src, tgt]);
        ScoreInputs { model: self.table.model.clone(), lex: self.lex.clone(), corpus, memory }
    }
}
