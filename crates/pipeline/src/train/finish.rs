//! The last stages of a system: tuning its weights, putting its bundle together, translating test sets with it.

use super::{LM, Planner, Rules, TABLE, TRUECASER, Way};
use crate::bundle::{Bundle, ModelOptions, Parts, SearchSettings, Surfaces};
use crate::error::{Error, Result};
use crate::key::KeyBuilder;
use crate::plan::{StageId, Workplace};
use crate::recipe::{PairFiles, System, Tune};
use crate::surface::{Surface, SurfaceSettings};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use treeglot_decode::mbr::{self, Gain};
use treeglot_decode::{Translations, Wanted, Weights, Worker, translate_stream};
use treeglot_metrics::{Options as MetricOptions, tokenize::Tokenizer};
use treeglot_models::pairs::TreeFiles;
use treeglot_text::{Lines, Output};
use treeglot_tune::{Decoder, DevSet, Method, Objective, Round, Settings, State, Translating, tune};

/// The file that holds weights in their stage's folder.
const WEIGHTS: &str = "weights";
/// The folder of a bundle in its stage's folder.
pub const BUNDLE: &str = "bundle";
/// The file that holds translations as people read them.
pub const OUTPUT: &str = "output";
/// The file that holds explained translations of some sentences, a JSON object a line.
pub const EXPLAINED: &str = "explained";

/// Models whose input is a tree: recipes have no trees of development and test sets to give them.
const TREE_MODELS: [&str; 3] = ["cons2str", "dep2str", "consdep2str"];

/// How many translations of each system are compared where several choose together.
const MBR: usize = 100;

/// How many sentences of a test set are explained for the report.
const SAMPLES: usize = 8;
/// Sample sentences have this many words.
const SAMPLE_LENGTHS: std::ops::RangeInclusive<usize> = 6..=16;

/// The weights a system starts with: Moses' defaults.
fn first_weights(model: &str) -> String {
    let common = "LM0= 0.5\nWordPenalty0= -1\nPhrasePenalty0= 0.2\nTranslationModel0= 0.2 0.2 0.2 0.2\nUnknownWordPenalty0= 1\n";
    match model {
        "phrase" => format!("LexicalReordering0= 0.3 0.3 0.3 0.3 0.3 0.3\nDistortion0= 0.3\n{common}"),
        _ => format!("{common}TranslationModel1= 1\n"),
    }
}

impl<'r> Planner<'r> {
    /// The bundle of a system, its weights tuned.
    pub fn bundle(&mut self, system: &'r System, way: Way) -> Result<StageId> {
        if TREE_MODELS.contains(&system.model.as_str()) {
            return Err(Error::Invalid(format!(
                "system `{}`: recipes cannot train `{}` yet: use extract, score, bundle make and tune",
                system.name, system.model
            )));
        }
        let rules = self.rules(system, way)?;
        let tuning = system.tune.as_ref().unwrap_or(&self.recipe.tune);
        let weights = match (tuning.method.as_str(), &self.recipe.data.dev) {
            ("none", _) | (_, None) => None,
            (_, Some(dev)) => Some(self.tuned(system, way, rules, tuning, dev)?),
        };
        let parts = self.parts(system, way);
        let mut key = KeyBuilder::new("bundle", 1).text(&system.model).settings(&system.search);
        key = key.settings(&[self.surface(0), self.surface(1)]).text(&way.from.to_string());
        let mut after = vec![rules.table, rules.lm];
        after.extend(rules.truecasers.iter().flatten());
        after.extend(weights);
        for &stage in &after {
            key = key.key(self.plan.key(stage));
        }
        let (truecased, last) = (rules.truecasers[0].is_some(), after.len() - 1);
        let name = format!("bundle {} {}", system.name, way.name(self.recipe));
        Ok(self.plan.add(name, key.finish(), &after, move |place| {
            let start = place.out.join(WEIGHTS);
            let weights = match weights {
                Some(_) => place.input(last).join(WEIGHTS),
                None => write_text(&start, &first_weights(&parts.model))?,
            };
            let truecasers =
                truecased.then(|| [place.input(2), place.input(3)].map(|dir| dir.join(TRUECASER)));
            let parts = parts.with_files(place.input(0), place.input(1), weights, truecasers);
            parts.make(&place.out.join(BUNDLE))?;
            if start.exists() {
                std::fs::remove_file(&start).map_err(Error::writing(&start))?;
            }
            Ok(())
        }))
    }

    /// What a bundle says of itself, before its files are known.
    fn parts(&self, system: &System, way: Way) -> Parts {
        let (source, target) = (self.surface(way.from), self.surface(way.to()));
        let languages = [source.language.clone(), target.language.clone()].map(Some);
        let raw = |settings: &SurfaceSettings| settings.tokenize || settings.truecase || settings.lowercase;
        let needed = raw(&source) || raw(&target);
        let surface = Surfaces { source, target, source_truecaser: None, target_truecaser: None };
        let surface = needed.then_some(surface);
        let (model, search) = (system.model.clone(), system.search);
        let (tables, lms, weights, options) = (vec![], vec![], PathBuf::new(), ModelOptions::new());
        Parts { model, tables, lms, weights, languages, surface, search, options }
    }

