//! A bundle as one file: a tar archive with its files in one folder, packed as the name says (`.tar.zst`, `.tar.gz`, `.tar`),
//! which `tar` opens as well. Checksums are verified on the way in and on the way out.

use super::{Bundle, MANIFEST, bad, file};
use crate::error::{Error, Result};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use treeglot_text::{Input, Output, TemporaryFolder};

/// The size of the units that a tar archive consists of.
const BLOCK: usize = 512;

/// Packs a bundle into one file.
pub fn pack(bundle: &Bundle, to: &Path) -> Result<()> {
    bundle.verify()?;
    let folder = folder_name(bundle.folder());
    let mut out = Output::create(to)?;
    for name in [MANIFEST].into_iter().chain(bundle.files()) {
        let path = bundle.folder().join(name);
        let mut source = fs::File::open(&path).map_err(|e| file(&path, "open", e))?;
        let size = source.metadata().map_err(|e| file(&path, "read", e))?.len();
        let header = header(&format!("{folder}/{name}"), size).map_err(|why| bad(&path, why))?;
        out.write_all(&header).map_err(|e| out.error(e))?;
        let copied = io::copy(&mut source, &mut out).map_err(|e| out.error(e))?;
        if copied != size {
            return Err(bad(&path, "the file changed while it was packed".to_string()));
        }
        out.write_all(&vec![0; padding(size)]).map_err(|e| out.error(e))?;
    }
    out.write_all(&[0; 2 * BLOCK]).map_err(|e| out.error(e))?;
    Ok(out.finish()?)
}

/// The name that a bundle's folder has in its archive.
fn folder_name(folder: &Path) -> String {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    full.file_name().map_or("bundle".to_string(), |name| name.to_string_lossy().into_owned())
}

/// Unpacks a bundle into a folder that must not exist yet: it gets its name when all is there and verified.
pub fn unpack(from: &Path, to: &Path) -> Result<Bundle> {
    if to.exists() {
        return Err(bad(to, "there is something already: remove it, or name another folder".to_string()));
    }
    let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = TemporaryFolder::new(parent, ".unpacked-").map_err(|e| file(parent, "write to", e))?;
    let mut reader = Input::open(from)?.reader;
    while let Some((name, size)) = next_entry(&mut reader, from)? {
        let path = folder.path().join(&name);
        let mut out = fs::File::create(&path).map_err(|e| file(&path, "write", e))?;
        let copied = io::copy(&mut reader.by_ref().take(size), &mut out).map_err(Error::reading(from))?;
        let padding = padding(size) as u64;
        let skipped =
            io::copy(&mut reader.by_ref().take(padding), &mut io::sink()).map_err(Error::reading(from))?;
        if (copied, skipped) != (size, padding) {
            return Err(bad(from, format!("the archive ends within `{name}`: is it whole?")));
        }
    }
    Bundle::open(folder.path()).and_then(|bundle| bundle.verify()).map_err(|error| match error {
        Error::File { source, .. } => bad(from, format!("a file of the bundle is missing: {source}")),
        other => other,
    })?;
    folder.persist(to).map_err(|e| file(to, "write", e))?;
    Bundle::open(to)
}

/// How many bytes fill the last block of a file.
fn padding(size: u64) -> usize {
    (BLOCK - (size % BLOCK as u64) as usize) % BLOCK
}

/// The header of a file in a tar archive.
fn header(name: &str, size: u64) -> std::result::Result<[u8; BLOCK], String> {
    let mut header = [0; BLOCK];
    if name.len() > 100 {
        return Err(format!("the name `{name}` is too long for an archive"));
    }
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    if size < 1 << 33 {
        put(124, format!("{size:011o}\0").as_bytes());
    } else {
        put(124, &[0x80, 0, 0, 0]);
        put(128, &size.to_be_bytes());
    }
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

/// The name and size of the next file of an archive, without its folder; none at the end.
fn next_entry(reader: &mut impl Read, from: &Path) -> Result<Option<(String, u64)>> {
    loop {
        let mut header = [0; BLOCK];
        reader.read_exact(&mut header).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => bad(from, "the archive has no end: is it whole?".to_string()),
            _ => Error::reading(from)(e),
        })?;
        if header.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        let not_ours = || bad(from, "not a packed bundle: make one with `treeglot bundle pack`".to_string());
        if &header[257..262] != b"ustar" {
            return Err(not_ours());
        }
        let size = number(&header[124..136]).ok_or_else(not_ours)?;
        let end = header[..100].iter().position(|&byte| byte == 0).unwrap_or(100);
        let path = std::str::from_utf8(&header[..end]).map_err(|_| not_ours())?;
        match (header[156], path.trim_end_matches('/').rsplit('/').next()) {
            (b'5', _) => continue,
            (b'0' | 0, Some(name)) if !name.is_empty() && name != "." && name != ".." => {
                return Ok(Some((name.to_string(), size)));
            }
            _ => return Err(not_ours()),
        }
    }
}

/// A number of a header: octal digits, or eight bytes behind a mark.
fn number(field: &[u8]) -> Option<u64> {
    if field[0] == 0x80 {
        return Some(u64::from_be_bytes(field[4..].try_into().ok()?));
    }
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    u64::from_str_radix(text, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_eight_gigabytes_are_read_back() {
        for size in [0, 1, 511, (1 << 33) - 1, 1 << 33, 1 << 40] {
            let header = header("b/table0", size).unwrap();
            let mut archive = &header[..];
            let read = next_entry(&mut archive, Path::new("a.tar")).unwrap();
            assert_eq!(read, Some(("table0".to_string(), size)));
        }
    }

    #[test]
    fn what_is_no_archive_or_cut_off_is_told() {
        let read = |bytes: &[u8]| next_entry(&mut &bytes[..], Path::new("a.tar")).unwrap_err().to_string();
        assert!(read(&[1; BLOCK]).contains("not a packed bundle"));
        assert!(read(&[0; 100]).contains("is it whole?"));
        let mut outside = header("..", 0).unwrap();
        outside[0..3].copy_from_slice(b"../");
        assert!(read(&outside).contains("not a packed bundle"));
    }
}
