//! Small files that people write: recipes, manifests, cards. What is far too large to be one is not read.

use crate::error::{Error, Result};
use std::io::Read;
use std::path::Path;

/// The largest such file, in bytes.
pub(crate) const LARGEST: u64 = 1 << 20;

/// The text of a small file.
pub(crate) fn read(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(Error::reading(path))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(Error::reading(path))?;
    let bad = |why: &str| Error::Recipe { path: path.to_path_buf(), why: why.to_string() };
    if bytes.len() as u64 > LARGEST {
        return Err(bad("more than 1 MB: is this the right file?"));
    }
    String::from_utf8(bytes).map_err(|_| bad("not UTF-8: is this the right file?"))
}

/// A TOML error in one line, with the line it is about.
pub(crate) fn message(text: &str, error: &toml::de::Error) -> String {
    let what = error.message().lines().collect::<Vec<_>>().join("; ");
    error.span().map_or(what.clone(), |span| format!("line {}: {what}", line(text, span.start)))
}

/// The line of a place in a text.
pub(crate) fn line(text: &str, place: usize) -> usize {
    text.bytes().take(place).filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_no_text_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file.toml");
        for (bytes, why) in [(vec![b'#'; 2 << 20], "more than 1 MB"), (vec![0xff, 0xfe], "not UTF-8")] {
            std::fs::write(&path, bytes).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains("file.toml") && error.contains(why), "{error}");
        }
        std::fs::write(&path, vec![b'#'; 1 << 20]).unwrap();
        assert_eq!(read(&path).unwrap().len(), 1 << 20);
    }
}
