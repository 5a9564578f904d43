//! Confidence: its correlation with the chrF of sentences.

use super::{Desk, Row};

/// So many sentences with the least and the most confidence are looked at.
const ENDS: usize = 100;

pub fn rows(desk: &Desk) -> Result<Vec<Row>, String> {
    desk.ask(&["bundle", "calibrate", "-q", "m", "--dev-src", "dev.de", "--dev-ref", "dev.en"])?;
    let told = desk.lines(&["translate", "-q", "-m", "m", "--json", "--confidence", "test.de"])?;
    let mut rated = Vec::new();
    let mut texts = Vec::new();
    for line in &told {
        let line: serde_json::Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        rated.push(line["confidence"].as_f64().ok_or("a line without confidence")?);
        texts.push(line["text"].as_str().unwrap_or_default().to_string());
    }
    desk.write("rated", &texts)?;
    let scores = desk.lines(&["eval", "--metrics", "chrf", "--sentence", "--ref", "test.en", "rated"])?;
    let scores: Vec<f64> =
        scores.iter().filter_map(|line| line.split('\t').next_back()?.trim().parse().ok()).collect();
    if scores.len() != rated.len() {
        return Err(format!("{} confidences, but {} scores", rated.len(), scores.len()));
    }
    let mut order: Vec<usize> = (0..rated.len()).collect();
    order.sort_by(|&a, &b| rated[a].total_cmp(&rated[b]));
    let mean = |of: &[usize]| of.iter().map(|&at| scores[at]).sum::<f64>() / of.len().max(1) as f64;
    let (worst, best) =
        (mean(&order[..ENDS.min(order.len())]), mean(&order[order.len().saturating_sub(ENDS)..]));
    let (pearson, spearman) = (correlation(&rated, &scores), correlation(&ranks(&rated), &ranks(&scores)));
    let how = "fitted on the development set (`bundle calibrate`), sentence chrF of the test set".to_string();
    let result = format!(
        "Pearson {pearson:.2}, Spearman {spearman:.2}; mean chrF of the {ENDS} with the least confidence {worst:.0}, of the {ENDS} with the most {best:.0}"
    );
    Ok(vec![Row { what: "confidence", how, result }])
}

/// Pearson's correlation.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |f: fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| f(a - mean_a, b - mean_b)).sum::<f64>();
    sum(|a, b| a * b) / (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt()
}

/// The rank of each value; equal ones share theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|&&other| other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|&&other| other == value).count() as f64;
    values.iter().map(|&value| below(value) + (equal(value) - 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_rank_and_order_is_what_ranks_keep() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
        assert!((correlation(&ranks(&[1.0, 2.0, 30.0]), &ranks(&[5.0, 6.0, 6.5])) - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
    }
}
