//! Bundles: a trained system as a folder. `bundle.toml` names the files beside it (tables, language models, weights), what
//! each is for and its checksum; tables and models are mapped, so that opening takes milliseconds whatever their size.

mod card;
mod combination;
mod components;
mod make;
mod manifest;
mod moses;
mod pack;

pub use card::{Card, today};
pub use combination::{COMBINATION, CombinationComponents, TunedCombination};
pub use components::{Components, LmFile, ParserFile, TableFile, TextComponents};
pub(crate) use make::is_ours;
pub use manifest::{FileEntry, FileRole, MANIFEST, Manifest, TextSides, VERIFIED_AT_OPENING, VERSION};
pub use moses::{MosesSystem, read_moses};
pub use pack::{pack, unpack};
pub use treeglot_decode::SearchSettings;

use crate::error::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_decode::Weights;
use treeglot_text::{Output, Side, TemporaryFolder};

/// The name of the card in a bundle's folder.
const CARD: &str = "card.toml";

/// What new weights are called until the manifest knows their checksum.
const NEW_WEIGHTS: &str = "weights.new";

/// Options of a model, by name.
pub type ModelOptions = serde_json::Map<String, serde_json::Value>;

/// An opened bundle: its manifest, checked, and where it is.
#[derive(Debug, Clone)]
pub struct Bundle {
    folder: PathBuf,
    manifest: Manifest,
    /// Where a packed one was unpacked; it goes with the last copy.
    _unpacked: Option<Arc<TemporaryFolder>>,
}

