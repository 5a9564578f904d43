//! Runs a [`Plan`]: stages whose inputs are there run side by side, what an earlier run finished is kept, and a
//! failure leaves nothing half-written: a stage works in a folder of its own that gets its name when it is done.

use crate::cluster::Engine;
use crate::error::{Error, Result};
use crate::lock::{InUse, Lock};
use crate::memory::Watch;
use crate::plan::{Artifact, Plan, Stage, StageId, Summary, Work, Workplace};
use crate::progress::Progress;
use crate::remaining::Remaining;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;
use treeglot_text::TemporaryFolder;

/// The file in each stage's folder that says it is done.
const SUMMARY: &str = "stage.json";
/// What the names of folders begin with that stages are still at.
const UNFINISHED: &str = ".unfinished-";

/// A folder of stage outputs by key.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
    _in_use: Arc<InUse>,
    engine: Option<Arc<dyn Engine>>,
}

/// The outputs of a finished run.
#[derive(Debug)]
pub struct Outputs {
    folders: Vec<PathBuf>,
    summaries: Vec<Option<Summary>>,
}

impl Outputs {
    /// Where an artifact is.
    pub fn path(&self, artifact: &Artifact) -> PathBuf {
        self.folders[artifact.stage.0].join(&artifact.file)
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

/// Who made the output of a stage: this run, or another process in the meantime.
enum Made {
    Now(Summary),
    Before(Summary),
}

struct Board<'w> {
    states: Vec<State>,
    works: Vec<Option<Work<'w>>>,
    summaries: Vec<Option<Summary>>,
    failed: Option<Error>,
    remaining: Remaining,
}

impl Cache {
    /// The cache in this folder, which is made if it is missing. What runs that were killed left half-done is taken
    /// away.
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self> {
        let dir = dir.into();
        let _in_use = Arc::new(InUse::make(&dir)?);
        for entry in std::fs::read_dir(&dir).map_err(Error::reading(&dir))?.flatten() {
            let name = entry.file_name();
            let Some(stage) = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED)) else { continue };
            if let Ok(_lock) = Lock::take(&lock_of(&dir.join(stage)))? {
                remove_folder(&entry.path())?;
            }
        }
        Ok(Self { dir, _in_use, engine: None })
    }

    /// Has an engine do the work of large stages. What they make is the same, under the same keys.
    pub fn with_engine(self, engine: Arc<dyn Engine>) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// Removes a cache in which no stage was finished, as one is after an error that was seen before any work, and nobody is at work;
    /// whether anything is left of it.
    pub fn remove_unused(dir: &Path) -> bool {
        let Ok(entries) = std::fs::read_dir(dir) else { return false };
        let finished = entries.flatten().any(|entry| {
            let path = entry.path();
            path.join(SUMMARY).exists() || path.extension().is_some_and(|ending| ending == "partial")
        });
        let removed = || InUse::by_nobody(dir, || std::fs::remove_dir_all(dir));
        finished || !matches!(removed(), Some(Ok(())))
    }

    /// Its folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The folder a stage's output has or will have.
    fn folder(&self, stage: &Stage) -> PathBuf {
        self.dir.join(format!("{}-{}", stage.kind, stage.key))
    }

    /// Runs what `wanted` needs and the cache lacks, at most `jobs` stages at a time. The first failure stops the run
    /// once the stages that run beside it are done.
    pub(crate) fn run(
        &self,
        plan: Plan<'_>,
        wanted: &[StageId],
        jobs: usize,
        progress: &Progress,
    ) -> Result<Outputs> {
        let folders: Vec<PathBuf> = plan.stages.iter().map(|stage| self.folder(stage)).collect();
        let summaries: Vec<Option<Summary>> = folders.iter().map(|folder| finished(folder)).collect();
        let needed = needed(&plan.stages, wanted, &summaries);
        let state = |k: usize| if needed[k] && summaries[k].is_none() { State::Waiting } else { State::Done };
        let mut remaining = Remaining::new(needed.iter().filter(|&&needed| needed).count(), jobs);
        for k in (0..plan.len()).filter(|&k| needed[k]) {
            if let Some(summary) = &summaries[k] {
                progress.reused(summary, &remaining.kept(&plan.stages[k], summary));
            }
        }
        let board = Mutex::new(Board {
            states: (0..plan.len()).map(state).collect(),
            works: plan.works.into_iter().map(Some).collect(),
            summaries,
            failed: None,
            remaining,
        });
        let changed = Condvar::new();
        std::thread::scope(|scope| {
            let work = || self.work(&plan.stages, &folders, &board, &changed, progress);
            // Where the system gives no more threads, fewer stages run side by side.
            let _ = (1..jobs).find(|_| std::thread::Builder::new().spawn_scoped(scope, work).is_err());
            work();
        });
        progress.end();
        let board = board.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        match board.failed {
            Some(error) => Err(error),
            None => Ok(Outputs { folders, summaries: board.summaries }),
        }
    }

    fn work(
        &self,
        stages: &[Stage],
        folders: &[PathBuf],
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
                    && stages[*k].reads.iter().all(|before| guard.states[before.0] == State::Done)
            };
            let Some(k) = (0..stages.len()).find(ready) else {
                guard = changed.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner());
                continue;
            };
            guard.states[k] = State::Running;
            let work = guard.works[k].take().expect("a stage is taken up once, when it stops waiting");
            drop(guard);
            // A panic must not pass by: whoever waits for the stage would wait for ever.
            let run = || self.stage(&stages[k], folders, &folders[k], work, progress);
            let result =
                catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(Error::of_panic(&*panic)));
            guard = lock(board);
            guard.states[k] = State::Done;
            match result {
                Ok(done) => {
                    let Board { states, remaining, .. } = &mut *guard;
                    let left = (0..stages.len()).filter(|&k| states[k] != State::Done).map(|k| &stages[k]);
                    match &done {
                        Made::Now(summary) => {
                            progress.done(summary, &remaining.done(&stages[k], summary, left));
                        }
                        Made::Before(summary) => {
                            progress.reused(summary, &remaining.kept(&stages[k], summary));
                        }
                    }
                    let (Made::Now(summary) | Made::Before(summary)) = done;
                    guard.summaries[k] = Some(summary);
                }
                Err(source) => {
                    let stage = stages[k].name.clone();
                    guard.failed.get_or_insert(Error::Stage { stage, source: Box::new(source) });
                }
            }
            changed.notify_all();
        }
    }

    /// Runs a stage, unless another process that is at it makes its output first.
    fn stage(
        &self,
        stage: &Stage,
        folders: &[PathBuf],
        folder: &Path,
        work: Work<'_>,
        progress: &Progress,
    ) -> Result<Made> {
        let tell = |who: &str| progress.line(&format!("{:<28}  waits for {who}, which is at it", stage.name));
        let _lock = Lock::wait(&lock_of(folder), tell)?;
        if let Some(summary) = finished(folder) {
            return Ok(Made::Before(summary));
        }
        let name = format!("{UNFINISHED}{}", folder.file_name().unwrap_or_default().to_string_lossy());
        remove_folder(&self.dir.join(&name))?;
        let out = TemporaryFolder::named(&self.dir, &name).map_err(Error::writing(&self.dir))?;
        let partial = folder.with_extension("partial");
        let bar = progress.start(&stage.name);
        let (start, watch) = (Instant::now(), Watch::start());
        let mut place = Workplace {
            out: out.path(),
            partial: &partial,
            bar: &bar,
            folders,
            reads: &stage.reads,
            notes: BTreeMap::new(),
            engine: self.engine.as_deref(),
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
        out.persist(folder).map_err(Error::writing(folder))?;
        if let Some(engine) = &self.engine {
            engine.remove(&partial)?;
        }
        remove_folder(&partial)?;
        Ok(Made::Now(summary))
    }
}

