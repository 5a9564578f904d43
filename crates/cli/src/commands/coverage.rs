//! `treeglot coverage`: how much of its training pairs a model's rules can build again.

use crate::args::{Json, OutputArgs, PairArgs, Quiet, Threads, count, known_lines};
use crate::errors::wrong;
use crate::print::{json_line, write_file};
use anyhow::Result;
use std::io::{self, Write};
use std::path::PathBuf;
use treeglot_models::mwu::Consistency;
use treeglot_models::mwu::coverage::{Coverage, LENGTHS, Sequences, Setting, Study};
use treeglot_models::pairs::{Checked, Pairs};
use treeglot_pipeline::Progress;
use treeglot_pipeline::report::chart::{Series, lines};
use treeglot_pipeline::report::{Cell, Part, Report, Table};

const HELP: &str = "\
A pair is recovered if the rules that `treeglot extract` reads off it build its own target side (Na & Lee 2011, figures 6 \
and 7), by any derivation; `by priority` is the share of pairs that they build if each variable is given the rule of the highest \
fractional count and nothing is tried again (its section 5). For all others limits are lifted one after the other, and the first that helps is the reason: the derivation has \
hyperedges beyond the k best; source words without links would have to be left out; a unit of another shape is needed; or \
none of these, so that a unit of more than m words is needed where no smaller span is consistent.

The last table tells what continuous word sequences are linked to (table 1): consistent, overlapped (with what other words \
are linked to), discontinuous, or null.

Example:
  treeglot coverage --model mwu --src de --tgt en --links links --src-dep de.conllu --m 1,2,4,6 --k 1,10 --plot coverage.html";

/// The models whose coverage can be studied.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Model {
    /// Forests of multi-word units
    Mwu,
}

/// The arguments of `treeglot coverage`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The model
    #[arg(long, value_enum, value_name = "MODEL")]
    model: Model,

    #[command(flatten)]
    pairs: PairArgs,

    /// Dependency trees of the source sentences; several files make one forest a sentence
    #[arg(long, value_name = "FILE", required = true)]
    src_dep: Vec<PathBuf>,

    /// The most words of a unit, each of these
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2,3,4,5,6,7,8", value_parser = at_least_one)]
    m: Vec<usize>,

    /// The most ways to go on below a unit, each of these; 0 for all
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,5,10,20,50")]
    k: Vec<usize>,

    /// Leave out ways of at most this probability, but for the best one below each unit
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    delta: f64,

    /// When a target span may be the translation of a unit
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    consistency: Consistency,

    /// The longest word sequences of the last table, in words
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_sequence: usize,

    #[command(flatten)]
    form: Json,

    /// Write tables and charts as a page that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    notes: Quiet,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n: &usize| n > 0).ok_or_else(|| "a unit has at least 1 word".to_string())
}

impl Args {
    pub fn run(self) -> Result<()> {
        let Model::Mwu = self.model;
        if !(0.0..1.0).contains(&self.delta) {
            wrong!("--delta is a probability from 0 to below 1, not {}", self.delta);
        }
        let (coverage, checked) = self.threads.run(|| self.study())?;
        self.out
            .write(|out| if self.form.json { json_line(out, &coverage) } else { print(&coverage, out) })?;
        if let Some(path) = &self.plot {
            write_file(path, |page| page.write_all(report(&coverage).html().as_bytes()))?;
        }
        self.note(&checked);
        Ok(())
    }

    fn study(&self) -> Result<(Coverage, Checked)> {
        let study = Study {
            m: self.m.clone(),
            k: self.k.clone(),
            delta: self.delta,
            consistency: self.consistency,
            longest_sequence: self.max_sequence,
        };
        let mut pairs = Pairs::open(
            &self.pairs.with_source_trees(&self.src_dep, &[]),
            study.needs(),
            self.pairs.bad.options(),
        )?;
        let progress = if self.notes.quiet { Progress::quiet() } else { Progress::new() };
        let mut counter = progress.count("pairs", known_lines(&self.pairs.src));
        Ok(study.run(&mut pairs, |pairs| counter.add(pairs))?)
    }

    fn note(&self, checked: &Checked) {
        let Checked { pairs, empty, mended, bad } = *checked;
        let left_out = bad.links + bad.trees;
        let mut note = count(pairs as usize, "pair");
        let reasons = [
            (empty, "with an empty side"),
            (mended, "with trees that have cycles or several roots, used where sound"),
            (left_out, "left out"),
        ];
        for (number, what) in reasons {
            if number > 0 {
                note += &format!("; {number} {what}");
            }
        }
        self.notes.note(&note);
    }
}

/// The heading of a step of lengths.
fn length_name(step: usize) -> String {
    let (width, steps) = LENGTHS;
    let first = step * width + 1;
    if step + 1 == steps { format!("{first}+") } else { format!("{first}-{}", first + width - 1) }
}

