//! Runs a [`Plan`]: stages whose inputs are there run side by side, what an earlier run finished is kept, and a
//! failure leaves nothing half-written: a stage works in a folder of its own that gets its name when it is done.

use crate::error::{Error, Result};
use crate::memory::Watch;
use crate::plan::{Plan, Stage, StageId, Summary, Work, Workplace};
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// The file in each stage's folder that says it is done.
const SUMMARY: &str = "stage.json";

/// A folder of stage outputs by key.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
}

/// The outputs of a finished run.
#[derive(Debug)]
pub struct Outputs {
    dirs: Vec<PathBuf>,
    summaries: Vec<Option<Summary>>,
}

impl Outputs {
    /// The folder a stage wrote.
    pub fn dir(&self, stage: StageId) -> &Path {
        &self.dirs[stage.0]
    }

    /// What is known of a stage; `None` if it was not needed.
    pub fn summary(&self, stage: StageId) -> Option<&Summary> {
        self.summaries[stage.0].as_ref()
    }

    /// The summaries of all stages that ran or were kept, in the plan's order.
    pub fn summaries(&self) -> impl Iterator<Item = &Summary> {
        self.summaries.iter().flatten()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Done,
}

struct Board<'w> {
    states: Vec<State>,
    works: Vec<Option<Work<'w>>>,
    summaries: Vec<Option<Summary>>,
    failed: Option<Error>,
}

impl Cache {
    /// The cache in this folder, which is made if it is missing.
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self> {
        let dir = dir.into();
        std::fs::create_dir_all(&dir).map_err(Error::writing(&dir))?;
        Ok(Self { dir })
    }

    /// The folder a stage's output has or will have.
    pub fn folder(&self, plan: &Plan<'_>, stage: StageId) -> PathBuf {
        let name = plan.name(stage);
        let kind = name.split_whitespace().next().unwrap_or(name);
        self.dir.join(format!("{kind}-{}", plan.key(stage)))
    }

    /// Runs what `wanted` needs and the cache lacks, at most `jobs` stages at a time. The first failure stops the run
    /// once the stages that run beside it are done.
    pub fn run(
        &self,
        plan: Plan<'_>,
        wanted: &[StageId],
        jobs: usize,
        progress: &Progress,
    ) -> Result<Outputs> {
        let dirs: Vec<PathBuf> = (0..plan.len()).map(|k| self.folder(&plan, StageId(k))).collect();
        let summaries: Vec<Option<Summary>> = dirs.iter().map(|dir| finished(dir)).collect();
        let needed = needed(&plan.stages, wanted, &summaries);
        let state = |k: usize| if needed[k] && summaries[k].is_none() { State::Waiting } else { State::Done };
        for k in (0..plan.len()).filter(|&k| needed[k]) {
            if let Some(summary) = &summaries[k] {
                progress.reused(summary);
            }
        }
        let board = Mutex::new(Board {
            states: (0..plan.len()).map(state).collect(),
            works: plan.works.into_iter().map(Some).collect(),
            summaries,
            failed: None,
        });
        let changed = Condvar::new();
        std::thread::scope(|scope| {
            for _ in 0..jobs.max(1) {
                scope.spawn(|| self.work(&plan.stages, &dirs, &board, &changed, progress));
            }
        });
        let board = board.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        match board.failed {
            Some(error) => Err(error),
            None => Ok(Outputs { dirs, summaries: board.summaries }),
        }
    }

    fn work(
        &self,
        stages: &[Stage],
        dirs: &[PathBuf],
        board: &Mutex<Board<'_>>,
        changed: &Condvar,
        progress: &Progress,
    ) {
        let mut guard = lock(board);
        loop {
            if guard.failed.is_some() || guard.states.iter().all(|&state| state == State::Done) {
                return;
            }
            let ready = |k: &usize| {
                guard.states[*k] == State::Waiting
                    && stages[*k].after.iter().all(|before| guard.states[before.0] == State::Done)
            };
            let Some(k) = (0..stages.len()).find(ready) else {
                guard = changed.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner());
                continue;
            };
            guard.states[k] = State::Running;
            let work = guard.works[k].take();
            drop(guard);
            let result =
                work.map_or(Ok(Summary::default()), |work| self.stage(&stages[k], dirs, k, work, progress));
            guard = lock(board);
            guard.states[k] = State::Done;
            match result {
                Ok(summary) => guard.summaries[k] = Some(summary),
                Err(source) => {
                    let stage = stages[k].name.clone();
                    guard.failed.get_or_insert(Error::Stage { stage, source: Box::new(source) });
                }
            }
            changed.notify_all();
        }
    }

    fn stage(
        &self,
        stage: &Stage,
        dirs: &[PathBuf],
        k: usize,
        work: Work<'_>,
        progress: &Progress,
    ) -> Result<Summary> {
        let out = tempfile::Builder::new()
            .prefix(".unfinished-")
            .tempdir_in(&self.dir)
            .map_err(Error::writing(&self.dir))?;
        let partial = dirs[k].with_extension("partial");
        let bar = progress.start(&stage.name);
        let (start, watch) = (Instant::now(), Watch::start());
        let mut place = Workplace {
            out: out.path(),
            partial: &partial,
            bar: &bar,
            inputs: stage.after.iter().map(|before| dirs[before.0].clone()).collect(),
            notes: BTreeMap::new(),
        };
        work(&mut place)?;
        let summary = Summary {
            stage: stage.name.clone(),
            seconds: start.elapsed().as_secs_f64(),
            peak: watch.stop(),
            bytes: folder_size(out.path()),
            notes: place.notes,
        };
        let text = serde_json::to_string_pretty(&summary)
            .expect("a summary is plain data, which JSON can always write");
        let file = out.path().join(SUMMARY);
        std::fs::write(&file, text).map_err(Error::writing(&file))?;
        let out = out.keep();
        if let Err(source) = std::fs::rename(&out, &dirs[k])
            && finished(&dirs[k]).is_none()
        {
            return Err(Error::writing(&dirs[k])(source));
        }
        if partial.exists() {
            std::fs::remove_dir_all(&partial).map_err(Error::writing(&partial))?;
        }
        progress.done(&bar, &summary);
        Ok(summary)
    }
}

