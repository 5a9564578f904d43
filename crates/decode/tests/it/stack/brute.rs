//! Against brute force: all segmentations in all orders of small random inputs, scored by the definitions.

use super::phrase_list::{Builder, PhraseList, resources};
use proptest::prelude::*;
use proptest::sample::select;
use std::f64::consts::LN_10;
use treeglot_decode::{FeatureSet, Limits, PhraseSystem, SearchSettings, Weights};
use treeglot_lm::estimate;
use treeglot_lm::{Lm, LmLayout};
use treeglot_models::Applies;
use treeglot_text::Input;
use treeglot_text::vocab::Sym;

/// A phrase of a random table.
#[derive(Debug, Clone)]
struct Phrase {
    source: Vec<&'static str>,
    target: Vec<&'static str>,
    scores: [f32; 2],
    reordering: Option<[f32; 6]>,
}

/// A random system and its input.
#[derive(Debug, Clone)]
struct Case {
    phrases: Vec<Phrase>,
    text: Vec<Vec<&'static str>>,
    order: usize,
    input: Vec<&'static str>,
    distortion: Option<u32>,
    table_limit: usize,
    jumps_ahead: bool,
    weights: [f32; 13],
}

/// The features of a case, in order, and how many values each has.
const FEATURES: [(&str, usize); 7] = [
    ("LexicalReordering0", 6),
    ("Distortion0", 1),
    ("LM0", 1),
    ("WordPenalty0", 1),
    ("PhrasePenalty0", 1),
    ("TranslationModel0", 2),
    ("UnknownWordPenalty0", 1),
];

/// What an unknown word counts.
const UNKNOWN: f32 = -100.0;

const SOURCE: [&str; 4] = ["a", "b", "c", "d"];
const TARGET: [&str; 3] = ["x", "y", "z"];

fn phrase() -> impl Strategy<Value = Phrase> {
    let words = |words: &'static [&'static str], most| proptest::collection::vec(select(words), 1..=most);
    (
        words(&SOURCE[..3], 3),
        words(&TARGET, 3),
        [0.05f32..1.0, 0.05f32..1.0],
        proptest::option::of(proptest::array::uniform6(0.05f32..1.0)),
    )
        .prop_map(|(source, target, scores, reordering)| Phrase { source, target, scores, reordering })
}

fn case() -> impl Strategy<Value = Case> {
    (
        proptest::collection::vec(phrase(), 1..14),
        proptest::collection::vec(proptest::collection::vec(select(&TARGET[..]), 1..6), 1..8),
        1usize..5,
        proptest::collection::vec(select(&SOURCE[..]), 0..5),
        proptest::option::of(0u32..5),
        prop_oneof![Just(0usize), 1usize..4],
        any::<bool>(),
        proptest::array::uniform(0.05f32..0.5),
    )
        .prop_map(|(phrases, text, order, input, distortion, table_limit, jumps_ahead, weights)| Case {
            phrases: distinct(phrases),
            text,
            order,
            input,
            distortion,
            table_limit,
            jumps_ahead,
            weights,
        })
}

/// A table has each phrase once.
fn distinct(mut phrases: Vec<Phrase>) -> Vec<Phrase> {
    phrases.sort_by(|a, b| (&a.source, &a.target).cmp(&(&b.source, &b.target)));
    phrases.dedup_by(|a, b| (&a.source, &a.target) == (&b.source, &b.target));
    phrases
}

impl Case {
    fn lm(&self) -> Lm {
        let text: String = self.text.iter().map(|line| line.join(" ") + "\n").collect();
        let input = Input { name: "text".into(), reader: Box::new(std::io::Cursor::new(text.into_bytes())) };
        let settings = treeglot_lm::Settings::of_order(self.order);
        Lm::build(estimate::from_text(input, &settings).unwrap().0, LmLayout::Probing).unwrap()
    }