/// A table's columns and rows, with the share of recovered pairs for each setting.
struct Grid {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn ways(k: usize) -> String {
    if k == 0 { "all".to_string() } else { k.to_string() }
}

fn grids(coverage: &Coverage) -> Vec<Grid> {
    let settings = &coverage.settings;
    let names = |own: &[&str]| own.iter().map(|name| (*name).to_string()).collect::<Vec<_>>();
    let own = |setting: &Setting| vec![setting.m.to_string(), ways(setting.k)];
    let by_length = |setting: &Setting| {
        let shares = setting.by_length.iter().map(|share| match share.pairs {
            0 => "-".to_string(),
            _ => format!("{:.1}", share.percent()),
        });
        let by_priority = match setting.by_priority.pairs {
            0 => "-".to_string(),
            _ => format!("{:.2}", setting.by_priority.percent()),
        };
        let all = [format!("{:.2}", setting.all.percent()), by_priority];
        own(setting).into_iter().chain(all).chain(shares).collect()
    };
    let reasons = |setting: &Setting| {
        let r = &setting.reasons;
        let counts = [r.beyond_k, r.unaligned, r.ill_formed_unit, r.no_consistent_cspan];
        own(setting).into_iter().chain(counts.map(|count| count.to_string())).collect()
    };
    let sequences = |(side, s): (&str, &Sequences)| {
        let share = |n: u64| format!("{:.1}", 100.0 * n as f64 / s.total().max(1) as f64);
        let shares = [s.consistent, s.overlapped, s.discontinuous, s.null].map(share);
        [side.to_string()].into_iter().chain(shares).chain([s.total().to_string()]).collect()
    };
    let mut columns = names(&["m", "k", "all", "by priority"]);
    columns.extend((0..LENGTHS.1).map(length_name));
    vec![
        Grid {
            title: "Recovered pairs by source length, %".into(),
            columns,
            rows: settings.iter().map(by_length).collect(),
        },
        Grid {
            title: "Pairs not recovered, by reason".into(),
            columns: names(&["m", "k", "beyond k", "unaligned", "ill-formed unit", "no consistent cspan"]),
            rows: settings.iter().map(reasons).collect(),
        },
        Grid {
            title: "Counterparts of continuous word sequences, %".into(),
            columns: names(&["of", "consistent", "overlapped", "discontinuous", "null", "sequences"]),
            rows: ["source", "target"].into_iter().zip(&coverage.sequences).map(sequences).collect(),
        },
    ]
}

fn print(coverage: &Coverage, out: &mut impl Write) -> io::Result<()> {
    for (number, grid) in grids(coverage).iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", grid.title)?;
        let rows = || std::iter::once(&grid.columns).chain(&grid.rows);
        let width = |column: usize| rows().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..grid.columns.len()).map(width).collect();
        for row in rows() {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
            writeln!(out, "{}", cells.join("  "))?;
        }
    }
    Ok(())
}

fn report(coverage: &Coverage) -> Report {
    let tables = grids(coverage).into_iter().map(|grid| Table {
        caption: grid.title,
        columns: grid.columns,
        rows: grid.rows.into_iter().map(|row| row.into_iter().map(Cell::new).collect()).collect(),
        note: String::new(),
    });
    let charts = vec![lines(&by_units(coverage)), lines(&by_lengths(coverage))];
    let part = Part { title: "mwu".into(), tables: tables.collect(), charts, ..Part::default() };
    let about = format!("treeglot {}", env!("CARGO_PKG_VERSION"));
    let title = "Coverage of training pairs by their own rules".into();
    Report { title, about, parts: vec![part], ..Report::default() }
}

/// Figure 6: coverage by the words of a unit, a line for each number of ways.
fn by_units(coverage: &Coverage) -> Series {
    let mut chart = Series { title: "Recovered pairs, %, by m".into(), ..Series::default() };
    for setting in &coverage.settings {
        let (group, name) = (format!("m = {}", setting.m), format!("k = {}", ways(setting.k)));
        if !chart.groups.contains(&group) {
            chart.groups.push(group);
        }
        let value = Some(setting.all.percent());
        match chart.series.iter_mut().find(|(other, _)| *other == name) {
            Some((_, values)) => values.push(value),
            None => chart.series.push((name, vec![value])),
        }
    }
    chart
}

/// Figure 7: coverage by length, a line for each number of ways, with the largest units.
fn by_lengths(coverage: &Coverage) -> Series {
    let largest = coverage.settings.iter().map(|setting| setting.m).max().unwrap_or(0);
    let share = |setting: &Setting| {
        let values = setting.by_length.iter().map(|share| (share.pairs > 0).then(|| share.percent()));
        (format!("k = {}", ways(setting.k)), values.collect())
    };
    Series {
        title: format!("Recovered pairs, %, by source length, m = {largest}"),
        groups: (0..LENGTHS.1).map(length_name).collect(),
        series: coverage.settings.iter().filter(|setting| setting.m == largest).map(share).collect(),
    }
}
