//! Statistics as plain-text tables.

use super::{ConStats, DepStats, Histogram, share};
use std::collections::BTreeMap;
use std::fmt;

/// A table: one figure a line, then the distributions of figure 2 of Na & Lee and the relations.
impl fmt::Display for DepStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.summary();
        let percent = |x: f64| 100.0 * x;
        line(f, "sentences", s.sentences)?;
        line(f, "tokens", s.tokens)?;
        line(f, "length", format_args!("{:.2} mean, {} max", s.mean_length, s.max_length))?;
        line(f, "no trees", s.illegal)?;
        line(f, "several roots", s.several_roots)?;
        let (n, share) = (s.nonprojective_sentences, percent(s.nonprojective_sentence_share));
        line(f, "non-projective sentences", format_args!("{n} ({share:.2}%)"))?;
        let (n, share) = (s.nonprojective_arcs, percent(s.nonprojective_arc_share));
        line(f, "non-projective arcs", format_args!("{n} ({share:.2}%)"))?;
        line(f, "arc length", format_args!("{:.2} mean", s.mean_arc_length))?;
        line(f, "branching factor", format_args!("{:.2} mean, {} max", s.mean_branching, s.max_branching))?;
        line(f, "depth factor", format_args!("{:.2} mean, {} max", s.mean_depth, s.max_depth))?;
        let histograms = [("length", &self.lengths), ("branching", &self.branching), ("depth", &self.depths)];
        distributions(f, &histograms)?;
        ranking(f, "relation", &self.labels)
    }
}

/// A table: one figure a line, then the distributions and the labels.
impl fmt::Display for ConStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "sentences", self.sentences)?;
        line(f, "failed parses", self.failed)?;
        line(f, "tokens", self.tokens)?;
        line(f, "length", format_args!("{:.2} mean, {} max", self.lengths.mean(), self.lengths.max()))?;
        line(f, "constituents", self.nodes)?;
        line(f, "unary constituents", self.unary_nodes)?;
        let (n, share) = (self.discontinuous_sentences, 100.0 * self.discontinuous_sentence_share());
        line(f, "discontinuous sentences", format_args!("{n} ({share:.2}%)"))?;
        let (n, share) = (self.discontinuous_nodes, 100.0 * self.discontinuous_node_share());
        line(f, "discontinuous constituents", format_args!("{n} ({share:.2}%)"))?;
        line(f, "height", format_args!("{:.2} mean, {} max", self.heights.mean(), self.heights.max()))?;
        line(
            f,
            "branching",
            format_args!("{:.2} mean, {} max", self.branching.mean(), self.branching.max()),
        )?;
        let histograms =
            [("length", &self.lengths), ("branching", &self.branching), ("height", &self.heights)];
        distributions(f, &histograms)?;
        ranking(f, "label", &self.labels)
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: impl fmt::Display) -> fmt::Result {
    writeln!(f, "{name:<28}{value}")
}

/// Several histograms side by side: the value, then how many sentences have it in each.
fn distributions(f: &mut fmt::Formatter<'_>, histograms: &[(&str, &Histogram)]) -> fmt::Result {
    let mut rows: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (column, (_, histogram)) in histograms.iter().enumerate() {
        for (value, count) in histogram.iter() {
            rows.entry(value).or_insert_with(|| vec![0; histograms.len()])[column] = count;
        }
    }
    write!(f, "\n{:>6}", "value")?;
    for (name, _) in histograms {
        write!(f, "{name:>12}")?;
    }
    writeln!(f)?;
    for (value, counts) in rows {
        write!(f, "{value:>6}")?;
        for count in counts {
            write!(f, "{count:>12}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}

/// Counts from the most to the least frequent.
fn ranking(f: &mut fmt::Formatter<'_>, name: &str, counts: &BTreeMap<String, u64>) -> fmt::Result {
    if counts.is_empty() {
        return Ok(());
    }
    let mut rows: Vec<(&String, &u64)> = counts.iter().collect();
    rows.sort_by_key(|r| std::cmp::Reverse(r.1));
    let total: u64 = counts.values().sum();
    writeln!(f, "\n{:>9}{:>9}  {name}", "count", "share")?;
    for (label, &count) in rows {
        writeln!(f, "{count:>9}{:>8.2}%  {label}", 100.0 * share(count, total))?;
    }
    Ok(())
}
