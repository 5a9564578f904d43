//! Work on a sequence of items over several threads whose results are wanted in order. Threads take what is to be done next by
//! themselves: they wait for one another only at the order and at the number of results that wait for their turn, never for a
//! whole round of items, and a thread without work sleeps.

use crate::interrupt;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many items for each thread may be under way or wait for their turn.
const WINDOW: usize = 3;

/// Hands items from `next` through `work` on as many threads as the current pool of rayon has. `take` gets what comes of it, in
/// the order of the items and one at a time, on any of them, so it should be quick. What it makes goes on to `end`, in any
/// order and at once. The first error in the order of the items is returned; `take` has had all items before it.
///
/// `work` and `end` may not use the pool: its threads may be those that wait here.
///
/// ```
/// use treeglot_text::in_order;
///
/// let (mut items, mut sum) = (1..=100u64, 0);
/// let next = || Ok::<_, String>(items.next());
/// let take = |square| {
///     sum += square;
///     Ok(())
/// };
/// in_order(next, |n| Ok(n * n), take, |()| Ok(()))?;
/// assert_eq!(sum, 338_350);
/// # Ok::<(), String>(())
/// ```
pub fn in_order<I, A: Send, B: Send, E: Send>(
    next: impl FnMut() -> Result<Option<I>, E> + Send,
    work: impl Fn(I) -> Result<A, E> + Sync,
    take: impl FnMut(A) -> Result<B, E> + Send,
    end: impl Fn(B) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let threads = rayon::current_num_threads();
    let line = Line { state: Mutex::default(), changed: Condvar::new(), window: WINDOW * threads };
    let (next, take) = (Mutex::new(next), Mutex::new(take));
    let worker = || {
        let _stop = StopIfPanicking(&line);
        while let Some(step) = line.step() {
            interrupt::check();
            match step {
                Step::Read(number) => {
                    let item = lock(&next)();
                    line.change(|state| {
                        state.reading = false;
                        state.read += usize::from(!matches!(item, Ok(None)));
                        state.ended |= !matches!(item, Ok(Some(_)));
                    });
                    let Some(result) = item.transpose().map(|item| item.and_then(&work)) else { continue };
                    line.change(|state| _ = state.done.insert(number, result));
                }
                Step::Take(result) => {
                    let taken = result.and_then(|result| lock(&take)(result));
                    line.change(|state| {
                        state.taking = false;
                        state.taken += 1;
                        let taken = taken.map(|made| state.made.push(made));
                        state.keep(taken);
                    });
                }
                Step::End(made) => {
                    let ended = end(made);
                    line.change(|state| state.keep(ended));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, worker).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        worker();
        let mut panics = others.into_iter().filter_map(|other| other.join().err());
        if let Some(panic) = panics.next() {
            resume_unwind(panic);
        }
    });
    let state = line.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.error.map_or(Ok(()), Err)
}

/// What a thread does next.
enum Step<A, B, E> {
    /// Reads the item of this number and works on it.
    Read(usize),
    Take(Result<A, E>),
    End(B),
}

/// Where the items are.
struct State<A, B, E> {
    /// How many items were read, and whether that was all.
    read: usize,
    ended: bool,
    reading: bool,
    /// What was worked on and waits for its turn.
    done: BTreeMap<usize, Result<A, E>>,
    /// How many were taken.
    taken: usize,
    taking: bool,
    /// What `take` made.
    made: Vec<B>,
    error: Option<E>,
    stopped: bool,
}

impl<A, B, E> Default for State<A, B, E> {
    fn default() -> Self {
        Self {
            read: 0,
            ended: false,
            reading: false,
            done: BTreeMap::new(),
            taken: 0,
            taking: false,
            made: Vec::new(),
            error: None,
            stopped: false,
        }
    }
}

impl<A, B, E> State<A, B, E> {
    /// Stops all threads at the first error.
    fn keep(&mut self, result: Result<(), E>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
            self.stopped = true;
        }
    }

    /// The next step of a thread, the last ones of an item before the first ones of another: that keeps memory low.
    fn step(&mut self, window: usize) -> Option<Step<A, B, E>> {
        if let Some(made) = self.made.pop() {
            return Some(Step::End(made));
        }
        if !self.taking
            && let Some(result) = self.done.remove(&self.taken)
        {
            self.taking = true;
            return Some(Step::Take(result));
        }
        let may_read = !self.reading && !self.ended && self.read < self.taken + window;
        may_read.then(|| {
            self.reading = true;
            Step::Read(self.read)
        })
    }

    fn is_finished(&self) -> bool {
        self.stopped || (self.ended && !self.reading && self.taken == self.read && self.made.is_empty())
    }
}

