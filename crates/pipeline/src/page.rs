//! The report of an experiment: tables, charts and pictures of sample sentences from its results.

use crate::bundle::today;
use crate::error::Result;
use crate::evaluate::LEVEL;
use crate::experiment::{DirectionResult, Results};
use crate::lock::Lock;
use crate::recipe::Recipe;
use crate::report::chart::{Point, Series, bars, lines, scatter};
use crate::report::{Cell, Part, Report, Table, coverage};
use crate::samples::samples;
use crate::train::combining::CombinationFiles;
use std::io::Write;
use std::path::Path;
use treeglot_decode::{FrequentWords, SparseSpace, Weights};
use treeglot_metrics::registry::title as title_of;
use treeglot_text::Output;

/// The report's file.
pub const REPORT: &str = "report.html";

/// Writes the report to a folder and the bundles beside it.
pub fn publish(recipe: &Recipe, results: &Results, dir: &Path) -> Result<()> {
    let _lock = Lock::wait(&dir.join("lock"), |_| ())?;
    for direction in &results.directions {
        for system in &direction.systems {
            if let Some(trained) = &system.trained {
                trained.bundle(&direction.bundle(system, dir), true)?;
            }
            if let Some(CombinationFiles { components, weights }) = &system.combination {
                components.write(&Weights::read(weights)?, &direction.bundle(system, dir))?;
            }
        }
    }
    let path = dir.join(REPORT);
    let mut out = Output::create(&path)?;
    out.write_all(report(recipe, results)?.html().as_bytes()).map_err(|e| out.error(e))?;
    Ok(out.finish()?)
}

fn report(recipe: &Recipe, results: &Results) -> Result<Report> {
    let title = if recipe.title.is_empty() { "Comparison of translation systems" } else { &recipe.title };
    let mut parts = Vec::new();
    for direction in &results.directions {
        parts.push(part(recipe, direction)?);
    }
    if !results.analyses.is_empty() {
        let tables = results.analyses.iter().map(readable_table).collect();
        parts.push(Part { title: "Data".into(), tables, ..Part::default() });
    }
    parts.push(stages(results));
    Ok(Report {
        title: title.to_string(),
        about: format!("treeglot {}, {}", env!("CARGO_PKG_VERSION"), today()),
        intro: intro(recipe, results),
        parts,
        recipe: recipe.text.clone(),
    })
}

/// What was compared, on which data.
fn intro(recipe: &Recipe, results: &Results) -> String {
    let data = &recipe.data;
    let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let systems = results.directions.first().map_or(0, |direction| direction.systems.len());
    let names: Vec<&str> = results.directions.iter().map(|direction| direction.name.as_str()).collect();
    let trained = results.directions.iter().flat_map(|direction| &direction.systems);
    let training = trained.filter_map(|system| Some(&system.trained.as_ref()?.card.training)).next();
    if systems == 0 {
        let train = (file(&data.train.source), file(&data.train.target));
        return format!(
            "It is studied how many pairs of {} and {} their own rules can build again.",
            train.0, train.1
        );
    }
    let count = |name: &str| training.and_then(|notes| notes.get(name)).map(|count| readable(count));
    let mut text = format!(
        "{systems} systems are compared ({}). They were trained on {} pairs of {} and {}",
        names.join(", "),
        count("pairs").unwrap_or_else(|| "the".into()),
        file(&data.train.source),
        file(&data.train.target)
    );
    if let (Some(source), Some(target)) = (count("source-words"), count("target-words")) {
        text += &format!(", {source} and {target} words");
    }
    if let Some(dev) = data.dev.as_ref().filter(|_| recipe.tune.method.tunes()) {
        let (method, metric) = (recipe.tune.method.name(), title_of(&recipe.tune.metric));
        text += &format!("; weights were tuned to {metric} on {} ({method})", file(&dev.source));
    }
    let tests = results.directions.first().map_or(&[][..], |direction| &direction.tests);
    let tests: Vec<String> = tests
        .iter()
        .map(|(name, scores)| format!("{name} ({} sentences)", readable(&scores.sentences.to_string())))
        .collect();
    if !tests.is_empty() {
        text += &format!("; scores are of {}", tests.join(", "));
    }
    text + "."
}

