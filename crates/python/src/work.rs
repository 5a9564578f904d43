//! Work outside the interpreter's lock. While it is done on a thread of its own, the calling thread looks for signals: Ctrl-C tells
//! the work to stop, waits until it has, and is raised then.

use crate::errors::{self, Failure};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use treeglot::text::interrupt::{self, Interrupted};

/// How long signals may wait to be seen.
const TICK: Duration = Duration::from_millis(20);

/// The stack of a thread that works: parsers of nested brackets and deep trees recurse.
const STACK: usize = 64 << 20;

/// Does work outside the interpreter's lock.
pub fn run<T, E>(py: Python<'_>, work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T>
where
    T: Send,
    E: Failure,
{
    let (done, raised) = py.detach(|| watch(work));
    if let Some(raised) = raised {
        return Err(raised);
    }
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(errors::raise(py, &error)),
        Err(Interrupted) => Err(PyKeyboardInterrupt::new_err("")),
    }
}

/// The same on so many threads, 0 for all cores.
pub fn run_on<T, E>(py: Python<'_>, threads: usize, work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T>
where
    T: Send,
    E: Failure,
{
    let pool = pool(threads).map_err(|error| errors::raise(py, &error))?;
    run(py, || pool.install(work))
}

/// Does work that takes no time worth speaking of on the calling thread, outside the interpreter's lock.
pub fn here<T, E>(py: Python<'_>, work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T>
where
    T: Send,
    E: Failure,
{
    match py.detach(|| interrupt::interruptible(work)) {
        Ok(done) => done.map_err(|error| errors::raise(py, &error)),
        Err(Interrupted) => Err(PyKeyboardInterrupt::new_err("")),
    }
}

/// Says something to a function of Python, if there is one. What it raises is reported, and does not end the work.
pub fn tell(listener: Option<&Py<PyAny>>, what: &str) {
    if let Some(listener) = listener {
        Python::attach(|py| {
            listener.call1(py, (what,)).map(drop).unwrap_or_else(|error| error.write_unraisable(py, None));
        });
    }
}

/// Works, and looks for signals until that is done; what a signal raised.
fn watch<T: Send, E: Send>(
    work: impl FnOnce() -> Result<T, E> + Send,
) -> (Result<Result<T, E>, Interrupted>, Option<PyErr>) {
    thread::scope(|scope| {
        let (end, ended) = channel::<()>();
        let work = move || {
            // Dropped when the work is done, however it ends.
            let _end = end;
            interrupt::interruptible(work)
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.expect("the system gives a thread, as it gave one to the interpreter");
        let mut raised = None;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
            if raised.is_none()
                && let Err(error) = Python::attach(|py| py.check_signals())
            {
                interrupt::request();
                raised = Some(error);
            }
        }
        (thread.join().unwrap_or_else(|panic| resume_unwind(panic)), raised)
    })
}

/// Threads for work in parallel; those of all cores are kept. A process that was forked does not have its parent's.
fn pool(threads: usize) -> Result<Arc<rayon::ThreadPool>, rayon::ThreadPoolBuildError> {
    static KEPT: Mutex<Option<(u32, Arc<rayon::ThreadPool>)>> = Mutex::new(None);
    let build = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().map(Arc::new);
    if threads > 0 {
        return build(threads);
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*kept {
        Some((of, pool)) if *of == process => return Ok(pool.clone()),
        Some((_, pool)) => std::mem::forget(pool.clone()),
        None => {}
    }
    let pool = build(0)?;
    *kept = Some((process, pool.clone()));
    Ok(pool)
}
