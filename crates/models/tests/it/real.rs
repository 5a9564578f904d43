//! The rules of real pairs: what Moses extracts from them, how few of them dependency trees allow,
//! and how many pairs the rules of multi-word units build again.

use crate::support::{Folder, model, run};
use serde_json::json;
use std::collections::HashSet;
use std::path::Path;
use treeglot_models::mwu::Consistency;
use treeglot_models::mwu::coverage::Study;
use treeglot_models::pairs::Pairs;
use treeglot_text::bitext::Options;
use treeglot_text::{Input, Lines};
use xxhash_rust::xxh3::xxh3_64;

/// The first pairs of Multi30k with fast_align's links and a parser's trees.
fn first_pairs(data: &Path, count: usize, trees: Option<&str>) -> Folder {
    let folder = Folder::new();
    for (name, path) in [
        ("source", "multi30k/tok/train.de"),
        ("target", "multi30k/tok/train.en"),
        ("links", "multi30k/train.de-en.fast_align.gdfa.gz"),
    ] {
        folder.write(name, &take_lines(&data.join(path), count, |_| true));
    }
    if let Some(parser) = trees {
        let path = data.join(format!("parses/multi30k/train.de.{parser}.conllu.gz"));
        folder.write("source.conllu", &take_lines(&path, count, str::is_empty));
    }
    folder
}

/// The text up to the line that is the `count`-th for which `counts` holds.
fn take_lines(path: &Path, count: usize, counts: impl Fn(&str) -> bool) -> String {
    let input = Input::open(path).expect("the data folder is complete");
    let mut lines = Lines::new(input.name, input.reader);
    let (mut out, mut seen) = (String::new(), 0);
    while seen < count {
        let line = lines.next_line().ok().flatten().expect("the file has more lines");
        seen += usize::from(counts(line));
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn phrases_and_rules_are_those_of_moses() {
    let data = Path::new(env!("TREEGLOT_REAL_DATA"));
    let folder = first_pairs(data, 2_000, None);
    // Checksums of our own text, taken when `cmp` found it equal to that of Moses (docs/benchmarks.md, Rules).
    for (name, options, count, checksum) in
        [("phrase", json!({}), 83_236, PHRASES), ("hiero", json!({"preset": "moses"}), 456_525, RULES)]
    {
        let (text, summary) = run(&folder.files(), &*model(name, options), false, None).unwrap();
        assert_eq!((summary.instances, xxh3_64(text.as_bytes())), (count, checksum), "{name}");
    }
}

const PHRASES: u64 = 10_595_597_650_905_339_244;
const RULES: u64 = 10_453_684_628_415_979_456;

/// How many distinct rules with variables there are.
fn hierarchical(text: &str) -> usize {
    let rules = text.lines().filter(|line| line.contains("[X][X]"));
    rules.map(rule_of).collect::<HashSet<_>>().len()
}

/// Both sides and the links of variables, which make a rule what it is.
fn rule_of(line: &str) -> (&str, &str, Vec<&str>) {
    let fields: Vec<&str> = line.split(" ||| ").collect();
    let source: Vec<&str> = fields[0].split(' ').collect();
    let is_variable = |link: &&str| {
        let position = link.split_once('-').and_then(|link| link.0.parse().ok());
        position.is_some_and(|position: usize| source[position] == "[X][X]")
    };
    (fields[0], fields[1], fields[2].split(' ').filter(is_variable).collect())
}

fn count(folder: &Folder, name: &str, options: serde_json::Value) -> usize {
    let extracted = run(&folder.files(), &*model(name, options), false, None);
    hierarchical(&extracted.expect("the pairs are in order").0)
}

/// Of the rules with `ghkm` limits, 232,609 and 107,737 are of projective trees with one root, and equal those of Moses'
/// `extract-ghkm`; see docs/benchmarks.md.
#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn constrained_rules_are_as_many_as_moses_and_a_prototype_found() {
    let data = Path::new(env!("TREEGLOT_REAL_DATA"));
    for (parser, ghkm, hiero) in [("malt-ud", 233_823, 24_739), ("parzu", 108_852, 27_188)] {
        let folder = first_pairs(data, 5_000, Some(parser));
        assert_eq!(count(&folder, "constrained", json!({})), ghkm, "{parser}");
        assert_eq!(count(&folder, "constrained", json!({"limits": "hiero"})), hiero, "{parser}");
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn trees_leave_a_fraction_of_the_rules() {
    let data = Path::new(env!("TREEGLOT_REAL_DATA"));
    let folder = first_pairs(data, 1_000, Some("malt-ud"));
    let all = count(&folder, "hiero", json!({"preset": "moses"}));
    assert!(2 * count(&folder, "constrained", json!({})) <= all);
    assert!(20 * count(&folder, "constrained", json!({"limits": "hiero"})) <= all);
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn larger_units_and_more_ways_recover_more_pairs() {
    let data = Path::new(env!("TREEGLOT_REAL_DATA"));
    let folder = first_pairs(data, 300, Some("parzu"));
    let study = Study {
        m: vec![1, 3, 6],
        k: vec![1, 10, 50],
        delta: 0.0,
        consistency: Consistency::Strict,
        max_sequence: 5,
    };
    let mut pairs =
        Pairs::open(&folder.files(), study.needs(), Options::default()).expect("the files are there");
    let (coverage, checked) = study.run(&mut pairs, |_| ()).expect("the pairs are in order");
    let share: Vec<f64> = coverage.settings.iter().map(|setting| setting.all.percent()).collect();
    assert_eq!(checked.pairs, 300);
    assert!(share[2] < share[5] && share[5] < share[8], "rising with m: {share:?}");
    assert!(share[8] >= 75.0 && share[8] >= share[6] + 8.0, "by k: {share:?}");
    assert!(coverage.settings.iter().all(|setting| {
        let r = setting.reasons;
        r.beyond_k + r.unaligned + r.ill_formed_unit + r.no_consistent_cspan
            == setting.all.pairs - setting.all.recovered
    }));
}
