//! Plans: stages that read each other's output. A stage says what it reads, and its place in the order and its key, which
//! tells what its output depends on, follow from that. All keys are known before the first stage runs, so a plan can
//! say beforehand what there is to do, and stages that several systems have in common are in it once.

use crate::cluster::{Engine, Site};
use crate::error::Result;
use crate::key::{FileKeys, Key, KeyBuilder};
use crate::progress::Bar;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// A stage of a [`Plan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageId(pub(crate) usize);

impl StageId {
    /// A file or folder that the stage makes, by its name there.
    pub fn makes(self, file: impl Into<String>) -> Artifact {
        Artifact { stage: self, file: file.into() }
    }
}

/// What a stage makes: a file or folder of its output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Artifact {
    /// The stage that makes it.
    pub stage: StageId,
    /// Its name in the stage's folder.
    pub file: String,
}

/// What a stage does: read what the stages before it made, write to its own folder.
pub(crate) type Work<'w> = Box<dyn FnOnce(&mut Workplace<'_>) -> Result<()> + Send + 'w>;

/// A stage before it runs.
pub(crate) struct Stage {
    pub name: String,
    pub kind: &'static str,
    pub key: Key,
    pub reads: Vec<StageId>,
    /// How long it takes, compared with others.
    pub weight: f64,
}

/// Stages and their order.
#[derive(Default)]
pub struct Plan<'w> {
    pub(crate) stages: Vec<Stage>,
    pub(crate) works: Vec<Work<'w>>,
    by_key: HashMap<Key, StageId>,
    files: FileKeys,
}

impl<'w> Plan<'w> {
    /// Begins a stage of a kind, which its output is called after; `version` changes when the output does for the same
    /// inputs. The name is what people see.
    pub fn stage(
        &mut self,
        name: impl Into<String>,
        kind: &'static str,
        version: u32,
    ) -> StageBuilder<'_, 'w> {
        StageBuilder {
            plan: self,
            name: name.into(),
            kind,
            key: KeyBuilder::new(kind, version),
            reads: Vec::new(),
            weight: 1.0,
        }
    }

    /// The key of a stage.
    pub fn key(&self, stage: StageId) -> Key {
        self.stages[stage.0].key
    }

    /// A stage and all that it depends on, in the plan's order.
    pub fn before(&self, stage: StageId) -> Vec<StageId> {
        let mut inside = vec![false; self.stages.len()];
        inside[stage.0] = true;
        for k in (0..=stage.0).rev() {
            if inside[k] {
                self.stages[k].reads.iter().for_each(|before| inside[before.0] = true);
            }
        }
        (0..self.stages.len()).filter(|&k| inside[k]).map(StageId).collect()
    }

    /// How many stages it has.
    pub(crate) fn len(&self) -> usize {
        self.stages.len()
    }
}

/// A stage that is being described. Everything its output depends on is named, in a fixed order; what is named becomes its
/// key.
#[must_use = "a stage is in the plan only once its work is given"]
pub struct StageBuilder<'p, 'w> {
    plan: &'p mut Plan<'w>,
    name: String,
    kind: &'static str,
    key: KeyBuilder,
    reads: Vec<StageId>,
    weight: f64,
}

