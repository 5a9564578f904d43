//! How far a translation can be trusted: signs that the search leaves (how clearly the best translation is ahead of the others, how
//! likely its words are, how many words are unknown, how many rules were seen once), and a logistic model from them to the chrF that
//! such translations have, fitted on a development set.

use super::{Request, Translator};
use crate::bundle::Bundle;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;
use treeglot_decode::{Explanation, FeatureSet, Translation};
use treeglot_grammar::{RuleId, Table};
use treeglot_metrics::{Hypothesis, Options, References, build};
use treeglot_text::{Lines, Output};

/// The name of the file in a bundle's folder.
pub const CONFIDENCE: &str = "confidence.toml";

/// How many translations are compared to see how clearly the best is ahead.
pub(super) const RATED: usize = 20;

/// What the search leaves of one sentence, in the order of [`NAMES`].
pub type Signs = [f64; NAMES.len()];

/// What the signs are called.
pub const NAMES: [&str; 6] =
    ["posterior", "language-model", "translation-model", "unknown", "once", "length"];

/// From signs to a confidence between 0 and 1: the sentence's chrF that is expected, as a share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confidence {
    /// The logit where all signs have their means.
    bias: f64,
    /// The mean of each sign on the development set.
    means: Signs,
    /// What one of each sign is worth.
    weights: Signs,
    /// How many sentences it was fitted on.
    pub sentences: usize,
    /// The correlation of confidence and chrF on them.
    pub correlation: f64,
}

/// The signs of a translation among others of the same sentence.
pub(super) fn signs(
    best: &Translation,
    explanation: &Explanation,
    others: &[Translation],
    features: &FeatureSet,
    tables: &[Table],
) -> Signs {
    let words = explanation.words.len().max(1) as f64;
    let source = explanation.source.len().max(1) as f64;
    let sum: f64 = others.iter().map(|other| (other.score - best.score).min(50.0).exp()).sum();
    let per = |name: &str, over: f64| {
        let values = features.find(name).map(|at| &best.features[at]).unwrap_or_default();
        let finite = values.iter().filter(|value| value.is_finite());
        finite.sum::<f64>() / over / values.len().max(1) as f64
    };
    let covered = |kind: &str| -> f64 {
        let of = explanation.rules.iter().filter(|rule| rule.kind == kind);
        of.map(|rule| f64::from(rule.span[1] - rule.span[0])).sum()
    };
    let numbered = || explanation.rules.iter().filter_map(|rule| rule.number);
    let seen_once = |[table, rule]: [u32; 2]| {
        tables.get(table as usize).is_some_and(|table| table.counts(RuleId(rule)).joint <= 1.0)
    };
    let once =
        numbered().filter(|&number| seen_once(number)).count() as f64 / numbered().count().max(1) as f64;
    [
        1.0 / sum.max(1.0),
        per("LM0", words).max(-20.0),
        per("TranslationModel0", source).max(-20.0),
        (covered("unknown") + covered("guess")) / source,
        once,
        source.ln(),
    ]
}

impl Confidence {
    /// Reads that of a bundle; none where it was not fitted.
    pub fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(CONFIDENCE);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|source| Error::File { path: path.clone(), doing: "read", source })?;
        let read = toml::from_str(&text)
            .map_err(|error| Error::Bundle { path, why: error.message().to_string() })?;
        Ok(Some(read))
    }

    fn write(&self, folder: &Path) -> Result<()> {
        let text = toml::to_string(self).map_err(|error| Error::Invalid(error.to_string()))?;
        let mut out = Output::create(folder.join(CONFIDENCE))?;
        out.write_all(text.as_bytes()).map_err(|e| out.error(e))?;
        Ok(out.finish()?)
    }

    /// The confidence that signs give.
    pub fn of(&self, signs: &Signs) -> f64 {
        let logit: f64 = (0..NAMES.len()).map(|k| self.weights[k] * (signs[k] - self.means[k])).sum();
        1.0 / (1.0 + (-self.bias - logit).exp())
    }

    /// Fits signs to shares between 0 and 1: logistic regression on shares, by gradient descent on signs of mean 0 and variance 1,
    /// with a small pull of weights to 0.
    pub fn fit(signs: &[Signs], shares: &[f64]) -> Self {
        let count = signs.len().max(1) as f64;
        let mut means = [0.0; NAMES.len()];
        let mut spreads = [0.0; NAMES.len()];
        for k in 0..NAMES.len() {
            means[k] = signs.iter().map(|sign| sign[k]).sum::<f64>() / count;
            let variance = signs.iter().map(|sign| (sign[k] - means[k]).powi(2)).sum::<f64>() / count;
            spreads[k] = if variance > 1e-12 { variance.sqrt() } else { 1.0 };
        }
        let scaled: Vec<Signs> =
            signs.iter().map(|sign| std::array::from_fn(|k| (sign[k] - means[k]) / spreads[k])).collect();
        let (mut bias, mut weights) = (0.0, [0.0; NAMES.len()]);
        for _ in 0..ROUNDS {
            let (mut slope, mut slopes) = (0.0, weights.map(|weight| weight * PULL));
            for (sign, share) in scaled.iter().zip(shares) {
                let logit: f64 =
                    bias + sign.iter().zip(&weights).map(|(sign, weight)| sign * weight).sum::<f64>();
                let error = (1.0 / (1.0 + (-logit).exp()) - share) / count;
                slope += error;
                slopes.iter_mut().zip(sign).for_each(|(slope, sign)| *slope += error * sign);
            }
            bias -= STEP * slope;
            weights.iter_mut().zip(slopes).for_each(|(weight, slope)| *weight -= STEP * slope);
        }
        let weights = std::array::from_fn(|k| weights[k] / spreads[k]);
        let mut fitted = Self { bias, means, weights, sentences: signs.len(), correlation: 0.0 };
        let given: Vec<f64> = signs.iter().map(|sign| fitted.of(sign)).collect();
        fitted.correlation = correlation(&given, shares);
        fitted
    }
}

