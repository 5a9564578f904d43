use super::*;
use crate::count::Counter;
use crate::table::{Dump, Table, dump};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use treeglot_text::{Input, Output};

/// One instance: words of both sides, whether there is a link, and a count in quarters.
type Seen = (Vec<u8>, Vec<u8>, bool, u8);

fn any_instances() -> impl Strategy<Value = Vec<Seen>> {
    let side = || proptest::collection::vec(b'a'..b'd', 1..3);
    proptest::collection::vec((side(), side(), any::<bool>(), 1u8..9), 1..40)
}

fn words(side: &[u8]) -> String {
    side.iter().map(|&word| char::from(word).to_string()).collect::<Vec<_>>().join(" ")
}

fn text(instances: &[Seen]) -> String {
    let line = |(source, target, link, quarters): &Seen| {
        let link = if *link { "0-0" } else { "" };
        format!("{} ||| {} ||| {link} ||| {}\n", words(source), words(target), f32::from(*quarters) / 4.0)
    };
    instances.iter().map(line).collect()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn input(&self, instances: &[Seen]) -> Input {
        let path = self.path("instances");
        std::fs::write(&path, text(instances)).unwrap();
        Input::open(path).unwrap()
    }

    /// The bytes of the table of some parts with weights.
    fn table(&self, parts: &[(&[Seen], f64)], memory: u64, settings: &ScoreSettings) -> Vec<u8> {
        let scratch = Scratch::new(None);
        let mut counter = Counter::new(memory, &scratch);
        for (part, weight) in parts {
            counter.add_text(self.input(part), *weight).unwrap();
        }
        let inputs = ScoreInputs { memory, ..ScoreInputs::default() };
        write_table(counter.finish().unwrap(), settings, &inputs, &scratch, &self.path("table")).unwrap();
        std::fs::read(self.path("table")).unwrap()
    }

    fn lines(&self) -> String {
        let mut out = Output::create(self.path("text")).unwrap();
        let table = Table::open(self.path("table")).unwrap();
        dump(&table, Dump::Rules, 1 << 20, &Scratch::new(None), &mut out).unwrap();
        out.finish().unwrap();
        std::fs::read_to_string(self.path("text")).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_and_runs_give_the_table_of_the_whole(instances in any_instances(), at: prop::sample::Index) {
        let (folder, settings) = (Folder::new(), ScoreSettings::moses());
        let whole = folder.table(&[(&instances, 1.0)], 1 << 30, &settings);
        let (a, b) = instances.split_at(at.index(instances.len()));
        prop_assert_eq!(&folder.table(&[(a, 1.0), (b, 1.0)], 1 << 30, &settings), &whole);
        prop_assert_eq!(&folder.table(&[(a, 1.0), (b, 1.0)], 1, &settings), &whole);
    }

    #[test]
    fn counts_files_add_up_as_their_instances_do(instances in any_instances(), at: prop::sample::Index) {
        let (folder, scratch) = (Folder::new(), Scratch::new(None));
        let (a, b) = instances.split_at(at.index(instances.len()));
        let settings = ScoreSettings { lexical: false, ..ScoreSettings::moses() };
        let expected = folder.table(&[(a, 1.0), (b, 0.5)], 1 << 30, &settings);
        let mut all = Counter::new(1 << 30, &scratch);
        for (part, weight) in [(a, 1.0), (b, 0.5)] {
            let mut counter = Counter::new(1 << 30, &scratch);
            counter.add_text(folder.input(part), 1.0).unwrap();
            counter.finish().unwrap().write(&folder.path("counts")).unwrap();
            prop_assert!(crate::is_counts(&folder.path("counts")));
            all.add_counts(&folder.path("counts"), weight).unwrap();
        }
        write_table(all.finish().unwrap(), &settings, &ScoreInputs::default(), &scratch, &folder.path("other")).unwrap();
        let lines = folder.lines();
        std::fs::rename(folder.path("other"), folder.path("table")).unwrap();
        prop_assert_eq!(folder.lines(), lines);
        prop_assert!(!expected.is_empty());
    }

    #[test]
    fn a_weight_scales_counts_and_leaves_probabilities_alone(instances in any_instances()) {
        let (folder, settings) = (Folder::new(), ScoreSettings::moses());
        let without_counts = |text: String| {
            let fields = |line: &str| line.split("|||").take(4).collect::<Vec<_>>().join("|||");
            text.lines().map(fields).collect::<Vec<_>>()
        };
        folder.table(&[(&instances, 1.0)], 1 << 30, &settings);
        let once = without_counts(folder.lines());
        folder.table(&[(&instances, 4.0)], 1 << 30, &settings);
        prop_assert_eq!(without_counts(folder.lines()), once);
    }

    #[test]
    fn probabilities_are_relative_frequencies(instances in any_instances()) {
        let folder = Folder::new();
        folder.table(&[(&instances, 1.0)], 1 << 30, &ScoreSettings { lexical: false, ..ScoreSettings::moses() });
        let mut joint: BTreeMap<(String, String), f64> = BTreeMap::new();
        for (source, target, _, quarters) in &instances {
            *joint.entry((words(source), words(target))).or_default() += f64::from(*quarters) / 4.0;
        }
        let lines = folder.lines();
        prop_assert_eq!(lines.lines().count(), joint.len());
        for line in lines.lines() {
            let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
            let sum = |of: &dyn Fn(&(String, String)) -> bool| -> f64 {
                joint.iter().filter(|(pair, _)| of(pair)).map(|(_, count)| count).sum()
            };
            let both = joint[&(fields[0].to_string(), fields[1].to_string())];
            let scores: Vec<f64> = fields[2].split(' ').map(|score| score.parse().unwrap()).collect();
            prop_assert!((scores[0] - both / sum(&|(_, target)| target == fields[1])).abs() < 1e-5);
            prop_assert!((scores[1] - both / sum(&|(source, _)| source == fields[0])).abs() < 1e-5);
        }
    }
}

fn dumped(text: &str, settings: &ScoreSettings) -> String {
    dumped_from(text, settings, &ScoreInputs::default())
}

fn dumped_from(text: &str, settings: &ScoreSettings, inputs: &ScoreInputs) -> String {
    let folder = Folder::new();
    let scratch = Scratch::new(None);
    let mut counter = Counter::new(1 << 30, &scratch);
    let input =
        Input { name: "rules".into(), reader: Box::new(std::io::Cursor::new(text.as_bytes().to_vec())) };
    counter.add_text(input, 1.0).unwrap();
    write_table(counter.finish().unwrap(), settings, inputs, &scratch, &folder.path("table")).unwrap();
    folder.lines()
}

#[test]
fn target_sides_share_their_count_whatever_their_variables_numbers() {
    let rules = "[X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 1-1 0-0 2-2 ||| 1\n\
                 [X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 1-1 0-2 2-0 ||| 3\n";
    let settings = ScoreSettings { lexical: false, ..ScoreSettings::moses() };
    assert_eq!(
        dumped(rules, &settings),
        "[X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 0.25 0.25 ||| 0-0 1-1 2-2 ||| 4 4 1 ||| |||\n\
         [X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 0.75 0.75 ||| 0-2 1-1 2-0 ||| 4 4 3 ||| |||\n"
    );
}

#[test]
fn rare_rules_are_left_out_and_the_best_of_a_source_side_kept() {
    let rules =
        "a ||| x ||| 0-0 ||| 3\na ||| y ||| 0-0 ||| 2\na ||| z ||| 0-0 ||| 1\nb ||| z ||| 0-0 ||| 1\n";
    let few = dumped(rules, &ScoreSettings { min_count: 2.0, lexical: false, ..ScoreSettings::moses() });
    assert_eq!(
        few,
        "a ||| x ||| 1 0.5 ||| 0-0 ||| 3 6 3 ||| |||\na ||| y ||| 1 0.333333 ||| 0-0 ||| 2 6 2 ||| |||\n"
    );
    let best = dumped(rules, &ScoreSettings { limit: 1, lexical: false, ..ScoreSettings::moses() });
    assert_eq!(
        best,
        "a ||| x ||| 1 0.5 ||| 0-0 ||| 3 6 3 ||| |||\nb ||| z ||| 0.5 1 ||| 0-0 ||| 2 1 1 ||| |||\n"
    );
}

#[test]
fn rules_that_chance_explains_are_dropped() {
    let folder = Folder::new();
    let (source, target) = (folder.path("source"), folder.path("target"));
    std::fs::write(&source, "a b\na b\na c\nd e\nd f\n").unwrap();
    std::fs::write(&target, "x y\nx y\nx z\nu v\nu w\n").unwrap();
    let rules = "a ||| x ||| 0-0 ||| 3\nc ||| z ||| 0-0 ||| 1\na ||| v ||| 0-0 ||| 1\n";
    let kept = |threshold| {
        let inputs = ScoreInputs { corpus: Some([source.clone(), target.clone()]), ..ScoreInputs::default() };
        let settings = ScoreSettings { significance: Some(threshold), ..ScoreSettings::moses() };
        let lines = dumped_from(rules, &settings, &inputs);
        lines
            .lines()
            .map(|line| line.split(" ||| ").take(2).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    // `a` and `x` meet in 3 of 5 pairs, always: 1 of 10 ways. `c` and `z` meet once: 1 of 5 ways.
    assert_eq!(kept(Threshold::AlphaMinusEpsilon), ["a x", "c z"]);
    assert_eq!(kept(Threshold::AlphaPlusEpsilon), ["a x"]);
    assert_eq!(kept(Threshold::At(10f64.ln() + 0.01)), Vec::<String>::new());
    assert_eq!(kept(Threshold::At(0.0)), ["a v", "a x", "c z"]);
}

#[test]
fn quantised_scores_are_few_and_close_and_the_same_rules_are_kept() {
    let folder = Folder::new();
    let instance = |n: u8| (vec![b'a' + n % 3, b'a' + n / 3 % 3], vec![b'a' + n / 9 % 3], true, 1 + n % 8);
    let instances: Vec<Seen> = (0..200).map(instance).collect();
    let scores = |settings: &ScoreSettings| {
        folder.table(&[(&instances, 1.0)], 1 << 20, settings);
        let table = Table::open(folder.path("table")).unwrap();
        let rules = 0..table.len() as u32;
        rules
            .map(|rule| {
                (table.probability(crate::RuleId(rule), 2).value(), table.target_id(crate::RuleId(rule)))
            })
            .collect::<Vec<_>>()
    };
    let exact = scores(&ScoreSettings { limit: 2, ..ScoreSettings::moses() });
    let few = scores(&ScoreSettings { limit: 2, quantize: Some(2), ..ScoreSettings::moses() });
    let mut distinct: Vec<String> = few.iter().map(|(score, _)| score.to_string()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert!((2..=4).contains(&distinct.len()), "{distinct:?}");
    assert_eq!(
        exact.iter().map(|rule| rule.1).collect::<Vec<_>>(),
        few.iter().map(|rule| rule.1).collect::<Vec<_>>()
    );
    assert!(exact.iter().zip(&few).all(|(a, b)| (a.0 - b.0).abs() < 0.2), "{exact:?} {few:?}");
}

#[test]
fn links_are_added_up_over_orientations() {
    let folder = Folder::new();
    let lines = "a b ||| c d ||| 0-0 1-0 ||| 1 ||| mono swap\n\
        a b ||| c d ||| 0-0 1-0 1-1 ||| 1.5 ||| mono mono\n\
        a b ||| c d ||| 0-0 1-0 ||| 1 ||| swap swap\n";
    std::fs::write(folder.path("instances"), lines).unwrap();
    let scratch = Scratch::new(None);
    let mut counter = Counter::new(1 << 20, &scratch);
    counter.add_text(Input::open(folder.path("instances")).unwrap(), 1.0).unwrap();
    write_table(
        counter.finish().unwrap(),
        &ScoreSettings::moses(),
        &ScoreInputs::default(),
        &scratch,
        &folder.path("table"),
    )
    .unwrap();
    assert!(folder.lines().contains("||| 0-0 1-0 ||| 3.5"), "{}", folder.lines());
}

#[test]
fn scores_tell_which_sources_a_rule_comes_from() {
    let folder = Folder::new();
    let text = |name: &str, lines: &str| {
        std::fs::write(folder.path(name), lines).unwrap();
        Input::open(folder.path(name)).unwrap()
    };
    let scratch = Scratch::new(None);
    let scored = |counter: Counter| {
        let settings = ScoreSettings { lexical: false, origins: true, ..ScoreSettings::moses() };
        write_table(
            counter.finish().unwrap(),
            &settings,
            &ScoreInputs::default(),
            &scratch,
            &folder.path("table"),
        )
        .unwrap();
        assert_eq!(Table::open(folder.path("table")).unwrap().score_names()[2..], ["from(1)", "from(2)"]);
        folder.lines()
    };
    let expected = "a ||| b ||| 0.75 0.75 2.71828 2.71828 ||| 0-0 ||| 4 4 3 ||| |||\n\
                    a ||| c ||| 1 0.25 1 2.71828 ||| 0-0 ||| 1 4 1 ||| |||\n\
                    d ||| b ||| 0.25 1 2.71828 1 ||| 0-0 ||| 4 1 1 ||| |||\n";
    let (first, second) =
        ("a ||| b ||| 0-0 ||| 2\nd ||| b ||| 0-0 ||| 1\n", "a ||| b ||| 0-0 ||| 1\na ||| c ||| 0-0 ||| 1\n");
    let mut by_file = Counter::new(1 << 20, &scratch);
    for (origin, lines) in [first, second].into_iter().enumerate() {
        by_file.set_origin(Some(origin as u8));
        by_file.add_text(text("part", lines), 1.0).unwrap();
    }
    assert_eq!(scored(by_file), expected);
    let mut by_instance = Counter::new(1 << 20, &scratch);
    let told = second.replace(" 1\n", " 1 ||| {{From 2}}\n");
    by_instance.add_text(text("all", &(first.to_string() + &told)), 1.0).unwrap();
    by_instance.finish().unwrap().write(&folder.path("counts")).unwrap();
    let mut by_counts = Counter::new(1 << 20, &scratch);
    by_counts.add_counts(&folder.path("counts"), 1.0).unwrap();
    assert_eq!(scored(by_counts), expected);
}

#[test]
fn rules_that_differ_in_structure_only_can_be_one() {
    let folder = Folder::new();
    let rule = |target: &str, count: u32, heads: &str| {
        format!("[X][X] a [X] ||| {target} [X] ||| 0-0 1-1 ||| {count} ||| {{{{Heads {heads}}}}}\n")
    };
    let other = "[X][X] b [X] ||| [X][X] c [X] ||| 0-0 1-1 ||| 4 ||| {{Heads 2 0}}\n";
    let lines = [
        rule("[X][X] c", 1, "2 0"),
        rule("[X][X] c", 2, "0 1"),
        rule("[X][X] c", 1, "0 0 ill"),
        rule("[X][X] d", 4, "0 0"),
        other.to_string(),
    ];
    std::fs::write(folder.path("rules"), lines.concat()).unwrap();
    let dumped = |one_structure: bool| {
        let scratch = Scratch::new(None);
        let mut counter = Counter::new(1 << 20, &scratch);
        counter.add_text(Input::open(folder.path("rules")).unwrap(), 1.0).unwrap();
        let settings = ScoreSettings { lexical: false, one_structure, ..ScoreSettings::moses() };
        write_table(
            counter.finish().unwrap(),
            &settings,
            &ScoreInputs::default(),
            &scratch,
            &folder.path("table"),
        )
        .unwrap();
        folder.lines()
    };
    let line = |source: &str, target: &str, scores: &str, counts: &str, heads: &str| {
        format!(
            "[X][X] {source} [X] ||| [X][X] {target} [X] ||| {scores} ||| 0-0 1-1 ||| {counts} ||| ||| {{{{Heads {heads}}}}}\n"
        )
    };
    let one = [
        line("a", "c", "0.5 0.5", "8 8 4", "0 1"),
        line("a", "d", "1 0.5", "4 8 4", "0 0"),
        line("b", "c", "0.5 1", "8 4 4", "2 0"),
    ];
    assert_eq!(dumped(true), one.concat());
    let all = [
        line("a", "c", "0.2 0.125", "5 8 1", "2 0"),
        line("a", "c", "1 0.125", "1 8 1", "0 0 ill"),
        line("a", "c", "1 0.25", "2 8 2", "0 1"),
        line("a", "d", "1 0.5", "4 8 4", "0 0"),
        line("b", "c", "0.8 1", "5 4 4", "2 0"),
    ];
    assert_eq!(dumped(false), all.concat());
}
