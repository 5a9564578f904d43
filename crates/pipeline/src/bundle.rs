//! Bundles: a trained system as a folder. `bundle.toml` names the files beside it (tables, language models, weights) and
//! the settings of the search; tables and models are mapped, so that opening takes milliseconds whatever their size.

use crate::error::{Error, Result};
use crate::surface::{Surface, SurfaceSettings};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use treeglot_decode::chart::{Algorithm, ChartSettings, ChartSystem};
use treeglot_decode::stack::{self, PhraseSystem, Settings};
use treeglot_decode::{Limits, Translator, Weights};
use treeglot_grammar::table::{Import, import};
use treeglot_grammar::{Scratch, Table};
use treeglot_lm::Lm;
use treeglot_models::chart::MadeElsewhere;
use treeglot_models::registry;
use treeglot_text::Input;
use treeglot_text::truecase::Truecaser;

/// The name of the manifest in a bundle's folder.
pub const MANIFEST: &str = "bundle.toml";

/// The version of the manifest that this treeglot writes and reads.
pub const VERSION: u32 = 1;

/// About how many bytes importing a text table may use for sorting.
const IMPORT_MEMORY: u64 = 1 << 30;

/// Options of a model, by name.
pub type ModelOptions = serde_json::Map<String, serde_json::Value>;

/// What a bundle consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Manifest {
    /// The version of the manifest.
    pub version: u32,
    /// The translation model, by name.
    pub model: String,
    /// The language translated from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The language translated to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How raw text becomes words and words become text; missing where input and output are words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Surfaces>,
    /// The tables, by file name.
    pub tables: Vec<String>,
    /// The language models, by file name.
    pub lms: Vec<String>,
    /// The weights, by file name.
    pub weights: String,
    /// The settings of the search.
    #[serde(default)]
    pub search: SearchSettings,
    /// The options of the model that matter to translation, as a recipe has them.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: ModelOptions,
}

/// The way from raw text to words in the source language, and from words to text in the target language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Surfaces {
    /// What is done to input.
    pub source: SurfaceSettings,
    /// What was done to the target text, and is undone in output.
    pub target: SurfaceSettings,
    /// The truecasing model of the source language, by file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_truecaser: Option<String>,
    /// That of the target language, for references that are given raw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_truecaser: Option<String>,
}

impl Surfaces {
    /// The truecasing models, that of the source first.
    fn truecasers(&self) -> impl Iterator<Item = &str> {
        [&self.source_truecaser, &self.target_truecaser].into_iter().flatten().map(String::as_str)
    }

    /// The same with truecasing models by their names in a bundle.
    fn with_files_beside(self) -> Self {
        Self {
            source_truecaser: self.source_truecaser.map(|_| "truecaser.source".to_string()),
            target_truecaser: self.target_truecaser.map(|_| "truecaser.target".to_string()),
            ..self
        }
    }
}

impl Manifest {
    fn truecasers(&self) -> impl Iterator<Item = &str> {
        self.surface.iter().flat_map(Surfaces::truecasers)
    }
}

/// How far a bundle's search goes; what is not given has the default of its model.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SearchSettings {
    /// Combinations taken for each node or stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pop_limit: Option<usize>,
    /// Hypotheses kept for each node or stack; 0 for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beam: Option<usize>,
    /// How much worse than the best a hypothesis may score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// Rules used for each source side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_limit: Option<usize>,
    /// How much worse than the best of its source side a rule may score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_threshold: Option<f32>,
    /// The most words a rule may span; 0 for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_span: Option<usize>,
    /// The most words a phrase may jump; -1 for any distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distortion_limit: Option<i32>,
    /// How forests are searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<Algorithm>,
}

impl SearchSettings {
    /// These settings, those that `other` gives replaced by its own.
    pub fn or_from(self, other: Self) -> Self {
        Self {
            pop_limit: other.pop_limit.or(self.pop_limit),
            beam: other.beam.or(self.beam),
            threshold: other.threshold.or(self.threshold),
            table_limit: other.table_limit.or(self.table_limit),
            rule_threshold: other.rule_threshold.or(self.rule_threshold),
            max_span: other.max_span.or(self.max_span),
            distortion_limit: other.distortion_limit.or(self.distortion_limit),
            algorithm: other.algorithm.or(self.algorithm),
        }
    }

