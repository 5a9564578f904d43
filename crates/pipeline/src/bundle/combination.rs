//! A combination of bundles as a folder: `combination.toml` names the models of the systems that it chooses among, in order, and the
//! files beside it (weights, and what scores all translations), each with what it is for and its checksum.

use super::make::copy;
use super::manifest::{FileEntry, FileRole};
use super::{bad, file, write_text};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use treeglot_align::LexTable;
use treeglot_decode::Weights;
use treeglot_decode::combination::{Combination, Judges, WordTranslations};
use treeglot_joint::JointModel;
use treeglot_lm::Lm;

/// The name of the manifest in a combination's folder.
pub const COMBINATION: &str = "combination.toml";

/// The version of the manifest that this treeglot writes and reads.
const VERSION: u32 = 1;

/// The name of lexical tables, before their endings.
const LEX: &str = "lex";

/// What a combination is put together from, wherever the files lie.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CombinationComponents {
    /// The models of the systems that it chooses among, in order.
    pub systems: Vec<String>,
    /// Language models of the target language that score all translations.
    pub lms: Vec<PathBuf>,
    /// Lexical tables, without their endings.
    pub lex: Option<PathBuf>,
    /// Joint models of target words and of source words, which need lexical tables.
    pub joint: [Option<PathBuf>; 2],
}

/// A combination that is opened, to choose with.
#[derive(Debug)]
pub struct TunedCombination {
    systems: Vec<String>,
    pub(crate) combination: Combination,
}

impl TunedCombination {
    /// Opens a folder.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let (components, weights) = CombinationComponents::open(folder.as_ref())?;
        components.tuned(&weights)
    }

    /// An error if it is not for systems of these models in this order.
    pub(crate) fn check<'m>(&self, models: impl Iterator<Item = &'m str>) -> Result<()> {
        let models: Vec<&str> = models.collect();
        if models == self.systems {
            return Ok(());
        }
        let (wanted, given) = (self.systems.join(", "), models.join(", "));
        Err(Error::Invalid(format!(
            "the combination was tuned for systems of {wanted}, in this order, but these are of {given}"
        )))
    }
}

/// What a combination consists of.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Manifest {
    version: u32,
    /// The models of the systems, in order.
    systems: Vec<String>,
    #[serde(rename = "file")]
    files: Vec<FileEntry>,
}

impl CombinationComponents {
    /// The combination with these weights; without, those to start with.
    pub fn combination(&self, weights: Option<&Weights>) -> Result<Combination> {
        let judges = Judges {
            lms: self.lms.iter().map(|path| Ok(Lm::open(path)?)).collect::<Result<_>>()?,
            lexicon: self.lex.as_deref().map(read_lexicon).transpose()?,
            joint: [self.model(0)?, self.model(1)?],
        };
        Ok(Combination::new(self.systems.len(), judges, weights)?)
    }

    /// The combination with these weights, for its systems only.
    pub fn tuned(&self, weights: &Weights) -> Result<TunedCombination> {
        let combination = self.combination(Some(weights))?;
        Ok(TunedCombination { systems: self.systems.clone(), combination })
    }

    fn model(&self, side: usize) -> Result<Option<JointModel>> {
        Ok(self.joint[side].as_ref().map(JointModel::open).transpose()?)
    }

    /// Writes the folder, the manifest last; what was there of it is replaced.
    pub fn write(&self, weights: &Weights, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(|source| file(folder, "create the folder", source))?;
        weights.write(&folder.join("weights"))?;
        let mut files = vec![FileEntry::of(folder, "weights", FileRole::Weights)?];
        let mut add = |from: &Path, name: &str, role: FileRole| {
            let to = folder.join(name);
            // Parts of a combination that is tuned again lie there already.
            if from != to {
                copy(from, &to)?;
            }
            files.push(FileEntry::of(folder, name, role)?);
            Ok::<_, Error>(())
        };
        for (k, lm) in self.lms.iter().enumerate() {
            add(lm, &format!("lm{k}"), FileRole::NgramLm)?;
        }
        if let Some(prefix) = &self.lex {
            for (table, role) in LexTable::BOTH.into_iter().zip(TABLES) {
                let name = table.path(LEX.as_ref());
                add(&table.path(prefix), &name.to_string_lossy(), role)?;
            }
        }
        for (path, (name, role)) in self.joint.iter().zip(JOINT) {
            path.as_ref().map_or(Ok(()), |path| add(path, name, role))?;
        }
        let manifest = Manifest { version: VERSION, systems: self.systems.clone(), files };
        let path = folder.join(COMBINATION);
        let text = toml::to_string(&manifest).map_err(|e| bad(&path, e.to_string()))?;
        write_text(&path, &text)
    }

