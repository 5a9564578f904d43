//! The file of a bundle's corrections: a line each, JSON after a checksum. It is written anew under another name, brought to the
//! disk and renamed, under a lock: whenever the process is killed, the file has all corrections that were learnt before, or these and
//! the new ones.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The name of the file in a bundle's folder.
pub const CORRECTIONS: &str = "corrections.jsonl";

/// What the file is called until it is on the disk, and the file that is locked meanwhile.
const NEW: &str = "corrections.new";
const LOCK: &str = "corrections.lock";

/// A sentence and how it should be translated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The sentence as it was given.
    pub source: String,
    /// Its translation as it was given.
    pub target: String,
    /// The words of the sentence as models see them.
    pub source_words: String,
    /// The words of the translation.
    pub target_words: String,
    /// Links of words: positions on both sides.
    pub links: Vec<(u32, u32)>,
}

/// All corrections of a bundle, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Corrections {
    /// The corrections.
    pub all: Vec<Correction>,
}

impl Corrections {
    /// Reads those of a bundle; none where nothing was learnt.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(CORRECTIONS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(Error::File { path, doing: "read", source }),
        };
        let all = (1..).zip(text.lines()).map(|(line, text)| {
            read_line(text).ok_or_else(|| Error::Bundle {
                path: path.clone(),
                why: format!("line {line} is damaged: `treeglot bundle forget` can start anew"),
            })
        });
        Ok(Self { all: all.collect::<Result<_>>()? })
    }

    /// Changes those of a bundle; what they are then.
    pub fn change(folder: &Path, change: impl FnOnce(&mut Vec<Correction>)) -> Result<Self> {
        let failed = |path: PathBuf| move |source| Error::File { path, doing: "write", source };
        let lock = File::create(folder.join(LOCK)).map_err(failed(folder.join(LOCK)))?;
        lock.lock().map_err(failed(folder.join(LOCK)))?;
        let mut corrections = Self::read(folder)?;
        change(&mut corrections.all);
        corrections.write(folder).map_err(failed(folder.join(CORRECTIONS)))?;
        Ok(corrections)
    }

    /// Forgets all, also where the file is damaged.
    pub fn forget_all(folder: &Path) -> Result<()> {
        match fs::remove_file(folder.join(CORRECTIONS)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::File { path: folder.join(CORRECTIONS), doing: "remove", source: error })
            }
            _ => Ok(()),
        }
    }

    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let mut text = String::new();
        for correction in &self.all {
            let line = serde_json::to_string(correction)?;
            text.push_str(&format!("{:016x} {line}\n", xxh3_64(line.as_bytes())));
        }
        let mut file = File::create(folder.join(NEW))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(folder.join(NEW), folder.join(CORRECTIONS))?;
        // The new name is on the disk when the folder is.
        File::open(folder)?.sync_all()
    }
}

fn read_line(line: &str) -> Option<Correction> {
    let (checksum, text) = line.split_once(' ')?;
    let checksum = u64::from_str_radix(checksum, 16).ok()?;
    (checksum == xxh3_64(text.as_bytes())).then(|| serde_json::from_str(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correction(source: &str) -> Correction {
        Correction {
            source: source.to_string(),
            target: "t".to_string(),
            source_words: source.to_string(),
            target_words: "t".to_string(),
            links: vec![(0, 0)],
        }
    }

    #[test]
    fn what_was_learnt_is_read_again_and_an_unfinished_file_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Corrections::read(folder.path()).unwrap(), Corrections::default());
        Corrections::change(folder.path(), |all| all.push(correction("a\tb\n"))).unwrap();
        fs::write(folder.path().join(NEW), "half a li").unwrap();
        let now = Corrections::change(folder.path(), |all| all.push(correction("c"))).unwrap();
        assert_eq!(Corrections::read(folder.path()).unwrap(), now);
        assert_eq!(now.all, [correction("a\tb\n"), correction("c")]);
    }

    #[test]
    fn a_damaged_line_is_told_and_can_be_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        Corrections::change(folder.path(), |all| all.push(correction("a"))).unwrap();
        let path = folder.path().join(CORRECTIONS);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("\"a\"", "\"b\"")).unwrap();
        assert!(Corrections::read(folder.path()).unwrap_err().to_string().contains("line 1 is damaged"));
        Corrections::forget_all(folder.path()).unwrap();
        assert!(Corrections::read(folder.path()).unwrap().all.is_empty());
    }
}
