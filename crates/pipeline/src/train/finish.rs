//! The last stages of a system: its first weights, tuning them, translating test sets. Its bundle is made once, where it is
//! wanted, when all stages are done.

use super::combining::PlannedCombination;
use super::parses::{ParserAt, TreeInput, with_trees};
use super::reference_links::reads_links;
use super::rules::{Rules, input_needs, one_of, own_model, tree_sources};
use super::translating::{Translating, translate};
use super::tuning::{Development, tune_weights};
use super::{Direction, Planner};
use crate::bundle::{
    Bundle, Card, Components, LmFile, ModelOptions, ParserFile, TableFile, TextComponents, today,
};
use crate::error::{Error, Result};
use crate::plan::{Artifact, StageBuilder, StageId, Workplace};
use crate::recipe::{PairFiles, Recipe, System, TreeSource, chosen};
use crate::run::Outputs;
use crate::text_path::TextSettings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_decode::{LmRole, Weights};
use treeglot_models::{Applies, TableRole};
use treeglot_text::Side;
use treeglot_tree::{PerTree, TreeKind, TreeSlot};
use treeglot_tune::TuneSettings;

/// The file that holds weights in their stage's folder.
pub(super) const WEIGHTS: &str = "weights";
/// The file that holds translations as people read them.
pub const OUTPUT: &str = "output";
/// What translation notes of rules with variables: how many a translation has.
pub const VARIABLES_USED: &str = "variables-used";
/// What translation notes of phrasal rules: the share of translations that use them.
pub const PHRASAL_TRANSLATIONS: &str = "phrasal-translations";
/// Their share of the rules used.
pub const PHRASAL_RULES: &str = "phrasal-rules";
/// The file that holds explained translations of some sentences, a JSON object a line.
pub const EXPLAINED: &str = "explained";

/// A system as it was planned.
#[derive(Debug, Clone)]
pub struct PlannedSystem<'r> {
    /// What the recipe says of it.
    pub system: &'r System,
    /// The stage that makes its weights, the last of those that only it needs.
    pub weights: Artifact,
    /// All but its files.
    pub(super) components: Components,
    pub(super) rules: Rules,
    /// The parsers of the source language that its bundle gets.
    parsers: Vec<(TreeKind, ParserAt<'r>)>,
    /// The training pairs that cleaning kept.
    kept: Artifact,
    /// The settings of the recipe that concern it.
    settings: toml::Table,
}

/// A trained system: what its bundle is made of.
#[derive(Debug, Clone)]
pub struct TrainedSystem {
    /// Its files, in the folders of the stages that made them.
    pub components: Components,
    /// Its weights.
    pub weights: PathBuf,
    /// What people should know of it.
    pub card: Card,
}

impl TrainedSystem {
    /// Makes its bundle; one that is there already is replaced or left alone.
    pub fn bundle(&self, folder: &Path, replace: bool) -> Result<Bundle> {
        self.components.bundle(&Weights::read(&self.weights)?, Some(&self.card), folder, replace)
    }
}

impl PlannedSystem<'_> {
    /// All that the system is put together from.
    pub(super) fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        self.rules.artifacts().chain([&self.weights])
    }

    /// The stages that make what it is put together from.
    pub fn stages(&self) -> impl Iterator<Item = StageId> {
        let parsers = self.parsers.iter().filter_map(|(_, parser)| match parser {
            ParserAt::Made(artifact) => Some(artifact),
            ParserAt::File(_) | ParserAt::Command(_) => None,
        });
        self.artifacts().chain([&self.kept]).chain(parsers).map(|artifact| artifact.stage)
    }

    /// The system after all stages are done.
    pub fn trained(&self, outputs: &Outputs) -> TrainedSystem {
        let notes = |artifact: &Artifact| {
            outputs.summary(artifact.stage).map(|summary| summary.notes.clone()).unwrap_or_default()
        };
        let card = Card {
            made: today(),
            treeglot: env!("CARGO_PKG_VERSION").to_string(),
            training: notes(&self.kept),
            tuning: notes(&self.weights),
            test: BTreeMap::new(),
            settings: self.settings.clone(),
        };
        let path = |artifact: &Artifact| outputs.path(artifact);
        let mut components = with_files(&self.components, &self.rules, path);
        let parser = |(kind, parser): &(TreeKind, ParserAt<'_>)| {
            let path = match parser {
                ParserAt::Made(artifact) => outputs.path(artifact),
                ParserAt::File(file) => file.to_path_buf(),
                // Whoever opens a bundle must not run a program that it names.
                ParserAt::Command(_) => return None,
            };
            Some(ParserFile { kind: *kind, path })
        };
        components.parsers = self.parsers.iter().filter_map(parser).collect();
        TrainedSystem { components, weights: outputs.path(&self.weights), card }
    }
}