    fn system(&self, pops: Option<usize>) -> PhraseSystem<PhraseList> {
        let mut builder = Builder::new();
        for Phrase { source, target, scores, reordering } in &self.phrases {
            builder.phrase(&source.join(" "), &target.join(" "), scores, Vec::new());
            if let Some(values) = reordering {
                builder.reordering(&source.join(" "), &target.join(" "), values);
            }
        }
        let limits = Limits {
            distortion: self.distortion,
            pops,
            beam: 0,
            threshold: f32::INFINITY,
            table_limit: self.table_limit,
            max_span: 3,
            jumps_ahead: self.jumps_ahead,
            ..Limits::of(Applies::Phrases)
        };
        let mut features = FeatureSet::default();
        for (name, values) in FEATURES {
            features.add(name, values);
        }
        let weights = Weights::of(&features, &self.weights);
        let resources = resources(vec![builder.finish()], vec![self.lm()]);
        let system = PhraseSystem::new(resources, &weights, &SearchSettings::default());
        system.and_then(|system| system.with_limits(limits)).unwrap()
    }
}

/// Weights by name, in the order of the features.
struct Scale<'a>(&'a [f32; 13]);

impl Scale<'_> {
    fn at(&self, at: usize) -> f64 {
        f64::from(self.0[at])
    }
}

/// A phrase put somewhere.
#[derive(Clone)]
struct Placed<'a> {
    start: usize,
    end: usize,
    phrase: Option<&'a Phrase>,
    target: Vec<&'a str>,
}

/// Enumerates every derivation and scores it when it is complete.
struct Brute<'a> {
    case: &'a Case,
    lm: &'a Lm,
    scores: Vec<(f64, String)>,
}

impl<'a> Brute<'a> {
    fn all(case: &'a Case, lm: &'a Lm) -> Vec<(f64, String)> {
        let mut brute = Self { case, lm, scores: Vec::new() };
        brute.go_on(&mut vec![false; case.input.len()], &mut Vec::new());
        brute.scores.sort_by(|a, b| b.0.total_cmp(&a.0));
        brute.scores
    }

    fn go_on(&mut self, covered: &mut Vec<bool>, path: &mut Vec<Placed<'a>>) {
        let Some(gap) = covered.iter().position(|&c| !c) else {
            self.scores.push(self.score(path));
            return;
        };
        for start in 0..covered.len() {
            for end in start + 1..=covered.len() {
                if covered[start..end].contains(&true) || !self.may(gap, path.last(), start, end) {
                    continue;
                }
                for placed in self.options(start, end) {
                    covered[start..end].fill(true);
                    path.push(placed);
                    self.go_on(covered, path);
                    path.pop();
                    covered[start..end].fill(false);
                }
            }
        }
    }

    fn may(&self, gap: usize, last: Option<&Placed<'_>>, start: usize, end: usize) -> bool {
        let Some(limit) = self.case.distortion else { return true };
        let limit = limit as usize;
        let jump = last.map_or(0, |last| last.end).abs_diff(start);
        jump <= limit && (start == gap || end.abs_diff(gap) <= limit)
    }

