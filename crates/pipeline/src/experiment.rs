//! Experiments: every system of a recipe trained, translated with and compared, as a table for people and as a report.

use crate::analysis;
use crate::bundle::MANIFEST;
use crate::check::{check, default_tokenizer, line_count};
use crate::error::{Error, Result};
use crate::evaluate::{LEVEL, TestFiles, TestScores, evaluate};
use crate::limited::limited;
use crate::lock::Lock;
use crate::plan::{Artifact, StageId, Summary};
use crate::progress::{Progress, size};
use crate::recipe::{PairFiles, Recipe};
use crate::report::{self, Cell, Table};
use crate::run::{Cache, Outputs};
use crate::train::combining::{CombinationFiles, PlannedCombination};
use crate::train::finish::{
    EXPLAINED, OUTPUT, PHRASAL_RULES, PHRASAL_TRANSLATIONS, PlannedSystem, TrainedSystem, VARIABLES_USED,
};
use crate::train::parses::TreeInput;
use crate::train::{Direction, LINKS, Planner, Resources};
use std::path::{Path, PathBuf};
use treeglot_models::mwu::coverage::Coverage;
use treeglot_text::Side;
use treeglot_tree::PerTree;

mod runs;

/// One system in one direction: what it took and what it made.
#[derive(Debug, Clone)]
pub struct SystemResult {
    /// Its name.
    pub name: String,
    /// Rules in its table; none for a combination.
    pub rules: Option<u64>,
    /// The size of its tables and models, in bytes; none for a combination.
    pub bytes: Option<u64>,
    /// Seconds of all stages that only it needed, and of those it shares with others.
    pub seconds: f64,
    /// Milliseconds a sentence of the test sets took.
    pub milliseconds: Option<f64>,
    /// How many rules with variables a translation of the test sets is made of; none for a combination.
    pub variables_used: Option<f64>,
    /// Its score on the development set.
    pub dev: Option<String>,
    /// What a combination is made of, if its weights were tuned.
    pub combination: Option<CombinationFiles>,
    /// What its bundle is made of; none for a combination.
    pub trained: Option<TrainedSystem>,
    /// Its translations, one file a test set.
    pub outputs: Vec<PathBuf>,
    /// Explained translations of some sentences, one file a test set.
    pub explained: Vec<PathBuf>,
    /// The trees it translates, of each test set.
    pub trees: Vec<PerTree<Vec<PathBuf>>>,
}

/// All systems of one direction.
#[derive(Debug, Clone)]
pub struct DirectionResult {
    /// The direction.
    pub direction: Direction,
    /// Its name, as `de-en`.
    pub name: String,
    /// The systems, in the recipe's order.
    pub systems: Vec<SystemResult>,
    /// The scores of each test set.
    pub tests: Vec<(String, TestScores)>,
    /// What is known of rules and their use.
    pub analyses: Vec<Table>,
    /// How many training pairs their own rules can build again, by the names of the studies.
    pub coverage: Vec<(String, Coverage)>,
}

/// What an experiment brought.
#[derive(Debug)]
pub struct Results {
    /// One part a direction.
    pub directions: Vec<DirectionResult>,
    /// What is known of the data.
    pub analyses: Vec<Table>,
    /// What each stage took.
    pub stages: Vec<Summary>,
}

/// The stages of one system in one direction.
struct Planned<'r> {
    number: usize,
    /// It as each tuning run made it; none for a combination.
    runs: Vec<PlannedSystem<'r>>,
    /// What chooses among other systems in each run; none for a system, or where nothing is tuned.
    combinations: Vec<PlannedCombination>,
    /// The translations of each test set, by the system of each run.
    tests: Vec<Vec<StageId>>,
    /// The trees that are translated, of each test set.
    trees: Vec<PerTree<Vec<TreeInput<'r>>>>,
}

impl<'r> Planned<'r> {
    /// The system of the first run, which is the one that is kept.
    fn system(&self) -> Option<&PlannedSystem<'r>> {
        self.runs.first()
    }

    /// Its score on the development set in each run.
    fn dev(&self, outputs: &Outputs) -> Vec<Option<String>> {
        let dev = |weights: StageId| outputs.summary(weights)?.notes.get("dev").cloned();
        let combined = self.combinations.iter().map(|run| run.weights.stage);
        self.runs.iter().map(|run| run.weights.stage).chain(combined).map(dev).collect()
    }
}

