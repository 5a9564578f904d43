//! Experiments: every system of a recipe trained, translated with and compared, as a table for people and as a report.

use crate::analysis;
use crate::bundle::{Bundle, share};
use crate::check::{check, default_tokenizer};
use crate::error::{Error, Result};
use crate::evaluate::{LEVEL, TestFiles, TestScores, evaluate};
use crate::plan::{StageId, Summary};
use crate::progress::{Progress, size};
use crate::recipe::{Directions, Recipe};
use crate::report::{Cell, Table};
use crate::run::{Cache, Outputs, folder_size};
use crate::train::finish::{BUNDLE, OUTPUT, PHRASAL_RULES, PHRASAL_TRANSLATIONS, PlannedSystem};
use crate::train::{Means, Planner, Way};
use std::path::{Path, PathBuf};

/// One system in one direction: what it took and what it made.
#[derive(Debug, Clone)]
pub struct SystemResult {
    /// Its name.
    pub name: String,
    /// Rules in its table; none for a combination.
    pub rules: Option<u64>,
    /// The size of its bundle, in bytes; none for a combination.
    pub bytes: Option<u64>,
    /// Seconds of all stages that only it needed, and of those it shares with others.
    pub seconds: f64,
    /// Milliseconds a sentence of the test sets took.
    pub milliseconds: Option<f64>,
    /// Its score on the development set.
    pub dev: Option<String>,
    /// Its bundle's folder in the cache; none for a combination.
    pub bundle: Option<PathBuf>,
    /// The stages' folders of its translations, one a test set.
    pub outputs: Vec<PathBuf>,
}

/// All systems of one direction.
#[derive(Debug, Clone)]
pub struct WayResult {
    /// The direction, as `de-en`.
    pub name: String,
    /// The systems, in the recipe's order.
    pub systems: Vec<SystemResult>,
    /// The scores of each test set.
    pub tests: Vec<(String, TestScores)>,
    /// What is known of rules and their use.
    pub analyses: Vec<Table>,
}

/// What an experiment brought.
#[derive(Debug)]
pub struct Results {
    /// One part a direction.
    pub ways: Vec<WayResult>,
    /// What is known of the data.
    pub analyses: Vec<Table>,
    /// What each stage took.
    pub stages: Vec<Summary>,
}

/// The stages of one system in one direction.
struct Planned {
    system: usize,
    bundle: Option<StageId>,
    tests: Vec<StageId>,
}

/// Runs a recipe: trains, translates and scores all its systems, with outputs kept in `cache`.
pub fn run(
    recipe: &Recipe,
    cache: &Cache,
    means: Means,
    jobs: usize,
    progress: &Progress,
) -> Result<Results> {
    check(recipe)?;
    let mut planner = Planner::new(recipe, means);
    let mut planned: Vec<(Way, Vec<Planned>)> = Vec::new();
    for &way in Way::of(recipe.directions) {
        planned.push((way, plan_way(recipe, &mut planner, way)?));
    }
    let wanted: Vec<StageId> = planned
        .iter()
        .flat_map(|(_, systems)| systems.iter())
        .flat_map(|system| system.bundle.into_iter().chain(system.tests.iter().copied()))
        .collect();
    let reach = planned.iter().map(|(_, systems)| reach(&planner, systems)).collect::<Vec<_>>();
    let outputs = cache.run(planner.plan, &wanted, jobs, progress)?;
    let mut ways = Vec::new();
    for ((way, systems), reach) in planned.iter().zip(reach) {
        ways.push(collect(recipe, *way, systems, &reach, &outputs)?);
    }
    let analyses = analysis::agreement(recipe)?;
    Ok(Results { ways, analyses, stages: outputs.summaries().cloned().collect() })
}

