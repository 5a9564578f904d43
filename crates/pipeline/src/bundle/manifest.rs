//! The manifest of a bundle, `bundle.toml`: which model it is, what is done to text, how far its search goes, and of every
//! file what it is for, how long it is and its checksum. Nothing is guessed from what a file contains.

use super::{ModelOptions, SearchSettings, bad, file};
use crate::error::Result;
use crate::text_path::TextSettings;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use treeglot_decode::LmRole;
use treeglot_models::TableRole;
use treeglot_text::Side;
use treeglot_tree::TreeKind;
use xxhash_rust::xxh3::Xxh3;

/// The name of the manifest in a bundle's folder.
pub const MANIFEST: &str = "bundle.toml";

/// The version of the manifest that this treeglot writes and reads.
pub const VERSION: u32 = 2;

/// Files up to this length, which takes about 10 ms, are compared with their checksums whenever a bundle is opened; longer ones
/// when it is verified, packed or unpacked.
pub const VERIFIED_AT_OPENING: u64 = 64 << 20;

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
    pub text: Option<TextSides>,
    /// The settings of the search.
    #[serde(default)]
    pub search: SearchSettings,
    /// The options of the model that matter to translation, as a recipe has them.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: ModelOptions,
    /// The files, tables and language models in the order of their features.
    #[serde(rename = "file")]
    pub files: Vec<FileEntry>,
}

/// From raw text to words in the source language, and from words to text in the target language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TextSides {
    /// What is done to input.
    pub source: TextSettings,
    /// What was done to the target text, and is undone in output.
    pub target: TextSettings,
}

/// What a file of a bundle is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRole {
    /// A table with the model's own rules.
    ModelTable,
    /// A table of rules of constituency trees beside it.
    ConstituentTable,
    /// A table of phrases beside it.
    PhraseTable,
    /// A table of hierarchical rules beside it.
    HierarchicalTable,
    /// An n-gram language model of the target language.
    NgramLm,
    /// A dependency language model of the target language.
    DependencyLm,
    /// A joint model of target words and the source words around them.
    JointModel,
    /// A joint model of source words and the target words around them, in a combination.
    SourceJointModel,
    /// Probabilities of target words given source words, in a combination.
    TargetGivenSource,
    /// Probabilities of source words given target words, in a combination.
    SourceGivenTarget,
    /// A model of what each source word is translated by.
    LexicalModel,
    /// An n-gram model of the operations that generate source and target.
    OperationModel,
    /// The most frequent words of both sides, which sparse features tell apart.
    FrequentWords,
    /// How words differ that are translated alike, for words that no table has.
    Affixes,
    /// What cuts the words of the source language into pieces.
    SourceSubwords,
    /// What cuts those of the target language, whose pieces are put together again.
    TargetSubwords,
    /// The weights of the features.
    Weights,
    /// The truecasing model of the source language.
    SourceTruecaser,
    /// That of the target language, for references that are given raw.
    TargetTruecaser,
    /// A parser of the source language: its trees are what the model translates where none are given.
    SourceDependencyParser,
    /// Likewise, of constituents.
    SourceConstituencyParser,
    /// What people should know of the bundle.
    Card,
}

impl FileRole {
    /// What a table is for, if it is one.
    pub fn table(self) -> Option<TableRole> {
        match self {
            Self::ModelTable => Some(TableRole::Model),
            Self::ConstituentTable => Some(TableRole::Constituents),
            Self::PhraseTable => Some(TableRole::Phrases),
            Self::HierarchicalTable => Some(TableRole::Hierarchical),
            _ => None,
        }
    }

    /// What a language model is for, if it is one.
    pub fn lm(self) -> Option<LmRole> {
        match self {
            Self::NgramLm => Some(LmRole::Ngram),
            Self::DependencyLm => Some(LmRole::Dependency),
            _ => None,
        }
    }

    /// A parser of the source language.
    pub fn parser(kind: TreeKind) -> Self {
        match kind {
            TreeKind::Dependency => Self::SourceDependencyParser,
            TreeKind::Constituency => Self::SourceConstituencyParser,
        }
    }

    /// What kind of trees a parser gives, if it is one.
    pub fn parser_kind(self) -> Option<TreeKind> {
        TreeKind::BOTH.into_iter().find(|&kind| self == Self::parser(kind))
    }

    /// What cuts the words of a side into pieces.
    pub fn subwords(side: Side) -> Self {
        match side {
            Side::Source => Self::SourceSubwords,
            Side::Target => Self::TargetSubwords,
        }
    }

    /// The truecasing model of a side.
    pub fn truecaser(side: Side) -> Self {
        match side {
            Side::Source => Self::SourceTruecaser,
            Side::Target => Self::TargetTruecaser,
        }
    }
}

