//! Learning a joint model from pairs and their links.

use crate::corpus::Pairs;
use crate::ensemble::mean_of;
use crate::error::Result;
use crate::level::level_sums;
use crate::model::write;
use crate::network::{Candidates, Dropout, Example, Network, Pass, Predicted};
use crate::settings::JointSettings;
use crate::words::Word;
use crate::{HISTORY, SEEN};
use std::path::Path;
use treeglot_nn::{Adam, Rate, Rng};
use treeglot_text::interrupt;

/// The last step size, as a share of the first.
const LAST_RATE: f32 = 0.02;
const BETA2: f32 = 0.999;
const CLIP: f32 = 100.0;
/// By how many positions sums over all words are levelled.
const LEVELLED: usize = 20_000;

/// What a model predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicts {
    /// Each target word, from those before it and the source words around the one it is affiliated with: a joint model.
    Words,
    /// The target words that each source word is linked to, or that there are none, from the source words around it: a lexical
    /// translation model (Devlin et al. 2014, section 4.2).
    Translations,
}

/// What was learnt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learnt {
    /// In which epoch the last network was best on pairs kept apart.
    pub epoch: usize,
    /// The perplexity of all networks together on them.
    pub perplexity: f64,
    /// The logarithm of the sum over all words there, in the mean.
    pub sum: f64,
    /// How far these logarithms are from their mean, by the root of the mean square.
    pub deviation: f64,
}

/// Learns a model from a source text, a target text and their links, and writes it.
pub fn train(
    files: [&Path; 3],
    predicts: Predicts,
    settings: &JointSettings,
    to: &Path,
    mut say: impl FnMut(&str),
) -> Result<Learnt> {
    settings.check()?;
    let pairs = Pairs::read(files, settings.words, settings.min_count, predicts)?;
    let positions = Positions::new(&pairs, settings);
    let (mut networks, mut epoch) = (Vec::new(), 0);
    for number in 1..=settings.networks {
        let mut learner = Learner::new(&positions, settings, settings.seed + number as u64 - 1);
        let mut best: Option<(f64, Vec<f32>)> = None;
        for at in 1..=settings.epochs {
            learner.epoch(at);
            let perplexity = positions.evaluate(&learner.network, settings.batch).perplexity;
            say(&format!("network {number}, epoch {at}, perplexity {perplexity:.2}"));
            if best.as_ref().is_none_or(|(known, _)| perplexity < *known) {
                best = Some((perplexity, learner.network.values.clone()));
                epoch = at;
            }
        }
        let (_, values) = best.expect("there is at least one epoch");
        networks.push(Network { values, ..learner.network });
    }
    let mut network = mean_of(&networks);
    level_sums(&mut network, &positions.to_level(settings));
    write(&network, [&pairs.source, &pairs.target], to)?;
    Ok(Learnt { epoch, ..positions.evaluate(&network, settings.batch) })
}

/// The positions of pairs, to learn from and kept apart.
struct Positions<'p> {
    pairs: &'p Pairs,
    /// Positions to learn from: a pair and a word of it.
    learnt: Vec<(u32, u16)>,
    held_out: Vec<Example>,
}

impl<'p> Positions<'p> {
    fn new(pairs: &'p Pairs, settings: &JointSettings) -> Self {
        let mut order: Vec<u32> = (0..pairs.pairs.len() as u32).collect();
        Rng::new(settings.seed).shuffle(&mut order);
        // Of a few pairs, most are to learn from.
        let (held_out, learnt) = order.split_at(settings.held_out.min(order.len() / 20));
        let positions_of = |&pair: &u32| {
            let length = pairs.pairs[pair as usize].len().min(usize::from(u16::MAX));
            (0..length).map(move |at| (pair, at as u16))
        };
        let whole = |(pair, at): (u32, u16)| example(pairs, pair, at, HISTORY);
        let held_out = if held_out.is_empty() { &learnt[..1] } else { held_out };
        let held_out = held_out.iter().flat_map(positions_of).map(whole).collect();
        Self { pairs, learnt: learnt.iter().flat_map(positions_of).collect(), held_out }
    }

