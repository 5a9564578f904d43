//! The last stages of a system: tuning its weights, putting its bundle together, translating test sets with it.

use super::rules::{Rules, model_of, one_of, tree_files};
use super::translating::translate;
use super::tuning::{Development, first_weights, tune_weights};
use super::{Direction, Planner, surface_settings};
use crate::bundle::{Card, ModelOptions, Parts, Surfaces, today};
use crate::error::{Error, Result};
use crate::plan::{Artifact, StageBuilder, StageId, Workplace};
use crate::recipe::{PairFiles, Recipe, System};
use crate::surface::SurfaceSettings;
use std::path::{Path, PathBuf};
use treeglot_models::{Applies, Model};
use treeglot_text::Side;
use treeglot_tree::{PerTree, TreeSlot};
use treeglot_tune::TuneSettings;

/// The file that holds weights in their stage's folder.
pub(super) const WEIGHTS: &str = "weights";
/// The folder of a bundle in its stage's folder.
pub const BUNDLE: &str = "bundle";
/// The file that holds translations as people read them.
pub const OUTPUT: &str = "output";
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
    /// Its bundle.
    pub bundle: Artifact,
}

impl<'r> Planner<'r> {
    /// The bundle of a system, its weights tuned.
    pub fn bundle(&mut self, system: &'r System, direction: Direction) -> Result<Artifact> {
        let rules = self.rules(system, direction)?;
        let tuning = system.tune.as_ref().unwrap_or(&self.recipe.tune);
        let tuned = match &self.recipe.data.dev {
            Some(dev) if tuning.method.tunes() => Some(self.tuned(system, direction, &rules, tuning, dev)?),
            _ => None,
        };
        let (parts, model) = (self.parts(system, direction)?, own_model(system)?);
        let train = self.train_text()?.kept;
        let settings = self.card_settings(system, tuning)?;
        let name = format!("bundle {} {}", system.name, direction.name(self.recipe));
        let stage = self.plan.stage(name, "bundle", 4).settings(&system.model).settings(&system.search);
        let stage = stage.settings(&Side::BOTH.map(|side| surface_settings(self.recipe, side)));
        let stage = stage.settings(&direction).settings(&parts.options);
        let stage = stage.reads(&rules.tables).reads(&rules.lms).reads(rules.truecasers.iter().flatten());
        let stage = stage.reads([&train]).reads(&tuned).run(move |place| {
            let start = place.out.join(WEIGHTS);
            let mut parts = parts.with_rules(place, &rules);
            parts.weights = match &tuned {
                Some(weights) => place.path(weights),
                None => first_weights(&*model, &parts, &start)?,
            };
            if let Some(surface) = &mut parts.surface {
                let path = |file: &Artifact| place.path(file).to_string_lossy().into_owned();
                let [source, target] = &rules.truecasers;
                surface.source_truecaser = source.as_ref().map(path);
                surface.target_truecaser = target.as_ref().map(path);
            }
            parts.card = Some(Card {
                made: today(),
                treeglot: env!("CARGO_PKG_VERSION").to_string(),
                training: place.notes_on(&train),
                tuning: tuned.as_ref().map(|weights| place.notes_on(weights)).unwrap_or_default(),
                settings,
            });
            parts.make(&place.out.join(BUNDLE))?;
            if start.exists() {
                std::fs::remove_file(&start).map_err(Error::writing(&start))?;
            }
            Ok(())
        });
        Ok(stage.makes(BUNDLE))
    }

    /// The settings of the recipe that concern a system, for its card.
    fn card_settings(&self, system: &System, tuning: &TuneSettings) -> Result<toml::Table> {
        let Recipe { preprocess, align, lm, .. } = self.recipe;
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
        put("tune", toml::Value::try_from(tuning))?;
        Ok(settings)
    }

    /// What a bundle says of itself, before its files are known.
    fn parts(&self, system: &System, direction: Direction) -> Result<Parts> {
        let (source, target) = (self.surface(direction.from), self.surface(direction.to()));
        let languages = [source.language.clone(), target.language.clone()].map(Some);
        let raw = |settings: &SurfaceSettings| settings.tokenize || settings.truecase || settings.lowercase;
        let needed = raw(&source) || raw(&target);
        let surface = Surfaces { source, target, source_truecaser: None, target_truecaser: None };
        let surface = needed.then_some(surface);
        let options = match own_model(system)?.applies() {
            Applies::Trees => options(system)?,
            Applies::Phrases | Applies::Spans => ModelOptions::new(),
        };
        let (model, search) = (system.model.clone(), system.search.clone());
        let (tables, lms, weights) = (vec![], vec![], PathBuf::new());
        Ok(Parts { model, tables, lms, weights, languages, surface, search, options, card: None })
    }

