//! What a study of coverage found, as tables and charts (Na & Lee 2011, figures 6 and 7 and table 1).

use super::chart::{Series, lines};
use super::{Cell, Table};
use treeglot_models::mwu::coverage::{Coverage, LENGTHS, Sequences, Setting};

/// Shares of recovered pairs by length, reasons of those that were not, and what sequences of words are linked to.
pub fn tables(coverage: &Coverage) -> Vec<Table> {
    let settings = &coverage.settings;
    let mut columns = vec!["m", "k", "all", "by priority"].into_iter().map(String::from).collect::<Vec<_>>();
    columns.extend((0..LENGTHS.1).map(length_name));
    let sequences = ["source", "target"].into_iter().zip(&coverage.sequences);
    vec![
        table("Recovered pairs by source length, %", columns, settings.iter().map(by_length)),
        table(
            "Pairs not recovered, by reason",
            ["m", "k", "beyond k", "unaligned", "ill-formed unit", "no consistent cspan"]
                .map(String::from)
                .into(),
            settings.iter().map(reasons),
        ),
        table(
            "Counterparts of continuous word sequences, %",
            ["of", "consistent", "overlapped", "discontinuous", "null", "sequences"].map(String::from).into(),
            sequences.map(|(side, of_side)| counterparts(side, of_side)),
        ),
    ]
}

/// Figure 6, coverage by the words of a unit, and figure 7, by length with the largest units: a line for each number of ways.
pub fn charts(coverage: &Coverage) -> Vec<String> {
    vec![lines(&by_units(coverage)), lines(&by_lengths(coverage))]
}

fn table(caption: &str, columns: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Table {
    let rows = rows.map(|row| row.into_iter().map(Cell::new).collect()).collect();
    Table { caption: caption.into(), columns, rows, note: String::new() }
}

/// The heading of a step of lengths.
fn length_name(step: usize) -> String {
    let (width, steps) = LENGTHS;
    let first = step * width + 1;
    if step + 1 == steps { format!("{first}+") } else { format!("{first}-{}", first + width - 1) }
}

fn ways(k: usize) -> String {
    if k == 0 { "all".to_string() } else { k.to_string() }
}

fn limits(setting: &Setting) -> Vec<String> {
    vec![setting.m.to_string(), ways(setting.k)]
}

fn by_length(setting: &Setting) -> Vec<String> {
    let shares = setting.by_length.iter().map(|share| match share.pairs {
        0 => "-".to_string(),
        _ => format!("{:.1}", share.percent()),
    });
    let by_priority = match setting.by_priority.pairs {
        0 => "-".to_string(),
        _ => format!("{:.2}", setting.by_priority.percent()),
    };
    let all = [format!("{:.2}", setting.all.percent()), by_priority];
    limits(setting).into_iter().chain(all).chain(shares).collect()
}

fn reasons(setting: &Setting) -> Vec<String> {
    let r = &setting.reasons;
    let counts = [r.beyond_k, r.unaligned, r.ill_formed_unit, r.no_consistent_cspan];
    limits(setting).into_iter().chain(counts.map(|count| count.to_string())).collect()
}

fn counterparts(side: &str, s: &Sequences) -> Vec<String> {
    let share = |n: u64| format!("{:.1}", 100.0 * n as f64 / s.total().max(1) as f64);
    let shares = [s.consistent, s.overlapped, s.discontinuous, s.null].map(share);
    [side.to_string()].into_iter().chain(shares).chain([s.total().to_string()]).collect()
}

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
