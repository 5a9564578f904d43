//! Locks of files, by which processes that work in one folder keep out of each other's way. A lock is the system's own: it
//! ends with the process that holds it, however that ends, so that none is ever left behind. The file says who holds it.

use crate::error::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A lock that this process holds until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock, or says who has it.
    pub fn take(path: &Path) -> Result<std::result::Result<Self, String>> {
        loop {
            let mut file = open(path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(Err(holder(&mut file))),
                // A file system without locks: better to go on without than not at all.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            if let Some(lock) = Self::held(file, path)? {
                return Ok(Ok(lock));
            }
        }
    }

    /// Takes the lock, after waiting for whoever has it; `tell` hears who that is.
    pub fn wait(path: &Path, tell: impl Fn(&str)) -> Result<Self> {
        loop {
            match Self::take(path)? {
                Ok(lock) => return Ok(lock),
                Err(holder) => tell(&holder),
            }
            let file = open(path)?;
            // An error here is seen again when the lock is taken.
            let _ = file.lock();
        }
    }

    /// The lock, unless the one who had it before took the file away: then this is a lock on nothing.
    fn held(mut file: File, path: &Path) -> Result<Option<Self>> {
        if !is_at(&file, path) {
            return Ok(None);
        }
        let text = format!("process {} on {}", std::process::id(), host());
        let written = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
        written.map_err(Error::writing(path))?;
        Ok(Some(Self { path: path.to_path_buf(), file }))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// Somebody is at work in a folder, several at once if they like: a shared lock on the folder itself. Where folders cannot be locked
/// nobody is known to be.
#[derive(Debug)]
pub(crate) struct InUse {
    _folder: Option<File>,
}

impl InUse {
    /// Makes the folder if it is missing, and works in it as long as this value lives.
    pub fn make(path: &Path) -> Result<Self> {
        loop {
            std::fs::create_dir_all(path).map_err(Error::writing(path))?;
            let Some(folder) = File::open(path).ok().filter(|folder| folder.lock_shared().is_ok()) else {
                return Ok(Self { _folder: None });
            };
            // Whoever took the folder away before had a lock on it.
            if is_at(&folder, path) {
                return Ok(Self { _folder: Some(folder) });
            }
        }
    }

    /// Does something to a folder in which nobody is at work, and keeps others out meanwhile; `None` if somebody is.
    pub fn by_nobody<T>(path: &Path, act: impl FnOnce() -> T) -> Option<T> {
        let folder = File::open(path).ok();
        match folder.as_ref().map(File::try_lock) {
            Some(Err(TryLockError::WouldBlock)) => None,
            _ => Some(act()),
        }
    }
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path).map_err(Error::writing(path))
}

/// Who holds the lock of a file, as the file says.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(200).read_to_string(&mut text));
    if read.is_ok() && !text.is_empty() { text } else { "another process".to_string() }
}

/// The name of this machine.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::fs::read_to_string("/etc/hostname"));
    name.map_or_else(|_| "this machine".to_string(), |name| name.trim().to_string())
}

/// Whether an open file is still the one of this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Where open files cannot be removed, it always is.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_folder_in_use_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("folder");
        let users = [InUse::make(&folder).unwrap(), InUse::make(&folder).unwrap()];
        assert_eq!(InUse::by_nobody(&folder, || ()), None);
        drop(users);
        assert!(InUse::by_nobody(&folder, || std::fs::remove_dir(&folder)).unwrap().is_ok());
        InUse::make(&folder).unwrap();
        assert!(folder.exists());
    }

    #[test]
    fn a_lock_is_held_once_and_says_by_whom() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = Lock::take(&path).unwrap().unwrap();
        let holder = Lock::take(&path).unwrap().unwrap_err();
        assert!(holder.starts_with(&format!("process {} on ", std::process::id())), "{holder}");
        drop(held);
        drop(Lock::take(&path).unwrap().unwrap());
        assert!(!path.exists(), "nothing is left behind");
    }

    #[test]
    fn a_file_that_a_dead_process_left_is_no_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        std::fs::write(&path, "process 1 on elsewhere").unwrap();
        assert!(Lock::take(&path).unwrap().is_ok());
    }

    #[test]
    fn those_who_wait_get_it_one_after_the_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let (inside, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _lock = Lock::wait(&path, |_| ()).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 160);
    }
}
