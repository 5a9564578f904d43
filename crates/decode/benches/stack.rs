//! Phrase-based search on the reference sentences of the data folder, or on tables of Moses given as arguments: for each
//! pop limit, sentences a second of CPU time on one thread and the mean model score. Does nothing without the data folder.
//!
//! `cargo bench -p treeglot-decode --bench stack -- [POPS[/STACK],...] [INPUT PHRASES REORDERING LM]`, with `all` as `POPS` for
//! plain search.

#[path = "../tests/it/stack/phrase_list.rs"]
mod phrase_list;

use phrase_list::{PhraseList, resources};
use std::path::{Path, PathBuf};
use std::time::Duration;
use treeglot_decode::{Limits, PhraseSystem, Resources, SearchSettings, Weights};
use treeglot_lm::Lm;
use treeglot_models::Applies;
use treeglot_text::Lines;

const WEIGHTS: &str = "LexicalReordering0= 0.0955168 0.0344097 0.00102427 0.0763507 0.17144 0.119273
Distortion0= 0.0377076 LM0= 0.0950342 WordPenalty0= -0.124192 PhrasePenalty0= 0.0682217
TranslationModel0= 0.0498805 0.0375365 0.0527892 0.0366243 UnknownWordPenalty0= 1\n";

fn main() {
    // Test runners start benchmarks too, to ask for their tests: only `cargo bench` says `--bench`.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("moses");
    if !folder.is_dir() {
        println!("skipped: no real data (set TREEGLOT_DATA)");
        return;
    }
    let mut args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let pops = if args.is_empty() { "10,20,50,100,200,500,1000,2000".to_string() } else { args.remove(0) };
    let file = |k: usize, name: &str| args.get(k).map_or_else(|| folder.join(name), PathBuf::from);
    let mut input = Lines::open(file(0, "input.de")).expect("the input can be read");
    let mut sentences = Vec::new();
    while let Some(line) = input.next_line().expect("the input can be read") {
        sentences.push(line.to_string());
    }
    let phrases = file(1, "phrase/phrase-table.gz");
    let reordering = file(2, "phrase/reordering-table.gz");
    let lm = Lm::open(file(3, "train.en.5.arpa.gz")).expect("the language model can be read");
    println!("{:>8} {:>6} {:>10} {:>12} {:>14}", "pops", "stack", "seconds", "sentences/s", "mean score");
    let mut found = resources(vec![PhraseList::read(&phrases, Some(&reordering))], vec![lm]);
    for pops in pops.split(',') {
        let number = |text: &str| text.parse::<usize>().expect("a number, or two with a slash between");
        let (made, stack) = pops.split_once('/').unwrap_or((pops, pops));
        let pops_made = (made != "all").then(|| number(made));
        let limits = Limits { pops: pops_made, beam: number(stack), ..Limits::of(Applies::Phrases) };
        found = run(found, limits, &sentences, pops);
    }
}

/// Translates all sentences three times and prints the least time.
fn run(
    resources: Resources<PhraseList>,
    limits: Limits,
    sentences: &[String],
    name: &str,
) -> Resources<PhraseList> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    std::fs::write(file.path(), WEIGHTS).expect("it can be written");
    let weights = Weights::read(file.path()).expect("they are weights");
    let system = PhraseSystem::new(resources, &weights, &SearchSettings::default())
        .and_then(|system| system.with_limits(limits))
        .expect("every feature has a weight");
    let (mut seconds, mut total) = (f64::MAX, 0.0);
    for _ in 0..3 {
        let mut worker = system.worker();
        total = 0.0;
        let begin = cpu_time();
        for sentence in sentences {
            let words: Vec<&str> = sentence.split_ascii_whitespace().collect();
            let best = worker.search(&words).best().expect("there is always a translation");
            total += best.score();
        }
        seconds = f64::min(seconds, (cpu_time() - begin).as_secs_f64());
    }
    let count = sentences.len() as f64;
    let stack = limits.beam;
    println!("{name:>8} {stack:>6} {seconds:>10.3} {:>12.1} {:>14.5}", count / seconds, total / count);
    system.into_resources()
}

/// The CPU time of this process so far where the system tells it, else the time of day.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    match stat.split_ascii_whitespace().next().and_then(|time| time.parse().ok()) {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => std::time::UNIX_EPOCH.elapsed().unwrap_or_default(),
    }
}