    fn tuned(
        &mut self,
        system: &'r System,
        way: Way,
        rules: Rules,
        tuning: &'r Tune,
        dev: &'r PairFiles,
    ) -> Result<StageId> {
        let sides = [&dev.source, &dev.target];
        let (source, source_file) = self.prepared("dev", sides[way.from], way.from)?;
        let mut references = vec![self.prepared("dev", sides[way.to()], way.to())?];
        if way.from == 0 {
            for file in &dev.references {
                references.push(self.prepared("dev", file, way.to())?);
            }
        }
        let mut after = vec![rules.table, rules.lm, source];
        after.extend(references.iter().map(|(stage, _)| *stage));
        let mut key =
            KeyBuilder::new("tune", 1).settings(tuning).text(&system.model).settings(&system.search);
        for &stage in &after {
            key = key.key(self.plan.key(stage));
        }
        let files: Vec<String> = references.into_iter().map(|(_, file)| file).collect();
        let parts = Parts { surface: None, ..self.parts(system, way) };
        let threads = self.means.threads;
        let name = format!("tune {} {}", system.name, way.name(self.recipe));
        Ok(self.plan.add(name, key.finish(), &after, move |place| {
            let references: Vec<PathBuf> =
                files.iter().enumerate().map(|(k, file)| place.input(3 + k).join(file)).collect();
            let source = place.input(2).join(&source_file);
            tune_weights(place, &parts, &source, &references, tuning, threads)
        }))
    }

    /// The translations of a test set by a system's bundle, or by several that choose together.
    pub fn translated(
        &mut self,
        bundles: &[StageId],
        system: &System,
        test: &'r PairFiles,
        way: Way,
    ) -> Result<StageId> {
        let file = [&test.source, &test.target][way.from];
        let mut key = KeyBuilder::new("translate", 1).key(self.file_key(file)?);
        for &bundle in bundles {
            key = key.key(self.plan.key(bundle));
        }
        let name = format!("translate {} {} {}", test.name, system.name, way.name(self.recipe));
        let (threads, count) = (self.means.threads, bundles.len());
        Ok(self.plan.add(name, key.finish(), bundles, move |place| {
            let folders: Vec<PathBuf> = (0..count).map(|k| place.input(k).join(BUNDLE)).collect();
            translate(place, &folders, file, threads)
        }))
    }
}

impl Parts {
    /// The parts with the files of finished stages.
    fn with_files(
        &self,
        table: &Path,
        lm: &Path,
        weights: PathBuf,
        truecasers: Option<[PathBuf; 2]>,
    ) -> Self {
        let mut parts = self.clone();
        parts.tables = vec![table.join(TABLE)];
        parts.lms = vec![lm.join(LM)];
        parts.weights = weights;
        if let (Some(surface), Some([source, target])) = (&mut parts.surface, truecasers) {
            surface.source_truecaser = Some(source.to_string_lossy().into_owned());
            surface.target_truecaser = Some(target.to_string_lossy().into_owned());
        }
        parts
    }
}

fn write_text(path: &Path, text: &str) -> Result<PathBuf> {
    let mut out = Output::create(path)?;
    out.write_all(text.as_bytes()).map_err(|e| out.error(e))?;
    out.finish()?;
    Ok(path.to_path_buf())
}

