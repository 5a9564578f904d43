//! How scores are printed: a table with systems as rows and metrics as columns, or JSON.

use serde_json::{Map, Value, json};
use std::io::{self, Write};
use treeglot_metrics::files::Scored;
use treeglot_metrics::registry::{digits, title};
use treeglot_metrics::significance::Confidence;
use treeglot_metrics::{Metric, Paired, RefCount};

/// What is known of one system by one metric.
pub struct Cell {
    /// The score.
    pub score: f64,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// How likely the difference from the first system would be by chance.
    pub p: Option<f64>,
    /// What the score was made from.
    pub details: Vec<(&'static str, f64)>,
}

/// The scores of all systems.
pub struct Report<'a> {
    /// The systems.
    pub names: Vec<String>,
    /// The metrics.
    pub metrics: &'a [Box<dyn Metric>],
    /// A row for each system, with a cell for each metric.
    pub rows: Vec<Vec<Cell>>,
    /// How many sentences were scored.
    pub sentences: usize,
    /// How many references they have.
    pub references: RefCount,
    /// The test that was made, and its samples.
    pub paired: Option<(Paired, usize)>,
    /// The samples of the confidence intervals.
    pub interval_samples: Option<usize>,
    /// The seed of all samples.
    pub seed: u64,
}

impl Report<'_> {
    /// Prints the table or JSON.
    pub fn write(&self, json: bool, verbose: bool, out: &mut impl Write) -> io::Result<()> {
        if json {
            return self.write_json(out);
        }
        self.write_table(out)?;
        self.write_notes(out)?;
        if verbose { self.write_details(out) } else { Ok(()) }
    }

    fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        for (name, row) in self.names.iter().zip(&self.rows) {
            let mut fields = vec![format!("\"system\":{}", json!(name))];
            let mut signatures = Map::new();
            let mut confidences = Map::new();
            let mut p_values = Map::new();
            for (metric, cell) in self.metrics.iter().zip(row) {
                let name = metric.name();
                fields.push(format!("{}:{}", json!(name), json!(cell.score)));
                signatures.insert(name.into(), self.signature(metric.as_ref()).into());
                if let Some(Confidence { mean, half_width }) = cell.confidence {
                    confidences.insert(name.into(), json!({ "mean": mean, "half_width": half_width }));
                }
                if let Some(p) = cell.p {
                    p_values.insert(name.into(), p.into());
                }
            }
            for (key, values) in [("confidence", confidences), ("p", p_values), ("signature", signatures)] {
                if !values.is_empty() {
                    fields.push(format!("\"{key}\":{}", Value::from(values)));
                }
            }
            writeln!(out, "{{{}}}", fields.join(","))?;
        }
        Ok(())
    }

    /// The metric's signature, with the samples where sacreBLEU has them.
    fn signature(&self, metric: &dyn Metric) -> String {
        let signature = metric.signature(self.references);
        let mut tests = Vec::new();
        tests.extend(self.interval_samples.map(|samples| format!("bs:{samples}")));
        if let Some((Paired::Randomization, samples)) = self.paired {
            tests.push(format!("ar:{samples}"));
        }
        if tests.is_empty() {
            return signature;
        }
        tests.push(format!("seed:{}", self.seed));
        match signature.split_once('|') {
            Some((references, rest)) => format!("{references}|{}|{rest}", tests.join("|")),
            None => signature,
        }
    }

    /// Whether a cell is better or worse than the first system's, and how surely: `↑`, `↓↓`.
    fn mark(&self, row: usize, column: usize) -> &'static str {
        let (cell, first) = (&self.rows[row][column], &self.rows[0][column]);
        let better = (cell.score > first.score) == self.metrics[column].higher_is_better();
        match cell.p {
            Some(p) if p < 0.01 => {
                if better {
                    "↑↑"
                } else {
                    "↓↓"
                }
            }
            Some(p) if p < 0.05 => {
                if better {
                    "↑"
                } else {
                    "↓"
                }
            }
            _ => "",
        }
    }

    fn cell(&self, row: usize, column: usize) -> String {
        let cell = &self.rows[row][column];
        let digits = digits(self.metrics[column].name());
        let interval = match cell.confidence {
            Some(Confidence { half_width, .. }) => format!(" ± {half_width:.digits$}"),
            None => String::new(),
        };
        let mark =
            if self.paired.is_some() { format!(" {:2}", self.mark(row, column)) } else { String::new() };
        format!("{:.digits$}{interval}{mark}", cell.score)
    }

    fn write_table(&self, out: &mut impl Write) -> io::Result<()> {
        let columns = self.metrics.len();
        let mut table = vec![vec!["system".to_string()]];
        // Room for the marks, so that titles stand over the scores.
        let room = if self.paired.is_some() { "   " } else { "" };
        table[0].extend(self.metrics.iter().map(|metric| format!("{}{room}", title(metric.name()))));
        for (ix, name) in self.names.iter().enumerate() {
            let mut row = vec![name.clone()];
            row.extend((0..columns).map(|column| self.cell(ix, column)));
            table.push(row);
        }
        let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..=columns).map(width).collect();
        for row in &table {
            let mut line = format!("{:<width$}", row[0], width = widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                line.push_str(&format!("  {cell:>width$}"));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn write_notes(&self, out: &mut impl Write) -> io::Result<()> {
        let lower: Vec<String> = self
            .metrics
            .iter()
            .filter(|metric| !metric.higher_is_better())
            .map(|metric| title(metric.name()).to_string())
            .collect();
        if !lower.is_empty() {
            writeln!(out, "{}: lower is better", lower.join(", "))?;
        }
        if let Some(samples) = self.interval_samples {
            writeln!(out, "±: half the 95% interval of {samples} bootstrap samples")?;
        }
        let Some((test, samples)) = self.paired else { return Ok(()) };
        let samples = if samples > 0 { format!(", {samples} samples") } else { String::new() };
        writeln!(
            out,
            "↑ better, ↓ worse than {} with p < 0.05; ↑↑ ↓↓ with p < 0.01 ({}{samples})",
            self.names[0],
            test.title()
        )
    }

    fn write_details(&self, out: &mut impl Write) -> io::Result<()> {
        let references = match self.references {
            RefCount::Fixed(1) => "1 reference".to_string(),
            RefCount::Fixed(n) => format!("{n} references"),
            RefCount::Varying => "a varying number of references".to_string(),
        };
        let sentences = if self.sentences == 1 { "sentence" } else { "sentences" };
        writeln!(out, "\n{} {sentences}, {references} each", self.sentences)?;
        for (column, metric) in self.metrics.iter().enumerate() {
            let metric = metric.as_ref();
            writeln!(out, "\n{}: {}", title(metric.name()), self.signature(metric))?;
            for (name, row) in self.names.iter().zip(&self.rows) {
                let cell = &row[column];
                let mut parts: Vec<String> =
                    cell.details.iter().map(|(part, value)| format!("{part} {}", short(*value))).collect();
                parts.extend(cell.p.map(|p| format!("p {p:.4}")));
                if !parts.is_empty() {
                    writeln!(out, "  {name}: {}", parts.join(", "))?;
                }
            }
        }
        Ok(())
    }
}

/// A count as it is, anything else with some digits.
fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.4}") }
}

/// Prints the scores of every sentence.
pub fn sentences(
    names: &[String],
    metrics: &[Box<dyn Metric>],
    scored: &Scored,
    json: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    if !json {
        let titles: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
        writeln!(out, "system\tline\t{}", titles.join("\t"))?;
    }
    for (name, system) in names.iter().zip(&scored.systems) {
        for sentence in 0..scored.sentences {
            let scores = metrics.iter().zip(&system.statistics).map(|(metric, statistics)| {
                let at = sentence * statistics.size;
                (metric, metric.sentence_score(&statistics.values[at..at + statistics.size]))
            });
            let line = sentence + 1;
            if json {
                let scores: Vec<String> = scores
                    .map(|(metric, score)| format!("{}:{}", json!(metric.name()), json!(score)))
                    .collect();
                writeln!(out, "{{\"system\":{},\"line\":{line},{}}}", json!(name), scores.join(","))?;
            } else {
                let scores: Vec<String> =
                    scores.map(|(metric, score)| format!("{score:.*}", digits(metric.name()))).collect();
                writeln!(out, "{name}\t{line}\t{}", scores.join("\t"))?;
            }
        }
    }
    Ok(())
}