/// Runs a recipe: trains, translates and scores all its systems, with outputs kept in `cache`.
pub fn run(recipe: &Recipe, cache: &Cache, resources: Resources, progress: &Progress) -> Result<Results> {
    let limited = limited(recipe, cache.dir())?;
    let recipe = limited.as_ref();
    check(recipe)?;
    let mut planner = Planner::new(recipe, resources);
    let mut planned: Vec<(Direction, Vec<Planned<'_>>)> = Vec::new();
    for &direction in Direction::of(recipe.directions) {
        planned.push((direction, plan_direction(recipe, &mut planner, direction)?));
    }
    let mut studies: Vec<Vec<(&str, Artifact)>> = Vec::new();
    for &direction in Direction::of(recipe.directions) {
        let asked = recipe.coverage.iter().filter(|study| direction.is_one_of(study.direction));
        let mut of_direction = Vec::new();
        for study in asked {
            of_direction.push((study.name.as_str(), planner.coverage(study, direction)?));
        }
        studies.push(of_direction);
    }
    let mut links: Vec<Vec<Option<Artifact>>> = Vec::new();
    for &direction in Direction::of(recipe.directions) {
        let of_test = |test| planner.reference_links(test, direction);
        links.push(recipe.data.test.iter().map(of_test).collect::<Result<_>>()?);
    }
    let wanted: Vec<StageId> = planned
        .iter()
        .flat_map(|(_, systems)| systems.iter())
        .flat_map(|planned| {
            let tests = planned.tests.iter().flatten().copied();
            let combined = planned.combinations.iter().flat_map(PlannedCombination::stages);
            planned.runs.iter().flat_map(PlannedSystem::stages).chain(combined).chain(tests)
        })
        .chain(links.iter().flatten().flatten().map(|artifact| artifact.stage))
        .chain(studies.iter().flatten().map(|(_, artifact)| artifact.stage))
        .collect();
    let reach = planned.iter().map(|(_, systems)| reach(&planner, systems)).collect::<Vec<_>>();
    let trees = [planner.training_trees(Side::Source)?, planner.training_trees(Side::Target)?];
    let outputs = cache.run(planner.plan, &wanted, resources.jobs, progress)?;
    let mut directions = Vec::new();
    for ((((direction, systems), reach), links), studies) in planned.iter().zip(reach).zip(links).zip(studies)
    {
        let path = |artifact: Option<Artifact>| artifact.map(|artifact| outputs.path(&artifact));
        let links: Vec<Option<PathBuf>> = links.into_iter().map(path).collect();
        let mut result = collect(recipe, *direction, (systems, &reach), &links, &outputs)?;
        for (name, found) in studies {
            let path = outputs.path(&found);
            let found = serde_json::from_slice(&std::fs::read(&path).map_err(Error::reading(&path))?);
            let found = found.map_err(|e| Error::Invalid(format!("{}: {e}", path.display())))?;
            result.coverage.push((name.to_string(), found));
        }
        directions.push(result);
    }
    let used = trees.map(|trees| {
        let made = |(name, artifact): (String, Artifact)| {
            outputs.summary(artifact.stage).map(|_| (name, outputs.path(&artifact)))
        };
        trees.map(|trees| trees.into_iter().filter_map(made).collect())
    });
    let analyses = analysis::agreement(recipe, used)?;
    Ok(Results { directions, analyses, stages: outputs.summaries().cloned().collect() })
}

fn plan_direction<'r>(
    recipe: &'r Recipe,
    planner: &mut Planner<'r>,
    direction: Direction,
) -> Result<Vec<Planned<'r>>> {
    let mut planned: Vec<Planned<'r>> = Vec::new();
    for (number, system) in recipe.systems.iter().enumerate() {
        if !direction.is_one_of(system.direction) {
            continue;
        }
        let of_name = |name: &String| {
            let mut systems = planned.iter().filter(|other| recipe.systems[other.number].name == *name);
            systems.find_map(|other| (!other.runs.is_empty()).then(|| other.runs.clone())).ok_or_else(|| {
                Error::Invalid(format!("system `{}` cannot combine `{name}` in this direction", system.name))
            })
        };
        // For each run the systems that translate together.
        let parts: Vec<Vec<PlannedSystem<'r>>> = if system.combine.is_empty() {
            let runs = 0..system.tuning(recipe).runs;
            let run = |run| Ok(vec![planner.system(system, direction, run)?]);
            runs.map(run).collect::<Result<_>>()?
        } else {
            let parts = system.combine.iter().map(of_name).collect::<Result<Vec<_>>>()?;
            let runs = parts.iter().map(Vec::len).min().unwrap_or(0);
            (0..runs).map(|run| parts.iter().map(|part| part[run].clone()).collect()).collect()
        };
        let (mut tests, mut trees, mut combinations) = (Vec::new(), Vec::new(), Vec::new());
        for (run, systems) in parts.iter().enumerate() {
            let combination = match system.combine.is_empty() {
                true => None,
                false => planner.combination(system, systems, direction, run)?,
            };
            let sets = recipe.data.test.iter();
            let together = (systems.as_slice(), combination.as_ref());
            let translated = sets.map(|test| planner.translated(together, &system.name, test, direction));
            let (stages, of_sets) = translated.collect::<Result<Vec<_>>>()?.into_iter().unzip();
            tests.push(stages);
            trees = of_sets;
            combinations.extend(combination);
        }
        let runs = if system.combine.is_empty() { parts.into_iter().flatten().collect() } else { vec![] };
        planned.push(Planned { number, runs, combinations, tests, trees });
    }
    Ok(planned)
}