impl From<TableRole> for FileRole {
    fn from(role: TableRole) -> Self {
        match role {
            TableRole::Model => Self::ModelTable,
            TableRole::Constituents => Self::ConstituentTable,
            TableRole::Phrases => Self::PhraseTable,
            TableRole::Hierarchical => Self::HierarchicalTable,
        }
    }
}

impl From<LmRole> for FileRole {
    fn from(role: LmRole) -> Self {
        match role {
            LmRole::Ngram => Self::NgramLm,
            LmRole::Dependency => Self::DependencyLm,
        }
    }
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FileEntry {
    /// Its name in the bundle's folder.
    pub name: String,
    /// What it is for.
    pub role: FileRole,
    /// Its length.
    pub bytes: u64,
    /// The checksum of its bytes (XXH3, 128 bits, hexadecimal).
    pub checksum: String,
}

impl FileEntry {
    /// Describes a file that is in the folder.
    pub fn of(folder: &Path, name: &str, role: impl Into<FileRole>) -> Result<Self> {
        let path = folder.join(name);
        let (bytes, checksum) = checksum(&path).map_err(|source| file(&path, "read", source))?;
        Ok(Self { name: name.to_string(), role: role.into(), bytes, checksum })
    }

    /// Whether the file in the folder is as long as it was.
    pub(super) fn check_length(&self, folder: &Path) -> Result<()> {
        let path = folder.join(&self.name);
        let length = std::fs::metadata(&path).map_err(|source| file(&path, "open", source))?.len();
        if length != self.bytes {
            let why = format!("{length} bytes, but the manifest says {}: is the bundle whole?", self.bytes);
            return Err(bad(&path, why));
        }
        Ok(())
    }

    /// Whether the file in the folder has the bytes it had.
    pub(super) fn verify(&self, folder: &Path) -> Result<()> {
        self.check_length(folder)?;
        let path = folder.join(&self.name);
        let (_, found) = checksum(&path).map_err(|source| file(&path, "read", source))?;
        if found != self.checksum {
            return Err(bad(&path, "the checksum differs from the manifest's: the file was changed".into()));
        }
        Ok(())
    }
}

impl Manifest {
    /// Reads and checks a manifest.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = crate::small::read(path)?;
        let manifest: Result<Self> =
            toml::from_str(&text).map_err(|e| bad(path, crate::small::message(&text, &e)));
        let manifest = match (manifest, version_of(&text)) {
            (_, Some(version)) if version != i64::from(VERSION) => {
                let why =
                    format!("version {version}, but this treeglot reads version {VERSION}: train it again");
                return Err(bad(path, why));
            }
            (manifest, _) => manifest?,
        };
        manifest.check().map_err(|why| bad(path, why))?;
        Ok(manifest)
    }

    fn check(&self) -> std::result::Result<(), String> {
        if self.files.iter().all(|entry| entry.role.table().is_none()) {
            return Err("a bundle needs a table".to_string());
        }
        if self.named(FileRole::Weights).count() != 1 {
            return Err("a bundle needs one file of weights".to_string());
        }
        for (k, entry) in self.files.iter().enumerate() {
            if Path::new(&entry.name).components().count() != 1 || entry.name.starts_with('.') {
                return Err(format!("the file `{}` is not in the bundle's folder", entry.name));
            }
            if self.files[..k].iter().any(|other| other.name == entry.name) {
                return Err(format!("the file `{}` is named twice", entry.name));
            }
        }
        Ok(())
    }

    /// Writes the manifest under a temporary name, then renames it.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(MANIFEST);
        let text = toml::to_string(self).map_err(|e| bad(&path, e.to_string()))?;
        super::write_text(&path, &text)
    }

    /// The files of a role, in order.
    pub fn named(&self, role: FileRole) -> impl Iterator<Item = &FileEntry> {
        self.files.iter().filter(move |entry| entry.role == role)
    }

    /// The only file of a role.
    pub(super) fn path_of(&self, folder: &Path, role: FileRole) -> Option<PathBuf> {
        self.named(role).next().map(|entry| folder.join(&entry.name))
    }
}

/// The version that a manifest of any version says it has.
fn version_of(text: &str) -> Option<i64> {
    text.parse::<toml::Table>().ok()?.get("version")?.as_integer()
}

/// The length of a file and the checksum of its bytes.
fn checksum(path: &Path) -> std::io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut hasher, mut buffer, mut length) = (Xxh3::new(), vec![0; 1 << 18], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((length, format!("{:032x}", hasher.digest128()))),
            n => {
                hasher.update(&buffer[..n]);
                length += n as u64;
            }
        }
    }
}
