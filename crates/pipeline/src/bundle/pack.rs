//! A bundle as one file: a tar archive with its files in one folder, packed as the name says (`.tar.zst`, `.tar.gz`, `.tar`),
//! which `tar` opens as well. The manifest comes first and says which files follow and how long they are: nothing else is
//! unpacked, so that an archive cannot fill a disk with what it does not announce. Checksums are compared on the way in and on
//! the way out.

use super::manifest::{MANIFEST, Manifest};
use super::{Bundle, bad, file};
use crate::error::{Error, Result};
use crate::small::LARGEST;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use tar::{Archive, Builder, Entry, EntryType, Header};
use treeglot_text::{Input, Output, TemporaryFolder};

/// The endings of packed bundles.
const ENDINGS: [&str; 3] = [".tar.zst", ".tar.gz", ".tar"];

/// What a bundle learnt after it was made: files that its manifest does not name, of this length at most.
const LEARNT: [&str; 2] = [crate::corrections::CORRECTIONS, crate::translator::CONFIDENCE];
const MOST_LEARNT: u64 = 64 << 20;

/// Whether a file is a packed bundle, by its name.
pub(super) fn is_packed(path: &Path) -> bool {
    ENDINGS.iter().any(|ending| path.to_string_lossy().ends_with(ending))
}

/// Packs a bundle into one file.
pub fn pack(bundle: &Bundle, to: &Path) -> Result<()> {
    bundle.verify()?;
    let folder = folder_name(bundle.folder());
    let mut out = Output::create(to)?;
    {
        let mut archive = Builder::new(&mut out);
        let files = bundle.manifest().files.iter().map(|entry| entry.name.as_str());
        let learnt = LEARNT.into_iter().filter(|name| bundle.folder().join(name).exists());
        for name in [MANIFEST].into_iter().chain(files).chain(learnt) {
            let path = bundle.folder().join(name);
            let source = fs::File::open(&path).map_err(|e| file(&path, "open", e))?;
            let mut header = Header::new_gnu();
            header.set_size(source.metadata().map_err(|e| file(&path, "read", e))?.len());
            header.set_mode(0o644);
            header.set_entry_type(EntryType::Regular);
            archive
                .append_data(&mut header, format!("{folder}/{name}"), source)
                .map_err(|e| file(to, "write", e))?;
        }
        archive.finish().map_err(|e| file(to, "write", e))?;
    }
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
    let folder = TemporaryFolder::new(parent, ".unfinished-").map_err(|e| file(parent, "write to", e))?;
    let mut archive = Archive::new(Input::open(from)?.reader);
    let mut entries = archive.entries().map_err(unreadable(from))?.filter(|entry| {
        !entry.as_ref().is_ok_and(|entry| entry.header().entry_type() == EntryType::Directory)
    });
    let mut next = || entries.next().transpose().map_err(unreadable(from));
    let first = next()?.ok_or_else(|| not_ours(from))?;
    if name_of(&first, from)? != MANIFEST || first.size() > LARGEST {
        return Err(not_ours(from));
    }
    copy(first, &folder.path().join(MANIFEST), from)?;
    let manifest = Manifest::read(&folder.path().join(MANIFEST)).map_err(|_| not_ours(from))?;
    check_room(&manifest, parent)?;
    let mut missing: Vec<_> = manifest.files.iter().collect();
    while let Some(entry) = next()? {
        let name = name_of(&entry, from)?;
        let to = folder.path().join(&name);
        if LEARNT.contains(&name.as_str()) && entry.size() <= MOST_LEARNT && !to.exists() {
            copy(entry, &to, from)?;
            continue;
        }
        let Some(at) = missing.iter().position(|wanted| wanted.name == name) else {
            return Err(bad(
                from,
                format!("it has a file `{name}` that its manifest does not name, or twice"),
            ));
        };
        let wanted = missing.remove(at);
        if entry.size() != wanted.bytes {
            let why = format!("`{name}` has {} bytes, but its manifest says {}", entry.size(), wanted.bytes);
            return Err(bad(from, why));
        }
        copy(entry, &to, from)?;
    }
    if let Some(entry) = missing.first() {
        return Err(bad(from, format!("`{}` is missing: is the archive whole?", entry.name)));
    }
    Bundle::open(folder.path())?.verify()?;
    folder.persist(to).map_err(|e| file(to, "write", e))?;
    Bundle::open(to)
}

fn not_ours(from: &Path) -> Error {
    bad(from, "not a packed bundle of this version: make one with `treeglot bundle pack`".to_string())
}

/// An archive that ends too early, or is none.
fn unreadable(from: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |error| match error.kind() {
        io::ErrorKind::UnexpectedEof => bad(from, "the archive ends too early: is it whole?".to_string()),
        io::ErrorKind::Other | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            bad(from, format!("not a packed bundle, or a damaged one: {error}"))
        }
        _ => file(from, "read", error),
    }
}

/// The name of a file of an archive, without its folder.
fn name_of<R: Read>(entry: &Entry<'_, R>, from: &Path) -> Result<String> {
    if entry.header().entry_type() != EntryType::Regular {
        return Err(not_ours(from));
    }
    let path = entry.path().map_err(unreadable(from))?;
    path.file_name().and_then(|name| name.to_str()).map(str::to_string).ok_or_else(|| not_ours(from))
}

/// Writes a file of an archive, all of the length that was announced.
fn copy<R: Read>(mut entry: Entry<'_, R>, to: &Path, from: &Path) -> Result<()> {
    let size = entry.size();
    let mut out = fs::File::create(to).map_err(|e| file(to, "write", e))?;
    let copied = io::copy(&mut entry.by_ref().take(size), &mut out).map_err(unreadable(from))?;
    if copied != size {
        return Err(bad(from, "the archive ends too early: is it whole?".to_string()));
    }
    Ok(())
}

/// Whether the disk has room for what the manifest announces.
fn check_room(manifest: &Manifest, folder: &Path) -> Result<()> {
    let needed = manifest.files.iter().fold(0u64, |sum, entry| sum.saturating_add(entry.bytes));
    let Ok(disk) = rustix::fs::statvfs(folder) else { return Ok(()) };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if needed > free {
        let why = format!("the bundle needs {needed} bytes, but only {free} are free: make room first");
        return Err(bad(folder, why));
    }
    Ok(())
}