struct Line<A, B, E> {
    state: Mutex<State<A, B, E>>,
    changed: Condvar,
    window: usize,
}

impl<A, B, E> Line<A, B, E> {
    /// Waits for something to do; none when all is done.
    fn step(&self) -> Option<Step<A, B, E>> {
        let mut state = lock(&self.state);
        loop {
            if state.is_finished() {
                return None;
            }
            if let Some(step) = state.step(self.window) {
                return Some(step);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn change(&self, change: impl FnOnce(&mut State<A, B, E>)) {
        change(&mut lock(&self.state));
        self.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Without this, other threads would wait for the results of one that panics.
struct StopIfPanicking<'a, A, B, E>(&'a Line<A, B, E>);

impl<A, B, E> Drop for StopIfPanicking<'_, A, B, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.change(|state| state.stopped = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    /// Squares of 0 to 199, as they were taken, where working on `fails` and reading `ends` are errors.
    fn squares(fails: Option<usize>, ends: Option<usize>) -> (Vec<usize>, Result<(), usize>, usize) {
        let (mut items, mut taken, ended) = (0..200, Vec::new(), AtomicUsize::new(0));
        let next = || match items.next() {
            Some(n) if Some(n) == ends => Err(n),
            item => Ok(item),
        };
        let work = |n: usize| {
            // Some items take longer than others, so that results come out of order.
            let sum = (0..n % 7 * 3000).fold(n * n, |sum, k| std::hint::black_box(sum + k - k));
            if Some(n) == fails { Err(n) } else { Ok(sum) }
        };
        let take = |square| {
            taken.push(square);
            Ok(())
        };
        let end = |()| {
            ended.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let result = in_order(next, work, take, end);
        (taken, result, ended.into_inner())
    }

    #[test]
    fn results_are_taken_in_order_on_any_number_of_threads() {
        let expected: Vec<usize> = (0..200).map(|n| n * n).collect();
        for threads in [1, 2, 5] {
            assert_eq!(with_threads(threads, || squares(None, None)), (expected.clone(), Ok(()), 200));
        }
    }

    #[test]
    fn the_first_error_ends_it_after_all_that_came_before() {
        let expected: Vec<usize> = (0..77).map(|n| n * n).collect();
        for threads in [1, 2, 5] {
            for (fails, ends) in [(Some(77), None), (None, Some(77)), (Some(77), Some(78))] {
                let (taken, result, _) = with_threads(threads, || squares(fails, ends));
                assert_eq!((taken, result), (expected.clone(), Err(77)));
            }
        }
    }

    #[test]
    fn a_panic_is_passed_on_and_nobody_waits_for_it() {
        for threads in [1, 3] {
            let mut items = 0..100;
            let work = |n| if n == 50 { resume_unwind(Box::new(n)) } else { Ok::<_, ()>(n) };
            let all = || in_order(|| Ok(items.next()), work, Ok, |_| Ok(()));
            let panic = with_threads(threads, || catch_unwind(AssertUnwindSafe(all)).unwrap_err());
            assert_eq!(panic.downcast_ref(), Some(&50));
        }
    }
}
