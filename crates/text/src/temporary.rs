//! Files and folders that are being written under temporary names. They get their own names when they are complete and on
//! disk, are taken away when they are dropped before that, and all at once when the program is told to end. What a
//! killed program leaves is taken away by whoever next writes into the folder: a lock on each file, which the system
//! gives up with the process, on whichever machine it ran, tells whether its writer still lives.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{NamedTempFile, TempDir};

const PREFIX: &str = ".treeglot-";

/// How many links may lead to a file.
const MOST_LINKS: usize = 40;

static WRITING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn writing() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes away all that is being written under a temporary name, for a program that ends without dropping its values. Nothing new is
/// begun after that: threads that try wait for the program's end.
pub fn remove_unfinished() {
    let mut writing = writing();
    for path in std::mem::take(&mut *writing) {
        if path.is_dir() {
            // Another thread may still put a file into the folder: what appears meanwhile goes in the next round.
            let _ = (0..10).find(|_| fs::remove_dir_all(&path).is_ok() || !path.exists());
        } else {
            let _ = fs::remove_file(&path);
        }
    }
    std::mem::forget(writing);
}

/// A path that is to be removed as long as this value lives.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    /// Makes something that has a path and lists it, in one step for [`remove_unfinished`].
    fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        let mut writing = writing();
        let made = make()?;
        let path = path(&made).to_path_buf();
        writing.insert(path.clone());
        Ok((made, Self(path)))
    }

    /// Gives a folder its name and takes it off the list, in one step: one that [`remove_unfinished`] is emptying must not get its
    /// name with what is left in it.
    fn leave(&self, rename: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let mut writing = writing();
        rename(&self.0)?;
        writing.remove(&self.0);
        Ok(())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        writing().remove(&self.0);
    }
}

/// A file on its way to its name. Dropped, it leaves no trace.
pub(crate) struct TemporaryFile {
    file: NamedTempFile,
    path: PathBuf,
    _listed: Listed,
}

impl TemporaryFile {
    /// A file that will be called `path`, or that to which `path` is a link.
    pub(crate) fn beside(path: &Path) -> io::Result<Self> {
        let path = behind_links(path)?;
        if path.metadata().is_ok_and(|m| !m.is_file()) {
            // A rename would put a file in the place of a device or a pipe.
            let message =
                "it is no regular file, and this output cannot be a stream: give it the name of a file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let folder = folder_of(&path);
        if !folder.is_dir() {
            let message = format!("there is no folder {}", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        remove_stale(folder, PREFIX);
        let (file, _listed) = Listed::make(|| locked_in(folder), NamedTempFile::path)?;
        Ok(Self { file, path, _listed })
    }

    /// Brings what was written to disk, and then gives it its name, for good.
    pub(crate) fn persist(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path).map_err(|e| e.error)?;
        sync_folder(folder_of(&self.path));
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
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Held as long as the folder is being filled; none where folders cannot be locked.
    _lock: Option<File>,
    listed: Listed,
}

impl TemporaryFolder {
    /// A new folder in `parent` whose name begins with `prefix`.
    pub fn new(parent: &Path, prefix: &str) -> io::Result<Self> {
        remove_stale(parent, prefix);
        Self::make(parent, tempfile::Builder::new().prefix(prefix))
    }

    /// A new folder in `parent` of this name, for those who know that nobody else takes it.
    pub fn named(parent: &Path, name: &str) -> io::Result<Self> {
        Self::make(parent, tempfile::Builder::new().prefix(name).rand_bytes(0))
    }

    fn make(parent: &Path, named: &tempfile::Builder<'_, '_>) -> io::Result<Self> {
        loop {
            let (folder, listed) = Listed::make(|| named.tempdir_in(parent), TempDir::path)?;
            let _lock = File::open(folder.path()).ok().filter(|folder| folder.lock().is_ok());
            // Someone who looks for stale folders may have been quicker with the lock.
            if folder.path().exists() {
                return Ok(Self { folder, _lock, listed });
            }
        }
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name, for good, with the files that were written into it; if that fails, it is taken away.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        sync_folder(self.folder.path());
        self.listed.leave(|folder| fs::rename(folder, path))?;
        let _ = self.folder.keep();
        sync_folder(folder_of(path));
        Ok(())
    }
}

/// Brings the names in a folder to disk: a file's name is safe when its folder is. Not every system can do that.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Where a path leads, whether there is a file yet or not.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match path.read_link() {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "a link that leads in a circle"))
}

/// A new file in a folder, locked as long as it is written. If someone who looks for stale files was quicker with the
/// lock, the file is gone, and another is made.
fn locked_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        // A temporary file is private by default; the finished file gets the usual permissions.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        // File systems without locks have no stale files taken away either.
        if file.as_file().lock().is_err() || file.path().exists() {
            return Ok(file);
        }
    }
}

/// Takes away the files and folders of a prefix that killed processes left in a folder; looks once a folder.
fn remove_stale(folder: &Path, prefix: &str) {
    static SEEN: Mutex<Option<HashSet<(PathBuf, String)>>> = Mutex::new(None);
    let Ok(folder) = folder.canonicalize() else { return };
    let place = (folder.clone(), prefix.to_string());
    if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(place) {
        return;
    }
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
        let (path, is_folder) = (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let Ok(opened) = File::options().read(true).write(!is_folder).open(&path) else { continue };
        if opened.try_lock().is_ok() {
            let _ = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn what_is_no_regular_file_is_not_replaced() {
        let message = TemporaryFile::beside(Path::new("/dev/null")).map(drop).unwrap_err().to_string();
        assert!(message.contains("no regular file"), "{message}");
        use std::os::unix::fs::FileTypeExt;
        assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
    }

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

    /// Found by a signal between two steps: the folder was emptied under its temporary name and then got its own.
    #[test]
    fn a_folder_is_listed_exactly_as_long_as_it_has_its_temporary_name() {
        let place = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..200 {
                    let folder = TemporaryFolder::new(place.path(), ".unfinished-").unwrap();
                    folder.persist(&place.path().join(number.to_string())).unwrap();
                }
                done.store(true, std::sync::atomic::Ordering::Release);
            });
            while !done.load(std::sync::atomic::Ordering::Acquire) {
                let listed = writing();
                let gone = listed.iter().find(|path| path.starts_with(place.path()) && !path.exists());
                assert_eq!(gone, None);
            }
        });
    }

    #[test]
    fn what_a_killed_process_left_is_taken_away_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let entries = folder.path().read_dir().unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        fs::write(folder.path().join(".treeglot-dead"), "half").unwrap();
        fs::write(folder.path().join("other"), "").unwrap();
        fs::create_dir(folder.path().join(".unfinished-dead")).unwrap();
        fs::write(folder.path().join(".unfinished-dead/half"), "half").unwrap();
        let filled = TemporaryFolder::named(folder.path(), ".unfinished-living").unwrap();
        let other = TemporaryFolder::new(folder.path(), ".unfinished-").unwrap();
        assert!(filled.path().exists() && !folder.path().join(".unfinished-dead").exists());
        drop((filled, other));
        let living = locked_in(folder.path()).unwrap();
        let mut written = TemporaryFile::beside(&folder.path().join("whole")).unwrap();
        assert!(living.path().exists() && !folder.path().join(".treeglot-dead").exists());
        written.write_all(b"all").unwrap();
        written.persist().unwrap();
        drop(living);
        assert_eq!(names(), ["other", "whole"]);
    }
}