fn plan_way<'r>(recipe: &'r Recipe, planner: &mut Planner<'r>, way: Way) -> Result<Vec<Planned>> {
    let mut planned: Vec<Planned> = Vec::new();
    for (number, system) in recipe.systems.iter().enumerate() {
        let this_way = system
            .direction
            .is_none_or(|direction| direction == Directions::Both || Way::of(direction).contains(&way));
        if !this_way {
            continue;
        }
        let bundle = if system.combine.is_empty() { Some(planner.bundle(system, way)?) } else { None };
        let of_name = |name: &String| {
            let found = planned.iter().find(|other| recipe.systems[other.system].name == *name);
            let found = found.and_then(|other| {
                Some(PlannedSystem { system: &recipe.systems[other.system], bundle: other.bundle? })
            });
            found.ok_or_else(|| {
                Error::Invalid(format!("system `{}` cannot combine `{name}` this way", system.name))
            })
        };
        let systems = match bundle {
            Some(bundle) => vec![PlannedSystem { system, bundle }],
            None => system.combine.iter().map(of_name).collect::<Result<Vec<_>>>()?,
        };
        let tests = recipe.data.test.iter().map(|test| planner.translated(&systems, &system.name, test, way));
        planned.push(Planned { system: number, bundle, tests: tests.collect::<Result<_>>()? });
    }
    Ok(planned)
}

/// For each system the stages its bundle depends on.
fn reach(planner: &Planner<'_>, systems: &[Planned]) -> Vec<Vec<StageId>> {
    systems
        .iter()
        .map(|system| system.bundle.map_or(Vec::new(), |bundle| planner.plan.before(bundle)))
        .collect()
}

fn collect(
    recipe: &Recipe,
    way: Way,
    systems: &[Planned],
    reach: &[Vec<StageId>],
    outputs: &Outputs,
) -> Result<WayResult> {
    let mut results = Vec::new();
    for (planned, reach) in systems.iter().zip(reach) {
        let note = |name: &str| {
            let mut noted =
                reach.iter().rev().filter_map(|&stage| outputs.summary(stage)?.notes.get(name).cloned());
            noted.next()
        };
        let seconds = reach.iter().filter_map(|&stage| Some(outputs.summary(stage)?.seconds)).sum();
        let bundle = planned.bundle.map(|stage| outputs.dir(stage).join(BUNDLE));
        results.push(SystemResult {
            name: recipe.systems[planned.system].name.clone(),
            rules: bundle.as_ref().map(|folder| rules(folder)).transpose()?,
            bytes: bundle.as_ref().map(|folder| folder_size(folder)),
            seconds,
            milliseconds: speed(planned, way, recipe, outputs)?,
            dev: note("dev"),
            bundle,
            outputs: planned.tests.iter().map(|&stage| outputs.dir(stage).to_path_buf()).collect(),
        });
    }
    let mut tests = Vec::new();
    for (k, test) in recipe.data.test.iter().enumerate() {
        let sides = [&test.source, &test.target];
        let mut references = vec![sides[way.to()].clone()];
        if way.from == 0 {
            references.extend(test.references.iter().cloned());
        }
        let files = TestFiles {
            source: sides[way.from].clone(),
            references,
            outputs: results.iter().map(|system| system.outputs[k].join(OUTPUT)).collect(),
        };
        tests.push((test.name.clone(), evaluate(&files, &recipe.eval, default_tokenizer(recipe))?));
    }
    let mut analyses = vec![analysis::rules(&results)?];
    analyses.extend(usage(recipe, systems, &results, outputs));
    Ok(WayResult { name: way.name(recipe), systems: results, tests, analyses })
}

/// How often systems use phrasal rules.
fn usage(recipe: &Recipe, planned: &[Planned], results: &[SystemResult], outputs: &Outputs) -> Option<Table> {
    let mut rows = Vec::new();
    for (planned, result) in planned.iter().zip(results) {
        for (stage, test) in planned.tests.iter().zip(&recipe.data.test) {
            let note = |name: &str| outputs.summary(*stage)?.notes.get(name).cloned();
            if let (Some(translations), Some(rules)) = (note(PHRASAL_TRANSLATIONS), note(PHRASAL_RULES)) {
                rows.push(vec![result.name.clone(), test.name.clone(), translations, rules]);
            }
        }
    }
    analysis::usage(rows)
}

fn rules(bundle: &Path) -> Result<u64> {
    Ok(Bundle::open(bundle)?.tables()?.iter().map(|table| table.len() as u64).sum())
}

