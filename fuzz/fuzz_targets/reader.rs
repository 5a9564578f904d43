//! The reader that the binary is named after, with whatever the fuzzer makes up. Seeds: `cargo fuzz run NAME
//! ../crates/fuzzing/seeds` reads those of all text formats.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::{LazyLock, Mutex};
use treeglot_fuzzing::{TARGETS, Trial};

static TRIAL: LazyLock<Mutex<Trial>> = LazyLock::new(|| {
    let binary = std::env::current_exe().expect("a program has a name");
    let name = binary.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let target = TARGETS.iter().find(|target| target.name == name).expect("the binary is named after a target");
    Mutex::new(Trial::new(target).expect("the seeds can be made"))
});

fuzz_target!(|bytes: &[u8]| {
    TRIAL.lock().expect("a panic ends the program").fuzz(bytes);
});
