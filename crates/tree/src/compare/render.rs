//! Comparisons as plain-text tables.

use super::{Agreement, Attachment, AttachmentScore, BracketScore};
use std::fmt;

/// Table 2 of Wu 2012: for each pair of parsers the share of equal roots and of equal heads, in percent, then the
/// trees that are none.
impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CELL: usize = 16;
        let names: Vec<String> =
            self.names.iter().enumerate().map(|(n, name)| format!("{} {name}", n + 1)).collect();
        let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(15);
        write!(f, "{:<width$}", "roots / heads")?;
        (1..=names.len()).try_for_each(|n| write!(f, "{n:>CELL$}"))?;
        writeln!(f)?;
        for (a, name) in names.iter().enumerate() {
            write!(f, "{name:<width$}")?;
            for b in 0..names.len() {
                let cell = self.pair(a, b).map_or("-".to_string(), |pair| {
                    format!("{:.2} / {:.2}", 100.0 * pair.root_share(), 100.0 * pair.head_share())
                });
                write!(f, "{cell:>CELL$}")?;
            }
            writeln!(f)?;
        }
        for (row, counts) in [("no trees", &self.illegal), ("several roots", &self.several_roots)] {
            write!(f, "{row:<width$}")?;
            counts.iter().try_for_each(|count| write!(f, "{count:>CELL$}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Precision and recall with and without relations and punctuation, in percent.
impl fmt::Display for AttachmentScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, a: &Attachment| {
            let shares = [a.precision(), a.recall(), a.labelled_precision(), a.labelled_recall()];
            write!(f, "{name:<22}")?;
            shares.iter().try_for_each(|share| write!(f, "{:>8.2}", 100.0 * share))?;
            writeln!(f, "{:>9}", a.gold)
        };
        row("all words", &self.all)?;
        row("without punctuation", &self.without_punctuation)?;
        let Self { sentences, exact_heads, exact, roots, illegal, .. } = self;
        writeln!(
            f,
            "{sentences} sentences: {roots} right roots, {exact_heads} right trees, {exact} with all relations, \
             {illegal} no trees"
        )
    }
}

/// The heading of the columns of an [`AttachmentScore`].
pub const ATTACHMENT_COLUMNS: &str = "                         P(U)    R(U)    P(L)    R(L)    words";

/// Precision, recall and F1 in percent, and the counts behind them.
impl fmt::Display for BracketScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p, r, f1] = [self.precision(), self.recall(), self.f1()].map(|x| 100.0 * x);
        let Self { sentences, failed, gold, system, matched, exact, crossing, words, tags } = self;
        writeln!(f, "precision {p:.2}  recall {r:.2}  F1 {f1:.2}")?;
        writeln!(f, "{matched} brackets of {gold} gold and {system} found; {crossing} found ones cross")?;
        writeln!(f, "{sentences} sentences: {exact} exact, {failed} failed; {tags} of {words} tags right")
    }
}