    fn options(&self, start: usize, end: usize) -> Vec<Placed<'a>> {
        let source = &self.case.input[start..end];
        let mut found: Vec<&Phrase> = self.case.phrases.iter().filter(|p| p.source == source).collect();
        found.sort_by(|a, b| self.alone(b).total_cmp(&self.alone(a)));
        if self.case.table_limit > 0 {
            found.truncate(self.case.table_limit);
        }
        let known = found.into_iter().map(|phrase| Placed {
            start,
            end,
            phrase: Some(phrase),
            target: phrase.target.clone(),
        });
        let mut options: Vec<Placed<'a>> = known.collect();
        if options.is_empty() && end == start + 1 {
            options.push(Placed { start, end, phrase: None, target: source.to_vec() });
        }
        options
    }

    /// The score of a phrase by itself, its words without context.
    fn alone(&self, phrase: &Phrase) -> f64 {
        let weights = Scale(&self.case.weights);
        let tables = self.lm.tables();
        let scorer = tables.scorer();
        let mut state = scorer.empty();
        let mut spoken = 0.0;
        for word in &phrase.target {
            let (scored, next) = scorer.score(&state, self.lm.symbol(word));
            spoken += f64::from(scored.prob) * LN_10;
            state = next;
        }
        let [one, two] = phrase.scores.map(|p| f64::from(p.ln()));
        weights.at(7) * spoken - weights.at(8) * phrase.target.len() as f64
            + weights.at(9)
            + weights.at(10) * one
            + weights.at(11) * two
    }

    fn score(&self, path: &[Placed<'_>]) -> (f64, String) {
        let weights = Scale(&self.case.weights);
        let words: Vec<&str> = path.iter().flat_map(|placed| placed.target.iter().copied()).collect();
        let symbols: Vec<Sym> = words.iter().map(|word| self.lm.symbol(word)).collect();
        let mut score = 0.0;
        if !path.is_empty() {
            score += weights.at(7) * self.lm.tables().sentence(&symbols).prob * LN_10;
        }
        score -= weights.at(8) * words.len() as f64;
        for (number, placed) in path.iter().enumerate() {
            let before = number.checked_sub(1).map(|before| &path[before]);
            score += weights.at(9);
            match placed.phrase {
                None => score += weights.at(12) * f64::from(UNKNOWN),
                Some(phrase) => {
                    let [one, two] = phrase.scores.map(|p| f64::from(p.ln()));
                    score += weights.at(10) * one + weights.at(11) * two;
                }
            }
            score += self.moved(before, placed);
        }
        (score, words.join(" "))
    }

    /// Jumps and lexicalised reordering.
    fn moved(&self, before: Option<&Placed<'_>>, placed: &Placed<'_>) -> f64 {
        let weights = Scale(&self.case.weights);
        let end = before.map_or(0, |before| before.end);
        let orientation = if placed.start == end {
            0
        } else if before.is_some_and(|before| before.start == placed.end) {
            1
        } else {
            2
        };
        let value = |placed: &Placed<'_>, at: usize| {
            let values = placed.phrase.and_then(|phrase| phrase.reordering);
            values.map_or(0.0, |values| weights.at(at) * f64::from(values[at].ln()))
        };
        -weights.at(6) * end.abs_diff(placed.start) as f64
            + value(placed, orientation)
            + before.map_or(0.0, |before| value(before, 3 + orientation))
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 2e-4 * b.abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn unpruned_search_finds_what_brute_force_finds(case in case()) {
        let lm = case.lm();
        let expected = Brute::all(&case, &lm);
        for pops in [None, Some(usize::MAX)] {
            let system = case.system(pops);
            let mut worker = system.worker();
            let mut searched = worker.search(&case.input);
            let own = f64::from(searched.score().unwrap());
            prop_assert!(close(own, expected[0].0), "{own} {:?}", expected[0]);
            let found = searched.kbest(40, false);
            prop_assert_eq!(found.len(), expected.len().min(40));
            for ((derivation, score), (wanted, _)) in found.iter().zip(&expected) {
                prop_assert!(close(*score, *wanted), "{score} {wanted}");
                prop_assert!(close(derivation.score(), *score), "{score} {}", derivation.score());
            }
        }
    }

    #[test]
    fn distinct_translations_come_with_their_best_derivations(case in case()) {
        let lm = case.lm();
        let mut expected = Brute::all(&case, &lm);
        let mut seen = std::collections::HashSet::new();
        expected.retain(|(_, words)| seen.insert(words.clone()));
        let system = case.system(None);
        let mut worker = system.worker();
        let mut searched = worker.search(&case.input);
        let found = searched.kbest(8, true);
        prop_assert_eq!(found.len(), expected.len().min(8));
        for ((_, score), (wanted, _)) in found.iter().zip(&expected) {
            prop_assert!(close(*score, *wanted), "{score} {wanted}");
        }
    }

    #[test]
    fn forced_search_finds_the_derivations_of_one_translation(case in case(), pick in any::<proptest::sample::Index>()) {
        let lm = case.lm();
        let all = Brute::all(&case, &lm);
        let text = pick.get(&all).1.clone();
        let expected: Vec<f64> = all.iter().filter(|(_, other)| *other == text).map(|(score, _)| *score).collect();
        let system = case.system(Some(1));
        let mut worker = system.worker();
        let translation: Vec<&str> = text.split_ascii_whitespace().collect();
        let mut searched = worker.force(&case.input, &translation);
        let found = searched.kbest(40, false);
        prop_assert_eq!(found.len(), expected.len().min(40));
        for ((derivation, score), wanted) in found.iter().zip(&expected) {
            prop_assert!(close(*score, *wanted) && close(derivation.score(), *wanted), "{score} {wanted}");
        }
        let mut words = Vec::new();
        found[0].0.words(&mut words);
        prop_assert_eq!(searched.vocab().join(&words), text);
        let nothing: Option<f32> = worker.force(&case.input, &["no", "such", "words"]).score();
        prop_assert_eq!(nothing, None);
    }
}
