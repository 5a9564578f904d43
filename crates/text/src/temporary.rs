//! Files and folders that are being written under temporary names. They get their own names when they are complete, are taken
//! away when they are dropped before that, and all at once when the program is told to end.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use tempfile::{NamedTempFile, TempDir};

static WRITING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn writing() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    WRITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Takes away all that is being written under a temporary name, for a program that ends without dropping its values.
pub fn remove_unfinished() {
    for path in std::mem::take(&mut *writing()) {
        if path.is_dir() {
            // Another thread may still put a file into the folder: what appears meanwhile goes in the next round.
            let _ = (0..10).find(|_| fs::remove_dir_all(&path).is_ok() || !path.exists());
        } else {
            let _ = fs::remove_file(&path);
        }
    }
}

/// A path that is to be removed as long as this value lives.
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Self {
        writing().insert(path.to_path_buf());
        Self(path.to_path_buf())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        writing().remove(&self.0);
    }
}

/// A file being written.
pub(crate) struct TemporaryFile {
    file: NamedTempFile,
    _listed: Listed,
}

impl TemporaryFile {
    /// A file in the folder of `path`, so that it can be renamed to it.
    pub fn beside(path: &Path) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let message = format!("there is no folder {}", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".treeglot-");
        #[cfg(unix)]
        {
            // A temporary file is private by default; the finished file gets the usual permissions.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder)?;
        Ok(Self { _listed: Listed::new(file.path()), file })
    }

    /// Gives the file its name.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        self.file.persist(path).map_err(|e| e.error)?;
        Ok(())
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for TemporaryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A folder being filled.
pub struct TemporaryFolder {
    folder: TempDir,
    _listed: Listed,
}

impl TemporaryFolder {
    /// A new folder in `parent` whose name begins with `prefix`.
    pub fn new(parent: &Path, prefix: &str) -> io::Result<Self> {
        Ok(Self::of(tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?))
    }

    /// A new folder in `parent` of this name, for those who know that nobody else takes it.
    pub fn named(parent: &Path, name: &str) -> io::Result<Self> {
        Ok(Self::of(tempfile::Builder::new().prefix(name).rand_bytes(0).tempdir_in(parent)?))
    }

    fn of(folder: TempDir) -> Self {
        Self { _listed: Listed::new(folder.path()), folder }
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name; if that fails, it is taken away.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        fs::rename(self.folder.path(), path)?;
        let _ = self.folder.keep();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only test that ends what is being written: tests share the list, but not this process's other tests' files, which are
    /// in folders of their own and written within a moment.
    #[test]
    fn unfinished_files_and_folders_go_when_the_program_ends() {
        let place = tempfile::tempdir().unwrap();
        let folder = TemporaryFolder::new(place.path(), ".unfinished-").unwrap();
        fs::write(folder.path().join("half"), "half").unwrap();
        let listed: Vec<PathBuf> =
            writing().iter().filter(|path| path.starts_with(place.path())).cloned().collect();
        assert_eq!(listed, [folder.path()]);
        let done = TemporaryFolder::new(place.path(), ".unfinished-").unwrap();
        done.persist(&place.path().join("done")).unwrap();
        drop(folder);
        let left: Vec<_> = fs::read_dir(place.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["done"]);
        assert!(!writing().iter().any(|path| path.starts_with(place.path())));
    }
}
