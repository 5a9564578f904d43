//! What happens when the system tells the program to end: temporary files go, and the user learns how to go on.

use anyhow::Result;
use std::path::Path;
use std::sync::Mutex;

/// What is said when a command is interrupted, beside that it was.
static HOW_TO_GO_ON: Mutex<Option<Box<dyn Fn() -> String + Send>>> = Mutex::new(None);

/// From now on, tells this when the command is interrupted.
pub fn when_interrupted(how_to_go_on: impl Fn() -> String + Send + 'static) {
    *HOW_TO_GO_ON.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(Box::new(how_to_go_on));
}

/// From now on, tells somebody who interrupts that what is done is kept in this folder, and how to go on from it.
pub fn kept_when_interrupted(folder: &Path) {
    let folder = folder.display().to_string();
    when_interrupted(move || {
        format!("what is done is kept in {folder}; run the same command again, and it goes on from there")
    });
}

/// What is done at the first signal, instead of ending at once.
static FIRST: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// From now on, does this at the first signal; the second one ends the program.
pub fn on_signal(first: impl FnOnce() + Send + 'static) {
    *FIRST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(Box::new(first));
}

/// Starts to wait for signals. A write past the limit on the size of files becomes an error, which is told like any other; a
/// read of a mapped file that was cut short meanwhile cannot, and ends the program with a message.
#[cfg(unix)]
pub fn watch() -> Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGBUS, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let listen = || {
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        // SAFETY: what runs when the signal comes makes two system calls, `write` and `_exit`, and touches no memory but a
        // constant, so that it may interrupt anything.
        #[expect(
            unsafe_code,
            reason = "the signal of a mapped file that is gone can only be met where it comes"
        )]
        unsafe { signal_hook::low_level::register(SIGBUS, file_cut_short) }?;
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let wait = move || signals.forever().for_each(received);
        std::thread::Builder::new().name("signals".into()).spawn(wait)
    };
    listen().context("cannot listen for signals")?;
    Ok(())
}

/// Elsewhere the system ends the program by itself.
#[cfg(not(unix))]
pub fn watch() -> Result<()> {
    Ok(())
}

/// Ends the program where it stands: the memory that was to be read is not there any more.
#[cfg(unix)]
fn file_cut_short() {
    let message = b"treeglot: a file was cut short while it was in use: give it back its contents, and run the command again\n";
    let _ = rustix::io::write(rustix::stdio::stderr(), message);
    signal_hook::low_level::exit(128 + signal_hook::consts::SIGBUS);
}

#[cfg(unix)]
fn received(signal: i32) {
    let first = FIRST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    match first {
        Some(first) => first(),
        None => end(signal),
    }
}

#[cfg(unix)]
fn end(signal: i32) {
    treeglot_text::remove_unfinished();
    let how = HOW_TO_GO_ON.lock().ok().and_then(|how| how.as_ref().map(|how| format!(": {}", how())));
    let how = how.unwrap_or_default();
    crate::print::note(&format!("interrupted{how}"));
    // What a shell reports for a program that a signal ended.
    std::process::exit(128 + signal);
}
