//! `treeglot quickstart`: the sample written out and described, every model trained on it and compared.

use crate::args::{StageArgs, check_folder};
use crate::print::print;
use crate::signals::kept_when_interrupted;
use anyhow::Result;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_pipeline::{Cache, REPORT, Recipe, Results, publish, run_experiment};
use treeglot_sample::{Sample, SamplePair, SampleSentence};
use treeglot_text::Output;
use treeglot_tree::stats::{ConStats, DepStats};

/// The arguments of `treeglot quickstart`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder to write to; it is made if it does not exist
    #[arg(value_name = "DIR", default_value = "quickstart")]
    output: PathBuf,

    #[command(flatten)]
    work: StageArgs,
}

/// The systems of the comparison: every model there is.
const RECIPE: &str = include_str!("quickstart.toml");

impl Args {
    pub fn run(self) -> Result<()> {
        check_folder(&self.output, &["sample", "cache"])?;
        let sample = Sample::embedded();
        let folder = self.output.join("sample");
        treeglot_sample::write_to(sample, &folder)?;
        print(|out| self.print(sample, out))?;
        let recipe = Recipe::parse(RECIPE, Path::new("quickstart.toml"), &folder, None)?;
        kept_when_interrupted(&self.output.join("cache"));
        let results = self.work.run(|resources, progress| {
            let cache = Cache::open(self.output.join("cache"))?;
            run_experiment(&recipe, &cache, resources, progress)
        })?;
        publish(&recipe, &results, &self.output)?;
        print(|out| self.conclude(&results, out))
    }

    fn conclude(&self, results: &Results, out: &mut Output) -> std::io::Result<()> {
        writeln!(out, "\nEvery model, trained on the sample and tuned:\n")?;
        for direction in &results.directions {
            writeln!(out, "{}", direction.text())?;
        }
        writeln!(out, "Open the report:     {} in a browser", self.output.join(REPORT).display())?;
        let best =
            results.directions.first().and_then(|direction| Some((direction, direction.best_of_text()?)));
        let Some((direction, best)) = best else { return Ok(()) };
        let bundle = direction.bundle(best, &self.output);
        writeln!(out, "Translate yourself:  treeglot translate -m {} --explain", bundle.display())?;
        writeln!(
            out,
            "                     ({}, the best of those that take a sentence as you type it)",
            best.name
        )
    }

    fn print(&self, sample: &Sample, out: &mut Output) -> std::io::Result<()> {
        let parts = [("train", &sample.train), ("dev", &sample.dev), ("test", &sample.test)];
        writeln!(out, "The embedded German-English sample, in {}:\n", self.output.join("sample").display())?;
        writeln!(
            out,
            "{:<10}{:>8}{:>9}{:>9}{:>9}{:>9}{:>16}{:>8}{:>14}",
            "",
            "pairs",
            "words",
            "distinct",
            "shortest",
            "longest",
            "non-projective",
            "depth",
            "constituents"
        )?;
        for (name, pairs) in parts {
            for (language, side) in [("de", source as fn(&SamplePair) -> &SampleSentence), ("en", target)] {
                print_side(out, &format!("{name} {language}"), pairs, side)?;
            }
        }
        writeln!(out, "\nOne pair of the test part, with its links:\n")?;
        if let Some(pair) = sample.test.first() {
            let links: Vec<String> = pair.links.iter().map(|(j, i)| format!("{j}-{i}")).collect();
            writeln!(out, "  de     {}\n  en     {}", pair.source.raw, pair.target.raw)?;
            writeln!(out, "  links  {}", links.join(" "))?;
        }
        let folder = self.output.join("sample");
        writeln!(out, "\nLook at its trees:   treeglot tree stats -v {}/train.de.conllu", folder.display())?;
        writeln!(out, "Read the files:      {}/README.md tells what each one is", folder.display())
    }
}

fn source(pair: &SamplePair) -> &SampleSentence {
    &pair.source
}

fn target(pair: &SamplePair) -> &SampleSentence {
    &pair.target
}

fn print_side(
    out: &mut Output,
    name: &str,
    pairs: &[SamplePair],
    side: impl Fn(&SamplePair) -> &SampleSentence,
) -> std::io::Result<()> {
    let (mut dep, mut con) = (DepStats::default(), ConStats::default());
    let mut distinct = HashSet::new();
    for pair in pairs {
        let side = side(pair);
        dep.add_parse(&side.parse);
        con.add(&side.con);
        distinct.extend(side.parse.forms());
    }
    let shortest = dep.lengths.iter().next().map_or(0, |(length, _)| length);
    let share = 100.0 * dep.nonprojective_sentence_share();
    writeln!(
        out,
        "{name:<10}{:>8}{:>9}{:>9}{shortest:>9}{:>9}{share:>15.1}%{:>8.2}{:>14}",
        pairs.len(),
        dep.tokens,
        distinct.len(),
        dep.lengths.max(),
        dep.depths.mean(),
        con.nodes
    )
}
