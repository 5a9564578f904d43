//! What happens when the system tells the program to end: temporary files go, and the user learns how to go on.

use anyhow::Result;
use std::sync::Mutex;

/// What is said when a command is interrupted, beside that it was.
static HOW_TO_GO_ON: Mutex<Option<String>> = Mutex::new(None);

/// From now on, tells this when the command is interrupted.
pub fn when_interrupted(how_to_go_on: String) {
    *HOW_TO_GO_ON.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(how_to_go_on);
}

/// Starts to wait for signals. A write past the limit on the size of files becomes an error, which is told like any other.
#[cfg(unix)]
pub fn watch() -> Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let listen = || {
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let wait = move || signals.forever().next().map_or((), end);
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

#[cfg(unix)]
fn end(signal: i32) {
    treeglot_text::remove_unfinished();
    let how = HOW_TO_GO_ON.lock().map(|how| how.clone()).unwrap_or_default();
    let how = how.map(|how| format!(": {how}")).unwrap_or_default();
    crate::print::note(&format!("interrupted{how}"));
    // What a shell reports for a program that a signal ended.
    std::process::exit(128 + signal);
}
