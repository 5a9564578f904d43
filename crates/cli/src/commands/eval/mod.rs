//! `treeglot eval`: scores of translations, and whether they differ.

mod report;
mod worst;

use crate::args::{Json, OutputArgs, Quiet, Threads, check_inputs, name};
use crate::errors::wrong;
use anyhow::{Result, bail};
use report::{Cell, Report};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_metrics::files::{self, Files, Scored};
use treeglot_metrics::significance::{confidence, p_value};
use treeglot_metrics::tokenize::Tokenizer;
use treeglot_metrics::{EvalSettings, Metric, Paired};
use treeglot_pipeline::translator::Translator;
use treeglot_text::Lines;

/// So many lines of a reference are looked at to tell its script.
const LOOKED_AT: usize = 200;

const HELP: &str = "\
BLEU, chrF and TER are sacreBLEU's to the last digit, NIST is mteval-v13a's, METEOR is version 1.5's when given its \
resources, LRscore is that of Birch and Osborne (2010) and comes with its part R, the word order alone.

Examples:
  treeglot eval --ref test.en ours.out
  treeglot eval --ref test.en baseline.out ours.out --metrics bleu,chrf,ter --paired bs
  treeglot eval --ref a.en --ref b.en ours.out --metrics bleu,0.5*bleu+0.5*chrf --sentence
  treeglot eval --ref test.en ours.out --worst 20 --source test.de --bundle de-en
  treeglot eval --ref test.en ours.out --metrics lr --lr-ref-links ref.links --lr-hyp-links ours.links";

/// The arguments of `treeglot eval`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A reference translation; give it several times for several references
    #[arg(long = "ref", value_name = "FILE", required = true)]
    refs: Vec<PathBuf>,

    /// The translations to score, one file a system; the first is the baseline of --paired
    #[arg(value_name = "HYP", required = true)]
    hypotheses: Vec<PathBuf>,

    #[command(flatten)]
    settings: EvalSettings,

    /// Print confidence intervals of 95% by bootstrap; --paired bs does so too
    #[arg(long)]
    confidence: bool,

    /// Print the scores of every sentence instead, with tabs between them
    #[arg(long, conflicts_with_all = ["paired", "confidence"])]
    sentence: bool,

    /// Print the N worst sentences of each system by the first metric instead, with their references
    #[arg(long, value_name = "N", conflicts_with_all = ["paired", "confidence", "sentence"])]
    worst: Option<NonZeroUsize>,

    /// The source text, shown beside the worst sentences
    #[arg(long, value_name = "FILE", requires = "worst")]
    source: Option<PathBuf>,

    /// A bundle that translates the worst sentences again and shows the rules it uses
    #[arg(long, value_name = "DIR", requires = "source")]
    bundle: Option<PathBuf>,

    /// Take an empty line of a reference file for a missing reference, not for an empty one
    #[arg(long)]
    empty_is_missing: bool,

    /// The links between source and first reference, for lr and r
    #[arg(long, value_name = "FILE", requires = "lr_hyp_links")]
    lr_ref_links: Option<PathBuf>,

    /// The links between source and translation, for lr and r; once for each HYP
    #[arg(long, value_name = "FILE", requires = "lr_ref_links")]
    lr_hyp_links: Vec<PathBuf>,

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    notes: Quiet,

    /// Print also what the scores were made from, and their signatures
    #[arg(short, long)]
    verbose: bool,
}

impl Args {
    pub fn run(self) -> Result<()> {
        self.check()?;
        self.threads.run(|| self.eval())
    }

    fn check(&self) -> Result<()> {
        if self.tests() && self.hypotheses.len() < 2 {
            wrong!("--paired compares systems with the first: give two HYP files or more");
        }
        if !self.lr_hyp_links.is_empty() && self.lr_hyp_links.len() != self.hypotheses.len() {
            let (links, systems) = (self.lr_hyp_links.len(), self.hypotheses.len());
            wrong!(
                "--lr-hyp-links is given {links} times, but there are {systems} HYP files: give it once for each"
            );
        }
        let links = self.lr_ref_links.iter().chain(&self.lr_hyp_links);
        if self.worst.is_some()
            && self.refs.iter().chain(&self.hypotheses).any(|path| path.as_os_str() == "-")
        {
            wrong!("--worst reads texts twice: give files instead of standard input");
        }
        let paths = self.refs.iter().chain(&self.hypotheses).chain(links).chain(&self.source);
        check_inputs(paths.map(PathBuf::as_path))
    }