fn part(recipe: &Recipe, direction: &DirectionResult) -> Result<Part> {
    let (mut tables, mut drawn) = (Vec::new(), Vec::new());
    if !direction.systems.is_empty() {
        tables.push(comparison(direction));
        drawn = charts(direction);
    }
    tables.extend(direction.analyses.iter().map(readable_table));
    tables.extend(weights(direction)?);
    tables.extend(signatures(direction));
    tables.extend(direction.coverage_tables().map(|table| readable_table(&table)));
    drawn.extend(direction.coverage.iter().flat_map(|(_, coverage)| coverage::charts(coverage)));
    Ok(Part {
        title: direction.name.clone(),
        summary: winner(direction),
        tables,
        charts: drawn,
        samples: samples(recipe, direction)?,
    })
}

/// The comparison of all systems, scores with their intervals.
fn comparison(direction: &DirectionResult) -> Table {
    let (mut columns, rows) = direction.table();
    let mut rows: Vec<Vec<Cell>> =
        rows.into_iter().map(|row| row.iter().map(|text| Cell::new(readable(text))).collect()).collect();
    let mut column = 1;
    let mut sampled = false;
    for (test, scores) in &direction.tests {
        for (m, metric) in scores.metrics.iter().enumerate() {
            columns[column] = format!("{test} {}", title_of(metric));
            for (row, values) in rows.iter_mut().zip(&scores.systems) {
                let (value, first) = (values[m], scores.systems[0][m].score);
                sampled |= value.half_width.is_some();
                let interval = value.half_width.map(|half| format!(" ± {half:.1}")).unwrap_or_default();
                let mark = value.mark(first, scores.higher[m]);
                row[column].text = format!("{:.2}{interval}{mark}", value.score);
            }
            column += 1;
        }
    }
    mark_best(direction, &mut rows);
    let mut note = if direction.systems.len() > 1 { direction.marks() + ". " } else { String::new() };
    if sampled {
        note += "± is half the interval of 95% by bootstrap. ";
    }
    note += "The best of a column is bold; – is what a system does not have.";
    Table { caption: "Comparison".into(), columns, rows, note }
}

/// How each score was made.
fn signatures(direction: &DirectionResult) -> Option<Table> {
    let (_, scores) = direction.tests.first()?;
    let rows = scores.metrics.iter().zip(&scores.signatures);
    let rows = rows.map(|(metric, how)| vec![Cell::new(title_of(metric)), Cell::new(how.as_str())]).collect();
    let columns = ["metric", "signature"].map(String::from).to_vec();
    Some(Table { caption: "How scores were made".into(), columns, rows, note: String::new() })
}

/// The weights of all systems, a row a feature.
fn weights(direction: &DirectionResult) -> Result<Option<Table>> {
    let mut columns = vec!["feature".to_string()];
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for system in &direction.systems {
        let Some(trained) = &system.trained else { continue };
        let column = columns.len();
        columns.push(system.name.clone());
        let sparse = trained.components.sparse.as_ref().map(FrequentWords::read).transpose()?;
        let sparse = sparse.map(|words| SparseSpace::new(&words));
        let is_dense =
            |(name, _): &(&str, &[f32])| sparse.as_ref().is_none_or(|sparse| sparse.find(name).is_none());
        for (name, values) in Weights::read(&trained.weights)?.iter().filter(is_dense) {
            let at = rows.iter().position(|row| row[0].text == name).unwrap_or_else(|| {
                rows.push(vec![Cell::new(name)]);
                rows.len() - 1
            });
            let values: Vec<String> = values.iter().map(|value| format!("{value:.3}")).collect();
            rows[at].resize(column, Cell::new("\u{2013}"));
            rows[at].push(Cell::new(values.join(" ")));
        }
    }
    rows.iter_mut().for_each(|row| row.resize(columns.len(), Cell::new("\u{2013}")));
    let note = "A feature with several values has a weight for each; sparse features stand as their sum."
        .to_string();
    Ok((!rows.is_empty()).then(|| Table { caption: "Weights".into(), columns, rows, note }))
}

/// A table whose numbers are readable.
fn readable_table(table: &Table) -> Table {
    let mut table = table.clone();
    for cell in table.rows.iter_mut().flat_map(|row| row.iter_mut().skip(1)) {
        cell.text = readable(&cell.text);
    }
    table
}

