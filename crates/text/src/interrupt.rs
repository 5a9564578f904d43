//! Work that can be told to stop. A program that ends with its user's Ctrl-C just ends; one that goes on afterwards, as an interpreter
//! does, must get its threads back, and nothing half-written may be left behind.
//!
//! Long loops call [`check`] once a line, a sentence or a batch. After a [`request`] it unwinds with no message, through thread pools
//! and stages, dropping whatever was under way as an error would, up to [`interruptible`].
//!
//! ```
//! use treeglot_text::interrupt::{self, Interrupted};
//!
//! let work = || -> Result<u64, std::io::Error> {
//!     for line in 0.. {
//!         interrupt::check();
//!         if line == 1000 {
//!             interrupt::request();
//!         }
//!     }
//!     unreachable!("the loop has no other end")
//! };
//! assert!(matches!(interrupt::interruptible(work), Err(Interrupted)));
//! assert!(interrupt::interruptible(|| Ok::<_, ()>(1)).is_ok_and(|done| done == Ok(1)), "the next work is not concerned");
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Whether all work is to stop.
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// How many calls of [`interruptible`] are at work.
static RUNNING: Mutex<usize> = Mutex::new(0);

/// Told when the last of them has ended.
static ENDED: Condvar = Condvar::new();

/// Work was stopped by [`request`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Has all work of the process that runs under [`interruptible`] stop soon; what is begun later is not concerned.
pub fn request() {
    let running = running();
    if *running > 0 {
        REQUESTED.store(true, Ordering::Relaxed);
    }
}

/// Stops here if that was requested. Without a request it costs nothing that could be measured.
#[inline]
pub fn check() {
    if REQUESTED.load(Ordering::Relaxed) {
        stop();
    }
}

#[cold]
fn stop() {
    // No hook is called: an interruption is no fault, and prints nothing. A thread that unwinds already does what was asked for.
    if !std::thread::panicking() {
        resume_unwind(Box::new(Interrupted));
    }
}

/// Does work that [`request`] can stop. An error that comes out of work that was told to stop counts as the interruption it most
/// likely comes from; any other panic goes on.
pub fn interruptible<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<Result<T, E>, Interrupted> {
    enter();
    let result = catch_unwind(AssertUnwindSafe(work));
    match (leave(), result) {
        (true, Ok(Err(_)) | Err(_)) => Err(Interrupted),
        (_, Ok(result)) => Ok(result),
        (false, Err(panic)) => resume_unwind(panic),
    }
}

/// Begins work, once all that was told to stop has done so.
fn enter() {
    let mut running = running();
    while REQUESTED.load(Ordering::Relaxed) {
        running = ENDED.wait(running).unwrap_or_else(PoisonError::into_inner);
    }
    *running += 1;
}

/// Ends work; whether it was told to stop.
fn leave() -> bool {
    let mut running = running();
    *running -= 1;
    if *running > 0 {
        return REQUESTED.load(Ordering::Relaxed);
    }
    let requested = REQUESTED.swap(false, Ordering::Relaxed);
    ENDED.notify_all();
    requested
}

fn running() -> MutexGuard<'static, usize> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests of this module tell all work to stop: one at a time.
    static ONE: Mutex<()> = Mutex::new(());

    #[test]
    fn a_request_stops_work_on_all_its_threads() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let result = interruptible(|| {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    loop {
                        check();
                        std::thread::yield_now();
                    }
                });
                request();
                other.join().map_err(|panic| panic.is::<Interrupted>())
            })
        });
        let result: Result<Result<(), bool>, Interrupted> = result;
        assert_eq!(result, Err(Interrupted));
    }

    #[test]
    fn without_work_there_is_nothing_to_stop() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        request();
        let work = || {
            check();
            Ok::<_, ()>(7)
        };
        assert_eq!(interruptible(work), Ok(Ok(7)));
    }

    #[test]
    fn errors_and_panics_of_work_that_nobody_stopped_stay_what_they_are() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(interruptible(|| Err::<(), _>("no luck")), Ok(Err("no luck")));
        let panic = catch_unwind(|| interruptible(|| -> Result<(), ()> { resume_unwind(Box::new(7)) }));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&7));
    }
}
