//! Scores of made-up sentences beside those that sacreBLEU 2.6.0, mteval-v13a.pl and METEOR 1.5 gave for them.

use std::path::PathBuf;
use treeglot_metrics::bleu::Smoothing;
use treeglot_metrics::tokenize::{Tercom, Tokenizer};
use treeglot_metrics::{Hypothesis, Metric, Options, References, bleu, build, chrf, meteor, nist};

const HYPOTHESES: [&str; 7] = [
    "The small cat's owner, Dr. Weber, paid 1,250.50 dollars in March.",
    "yesterday in the old town the children played with a red ball",
    "",
    "He said: \"R&amp;D costs 3-4% more than in the U.S.\" ...",
    "我有三只“小”猫，2.5公斤。",
    "Nobody had expected that the bridges would be reopened so quickly",
    "0 people came , 0 left",
];

const FIRST: [&str; 7] = [
    "The owner of the small cat, Dr. Weber, paid 1,250.50 dollars in March.",
    "The children played yesterday with a red ball in the old town.",
    "An empty line has no translation.",
    "He said that \"R&D\" costs 3 - 4 % more than in the US...",
    "我有三只小猫，重2.5公斤。",
    "No one expected the bridge to reopen that fast.",
    "0 people came, 0 people left.",
];

const SECOND: [&str; 7] = [
    "In March Dr. Weber, who owns the small cat, paid 1,250.50 dollars.",
    "Yesterday the children were playing in the old town with their red ball.",
    "There is nothing here.",
    "\"Research and development\", he said, \"is 3-4% dearer than in America.\"",
    "小猫有三只，两公斤半。",
    "Nobody had thought the bridges would open again so soon.",
    "Nobody came and nobody left.",
];

/// The sentences in Western script.
const WESTERN: [usize; 6] = [0, 1, 2, 3, 5, 6];

/// The score of the corpus and of each sentence.
fn scores(metric: &mut dyn Metric, lines: &[usize], references: &[&[&str; 7]]) -> (f64, Vec<f64>) {
    let of = |line: usize| references.iter().map(|texts| texts[line]).collect::<Vec<_>>();
    for &line in lines {
        metric.study(&References::new(&of(line)));
    }
    let mut sums = vec![0.0; metric.size()];
    let mut sentences = Vec::new();
    for &line in lines {
        let mut own = vec![0.0; metric.size()];
        let sentence = metric.prepare(&References::new(&of(line)));
        sentence.add_statistics(&Hypothesis::new(HYPOTHESES[line]), &mut own);
        sentences.push(metric.sentence_score(&own));
        for (sum, value) in sums.iter_mut().zip(own) {
            *sum += value;
        }
    }
    (metric.score(&sums), sentences)
}

const ALL: [usize; 7] = [0, 1, 2, 3, 4, 5, 6];

fn assert_close(what: &str, ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() < 1e-9, "{what}: {ours}, but the original has {theirs}");
}

/// Checks the scores against one and two references, and of sentences against one.
fn check(name: &str, options: &Options, corpus: [f64; 2], sentences: [f64; 7]) {
    let mut metric = build(name, options).expect("a metric");
    let (one, each) = scores(metric.as_mut(), &ALL, &[&FIRST]);
    assert_close(name, one, corpus[0]);
    for (line, (ours, theirs)) in each.into_iter().zip(sentences).enumerate() {
        assert_close(&format!("{name}, line {}", line + 1), ours, theirs);
    }
    assert_close(name, scores(metric.as_mut(), &ALL, &[&FIRST, &SECOND]).0, corpus[1]);
}

fn with_bleu(bleu: bleu::Options) -> Options {
    Options { bleu, ..Options::default() }
}

