//! Trains a constituency parser from files of Penn Treebank brackets and measures it, or measures one trained before:
//!
//! ```text
//! constituency MODEL GOLD[,GOLD...] [TREEBANK...] [epochs=8] [members=1] [hidden=128] [seed=1]
//! ```
//!
//! The first gold file is parsed in the manner of the first treebank, the second in that of the second, and so on.

use std::time::Instant;
use treeglot_parse::constituency::{ParseSettings, Parser, TrainSettings, plain};
use treeglot_tree::ConTree;
use treeglot_tree::compare::{BracketOptions, BracketScore};
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::ptb::{BracketLayout, Reader};

type Error = Box<dyn std::error::Error>;

fn read(path: &str) -> Result<Vec<ConTree>, Error> {
    let trees: Result<Vec<_>, _> = Reader::open(path, BracketLayout::Free)?.trees().collect();
    Ok(trees?.into_iter().flatten().collect())
}

fn measure(parser: &Parser, gold: &[ConTree], treebank: usize) {
    let gold: Vec<ConTree> = gold.iter().filter_map(|t| plain(t).ok()).collect();
    let forms: Vec<Vec<&str>> = gold.iter().map(|t| t.forms().collect()).collect();
    let sentences: Vec<&[&str]> = forms.iter().map(Vec::as_slice).collect();
    let mut worker = parser.worker(&ParseSettings { treebank, ..ParseSettings::default() });
    let start = Instant::now();
    let trees = worker.parse_all(&sentences);
    let rate = trees.len() as f64 / start.elapsed().as_secs_f64();
    let mut score = BracketScore::default();
    for (gold, tree) in gold.iter().zip(&trees) {
        score.add(gold, tree.as_ref(), &BracketOptions::collins());
    }
    let [p, r, f, exact, tags] =
        [score.precision(), score.recall(), score.f1(), score.exact_share(), score.tag_share()]
            .map(|share| 100.0 * share);
    println!("P {p:.2} R {r:.2} F {f:.2} exact {exact:.1} tags {tags:.2}, {rate:.0} sentences/s");
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (chosen, files): (Vec<&String>, Vec<&String>) = args.iter().partition(|a| a.contains('='));
    let mut settings = TrainSettings::default();
    for (key, value) in chosen.iter().filter_map(|a| a.split_once('=')) {
        match key {
            "epochs" => settings.epochs = value.parse()?,
            "members" => settings.members = value.parse()?,
            "hidden" => settings.hidden = value.parse()?,
            "seed" => settings.seed = value.parse()?,
            _ => return Err(format!("no setting {key}").into()),
        }
    }
    let [model, gold, treebanks @ ..] = files.as_slice() else {
        return Err("a model and gold trees are needed".into());
    };
    let gold: Vec<Vec<ConTree>> = gold.split(',').map(read).collect::<Result<_, _>>()?;
    let check = |parser: &Parser| gold.iter().enumerate().for_each(|(n, gold)| measure(parser, gold, n));
    if treebanks.is_empty() {
        check(&Parser::open(model)?);
        return Ok(());
    }
    let treebanks: Vec<Vec<ConTree>> = treebanks.iter().map(|f| read(f)).collect::<Result<_, _>>()?;
    let start = Instant::now();
    let (parser, seen) = Parser::train(&treebanks, &settings, |progress, parser| {
        println!("{:.0} s, {progress:?}", start.elapsed().as_secs_f64());
        check(parser);
    });
    println!("{seen:?}");
    Ok(parser.save(model)?)
}
