//! On real text: captions come back from their tokens, and tokens are those the corpora were prepared with.

use std::path::Path;
use treeglot_text::detokenize::{self, Detokenizer};
use treeglot_text::tokenize::{Options, Tokenizer};

const LINES: usize = 5000;
const LANGUAGES: [&str; 4] = ["en", "de", "fr", "cs"];

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("the data folder is complete");
    text.lines().take(LINES).map(str::to_string).collect()
}

fn percent_equal(left: &[String], right: &[String]) -> f64 {
    assert_eq!(left.len(), right.len());
    let equal = left.iter().zip(right).filter(|(l, r)| l == r).count();
    100.0 * equal as f64 / left.len() as f64
}

fn tokenized(language: &str, options: Options, lines: &[String]) -> Vec<String> {
    let tokenizer = Tokenizer::new(language, options).expect("a known language");
    let mut worker = tokenizer.worker();
    let tokenize = |line: &String| {
        let mut out = String::new();
        worker.tokenize(line, &mut out);
        out
    };
    lines.iter().map(tokenize).collect()
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn captions_come_back_from_their_tokens_byte_for_byte() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("multi30k");
    for language in LANGUAGES {
        let raw = lines(&folder.join(format!("raw/train.{language}")));
        let tokens = tokenized(language, Options::default(), &raw);
        let detokenizer = Detokenizer::new(language, detokenize::Options::default()).unwrap();
        let mut worker = detokenizer.worker();
        let join = |line: &String| {
            let mut out = String::new();
            worker.detokenize(line, &mut out);
            out
        };
        let back: Vec<String> = tokens.iter().map(join).collect();
        let equal = percent_equal(&raw, &back);
        assert!(equal >= 99.0, "{language}: {equal:.2}% of lines come back");
    }
}

#[cfg(feature = "segmenter")]
fn spans(tokens: &str) -> Vec<(usize, usize)> {
    let mut start = 0;
    let span = |token: &str| {
        let end = start + token.len();
        (std::mem::replace(&mut start, end), end)
    };
    tokens.split(' ').map(span).collect()
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
#[cfg(feature = "segmenter")]
fn nine_of_ten_japanese_words_are_those_of_the_corpus() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("multi30k");
    let expected = lines(&folder.join("../ja-en/test.ja"));
    let raw: Vec<String> = expected.iter().map(|line| line.replace(' ', "")).collect();
    let found = tokenized("ja", Options { escape: false, ..Options::default() }, &raw);
    let (mut both, mut all) = (0, 0);
    for (expected, found) in expected.iter().zip(&found) {
        let (expected, found) = (spans(expected), spans(found));
        both += found.iter().filter(|span| expected.contains(span)).count();
        all += expected.len() + found.len();
    }
    let f1 = 200.0 * both as f64 / all as f64;
    assert!(f1 >= 90.0, "F1 of Japanese words: {f1:.2}");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn tokens_are_those_of_moses() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("multi30k");
    for language in LANGUAGES {
        let raw = lines(&folder.join(format!("raw/train.{language}")));
        let expected = lines(&folder.join(format!("tok/train.{language}")));
        let options = Options { lower: true, punctuation: true, ..Options::default() };
        let equal = percent_equal(&expected, &tokenized(language, options, &raw));
        assert!(equal >= 99.5, "{language}: {equal:.2}% of lines are equal");
    }
}
