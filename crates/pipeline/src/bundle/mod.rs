//! Bundles: a trained system as a folder. `bundle.toml` names the files beside it (tables, language models, weights) and
//! the settings of the search; tables and models are mapped, so that opening takes milliseconds whatever their size.

mod card;
mod make;
mod pack;

pub use card::{Card, today};
pub use make::Parts;
pub use pack::{pack, unpack};
pub use treeglot_decode::SearchSettings;

use crate::error::{Error, Result};
use crate::surface::{Surface, SurfaceSettings};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use treeglot_decode::{LmRole, Resources, System, TableRole, Weights};
use treeglot_grammar::{Symbol, Table};
use treeglot_lm::Lm;
use treeglot_lm::depend::DepLm;
use treeglot_models::{Model, registry};
use treeglot_text::truecase::Truecaser;

/// The name of the manifest in a bundle's folder.
pub const MANIFEST: &str = "bundle.toml";

/// The name of the card in a bundle's folder.
const CARD: &str = "card.toml";

/// The version of the manifest that this treeglot writes and reads.
pub const VERSION: u32 = 1;

/// The most combinations that a round of tuning takes for each node or stack: more find hardly better lists, and take
/// twice as long.
pub const TUNING_POPS: usize = 200;

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
    /// What people should know of it, by file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
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
        let text = crate::small::read(&path)?;
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
        let Manifest { tables, lms, weights, card, .. } = &self.manifest;
        let truecasers = self.manifest.truecasers();
        tables.iter().chain(lms).chain([weights]).chain(card).map(String::as_str).chain(truecasers)
    }

    /// What people should know of it; none for a bundle that was put together by hand.
    pub fn card(&self) -> Result<Option<Card>> {
        self.manifest.card.as_ref().map(|name| Card::read(&self.folder.join(name))).transpose()
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
    pub fn system(&self, settings: &SearchSettings) -> Result<Box<dyn System>> {
        self.system_with(&self.weights()?, settings)
    }

    /// Puts the system together with other weights than its own.
    pub fn system_with(&self, weights: &Weights, settings: &SearchSettings) -> Result<Box<dyn System>> {
        let settings = self.manifest.search.or_from(settings);
        Ok(self.resources()?.system(self.model()?, weights, &settings)?)
    }

    /// Its model.
    pub fn model(&self) -> Result<Box<dyn Model>> {
        let options = self.manifest.options.clone().into();
        Ok(registry::find(&self.manifest.model)?.from_value(options)?)
    }

    /// Its tables and language models with their roles.
    pub fn resources(&self) -> Result<Resources> {
        Ok(with_roles(self.tables()?, self.lms()?))
    }

    /// Puts the system of a round of tuning together, which searches no further than [`TUNING_POPS`] unless `settings`
    /// say so.
    pub fn tuning_system(&self, weights: &Weights, settings: &SearchSettings) -> Result<Box<dyn System>> {
        let own = self.manifest.search.pop_limit.unwrap_or(TUNING_POPS);
        let pop_limit = settings.pop_limit.or(Some(own.min(TUNING_POPS)));
        self.system_with(weights, &SearchSettings { pop_limit, ..settings.clone() })
    }

    /// Compares every file with its checksums and puts the system together.
    pub fn verify(&self) -> Result<()> {
        self.tables()?.iter().try_for_each(Table::verify)?;
        self.lms()?.iter().try_for_each(Lm::verify)?;
        self.system(&SearchSettings::default()).map(|_| ())
    }
}

/// Tables and language models with their roles, as their contents tell.
fn with_roles(tables: Vec<Table>, lms: Vec<Lm>) -> Resources {
    let table = |(number, table): (usize, Table)| (table_role(number, &table), table);
    let lm = |lm: Lm| match DepLm::is_dependency_model(&lm) {
        true => (LmRole::Dependency, lm),
        false => (LmRole::Ngram, lm),
    };
    Resources {
        tables: tables.into_iter().enumerate().map(table).collect(),
        lms: lms.into_iter().map(lm).collect(),
    }
}

/// What a table is for: the first has the model's own rules, tables of rules that begin with a variable are hierarchical.
fn table_role(number: usize, table: &Table) -> TableRole {
    let label = table.vocab().get("X").map(Symbol::var);
    match label.and_then(|label| table.child(table.root(), label)) {
        _ if number == 0 => TableRole::Model,
        Some(_) => TableRole::Hierarchical,
        None => TableRole::Phrases,
    }
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
    use std::fs;
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
            card: None,
            search: SearchSettings { pop_limit: Some(7), ..SearchSettings::default() },
        }
    }

    #[test]
    fn a_bundle_opens_as_it_was_made_and_translates() {
        let folder = tempfile::tempdir().unwrap();
        let made = parts(folder.path()).make(&folder.path().join("b")).unwrap();
        let bundle = Bundle::open(folder.path().join("b")).unwrap();
        assert_eq!(bundle.manifest(), made.manifest());
        assert_eq!(bundle.manifest().search.pop_limit, Some(7));
        bundle.verify().unwrap();
        let system = bundle.system(&SearchSettings::default()).unwrap();
        let found = system.worker().unwrap().translate("das haus", &Wanted::default());
        assert_eq!(found.best[0].text, "the house");
    }

    #[test]
    fn a_packed_bundle_unpacks_as_it_was_and_damage_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let card = Card { made: today(), ..Card::default() };
        let parts = Parts { card: Some(card.clone()), ..parts(folder.path()) };
        let made = parts.make(&path("b")).unwrap();
        for archive in ["b.tar.zst", "b.tar.gz", "b.tar"] {
            pack(&made, &path(archive)).unwrap();
            let bundle = unpack(&path(archive), &path(&format!("{archive}.d"))).unwrap();
            assert_eq!(bundle.card().unwrap(), Some(card.clone()));
            for name in [MANIFEST].into_iter().chain(bundle.files()) {
                assert_eq!(
                    fs::read(path("b").join(name)).unwrap(),
                    fs::read(bundle.folder().join(name)).unwrap()
                );
            }
        }
        let error = unpack(&path("b.tar"), &path("b")).unwrap_err().to_string();
        assert!(error.contains("there is something already"), "{error}");
        let mut bytes = fs::read(path("b.tar")).unwrap();
        let middle = bytes.windows(8).position(|window| window == b"TREEGLOT").unwrap() + 1000;
        bytes[middle] ^= 1;
        fs::write(path("bad.tar"), &bytes).unwrap();
        let error = unpack(&path("bad.tar"), &path("bad")).unwrap_err().to_string();
        assert!(error.contains("checksum") && !path("bad").exists(), "{error}");
        bytes.truncate(bytes.len() / 2);
        fs::write(path("cut.tar"), &bytes).unwrap();
        let error = unpack(&path("cut.tar"), &path("cut")).unwrap_err().to_string();
        assert!(error.contains("is it whole?"), "{error}");
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