#[test]
fn bleu_equals_sacrebleu_with_every_tokeniser_and_smoothing() {
    let plain = bleu::Options::default();
    check(
        "bleu",
        &with_bleu(plain),
        [45.57129356894113, 51.77349395132786],
        [
            65.18133165142721,
            43.90357251785801,
            0.0,
            51.981601535894555,
            0.0,
            4.9323515694897075,
            56.98363775444274,
        ],
    );
    let floor = Smoothing::Floor(0.1);
    let intl =
        bleu::Options { lowercase: true, tokenizer: Tokenizer::International, smoothing: floor, ..plain };
    check(
        "bleu",
        &with_bleu(intl),
        [39.0638070045095, 43.08121666915463],
        [
            70.85876411943929,
            49.05378138718248,
            0.0,
            27.412292653919486,
            3.303164318013807,
            2.4808415001701816,
            56.98363775444274,
        ],
    );
    let zh = bleu::Options { tokenizer: Tokenizer::Chinese, ..plain };
    check(
        "bleu",
        &with_bleu(zh),
        [44.87459139607175, 49.98436579882725],
        [
            65.18133165142721,
            43.90357251785801,
            0.0,
            43.90960897971484,
            43.52771377941511,
            4.9323515694897075,
            56.98363775444274,
        ],
    );
    let char = bleu::Options { tokenizer: Tokenizer::Character, smoothing: Smoothing::None, ..plain };
    check(
        "bleu",
        &with_bleu(char),
        [67.22557903224984, 75.11379337633552],
        [
            85.16386077615189,
            86.4542522884795,
            0.0,
            68.23085482218701,
            54.10822690539399,
            44.311984950718376,
            59.21679048339992,
        ],
    );
    let none = bleu::Options { tokenizer: Tokenizer::None, smoothing: Smoothing::AddK(1.0), ..plain };
    check(
        "bleu",
        &with_bleu(none),
        [27.040886697519937, 36.482423545670805],
        [
            53.81407107960468,
            43.36189090348677,
            0.0,
            25.816044646833273,
            0.0,
            12.883187981913599,
            30.213753973567677,
        ],
    );
}

#[test]
fn chrf_equals_sacrebleu() {
    let plain = Options::default();
    check(
        "chrf",
        &plain,
        [62.7870008825849, 62.534932961564536],
        [
            81.73098765370138,
            80.34533807864766,
            0.0,
            66.3320536882856,
            45.8512365674398,
            50.03425141469571,
            59.63350531423409,
        ],
    );
    check(
        "chrf++",
        &plain,
        [60.142296903574035, 60.913722747977275],
        [
            79.86499828727909,
            78.4249163716765,
            0.0,
            61.73666029168109,
            39.3010599149484,
            41.247014274761575,
            62.181315644722325,
        ],
    );
    let chrf = chrf::Options { lowercase: true, whitespace: true, eps_smoothing: true, ..plain.chrf };
    check(
        "chrf",
        &Options { chrf, ..plain },
        [64.57825488745648, 64.37320346140152],
        [
            83.31566484818767,
            87.1606154114147,
            0.0,
            60.09390963238539,
            45.85052264904175,
            55.92237292043243,
            58.00245912534344,
        ],
    );
}

#[test]
fn ter_equals_sacrebleu() {
    let plain = Options::default();
    check(
        "ter",
        &plain,
        [62.295081967213115, 54.700854700854705],
        [38.46153846153847, 33.33333333333333, 100.0, 64.28571428571429, 100.0, 100.0, 66.66666666666666],
    );
    let ter = Tercom { normalized: true, ..Tercom::default() };
    check(
        "ter",
        &Options { ter, ..plain.clone() },
        [41.55844155844156, 35.76158940397351],
        [23.52941176470588, 23.076923076923077, 100.0, 28.57142857142857, 100.0, 90.0, 25.0],
    );
    let ter = Tercom { normalized: true, no_punct: true, asian: true, cased: true };
    check(
        "ter",
        &Options { ter, ..plain },
        [40.27777777777778, 33.093525179856115],
        [30.76923076923077, 25.0, 100.0, 18.75, 30.0, 100.0, 16.666666666666664],
    );
}

