//! Trains a parser on one CoNLL-U file (`-` to use a model that is there) and measures it on others; with `OUT=FOLDER`
//! in the environment the parses are written there:
//! `cargo run --release -p treeglot-parse --example treebank -- SETTINGS.json TRAIN MODEL TEST...`

use std::io::Write;
use std::path::Path;
use std::time::Instant;
use treeglot_parse::{DepMetric, Evaluation, Parser, Progress, Settings, Treebank, train};
use treeglot_tree::DepParse;
use treeglot_tree::format::{ReadTrees, conllu};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn read(path: &str) -> Outcome<Treebank> {
    Ok(Treebank::read(conllu::Reader::open(path)?.trees())?)
}

fn measure(parser: &Parser, test: &str) -> Outcome<()> {
    let gold = read(test)?;
    let start = Instant::now();
    let mut worker = parser.worker();
    let parsed: Vec<DepParse> =
        gold.sentences().iter().map(|g| worker.parse(&g.forms().collect::<Vec<_>>())).collect();
    let rate = gold.len() as f32 / start.elapsed().as_secs_f32();
    // Words are given, so multi-word tokens are compared as their words.
    let words: Vec<DepParse> = gold.sentences().iter().map(without_tokens).collect();
    let scores = Evaluation::of(&words, &parsed)?;
    print!("{test}:");
    for metric in &DepMetric::ALL[2..] {
        print!(" {metric} {:.2}", 100.0 * scores.get(*metric).f1());
    }
    println!(", {rate:.0} sentences/s");
    if let Some(folder) = std::env::var_os("OUT") {
        let name = Path::new(test).file_name().unwrap_or_default();
        let mut out = treeglot_text::Output::create(Path::new(&folder).join(name))?;
        parsed.iter().try_for_each(|p| conllu::write(p, &mut out))?;
        out.flush()?;
        out.finish()?;
    }
    Ok(())
}

fn without_tokens(parse: &DepParse) -> DepParse {
    let mut words = DepParse::new(parse.line());
    for w in parse.words() {
        words.push(parse.columns(w), parse.raw_head(w));
    }
    words
}

fn main() -> Outcome<()> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [settings, bank, model, tests @ ..] = &files[..] else {
        return Err("SETTINGS TRAIN MODEL TEST...".into());
    };
    let settings: Settings = serde_json::from_str(settings)?;
    if bank != "-" {
        let start = Instant::now();
        let parser = train(&settings, &read(bank)?, &|progress: Progress| {
            eprintln!("{:6.0} s {progress:?}", start.elapsed().as_secs_f32());
        })?;
        parser.save(model)?;
    }
    let parser = Parser::open(model)?.with(&settings);
    println!("{} bytes", std::fs::metadata(model)?.len());
    tests.iter().try_for_each(|test| measure(&parser, test))
}