    /// What the words before are in a search: those of a translation, hidden from some distance on, or of another sentence, as of
    /// translations that are wrong.
    fn to_level(&self, settings: &JointSettings) -> Vec<Example> {
        let mut rng = Rng::of_job(settings.seed, u64::MAX);
        let draw = |rng: &mut Rng| self.learnt[rng.below(self.learnt.len())];
        let one = |number: usize| {
            let (pair, at) = draw(&mut rng);
            let known = if number.is_multiple_of(4) { rng.below(HISTORY) } else { HISTORY };
            let mut one = example(self.pairs, pair, at, known);
            if number % 4 == 1 {
                let (pair, at) = draw(&mut rng);
                one.seen[SEEN..].copy_from_slice(&example(self.pairs, pair, at, HISTORY).seen[SEEN..]);
            }
            one
        };
        (0..LEVELLED.min(4 * self.learnt.len())).map(one).collect()
    }

    /// How good a network is on the pairs kept apart.
    fn evaluate(&self, network: &Network, batch: usize) -> Learnt {
        let (mut score, mut total, mut squares, mut pass) = (0.0, 0.0, 0.0, Pass::default());
        for batch in self.held_out.chunks(batch) {
            interrupt::check();
            for Predicted { score: own, sum } in network.predict(batch, &mut pass) {
                score += f64::from(own - sum);
                total += f64::from(*sum);
                squares += f64::from(sum * sum);
            }
        }
        let count = self.held_out.len().max(1) as f64;
        let mean = total / count;
        let deviation = (squares / count - mean * mean).max(0.0).sqrt();
        Learnt { epoch: 0, perplexity: (-score / count).exp(), sum: mean, deviation }
    }
}

struct Learner<'p> {
    settings: &'p JointSettings,
    pairs: &'p Pairs,
    network: Network,
    adam: Adam,
    gradient: Vec<f32>,
    pass: Pass,
    rng: Rng,
    seed: u64,
    positions: Vec<(u32, u16)>,
    steps: usize,
}

impl<'p> Learner<'p> {
    fn new(positions: &Positions<'p>, settings: &'p JointSettings, seed: u64) -> Self {
        let (mut rng, pairs) = (Rng::of_job(seed, 0), positions.pairs);
        let words = [pairs.source.len(), pairs.target.len()];
        let frequencies = frequencies(pairs, &positions.learnt);
        let network = Network::new(words, settings.embedding, settings.hidden, &frequencies, &mut rng);
        let size = network.values.len();
        Self {
            settings,
            pairs,
            network,
            adam: Adam::new(size, BETA2),
            gradient: vec![0.0; size],
            pass: Pass::default(),
            rng,
            seed,
            positions: positions.learnt.clone(),
            steps: 0,
        }
    }

    /// Goes through all positions once.
    fn epoch(&mut self, epoch: usize) {
        let settings = self.settings;
        let mut positions = std::mem::take(&mut self.positions);
        self.rng = Rng::of_job(self.seed, epoch as u64);
        self.rng.shuffle(&mut positions);
        let all_steps = settings.epochs * positions.len().div_ceil(settings.batch);
        let mut batch = Vec::new();
        for chunk in positions.chunks(settings.batch) {
            interrupt::check();
            batch.clear();
            for &(pair, at) in chunk {
                let hidden = self.rng.unit() < settings.hide;
                let known = if hidden { self.rng.below(HISTORY) } else { HISTORY };
                batch.push(example(self.pairs, pair, at, known));
            }
            let candidates = self.candidates(&batch);
            let left = 1.0 - self.steps as f32 / all_steps as f32;
            let rate = Rate {
                rate: settings.rate * (LAST_RATE + (1.0 - LAST_RATE) * left),
                scale: 1.0 / batch.len() as f32,
                clip: CLIP,
            };
            let dropout = Dropout { hidden: settings.dropout, inputs: settings.input_dropout };
            self.network.learn(
                &batch,
                &candidates,
                (dropout, settings.normalize),
                &mut self.rng,
                &mut self.pass,
                (&mut self.gradient, &mut self.adam, rate),
            );
            self.steps += 1;
        }
        self.positions = positions;
    }

