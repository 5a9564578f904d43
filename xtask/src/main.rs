//! Project chores, run as `cargo xtask NAME`.

mod bench;
mod dist;
mod firsthour;
mod junit;
mod licences;
mod pairs;
mod python;
mod quick;
mod test;
mod torture;
mod translators;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask NAME

  test    what must pass before a change lands: formatting, lints, tests, doc tests, documentation
  quick   the loop while writing: check and quick tests of the changed crates and of those that use them
  sample  generate the embedded sample anew, after a change of its grammar or lexicon
  python  the tests of the Python package alone: a wheel in a fresh environment, lints, types, pytest
  wheel   [-o DIR] a wheel of the Python package, with maturin
  dist    an archive with a binary that needs nothing of the system, completions, manual pages, and its checksum
  bench --peers DIR [--runs N] [--only JOB] [--binary FILE] [--print]
          our binary and the peers found below DIR in turn (with TREEGLOT_DATA): the table of docs/benchmarks.md
  firsthour [--short]
          the commands of the documents as printed, the ordinary mistakes, a terminal, twelve language pairs (with TREEGLOT_DATA),
          and pictures of report and viewer; --short without pictures and data
  pairs [BINARY [MOST-PAIRS [NAME...]]]
          the twelve language pairs alone, as the table of docs/results.md
  translators [BINARY [NAME...]]
          terms, tags, corrections, memory, confidence, as the table of docs/results.md (with TREEGLOT_DATA)
  torture [--minutes N] [--seed N] [--binary FILE] [--folder DIR] [--only KIND] [--case KIND:SEED]
          kills, full disks, low limits, damaged bundles, odd lines: each result compared with an undisturbed run";

/// How the packed sample that is embedded is written.
const SAMPLE: [&str; 6] =
    ["run", "--release", "-p", "treeglot-sample-generator", "--", "crates/sample/data/sample.zst"];

fn main() -> ExitCode {
    let passed = match std::env::args().nth(1).as_deref() {
        Some("test") => test::run(),
        Some("quick") => quick::run(),
        Some("sample") => cargo(&SAMPLE),
        Some("python") => python::test(),
        Some("wheel") => python::wheel(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("dist") => dist::run(),
        Some("bench") => bench::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("firsthour") => firsthour::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("pairs") => pairs::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("translators") => translators::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("torture") => torture::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("help" | "--help" | "-h") => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs cargo with these arguments, and tells how long it took; whether it succeeded.
fn cargo(args: &[&str]) -> bool {
    cargo_with(args, &[])
}

/// The same with variables of the environment.
fn cargo_with(args: &[&str], variables: &[(&str, &std::ffi::OsStr)]) -> bool {
    run("cargo", args, variables)
}

/// Runs a program likewise.
fn run(program: &str, args: &[&str], variables: &[(&str, &std::ffi::OsStr)]) -> bool {
    let start = Instant::now();
    println!("==> {program} {}", args.join(" "));
    let passed = Command::new(program)
        .args(args)
        .env("RUSTDOCFLAGS", "-D warnings")
        .envs(variables.iter().copied())
        .status();
    let passed = passed.is_ok_and(|status| status.success());
    let (how, seconds) = (if passed { "done" } else { "FAILED" }, start.elapsed().as_secs_f64());
    println!("==> {how} in {seconds:.0} s: {program} {}", args.join(" "));
    passed
}

/// What a command prints, if it succeeds.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Where cargo builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// Where the binary lies that is built with optimisation.
fn release_binary() -> PathBuf {
    target().join("release/treeglot")
}

/// Builds the binary with optimisation.
fn built() -> Result<PathBuf, String> {
    match cargo(&["build", "--release", "-p", "treeglot-cli"]) {
        true => std::path::absolute(release_binary()).map_err(|e| e.to_string()),
        false => Err("the binary cannot be built".to_string()),
    }
}

/// Whether `cargo nextest` is installed: it runs tests side by side and tells how long each took.
fn has_nextest() -> bool {
    output("cargo", &["nextest", "--version"]).is_some()
}
