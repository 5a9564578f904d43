//! Combinations of systems: the models that score the translations of all, and the weights that choose among them, tuned on the
//! development set.

use super::finish::{EXPLAINED, OUTPUT, PlannedSystem, WEIGHTS, paths, settings_of, with_files};
use super::parses::{TreeInput, with_trees};
use super::rules::note_trees;
use super::translating::{explain, source};
use super::tuning::{on_words, rounds, write_weights};
use super::{Direction, LINKS, Planner};
use crate::bundle::CombinationComponents;
use crate::error::{Error, Result};
use crate::plan::{Artifact, StageId};
use crate::recipe::{PairFiles, SubwordSettings, System};
use crate::run::Outputs;
use crate::translator::lists::{check_lines, choices, read_lines, read_lists, write_lists};
use crate::translator::{CombinationDecoder, Guides, List, Listed, Translator, TranslatorSettings};
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use treeglot_decode::Weights;
use treeglot_decode::combination::Combination;
use treeglot_decode::mbr::{self, Gain};
use treeglot_joint::Predicts;
use treeglot_text::Output;
use treeglot_tree::PerTree;
use treeglot_tune::TuneSettings;

/// The file that holds the lists of a system in their stage's folder.
const LISTS: &str = "lists.zst";

/// A combination as it was planned.
#[derive(Debug, Clone)]
pub struct PlannedCombination {
    /// The stage that makes its weights.
    pub weights: Artifact,
    systems: Vec<String>,
    lms: Vec<Artifact>,
    lex: Artifact,
    joint: [Option<Artifact>; 2],
}

/// A combination that was tuned: what its folder is made of.
#[derive(Debug, Clone)]
pub struct CombinationFiles {
    /// Its files, in the folders of the stages that made them.
    pub components: CombinationComponents,
    /// Its weights.
    pub weights: PathBuf,
}

impl PlannedCombination {
    /// All that it is put together from, but its weights.
    fn models(&self) -> impl Iterator<Item = &Artifact> {
        self.lms.iter().chain([&self.lex]).chain(self.joint.iter().flatten())
    }

    /// All that it is put together from.
    pub(super) fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        self.models().chain([&self.weights])
    }

    /// The stages that make what it is put together from.
    pub fn stages(&self) -> impl Iterator<Item = StageId> {
        self.artifacts().map(|artifact| artifact.stage)
    }

    /// Which models it has.
    fn shape(&self) -> impl serde::Serialize {
        (&self.systems, self.lms.len(), self.joint.each_ref().map(Option::is_some))
    }

    pub(super) fn components(&self, path: impl Fn(&Artifact) -> PathBuf) -> CombinationComponents {
        CombinationComponents {
            systems: self.systems.clone(),
            lms: self.lms.iter().map(&path).collect(),
            lex: Some(path(&self.lex)),
            joint: self.joint.each_ref().map(|model| model.as_ref().map(&path)),
        }
    }

    /// The combination after all stages are done.
    pub fn tuned(&self, outputs: &Outputs) -> CombinationFiles {
        let path = |artifact: &Artifact| outputs.path(artifact);
        CombinationFiles { components: self.components(path), weights: path(&self.weights) }
    }
}

