//! `treeglot eval`: scores of translations, and whether they differ.

mod options;

use anyhow::{Context, Result};
use options::MetricArgs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_metrics::Metric;
use treeglot_metrics::files::{self, Files};
use treeglot_text::Output;

const HELP: &str = "\
Example:
  treeglot eval --ref test.en baseline.out ours.out --metrics bleu,chrf,ter --paired bs";

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
    metric_args: MetricArgs,

    /// Take an empty line of a reference file for a missing reference, not for an empty one
    #[arg(long)]
    empty_is_missing: bool,

    /// Print one JSON object a system, with unrounded scores
    #[arg(long)]
    json: bool,

    /// How many threads work [default: all cores]; the output does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Where to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        pool.install(|| self.eval())
    }

    fn eval(&self) -> Result<()> {
        let mut metrics: Vec<Box<dyn Metric>> = self.metric_args.build()?;
        let files = Files {
            references: self.refs.clone(),
            hypotheses: self.hypotheses.clone(),
            empty_is_missing: self.empty_is_missing,
            ..Files::default()
        };
        let scored = files::score(&files, &mut metrics, false)?;
        let mut output = Output::create(&self.output)?;
        use std::io::Write;
        for (path, system) in self.hypotheses.iter().zip(&scored.systems) {
            let mut object = serde_json::Map::new();
            object.insert("system".into(), path.to_string_lossy().into());
            let mut signatures = serde_json::Map::new();
            for (metric, sums) in metrics.iter().zip(&system.sums) {
                object.insert(metric.name().into(), metric.score(sums).into());
                signatures.insert(metric.name().into(), metric.signature(scored.references).into());
            }
            object.insert("signature".into(), signatures.into());
            writeln!(output, "{}", serde_json::Value::from(object))?;
        }
        Ok(output.finish()?)
    }
}