    /// For a search over forests.
    pub fn chart(&self) -> ChartSettings {
        self.over(ChartSettings::default())
    }

    /// For a search over forests of models that translate trees.
    pub fn trees(&self) -> ChartSettings {
        self.over(ChartSettings::for_trees())
    }

    /// A search over forests with these settings where they are given.
    fn over(&self, default: ChartSettings) -> ChartSettings {
        ChartSettings {
            limits: Limits {
                pops: self.pop_limit.unwrap_or(default.limits.pops),
                beam: self.beam.unwrap_or(default.limits.beam),
                threshold: self.threshold.unwrap_or(default.limits.threshold),
            },
            max_span: self.max_span.unwrap_or(default.max_span),
            table_limit: self.table_limit.unwrap_or(default.table_limit),
            rule_threshold: self.rule_threshold.unwrap_or(default.rule_threshold),
            algorithm: self.algorithm.unwrap_or_default(),
            budget: default.budget,
        }
    }
}

impl SearchSettings {
    /// For stack search.
    pub fn phrase(&self) -> Settings {
        let default = Settings::default();
        let unlimited = |limit: i32| u32::try_from(limit).ok();
        Settings {
            limits: stack::Limits {
                distortion: self.distortion_limit.map_or(default.limits.distortion, unlimited),
                pops: self.pop_limit.or(default.limits.pops),
                stack: self.beam.unwrap_or(default.limits.stack),
                beam: self.threshold.map_or(default.limits.beam, |threshold| -threshold.abs()),
            },
            table_limit: self.table_limit.unwrap_or(default.table_limit),
            longest_phrase: match self.max_span {
                None => default.longest_phrase,
                Some(0) => usize::MAX,
                Some(words) => words,
            },
            ..default
        }
    }
}

/// An opened bundle: its manifest, checked, and where it is.
#[derive(Debug, Clone)]
pub struct Bundle {
    folder: PathBuf,
    manifest: Manifest,
}

impl Bundle {
    /// Reads the manifest of a bundle.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref().to_path_buf();
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|source| file(&path, "open", source))?;
        let manifest: Manifest =
            toml::from_str(&text).map_err(|e| bad(&path, e.to_string().trim_end().to_string()))?;
        if manifest.version != VERSION {
            let why = format!("version {}, but this treeglot reads version {VERSION}", manifest.version);
            return Err(bad(&path, why));
        }
        let bundle = Self { folder, manifest };
        if bundle.manifest.tables.is_empty() {
            return Err(bad(&path, "a bundle needs a table".to_string()));
        }
        if bundle.files().any(|file| Path::new(file).components().count() != 1) {
            return Err(bad(&path, "a file of a bundle is not in its folder".to_string()));
        }
        Ok(bundle)
    }

    /// What it consists of.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of its files but the manifest.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let Manifest { tables, lms, weights, .. } = &self.manifest;
        let truecasers = self.manifest.truecasers();
        tables.iter().chain(lms).chain([weights]).map(String::as_str).chain(truecasers)
    }

    /// Opens its tables.
    pub fn tables(&self) -> Result<Vec<Table>> {
        self.manifest.tables.iter().map(|name| Ok(Table::open(self.folder.join(name))?)).collect()
    }

    /// Opens its language models.
    pub fn lms(&self) -> Result<Vec<Lm>> {
        self.manifest.lms.iter().map(|name| Ok(Lm::open(self.folder.join(name))?)).collect()
    }

    /// The way into the source language and out of the target language; none where text is words.
    pub fn surfaces(&self) -> Result<Option<[Surface; 2]>> {
        let Some(surfaces) = &self.manifest.surface else { return Ok(None) };
        let open = |settings: &SurfaceSettings, truecaser: &Option<String>| {
            let truecaser =
                truecaser.as_ref().map(|name| Truecaser::open(self.folder.join(name))).transpose()?;
            Surface::new(settings, truecaser)
        };
        let source = open(&surfaces.source, &surfaces.source_truecaser)?;
        Ok(Some([source, open(&surfaces.target, &surfaces.target_truecaser)?]))
    }

    /// Reads its weights.
    pub fn weights(&self) -> Result<Weights> {
        Ok(Weights::read(self.folder.join(&self.manifest.weights))?)
    }

    /// Replaces its weights, at once and for good.
    pub fn set_weights(&self, weights: &Weights) -> Result<()> {
        Ok(weights.write(&self.folder.join(&self.manifest.weights))?)
    }

    /// Puts the system together; settings given here come before the bundle's own.
    pub fn system(&self, settings: SearchSettings) -> Result<Box<dyn Translator>> {
        self.system_with(&self.weights()?, settings)
    }

    /// Puts the system together with other weights than its own.
    pub fn system_with(&self, weights: &Weights, settings: SearchSettings) -> Result<Box<dyn Translator>> {
        let settings = self.manifest.search.or_from(settings);
        let (tables, lms) = (self.tables()?, self.lms()?);
        match self.manifest.model.as_str() {
            "hiero" | "constrained" => {
                let model = Box::new(MadeElsewhere);
                Ok(Box::new(ChartSystem::new(model, tables, lms, weights, settings.chart())?))
            }
            "cons2str" | "dep2str" | "consdep2str" | "mwu" => {
                let model =
                    registry::find(&self.manifest.model)?.from_value(self.manifest.options.clone().into())?;
                Ok(Box::new(ChartSystem::new(model, tables, lms, weights, settings.trees())?))
            }
            "phrase" => Ok(Box::new(PhraseSystem::new(tables, lms, weights, settings.phrase())?)),
            other => Err(bad(&self.folder.join(MANIFEST), format!("no search for the model `{other}`"))),
        }
    }

    /// Compares every file with its checksums and puts the system together.
    pub fn verify(&self) -> Result<()> {
        self.tables()?.iter().try_for_each(Table::verify)?;
        self.lms()?.iter().try_for_each(Lm::verify)?;
        self.system(SearchSettings::default()).map(|_| ())
    }
}

