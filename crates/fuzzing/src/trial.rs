//! A target with its seeds and a folder to put damaged files into.

use crate::targets::{Damage, Target};
use crate::{Failure, mutate, sealed};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use treeglot_text::Rng;

/// What a reader did with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// It read it.
    Accepted,
    /// It refused it with this message, which says where.
    Refused(String),
}

/// A target at work.
pub struct Trial {
    target: &'static Target,
    seeds: Vec<Vec<u8>>,
    folder: TempDir,
    path: PathBuf,
}

impl Trial {
    /// Makes the seeds.
    pub fn new(target: &'static Target) -> Result<Self, Failure> {
        let folder = memory_folder()?;
        let mut seeds = kept_seeds(target.name)?;
        if let Some(make) = target.make {
            seeds.extend(make(folder.path())?);
        }
        if seeds.is_empty() {
            return Err(format!("{}: there is no seed", target.name).into());
        }
        let path = folder.path().join(format!("damaged{}", target.ending));
        Ok(Self { target, seeds, folder, path })
    }

    /// The files that damage begins with.
    pub fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    /// A damaged file.
    pub fn damaged(&self, random: &mut Rng) -> Vec<u8> {
        let mut bytes = random.choose(&self.seeds).clone();
        if self.target.damage == Damage::Sealed && random.below(5) > 0 {
            sealed::damage(&mut bytes, random);
        } else {
            let other = random.choose::<Vec<u8>>(&self.seeds);
            mutate::damage(&mut bytes, other, random);
        }
        bytes
    }

    /// Has the target read what a fuzzer made up, behind valid checksums where it reads mapped files; a fault is a panic.
    pub fn fuzz(&mut self, bytes: &[u8]) {
        let mut bytes = bytes.to_vec();
        if self.target.damage == Damage::Sealed {
            sealed::seal(&mut bytes);
        }
        if let Err(why) = self.read(&bytes) {
            panic!("{}: {why}", self.target.name);
        }
    }

    /// Has the target read these bytes as a file. The error says what is wrong with how it refused them.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Seen, Failure> {
        std::fs::write(&self.path, bytes)?;
        let Err(refusal) = (self.target.read)(&self.path) else { return Ok(Seen::Accepted) };
        let mut message = refusal.to_string();
        let mut cause = refusal.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        let named = message.contains("damaged") || message.contains(&*self.folder.path().to_string_lossy());
        match message {
            _ if !named => Err(format!("a refusal that does not name the file: {message}").into()),
            _ if message.len() > MOST => Err(format!("a refusal of {} bytes", message.len()).into()),
            _ => Ok(Seen::Refused(message)),
        }
    }
}

/// Messages are for people: none is longer than this.
const MOST: usize = 2000;

/// A folder in memory where there is one: files are written by the thousand.
fn memory_folder() -> std::io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    tempfile::Builder::new().prefix("treeglot-fuzzing-").tempdir_in(memory).or_else(|_| tempfile::tempdir())
}

/// The files `seeds/NAME` and `seeds/NAME.*`.
fn kept_seeds(name: &str) -> Result<Vec<Vec<u8>>, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
        if file == name || file.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files.iter().map(std::fs::read).collect::<Result<_, _>>()?)
}
