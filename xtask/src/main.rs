//! Project chores, run as `cargo xtask NAME`.

use std::env;
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask test    formatting, lints, tests, doc tests and documentation";

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("test") => test(),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::FAILURE
        }
    }
}

/// Everything that must hold before a change lands. `cargo nextest` is used where it is installed.
fn test() -> ExitCode {
    let nextest =
        Command::new("cargo").args(["nextest", "--version"]).output().is_ok_and(|o| o.status.success());
    let tests: &[&str] = if nextest {
        &["nextest", "run", "--workspace", "--all-targets", "--no-fail-fast"]
    } else {
        &["test", "--workspace", "--all-targets", "--no-fail-fast"]
    };
    let steps: [&[&str]; 5] = [
        &["fmt", "--all", "--check"],
        &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        tests,
        &["test", "--workspace", "--doc"],
        &["doc", "--workspace", "--no-deps"],
    ];
    for args in steps {
        let start = Instant::now();
        println!("==> cargo {}", args.join(" "));
        let mut command = Command::new("cargo");
        command.args(args).env("RUSTDOCFLAGS", "-D warnings");
        if !command.status().is_ok_and(|s| s.success()) {
            eprintln!("==> failed: cargo {}", args.join(" "));
            return ExitCode::FAILURE;
        }
        println!("==> done in {:.0} s", start.elapsed().as_secs_f64());
    }
    ExitCode::SUCCESS
}