impl<'r> Planner<'r> {
    /// A combination of systems, its weights tuned; `None` where there is nothing to tune on: then systems choose by minimum Bayes
    /// risk. In the first run with the seed of the recipe, in each run after it with the next.
    pub fn combination(
        &mut self,
        combination: &'r System,
        systems: &[PlannedSystem<'r>],
        direction: Direction,
        run: usize,
    ) -> Result<Option<PlannedCombination>> {
        let mut tuning = combination.tuning(self.recipe).clone();
        tuning.seed += run as u64;
        let Some(dev) = self.recipe.data.dev.as_ref().filter(|_| tuning.method.tunes()) else {
            return Ok(None);
        };
        // Translations of systems of pieces are put together before they are compared.
        let words = System { subwords: Some(SubwordSettings::default()), ..combination.clone() };
        let mut lms = vec![self.lm(&words, direction)?];
        if combination.class_lm {
            lms.push(self.class_lm(&words, direction)?);
        }
        let lex = self.lexicon(&words, direction)?;
        let mut joint = [None, None];
        if combination.joint {
            for (model, direction) in joint.iter_mut().zip([direction, direction.reversed()]) {
                *model = Some(self.neural(&words, direction, Predicts::Words)?);
            }
        }
        let models = systems.iter().map(|planned| planned.system.model.clone()).collect();
        let weights = Artifact::clone(&lex);
        let mut planned = PlannedCombination { weights, systems: models, lms, lex, joint };
        planned.weights =
            self.tuned_combination((combination, &planned), systems, direction, &tuning, dev)?;
        Ok(Some(planned))
    }

    fn tuned_combination(
        &mut self,
        (combination, planned): (&'r System, &PlannedCombination),
        systems: &[PlannedSystem<'r>],
        direction: Direction,
        tuning: &TuneSettings,
        dev: &'r PairFiles,
    ) -> Result<Artifact> {
        let (source, references) = self.dev_words(dev, direction)?;
        let words = Some(source.clone());
        let lists = systems.iter().map(|own| self.lists(own, (dev, "dev", "data.dev"), &words, direction));
        let lists = lists.collect::<Result<Vec<_>>>()?;
        let tuning = TuneSettings { runs: 1, ..tuning.clone() };
        let name = format!("tune {} {}", combination.name, direction.name(self.recipe));
        let stage = self.plan.stage(name, "tune-combination", 1).weight(10.0).settings(&tuning);
        let stage = stage.settings(&planned.shape()).reads(planned.models()).reads(&lists);
        let stage = stage.reads([&source]).reads(&references);
        let (planned, threads) = (planned.clone(), self.resources.threads);
        let stage = stage.run(move |place| {
            let combination = planned.components(|artifact| place.path(artifact)).combination(None)?;
            let lines = read_lines(&place.path(&source))?;
            let lists =
                place.paths(&lists).iter().map(|lists| read_lists(lists)).collect::<Result<Vec<_>>>()?;
            let mut decoder = on_threads(threads, || CombinationDecoder::new(&combination, &lines, &lists))??;
            drop(lists);
            let begin = decoder.start();
            on_words(&place.paths(&references), lines.len(), &tuning.metric, |objective| {
                let tuned = rounds(place.bar, &mut decoder, objective, &begin, &tuning, None)?;
                write_weights(place, &mut decoder, &tuned)
            })
        });
        Ok(stage.makes(WEIGHTS))
    }

    /// The lists of a system for a development or test set, which has a name for people and one in the recipe: of its words where
    /// these are given, else of its text.
    fn lists(
        &mut self,
        planned: &PlannedSystem<'r>,
        (set, name, key): (&'r PairFiles, &str, &str),
        words: &Option<Artifact>,
        direction: Direction,
    ) -> Result<Artifact> {
        let trees = self.input_trees(planned.system, set, (name, key), direction)?;
        let file = set.text(direction.from);
        let skip_bad = self.recipe.preprocess.skip_bad;
        let name = format!("lists {name} {} {}", planned.system.name, direction.name(self.recipe));
        let stage = self.plan.stage(name, "lists", 1).weight(6.0).settings(&(skip_bad, words.is_some()));
        let stage = match words {
            Some(words) => stage.reads([words]),
            None => stage.reads_files([file.as_path()])?,
        };
        let stage = with_trees(settings_of(stage, planned).reads(planned.artifacts()), &trees)?;
        let (planned, words, threads) = (planned.clone(), words.clone(), self.resources.threads);
        let stage = stage.run(move |place| {
            let artifact = |artifact: &Artifact| place.path(artifact);
            let components = with_files(&planned.components, &planned.rules, artifact);
            let weights = Weights::read(artifact(&planned.weights))?;
            let guides = Guides { translate_all: words.is_some(), ..Guides::default() };
            let tokenized = words.is_some();
            let settings = TranslatorSettings { threads, tokenized, guides, ..TranslatorSettings::default() };
            let translator = Translator::new(&[(components, weights)], &settings)?;
            let begin = Instant::now();
            let file = words.as_ref().map_or(file.to_path_buf(), artifact);
            let source = source(&file, &[trees.map(|_, inputs| paths(place, &inputs))], skip_bad)?;
            let passed = write_lists(&translator, source, &place.out.join(LISTS))?;
            note_trees(place, passed.trees);
            place.note("seconds", format!("{:.2}", begin.elapsed().as_secs_f64()));
            Ok(())
        });
        Ok(stage.makes(LISTS))
    }

    /// The translations of a test set that are chosen of the lists of systems, by a combination or by minimum Bayes risk: the stage, which makes [`OUTPUT`], [`LINKS`]
    /// without links and [`EXPLAINED`] by the first system, and the trees that it translates.
    pub fn chosen(
        &mut self,
        systems: &[PlannedSystem<'r>],
        combination: Option<&PlannedCombination>,
        name: &str,
        test: &'r PairFiles,
        direction: Direction,
    ) -> Result<(StageId, PerTree<Vec<TreeInput<'r>>>)> {
        let (file, what) = (test.text(direction.from), (test.name.as_str(), "data.test"));
        let words = self.prepared(&test.name, file, direction.from)?;
        let lists = systems.iter().map(|own| self.lists(own, (test, what.0, what.1), &None, direction));
        let lists = lists.collect::<Result<Vec<_>>>()?;
        let first = systems.first().ok_or_else(|| Error::Invalid("a combination of no systems".into()))?;
        let trees = self.input_trees(first.system, test, what, direction)?;
        let name = format!("choose {} {name} {}", test.name, direction.name(self.recipe));
        let skip_bad = self.recipe.preprocess.skip_bad;
        let shape = combination.map(PlannedCombination::shape);
        let stage = self.plan.stage(name, "choose", 1).settings(&(skip_bad, shape));
        let stage = stage.reads(combination.into_iter().flat_map(PlannedCombination::artifacts));
        let stage = stage.reads(&lists).reads([&words]);
        let stage = stage.reads_files([file.as_path()])?;
        let stage = with_trees(settings_of(stage, first).reads(first.artifacts()), &trees)?;
        let (first, combination, given) = (first.clone(), combination.cloned(), trees.clone());
        let threads = self.resources.threads;
        let stage = stage.run(move |place| {
            let artifact = |artifact: &Artifact| place.path(artifact);
            let opened = |planned: PlannedCombination| {
                let weights = Weights::read(artifact(&planned.weights))?;
                planned.components(artifact).combination(Some(&weights))
            };
            let combination = combination.map(opened).transpose()?;
            let lines = read_lines(&artifact(&words))?;
            let lists =
                place.paths(&lists).iter().map(|lists| read_lists(lists)).collect::<Result<Vec<_>>>()?;
            let chosen = on_threads(threads, || choose(combination.as_ref(), &lines, &lists))??;
            write_lines(&place.out.join(OUTPUT), chosen.iter().copied())?;
            write_lines(&place.out.join(LINKS), chosen.iter().map(|_| ""))?;
            let components = with_files(&first.components, &first.rules, artifact);
            let system = [(components, Weights::read(artifact(&first.weights))?)];
            let settings = TranslatorSettings { threads, ..TranslatorSettings::default() };
            let source = source(file, &[trees.map(|_, inputs| paths(place, &inputs))], skip_bad)?;
            explain(&Translator::new(&system, &settings)?, source, &place.out.join(EXPLAINED))
        });
        Ok((stage, given))
    }
}

/// The best translation of each line in the lists of all systems; none is empty.
fn choose<'l>(
    combination: Option<&Combination>,
    lines: &[String],
    lists: &'l [Vec<List>],
) -> Result<Vec<&'l str>> {
    check_lines(lists, lines.len())?;
    let of_line = |(number, line): (usize, &String)| {
        let choices = choices(lists, number);
        let chosen = match combination {
            Some(combination) => combination.choose(line, &choices),
            None => mbr::choose(&choices, &Gain::default()),
        };
        let mut all = lists.iter().flat_map(|lists| &lists[number]);
        chosen.and_then(|chosen| all.nth(chosen)).map_or("", Listed::text)
    };
    Ok(lines.par_iter().enumerate().map(of_line).collect())
}

/// Does something with so many threads, 0 for one a core.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|e| Error::Invalid(format!("threads cannot be started: {e}")))?.install(work))
}

fn write_lines<'l>(to: &Path, lines: impl Iterator<Item = &'l str>) -> Result<()> {
    let mut out = Output::create(to)?;
    for line in lines {
        writeln!(out, "{line}").map_err(|e| out.error(e))?;
    }
    Ok(out.finish()?)
}
