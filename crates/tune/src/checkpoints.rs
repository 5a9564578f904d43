//! What an interrupted run of tuning leaves behind: the lists and the weights of each finished round, in a folder, each file
//! complete or absent.

use crate::candidates::Candidate;
use crate::error::Error;
use crate::features::FeatureSpace;
use crate::nbest::{read_nbest, write_nbest};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use treeglot_text::{Lines, Output};

/// A folder with the rounds of one run.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
}

/// Why a run cannot be kept or taken up again.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The folder cannot be made.
    #[error("{}: cannot make the folder", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The folder is of another run.
    #[error(
        "{}: begun with other settings ({was}), now {now}: repeat those, or give another folder",
        folder.display()
    )]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// The settings it was begun with.
        was: String,
        /// The settings given now.
        now: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Tune(#[from] Error),
}

impl From<treeglot_text::Error> for CheckpointError {
    fn from(error: treeglot_text::Error) -> Self {
        Self::Tune(error.into())
    }
}

impl Checkpoints {
    /// Opens or begins a folder. `settings` is one line that says all the result depends on: a folder that was begun with
    /// another is refused.
    pub fn open(folder: impl Into<PathBuf>, settings: &str) -> Result<Self, CheckpointError> {
        let folder = folder.into();
        if let Err(source) = std::fs::create_dir_all(&folder) {
            return Err(CheckpointError::Folder { folder, source });
        }
        let path = folder.join("settings");
        if !path.exists() {
            write_text(&path, &format!("{settings}\n"))?;
        }
        let was = Lines::open(&path)?.next_line()?.unwrap_or_default().to_string();
        if was != settings {
            return Err(CheckpointError::OtherRun { folder, was, now: settings.to_string() });
        }
        Ok(Self { folder })
    }

    fn path(&self, number: usize, what: &str) -> PathBuf {
        self.folder.join(format!("round-{number:03}.{what}"))
    }

    /// The lists of a round, if it was kept.
    pub(crate) fn lists(
        &self,
        number: usize,
        sentences: usize,
        space: &mut FeatureSpace,
    ) -> Result<Option<Vec<Vec<Candidate>>>, CheckpointError> {
        let path = self.path(number, "nbest.zst");
        if !path.exists() {
            return Ok(None);
        }
        let mut all: Vec<Vec<Candidate>> = vec![Vec::new(); sentences];
        let mut names = Lines::open(self.path(number, "sparse"))?;
        while let Some(name) = names.next_line()? {
            space.sparse(name);
        }
        read_nbest(&path, sentences, space, |lists| {
            all.iter_mut().zip(lists).for_each(|(all, list)| all.extend_from_slice(list));
            Ok(())
        })?;
        Ok(Some(all))
    }

    /// Keeps the lists of a round, and the order in which sparse features got their places.
    pub(crate) fn keep_lists(
        &self,
        number: usize,
        lists: &[Vec<Candidate>],
        space: &FeatureSpace,
        weights: &[f64],
    ) -> Result<(), CheckpointError> {
        let names: String = space.sparse_names().iter().map(|name| format!("{name}\n")).collect();
        write_text(&self.path(number, "sparse"), &names)?;
        Ok(write_nbest(&self.path(number, "nbest.zst"), lists, space, weights)?)
    }

    /// The weights found after a round, if they were kept.
    pub(crate) fn weights(&self, number: usize) -> Result<Option<Vec<f64>>, CheckpointError> {
        let path = self.path(number, "weights");
        if !path.exists() {
            return Ok(None);
        }
        let mut lines = Lines::open(&path)?;
        let mut weights = Vec::new();
        loop {
            let weight = match lines.next_line()? {
                None => return Ok(Some(weights)),
                Some(line) => line.parse::<f64>().ok().filter(|weight| weight.is_finite()),
            };
            match weight {
                Some(weight) => weights.push(weight),
                None => {
                    return Err(lines
                        .malformed("expected a number: remove the file to repeat its round")
                        .into());
                }
            }
        }
    }

    pub(crate) fn keep_weights(&self, number: usize, weights: &[f64]) -> Result<(), CheckpointError> {
        let lines: String = weights.iter().map(|weight| format!("{weight}\n")).collect();
        write_text(&self.path(number, "weights"), &lines)
    }
}

fn write_text(path: &Path, text: &str) -> Result<(), CheckpointError> {
    let mut out = Output::create(path)?;
    out.write_all(text.as_bytes()).map_err(|e| out.error(e))?;
    Ok(out.finish()?)
}