impl<'w> StageBuilder<'_, 'w> {
    /// It takes about so many times as long as the least of stages, for the time that is left; 1 where nothing is said.
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// Its output depends on these settings.
    pub fn settings(mut self, settings: &(impl Serialize + ?Sized)) -> Self {
        self.key = self.key.settings(settings);
        self
    }

    /// It reads these artifacts.
    pub fn reads<'a>(mut self, artifacts: impl IntoIterator<Item = &'a Artifact>) -> Self {
        let artifacts: Vec<&Artifact> = artifacts.into_iter().collect();
        self.key = self.key.text(&artifacts.len().to_string());
        for artifact in artifacts {
            self.key = self.key.key(self.plan.key(artifact.stage)).text(&artifact.file);
            self.reads.push(artifact.stage);
        }
        self
    }

    /// It reads these files, which no stage makes.
    pub fn reads_files<'a>(mut self, files: impl IntoIterator<Item = &'a Path>) -> Result<Self> {
        let keys = files.into_iter().map(|file| self.plan.files.of(file)).collect::<Result<Vec<_>>>()?;
        self.key = self.key.text(&keys.len().to_string());
        for key in keys {
            self.key = self.key.key(key);
        }
        Ok(self)
    }

    /// Puts it into the plan with what it does. A stage with a key that the plan has already is that stage.
    pub fn run(self, work: impl FnOnce(&mut Workplace<'_>) -> Result<()> + Send + 'w) -> StageId {
        let Self { plan, name, kind, key, reads, weight } = self;
        let key = key.finish();
        if let Some(&known) = plan.by_key.get(&key) {
            return known;
        }
        let id = StageId(plan.stages.len());
        plan.stages.push(Stage { name, kind, key, reads, weight });
        plan.works.push(Box::new(work));
        plan.by_key.insert(key, id);
        id
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
    /// The folders of all stages.
    pub(crate) folders: &'p [PathBuf],
    pub(crate) reads: &'p [StageId],
    pub(crate) notes: BTreeMap<String, String>,
    /// Where the work of large stages is done, if not here.
    pub(crate) engine: Option<&'p dyn Engine>,
}

impl<'p> Workplace<'p> {
    /// The engine at work for the stage, if there is one.
    pub(crate) fn site(&self) -> Option<Site<'p>> {
        Some(Site { engine: self.engine?, folder: self.partial })
    }

    /// Where an artifact is that the stage reads. Using one that it did not name is a fault of the plan: the stage's key
    /// would not tell what it depends on.
    pub fn path(&self, artifact: &Artifact) -> PathBuf {
        self.folder(artifact.stage).join(&artifact.file)
    }

    /// Where several artifacts are.
    pub fn paths<'a>(&self, artifacts: impl IntoIterator<Item = &'a Artifact>) -> Vec<PathBuf> {
        artifacts.into_iter().map(|artifact| self.path(artifact)).collect()
    }

    fn folder(&self, stage: StageId) -> &Path {
        assert!(self.reads.contains(&stage), "a stage uses only what it says it reads");
        &self.folders[stage.0]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stage<'a>(
        plan: &mut Plan<'_>,
        settings: &str,
        version: u32,
        reads: impl IntoIterator<Item = &'a Artifact>,
    ) -> StageId {
        plan.stage("a stage", "a", version).settings(settings).reads(reads).run(|_| Ok(()))
    }

    #[test]
    fn the_same_description_is_the_same_stage() {
        let mut plan = Plan::default();
        let first = stage(&mut plan, "x", 1, []);
        assert_eq!(stage(&mut plan, "x", 1, []), first);
        assert_ne!(stage(&mut plan, "y", 1, []), first);
        assert_ne!(stage(&mut plan, "x", 2, []), first);
        assert_eq!(plan.len(), 3);
    }

    #[test]
    fn a_key_follows_from_all_that_is_read_in_its_order() {
        let mut plan = Plan::default();
        let (x, y) = (stage(&mut plan, "x", 1, []), stage(&mut plan, "y", 1, []));
        let (left, right) = (x.makes("f"), y.makes("f"));
        let both = stage(&mut plan, "", 1, [&left, &right]);
        assert_eq!(stage(&mut plan, "", 1, [&left, &right]), both);
        assert_ne!(stage(&mut plan, "", 1, [&right, &left]), both);
        assert_ne!(stage(&mut plan, "", 1, [&left, &y.makes("g")]), both);
        assert_ne!(stage(&mut plan, "", 1, [&left]), both);
        let split = plan.stage("", "a", 1).settings("").reads([&left]).reads([&right]).run(|_| Ok(()));
        assert_ne!(split, both, "two lists are not one");
    }

    #[test]
    fn files_count_by_their_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text).unwrap();
            dir.path().join(name)
        };
        let (a, b, c) = (write("a", "same"), write("b", "same"), write("c", "other"));
        let mut plan = Plan::default();
        let mut of = |file: &Path| plan.stage("", "a", 1).reads_files([file]).unwrap().run(|_| Ok(()));
        let first = of(&a);
        assert_eq!(of(&b), first);
        assert_ne!(of(&c), first);
        let gone = plan.stage("", "a", 1).reads_files([dir.path().join("gone").as_path()]).err().unwrap();
        assert!(gone.to_string().contains("gone"), "{gone}");
    }

    #[test]
    fn what_a_stage_depends_on_is_found_through_others() {
        let mut plan = Plan::default();
        let (x, y) = (stage(&mut plan, "x", 1, []), stage(&mut plan, "y", 1, []));
        let middle = stage(&mut plan, "", 1, [&x.makes("f")]);
        let last = stage(&mut plan, "", 1, [&middle.makes("f")]);
        assert_eq!(plan.before(last), [x, middle, last]);
        assert_eq!(plan.before(y), [y]);
    }
}
