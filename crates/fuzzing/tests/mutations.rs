//! Every reader with thousands of damaged files: none panics, and every refusal names the file. `TREEGLOT_INPUTS` sets how
//! many files each reader gets, `TREEGLOT_SEED` which, `TREEGLOT_TARGET` which reader is tried alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use treeglot_fuzzing::{Rng, Seen, TARGETS, Target, Trial};

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn number(name: &str) -> Option<usize> {
    setting(name).and_then(|text| text.parse().ok())
}

/// What a reader did: how many files it accepted and refused, and the faults.
fn try_out(target: &'static Target) -> (usize, usize, Vec<String>) {
    let (mut accepted, mut refused, mut faults) = (0, 0, Vec::new());
    let mut trial = match Trial::new(target) {
        Ok(trial) => trial,
        Err(why) => return (0, 0, vec![format!("{}: no seeds: {why}", target.name)]),
    };
    let first = number("TREEGLOT_SEED").unwrap_or(0) as u64;
    for seed in trial.seeds().to_vec() {
        match trial.read(&seed) {
            Ok(Seen::Accepted) => {}
            Ok(Seen::Refused(why)) => faults.push(format!("{}: a seed is refused: {why}", target.name)),
            Err(why) => faults.push(format!("{}: a seed: {why}", target.name)),
        }
    }
    let inputs = number("TREEGLOT_INPUTS").unwrap_or(target.inputs) as u64;
    for seed in first..first + inputs {
        let damaged = trial.damaged(&mut Rng::new(seed));
        match catch_unwind(AssertUnwindSafe(|| trial.read(&damaged))) {
            Ok(Ok(Seen::Accepted)) => accepted += 1,
            Ok(Ok(Seen::Refused(_))) => refused += 1,
            Ok(Err(why)) => faults.push(format!("{} {seed}: {why}", target.name)),
            Err(_) => faults.push(format!("{} {seed}: panicked", target.name)),
        }
    }
    (accepted, refused, faults)
}

#[test]
fn every_reader_is_a_target_of_cargo_fuzz() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/Cargo.toml");
    let text = std::fs::read_to_string(path).expect("the folder `fuzz` is beside the crates");
    let listed = text.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).skip(1);
    assert!(
        listed.eq(TARGETS.iter().map(|target| target.name)),
        "the binaries are those of the table, in its order"
    );
}

#[test]
fn every_tree_format_is_a_target() {
    for format in treeglot_tree::format::FORMATS {
        assert!(TARGETS.iter().any(|target| target.name == format.name()), "{} has no target", format.name());
    }
}

#[test]
fn damaged_files_are_read_or_refused_with_a_place_and_never_panic() {
    let only = setting("TREEGLOT_TARGET");
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|target| only.as_ref().is_none_or(|name| name == target.name)).collect();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            scope.spawn(|| {
                while let Some(target) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let (accepted, refused, faults) = try_out(target);
                    let seconds = start.elapsed().as_secs_f64();
                    let (name, count) = (target.name, faults.len());
                    println!(
                        "{name}: {accepted} accepted, {refused} refused, {count} faults, {seconds:.1} s"
                    );
                    all.lock().expect("no thread panics").extend(faults);
                }
            });
        }
    });
    let mut faults = all.into_inner().expect("no thread panics");
    faults.sort();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(200)].join("\n"));
}