/// Tunes on the words of the development set; each round is kept, so that an interrupted run goes on from it.
fn tune_weights(
    place: &mut Workplace<'_>,
    parts: &Parts,
    source: &Path,
    references: &[PathBuf],
    tuning: &Tune,
    threads: usize,
) -> Result<()> {
    let start = write_text(&place.out.join("start"), &first_weights(&parts.model))?;
    let folder = place.out.join(BUNDLE);
    let bundle = parts.with_files(place.input(0), place.input(1), start.clone(), None).make(&folder)?;
    let dev = DevSet::read(references, None)?;
    let mut options = MetricOptions::default();
    options.bleu.tokenizer = Tokenizer::None;
    options.nist.tokenizer = Tokenizer::None;
    let [metric, smoothed] = dev.metrics(&tuning.metric, options)?;
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let make = |weights: &Weights| bundle.tuning_system(weights, SearchSettings::default());
    let (mut decoder, begin) =
        Translating::new(source, &TreeFiles::default(), &bundle.weights()?, threads, make)?;
    if decoder.len() != dev.len() {
        let (lines, wanted) = (decoder.len(), dev.len());
        return Err(Error::Invalid(format!(
            "the development set has {lines} source lines, but {wanted} references"
        )));
    }
    let method = Method::by_name(&tuning.method)
        .ok_or_else(|| Error::Invalid(format!("tune.method = \"{}\": no such method", tuning.method)))?;
    let settings = Settings {
        method: method.with_seed(tuning.seed),
        nbest: tuning.nbest.max(1),
        rounds: tuning.rounds.max(1),
        seed: tuning.seed,
        ..Settings::default()
    };
    let state = State::open(place.partial, "of the plan").map_err(|e| Error::Invalid(e.to_string()))?;
    let bar = place.bar;
    let mut progress = |round: &Round| bar.say(&format!("tune: round {}, {:.2}", round.number, round.score));
    let tuned = tune(&mut decoder, &objective, &begin, &settings, Some(&state), &mut progress)
        .map_err(|e| Error::Invalid(chain(&e)))?;
    decoder.space().named(&tuned.weights).write(&place.out.join(WEIGHTS))?;
    place.note("dev", format!("{:.2}", tuned.score));
    place.note("rounds", tuned.round);
    std::fs::remove_dir_all(&folder).map_err(Error::writing(&folder))?;
    std::fs::remove_file(&start).map_err(Error::writing(&start))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// Translates a raw file: words, search, text. Of several bundles the first says what is done to text. Some sentences are
/// explained as well.
fn translate(place: &mut Workplace<'_>, folders: &[PathBuf], file: &Path, threads: usize) -> Result<()> {
    let bundles = folders.iter().map(Bundle::open).collect::<Result<Vec<_>>>()?;
    let systems =
        bundles.iter().map(|bundle| bundle.system(SearchSettings::default())).collect::<Result<Vec<_>>>()?;
    let surfaces = bundles[0].surfaces()?;
    let begin = Instant::now();
    let mut out = Output::create(place.out.join(OUTPUT))?;
    let start = |_| -> Result<_> {
        let mut workers = systems.iter().map(|s| Ok(s.worker()?)).collect::<Result<Vec<_>>>()?;
        let mut surface = surfaces.as_ref().map(|[source, target]| [source.worker(), target.worker()]);
        Ok(move |_: u64, line: &str, ()| {
            let mut words = String::new();
            match &mut surface {
                Some([source, _]) => source.words(line, &mut words),
                None => words.push_str(line),
            }
            let best = choose(&mut workers, &words);
            let mut text = String::new();
            match &mut surface {
                Some([_, target]) => target.text(&best, &mut text),
                None => text.push_str(&best),
            }
            text.push('\n');
            Ok(text)
        })
    };
    let workers = (0..threads.max(1)).map(start).collect::<Result<Vec<_>>>()?;
    translate_stream(&mut Lines::open(file)?, &mut out, workers, false, |_| Ok(()))?;
    out.finish()?;
    place.note("seconds", format!("{:.2}", begin.elapsed().as_secs_f64()));
    let mut worker = systems[0].worker()?;
    explain(&mut *worker, surfaces.as_ref(), file, &place.out.join(EXPLAINED))
}

/// The best translation of one system, or the one of several that agrees best with all.
fn choose(workers: &mut [Box<dyn Worker + '_>], words: &str) -> String {
    let many = workers.len() > 1;
    let wanted = if many { Wanted { count: MBR, distinct: true, explain: false } } else { Wanted::default() };
    let found: Vec<Translations> =
        workers.iter_mut().map(|worker| worker.translate(words, &wanted)).collect();
    let best = if many {
        mbr::choose_from(&found, &Gain::default()).map(|(_, best)| best)
    } else {
        found.first().and_then(|found| found.best.first())
    };
    best.map_or(String::new(), |best| best.text.clone())
}

/// Explains the translations of some sentences of middling length.
fn explain(worker: &mut dyn Worker, surfaces: Option<&[Surface; 2]>, file: &Path, to: &Path) -> Result<()> {
    let mut out = Output::create(to)?;
    let mut lines = Lines::open(file)?;
    let (mut number, mut taken) = (0u64, 0);
    let mut into = surfaces.map(|[source, _]| source.worker());
    while taken < SAMPLES {
        let Some(line) = lines.next_line()? else { break };
        let mut words = String::new();
        match &mut into {
            Some(source) => source.words(line, &mut words),
            None => words.push_str(line),
        }
        if SAMPLE_LENGTHS.contains(&words.split_ascii_whitespace().count()) {
            let found: Translations =
                worker.translate(&words, &Wanted { explain: true, ..Wanted::default() });
            if let Some(best) = found.best.first() {
                let object = serde_json::json!({ "line": number, "source": line, "text": best.text,
                    "score": best.score, "explanation": best.explanation });
                writeln!(out, "{object}").map_err(|e| out.error(e))?;
                taken += 1;
            }
        }
        number += 1;
    }
    Ok(out.finish()?)
}
