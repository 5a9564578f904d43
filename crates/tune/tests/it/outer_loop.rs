//! The loop with a decoder that chooses among fixed translations: it climbs, stops by itself and can be taken up again.

use crate::common::{candidate, metrics, text};
use std::convert::Infallible;
use treeglot_decode::FeatureSet;
use treeglot_tune::{
    Candidate, Checkpoints, Decoder, DevSet, End, FeatureSpace, Method, Objective, Round, TuneError,
    TuneSettings, Tuned, tune,
};

/// Knows all translations, and can be told to fail after some calls.
struct Fixed {
    space: FeatureSpace,
    all: Vec<Vec<Candidate>>,
    calls: usize,
    fails_at: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("switched off")]
struct SwitchedOff;

impl Decoder for Fixed {
    type Error = SwitchedOff;

    fn space(&mut self) -> &mut FeatureSpace {
        &mut self.space
    }

    fn kbest(&mut self, weights: &[f64], count: usize) -> Result<Vec<Vec<Candidate>>, SwitchedOff> {
        self.calls += 1;
        if self.calls == self.fails_at {
            return Err(SwitchedOff);
        }
        let score = |c: &Candidate| {
            let sparse =
                c.sparse.iter().map(|&(f, v)| weights.get(f as usize).unwrap_or(&0.0) * f64::from(v));
            c.dense.iter().zip(weights).map(|(&v, w)| f64::from(v) * w).chain(sparse).sum::<f64>()
        };
        let best = |list: &Vec<Candidate>| {
            let mut list = list.clone();
            list.sort_by(|a, b| score(b).total_cmp(&score(a)));
            list.truncate(count);
            for (name, c) in ["first", "second"].iter().cycle().zip(&mut list) {
                c.sparse = vec![(self.space.sparse(name), 0.125)];
            }
            list
        };
        Ok(self.all.iter().map(best).collect())
    }
}

/// Thirty sentences whose 81 translations differ in four words; each word has three choices, and each choice its own values
/// of four features of which two tell right from wrong.
fn decoder() -> (DevSet, Fixed) {
    let references: Vec<Vec<String>> = (0..30).map(|s| vec![text(&[s, s + 1, s + 2, s + 3])]).collect();
    let list = |s: u32| {
        let one = |i: u32| {
            let choices = [i % 3, i / 3 % 3, i / 9 % 3, i / 27];
            let mut words = [s, s + 1, s + 2, s + 3];
            let mut features = [0.0; 4];
            for (position, choice) in choices.into_iter().enumerate() {
                let noise = (s * 7 + i * 13 + position as u32 * 5) % 11;
                features[0] += if choice == 0 { 0.0 } else { -1.0 - 0.02 * noise as f32 };
                features[1] += [0.3, 1.0, 0.1][choice as usize];
                features[2] += 0.1 * noise as f32;
                features[3] -= choice as f32;
                if choice > 0 {
                    words[position] += 50 * choice;
                }
            }
            candidate(&words, &features)
        };
        (0..81).map(one).collect()
    };
    let mut dense = FeatureSet::default();
    dense.add("LM0", 1);
    dense.add("TM0", 3);
    let all = (0..30).map(list).collect();
    (DevSet::new(references), Fixed { space: FeatureSpace::new(dense), all, calls: 0, fails_at: usize::MAX })
}

const START: [f64; 4] = [-0.1, 0.5, 0.3, -0.1];

fn run(
    decoder: &mut Fixed,
    dev: &DevSet,
    settings: &TuneSettings,
    state: Option<&Checkpoints>,
) -> Result<(Tuned, Vec<Round>), TuneError<SwitchedOff>> {
    let (metric, smoothed) = metrics("bleu");
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), dev);
    let mut rounds = Vec::new();
    let tuned = tune(decoder, &objective, &START, settings, state, &mut |round| rounds.push(round.clone()))?;
    Ok((tuned, rounds))
}

#[test]
fn each_method_climbs_and_stops_by_itself() {
    for &method in Method::ALL.iter().filter(|method| method.tunes()) {
        let (dev, mut decoder) = decoder();
        let name = method.name();
        let least_new = Some(0.0);
        let settings = TuneSettings { method, nbest: 10, rounds: 40, least_new, ..TuneSettings::default() };
        let (tuned, rounds) = run(&mut decoder, &dev, &settings, None).unwrap();
        assert!(rounds[0].score < 10.0, "{name} starts badly");
        assert!(tuned.score > 90.0, "{name}: {rounds:?}");
        assert_ne!(tuned.end, End::Rounds, "{name}: {rounds:?}");
        let best = rounds.iter().map(|round| round.score).fold(0.0, f64::max);
        assert_eq!(tuned.score, best, "{name} keeps the best round");
        assert_eq!(rounds[tuned.round - 1].score, best);
    }
}