/// The lock of the stage that writes a folder.
fn lock_of(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// Removes a folder, if it is there.
fn remove_folder(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::writing(path)(error)),
        _ => Ok(()),
    }
}

fn lock<'b, 'w>(board: &'b Mutex<Board<'w>>) -> MutexGuard<'b, Board<'w>> {
    board.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What is known of the stage that wrote a folder; none if it is not done.
fn finished(dir: &Path) -> Option<Summary> {
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
            for before in &stages[k].reads {
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// What the last stage of a plan does.
    #[derive(Clone, Copy, PartialEq)]
    enum End {
        Good,
        Fails,
        Panics,
    }

    /// A plan of two stages that write, and one that joins what they wrote.
    fn plan<'w>(runs: &'w AtomicUsize, word: &'w str, end: End) -> (Plan<'w>, Artifact) {
        let mut plan = Plan::default();
        let [left, right] = ["left", "right"].map(|name| {
            let stage = plan.stage(name, "part", 1).settings(&[name, word]).run(move |place| {
                runs.fetch_add(1, Ordering::Relaxed);
                place.note("word", word);
                std::fs::write(place.out.join("text"), format!("{name} {word}")).unwrap();
                Ok(())
            });
            stage.makes("text")
        });
        let join = plan.stage("join", "join", 1).reads([&left, &right]).run(move |place| {
            runs.fetch_add(1, Ordering::Relaxed);
            match end {
                End::Fails => return Err(Error::Invalid("no luck".into())),
                End::Panics => panic!("no luck {}", 7),
                End::Good => {}
            }
            let read = |part| std::fs::read_to_string(place.path(part)).unwrap();
            std::fs::write(place.out.join("text"), format!("{} {}", read(&left), read(&right))).unwrap();
            Ok(())
        });
        (plan, join.makes("text"))
    }

    fn run(cache: &Cache, (plan, join): (Plan<'_>, Artifact), jobs: usize) -> Result<String> {
        let outputs = cache.run(plan, &[join.stage], jobs, &Progress::quiet())?;
        Ok(std::fs::read_to_string(outputs.path(&join)).unwrap())
    }

    fn entries(dir: &Path) -> usize {
        std::fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn what_is_there_is_not_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path().join("cache")).unwrap();
        let runs = AtomicUsize::new(0);
        for _ in 0..2 {
            assert_eq!(run(&cache, plan(&runs, "x", End::Good), 2).unwrap(), "left x right x");
        }
        assert_eq!(runs.load(Ordering::Relaxed), 3);
        run(&cache, plan(&runs, "y", End::Good), 1).unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn a_failed_stage_leaves_the_others_and_is_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let runs = AtomicUsize::new(0);
        let error = run(&cache, plan(&runs, "x", End::Fails), 2).unwrap_err();
        assert!(error.to_string().contains("`join`"), "{error}");
        assert_eq!(entries(dir.path()), 2, "only finished stages have a folder");
        run(&cache, plan(&runs, "x", End::Good), 2).unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn a_panic_in_a_stage_ends_the_run_with_what_it_said() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let runs = AtomicUsize::new(0);
        for jobs in [1, 3] {
            let error = run(&cache, plan(&runs, "x", End::Panics), jobs).unwrap_err();
            let cause = std::error::Error::source(&error).unwrap().to_string();
            assert!(error.to_string().contains("`join`") && cause.contains("no luck 7"), "{error}: {cause}");
            assert_eq!(entries(dir.path()), 2, "only finished stages have a folder");
        }
    }

    #[test]
    fn stages_that_nothing_needs_do_not_run() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let runs = AtomicUsize::new(0);
        let (plan, _) = plan(&runs, "x", End::Good);
        cache.run(plan, &[StageId(0)], 2, &Progress::quiet()).unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_stage_may_not_use_what_it_does_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let mut plan = Plan::default();
        let made = plan.stage("one", "one", 1).run(|_| Ok(())).makes("text");
        let other = plan.stage("two", "two", 1).run(move |place| {
            assert!(!place.path(&made).exists());
            Ok(())
        });
        let error = Cache::open(dir.path()).unwrap().run(plan, &[other], 1, &Progress::quiet()).unwrap_err();
        assert!(matches!(error, Error::Stage { source, .. } if source.to_string().contains("says it reads")));
    }

    #[test]
    fn runs_at_the_same_time_do_each_stage_once() {
        let dir = tempfile::tempdir().unwrap();
        let runs = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let cache = Cache::open(dir.path()).unwrap();
                    assert_eq!(run(&cache, plan(&runs, "x", End::Good), 2).unwrap(), "left x right x");
                });
            }
        });
        assert_eq!((runs.into_inner(), entries(dir.path())), (3, 3));
    }

    #[test]
    fn what_a_killed_run_left_is_taken_away_but_not_what_a_living_one_is_at() {
        let dir = tempfile::tempdir().unwrap();
        for stage in ["lm-1", "lm-2"] {
            std::fs::create_dir_all(dir.path().join(format!("{UNFINISHED}{stage}/inside"))).unwrap();
        }
        let _lock = Lock::take(&lock_of(&dir.path().join("lm-2"))).unwrap().unwrap();
        Cache::open(dir.path()).unwrap();
        assert!(!dir.path().join(".unfinished-lm-1").exists());
        assert!(dir.path().join(".unfinished-lm-2").exists());
    }

    #[test]
    fn a_cache_without_a_finished_stage_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (empty, used) = (dir.path().join("empty"), dir.path().join("used"));
        std::fs::create_dir_all(empty.join("held-out")).unwrap();
        assert!(!Cache::remove_unused(&empty) && !empty.exists());
        run(&Cache::open(&used).unwrap(), plan(&AtomicUsize::new(0), "x", End::Good), 1).unwrap();
        assert!(Cache::remove_unused(&used) && used.exists());
        let busy = Cache::open(dir.path().join("busy")).unwrap();
        assert!(Cache::remove_unused(busy.dir()) && busy.dir().exists(), "somebody may be about to begin");
        assert!(!Cache::remove_unused(&dir.path().join("none")));
    }

    #[test]
    fn an_interrupted_stage_goes_on_from_what_it_kept() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let attempt = || {
            let mut plan = Plan::default();
            let long = plan.stage("long", "long", 1).run(|place| {
                let kept = place.partial.join("round");
                if !kept.exists() {
                    std::fs::create_dir_all(place.partial).unwrap();
                    std::fs::write(kept, "1").unwrap();
                    return Err(Error::Invalid("interrupted".into()));
                }
                std::fs::copy(kept, place.out.join("round")).unwrap();
                Ok(())
            });
            cache.run(plan, &[long], 1, &Progress::quiet()).map(|outputs| outputs.path(&long.makes("round")))
        };
        assert!(attempt().is_err());
        assert_eq!(std::fs::read_to_string(attempt().unwrap()).unwrap(), "1");
        assert_eq!(entries(dir.path()), 1, "what was kept is gone once the stage is done");
    }
}