impl Bundle {
    /// Opens a bundle: reads its manifest, looks whether all files are there and as long as it says, and compares the short
    /// ones with their checksums. [`Bundle::verify`] compares the long ones too.
    /// A packed one is unpacked into a temporary folder first.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref().to_path_buf();
        if folder.is_file() {
            if !pack::is_packed(&folder) {
                let why = "a bundle is a folder, or one packed as .tar.zst, .tar.gz or .tar";
                return Err(bad(&folder, why.to_string()));
            }
            let place = std::env::temp_dir();
            let unpacked = TemporaryFolder::new(&place, ".treeglot-bundle-");
            let unpacked = unpacked.map_err(|source| file(&place, "write to", source))?;
            let bundle = unpack(&folder, &unpacked.path().join("bundle"))?;
            return Ok(Self { _unpacked: Some(Arc::new(unpacked)), ..bundle });
        }
        let manifest = Manifest::read(&folder.join(MANIFEST))?;
        let bundle = Self { folder, manifest, _unpacked: None };
        let model = bundle.components().model();
        model.map_err(|e| bad(&bundle.folder.join(MANIFEST), e.to_string()))?;
        bundle.finish_new_weights()?;
        for entry in &bundle.manifest.files {
            if entry.bytes <= VERIFIED_AT_OPENING {
                entry.verify(&bundle.folder)?;
            } else {
                entry.check_length(&bundle.folder)?;
            }
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

    /// What people should know of it; none for a bundle that was put together by hand.
    pub fn card(&self) -> Result<Option<Card>> {
        self.manifest.path_of(&self.folder, FileRole::Card).map(|path| Card::read(&path)).transpose()
    }

    /// What its system is put together from.
    pub fn components(&self) -> Components {
        let Manifest { model, options, search, source, target, text, .. } = &self.manifest;
        let path = |entry: &FileEntry| self.folder.join(&entry.name);
        let of_side = |settings: &crate::text_path::TextSettings, side| TextComponents {
            settings: settings.clone(),
            truecaser: self.manifest.path_of(&self.folder, FileRole::truecaser(side)),
        };
        let both =
            |text: &TextSides| [of_side(&text.source, Side::Source), of_side(&text.target, Side::Target)];
        let files = &self.manifest.files;
        let table = |entry: &FileEntry| {
            Some(TableFile { role: entry.role.table()?, path: path(entry), reordering: None })
        };
        let lm = |entry: &FileEntry| Some(LmFile { role: entry.role.lm()?, path: path(entry) });
        let parser =
            |entry: &FileEntry| Some(ParserFile { kind: entry.role.parser_kind()?, path: path(entry) });
        Components {
            model: model.clone(),
            options: options.clone(),
            search: search.clone(),
            languages: [source.clone(), target.clone()],
            text: text.as_ref().map(both),
            tables: files.iter().filter_map(table).collect(),
            lms: files.iter().filter_map(lm).collect(),
            joint: self.manifest.path_of(&self.folder, FileRole::JointModel),
            lexical: self.manifest.path_of(&self.folder, FileRole::LexicalModel),
            operations: self.manifest.path_of(&self.folder, FileRole::OperationModel),
            sparse: self.manifest.path_of(&self.folder, FileRole::FrequentWords),
            affixes: self.manifest.path_of(&self.folder, FileRole::Affixes),
            subwords: Side::BOTH.map(|side| self.manifest.path_of(&self.folder, FileRole::subwords(side))),
            parsers: files.iter().filter_map(parser).collect(),
        }
    }

    /// What it learnt from corrections.
    pub fn corrections(&self) -> Result<crate::corrections::Corrections> {
        crate::corrections::Corrections::read(&self.folder)
    }

    /// Reads its weights.
    pub fn weights(&self) -> Result<Weights> {
        let path = self.manifest.path_of(&self.folder, FileRole::Weights);
        let path = path.ok_or_else(|| bad(&self.folder, "there are no weights".to_string()))?;
        Ok(Weights::read(path)?)
    }

    /// Replaces its weights, at once and for good: whenever it is interrupted, the bundle has either the old weights or the
    /// new ones.
    pub fn set_weights(&mut self, weights: &Weights) -> Result<()> {
        weights.write(&self.folder.join(NEW_WEIGHTS))?;
        let new = FileEntry::of(&self.folder, NEW_WEIGHTS, FileRole::Weights)?;
        let entry = self.manifest.files.iter_mut().find(|entry| entry.role == FileRole::Weights);
        let entry = entry.ok_or_else(|| bad(&self.folder, "there are no weights".to_string()))?;
        (entry.bytes, entry.checksum) = (new.bytes, new.checksum);
        self.manifest.write(&self.folder)?;
        self.finish_new_weights()
    }

    /// Gives new weights that the manifest knows their name; others were never finished and are taken away.
    fn finish_new_weights(&self) -> Result<()> {
        let new = self.folder.join(NEW_WEIGHTS);
        let Some(entry) = self.manifest.named(FileRole::Weights).next().filter(|_| new.exists()) else {
            return Ok(());
        };
        let known = FileEntry { name: NEW_WEIGHTS.to_string(), ..entry.clone() };
        let done = match known.verify(&self.folder) {
            Ok(()) => fs::rename(&new, self.folder.join(&entry.name)),
            Err(_) => fs::remove_file(&new),
        };
        done.map_err(|source| file(&new, "write", source))
    }

    /// Compares every file with its checksum and puts the system together.
    pub fn verify(&self) -> Result<()> {
        self.manifest.files.iter().try_for_each(|entry| entry.verify(&self.folder))?;
        self.components().parsers()?;
        self.components().system(&self.weights()?, &SearchSettings::default()).map(|_| ())
    }
}

fn bad(path: &Path, why: String) -> Error {
    Error::Bundle { path: path.to_path_buf(), why }
}

fn file(path: &Path, doing: &'static str, source: std::io::Error) -> Error {
    Error::File { path: path.to_path_buf(), doing, source }
}

/// Writes a short file under a temporary name, then renames it.
fn write_text(path: &Path, text: &str) -> Result<()> {
    let mut out = Output::create(path)?;
    out.write_all(text.as_bytes()).map_err(|e| out.error(e))?;
    Ok(out.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_decode::Wanted;
    use treeglot_models::TableRole;

    const RULES: &str = "das [X] ||| the [X] ||| 0.5 ||| 0-0\nhaus [X] ||| house [X] ||| 0.5 ||| 0-0\n";

    fn components(folder: &Path) -> Components {
        fs::write(folder.join("rules"), RULES).unwrap();
        Components {
            model: "hiero".to_string(),
            tables: vec![TableFile { role: TableRole::Model, path: folder.join("rules"), reordering: None }],
            lms: Vec::new(),
            joint: None,
            lexical: None,
            operations: None,
            sparse: None,
            affixes: None,
            subwords: [None, None],
            parsers: Vec::new(),
            languages: [Some("de".to_string()), None],
            text: None,
            options: ModelOptions::new(),
            search: SearchSettings { pop_limit: Some(7), ..SearchSettings::default() },
        }
    }

    fn weights(folder: &Path) -> Weights {
        fs::write(folder.join("weights"), "WordPenalty0= 0\nTranslationModel0= 1\n").unwrap();
        Weights::read(folder.join("weights")).unwrap()
    }

    fn make(folder: &Path, card: Option<&Card>) -> Bundle {
        components(folder).bundle(&weights(folder), card, &folder.join("b"), false).unwrap()
    }

    #[test]
    fn a_bundle_opens_as_it_was_made_and_translates() {
        let folder = tempfile::tempdir().unwrap();
        let made = make(folder.path(), None);
        let bundle = Bundle::open(folder.path().join("b")).unwrap();
        assert_eq!(bundle.manifest(), made.manifest());
        assert_eq!(bundle.manifest().search.pop_limit, Some(7));
        bundle.verify().unwrap();
        let weights = bundle.weights().unwrap();
        let system = bundle.components().system(&weights, &SearchSettings::default()).unwrap();
        let found = system.worker().unwrap().translate("das haus", &Wanted::default());
        assert_eq!(found.best[0].text, "the house");
    }

    #[test]
    fn a_packed_bundle_unpacks_as_it_was_and_damage_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let card = Card { made: today(), ..Card::default() };
        let made = make(folder.path(), Some(&card));
        for archive in ["b.tar.zst", "b.tar.gz", "b.tar"] {
            pack(&made, &path(archive)).unwrap();
            let bundle = unpack(&path(archive), &path(&format!("{archive}.d"))).unwrap();
            assert_eq!(bundle.card().unwrap(), Some(card.clone()));
            assert_eq!(bundle.manifest(), made.manifest());
            for entry in &bundle.manifest().files {
                let bytes = |folder: &Path| fs::read(folder.join(&entry.name)).unwrap();
                assert_eq!(bytes(&path("b")), bytes(bundle.folder()));
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
    fn an_archive_gives_only_what_its_manifest_announces() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        make(folder.path(), None);
        let archive = |name: &str, files: &[(&str, Vec<u8>)]| {
            let mut out = tar::Builder::new(fs::File::create(path(name)).unwrap());
            for (name, bytes) in files {
                let mut header = tar::Header::new_gnu();
                header.set_size(bytes.len() as u64);
                out.append_data(&mut header, format!("b/{name}"), bytes.as_slice()).unwrap();
            }
            out.finish().unwrap();
            let error = unpack(&path(name), &path("new")).unwrap_err().to_string();
            assert!(!path("new").exists());
            error
        };
        let read = |name: &str| fs::read(path("b").join(name)).unwrap();
        let manifest = (MANIFEST, read(MANIFEST));
        let table = ("table0", read("table0"));
        let error = archive("1.tar", &[table.clone(), manifest.clone()]);
        assert!(error.contains("not a packed bundle"), "{error}");
        let error = archive("2.tar", &[manifest.clone(), ("bomb", vec![0; 1000])]);
        assert!(error.contains("`bomb`"), "{error}");
        let error = archive("3.tar", &[manifest.clone(), ("weights", vec![b' '; 100_000])]);
        assert!(error.contains("`weights` has 100000 bytes"), "{error}");
        let error = archive("4.tar", &[manifest, table]);
        assert!(error.contains("`weights` is missing"), "{error}");
    }

    #[test]
    fn every_altered_or_exchanged_file_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let card = Card { made: today(), ..Card::default() };
        let made = make(folder.path(), Some(&card));
        for entry in &made.manifest().files {
            let path = made.folder().join(&entry.name);
            let good = fs::read(&path).unwrap();
            let mut bytes = good.clone();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(&path, &bytes).unwrap();
            let error = Bundle::open(made.folder()).unwrap_err().to_string();
            assert!(error.contains(&entry.name) && error.contains("checksum"), "{error}");
            let error = made.verify().unwrap_err().to_string();
            assert!(error.contains(&entry.name) && error.contains("checksum"), "{error}");
            fs::write(&path, &good[1..]).unwrap();
            let error = Bundle::open(made.folder()).unwrap_err().to_string();
            assert!(error.contains(&entry.name) && error.contains("whole"), "{error}");
            fs::remove_file(&path).unwrap();
            assert!(Bundle::open(made.folder()).is_err());
            fs::write(&path, &good).unwrap();
        }
        Bundle::open(made.folder()).unwrap().verify().unwrap();
    }

    #[test]
    fn new_weights_come_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let mut made = make(folder.path(), None);
        let old = made.weights().unwrap();
        fs::write(made.folder().join(NEW_WEIGHTS), "never finished").unwrap();
        assert_eq!(
            Bundle::open(made.folder()).unwrap().weights().unwrap().get("WordPenalty0"),
            Some(&[0.0][..])
        );
        assert!(!made.folder().join(NEW_WEIGHTS).exists());
        fs::write(folder.path().join("w"), "WordPenalty0= -1\nTranslationModel0= 2\n").unwrap();
        let new = Weights::read(folder.path().join("w")).unwrap();
        made.set_weights(&new).unwrap();
        let after = fs::read(made.folder().join("weights")).unwrap();
        fs::write(made.folder().join(NEW_WEIGHTS), &after).unwrap();
        old.write(&made.folder().join("weights")).unwrap();
        let opened = Bundle::open(made.folder()).unwrap();
        assert_eq!(opened.weights().unwrap().get("WordPenalty0"), Some(&[-1.0][..]));
        opened.verify().unwrap();
    }

    #[test]
    fn a_manifest_that_cannot_be_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let made = make(folder.path(), None);
        let path = made.folder().join(MANIFEST);
        let good = fs::read_to_string(&path).unwrap();
        for (text, why) in [
            (good.replace("version = 2", "version = 9"), "version 9, but this treeglot reads version 2"),
            ("version = 1\ntables = []\n".to_string(), "version 1, but this treeglot reads version 2"),
            (good.replace("\"model-table\"", "\"card\""), "needs a table"),
            (good.replace("\"table0\"", "\"../t\""), "not in the bundle's folder"),
            (good.replace("\"table0\"", "\"weights\""), "named twice"),
            (format!("colour = 1\n{good}"), "unknown field `colour`"),
            (good.clone() + &"#".repeat(2 << 20), "more than 1 MB"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Bundle::open(made.folder()).unwrap_err().to_string();
            assert!(error.contains(MANIFEST) && error.contains(why), "{error}");
        }
    }
}