/// Components with the files that stages made.
pub(super) fn with_files(
    components: &Components,
    rules: &Rules,
    path: impl Fn(&Artifact) -> PathBuf,
) -> Components {
    let mut components = components.clone();
    let table = |(role, table): &(TableRole, Artifact)| TableFile {
        role: *role,
        path: path(table),
        reordering: None,
    };
    components.tables = rules.tables.iter().map(table).collect();
    let lm = |(role, lm): &(LmRole, Artifact)| LmFile { role: *role, path: path(lm) };
    components.lms = rules.lms.iter().map(lm).collect();
    components.joint = rules.joint.as_ref().map(&path);
    components.lexical = rules.lexical.as_ref().map(&path);
    components.operations = rules.operations.as_ref().map(&path);
    components.sparse = rules.sparse.as_ref().map(&path);
    components.affixes = rules.affixes.as_ref().map(&path);
    components.subwords = rules.subwords.each_ref().map(|model| model.as_ref().map(&path));
    for (text, truecaser) in components.text.iter_mut().flatten().zip(&rules.truecasers) {
        text.truecaser = truecaser.as_ref().map(&path);
    }
    components
}

impl<'r> Planner<'r> {
    /// A system, its weights tuned: in the first run with the seed of the recipe, in each run after it with the next.
    pub fn system(
        &mut self,
        system: &'r System,
        direction: Direction,
        run: usize,
    ) -> Result<PlannedSystem<'r>> {
        let rules = self.rules(system, direction)?;
        let components = self.components(system, direction)?;
        let mut tuning = system.tuning(self.recipe).clone();
        tuning.seed += run as u64;
        let start = self.start(system, direction, &rules, &components)?;
        let weights = match &self.recipe.data.dev {
            Some(dev) if tuning.method.tunes() => {
                self.tuned((system, &tuning), direction, (&rules, &components), start, dev)?
            }
            _ => start,
        };
        let kept = self.train_text()?.kept;
        let settings = self.card_settings(system, &tuning)?;
        let parsers = self.bundle_parsers(system, direction, &components)?;
        Ok(PlannedSystem { system, weights, components, rules, parsers, kept, settings })
    }

    /// The parsers that the bundle of a system gets: those it chose for the source language, or the only ones.
    fn bundle_parsers(
        &mut self,
        system: &System,
        direction: Direction,
        components: &Components,
    ) -> Result<Vec<(TreeKind, ParserAt<'r>)>> {
        let mut parsers = Vec::new();
        for kind in components.source_trees()? {
            let slot = TreeSlot { side: direction.from, kind };
            let all: Vec<_> = self.recipe.parse[slot].iter().collect();
            for source in chosen(&all, &system.parsers).unwrap_or_default() {
                if source.heads.is_some() {
                    let (name, key) = (&system.name, slot.key());
                    return Err(Error::Invalid(format!(
                        "system `{name}` translates trees of `{key}`: a parser with `heads` is for trees of the other side"
                    )));
                }
                parsers.push((kind, self.parser(source, slot)?));
            }
        }
        Ok(parsers)
    }

    /// The settings of the recipe that concern a system, for its card.
    fn card_settings(&self, system: &System, tuning: &TuneSettings) -> Result<toml::Table> {
        let Recipe { preprocess, align, lm, class_lm, joint, operations, sparse, .. } = self.recipe;
        let mut settings = toml::Table::new();
        let mut put = |name: &str, value: std::result::Result<toml::Value, toml::ser::Error>| {
            let value = value.map_err(|e| Error::Invalid(format!("{name}: {e}")))?;
            settings.insert(name.to_string(), value);
            Ok::<_, Error>(())
        };
        put("system", toml::Value::try_from(system))?;
        put("preprocess", toml::Value::try_from(preprocess))?;
        put("align", toml::Value::try_from(align))?;
        put("lm", toml::Value::try_from(lm))?;
        if system.class_lm {
            put("class-lm", toml::Value::try_from(class_lm))?;
        }
        if system.joint || system.lexical {
            put("joint", toml::Value::try_from(joint))?;
        }
        if system.operations {
            put("operations", toml::Value::try_from(operations))?;
        }
        if system.sparse {
            put("sparse", toml::Value::try_from(sparse))?;
        }
        put("tune", toml::Value::try_from(tuning))?;
        Ok(settings)
    }

    /// What is known of a system before its files are made.
    fn components(&self, system: &System, direction: Direction) -> Result<Components> {
        let text = [direction.from, direction.to()].map(|side| self.text_settings(side));
        let languages = text.each_ref().map(|settings| Some(settings.language.clone()));
        let raw = |settings: &TextSettings| settings.tokenize || settings.truecase || settings.lowercase;
        let raw = text.iter().any(raw);
        let text = raw.then(|| text.map(|settings| TextComponents { settings, truecaser: None }));
        let options = match own_model(system)?.applies() {
            Applies::Trees => options(system)?,
            Applies::Phrases | Applies::Spans => ModelOptions::new(),
        };
        let (model, search) = (system.model.clone(), system.search.clone());
        let (tables, lms, parsers) = (vec![], vec![], vec![]);
        let (joint, lexical, operations, sparse, affixes) = (None, None, None, None, None);
        let subwords = [None, None];
        Ok(Components {
            model,
            options,
            search,
            languages,
            text,
            tables,
            lms,
            joint,
            lexical,
            operations,
            sparse,
            affixes,
            subwords,
            parsers,
        })
    }

    /// The weights that a system starts with.
    fn start(
        &mut self,
        system: &'r System,
        direction: Direction,
        rules: &Rules,
        components: &Components,
    ) -> Result<Artifact> {
        let name = format!("weights {} {}", system.name, direction.name(self.recipe));
        let (rules, components) = (rules.clone(), components.clone());
        let stage = self.plan.stage(name, "weights", 2).settings(&system.model).settings(&components.options);
        let stage = stage.settings(&components.search);
        let stage = stage.reads(rules.artifacts()).run(move |place| {
            let components = with_files(&components, &rules, |artifact| place.path(artifact));
            Ok(components.first_weights()?.write(&place.out.join(WEIGHTS))?)
        });
        Ok(stage.makes(WEIGHTS))
    }

    /// The development set as words: the source, and all references.
    pub(super) fn dev_words(
        &mut self,
        dev: &'r PairFiles,
        direction: Direction,
    ) -> Result<(Artifact, Vec<Artifact>)> {
        let source = self.prepared("dev", dev.text(direction.from), direction.from)?;
        let references = dev.references(direction.to());
        let references = references.map(|file| self.prepared("dev", file, direction.to()));
        Ok((source, references.collect::<Result<_>>()?))
    }

    fn tuned(
        &mut self,
        (system, tuning): (&'r System, &TuneSettings),
        direction: Direction,
        (rules, components): (&Rules, &Components),
        start: Artifact,
        dev: &'r PairFiles,
    ) -> Result<Artifact> {
        let (source, references) = self.dev_words(dev, direction)?;
        let trees = self.input_trees(system, dev, ("dev", "data.dev"), direction)?;
        let (rules, components, threads) = (rules.clone(), components.clone(), self.resources.threads);
        let skip_bad = self.recipe.preprocess.skip_bad;
        let name = format!("tune {} {}", system.name, direction.name(self.recipe));
        let tuning = TuneSettings { runs: 1, ..tuning.clone() };
        let stage = self.plan.stage(name, "tune", 12).weight(30.0).settings(&tuning).settings(&system.model);
        let stage = stage.settings(&system.search).settings(&components.options).settings(&skip_bad);
        let stage = stage.reads(rules.artifacts()).reads([&start, &source]).reads(&references);
        let stage = with_trees(stage, &trees)?.run(move |place| {
            let components = with_files(&components, &rules, |artifact| place.path(artifact));
            let start = Weights::read(place.path(&start))?;
            let (source, references) = (place.path(&source), place.paths(&references));
            let trees = trees.map(|_, inputs| paths(place, &inputs));
            let dev = Development { source, trees, references, skip_bad };
            tune_weights(place, &components, &start, &dev, &tuning, threads)
        });
        Ok(stage.makes(WEIGHTS))
    }

    /// The translations of a test set by a system, or by several that choose together, by a combination or by minimum Bayes risk: the
    /// stage, which makes [`OUTPUT`] and [`EXPLAINED`], and the trees that the first system translates.
    pub fn translated(
        &mut self,
        (systems, combination): (&[PlannedSystem<'r>], Option<&PlannedCombination>),
        name: &str,
        test: &'r PairFiles,
        direction: Direction,
    ) -> Result<(StageId, PerTree<Vec<TreeInput<'r>>>)> {
        let links = reads_links(self.recipe)?;
        // Lists do not tell the links of their translations.
        if systems.len() > 1 && !links {
            return self.chosen(systems, combination, name, test, direction);
        }
        let file = test.text(direction.from);
        let what = (test.name.as_str(), "data.test");
        let trees = systems.iter().map(|planned| self.input_trees(planned.system, test, what, direction));
        let trees = trees.collect::<Result<Vec<_>>>()?;
        let first = trees.first().cloned().unwrap_or_default();
        let name = format!("translate {} {name} {}", test.name, direction.name(self.recipe));
        let (systems, threads) = (systems.to_vec(), self.resources.threads);
        let skip_bad = self.recipe.preprocess.skip_bad;
        let how = Translating { threads, skip_bad, links };
        let stage = self.plan.stage(name, "translate", 8).weight(6.0).settings(&(skip_bad, how.links));
        let mut stage = stage.reads_files([file.as_path()])?;
        for (planned, trees) in systems.iter().zip(&trees) {
            stage = settings_of(stage, planned);
            stage = with_trees(stage.reads(planned.artifacts()), trees)?;
        }
        if let Some(combination) = combination {
            stage = stage.reads(combination.artifacts());
        }
        let combination = combination.cloned();
        let stage = stage.run(move |place| {
            let mut components = Vec::new();
            for planned in &systems {
                let files = with_files(&planned.components, &planned.rules, |artifact| place.path(artifact));
                components.push((files, Weights::read(place.path(&planned.weights))?));
            }
            let inputs = |trees: PerTree<Vec<TreeInput<'_>>>| trees.map(|_, inputs| paths(place, &inputs));
            let trees: Vec<_> = trees.into_iter().map(inputs).collect();
            let combination = combination.map(|planned| {
                let weights = Weights::read(place.path(&planned.weights))?;
                planned.components(|artifact| place.path(artifact)).tuned(&weights)
            });
            let combination = combination.transpose()?.map(Arc::new);
            translate(place, (&components, combination), file, &trees, &how)
        });
        Ok((stage, first))
    }

    /// The trees of a development or test set that a system translates; the set has a name for people and one in the recipe.
    pub(super) fn input_trees(
        &mut self,
        system: &System,
        set: &'r PairFiles,
        (name, key): (&str, &str),
        direction: Direction,
    ) -> Result<PerTree<Vec<TreeInput<'r>>>> {
        let (model, needs) = (own_model(system)?, input_needs(system)?);
        needs.trees.try_map(|seen, needed| {
            if !needed || seen.side == Side::Target || model.applies() != Applies::Trees {
                return Ok(Vec::new());
            }
            let slot = TreeSlot { side: direction.from, kind: seen.kind };
            let all = tree_sources(self.recipe, system, &system.parsers, set, key, slot)?;
            if !needs.several_parses {
                one_of(system, slot, &all)?;
            }
            let input = |source| match source {
                TreeSource::File(file) => Ok(TreeInput::File(file)),
                TreeSource::Parser(parser) => {
                    self.parses_of(name, set.text(slot.side), parser, slot).map(TreeInput::Made)
                }
            };
            all.into_iter().map(input).collect()
        })
    }
}

/// Makes a stage depend on what a system is, but for its files.
pub(super) fn settings_of<'p, 'w>(
    stage: StageBuilder<'p, 'w>,
    planned: &PlannedSystem<'_>,
) -> StageBuilder<'p, 'w> {
    let Components { model, options, search, text, .. } = &planned.components;
    let text = text.as_ref().map(|text| text.each_ref().map(|side| &side.settings));
    stage.settings(&(model, options, search, text))
}

/// Where trees are.
pub(super) fn paths(place: &Workplace<'_>, inputs: &[TreeInput<'_>]) -> Vec<PathBuf> {
    inputs.iter().map(|input| input.path(|artifact| place.path(artifact))).collect()
}

/// The options of a system's model that its bundle keeps.
fn options(system: &System) -> Result<ModelOptions> {
    let sets = system.extract.sets();
    let table = sets.first().map(|set| set.options.clone()).unwrap_or_default();
    let bad = |e: serde_json::Error| Error::Invalid(format!("system `{}`: {e}", system.name));
    serde_json::to_value(table).and_then(serde_json::from_value).map_err(bad)
}
