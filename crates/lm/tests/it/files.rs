//! Files in and out: ARPA of every maker, our binary form, and what is neither.

use crate::support::{EXACT, Oracle, estimate, layouts, text};
use proptest::prelude::*;
use std::path::Path;
use treeglot_lm::estimate::within_memory;
use treeglot_lm::{Lm, LmLayout, Ngrams, Settings, arpa};
use treeglot_text::Input;
use treeglot_text::vocab::Sym;

fn written(ngrams: &Ngrams) -> String {
    let mut bytes = Vec::new();
    arpa::write(ngrams, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(text: &str) -> Result<Ngrams, String> {
    arpa::read_from(treeglot_text::Lines::new("x.arpa", text.as_bytes())).map_err(|e| e.to_string())
}

fn small() -> Ngrams {
    estimate("das Haus ist klein\ndas Haus ist das Haus\nein Haus\n", &Settings::of_order(3))
}

fn totals(lm: &Lm, lines: &[&str]) -> Vec<f32> {
    let score = |line: &&str| {
        let symbols: Vec<Sym> = treeglot_lm::words(line).map(|w| lm.symbol(w)).collect();
        lm.tables().sentence(&symbols).prob as f32
    };
    lines.iter().map(score).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn arpa_comes_back_as_it_was_written(
        train in proptest::collection::vec(proptest::collection::vec(0u8..6, 0..8), 1..20),
        order in 1usize..7,
        memory in prop_oneof![Just(0u64), Just(1 << 30)],
    ) {
        let reader = Box::new(std::io::Cursor::new(text(&train).into_bytes()));
        let input = Input { name: "text".into(), reader };
        let ngrams = within_memory(input, &Settings::of_order(order), memory).unwrap().0.into_ngrams();
        let arpa = written(&ngrams);
        let back = read(&arpa).unwrap();
        prop_assert_eq!(written(&back), arpa);
    }
}

#[test]
fn the_binary_form_scores_as_the_model_it_was_written_from() {
    let folder = tempfile::tempdir().unwrap();
    let lines = ["das Haus ist klein", "", "ein Haus ist unbekannt", "klein klein"];
    for settings in layouts() {
        let lm = Lm::build_as(small(), &settings).unwrap();
        let path = folder.path().join("x.lm");
        lm.write(&path).unwrap();
        let mapped = Lm::open(&path).unwrap();
        mapped.verify().unwrap();
        assert_eq!(totals(&mapped, &lines), totals(&lm, &lines));
        assert_eq!(mapped.order(), 3);
        assert_eq!(mapped.words().word(mapped.symbol("Haus")), Some("Haus"));
    }
}

#[test]
fn a_truncated_or_altered_binary_is_an_error_that_names_it_and_never_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    for settings in layouts() {
        let path = folder.path().join("x.lm");
        Lm::build_as(small(), &settings).unwrap().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(7) {
            for cut in [true, false] {
                let mut bad = bytes.clone();
                if cut {
                    bad.truncate(at);
                } else {
                    bad[at] ^= 0x41;
                }
                std::fs::write(&path, &bad).unwrap();
                let outcome = Lm::open(&path).and_then(|lm| {
                    totals(&lm, &["das Haus ist klein", "ein das Haus x"]);
                    lm.verify()
                });
                assert!(!cut || outcome.is_err(), "cut at {at}");
                if let Err(e) = outcome {
                    assert!(e.to_string().contains("x.lm"), "{e}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_arpa_file_is_refused_with_its_line() {
    let good = written(&small());
    let at = |line: &str| good.lines().position(|l| l == line).unwrap() + 1;
    let bigrams = at("\\2-grams:");
    let cases = [
        ("".to_string(), "x.arpa: not an ARPA language model: it does not begin with `\\data\\`".to_string()),
        ("some text\n".to_string(), "x.arpa:1: not an ARPA language model".to_string()),
        (good[..good.len() - 7].to_string(), "the file ends before `\\end\\`: it is truncated".to_string()),
        (good[..good.len() / 2].to_string(), "truncated".to_string()),
        (
            good.replace("\\2-grams:", "\\9-grams:"),
            format!("x.arpa:{bigrams}: `\\2-grams:` is expected here"),
        ),
        (good.replacen("Haus ist\t", "Hof ist\t", 1), "the word `Hof` is not among the unigrams".to_string()),
        (good.replacen("\t<s>", "\t</s>", 1), "the word `</s>` is given twice".to_string()),
        (good.replacen("-", "", 1), "".to_string()),
    ];
    for (text, message) in cases {
        if text == good {
            continue;
        }
        let error = read(&text).err().unwrap_or_else(|| panic!("accepted: {message}"));
        assert!(error.contains(&message) && error.starts_with("x.arpa"), "{error}");
    }
}

const PRUNED: &str = "\\data\\
ngram 1=5
ngram 2=2
ngram 3=1

\\1-grams:
-1\t<unk>
-99\t<s>\t-0.5
-0.5\t</s>
-0.6\ta\t-0.25
-0.7\tb\t-0.125

\\2-grams:
-0.4\t<s> a\t-0.3
-0.2\tb b

\\3-grams:
-0.1\tb a b

\\end\\
";

#[test]
fn parts_that_a_pruned_model_lacks_are_filled_in_by_backing_off() {
    let ngrams = read(PRUNED).unwrap();
    let counts: Vec<usize> = ngrams.levels.iter().map(|l| l.len()).collect();
    assert_eq!(counts, [5, 4, 1], "`a b` and `b a` are added for `b a b`");
    let oracle = Oracle::new(&ngrams);
    for settings in layouts() {
        let lm = Lm::build_as(ngrams.clone(), &settings).unwrap();
        let [a, b] = ["a", "b"].map(|w| lm.symbol(w));
        assert!((oracle.prob(&[a, b]) - (-0.25 - 0.7)).abs() < 1e-6);
        let tables = lm.tables();
        let scorer = tables.scorer();
        let (_, state) = scorer.score(&scorer.score(&scorer.empty(), b).1, a);
        assert!((scorer.score(&state, b).0.prob - -0.1).abs() < 1e-6);
        assert!((totals(&lm, &["a b"])[0] - (-0.4 - 0.3 - 0.25 - 0.7 - 0.125 - 0.5)).abs() < 1e-5);
    }
}

/// What KenLM's own `query` prints.
const KENLM_TOTALS: [(&str, &str, f32); 7] = [
    ("test.arpa", "a b b a a", -46.39483),
    ("test.arpa", "b zzz a", -42.42501),
    ("test_nounk.arpa", "a b b a a", -207.39919),
    ("test_nounk.arpa", "b zzz a", -203.42938),
    ("toy0.arpa", "a b b a a", -3.9628403),
    ("toy1.arpa", "a b b a a", -4.339152),
    ("toy1.arpa", "b zzz a", -3.7470374),
];

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn the_test_files_of_kenlm_score_as_kenlm_scores_them() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    for (file, line, total) in KENLM_TOTALS {
        let path = folder.join("metrics/kenlm").join(file);
        for &layout in EXACT {
            let lm = Lm::build(arpa::read(&path).unwrap(), layout).unwrap();
            let ours = totals(&lm, &[line])[0];
            assert!((ours - total).abs() < 1e-4, "{file}: {ours} {total}");
        }
    }
    check_moses(&folder.join("moses/train.en.5.arpa.gz"));
}

fn check_moses(path: &Path) {
    let ngrams = arpa::read(path).unwrap();
    assert_eq!(ngrams.order(), 5);
    let oracle = Oracle::new(&ngrams);
    let lm = Lm::build(ngrams, LmLayout::Probing).unwrap();
    let words: Vec<Sym> = ["<s>", "a", "man", "in", "a", "blue", "shirt"].map(|w| lm.symbol(w)).to_vec();
    let tables = lm.tables();
    let scorer = tables.scorer();
    let mut state = scorer.begin();
    for end in 2..=words.len() {
        let (scored, next) = scorer.score(&state, words[end - 1]);
        assert!((scored.prob - oracle.prob(&words[..end])).abs() < 1e-5);
        state = next;
    }
}
