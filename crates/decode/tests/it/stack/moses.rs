//! Beside Moses on its 200 reference sentences: same tables, language model, weights and limits.

use super::phrase_list::{PhraseList, resources};
use std::path::Path;
use treeglot_decode::{Derivation, Limits, NbestLine, PhraseSystem, SearchSettings, System, Weights};
use treeglot_lm::Lm;
use treeglot_models::Applies;
use treeglot_text::Lines;

const WEIGHTS: &str = "LexicalReordering0= 0.0955168 0.0344097 0.00102427 0.0763507 0.17144 0.119273
Distortion0= 0.0377076 LM0= 0.0950342 WordPenalty0= -0.124192 PhrasePenalty0= 0.0682217
TranslationModel0= 0.0498805 0.0375365 0.0527892 0.0366243 UnknownWordPenalty0= 1\n";

/// The features that Moses prints.
const PRINTED: [&str; 6] =
    ["LexicalReordering0", "Distortion0", "LM0", "WordPenalty0", "PhrasePenalty0", "TranslationModel0"];

fn system(folder: &Path, pops: Option<usize>, stack: usize) -> PhraseSystem<PhraseList> {
    let reordering = folder.join("phrase/reordering-table.gz");
    let list = PhraseList::read(&folder.join("phrase/phrase-table.gz"), Some(&reordering));
    let lm = Lm::open(folder.join("train.en.5.arpa.gz")).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), WEIGHTS).unwrap();
    let weights = Weights::read(file.path()).unwrap();
    let system = PhraseSystem::new(resources(vec![list], vec![lm]), &weights, &SearchSettings::default());
    let limits = Limits { pops, beam: stack, ..Limits::of(Applies::Phrases) };
    system.and_then(|system| system.with_limits(limits)).unwrap()
}

fn lines(path: &Path) -> Vec<String> {
    let mut lines = Lines::open(path).unwrap();
    let mut all = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        all.push(line.to_string());
    }
    all
}

/// The score of the first entry of each sentence.
fn best_scores(path: &Path) -> Vec<f64> {
    let mut scores = Vec::new();
    for line in lines(path) {
        let entry = NbestLine::parse(&line, &treeglot_text::Place::new("n-best", 0)).unwrap();
        if entry.id == scores.len() {
            scores.push(entry.score);
        }
    }
    scores
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn best_scores_are_at_least_those_of_moses() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("moses");
    let cube = best_scores(&folder.join("phrase/nbest20.gz"));
    let stack = best_scores(&folder.join("phrase/best.stack2000.gz"));
    let system = system(&folder, Some(1000), 1000);
    let mut worker = system.worker();
    let mut total = 0.0;
    let mut at_least = [0, 0];
    for (number, line) in lines(&folder.join("input.de")).iter().enumerate() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let mut searched = worker.search(&words);
        let own = f64::from(searched.score().unwrap());
        let score = searched.best().unwrap().score();
        assert!(
            (score - own).abs() < 1e-3,
            "sentence {number}: {own} in the search, {score} by its derivation"
        );
        total += score;
        // Moses prints six digits.
        for (count, theirs) in at_least.iter_mut().zip([cube[number], stack[number]]) {
            let digit = theirs.abs() * 1e-5;
            *count += usize::from(score >= theirs - digit);
            if score < theirs - digit {
                println!("sentence {number}: {score:.4}, Moses {theirs}");
            }
        }
    }
    let count = cube.len();
    println!(
        "ran on {count} sentences: mean {:.5}; at least Moses: cube {}, stack {}",
        total / count as f64,
        at_least[0],
        at_least[1]
    );
    assert!(at_least.iter().all(|&found| found * 100 >= count * 95), "{at_least:?} of {count}");
}

/// Whether a derivation has the features of an n-best entry, to the digits printed.
fn same_features(derivation: &Derivation, entry: &NbestLine<'_>, system: &PhraseSystem<PhraseList>) -> bool {
    let totals = derivation.total_features();
    let same_score = (derivation.score() - entry.score).abs() <= 1.01e-5 * entry.score.abs();
    same_score
        && PRINTED.iter().all(|name| {
            let range = System::features(system).find(name).unwrap();
            let printed = entry.feature(name).unwrap();
            totals[range].iter().zip(printed).all(|(&ours, &theirs)| {
                let theirs = f64::from(theirs);
                (ours - theirs).abs() <= 1.01e-5 * theirs.abs().max(0.1)
            })
        })
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn features_of_moses_nbest_lists_are_reproduced() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA")).join("moses");
    let system = system(&folder, Some(1000), 1000);
    let mut worker = system.worker();
    let input = lines(&folder.join("input.de"));
    let (mut found, mut best, mut all) = (0, 0, 0);
    for line in lines(&folder.join("phrase/nbest20.gz")) {
        let entry = NbestLine::parse(&line, &treeglot_text::Place::new("n-best", 0)).unwrap();
        let words: Vec<&str> = input[entry.id].split_ascii_whitespace().collect();
        let translation: Vec<&str> = entry.text.split_ascii_whitespace().collect();
        let mut searched = worker.force(&words, &translation);
        all += 1;
        let candidates = searched.kbest(50, false);
        match candidates.iter().position(|(derivation, _)| same_features(derivation, &entry, &system)) {
            Some(rank) => {
                found += 1;
                best += usize::from(rank == 0);
            }
            None => {
                println!("sentence {}: {} derivations, none of `{}`", entry.id, candidates.len(), entry.text);
            }
        }
    }
    println!("ran on {all} entries: features of {found} reproduced, of {best} by the best derivation");
    assert_eq!(found, all);
}
