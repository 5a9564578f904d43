//! Scores two systems' translations and tests whether they differ.

use treeglot::metrics::files::{Files, score};
use treeglot::metrics::significance::p_value;
use treeglot::metrics::{Options, Paired, build};
use treeglot::sample::Sample;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).map(|()| path)
    };
    let right: Vec<String> = Sample::embedded().test.iter().map(|pair| pair.target.tokens()).collect();
    let wrong: Vec<String> = right.iter().map(|line| line.replace("the", "a")).collect();
    let files = Files {
        references: vec![write("reference", right.join("\n") + "\n")?],
        hypotheses: vec![write("one", right.join("\n") + "\n")?, write("two", wrong.join("\n") + "\n")?],
        ..Files::default()
    };
    let mut metrics = [build("bleu", &Options::default())?];
    let scored = score(&files, &mut metrics, true)?;
    let [one, two] = &scored.systems[..] else { unreachable!("two systems were scored") };
    let metric = &*metrics[0];
    println!("BLEU {:.2} and {:.2}", metric.score(&one.sums[0]), metric.score(&two.sums[0]));
    let test = Paired::Bootstrap;
    let (one, two, samples) = (&one.statistics[0], &two.statistics[0], test.default_samples());
    let p = p_value(metric, one, two, test, samples, 12345);
    assert!(p.is_some_and(|p| p < 0.05), "every sentence differs");
    println!("p = {p:?}");
    Ok(())
}
