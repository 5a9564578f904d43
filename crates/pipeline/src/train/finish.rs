//! The last stages of a system: tuning its weights, putting its bundle together, translating test sets with it.

use super::rules::{Rules, model_of, one_file, tree_files};
use super::translating::translate;
use super::tuning::{Development, first_weights, tune_weights, write_text};
use super::{LM, Planner, TABLE, TRUECASER, Way};
use crate::bundle::{Card, ModelOptions, Parts, Surfaces, today};
use crate::error::{Error, Result};
use crate::key::KeyBuilder;
use crate::plan::{StageId, Workplace};
use crate::recipe::{PairFiles, Recipe, System};
use crate::run::finished;
use crate::surface::SurfaceSettings;
use std::path::{Path, PathBuf};
use treeglot_models::pairs::TreeFiles;
use treeglot_models::{Applies, Model};
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
#[derive(Debug, Clone, Copy)]
pub struct PlannedSystem<'r> {
    /// What the recipe says of it.
    pub system: &'r System,
    /// Its bundle.
    pub bundle: StageId,
}

impl<'r> Planner<'r> {
    /// The bundle of a system, its weights tuned.
    pub fn bundle(&mut self, system: &'r System, way: Way) -> Result<StageId> {
        let rules = self.rules(system, way)?;
        let tuning = system.tune.as_ref().unwrap_or(&self.recipe.tune);
        let weights = match &self.recipe.data.dev {
            Some(dev) if tuning.method.tunes() => Some(self.tuned(system, way, &rules, tuning, dev)?),
            _ => None,
        };
        let (parts, model) = (self.parts(system, way)?, own_model(system)?);
        let mut key = KeyBuilder::new("bundle", 3).text(&system.model).settings(&system.search);
        key = key.settings(&[self.surface(0), self.surface(1)]).text(&way.from.to_string());
        key = key.settings(&parts.options);
        let mut after = rules.tables.clone();
        let tables = after.len();
        after.extend(&rules.lms);
        let lms = after.len();
        after.push(self.train_text()?.cleaned);
        after.extend(rules.truecasers.iter().flatten());
        after.extend(weights);
        for &stage in &after {
            key = key.key(self.plan.key(stage));
        }
        let (truecased, last) = (rules.truecasers[0].is_some(), after.len() - 1);
        let settings = self.card_settings(system, tuning)?;
        let name = format!("bundle {} {}", system.name, way.name(self.recipe));
        Ok(self.plan.add(name, key.finish(), &after, move |place| {
            let start = place.out.join(WEIGHTS);
            let mut parts = parts.with_tables(place, tables, lms);
            parts.weights = match weights {
                Some(_) => place.input(last).join(WEIGHTS),
                None => write_text(&start, &first_weights(&*model, &parts.tables)?)?,
            };
            if let (Some(surface), true) = (&mut parts.surface, truecased) {
                let of = |k: usize| Some(place.input(k).join(TRUECASER).to_string_lossy().into_owned());
                (surface.source_truecaser, surface.target_truecaser) = (of(lms + 1), of(lms + 2));
            }
            let notes = |k: usize| finished(place.input(k)).map_or_else(Default::default, |done| done.notes);
            parts.card = Some(Card {
                made: today(),
                treeglot: env!("CARGO_PKG_VERSION").to_string(),
                training: notes(lms),
                tuning: weights.map(|_| notes(last)).unwrap_or_default(),
                settings,
            });
            parts.make(&place.out.join(BUNDLE))?;
            if start.exists() {
                std::fs::remove_file(&start).map_err(Error::writing(&start))?;
            }
            Ok(())
        }))
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
    fn parts(&self, system: &System, way: Way) -> Result<Parts> {
        let (source, target) = (self.surface(way.from), self.surface(way.to()));
        let languages = [source.language.clone(), target.language.clone()].map(Some);
        let raw = |settings: &SurfaceSettings| settings.tokenize || settings.truecase || settings.lowercase;
        let needed = raw(&source) || raw(&target);
        let surface = Surfaces { source, target, source_truecaser: None, target_truecaser: None };
        let surface = needed.then_some(surface);
        let options = match own_model(system)?.applies() {
            Applies::Trees => options(system)?,
            Applies::Phrases | Applies::Spans => ModelOptions::new(),
        };
        let (model, search) = (system.model.clone(), system.search);
        let (tables, lms, weights) = (vec![], vec![], PathBuf::new());
        Ok(Parts {
            model,
            tables,
            lms,
            weights,
            languages,
            surface,
            search,
            options,
            card: None,
            share: true,
        })
    }

    fn tuned(
        &mut self,
        system: &'r System,
        way: Way,
        rules: &Rules,
        tuning: &'r TuneSettings,
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
        let mut after = rules.tables.clone();
        let tables = after.len();
        after.extend(&rules.lms);
        let lms = after.len();
        after.push(source);
        after.extend(references.iter().map(|(stage, _)| *stage));
        let parts = Parts { surface: None, ..self.parts(system, way)? };
        let mut key =
            KeyBuilder::new("tune", 9).settings(tuning).text(&system.model).settings(&system.search);
        key = key.settings(&parts.options);
        for &stage in &after {
            key = key.key(self.plan.key(stage));
        }
        let trees = input_trees(system, dev, "data.dev", way)?;
        key = self.with_trees(key, &trees)?;
        let (files, model): (Vec<String>, _) =
            (references.into_iter().map(|(_, file)| file).collect(), own_model(system)?);
        let threads = self.means.threads;
        let name = format!("tune {} {}", system.name, way.name(self.recipe));
        Ok(self.plan.add(name, key.finish(), &after, move |place| {
            let references: Vec<PathBuf> =
                files.iter().enumerate().map(|(k, file)| place.input(lms + 1 + k).join(file)).collect();
            let dev = Development { source: place.input(lms).join(&source_file), trees, references };
            let parts = parts.with_tables(place, tables, lms);
            tune_weights(place, parts, &*model, &dev, tuning, threads)
        }))
    }

    /// A key with the trees that a stage reads.
    fn with_trees(&self, mut key: KeyBuilder, trees: &TreeFiles) -> Result<KeyBuilder> {
        let files = trees.deps.iter().map(|file| ("dep", file));
        for (kind, file) in files.chain(trees.cons.iter().map(|file| ("con", file))) {
            key = key.text(kind).key(self.file_key(file)?);
        }
        Ok(key)
    }

    /// The translations of a test set by a system, or by several that choose together.
    pub fn translated(
        &mut self,
        systems: &[PlannedSystem<'r>],
        name: &str,
        test: &'r PairFiles,
        way: Way,
    ) -> Result<StageId> {
        let file = [&test.source, &test.target][way.from];
        let mut key = KeyBuilder::new("translate", 4).key(self.file_key(file)?);
        let (mut bundles, mut trees) = (Vec::new(), Vec::new());
        for planned in systems {
            let files = input_trees(planned.system, test, "data.test", way)?;
            key = self.with_trees(key.key(self.plan.key(planned.bundle)), &files)?;
            trees.push(files);
            bundles.push(planned.bundle);
        }
        let name = format!("translate {} {name} {}", test.name, way.name(self.recipe));
        let threads = self.means.threads;
        Ok(self.plan.add(name, key.finish(), &bundles, move |place| {
            let folders = (0..trees.len()).map(|k| place.input(k).join(BUNDLE)).collect::<Vec<_>>();
            translate(place, &folders, file, &trees, threads)
        }))
    }
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
fn input_trees(system: &System, set: &PairFiles, what: &str, way: Way) -> Result<TreeFiles> {
    let model = own_model(system)?;
    let mut files = TreeFiles::default();
    if model.applies() == Applies::Trees {
        let needs = model.needs();
        let chosen = |kind| -> Result<Vec<PathBuf>> {
            let all = tree_files(system, &system.parsers, set, what, way.from, kind)?;
            if !needs.several_parses {
                one_file(system, set, way.from, kind, &all)?;
            }
            Ok(all.into_iter().map(Path::to_path_buf).collect())
        };
        if needs.source.dep {
            files.deps = chosen(0)?;
        }
        if needs.source.con {
            files.cons = chosen(1)?;
        }
    }
    Ok(files)
}

impl Parts {
    /// The parts with the tables that the first stages made, and the language models of those up to `lms`.
    fn with_tables(&self, place: &Workplace<'_>, tables: usize, lms: usize) -> Self {
        let mut parts = self.clone();
        parts.tables = (0..tables).map(|k| place.input(k).join(TABLE)).collect();
        parts.lms = (tables..lms).map(|k| place.input(k).join(LM)).collect();
        parts
    }
}