/// What a bundle is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The translation model, by name.
    pub model: String,
    /// Tables: our own files, or Moses' text.
    pub tables: Vec<PathBuf>,
    /// Language models: our own files, or ARPA.
    pub lms: Vec<PathBuf>,
    /// The weights.
    pub weights: PathBuf,
    /// The languages translated from and to.
    pub languages: [Option<String>; 2],
    /// What is done to raw text; the truecasing models are named by path here.
    pub surface: Option<Surfaces>,
    /// The settings of the search.
    pub search: SearchSettings,
    /// The options of the model that matter to translation.
    pub options: ModelOptions,
}

impl Parts {
    /// Writes a bundle: the files first, the manifest last, so that a folder with a manifest is complete.
    pub fn make(&self, folder: &Path) -> Result<Bundle> {
        let manifest_path = folder.join(MANIFEST);
        if manifest_path.exists() {
            return Err(bad(
                folder,
                "there is a bundle already: remove it, or name another folder".to_string(),
            ));
        }
        fs::create_dir_all(folder).map_err(|source| file(folder, "create the folder", source))?;
        let numbered = |what: &str, count: usize| (0..count).map(|k| format!("{what}{k}")).collect();
        let [source, target] = self.languages.clone();
        let manifest = Manifest {
            version: VERSION,
            model: self.model.clone(),
            source,
            target,
            surface: self.surface.clone().map(Surfaces::with_files_beside),
            tables: numbered("table", self.tables.len()),
            lms: numbered("lm", self.lms.len()),
            weights: "weights".to_string(),
            search: self.search,
            options: self.options.clone(),
        };
        for (from, name) in self.tables.iter().zip(&manifest.tables) {
            self.add_table(from, &folder.join(name))?;
        }
        for (from, name) in self.lms.iter().zip(&manifest.lms) {
            let lm = Lm::open(from)?;
            match lm.write(&folder.join(name)) {
                Ok(()) => {}
                Err(treeglot_lm::Error::Option(_)) => copy(from, &folder.join(name))?,
                Err(e) => return Err(e.into()),
            }
        }
        copy(&self.weights, &folder.join(&manifest.weights))?;
        for (from, name) in self.truecasers().zip(manifest.truecasers()) {
            copy(from, &folder.join(name))?;
        }
        let text = toml::to_string(&manifest).map_err(|e| bad(&manifest_path, e.to_string()))?;
        let bundle = Bundle { folder: folder.to_path_buf(), manifest };
        bundle.system(SearchSettings::default())?;
        let temporary = folder.join(format!("{MANIFEST}.new"));
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &manifest_path));
        written.map_err(|source| file(&manifest_path, "write", source))?;
        Ok(bundle)
    }

    /// The truecasing models to copy, those of the source first.
    fn truecasers(&self) -> impl Iterator<Item = &Path> {
        self.surface.iter().flat_map(Surfaces::truecasers).map(Path::new)
    }

    /// Copies a table file; imports a text table.
    fn add_table(&self, from: &Path, to: &Path) -> Result<()> {
        if is_ours(from).map_err(|source| file(from, "open", source))? {
            return copy(from, to);
        }
        let options = Import { model: self.model.clone(), memory: IMPORT_MEMORY };
        import(Input::open(from)?, None, &options, &Scratch::new(None), to)?;
        Ok(())
    }
}

