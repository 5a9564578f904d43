//! Chart search with hierarchical rules on Moses' reference sentences in the data folder, or on a table, a language model and an
//! input given as arguments: for each set of limits, milliseconds of CPU time a sentence on one thread (the least of three
//! passes; lists of rules are kept from the first), the mean model score, how many distinct translations were listed a sentence, and
//! the mean score of these. Does nothing without the data folder.
//!
//! `cargo bench -p treeglot-decode --bench chart -- [POPS[/THRESHOLD[/COUNT]],...] [TABLE LM INPUT]`

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use treeglot_decode::{
    ChartSystem, Limits, LmRole, Resources, SearchSettings, System, TableRole, Wanted, Weights,
};
use treeglot_grammar::table::{Import, import};
use treeglot_grammar::{Scratch, Table};
use treeglot_lm::Lm;
use treeglot_models::Applies;
use treeglot_models::chart::MadeElsewhere;
use treeglot_text::Input;

/// The weights behind Moses' n-best lists.
const WEIGHTS: &str = "LM0= 0.164434 WordPenalty0= -0.335698 PhrasePenalty0= 0.028576\n\
TranslationModel0= 0.0627337 0.0712221 0.19126 0.0747989 TranslationModel1= 0.0712773 UnknownWordPenalty0= 1\n";

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
    let limits = if args.is_empty() { "50,100,200,500,1000".to_string() } else { args.remove(0) };
    let temporary = tempfile::tempdir().expect("a temporary folder can be made");
    let given = |k: usize, name: &str| args.get(k).map_or_else(|| folder.join(name), PathBuf::from);
    let table = match args.first() {
        Some(table) => Table::open(table).expect("the table can be opened"),
        None => imported(&folder.join("hiero/rule-table.gz"), &temporary.path().join("table")),
    };
    let lm = Lm::open(given(1, "train.en.5.arpa.gz")).expect("the language model can be read");
    let mut text = String::new();
    let input = Input::open(given(2, "input.de")).map(|mut input| input.reader.read_to_string(&mut text));
    assert!(matches!(input, Ok(Ok(_))), "the input can be read");
    let weights = temporary.path().join("weights");
    std::fs::write(&weights, WEIGHTS).expect("a temporary file can be written");
    let weights = Weights::read(&weights).expect("they are weights");
    let resources = Resources {
        tables: vec![(TableRole::Model, table)],
        lms: vec![(LmRole::Ngram, lm)],
        ..Resources::default()
    };
    let model = Box::new(MadeElsewhere);
    let mut system = ChartSystem::new(model, resources, &weights, &SearchSettings::default())
        .expect("every feature has a weight");
    let sentences: Vec<&str> = text.lines().collect();
    let heads = ["limits", "ms/sentence", "mean score", "listed", "mean of all"];
    println!("{:>16} {:>12} {:>12} {:>8} {:>12}", heads[0], heads[1], heads[2], heads[3], heads[4]);
    for limit in limits.split(',') {
        let mut parts = limit.split('/');
        let (pops, threshold) = (parts.next().unwrap_or_default(), parts.next().unwrap_or("2"));
        let count = parts.next().map_or(1, |count| count.parse().expect("a number of translations"));
        let limits = Limits {
            pops: Some(pops.parse().expect("a number of pops")),
            threshold: threshold.parse().expect("a number after the slash"),
            ..Limits::of(Applies::Spans)
        };
        system = system.with_limits(limits).expect("no limit is 0");
        run(&system, &sentences, count, limit);
    }
}

fn imported(rules: &Path, to: &Path) -> Table {
    let options = Import { model: String::new(), memory: 1 << 30 };
    let rules = Input::open(rules).expect("the rules can be read");
    import(rules, None, &options, &Scratch::new(None), to).expect("they are rules");
    Table::open(to).expect("what was written can be read")
}

/// Translates all sentences three times and prints the least time.
fn run(system: &ChartSystem, sentences: &[&str], count: usize, name: &str) {
    let mut worker = system.worker().expect("one language model is possible");
    let wanted = Wanted { count, distinct: count > 1, ..Wanted::default() };
    let (mut seconds, mut best, mut listed, mut all) = (f64::MAX, 0.0, 0, 0.0);
    for _ in 0..3 {
        (best, listed, all) = (0.0, 0, 0.0);
        let begin = cpu_time();
        for sentence in sentences {
            let found = worker.translate(sentence, &wanted).best;
            best += found.first().expect("there is always a translation").score;
            listed += found.len();
            all += found.iter().map(|translation| translation.score).sum::<f64>();
        }
        seconds = f64::min(seconds, (cpu_time() - begin).as_secs_f64());
    }
    let (lines, listed_each) = (sentences.len() as f64, listed as f64 / sentences.len() as f64);
    println!(
        "{name:>16} {:>12.3} {:>12.5} {listed_each:>8.1} {:>12.5}",
        1e3 * seconds / lines,
        best / lines,
        all / listed as f64
    );
}

/// The CPU time of this process so far where the system tells it, else the time of day.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    match stat.split_ascii_whitespace().next().and_then(|time| time.parse().ok()) {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => std::time::UNIX_EPOCH.elapsed().unwrap_or_default(),
    }
}
