//! A translation system as the decoder of the loop: it is put together anew for the weights of each round, and all threads
//! translate the development set.

use crate::candidates::Candidate;
use crate::space::Space;
use crate::tuner::Decoder;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use treeglot_decode::{PrunedForest, System, Wanted, Weights, Worker, weigh_parses};
use treeglot_models::InputTrees;
use treeglot_models::pairs::TreeReader;
use treeglot_text::Lines;
use treeglot_tree::PerTree;

/// The source side of a development set, and a way to put a system together for any weights.
pub struct Translating<F> {
    make: F,
    lines: Vec<(String, InputTrees)>,
    space: Space,
    threads: usize,
}

impl<F, E> Translating<F>
where
    F: FnMut(&Weights) -> Result<Box<dyn System>, E>,
    E: From<treeglot_decode::Error>,
{
    /// Reads the development set with its trees; `weights` are those to begin with, whose values by position are returned
    /// too. Where sentences have several parses, the share of a parse has a weight as well.
    pub fn new(
        source: &Path,
        trees: &PerTree<Vec<PathBuf>>,
        weights: &Weights,
        threads: usize,
        mut make: F,
    ) -> Result<(Self, Vec<f64>), E> {
        let lines = read(source, trees)?;
        let mut weights = weights.clone();
        if lines.iter().any(|(_, trees)| trees.has_several()) {
            weigh_parses(&mut weights);
        }
        let system = make(&weights)?;
        let space = Space::new(system.features().clone());
        let start = system.weights().iter().map(|&weight| f64::from(weight)).collect();
        Ok((Self { make, lines, space, threads: threads.max(1) }, start))
    }

    /// How many sentences are translated.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is nothing to translate.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The lines of a file, each with its trees.
fn read(source: &Path, trees: &PerTree<Vec<PathBuf>>) -> treeglot_decode::Result<Vec<(String, InputTrees)>> {
    let mut lines = Vec::new();
    let mut reader = Lines::open(source)?;
    let mut trees = TreeReader::open(trees, &source.display().to_string())?;
    while let Some(line) = reader.next_line()? {
        let of_line = trees.next(line)?;
        lines.push((line.to_string(), of_line));
    }
    trees.finish()?;
    Ok(lines)
}

/// Has all lines worked on; each thread takes the next one.
fn each_line<R: Default + Send>(
    lines: &[(String, InputTrees)],
    system: &dyn System,
    threads: usize,
    one: impl Fn(&mut dyn Worker, &str, &InputTrees) -> R + Sync,
) -> treeglot_decode::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<R>> = lines.iter().map(|_| Mutex::default()).collect();
    let failed: Mutex<Option<treeglot_decode::Error>> = Mutex::new(None);
    let fail = |error| {
        lock(&failed).get_or_insert(error);
    };
    let work = || {
        let mut worker = match system.worker() {
            Ok(worker) => worker,
            Err(error) => return fail(error),
        };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((line, trees)) = lines.get(at) else { return };
            *lock(&results[at]) = one(worker.as_mut(), line, trees);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let started = std::thread::Builder::new().spawn_scoped(scope, work);
            if let Err(source) = started {
                fail(treeglot_decode::Error::Threads(source));
            }
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(results.iter().map(|result| std::mem::take(&mut *lock(result))).collect()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn candidate(translation: treeglot_decode::Translation) -> Candidate {
    let dense = translation.features.into_iter().map(|value| value as f32).collect();
    Candidate { text: translation.text, dense, ..Candidate::default() }
}

impl<F, E> Decoder for Translating<F>
where
    F: FnMut(&Weights) -> Result<Box<dyn System>, E>,
    E: From<treeglot_decode::Error> + std::error::Error + 'static,
{
    type Error = E;

    fn space(&mut self) -> &mut Space {
        &mut self.space
    }

    fn kbest(&mut self, weights: &[f64], count: usize) -> Result<Vec<Vec<Candidate>>, E> {
        let system = (self.make)(&self.space.named(weights))?;
        let wanted = Wanted { count, distinct: true, explain: false };
        let list = |worker: &mut dyn Worker, line: &str, trees: &InputTrees| {
            worker.translate_trees(line, trees, &wanted).best.into_iter().map(candidate).collect()
        };
        Ok(each_line(&self.lines, system.as_ref(), self.threads, list)?)
    }

    fn forests(&mut self, weights: &[f64], ways: usize) -> Result<Option<Vec<PrunedForest>>, E> {
        let system = (self.make)(&self.space.named(weights))?;
        let forest = |worker: &mut dyn Worker, line: &str, trees: &InputTrees| {
            worker.search_forest(line, trees, ways * line.split_ascii_whitespace().count().max(1))
        };
        let forests = each_line(&self.lines, system.as_ref(), self.threads, forest)?;
        Ok(forests.into_iter().collect())
    }
}