    /// The words of a batch's sum: all frequent ones, those of the batch, and some of the others by chance.
    fn candidates(&mut self, batch: &[Example]) -> Candidates {
        let words = self.network.out.rows;
        let (frequent, wanted) = (self.settings.frequent, self.settings.sampled);
        if frequent + wanted >= words {
            return Candidates::all(words);
        }
        let rare = batch.iter().map(|example| example.word).filter(|&word| usize::from(word) >= frequent);
        let mut sampled: Vec<Word> = rare.collect();
        sampled
            .extend((sampled.len()..wanted).map(|_| (frequent + self.rng.below(words - frequent)) as Word));
        sampled.sort_unstable();
        sampled.dedup();
        let weight = ((words - frequent) as f32 / sampled.len() as f32).ln();
        Candidates { frequent, sampled, weight }
    }
}

fn example(pairs: &Pairs, pair: u32, at: u16, known: usize) -> Example {
    let (known, pair, at) = (known.min(pairs.history), &pairs.pairs[pair as usize], usize::from(at));
    let mut seen = pair.seen(at, known);
    Example { seen: std::array::from_fn(|_| seen.next().unwrap_or_default()), word: pair.word(at) }
}

/// The logarithms of the frequencies of target words, each counted once more than it occurs.
fn frequencies(pairs: &Pairs, positions: &[(u32, u16)]) -> Vec<f32> {
    let mut counts = vec![1.0f32; pairs.target.len()];
    for &(pair, at) in positions {
        counts[usize::from(pairs.pairs[pair as usize].word(usize::from(at)))] += 1.0;
    }
    let all = (positions.len() + counts.len()) as f32;
    counts.into_iter().map(|count| (count / all).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BEGIN, END, JointModel, NOTHING, Sentence};
    use std::path::PathBuf;

    /// Pairs in which a target word depends on the source word that it is linked to, and its article on the word after it.
    fn files(folder: &Path) -> [PathBuf; 3] {
        let nouns = [("haus", "house"), ("hund", "dog"), ("apfel", "apple"), ("igel", "owl")];
        let (mut source, mut target, mut links) = (String::new(), String::new(), String::new());
        for round in 0..60 {
            let (first, second) = (nouns[round % 4], nouns[(round / 4) % 4]);
            let article = |noun: &str| if noun.starts_with(['a', 'o']) { "an" } else { "a" };
            source.push_str(&format!("ein {} und ein {}\n", first.0, second.0));
            target.push_str(&format!(
                "{} {} and {} {}\n",
                article(first.1),
                first.1,
                article(second.1),
                second.1
            ));
            links.push_str("0-0 1-1 2-2 3-3 4-4\n");
        }
        let paths = ["source", "target", "links"].map(|name| folder.join(name));
        for (path, text) in paths.iter().zip([source, target, links]) {
            std::fs::write(path, text).unwrap();
        }
        paths
    }

    fn settings() -> JointSettings {
        let (embedding, hidden, batch) = (12, 24, 32);
        JointSettings { embedding, hidden, batch, epochs: 30, rate: 0.01, ..JointSettings::default() }
    }

    fn learnt(folder: &Path, name: &str) -> (Learnt, PathBuf) {
        let (files, to) = (files(folder), folder.join(name));
        let learnt =
            train(files.each_ref().map(PathBuf::as_path), Predicts::Words, &settings(), &to, |_| {}).unwrap();
        (learnt, to)
    }

    #[test]
    fn words_are_predicted_from_both_sides_and_sums_are_alike() {
        let folder = tempfile::tempdir().unwrap();
        let (learnt, path) = learnt(folder.path(), "model");
        assert!(learnt.perplexity < 1.3 && learnt.deviation < 0.3, "{learnt:?}");
        let model = JointModel::open(path).unwrap();
        let mut sentence = Sentence::default();
        model.sentence("ein igel und ein haus".split(' '), &mut sentence);
        let score = |at, before: [&str; 1], word: &str| {
            let first = if before[0].is_empty() { BEGIN } else { model.word(before[0]) };
            model.score(&sentence, at, [first, NOTHING, NOTHING], model.word(word))
        };
        assert!(score(0, [""], "an") > score(0, [""], "a") + 1.0);
        assert!(score(3, ["and"], "a") > score(3, ["and"], "an") + 1.0);
        assert!(score(1, ["an"], "owl") > score(1, ["an"], "apple") + 1.0);
        let end = model.score(&sentence, 5, [model.word("house"), model.word("a"), model.word("and")], END);
        assert!(end > -0.5, "{end}");
    }

    #[test]
    fn translations_are_predicted_from_the_source_words_around() {
        let folder = tempfile::tempdir().unwrap();
        let (files, to) = (files(folder.path()), folder.path().join("model"));
        // Every `und` before an apple loses its link.
        let links = std::fs::read_to_string(&files[2]).unwrap();
        let source = std::fs::read_to_string(&files[0]).unwrap();
        let lost = source.lines().zip(links.lines()).map(|(line, links)| {
            let links = if line.ends_with("apfel") { links.replace("2-2 ", "") } else { links.to_string() };
            links + "\n"
        });
        std::fs::write(&files[2], lost.collect::<String>()).unwrap();
        let paths = files.each_ref().map(PathBuf::as_path);
        let learnt = train(paths, Predicts::Translations, &settings(), &to, |_| {}).unwrap();
        assert!(learnt.perplexity < 1.2 && learnt.deviation < 0.3, "{learnt:?}");
        let model = JointModel::open(to).unwrap();
        let mut sentence = Sentence::default();
        let mut score = |line: &str, at, words: &[&str]| {
            model.sentence(line.split(' '), &mut sentence);
            model.score(&sentence, at, [NOTHING; HISTORY], model.translation(words.iter().copied()))
        };
        assert!(score("ein igel und ein haus", 1, &["owl"]) > -0.3);
        assert!(score("ein igel und ein haus", 2, &["and"]) > -0.3);
        assert!(score("ein igel und ein apfel", 2, &[]) > -0.3);
        assert!(score("ein igel und ein apfel", 2, &["and"]) < -1.0);
    }

    #[test]
    fn the_same_pairs_give_the_same_model_and_damage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["one", "two"].map(|name| learnt(folder.path(), name).1);
        let bytes = paths.each_ref().map(|path| std::fs::read(path).unwrap());
        assert_eq!(bytes[0], bytes[1]);
        std::fs::write(&paths[1], &bytes[1][..bytes[1].len() - 8]).unwrap();
        assert!(JointModel::open(&paths[1]).is_err());
    }

    #[test]
    fn what_a_file_scores_is_what_the_network_predicts() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let pairs = Pairs::read(files.each_ref().map(PathBuf::as_path), 100, 1, Predicts::Words).unwrap();
        let settings = settings();
        let positions = Positions::new(&pairs, &settings);
        let mut learner = Learner::new(&positions, &settings, 1);
        learner.epoch(1);
        let to = folder.path().join("model");
        write(&learner.network, [&pairs.source, &pairs.target], &to).unwrap();
        let model = JointModel::open(&to).unwrap();
        let mut sentence = Sentence::default();
        model.sentence("ein haus und ein haus".split(' '), &mut sentence);
        let seen = example(&pairs, 0, 2, HISTORY);
        let predicted = learner.network.predict(&[seen], &mut learner.pass)[0].score;
        let before = ["house", "a"].map(|word| model.word(word));
        let score = model.score(&sentence, 2, [before[0], before[1], BEGIN], model.word("and"));
        assert!((score - predicted).abs() < 1e-4, "{score} {predicted}");
    }

    #[test]
    fn texts_without_words_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["source", "target", "links"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| std::fs::write(path, "\n\n").unwrap());
        let error = train(
            paths.each_ref().map(PathBuf::as_path),
            Predicts::Words,
            &settings(),
            &folder.path().join("m"),
            |_| {},
        );
        assert!(matches!(error, Err(crate::Error::NoPairs)));
    }
}
