//! Alignment error rate and time on the gold sets of the data folder: each gold set is appended to its training text,
//! a model is trained on one thread, and the links of the gold pairs are scored. With a folder as argument the texts
//! are also written there, so that other aligners can be run on the same words. Does nothing without the data folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use treeglot_align::gold::{self, Agreement, Base};
use treeglot_align::{Corpus, Error, GrowOrder, Model, Settings, Symmetrize};
use treeglot_text::Lines;
use treeglot_text::tokenize::{Options, Tokenizer};

/// A gold set, its languages, and the files of its training text.
struct Set {
    name: &'static str,
    gold: &'static str,
    train: Option<[(&'static str, &'static str); 2]>,
    tokenize: bool,
}

const PAIRS: usize = 30_000;

const SETS: [Set; 5] = [
    Set {
        name: "enfr",
        gold: "enfr.gold",
        train: Some([("en", "europarl/fr-en/train.en.gz"), ("fr", "europarl/fr-en/train.fr.gz")]),
        tokenize: true,
    },
    Set {
        name: "encs",
        gold: "encs.jsonl",
        train: Some([("en", "multi30k/tok/train.en"), ("cs", "multi30k/tok/train.cs")]),
        tokenize: false,
    },
    Set {
        name: "jaen",
        gold: "jaen.gold",
        train: Some([("ja", "ja-en/train.ja"), ("en", "ja-en/train.en")]),
        tokenize: false,
    },
    Set { name: "ensv", gold: "ensv.jsonl", train: None, tokenize: false },
    Set { name: "roen", gold: "roen.gold", train: None, tokenize: false },
];

fn main() {
    // Test runners start benchmarks too, to ask for their tests: only `cargo bench` says `--bench`.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    if !folder.join("wa_gold").is_dir() {
        println!("skipped: no real data (set TREEGLOT_DATA)");
        return;
    }
    let out = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).map(PathBuf::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be started");
    println!("set      pairs     AER  precision  recall  seconds");
    for set in &SETS {
        pool.install(|| measure(set, folder, out.as_deref()));
    }
}

fn measure(set: &Set, folder: &Path, out: Option<&Path>) {
    let path = folder.join("wa_gold").join(set.gold);
    let gold =
        gold::read(&mut Lines::open(&path).expect("the gold file opens"), Base::Auto).expect("gold links");
    let mut pairs = training_text(set, folder);
    let first = pairs.len();
    pairs.extend(gold_text(&path));
    if let Some(out) = out {
        let side = |of: fn(&(String, String)) -> &String| {
            pairs.iter().map(|p| of(p).clone() + "\n").collect::<String>()
        };
        fs::write(out.join(set.name).with_extension("src"), side(|p| &p.0))
            .expect("the folder can be written");
        fs::write(out.join(set.name).with_extension("tgt"), side(|p| &p.1))
            .expect("the folder can be written");
    }
    let start = Instant::now();
    let corpus =
        Corpus::from_pairs(pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()))).expect("the text fits");
    let model = Model::train(&corpus, &Settings::default(), |_| {}).expect("all is in memory");
    let mut agreement = Agreement::default();
    let done: Result<(), Error> =
        model.align(&corpus, Symmetrize::GrowDiagFinalAnd, GrowOrder::Atools, |s, aligned| {
            if s >= first {
                agreement.add(&gold[s - first], &aligned.links);
            }
            Ok(())
        });
    done.expect("all is in memory");
    let (scores, seconds) = (agreement.scores(), start.elapsed().as_secs_f64());
    let [aer, precision, recall] = [scores.aer, scores.precision, scores.recall].map(|share| share * 100.0);
    println!(
        "{:<5} {:>8}  {aer:>5.2}%     {precision:>5.2}%  {recall:>5.2}%  {seconds:>7.2}",
        set.name,
        pairs.len()
    );
}

fn training_text(set: &Set, folder: &Path) -> Vec<(String, String)> {
    let Some(files) = &set.train else { return Vec::new() };
    let [src, tgt] = files.map(|(language, file)| {
        let options = Options { lower: true, escape: false, ..Options::default() };
        let tokenizer = set.tokenize.then(|| Tokenizer::new(language, options).expect("a known language"));
        let mut lines = Lines::open(folder.join(file)).expect("the training text opens");
        let mut text = Vec::new();
        while let Some(line) = lines.next_line().expect("the training text is UTF-8") {
            if set.tokenize && text.len() == PAIRS {
                break;
            }
            let mut tokens = String::new();
            match &tokenizer {
                Some(tokenizer) => tokenizer.worker().tokenize(line, &mut tokens),
                None => tokens.push_str(line),
            }
            text.push(tokens);
        }
        text
    });
    src.into_iter().zip(tgt).collect()
}

/// The sentences of a gold set, lower-cased: JSON lines, or `src ||| tgt` beside the links.
fn gold_text(gold: &Path) -> Vec<(String, String)> {
    if gold.extension().is_some_and(|e| e == "jsonl") {
        let text = fs::read_to_string(gold).expect("the gold file is UTF-8");
        let words = |pair: &serde_json::Value, key: &str| {
            let words = pair[key].as_array().expect("words").iter().map(|w| w.as_str().expect("a word"));
            words.collect::<Vec<_>>().join(" ").to_lowercase()
        };
        let pairs = text.lines().map(|line| serde_json::from_str(line).expect("a JSON object"));
        return pairs.map(|pair| (words(&pair, "src_words"), words(&pair, "tgt_words"))).collect();
    }
    let text = fs::read_to_string(gold.with_extension("src-tgt")).expect("the gold text is UTF-8");
    let pair = |line: &str| {
        let (src, tgt) = line.split_once("|||").expect("two sides");
        (src.trim().to_lowercase(), tgt.trim().to_lowercase())
    };
    text.lines().map(pair).collect()
}