/// Milliseconds a sentence over all test sets.
fn speed(planned: &Planned, way: Way, recipe: &Recipe, outputs: &Outputs) -> Result<Option<f64>> {
    let (mut seconds, mut sentences) = (0.0, 0u64);
    for (stage, test) in planned.tests.iter().zip(&recipe.data.test) {
        let noted =
            outputs.summary(*stage).and_then(|summary| summary.notes.get("seconds")?.parse::<f64>().ok());
        let Some(noted) = noted else { return Ok(None) };
        seconds += noted;
        let mut lines = treeglot_text::Lines::open([&test.source, &test.target][way.from])?;
        while lines.next_line()?.is_some() {
            sentences += 1;
        }
    }
    Ok((sentences > 0).then(|| 1000.0 * seconds / sentences as f64))
}

impl WayResult {
    /// The comparison as a table: names, then columns.
    pub fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut columns = vec!["system".to_string()];
        for (test, scores) in &self.tests {
            columns.extend(scores.metrics.iter().map(|metric| format!("{test} {metric}")));
        }
        columns.extend(["dev", "rules", "size", "training", "a sentence"].map(String::from));
        let mut rows = Vec::new();
        for (k, system) in self.systems.iter().enumerate() {
            let mut row = vec![system.name.clone()];
            for (_, scores) in &self.tests {
                for (m, value) in scores.systems[k].iter().enumerate() {
                    let mark = value.mark(scores.systems[0][m].score, scores.higher[m]);
                    row.push(format!("{:.2}{mark}", value.score));
                }
            }
            let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
            row.push(or_dash(system.dev.clone()));
            row.push(or_dash(system.rules.map(|rules| rules.to_string())));
            row.push(or_dash(system.bytes.map(size)));
            row.push(if system.bundle.is_some() { format!("{:.1} s", system.seconds) } else { "-".into() });
            row.push(or_dash(system.milliseconds.map(|ms| format!("{ms:.1} ms"))));
            rows.push(row);
        }
        (columns, rows)
    }

    /// The table as text, with what its marks mean.
    pub fn text(&self) -> String {
        let (columns, rows) = self.table();
        let rows = rows.into_iter().map(|row| row.into_iter().map(Cell::new).collect()).collect();
        let note = if self.systems.len() > 1 { self.marks() } else { String::new() };
        let mut out = Table { caption: self.name.clone(), columns, rows, note }.text();
        for table in &self.analyses {
            out.push('\n');
            out.push_str(&table.text());
        }
        out
    }

    /// What the marks mean.
    pub fn marks(&self) -> String {
        format!("* better, - worse than {} with p < {LEVEL}", self.systems[0].name)
    }
}

/// Trains one system of a recipe, the first unless it is named, and writes its bundle.
pub fn train(
    recipe: &Recipe,
    name: Option<&str>,
    cache: &Cache,
    means: Means,
    jobs: usize,
    progress: &Progress,
    to: &Path,
) -> Result<()> {
    check(recipe)?;
    let known = || recipe.systems.iter().map(|system| system.name.as_str()).collect::<Vec<_>>().join(", ");
    let system = match name {
        None => recipe.systems.iter().find(|system| system.combine.is_empty()),
        Some(name) => recipe.systems.iter().find(|system| system.name == name && system.combine.is_empty()),
    };
    let system = system.ok_or_else(|| {
        Error::Invalid(format!("no system `{}` to train: there are {}", name.unwrap_or_default(), known()))
    })?;
    let mut planner = Planner::new(recipe, means);
    let way = Way::of(recipe.directions)[0];
    let bundle = planner.bundle(system, way)?;
    let outputs = cache.run(planner.plan, &[bundle], jobs, progress)?;
    copy_bundle(&outputs.dir(bundle).join(BUNDLE), to)
}

/// Copies a bundle: its files first, the manifest last, so that a folder with a manifest is complete. Tables, which are large
/// and never change, are shared where the file system can.
pub fn copy_bundle(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).map_err(Error::writing(to))?;
    let bundle = Bundle::open(from)?;
    let files = bundle.files().map(str::to_string).chain([crate::bundle::MANIFEST.to_string()]);
    for file in files {
        let temporary = to.join(format!(".{file}.new"));
        if file.starts_with("table") {
            let _ = std::fs::remove_file(&temporary);
            share(&from.join(&file), &temporary)?;
        } else {
            std::fs::copy(from.join(&file), &temporary).map_err(Error::writing(&temporary))?;
        }
        std::fs::rename(&temporary, to.join(&file)).map_err(Error::writing(to.join(&file)))?;
    }
    Ok(())
}