    /// Reads what a folder has, all files compared with their checksums, and its weights.
    pub fn open(folder: &Path) -> Result<(Self, Weights)> {
        let path = folder.join(COMBINATION);
        if !path.exists() {
            let why =
                "there is no combination here: name a folder that `treeglot tune -m A -m B -o DIR` made";
            return Err(bad(folder, why.to_string()));
        }
        let text = crate::small::read(&path)?;
        let manifest: Manifest =
            toml::from_str(&text).map_err(|e| bad(&path, crate::small::message(&text, &e)))?;
        if manifest.version != VERSION {
            let version = manifest.version;
            let why = format!("version {version}, but this treeglot reads version {VERSION}: tune it again");
            return Err(bad(&path, why));
        }
        for entry in &manifest.files {
            if Path::new(&entry.name).components().count() != 1 || entry.name.starts_with('.') {
                return Err(bad(&path, format!("the file `{}` is not in the folder", entry.name)));
            }
            entry.verify(folder)?;
        }
        let of = |role: FileRole| manifest.files.iter().filter(move |entry| entry.role == role);
        let only = |role: FileRole| of(role).next().map(|entry| folder.join(&entry.name));
        let weights = only(FileRole::Weights).ok_or_else(|| bad(&path, "there are no weights".into()))?;
        let components = Self {
            systems: manifest.systems.clone(),
            lms: of(FileRole::NgramLm).map(|entry| folder.join(&entry.name)).collect(),
            lex: TABLES.iter().all(|&role| only(role).is_some()).then(|| folder.join(LEX)),
            joint: JOINT.map(|(_, role)| only(role)),
        };
        Ok((components, Weights::read(weights)?))
    }
}

/// The roles of lexical tables, in their order.
const TABLES: [FileRole; 2] = [FileRole::TargetGivenSource, FileRole::SourceGivenTarget];

/// The names and roles of joint models: of target words, and of source words.
const JOINT: [(&str, FileRole); 2] =
    [("joint", FileRole::JointModel), ("joint.source", FileRole::SourceJointModel)];

/// Lexical tables in both directions: target words given source words first.
fn read_lexicon(prefix: &Path) -> Result<[WordTranslations; 2]> {
    let mut lexicon = <[WordTranslations; 2]>::default();
    for (table, translations) in LexTable::BOTH.into_iter().zip(&mut lexicon) {
        table.read(&mut table.open(prefix)?, |source, target, probability| match table {
            LexTable::TargetGivenSource => translations.add(source, target, probability),
            LexTable::SourceGivenTarget => translations.add(target, source, probability),
        })?;
    }
    Ok(lexicon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_decode::mbr::Choice;

    fn lexicon(folder: &Path) -> PathBuf {
        fs::write(folder.join("w.f2e"), "house haus 0.75\nthe das 1\n").unwrap();
        fs::write(folder.join("w.e2f"), "haus house 0.5\ndas the 1\n").unwrap();
        folder.join("w")
    }

    #[test]
    fn what_is_written_is_read_back_and_damage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let systems = vec!["hiero".to_string(), "phrase".to_string()];
        let made = CombinationComponents {
            systems,
            lex: Some(lexicon(folder.path())),
            ..CombinationComponents::default()
        };
        let first = made.combination(None).unwrap();
        let mut values = first.weights().to_vec();
        let lexical = first.features().find("Lexical0").unwrap();
        values[lexical].copy_from_slice(&[2.0, 1.0]);
        let to = folder.path().join("all");
        made.write(&Weights::of(first.features(), &values), &to).unwrap();

        let (read, weights) = CombinationComponents::open(&to).unwrap();
        assert_eq!(read.systems, made.systems);
        let combination = read.combination(Some(&weights)).unwrap();
        assert_eq!(combination.weights(), values);
        let choice = |text, system| Choice { text, score: 0.0, system };
        assert_eq!(combination.choose("das haus", &[choice("a house", 0), choice("the house", 1)]), Some(1));

        fs::write(to.join("lex.f2e"), "house haus 0.25\nthe das 1\n").unwrap();
        let error = CombinationComponents::open(&to).unwrap_err().to_string();
        assert!(error.contains("lex.f2e") && error.contains("checksum"), "{error}");
        fs::write(to.join(COMBINATION), "version = 9\nsystems = []\nfile = []\n").unwrap();
        let error = CombinationComponents::open(&to).unwrap_err().to_string();
        assert!(error.contains("version 9"), "{error}");
    }
}
