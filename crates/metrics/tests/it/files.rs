//! Scoring files: in parts, by several threads, packed or not.

use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_metrics::files::{Files, Scored, score};
use treeglot_metrics::{Options, RefCount, build};
use treeglot_text::Output;

fn write(path: &Path, lines: impl Iterator<Item = String>) -> PathBuf {
    let mut output = Output::create(path).expect("a temporary file");
    for line in lines {
        writeln!(output, "{line}").expect("a temporary file");
    }
    output.finish().expect("a temporary file");
    path.to_path_buf()
}

/// Files of more lines than are scored at a time, with an ending.
fn files(folder: &Path, ending: &str) -> Files {
    let path = |name: &str| folder.join(format!("{name}{ending}"));
    let line = |i: usize| format!("line {i} has {} words, and 0.{i} more.", i % 17);
    Files {
        references: vec![
            write(&path("a"), (0..4500).map(line)),
            write(&path("b"), (0..4500).map(|i| if i % 5 == 0 { String::new() } else { line(i + 1) })),
        ],
        hypotheses: vec![
            write(&path("x"), (0..4500).map(|i| line(i + i % 3))),
            write(&path("y"), (0..4500).map(|i| format!("{} {}", i % 7, line(i)))),
        ],
        ..Files::default()
    }
}

fn sums(files: &Files, threads: usize) -> Scored {
    let names = ["bleu", "chrf", "ter", "nist", "r"];
    let mut metrics: Vec<_> =
        names.iter().map(|name| build(name, &Options::default()).expect("a metric")).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| score(files, &mut metrics, true)).expect("files that match")
}

#[test]
fn scores_do_not_depend_on_threads_or_packing() {
    let folder = tempfile::tempdir().unwrap();
    let plain = sums(&files(folder.path(), ""), 1);
    assert_eq!((plain.sentences, plain.references), (4500, RefCount::Fixed(2)));
    for (ending, threads) in [("", 4), (".gz", 2), (".zst", 3)] {
        let other = sums(&files(folder.path(), ending), threads);
        for (one, two) in plain.systems.iter().zip(&other.systems) {
            assert_eq!(one.sums, two.sums);
        }
    }
    for statistics in &plain.systems[1].statistics {
        assert_eq!(statistics.sentences().count(), 4500);
    }
}

#[test]
fn an_empty_line_is_a_missing_reference_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files { empty_is_missing: true, ..files(folder.path(), "") };
    assert_eq!(sums(&files, 2).references, RefCount::Varying);
}

#[test]
fn files_of_different_length_are_named_with_their_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = files(folder.path(), "");
    files.hypotheses[1] = write(&folder.path().join("long"), (0..4501).map(|i| i.to_string()));
    let mut metrics = [build("bleu", &Options::default()).unwrap()];
    let error = score(&files, &mut metrics, false).unwrap_err().to_string();
    assert!(error.contains("long has 4501 lines, but ") && error.contains("a has 4500:"), "{error}");
}