    fn eval(&self) -> Result<()> {
        let mut metrics = self.settings.build(self.fitting_tokenizer()?)?;
        if metrics.iter().any(|metric| metric.needs_study())
            && self.refs.iter().any(|path| path.as_os_str() == "-")
        {
            wrong!("NIST reads the references twice: give a file instead of standard input for --ref");
        }
        let files = Files {
            references: self.refs.clone(),
            hypotheses: self.hypotheses.clone(),
            reference_links: self.lr_ref_links.clone(),
            hypothesis_links: self.lr_hyp_links.clone(),
            empty_is_missing: self.empty_is_missing,
        };
        let keep = self.sentence || self.confidence || self.tests() || self.worst.is_some();
        let scored = files::score(&files, &mut metrics, keep)?;
        if scored.sentences == 0 {
            bail!("{} has no lines: there is nothing to score", name(&self.refs[0]));
        }
        let json = self.form.json;
        if let Some(count) = self.worst {
            return self.write_worst(&metrics, &scored, count.get());
        }
        self.out.write(|output| match self.sentence {
            true => report::sentences(&self.names(), &metrics, &scored, json, output),
            false => self.report(&metrics, &scored).write(json, self.verbose, output),
        })
    }

    /// The tokeniser that fits the references, where none is named. Where their script has no blanks, 13a takes a sentence for a word,
    /// and is refused.
    fn fitting_tokenizer(&self) -> Result<Tokenizer> {
        let Some(file) = self.refs.iter().find(|path| path.as_os_str() != "-") else {
            return Ok(Tokenizer::default());
        };
        let (mut lines, mut first) = (Lines::open(file)?, Vec::new());
        while let (true, Ok(Some(line))) = (first.len() < LOOKED_AT, lines.next_line()) {
            first.push(line.to_string());
        }
        let fitting = Tokenizer::of_text(first.iter().map(String::as_str));
        let cuts =
            self.settings.metrics.iter().any(|metric| metric.contains("bleu") || metric.contains("nist"));
        if fitting == Tokenizer::default() || !cuts {
            return Ok(fitting);
        }
        let (words, characters) = first.iter().fold((0, 0), |(words, characters), line| {
            (words + line.split_whitespace().count(), characters + line.chars().count())
        });
        let name = fitting.name();
        match self.settings.tokenize {
            None => {
                self.notes.note(&format!("{}: tokens are counted by --tokenize {name}", file.display()));
            }
            Some(Tokenizer::V13a) if characters > 6 * words => {
                wrong!(
                    "{}: its script has no blanks, so 13a takes sentences for words: --tokenize {name} does not",
                    file.display()
                );
            }
            Some(_) => {}
        }
        Ok(fitting)
    }

    fn write_worst(&self, metrics: &[Box<dyn Metric>], scored: &Scored, count: usize) -> Result<()> {
        let Some(metric) = metrics.first() else { return Ok(()) };
        let read =
            |paths: &[PathBuf]| paths.iter().map(|path| worst::lines(path)).collect::<Result<Vec<_>>>();
        let texts = worst::Texts {
            source: self.source.as_deref().map(worst::lines).transpose()?,
            references: read(&self.refs)?,
            hypotheses: read(&self.hypotheses)?,
        };
        if let Some(source) = texts.source.as_ref().filter(|source| source.len() != scored.sentences) {
            bail!("the source has {} lines, but {} were scored", source.len(), scored.sentences);
        }
        let translator = self.bundle.as_ref().map(|bundle| Translator::open([bundle])).transpose()?;
        let mut shown = Vec::new();
        for (at, name) in self.names().iter().enumerate() {
            let statistics = &scored.systems[at].statistics[0];
            let lines = worst::worst(metric.as_ref(), statistics, count);
            let beside = (&texts, translator.as_ref());
            worst::write((name, at), metric.as_ref(), &lines, beside, self.form.json, &mut shown)?;
        }
        self.out.write(|output| output.write_all(&shown))
    }

    /// Whether systems are compared.
    fn tests(&self) -> bool {
        self.settings.paired != Paired::None
    }

    fn names(&self) -> Vec<String> {
        self.hypotheses.iter().map(|path| name(path)).collect()
    }

    fn report<'a>(&self, metrics: &'a [Box<dyn Metric>], scored: &Scored) -> Report<'a> {
        let intervals = self.confidence || self.settings.paired == Paired::Bootstrap;
        let EvalSettings { paired, seed, .. } = self.settings;
        let samples = |test| self.settings.samples(test);
        let mut rows = Vec::new();
        for (ix, system) in scored.systems.iter().enumerate() {
            let mut row = Vec::new();
            for (of, metric) in metrics.iter().enumerate() {
                let metric = metric.as_ref();
                let own = &system.statistics[of];
                let first = &scored.systems[0].statistics[of];
                let confidence = intervals.then(|| confidence(metric, own, samples(Paired::Bootstrap), seed));
                let test = if ix > 0 { paired } else { Paired::None };
                let p = p_value(metric, first, own, test, samples(test), seed);
                row.push(Cell {
                    score: metric.score(&system.sums[of]),
                    confidence,
                    p,
                    details: metric.details(&system.sums[of]),
                });
            }
            rows.push(row);
        }
        Report {
            names: self.names(),
            metrics,
            rows,
            sentences: scored.sentences,
            references: scored.references,
            paired: self.tests().then(|| (paired, samples(paired))),
            interval_samples: intervals.then(|| samples(Paired::Bootstrap)),
            seed,
        }
    }
}