    fn tuned(
        &mut self,
        system: &'r System,
        direction: Direction,
        rules: &Rules,
        tuning: &'r TuneSettings,
        dev: &'r PairFiles,
    ) -> Result<Artifact> {
        let source = self.prepared("dev", dev.text(direction.from), direction.from)?;
        let references = dev.references(direction.to());
        let references =
            references.map(|file| self.prepared("dev", file, direction.to())).collect::<Result<Vec<_>>>()?;
        let parts = Parts { surface: None, ..self.parts(system, direction)? };
        let trees = input_trees(system, dev, "data.dev", direction)?;
        let (model, threads, rules) = (own_model(system)?, self.resources.threads, rules.clone());
        let name = format!("tune {} {}", system.name, direction.name(self.recipe));
        let stage = self.plan.stage(name, "tune", 10).settings(tuning).settings(&system.model);
        let stage = stage.settings(&system.search).settings(&parts.options);
        let stage = stage.reads(&rules.tables).reads(&rules.lms).reads([&source]).reads(&references);
        let stage = with_trees(stage, &trees)?.run(move |place| {
            let (source, references) = (place.path(&source), place.paths(&references));
            let dev = Development { source, trees, references };
            let parts = parts.with_rules(place, &rules);
            tune_weights(place, parts, &*model, &dev, tuning, threads)
        });
        Ok(stage.makes(WEIGHTS))
    }

    /// The translations of a test set by a system, or by several that choose together. The stage makes [`OUTPUT`] and
    /// [`EXPLAINED`].
    pub fn translated(
        &mut self,
        systems: &[PlannedSystem<'r>],
        name: &str,
        test: &'r PairFiles,
        direction: Direction,
    ) -> Result<StageId> {
        let file = test.text(direction.from);
        let of_system =
            |planned: &PlannedSystem<'r>| input_trees(planned.system, test, "data.test", direction);
        let trees = systems.iter().map(of_system).collect::<Result<Vec<_>>>()?;
        let bundles: Vec<Artifact> = systems.iter().map(|planned| planned.bundle.clone()).collect();
        let name = format!("translate {} {name} {}", test.name, direction.name(self.recipe));
        let threads = self.resources.threads;
        let mut stage = self.plan.stage(name, "translate", 5).reads_files([file.as_path()])?.reads(&bundles);
        for trees in &trees {
            stage = with_trees(stage, trees)?;
        }
        Ok(stage.run(move |place| translate(place, &place.paths(&bundles), file, &trees, threads)))
    }
}

/// A stage that reads files of trees.
fn with_trees<'p, 'w>(
    stage: StageBuilder<'p, 'w>,
    trees: &PerTree<Vec<PathBuf>>,
) -> Result<StageBuilder<'p, 'w>> {
    stage.reads_files(trees.iter().flat_map(|(_, files)| files).map(PathBuf::as_path))
}

/// The options of a system's model that its bundle keeps.
fn options(system: &System) -> Result<ModelOptions> {
    let sets = system.extract.sets();
    let table = sets.first().map(|set| set.options.clone()).unwrap_or_default();
    let bad = |e: serde_json::Error| Error::Invalid(format!("system `{}`: {e}", system.name));
    serde_json::to_value(table).and_then(serde_json::from_value).map_err(bad)
}

/// The model of a system.
fn own_model(system: &System) -> Result<Box<dyn Model>> {
    model_of(system, &system.model, &system.extract.sets().first().cloned().unwrap_or_default())
}

/// The trees of a development or test set that a system translates.
fn input_trees(
    system: &System,
    set: &PairFiles,
    what: &str,
    direction: Direction,
) -> Result<PerTree<Vec<PathBuf>>> {
    let model = own_model(system)?;
    let needs = model.needs();
    needs.trees.try_map(|seen, needed| {
        if !needed || seen.side == Side::Target || model.applies() != Applies::Trees {
            return Ok(Vec::new());
        }
        let slot = TreeSlot { side: direction.from, kind: seen.kind };
        let all = tree_files(system, &system.parsers, set, what, slot)?;
        if !needs.several_parses {
            one_of(system, slot, &all)?;
        }
        Ok(all.into_iter().map(Path::to_path_buf).collect())
    })
}

impl Parts {
    /// The parts with the tables and language models that stages made.
    fn with_rules(&self, place: &Workplace<'_>, rules: &Rules) -> Self {
        Self { tables: place.paths(&rules.tables), lms: place.paths(&rules.lms), ..self.clone() }
    }
}