/// Which system is best on the first test set by the first metric, and by how much.
fn winner(direction: &DirectionResult) -> String {
    let Some((test, scores)) = direction.tests.first() else { return String::new() };
    let values: Vec<_> = scores.systems.iter().map(|values| values[0]).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].score.total_cmp(&values[a].score));
    if !scores.higher[0] {
        order.reverse();
    }
    let name = |k: usize| &direction.systems[k].name;
    let [best, second, ..] = order[..] else { return String::new() };
    let difference = (values[best].score - values[second].score).abs();
    let mut text = format!(
        "{} has the best {} on {test}, {:.2}: {difference:.2} from {}, which comes next.",
        name(best),
        title_of(&scores.metrics[0]),
        values[best].score,
        name(second)
    );
    match values[best].p {
        Some(p) if p < LEVEL => text += &format!(" It is better than {} with p < {LEVEL}.", name(0)),
        Some(_) => text += &format!(" Its difference from {} may be chance.", name(0)),
        None => {}
    }
    text
}

/// A cell of the table for a page: large numbers in groups of three digits, and a dash that is no minus for what there is
/// none of.
fn readable(text: &str) -> String {
    if text == "-" {
        return "\u{2013}".to_string();
    }
    if text.len() < 4 || text.len() > 18 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_string();
    }
    let groups: Vec<&str> =
        text.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Sets the best score of each column in bold.
fn mark_best(direction: &DirectionResult, rows: &mut [Vec<Cell>]) {
    let mut column = 1;
    for (_, scores) in &direction.tests {
        for (m, &higher) in scores.higher.iter().enumerate() {
            let of = |k: usize| scores.systems[k][m].score * if higher { 1.0 } else { -1.0 };
            let best = (0..rows.len()).max_by(|&a, &b| of(a).total_cmp(&of(b)));
            if let Some(best) = best {
                rows[best][column].best = true;
            }
            column += 1;
        }
    }
}

fn charts(direction: &DirectionResult) -> Vec<String> {
    let names = || direction.systems.iter().map(|system| system.name.clone());
    let mut charts = Vec::new();
    if let Some((_, first)) = direction.tests.first() {
        let score = |k: usize| {
            direction.tests.iter().map(move |(_, scores)| Some(scores.systems[k][0].score)).collect()
        };
        charts.push(bars(&Series {
            title: format!("{} by test set", title_of(&first.metrics[0])),
            groups: direction.tests.iter().map(|(test, _)| test.clone()).collect(),
            series: names().enumerate().map(|(k, name)| (name, score(k))).collect(),
        }));
        let points: Vec<Point> = direction
            .systems
            .iter()
            .enumerate()
            .filter_map(|(k, system)| {
                let speed = 1000.0 / system.milliseconds.filter(|ms| *ms > 0.0)?;
                Some(Point { name: system.name.clone(), x: speed, y: first.systems[k][0].score })
            })
            .collect();
        charts.push(scatter(
            &format!("{} against speed", title_of(&first.metrics[0])),
            "sentences a second",
            &points,
        ));
        charts.push(lines(&Series {
            title: format!("{} by source length, in words", title_of(&first.metrics[0])),
            groups: first.buckets.clone(),
            series: names().zip(first.by_length.iter().cloned()).collect(),
        }));
    }
    let with_rules: Vec<_> = direction.systems.iter().filter(|system| system.rules.is_some()).collect();
    let rules = with_rules.iter().map(|system| system.rules.map(|rules| rules as f64)).collect();
    charts.push(bars(&Series {
        title: "Rules".into(),
        groups: with_rules.iter().map(|system| system.name.clone()).collect(),
        series: vec![("rules".into(), rules)],
    }));
    charts
}

fn stages(results: &Results) -> Part {
    let columns = ["stage", "time", "peak memory", "output"].map(String::from).to_vec();
    let rows = results.stages.iter().map(|summary| {
        let cells = [
            summary.stage.clone(),
            format!("{:.1} s", summary.seconds),
            crate::progress::size(summary.peak),
            crate::progress::size(summary.bytes),
        ];
        cells.map(Cell::new).to_vec()
    });
    let note = "Memory is that of the whole process while the stage ran.".into();
    let table = Table { caption: "What each stage took".into(), columns, rows: rows.collect(), note };
    Part { title: "Stages".into(), tables: vec![table], ..Part::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups_of_digits_and_missing_ones_a_dash() {
        let cells = ["1234", "12345", "1234567", "12.34*", "-", "phrase"].map(readable);
        assert_eq!(cells, ["1,234", "12,345", "1,234,567", "12.34*", "\u{2013}", "phrase"]);
    }
}