fn lock<'b, 'w>(board: &'b Mutex<Board<'w>>) -> MutexGuard<'b, Board<'w>> {
    board.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What is known of the stage that wrote a folder; none if it is not done.
pub(crate) fn finished(dir: &Path) -> Option<Summary> {
    let text = std::fs::read_to_string(dir.join(SUMMARY)).ok()?;
    serde_json::from_str(&text).ok()
}

/// Which stages have to be done or kept: those wanted, and those that a needed stage without output reads.
fn needed(stages: &[Stage], wanted: &[StageId], summaries: &[Option<Summary>]) -> Vec<bool> {
    let mut needed = vec![false; stages.len()];
    for stage in wanted {
        needed[stage.0] = true;
    }
    for k in (0..stages.len()).rev() {
        if needed[k] && summaries[k].is_none() {
            for before in &stages[k].after {
                needed[before.0] = true;
            }
        }
    }
    needed
}

/// The size of all files below a folder.
pub fn folder_size(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(about) if about.is_dir() => folder_size(&entry.path()),
            Ok(about) => about.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyBuilder;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A plan of two stages that write, and one that joins what they wrote.
    fn plan<'w>(runs: &'w AtomicUsize, word: &'w str, fails: bool) -> (Plan<'w>, StageId) {
        let mut plan = Plan::default();
        let mut parts = Vec::new();
        for name in ["left", "right"] {
            let key = KeyBuilder::new(name, 1).text(word).finish();
            parts.push(plan.add(name, key, &[], move |place| {
                runs.fetch_add(1, Ordering::Relaxed);
                place.note("word", word);
                std::fs::write(place.out.join("text"), format!("{name} {word}")).unwrap();
                Ok(())
            }));
        }
        let key = KeyBuilder::new("join", 1).key(plan.key(parts[0])).key(plan.key(parts[1])).finish();
        let join = plan.add("join", key, &parts, move |place| {
            runs.fetch_add(1, Ordering::Relaxed);
            if fails {
                return Err(Error::Invalid("no luck".into()));
            }
            let read = |k: usize| std::fs::read_to_string(place.input(k).join("text")).unwrap();
            std::fs::write(place.out.join("text"), format!("{} {}", read(0), read(1))).unwrap();
            Ok(())
        });
        (plan, join)
    }

    #[test]
    fn what_is_there_is_not_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path().join("cache")).unwrap();
        let runs = AtomicUsize::new(0);
        for _ in 0..2 {
            let (plan, join) = plan(&runs, "x", false);
            let outputs = cache.run(plan, &[join], 2, &Progress::quiet()).unwrap();
            assert_eq!(std::fs::read_to_string(outputs.dir(join).join("text")).unwrap(), "left x right x");
        }
        assert_eq!(runs.load(Ordering::Relaxed), 3);
        let (plan, join) = plan(&runs, "y", false);
        cache.run(plan, &[join], 1, &Progress::quiet()).unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn a_failed_stage_leaves_the_others_and_is_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let runs = AtomicUsize::new(0);
        let (failing, join) = plan(&runs, "x", true);
        let error = cache.run(failing, &[join], 2, &Progress::quiet()).unwrap_err();
        assert!(error.to_string().contains("`join`"), "{error}");
        assert!(
            std::fs::read_dir(dir.path()).unwrap().flatten().count() == 2,
            "only finished stages have a folder"
        );
        let (working, join) = plan(&runs, "x", false);
        cache.run(working, &[join], 2, &Progress::quiet()).unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn stages_that_nothing_needs_do_not_run() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let runs = AtomicUsize::new(0);
        let (plan, _) = plan(&runs, "x", false);
        cache.run(plan, &[StageId(0)], 2, &Progress::quiet()).unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_same_key_is_the_same_stage() {
        let mut plan = Plan::default();
        let key = KeyBuilder::new("a", 1).finish();
        let one = plan.add("a", key, &[], |_| Ok(()));
        let two = plan.add("a", key, &[], |_| Ok(()));
        assert_eq!((one, plan.len()), (two, 1));
    }
}
