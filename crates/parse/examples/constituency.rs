//! Trains a constituency parser and measures it: `constituency MODEL DEV[,GOLD...] TREEBANK... [-- KEY=VALUE...]`.

use std::time::Instant;
use treeglot_parse::constituency::{Decoding, ParseSettings, Parser, TrainSettings, plain};
use treeglot_tree::ConTree;
use treeglot_tree::compare::{BracketOptions, BracketScore};
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::ptb::{BracketLayout, Reader};

fn read(path: &str) -> Vec<ConTree> {
    let reader = Reader::open(path, BracketLayout::Free).expect("the treebank opens");
    reader.trees().map(|t| t.expect("a readable tree")).flatten().collect()
}

fn evaluate(parser: &Parser, gold: &[ConTree], settings: &ParseSettings) -> BracketScore {
    let gold: Vec<ConTree> = gold.iter().filter_map(|t| plain(t).ok()).collect();
    let forms: Vec<Vec<&str>> = gold.iter().map(|t| t.forms().collect()).collect();
    let sentences: Vec<&[&str]> = forms.iter().map(Vec::as_slice).collect();
    let start = Instant::now();
    let mut worker = parser.worker(settings);
    let trees = worker.parse_all(&sentences);
    let seconds = start.elapsed().as_secs_f64();
    let mut score = BracketScore::default();
    for (gold, tree) in gold.iter().zip(&trees) {
        score.add(gold, tree.as_ref(), &BracketOptions::collins());
    }
    println!(
        "   {settings:?}: P {:.2} R {:.2} F {:.2} exact {:.1} tags {:.2}; {:.0} sentences/s",
        100.0 * score.precision(),
        100.0 * score.recall(),
        100.0 * score.f1(),
        100.0 * score.exact_share(),
        100.0 * score.tag_share(),
        trees.len() as f64 / seconds
    );
    score
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (values, files): (Vec<&String>, Vec<&String>) = args.iter().partition(|a| a.contains('='));
    let mut settings = TrainSettings::default();
    for value in values {
        let (key, value) = value.split_once('=').expect("KEY=VALUE");
        match key {
            "epochs" => settings.epochs = value.parse().unwrap(),
            "members" => settings.members = value.parse().unwrap(),
            "batch" => settings.batch = value.parse().unwrap(),
            "rate" => settings.rate = value.parse().unwrap(),
            "embedding" => settings.embedding = value.parse().unwrap(),
            "hidden" => settings.hidden = value.parse().unwrap(),
            "span" => settings.span = value.parse().unwrap(),
            "input" => settings.input_dropout = value.parse().unwrap(),
            "state" => settings.state_dropout = value.parse().unwrap(),
            "seed" => settings.seed = value.parse().unwrap(),
            _ => panic!("unknown {key}"),
        }
    }
    let dev: Vec<(usize, Vec<ConTree>)> =
        files[1].split(',').enumerate().map(|(n, f)| (n, read(f))).collect();
    let treebanks: Vec<Vec<ConTree>> = files[2..].iter().map(|f| read(f)).collect();
    let start = Instant::now();
    let check = |parser: &Parser| {
        for (treebank, dev) in &dev {
            evaluate(parser, dev, &ParseSettings { treebank: *treebank, ..ParseSettings::default() });
        }
    };
    let parser = if treebanks.is_empty() {
        Parser::open(files[0]).expect("the model opens")
    } else {
        let (parser, seen) = Parser::train(&treebanks, &settings, |progress, parser| {
            println!("{:.0} s {progress:?}", start.elapsed().as_secs_f64());
            check(parser);
            parser.save(files[0]).expect("the model is written");
        });
        println!("{seen:?}");
        parser.save(files[0]).expect("the model is written");
        parser
    };
    for decoding in [Decoding::Viterbi, Decoding::Expected] {
        for bracket_cost in [0.3, 0.4, 0.5, 0.6] {
            for (treebank, dev) in &dev {
                let treebank = *treebank;
                let settings = ParseSettings { decoding, bracket_cost, treebank, ..ParseSettings::default() };
                evaluate(&parser, dev, &settings);
            }
        }
    }
}
