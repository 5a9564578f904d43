//! The registry of metrics, and sums of them by name.

use crate::combined::Combined;
use crate::error::Error;
use crate::metric::Metric;
use crate::tokenize::Tercom;
use crate::{bleu, chrf, chrf_length, meteor, nist, order, ter};

/// A metric: one of these in its own file, and one line below.
pub struct Entry {
    /// What [`build`] knows it by.
    pub name: &'static str,
    /// Its name as papers print it.
    pub title: &'static str,
    /// How many digits after the point are printed.
    pub digits: usize,
    /// Metrics that are printed beside it.
    pub companions: &'static [&'static str],
    /// Makes it.
    pub build: fn(&Options) -> Result<Box<dyn Metric>, Error>,
}

/// All metrics, one a line.
pub const METRICS: [Entry; 9] = [
    bleu::ENTRY,
    chrf::ENTRY,
    chrf::PLUS_PLUS,
    chrf_length::ENTRY,
    ter::ENTRY,
    nist::ENTRY,
    meteor::ENTRY,
    order::LR,
    order::R,
];

impl Entry {
    /// The metric of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        const ALL: &[Entry] = &METRICS;
        ALL.iter().find(|entry| entry.name == name)
    }
}

/// The name of a metric, or of a sum of metrics, as papers print it.
pub fn title(name: &str) -> &str {
    Entry::find(name).map_or(name, |entry| entry.title)
}

/// How many digits after the point a metric, or a sum of metrics, is printed with.
pub fn digits(name: &str) -> usize {
    Entry::find(name).map_or(2, |entry| entry.digits)
}

/// A metric and those printed beside it.
pub(crate) fn with_companions(name: &str) -> impl Iterator<Item = &str> {
    std::iter::once(name).chain(Entry::find(name).into_iter().flat_map(|entry| entry.companions).copied())
}

/// How the metrics that [`build`] makes are set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// BLEU, also as a part of other metrics.
    pub bleu: bleu::Options,
    /// chrF and chrF++; the latter sets the order of words itself.
    pub chrf: chrf::Options,
    /// TER.
    pub ter: Tercom,
    /// NIST.
    pub nist: nist::Options,
    /// METEOR, and the matching of words in LRscore.
    pub meteor: meteor::Options,
    /// How much of LRscore is R; the rest is BLEU.
    pub lr_alpha: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bleu: bleu::Options::default(),
            chrf: chrf::Options::default(),
            ter: Tercom::default(),
            nist: nist::Options::default(),
            meteor: meteor::Options::default(),
            lr_alpha: 0.5,
        }
    }
}

/// The metric of a name, or a sum such as `0.5*bleu+0.5*chrf` or `bleu-ter`.
pub fn build(expression: &str, options: &Options) -> Result<Box<dyn Metric>, Error> {
    let mut parts = Vec::new();
    for (weight, name) in terms(expression)? {
        let entry = Entry::find(name).ok_or_else(|| Error::UnknownMetric { name: name.to_string() })?;
        parts.push((weight, (entry.build)(options)?));
    }
    if let [(1.0, _)] = parts[..] {
        return Ok(parts.swap_remove(0).1);
    }
    Ok(Box::new(Combined::new(expression, parts)))
}

/// The weights and names of a sum, at least one.
fn terms(expression: &str) -> Result<Vec<(f64, &str)>, Error> {
    let wrong = |reason: String| Error::Expression { expression: expression.to_string(), reason };
    let mut terms = Vec::new();
    let mut rest = expression.trim();
    while !rest.is_empty() {
        let (sign, after) = sign(rest);
        if sign.is_none() && !terms.is_empty() {
            return Err(wrong(format!("there is no + or - before `{rest}`")));
        }
        let end = after.find(|c: char| !is_in_term(c)).unwrap_or(after.len());
        let end = if after[end..].starts_with("++") { end + 2 } else { end };
        let (weight, name) = match after[..end].split_once('*') {
            None => (1.0, &after[..end]),
            Some((number, name)) => match number.trim().parse::<f64>() {
                Ok(weight) if weight.is_finite() => (weight, name),
                _ => return Err(wrong(format!("`{number}` is not a number"))),
            },
        };
        if name.trim().is_empty() {
            return Err(wrong("a name is missing".to_string()));
        }
        terms.push((sign.unwrap_or(1.0) * weight, name.trim()));
        rest = &after[end..];
    }
    if terms.is_empty() {
        return Err(wrong("it is empty".to_string()));
    }
    Ok(terms)
}

fn sign(text: &str) -> (Option<f64>, &str) {
    match text.as_bytes().first() {
        Some(b'+') => (Some(1.0), &text[1..]),
        Some(b'-') => (Some(-1.0), &text[1..]),
        _ => (None, text),
    }
}

fn is_in_term(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '*' | ' ' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_weights_signs_and_names_with_plus_signs() {
        assert_eq!(terms("bleu").unwrap(), [(1.0, "bleu")]);
        assert_eq!(terms("0.5*bleu + 0.5*chrf++").unwrap(), [(0.5, "bleu"), (0.5, "chrf++")]);
        assert_eq!(terms("chrf++-2*ter").unwrap(), [(1.0, "chrf++"), (-2.0, "ter")]);
        assert_eq!(terms("-ter").unwrap(), [(-1.0, "ter")]);
    }

    #[test]
    fn what_is_no_sum_is_named() {
        for wrong in ["", "bleu+", "x*bleu", "2*", "bleu/ter", "*bleu"] {
            let error = terms(wrong).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{wrong}` is no sum of metrics: ")), "{error}");
        }
        let unknown = build("bleu-rouge", &Options::default()).err().unwrap().to_string();
        assert!(unknown.starts_with("there is no metric `rouge`: choose from bleu"), "{unknown}");
    }
}