#[test]
fn a_round_with_few_new_candidates_is_the_last() {
    let settings = TuneSettings { nbest: 10, rounds: 40, least_new: Some(0.2), ..TuneSettings::default() };
    let whole = TuneSettings { least_new: Some(0.0), ..settings.clone() };
    let (dev, mut all) = decoder();
    let (_, all) = run(&mut all, &dev, &whole, None).unwrap();
    let first = all.iter().position(|round| round.new < 60).expect("candidates run out");
    assert!(first + 1 < all.len(), "a loop that does not look at it goes on: {all:?}");
    let (dev, mut decoder) = decoder();
    let (tuned, rounds) = run(&mut decoder, &dev, &settings, None).unwrap();
    assert_eq!(tuned.end, End::LittleNew);
    assert_eq!(rounds[..first], all[..first]);
    assert_eq!((rounds.len(), rounds[first].new), (first + 1, all[first].new));
}

#[test]
fn rounds_that_rise_go_on_though_the_first_weights_are_better() {
    /// The best translation of each round has so many words of the reference.
    struct Scripted(FeatureSpace, Vec<u32>);
    impl Decoder for Scripted {
        type Error = Infallible;
        fn space(&mut self) -> &mut FeatureSpace {
            &mut self.0
        }
        fn kbest(&mut self, _: &[f64], _: usize) -> Result<Vec<Vec<Candidate>>, Infallible> {
            let right = self.1.remove(0);
            let words: Vec<u32> = (0..10).map(|word| if word < right { word } else { word + 50 }).collect();
            let value = right as f32;
            Ok(vec![vec![candidate(&words, &[value]), candidate(&words[..9], &[-value])]])
        }
    }
    let rounds_of = |right: &[u32]| {
        let mut features = FeatureSet::default();
        features.add("LM0", 1);
        let (metric, smoothed) = metrics("chrf");
        let dev = DevSet::new(vec![vec![text(&(0..10).collect::<Vec<_>>())]]);
        let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
        let none = TuneSettings { least_change: 0.0, least_new: Some(0.0), ..TuneSettings::default() };
        let settings = TuneSettings { patience: 2, rounds: 7, ..none };
        let mut decoder = Scripted(FeatureSpace::new(features), right.to_vec());
        let mut scores = Vec::new();
        let tuned = tune(&mut decoder, &objective, &[0.5], &settings, None, &mut |r| scores.push(r.score));
        (tuned.expect("nothing fails"), scores.len())
    };
    let (tuned, rounds) = rounds_of(&[10, 3, 4, 5, 6, 7, 8]);
    assert_eq!((tuned.round, tuned.end, rounds), (1, End::Rounds, 7));
    let (tuned, rounds) = rounds_of(&[10, 5, 6, 4, 3, 7, 8]);
    assert_eq!((tuned.round, tuned.end, rounds), (1, End::NoBetter, 5));
}

#[test]
fn an_interrupted_loop_ends_as_one_that_was_not() {
    for &method in Method::ALL {
        let name = method.name();
        let settings = TuneSettings { method, nbest: 5, rounds: 6, ..TuneSettings::default() };
        let (dev, mut whole) = decoder();
        let expected = run(&mut whole, &dev, &settings, None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let state = Checkpoints::open(folder.path().join("state"), "fixed").unwrap();
        for fails_at in [1, 2, 2].into_iter().filter(|&at| at == 1 || method.tunes()) {
            let (dev, mut broken) = decoder();
            broken.fails_at = fails_at;
            let error = run(&mut broken, &dev, &settings, Some(&state)).unwrap_err();
            assert!(matches!(error, TuneError::Decoder(SwitchedOff)));
        }
        let (dev, mut rest) = decoder();
        assert_eq!(run(&mut rest, &dev, &settings, Some(&state)).unwrap(), expected, "{name}");
        assert!(rest.calls < whole.calls || !method.tunes(), "kept rounds are not decoded again");
        let (dev, mut none) = decoder();
        assert_eq!(run(&mut none, &dev, &settings, Some(&state)).unwrap(), expected);
        assert_eq!(none.calls, 0);
    }
}

#[test]
fn a_folder_of_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    Checkpoints::open(folder.path(), "mert seed 1").unwrap();
    Checkpoints::open(folder.path(), "mert seed 1").unwrap();
    let error = Checkpoints::open(folder.path(), "mert seed 2").unwrap_err().to_string();
    assert!(error.contains("begun with other settings (mert seed 1), now mert seed 2"), "{error}");
}

#[test]
fn a_decoder_without_choice_is_an_error() {
    struct One(FeatureSpace);
    impl Decoder for One {
        type Error = Infallible;
        fn space(&mut self) -> &mut FeatureSpace {
            &mut self.0
        }
        fn kbest(&mut self, _: &[f64], _: usize) -> Result<Vec<Vec<Candidate>>, Infallible> {
            Ok(vec![vec![candidate(&[1, 2], &[0.5])]])
        }
    }
    let mut features = FeatureSet::default();
    features.add("LM0", 1);
    let (metric, smoothed) = metrics("bleu");
    let dev = DevSet::new(vec![vec![text(&[1, 2])]]);
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let mut decoder = One(FeatureSpace::new(features));
    let error = tune(&mut decoder, &objective, &[0.5], &TuneSettings::default(), None, &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("there is nothing to tune"), "{error}");
}
