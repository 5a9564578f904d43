//! Keys of stages: a hash of everything a stage's output depends on. Two runs with the same key give the same files, so
//! that the second may take what the first wrote.

use crate::error::{Error, Result};
use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;
use xxhash_rust::xxh3::Xxh3;

/// What a stage's output depends on, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u128);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", (self.0 >> 64) as u64 ^ self.0 as u64)
    }
}

/// Collects what a key depends on. Each part is written with its length, so that no two lists of parts look alike.
pub struct KeyBuilder(Xxh3);

impl KeyBuilder {
    /// A key for a kind of stage; `version` changes when the stage's output does for the same inputs.
    pub fn new(kind: &str, version: u32) -> Self {
        Self(Xxh3::new()).text(kind).text(&version.to_string())
    }

    /// Adds a parameter.
    pub fn text(mut self, part: &str) -> Self {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part.as_bytes());
        self
    }

    /// Adds parameters that can be written as JSON: structs of settings.
    pub fn settings(self, settings: &(impl serde::Serialize + ?Sized)) -> Self {
        let text =
            serde_json::to_string(settings).expect("settings are plain structs, which JSON can always write");
        self.text(&text)
    }

    /// Adds another key: that of a stage whose output this one reads, or of a file.
    pub fn key(self, key: Key) -> Self {
        self.text(&format!("{:032x}", key.0))
    }

    /// The key.
    pub fn finish(self) -> Key {
        Key(self.0.digest128())
    }
}

/// Keys of input files by their bytes, each file read once as long as it stays as it is.
#[derive(Debug, Default)]
pub struct FileKeys {
    known: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    length: u64,
    changed: Option<SystemTime>,
    key: Key,
}

impl FileKeys {
    /// The key of a file's bytes.
    pub fn of(&self, path: &Path) -> Result<Key> {
        let about = std::fs::metadata(path).map_err(Error::reading(path))?;
        let (length, changed) = (about.len(), about.modified().ok());
        let mut known = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(before) =
            known.get(path).filter(|before| before.length == length && before.changed == changed)
        {
            return Ok(before.key);
        }
        let key = hash(path).map_err(Error::reading(path))?;
        known.insert(path.to_path_buf(), Known { length, changed, key });
        Ok(key)
    }
}

fn hash(path: &Path) -> std::io::Result<Key> {
    let mut file = std::fs::File::open(path)?;
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(Key(hasher.digest128())),
            n => hasher.update(&buffer[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let one = KeyBuilder::new("lm", 1).text("ab").text("c").finish();
        let two = KeyBuilder::new("lm", 1).text("a").text("bc").finish();
        assert_ne!(one, two);
        assert_ne!(one, KeyBuilder::new("lm", 2).text("ab").text("c").finish());
        assert_eq!(one, KeyBuilder::new("lm", 1).text("ab").text("c").finish());
    }

    #[test]
    fn a_file_has_the_key_of_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let keys = FileKeys::default();
        let (a, b, c) = (write("a", "same"), write("b", "same"), write("c", "other"));
        assert_eq!(keys.of(&a).unwrap(), keys.of(&b).unwrap());
        assert_ne!(keys.of(&a).unwrap(), keys.of(&c).unwrap());
        std::fs::write(&a, "longer now").unwrap();
        assert_ne!(keys.of(&a).unwrap(), keys.of(&b).unwrap());
    }
}