/// For each system the stages its weights, the last that is made of it, depend on.
fn reach(planner: &Planner<'_>, systems: &[Planned<'_>]) -> Vec<Vec<StageId>> {
    systems
        .iter()
        .map(|planned| planned.system().map_or(vec![], |own| planner.plan.before(own.weights.stage)))
        .collect()
}

fn collect(
    recipe: &Recipe,
    direction: Direction,
    (systems, reach): (&[Planned<'_>], &[Vec<StageId>]),
    links: &[Option<PathBuf>],
    outputs: &Outputs,
) -> Result<DirectionResult> {
    let mut results = Vec::new();
    for (planned, reach) in systems.iter().zip(reach) {
        let seconds = reach.iter().filter_map(|&stage| Some(outputs.summary(stage)?.seconds)).sum();
        let trained = planned.system().map(|own| own.trained(outputs));
        let of_tests =
            |file: &str| planned.tests[0].iter().map(|stage| outputs.path(&stage.makes(file))).collect();
        results.push(SystemResult {
            name: recipe.systems[planned.number].name.clone(),
            rules: trained.as_ref().map(rules).transpose()?,
            bytes: trained.as_ref().map(|trained| trained.components.bytes()),
            seconds,
            milliseconds: speed(planned, direction, recipe, outputs)?,
            variables_used: mean_note(planned, VARIABLES_USED, outputs),
            dev: planned.dev(outputs).into_iter().next().flatten(),
            combination: planned.combinations.first().map(|own| own.tuned(outputs)),
            trained,
            outputs: of_tests(OUTPUT),
            explained: of_tests(EXPLAINED),
            trees: planned.trees.iter().map(|trees| tree_paths(trees, outputs)).collect(),
        });
    }
    let mut tests = Vec::new();
    for (k, test) in recipe.data.test.iter().enumerate().filter(|_| !systems.is_empty()) {
        let stages: Vec<StageId> = systems.iter().map(|planned| planned.tests[0][k]).collect();
        let files = test_files(test, direction, &stages, links[k].as_ref(), outputs);
        let tokenizer = default_tokenizer(recipe, direction.to());
        tests.push((test.name.clone(), evaluate(&files, &recipe.eval, tokenizer)?));
    }
    let mut analyses = Vec::new();
    if !results.is_empty() {
        analyses.push(analysis::rules(&results)?);
    }
    analyses.extend(usage(recipe, systems, &results, outputs));
    analyses.extend(runs::table(recipe, direction, systems, links, outputs)?);
    let (name, coverage) = (direction.name(recipe), Vec::new());
    Ok(DirectionResult { direction, name, systems: results, tests, analyses, coverage })
}

/// Where trees are.
fn tree_paths(trees: &PerTree<Vec<TreeInput<'_>>>, outputs: &Outputs) -> PerTree<Vec<PathBuf>> {
    let path = |input: &TreeInput<'_>| input.path(|artifact| outputs.path(artifact));
    trees.each_ref().map(|_, inputs| inputs.iter().map(path).collect())
}

/// How often systems use phrasal rules.
fn usage(
    recipe: &Recipe,
    planned: &[Planned<'_>],
    results: &[SystemResult],
    outputs: &Outputs,
) -> Option<Table> {
    let mut rows = Vec::new();
    for (planned, result) in planned.iter().zip(results) {
        for (stage, test) in planned.tests[0].iter().zip(&recipe.data.test) {
            let note = |name: &str| outputs.summary(*stage)?.notes.get(name).cloned();
            if let (Some(translations), Some(rules)) = (note(PHRASAL_TRANSLATIONS), note(PHRASAL_RULES)) {
                rows.push(vec![result.name.clone(), test.name.clone(), translations, rules]);
            }
        }
    }
    analysis::usage(rows)
}

fn rules(trained: &TrainedSystem) -> Result<u64> {
    Ok(trained.components.tables()?.iter().map(|table| table.len() as u64).sum())
}

/// Milliseconds a sentence over all test sets.
fn speed(
    planned: &Planned<'_>,
    direction: Direction,
    recipe: &Recipe,
    outputs: &Outputs,
) -> Result<Option<f64>> {
    let (mut seconds, mut sentences) = (0.0, 0u64);
    for (stage, test) in planned.tests[0].iter().zip(&recipe.data.test) {
        let noted =
            outputs.summary(*stage).and_then(|summary| summary.notes.get("seconds")?.parse::<f64>().ok());
        let Some(noted) = noted else { return Ok(None) };
        seconds += noted;
        sentences += line_count(test.text(direction.from), recipe.preprocess.skip_bad)?;
    }
    Ok((sentences > 0).then(|| 1000.0 * seconds / sentences as f64))
}

/// The mean over the test sets of what their translation noted.
fn mean_note(planned: &Planned<'_>, name: &str, outputs: &Outputs) -> Option<f64> {
    let value = |stage: &StageId| outputs.summary(*stage)?.notes.get(name)?.parse::<f64>().ok();
    let values: Option<Vec<f64>> = planned.tests[0].iter().map(value).collect();
    let values = values.filter(|values| !values.is_empty() && planned.system().is_some())?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// What is compared of a test set: what these stages made of it.
fn test_files(
    test: &PairFiles,
    direction: Direction,
    stages: &[StageId],
    links: Option<&PathBuf>,
    outputs: &Outputs,
) -> TestFiles {
    let of_stages = |file| stages.iter().map(|stage| outputs.path(&stage.makes(file))).collect();
    TestFiles {
        source: test.text(direction.from).clone(),
        references: test.references(direction.to()).cloned().collect(),
        outputs: of_stages(OUTPUT),
        links: links.map(|links| (links.clone(), of_stages(LINKS))),
    }
}

impl DirectionResult {
    /// The comparison as a table: names, then columns.
    pub fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut columns = vec!["system".to_string()];
        for (test, scores) in &self.tests {
            columns.extend(scores.metrics.iter().map(|metric| format!("{test} {metric}")));
        }
        columns
            .extend(["dev", "rules", "size", "training", "a sentence", "variables used"].map(String::from));
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
            row.push(if system.trained.is_some() { format!("{:.1} s", system.seconds) } else { "-".into() });
            row.push(or_dash(system.milliseconds.map(|ms| format!("{ms:.1} ms"))));
            row.push(or_dash(system.variables_used.map(|rules| format!("{rules:.2}"))));
            rows.push(row);
        }
        (columns, rows)
    }

    /// The folder of a system's bundle in the folder of an experiment. Names become such as shells need no quotes for.
    pub fn bundle(&self, system: &SystemResult, dir: &Path) -> PathBuf {
        let plain = |c: char| c.is_alphanumeric() || "._+-".contains(c);
        let words: Vec<&str> = system.name.split(|c| !plain(c)).filter(|word| !word.is_empty()).collect();
        dir.join("bundles").join(format!("{}-{}", words.join("_"), self.name))
    }

    /// The system that is best by the first metric on the first test set, of those whose bundles translate text as it is: without
    /// trees, or with parsers of their own.
    pub fn best_of_text(&self) -> Option<&SystemResult> {
        let (_, scores) = self.tests.first()?;
        let takes_text = |system: &SystemResult| {
            let components = system.trained.as_ref().map(|trained| &trained.components);
            components.is_some_and(|components| {
                let trees = components.source_trees().unwrap_or_default();
                trees.iter().all(|kind| components.parsers.iter().any(|parser| parser.kind == *kind))
            })
        };
        let sign = if scores.higher[0] { 1.0 } else { -1.0 };
        let candidates = self.systems.iter().zip(&scores.systems).filter(|(system, _)| takes_text(system));
        candidates
            .max_by(|(_, a), (_, b)| (sign * a[0].score).total_cmp(&(sign * b[0].score)))
            .map(|(system, _)| system)
    }

    /// The table as text, with what its marks mean.
    pub fn text(&self) -> String {
        let (columns, rows) = self.table();
        let rows = rows.into_iter().map(|row| row.into_iter().map(Cell::new).collect()).collect();
        let note = if self.systems.len() > 1 { self.marks() } else { String::new() };
        let comparison = Table { caption: self.name.clone(), columns, rows, note };
        let tables = (!self.systems.is_empty()).then_some(comparison).into_iter();
        let tables = tables.chain(self.analyses.iter().cloned()).chain(self.coverage_tables());
        tables.map(|table| table.text()).collect::<Vec<_>>().join("\n")
    }

    /// The tables of the studies of coverage.
    pub(crate) fn coverage_tables(&self) -> impl Iterator<Item = Table> {
        self.coverage.iter().flat_map(move |(study, coverage)| {
            let named = move |table: Table| {
                let of = if study.is_empty() { self.name.clone() } else { format!("{}, {study}", self.name) };
                Table { caption: format!("{} ({of})", table.caption), ..table }
            };
            report::coverage::tables(coverage).into_iter().map(named)
        })
    }

    /// What the marks mean.
    pub fn marks(&self) -> String {
        format!("↑ better, ↓ worse than {} with p < {LEVEL}", self.systems[0].name)
    }
}

/// Trains one system of a recipe, the first unless it is named, and writes its bundle. A folder that another process
/// is to write the same bundle to is left to it.
pub fn train(
    recipe: &Recipe,
    name: Option<&str>,
    cache: &Cache,
    resources: Resources,
    progress: &Progress,
    to: &Path,
) -> Result<()> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), std::fs::create_dir_all).map_err(Error::writing(to))?;
    let mut name_of_lock = to.as_os_str().to_owned();
    name_of_lock.push(".lock");
    let busy = |holder| Error::Busy { path: to.to_path_buf(), holder };
    let _lock = Lock::take(Path::new(&name_of_lock))?.map_err(busy)?;
    if to.join(MANIFEST).exists() {
        let why = "there is a bundle already: remove it, or name another folder".to_string();
        return Err(Error::Bundle { path: to.to_path_buf(), why });
    }
    let limited = limited(recipe, cache.dir())?;
    let recipe = limited.as_ref();
    check(recipe)?;
    let known = || recipe.systems.iter().map(|system| system.name.as_str()).collect::<Vec<_>>().join(", ");
    let system = match name {
        None => recipe.systems.iter().find(|system| system.combine.is_empty()),
        Some(name) => recipe.systems.iter().find(|system| system.name == name && system.combine.is_empty()),
    };
    let system = system.ok_or_else(|| {
        Error::Invalid(format!("no system `{}` to train: there are {}", name.unwrap_or_default(), known()))
    })?;
    let mut planner = Planner::new(recipe, resources);
    let direction = Direction::of(recipe.directions)[0];
    let planned = planner.system(system, direction, 0)?;
    let systems = std::slice::from_ref(&planned);
    let tests = recipe
        .data
        .test
        .iter()
        .map(|test| planner.translated((systems, None), &system.name, test, direction));
    let tests: Vec<StageId> = tests.map(|test| Ok(test?.0)).collect::<Result<_>>()?;
    let links = recipe.data.test.iter().map(|test| planner.reference_links(test, direction));
    let links = links.collect::<Result<Vec<_>>>()?;
    let linked = links.iter().flatten().map(|links| links.stage);
    let wanted: Vec<StageId> = planned.stages().chain(tests.iter().copied()).chain(linked).collect();
    let outputs = cache.run(planner.plan, &wanted, resources.jobs, progress)?;
    let mut trained = planned.trained(&outputs);
    for ((test, stage), links) in recipe.data.test.iter().zip(tests).zip(links) {
        let links = links.map(|links| outputs.path(&links));
        let files = test_files(test, direction, &[stage], links.as_ref(), &outputs);
        trained.card.test.extend(card_scores(recipe, &test.name, direction, &files)?);
    }
    trained.bundle(to, false)?;
    Ok(())
}

/// The scores of a test set as a card has them: a line a metric.
fn card_scores(
    recipe: &Recipe,
    name: &str,
    direction: Direction,
    files: &TestFiles,
) -> Result<Vec<(String, String)>> {
    let scores = evaluate(files, &recipe.eval, default_tokenizer(recipe, direction.to()))?;
    let named = scores.metrics.iter().zip(&scores.systems[0]);
    Ok(named.map(|(metric, value)| (format!("{name} {metric}"), format!("{:.2}", value.score))).collect())
}