/// Whether a file is one of ours, not text.
fn is_ours(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    fs::File::open(path)?.take(8).read_to_end(&mut start)?;
    Ok(start == b"TREEGLOT")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(|_| ()).map_err(|source| file(from, "copy", source))
}

fn bad(path: &Path, why: String) -> Error {
    Error::Bundle { path: path.to_path_buf(), why }
}

fn file(path: &Path, doing: &'static str, source: std::io::Error) -> Error {
    Error::File { path: path.to_path_buf(), doing, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_decode::Wanted;

    const RULES: &str = "das [X] ||| the [X] ||| 0.5 ||| 0-0\nhaus [X] ||| house [X] ||| 0.5 ||| 0-0\n";

    fn parts(folder: &Path) -> Parts {
        fs::write(folder.join("rules"), RULES).unwrap();
        fs::write(folder.join("weights"), "WordPenalty0= 0\nTranslationModel0= 1\n").unwrap();
        Parts {
            model: "hiero".to_string(),
            tables: vec![folder.join("rules")],
            lms: Vec::new(),
            weights: folder.join("weights"),
            languages: [Some("de".to_string()), None],
            surface: None,
            options: ModelOptions::new(),
            search: SearchSettings { pop_limit: Some(7), ..SearchSettings::default() },
        }
    }

    #[test]
    fn a_bundle_opens_as_it_was_made_and_translates() {
        let folder = tempfile::tempdir().unwrap();
        let made = parts(folder.path()).make(&folder.path().join("b")).unwrap();
        let bundle = Bundle::open(folder.path().join("b")).unwrap();
        assert_eq!(bundle.manifest(), made.manifest());
        assert_eq!(bundle.manifest().search.chart().limits.pops, 7);
        bundle.verify().unwrap();
        let system = bundle.system(SearchSettings::default()).unwrap();
        let found = system.worker().unwrap().translate("das haus", &Wanted::default());
        assert_eq!(found.best[0].text, "the house");
    }

    #[test]
    fn a_damaged_table_is_found_by_verify() {
        let folder = tempfile::tempdir().unwrap();
        parts(folder.path()).make(&folder.path().join("b")).unwrap();
        let table = folder.path().join("b/table0");
        let mut bytes = fs::read(&table).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&table, bytes).unwrap();
        let error = Bundle::open(folder.path().join("b")).unwrap().verify().unwrap_err().to_string();
        assert!(error.contains("table0") && error.contains("checksum"), "{error}");
    }

    #[test]
    fn a_manifest_that_cannot_be_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MANIFEST);
        let good = "version = 1\nmodel = \"hiero\"\ntables = [\"t\"]\nlms = []\nweights = \"w\"\n";
        for (text, why) in [
            (good.replace("version = 1", "version = 9"), "version 9, but this treeglot reads version 1"),
            (good.replace("[\"t\"]", "[]"), "needs a table"),
            (good.replace("\"t\"", "\"../t\""), "not in its folder"),
            (good.to_string() + "colour = 1\n", "unknown field `colour`"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Bundle::open(folder.path()).unwrap_err().to_string();
            assert!(error.contains(MANIFEST) && error.contains(why), "{error}");
        }
    }
}
