//! `cargo xtask test`: everything that must hold before a change lands.

use crate::{cargo, has_nextest, junit, licences, python};

/// Runs all steps, up to the first that fails.
pub fn run() -> bool {
    let nextest = has_nextest();
    let tests: &[&str] = if nextest { &["nextest", "run"] } else { &["test"] };
    let all = ["--workspace", "--all-targets", "--all-features", "--no-fail-fast"];
    let tests: Vec<&str> = tests.iter().chain(&all).copied().collect();
    let passed = cargo(&["fmt", "--all", "--check"])
        && licences::run()
        && cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])
        && cargo(&tests)
        && cargo(&["test", "--workspace", "--all-features", "--doc"])
        && cargo(&["doc", "--workspace", "--all-features", "--no-deps"])
        && python::test();
    if nextest {
        junit::report("default");
        junit::report_ignored();
    } else {
        println!("install cargo-nextest to see which tests were ignored, and which took long");
    }
    passed
}
