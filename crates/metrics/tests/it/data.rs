//! Scores of real translations that came with the originals. Without the data folder these tests say so and pass.

use std::path::{Path, PathBuf};
use treeglot_metrics::files::{Files, score};
use treeglot_metrics::{Options, build, meteor};

/// The segments of an SGML file, one a line.
fn segments(path: &Path, unescape: bool, to: &Path) {
    let text = std::fs::read_to_string(path).expect("the file is there");
    let mut lines = String::new();
    for segment in text.split("<seg ").skip(1) {
        let (_, segment) = segment.split_once('>').expect("a tag ends");
        let (segment, _) = segment.split_once("</seg>").expect("a segment ends");
        let mut segment = segment.split_whitespace().collect::<Vec<_>>().join(" ");
        if unescape {
            segment = segment.replace("&quot;", "\"").replace("&apos;", "'").replace("&lt;", "<");
            segment = segment.replace("&gt;", ">").replace("&amp;", "&");
        }
        lines.push_str(&segment);
        lines.push('\n');
    }
    std::fs::write(to, lines).expect("a temporary file");
}

/// The scores of one system by several metrics.
fn scores(reference: PathBuf, hypothesis: PathBuf, names: &[&str], options: &Options) -> Vec<f64> {
    let mut metrics: Vec<_> = names.iter().map(|name| build(name, options).expect("a metric")).collect();
    let files = Files { references: vec![reference], hypotheses: vec![hypothesis], ..Files::default() };
    let scored = score(&files, &mut metrics, false).expect("files that match");
    metrics.iter().zip(&scored.systems[0].sums).map(|(metric, sums)| metric.score(sums)).collect()
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn bleu_and_nist_of_russian_news_are_those_of_mteval() {
    let data = Path::new(env!("TREEGLOT_REAL_DATA")).join("metrics");
    let folder = tempfile::tempdir().unwrap();
    let (reference, hypothesis) = (folder.path().join("ref"), folder.path().join("hyp"));
    let set = data.join("wmt15_eval");
    segments(&set.join("newstest2015-100sents-enru-ref.ru.sgm"), false, &reference);
    segments(&set.join("newstest2015-100sents-enru-google.ru.sgm"), false, &hypothesis);
    let found = scores(reference, hypothesis, &["bleu", "nist"], &Options::default());
    assert_eq!(format!("{:.2} {:.4}", found[0], found[1]), "23.18 5.0564");
    println!("ran: 100 sentences of Russian news");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn meteor_with_stems_and_synonyms_gives_the_scores_of_its_example() {
    let data = Path::new(env!("TREEGLOT_REAL_DATA")).join("metrics");
    let folder = tempfile::tempdir().unwrap();
    let (reference, hypothesis) = (folder.path().join("ref"), folder.path().join("hyp"));
    let set = data.join("meteor");
    segments(&set.join("ref.sgm"), true, &reference);
    segments(&set.join("test.sgm"), true, &hypothesis);
    let mut meteor = meteor::Options::default();
    meteor.resources(&set.join("resources")).unwrap();
    let options = Options { meteor, ..Options::default() };
    let found = scores(reference, hypothesis, &["meteor"], &options)[0];
    // What the original gives with its modules exact, stem and synonym.
    assert!((found - 27.9683973774178).abs() < 1e-9, "{found}");
    println!("ran: 2525 sentences of METEOR's example");
}