const ROUNDS: usize = 3000;
const STEP: f64 = 0.5;
const PULL: f64 = 1e-3;

/// Pearson's correlation; 0 where one side does not vary.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len().max(1) as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| f(a - mean_a, b - mean_b)).sum::<f64>();
    let norm = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    if norm > 0.0 { sum(&|a, b| a * b) / norm } else { 0.0 }
}

/// Fits the confidence of a bundle on a development set and writes it into the bundle: from then on translations can tell it.
pub fn calibrate(bundle: &Bundle, source: &Path, reference: &Path, threads: usize) -> Result<Confidence> {
    let settings = super::TranslatorSettings { threads, ..Default::default() };
    let translator = Translator::open_with([bundle.folder()], &settings)?;
    let metric = build("chrf", &Options::default())?;
    let (mut sources, mut references) = (Lines::open(source)?, Lines::open(reference)?);
    let mut texts = Vec::new();
    while let (Some(source), Some(reference)) = (sources.next_line()?, references.next_line()?) {
        texts.push((source.to_string(), reference.to_string()));
    }
    let texts = std::sync::Arc::new(texts);
    let request = translator.checked(&Request { signs: true, ..Request::default() })?;
    let asked = std::sync::Arc::clone(&texts);
    let translated = translator
        .pool
        .each(texts.len(), move |worker, number| worker.translate(&asked[number].0, None, &[], &request))?;
    let (mut signs, mut shares) = (Vec::new(), Vec::new());
    for (translated, (_, reference)) in translated.into_iter().zip(texts.iter()) {
        let translated = translated?;
        let Some(own) = translated.sentences.first().and_then(|sentence| sentence.signs) else { continue };
        let mut sums = vec![0.0; metric.size()];
        let prepared = metric.prepare(&References::new(&[reference]));
        prepared.add_statistics(&Hypothesis::new(&translated.text()), &mut sums);
        signs.push(own);
        shares.push((metric.score(&sums) / 100.0).clamp(0.0, 1.0));
    }
    if signs.is_empty() {
        return Err(Error::Invalid(
            "confidence is fitted on a development set, and there is no sentence in it".to_string(),
        ));
    }
    let fitted = Confidence::fit(&signs, &shares);
    fitted.write(bundle.folder())?;
    Ok(fitted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_with_good_translations_gives_confidence() {
        let sign = |k: usize| -> Signs { [k as f64 / 50.0, -3.0, -1.0, 0.0, (k % 7) as f64, 2.0] };
        let signs: Vec<Signs> = (0..50).map(sign).collect();
        let shares: Vec<f64> = (0..50).map(|k| 0.2 + 0.012 * f64::from(k)).collect();
        let fitted = Confidence::fit(&signs, &shares);
        assert!(fitted.correlation > 0.98, "{}", fitted.correlation);
        let mean = signs.iter().map(|sign| fitted.of(sign)).sum::<f64>() / 50.0;
        assert!((mean - shares.iter().sum::<f64>() / 50.0).abs() < 0.01, "{mean}");
        assert!(fitted.of(&sign(49)) > fitted.of(&sign(0)));
    }

    #[test]
    fn a_written_confidence_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Confidence::read(folder.path()).unwrap(), None);
        let fitted = Confidence::fit(&[[0.5; 6], [0.25; 6]], &[0.5, 0.75]);
        fitted.write(folder.path()).unwrap();
        assert_eq!(Confidence::read(folder.path()).unwrap(), Some(fitted));
    }
}
