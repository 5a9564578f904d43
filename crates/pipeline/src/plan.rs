//! Plans: stages that read each other's output, each with a key that tells what its output depends on. All keys are
//! known before the first stage runs, so a plan can say beforehand what there is to do, and stages that several
//! systems have in common are in it once.

use crate::error::Result;
use crate::key::Key;
use crate::progress::Bar;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// A stage of a [`Plan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageId(pub(crate) usize);

/// What a stage does: read the folders of the stages before it, write to its own.
pub type Work<'w> = Box<dyn FnOnce(&mut Workplace<'_>) -> Result<()> + Send + 'w>;

/// A stage before it runs.
pub(crate) struct Stage {
    pub name: String,
    pub key: Key,
    pub after: Vec<StageId>,
}

/// Stages and their order.
#[derive(Default)]
pub struct Plan<'w> {
    pub(crate) stages: Vec<Stage>,
    pub(crate) works: Vec<Work<'w>>,
    by_key: HashMap<Key, StageId>,
}

impl<'w> Plan<'w> {
    /// Adds a stage that reads the output of the stages in `after`. A stage with a key that the plan has already is
    /// that stage.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        key: Key,
        after: &[StageId],
        work: impl FnOnce(&mut Workplace<'_>) -> Result<()> + Send + 'w,
    ) -> StageId {
        if let Some(&known) = self.by_key.get(&key) {
            return known;
        }
        let id = StageId(self.stages.len());
        debug_assert!(after.iter().all(|before| before.0 < id.0), "a stage reads only earlier stages");
        let (name, after) = (name.into(), after.to_vec());
        self.stages.push(Stage { name, key, after });
        self.works.push(Box::new(work));
        self.by_key.insert(key, id);
        id
    }

    /// The key of a stage.
    pub fn key(&self, stage: StageId) -> Key {
        self.stages[stage.0].key
    }

    /// The name of a stage.
    pub fn name(&self, stage: StageId) -> &str {
        &self.stages[stage.0].name
    }

    /// A stage and all that it depends on, in the plan's order.
    pub fn before(&self, stage: StageId) -> Vec<StageId> {
        let mut inside = vec![false; self.stages.len()];
        inside[stage.0] = true;
        for k in (0..=stage.0).rev() {
            if inside[k] {
                self.stages[k].after.iter().for_each(|before| inside[before.0] = true);
            }
        }
        (0..self.stages.len()).filter(|&k| inside[k]).map(StageId).collect()
    }

    /// How many stages it has.
    pub fn len(&self) -> usize {
        self.stages.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }
}

/// Where a stage works.
pub struct Workplace<'p> {
    /// The folder that becomes the stage's output once it is done.
    pub out: &'p Path,
    /// A folder that outlives an interrupted run: what a long stage keeps to go on from.
    pub partial: &'p Path,
    /// The progress to show.
    pub bar: &'p Bar,
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) notes: BTreeMap<String, String>,
}

impl Workplace<'_> {
    /// The output folder of the k-th stage that this one reads.
    pub fn input(&self, k: usize) -> &Path {
        &self.inputs[k]
    }

    /// Notes a figure about the stage for its summary: counts, sizes, scores.
    pub fn note(&mut self, name: &str, value: impl std::fmt::Display) {
        self.notes.insert(name.to_string(), value.to_string());
    }
}

/// What is known of a stage that is done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The stage's name.
    pub stage: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The largest resident memory of the process while it ran, in bytes; 0 where the system does not tell.
    pub peak: u64,
    /// The size of its output, in bytes.
    pub bytes: u64,
    /// Figures the stage noted.
    pub notes: BTreeMap<String, String>,
}
