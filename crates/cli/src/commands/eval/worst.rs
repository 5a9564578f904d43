//! The sentences that a system translates worst, for people to look at: source, references, output, and how it was made.

use anyhow::Result;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use treeglot_metrics::Metric;
use treeglot_metrics::files::Statistics;
use treeglot_metrics::registry::{digits, title};
use treeglot_pipeline::translator::{Request, Translator};
use treeglot_text::Lines;

/// Texts beside each other, of which some lines are shown.
pub struct Texts {
    /// The source, where it is known.
    pub source: Option<Vec<String>>,
    /// The references.
    pub references: Vec<Vec<String>>,
    /// The translations of each system.
    pub hypotheses: Vec<Vec<String>>,
}

/// All lines of a file.
pub fn lines(path: &Path) -> Result<Vec<String>> {
    let (mut lines, mut all) = (Lines::open(path)?, Vec::new());
    while let Some(line) = lines.next_line()? {
        all.push(line.to_string());
    }
    Ok(all)
}

/// The numbers and scores of the worst sentences by a metric, the worst first.
pub fn worst(metric: &dyn Metric, statistics: &Statistics, count: usize) -> Vec<(usize, f64)> {
    let mut all: Vec<(usize, f64)> =
        statistics.sentences().map(|own| metric.sentence_score(own)).enumerate().collect();
    let up = metric.higher_is_better();
    all.sort_by(|a, b| if up { a.1.total_cmp(&b.1) } else { b.1.total_cmp(&a.1) }.then(a.0.cmp(&b.0)));
    all.truncate(count);
    all
}

/// Writes what is known of the worst sentences of a system.
pub fn write(
    (name, system): (&str, usize),
    metric: &dyn Metric,
    worst: &[(usize, f64)],
    (texts, translator): (&Texts, Option<&Translator>),
    json: bool,
    out: &mut impl Write,
) -> Result<()> {
    for &(line, score) in worst {
        let source = texts.source.as_ref().and_then(|source| source.get(line));
        let references: Vec<&String> = texts.references.iter().filter_map(|file| file.get(line)).collect();
        let output = texts.hypotheses[system].get(line).map(String::as_str).unwrap_or_default();
        let why = match (translator, source) {
            (Some(translator), Some(source)) => Some(derivation(translator, source)?),
            _ => None,
        };
        if json {
            let mut fields = json!({
                "system": name, "line": line + 1, metric.name(): score, "references": references, "output": output,
            });
            if let Some(source) = source {
                fields["source"] = json!(source);
            }
            if let Some((text, why)) = why {
                fields["translated"] = json!(text);
                fields["derivation"] = json!(why);
            }
            writeln!(out, "{fields}")?;
            continue;
        }
        let digits = digits(metric.name());
        writeln!(out, "{name}, line {}: {} {score:.digits$}", line + 1, title(metric.name()))?;
        write_texts(source, &references, output, out)?;
        if let Some((text, why)) = why {
            if text != output {
                writeln!(out, "  now       {text}")?;
            }
            write!(out, "{why}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_texts(
    source: Option<&String>,
    references: &[&String],
    output: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Some(source) = source {
        writeln!(out, "  source    {source}")?;
    }
    for reference in references {
        writeln!(out, "  reference {reference}")?;
    }
    writeln!(out, "  output    {output}")
}

/// What a bundle makes of a line, and by which rules.
fn derivation(translator: &Translator, source: &str) -> Result<(String, String)> {
    let translated = translator.translate_with(source, &Request { explain: true, ..Request::default() })?;
    let mut why = String::new();
    for best in translated.sentences.iter().flat_map(|sentence| sentence.best.first()) {
        if let Some(explanation) = &best.explanation {
            explanation.write(&mut why);
        }
    }
    Ok((translated.text(), why))
}
