//! The threads of a translator. Each owns the buffers of a worker, so that what a worker keeps from sentence to sentence (rules that
//! were scored already) serves whoever asks next; callers need no threads, no buffers and no particular stack.

use super::Shared;
use super::worker::Worker;
use crate::error::{Error, Result};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Something for a worker to do; whether it is fit to go on with afterwards.
type Job = Box<dyn FnOnce(&mut Worker<'_>) -> bool + Send>;

/// Threads that wait for jobs until the pool is dropped.
pub(super) struct Pool {
    jobs: Sender<Job>,
    threads: usize,
}

impl Pool {
    /// Starts so many threads, 0 for one a core.
    pub fn start(shared: &Arc<Shared>, threads: usize) -> Result<Self> {
        // What keeps a worker from being made is told now: threads could tell nobody.
        drop(Worker::new(shared)?);
        let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = if threads == 0 { cores() } else { threads };
        let (jobs, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for number in 0..threads {
            let (shared, waiting) = (Arc::clone(shared), Arc::clone(&waiting));
            let started = thread::Builder::new()
                .name(format!("translator {number}"))
                .spawn(move || work(&shared, &waiting));
            started.map_err(treeglot_decode::Error::Threads)?;
        }
        Ok(Self { jobs, threads })
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Has something done and calls `then` with the result, on the worker's thread. A panic is an error of this one job.
    pub fn submit<T>(
        &self,
        job: impl FnOnce(&mut Worker<'_>) -> Result<T> + Send + 'static,
        then: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        let job = move |worker: &mut Worker<'_>| {
            let done = catch_unwind(AssertUnwindSafe(|| job(worker)));
            let fit = done.is_ok();
            then(done.unwrap_or_else(|panic| Err(Error::of_panic(&*panic))));
            fit
        };
        // The receiving end lives as long as the threads do, and they as long as this sender.
        let _ = self.jobs.send(Box::new(job));
    }

    /// Has something done and waits for it.
    pub fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Worker<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = channel();
        self.submit(job, move |result| {
            let _ = answer.send(result);
        });
        answered
            .recv()
            .unwrap_or_else(|_| Err(Error::Panicked("the threads of a translator have ended".into())))
    }

    /// Has `job` done for each number below `count`, by all threads; results in order.
    pub fn each<T: Send + 'static>(
        &self,
        count: usize,
        job: impl Fn(&mut Worker<'_>, usize) -> T + Send + Sync + 'static,
    ) -> Result<Vec<T>> {
        let job = Arc::new(job);
        let (answer, answered) = channel();
        for number in 0..count {
            let (job, answer) = (Arc::clone(&job), answer.clone());
            self.submit(
                move |worker| Ok(job(worker, number)),
                move |result| {
                    let _ = answer.send((number, result));
                },
            );
        }
        drop(answer);
        let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
        for (number, result) in answered {
            results[number] = Some(result?);
        }
        let all: Option<Vec<T>> = results.into_iter().collect();
        all.ok_or_else(|| Error::Panicked("the threads of a translator have ended".into()))
    }
}

/// Does jobs until there will be no more. A worker whose job panicked may have any state, and is replaced.
fn work(shared: &Shared, waiting: &Mutex<Receiver<Job>>) {
    let mut kept = None;
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let Some(worker) = kept.take().or_else(|| Worker::new(shared).ok()) else { continue };
        let mut worker = worker;
        if job(&mut worker) {
            kept = Some(worker);
        }
    }
}
