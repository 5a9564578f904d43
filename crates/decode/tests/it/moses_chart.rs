//! The search beside Moses' chart decoder: on its tables, language model and weights it finds at least the scores that
//! Moses found, and gives the same values to the same derivations.

use crate::common;

use std::io::Read;
use std::path::Path;
use treeglot_decode::{ChartSystem, LmRole, NbestLine, Ngram, Resources, SearchSettings, TableRole, Weights};
use treeglot_lm::Lm;
use treeglot_models::chart::MadeElsewhere;
use treeglot_text::{Input, Place};

/// The weights behind Moses' n-best lists.
const WEIGHTS: &str = "LM0= 0.164434 WordPenalty0= -0.335698 PhrasePenalty0= 0.028576\n\
TranslationModel0= 0.0627337 0.0712221 0.19126 0.0747989 TranslationModel1= 0.0712773 UnknownWordPenalty0= 1\n";

/// How many of its 200 sentences are searched: enough to see a difference, few enough for unoptimised code.
const SENTENCES: usize = 25;

fn text(path: &Path) -> String {
    let mut text = String::new();
    let read = Input::open(path).map(|mut input| input.reader.read_to_string(&mut text));
    assert!(matches!(read, Ok(Ok(_))), "{} can be read", path.display());
    text
}

/// Moses prints six digits.
fn same(ours: f64, theirs: f32) -> bool {
    (ours - f64::from(theirs)).abs() <= 2e-5 * f64::from(theirs.abs()).max(1.0)
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn scores_are_at_least_those_of_moses_and_values_are_the_same() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("moses");
    let temporary = tempfile::tempdir().unwrap();
    let input = text(&folder.join("input.de"));
    let lines: Vec<&str> = input.lines().take(SENTENCES).collect();
    let known: std::collections::HashSet<&str> = lines.iter().flat_map(|line| line.split(' ')).collect();
    let rules = text(&folder.join("hiero/rule-table.gz"));
    let fits = |rule: &&str| {
        let source = rule.split(" ||| ").next().unwrap_or_default();
        source.split(' ').all(|word| word.starts_with("[X]") || known.contains(word))
    };
    let fitting: String = rules.lines().filter(fits).flat_map(|rule| [rule, "\n"]).collect();
    let table = common::table(&fitting, &temporary.path().join("table"));
    let weights = temporary.path().join("weights");
    std::fs::write(&weights, WEIGHTS).unwrap();
    let lm = Lm::open(folder.join("train.en.5.arpa.gz")).unwrap();
    let settings = SearchSettings { pop_limit: Some(1000), ..SearchSettings::default() };
    let resources = Resources {
        tables: vec![(TableRole::Model, table)],
        lms: vec![(LmRole::Ngram, lm)],
        ..Resources::default()
    };
    let weights = Weights::read(&weights).unwrap();
    let system = ChartSystem::new(Box::new(MadeElsewhere), resources, &weights, &settings).unwrap();
    let features = system.features();
    let tables = system.lms()[0].tables();
    let mut worker = system.worker_with(Ngram::new(&system.lms()[0], tables, features.weights()[0]));
    let nbest = text(&folder.join("hiero/nbest20.gz"));
    let place = Place::new("nbest20.gz", 0);
    let entries: Vec<NbestLine<'_>> =
        nbest.lines().map(|line| NbestLine::parse(line, &place).unwrap()).collect();
    let (mut better, mut reproduced, mut listed) = (0, 0, 0);
    for (id, line) in lines.iter().enumerate() {
        worker.search(line);
        let mut of_line: Vec<&NbestLine<'_>> = entries.iter().filter(|entry| entry.id == id).collect();
        let best = of_line.iter().map(|entry| entry.score).fold(f64::NEG_INFINITY, f64::max);
        better += usize::from(f64::from(worker.best_score().unwrap()) >= best - 1e-3);
        listed += of_line.len();
        let mut asked = 0;
        worker.derivations(false, |derivation, _| {
            let mut words = Vec::new();
            derivation.words(&mut words);
            let text = worker.vocab().join(&words);
            let values = derivation.total_features();
            of_line.retain(|entry| {
                let equal = |(name, theirs): &(String, Vec<f32>)| {
                    let range = features.set().find(name).unwrap();
                    values[range].iter().zip(theirs).all(|(&ours, &theirs)| same(ours, theirs))
                };
                let found = entry.text == text && entry.features.iter().all(equal);
                reproduced += usize::from(found);
                !found
            });
            asked += 1;
            asked < 2000 && !of_line.is_empty()
        });
    }
    println!("ran: {better} of {SENTENCES} at least as good, {reproduced} of {listed} entries reproduced");
    assert!(better * 100 >= SENTENCES * 95, "{better} of {SENTENCES} sentences");
    assert!(reproduced * 100 >= listed * 95, "{reproduced} of {listed} entries");
}
