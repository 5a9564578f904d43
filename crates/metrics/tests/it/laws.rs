//! Laws that every metric keeps, whatever the text.

use proptest::prelude::*;
use std::sync::OnceLock;
use treeglot_metrics::registry;
use treeglot_metrics::tokenize::{Tercom, Tokenizer};
use treeglot_metrics::{Hypothesis, Metric, Options, References, build};

/// Every metric, plain and with its rarer options.
fn metrics() -> &'static [Box<dyn Metric>] {
    static METRICS: OnceLock<Vec<Box<dyn Metric>>> = OnceLock::new();
    METRICS.get_or_init(|| {
        let mut rare = Options::default();
        rare.bleu.tokenizer = Tokenizer::International;
        rare.bleu.lowercase = true;
        rare.nist.tokenizer = Tokenizer::Chinese;
        rare.chrf.whitespace = true;
        rare.ter = Tercom { normalized: true, no_punct: true, asian: true, cased: true };
        rare.meteor.language = "fr".to_string();
        let all = [Options::default(), rare];
        let each = all.iter().flat_map(|options| registry::METRICS.map(|entry| build(entry.name, options)));
        each.map(|metric| metric.expect("a metric of this name")).collect()
    })
}

fn statistics(metric: &dyn Metric, hypothesis: &str, references: &[String]) -> Vec<f64> {
    let texts: Vec<&str> = references.iter().map(String::as_str).collect();
    let mut sums = vec![0.0; metric.size()];
    let sentence = metric.prepare(&References::new(&texts));
    sentence.add_statistics(&Hypothesis::new(hypothesis), &mut sums);
    sums
}

/// Text with what tokenisers trip over, and any other.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab0 .,'\"&;#-]{0,24}",
        "(the|cat|&amp;|&lt;|\\.\\.\\.|U\\.S\\.|猫。| |3-4|1,5|’s){0,12}",
        "\\PC{0,24}",
        ".{0,24}"
    ]
}

proptest! {
    #[test]
    fn any_text_has_a_finite_score(
        hypothesis in text(),
        references in proptest::collection::vec(text(), 0..4),
    ) {
        for metric in metrics() {
            let own = statistics(metric.as_ref(), &hypothesis, &references);
            prop_assert!(own.iter().all(|value| value.is_finite()), "{}: {own:?}", metric.name());
            let (score, alone) = (metric.score(&own), metric.sentence_score(&own));
            prop_assert!(score.is_finite() && alone.is_finite(), "{}: {score} {alone}", metric.name());
        }
    }

    #[test]
    fn a_translation_that_is_its_reference_has_the_best_score(reference in "([a-d]{1,3} ){6,12}x") {
        for metric in metrics().iter().filter(|metric| metric.name() != "nist") {
            let own = statistics(metric.as_ref(), &reference, std::slice::from_ref(&reference));
            let best = if metric.higher_is_better() { 100.0 } else { 0.0 };
            prop_assert!((metric.score(&own) - best).abs() < 1e-9, "{}: {}", metric.name(), metric.score(&own));
        }
    }

    #[test]
    fn statistics_are_added_to_what_is_there(hypothesis in text(), reference in text()) {
        for metric in metrics() {
            let once = statistics(metric.as_ref(), &hypothesis, std::slice::from_ref(&reference));
            let sentence = metric.prepare(&References::new(&[&reference]));
            let mut twice = once.clone();
            sentence.add_statistics(&Hypothesis::new(&hypothesis), &mut twice);
            for (one, two) in once.iter().zip(twice) {
                prop_assert!((2.0 * one - two).abs() < 1e-9, "{}", metric.name());
            }
        }
    }
}
