//! `treeglot experiment`: train and compare all systems of a recipe.

use crate::args::{DataFolder, Json, StageArgs, check_folder};
use crate::print::{json_line, print};
use crate::signals::kept_when_interrupted;
use anyhow::Result;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use treeglot_pipeline::{Cache, REPORT, Recipe, Results, publish, run_experiment};

const HELP: &str = "\
A recipe is a TOML file that names data, preprocessing, systems and metrics; docs/recipes.md explains its keys. Every \
stage's output is kept in DIR/cache under a key of all it depends on: started again, an experiment does only what is \
missing or changed. Bundles are in DIR/bundles, the page to look at is DIR/report.html.

Examples:
  treeglot experiment recipes/multi30k-de-en.toml --data data -o multi30k
  treeglot experiment my.toml --json";

/// The arguments of `treeglot experiment`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The recipe
    recipe: PathBuf,

    /// The folder to work in and to write the report to [default: the recipe's name without its ending]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    #[command(flatten)]
    data: DataFolder,

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    work: StageArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let recipe = Recipe::open(&self.recipe, self.data.folder().as_deref())?;
        let dir = self
            .output
            .clone()
            .unwrap_or_else(|| PathBuf::from(self.recipe.file_stem().unwrap_or("experiment".as_ref())));
        check_folder(&dir, &["cache"])?;
        kept_when_interrupted(&dir.join("cache"));
        let new = !dir.exists();
        let results = self.work.run(|resources, progress| {
            let cache = Cache::open(dir.join("cache"))?;
            run_experiment(&recipe, &cache, resources, progress)
        });
        if results.is_err() && new && !Cache::remove_unused(&dir.join("cache")) {
            // Not empty is as good as not there: then somebody else works here.
            let _ = std::fs::remove_dir(&dir);
        }
        let results = results?;
        publish(&recipe, &results, &dir)?;
        print(|out| self.print(&results, out))?;
        self.work.notes.note(&format!("open {} in a browser", dir.join(REPORT).display()));
        Ok(())
    }

    fn print(&self, results: &Results, out: &mut impl Write) -> io::Result<()> {
        for table in results.analyses.iter().filter(|_| !self.form.json) {
            writeln!(out, "{}", table.text())?;
        }
        for direction in &results.directions {
            if !self.form.json {
                writeln!(out, "{}", direction.text())?;
                continue;
            }
            for (study, coverage) in &direction.coverage {
                let object = json!({ "direction": direction.name, "study": study, "coverage": coverage });
                json_line(out, &object)?;
            }
            for (k, system) in direction.systems.iter().enumerate() {
                let tests: serde_json::Map<_, _> = direction
                    .tests
                    .iter()
                    .map(|(test, scores)| {
                        let of = |(m, value): (usize, &treeglot_pipeline::Value)| {
                            (scores.metrics[m].clone(), json!({ "score": value.score, "p": value.p }))
                        };
                        let values: serde_json::Map<_, _> =
                            scores.systems[k].iter().enumerate().map(of).collect();
                        (test.clone(), json!(values))
                    })
                    .collect();
                let object = json!({
                    "direction": direction.name, "system": system.name, "tests": tests, "rules": system.rules,
                    "bytes": system.bytes, "seconds": system.seconds, "milliseconds": system.milliseconds,
                    "dev": system.dev.as_ref().and_then(|dev| dev.parse::<f64>().ok()),
                });
                json_line(out, &object)?;
            }
        }
        Ok(())
    }
}