#[test]
fn nist_equals_mteval() {
    let score = |cased, references: &[&[&str; 7]]| {
        let nist = nist::Options { cased, ..nist::Options::default() };
        let mut metric = build("nist", &Options { nist, ..Options::default() }).unwrap();
        scores(metric.as_mut(), &ALL, references).0
    };
    assert_close("nist", score(false, &[&FIRST]), 4.554183523699);
    assert_close("nist", score(false, &[&FIRST, &SECOND]), 5.820607832155);
    assert_close("nist", score(true, &[&FIRST]), 4.462644209953);
}

/// Files of resources in METEOR's formats.
fn resources(folder: &tempfile::TempDir) -> meteor::Options {
    let write = |name: &str, text: &str| -> Option<PathBuf> {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a temporary file");
        Some(path)
    };
    write("en.exceptions", "child\nchildren\n");
    meteor::Options {
        function_words: write("words", "the\na\nof\nin\n,\n.\nthat\n"),
        synonyms: write(
            "en.synsets",
            "quickly\n7\nfast\n7 9\nsoon\n7\nreopen\n5\nopen\n5\ncost\n11\nchild\n3\n",
        ),
        paraphrases: write(
            "paraphrases",
            "0.5\nnobody had expected\nno one expected\n0.1\nso quickly\nso soon\n0.2\nred\nscarlet\n\
             0.3\nwho owns\nowner of\n0.3\nwith a\nwith their\n",
        ),
        ..meteor::Options::default()
    }
}

fn check_meteor(meteor: meteor::Options, references: &[&[&str; 7]], corpus: f64, sentences: [f64; 6]) {
    let mut metric = build("meteor", &Options { meteor, ..Options::default() }).expect("a metric");
    let (score, each) = scores(metric.as_mut(), &WESTERN, references);
    assert_close("meteor", score, 100.0 * corpus);
    for (line, (ours, theirs)) in each.into_iter().zip(sentences).enumerate() {
        assert_close(&format!("meteor, line {}", line + 1), ours, 100.0 * theirs);
    }
}

#[test]
fn meteor_equals_the_original_with_its_four_modules() {
    let folder = tempfile::tempdir().unwrap();
    let options = resources(&folder);
    let stems = meteor::Options { synonyms: None, paraphrases: None, ..options.clone() };
    check_meteor(
        stems.clone(),
        &[&FIRST, &SECOND],
        0.3991711432353394,
        [
            0.5238911208545959,
            0.503082903377058,
            0.0,
            0.4518935332621087,
            0.26354188249507615,
            0.42750933026297866,
        ],
    );
    check_meteor(
        options,
        &[&FIRST, &SECOND],
        0.41174166642880855,
        [
            0.5238911208545959,
            0.503082903377058,
            0.0,
            0.4518935332621087,
            0.342604447243599,
            0.42750933026297866,
        ],
    );
    check_meteor(
        meteor::Options { language: "de".to_string(), ..stems },
        &[&FIRST],
        0.5860352942055814,
        [
            0.7831601197815747,
            0.7639884320382245,
            0.0,
            0.6950939472277986,
            0.2122073578595317,
            0.629718875502008,
        ],
    );
}

#[test]
fn a_sum_of_metrics_is_the_sum_of_their_scores() {
    let options = Options::default();
    let score = |name: &str| scores(build(name, &options).unwrap().as_mut(), &ALL, &[&FIRST]);
    let (sum, sentences) = score("0.5*bleu+2*chrf++-ter");
    let (bleu, chrf, ter) = (score("bleu"), score("chrf++"), score("ter"));
    assert_close("sum", sum, 0.5 * bleu.0 + 2.0 * chrf.0 - ter.0);
    assert_close("sum of line 1", sentences[0], 0.5 * bleu.1[0] + 2.0 * chrf.1[0] - ter.1[0]);
}
