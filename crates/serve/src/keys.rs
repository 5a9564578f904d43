//! API keys. A key is 32 random bytes that only its owner has; the file has their hashes, so that whoever reads it can use none.
//! One line a key: the SHA-256 hash in hexadecimal digits, a blank, a name for people.

use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// How long the text of a key is, after its prefix.
const BYTES: usize = 32;

/// What every key begins with, so that people and programs that look for leaked keys know one when they see it.
const PREFIX: &str = "tg_";

/// The keys of a file, by hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    names: HashMap<String, String>,
}

impl Keys {
    /// Reads a file of keys.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|source| Error::File {
            path: path.into(),
            doing: "read",
            source,
        })?;
        let mut names = HashMap::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (hash, name) = line.split_once(' ').unwrap_or((line, ""));
            if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let why = "a line is the 64 hexadecimal digits of a hash, a blank and a name: make keys with `serve key new`";
                return Err(Error::Keys { path: path.into(), line: number + 1, why });
            }
            names.insert(hash.to_ascii_lowercase(), name.trim().to_string());
        }
        Ok(Self { names })
    }

    /// Whose key this is; nobody's if it is none of these.
    pub fn owner(&self, key: &str) -> Option<&str> {
        // Hashes are compared, not keys: how long that takes tells nothing about a key.
        self.names.get(&hash(key)).map(String::as_str)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// Makes a key, appends its hash to a file that only its owner may read, and returns the key, which is not kept anywhere.
pub fn new_key(path: &Path, name: &str) -> Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::System { what: "random numbers", source: std::io::Error::other(error) })?;
    let key = format!("{PREFIX}{}", hexadecimal(&bytes));
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || options.open(path)?.write_all(format!("{} {}\n", hash(&key), name.trim()).as_bytes());
    write().map_err(|source| Error::File { path: path.into(), doing: "write", source })?;
    Ok(key)
}

fn hash(key: &str) -> String {
    hexadecimal(&Sha256::digest(key.as_bytes()))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_is_known_and_stands_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let (first, second) = (new_key(&path, "Ada").unwrap(), new_key(&path, "Bo\nb").unwrap());
        let keys = Keys::read(&path).unwrap();
        assert_eq!((keys.len(), keys.owner(&first), keys.owner(&second)), (2, Some("Ada"), Some("Bo b")));
        assert_eq!((keys.owner(""), keys.owner(&first[1..])), (None, None));
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&first[3..]) && first.len() == 67);
        assert!(keys.owner(text.split(' ').next().unwrap()).is_none(), "a hash is no key");
    }

    #[test]
    fn a_line_that_is_no_hash_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        fs::write(&path, "# who may ask\n\nsecret Ada\n").unwrap();
        let error = Keys::read(&path).unwrap_err().to_string();
        assert!(error.contains("keys:3: a line is the 64 hexadecimal digits"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        new_key(&path, "").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
