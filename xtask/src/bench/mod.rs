//! `cargo xtask bench --peers DIR`: our binary and the peers found below DIR, in turn, on the same files; the table goes into
//! `docs/benchmarks.md`. Programs are found by name, so a folder with clones that were built, or a virtual environment, will do.

mod jobs;
pub mod measure;
mod peers;
mod table;

use jobs::{Contender, JOBS, Job};
use measure::Times;
use peers::Peers;
use std::path::PathBuf;
use std::process::Command;

const USAGE: &str = "usage: cargo xtask bench --peers DIR [--runs N] [--only JOB] [--binary FILE] [--print]";

/// The page that holds the table, between the lines [`table::BEGIN`] and [`table::END`].
const PAGE: &str = "docs/benchmarks.md";

struct Options {
    peers: PathBuf,
    runs: usize,
    only: Option<String>,
    binary: PathBuf,
    /// Whether the table is printed and no page changed.
    print: bool,
}

/// What one contender took in all runs of a job, or why it was left out.
struct Row {
    name: &'static str,
    version: String,
    outcome: Result<Times, String>,
}

/// A job with the rows of its contenders, ours first, and what its check said.
struct Measured {
    job: &'static Job,
    rows: Vec<Row>,
    check: Option<String>,
}

/// Runs all; whether everything that was found could be run.
pub fn run(args: &[String]) -> bool {
    options(args).and_then(|options| bench(&options)).inspect_err(|why| eprintln!("bench: {why}")) == Ok(true)
}

fn options(args: &[String]) -> Result<Options, String> {
    let (mut peers, mut runs, mut only, mut binary, mut print) = (None, 3, None, None, false);
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{name} wants a value; {USAGE}"));
        match name.as_str() {
            "--peers" => peers = Some(PathBuf::from(value()?)),
            "--runs" => runs = value()?.parse().ok().filter(|&runs| runs > 0).ok_or(USAGE)?,
            "--only" => only = Some(value()?),
            "--binary" => binary = Some(PathBuf::from(value()?)),
            "--print" => print = true,
            _ => return Err(USAGE.to_string()),
        }
    }
    if let Some(only) = &only
        && !JOBS.iter().any(|job| job.name == only)
    {
        let names: Vec<&str> = JOBS.iter().map(|job| job.name).collect();
        return Err(format!("there is no job `{only}`; the jobs are {}", names.join(", ")));
    }
    let binary = match binary {
        Some(binary) => binary,
        None => crate::built()?,
    };
    let binary = binary.canonicalize().map_err(|e| format!("{}: {e}", binary.display()))?;
    Ok(Options { peers: peers.ok_or(USAGE)?, runs, only, binary, print })
}

fn bench(options: &Options) -> Result<bool, String> {
    let data =
        std::env::var("TREEGLOT_DATA").map_err(|_| "TREEGLOT_DATA must name the folder of the data")?;
    let data = PathBuf::from(&data).canonicalize().map_err(|e| format!("{data}: {e}"))?;
    let peers = Peers::find(&options.peers)?;
    let folder = std::env::temp_dir().join(format!("treeglot-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let shell = Shell { variables: variables(options, &data, &peers), folder: folder.clone() };
    let wanted = JOBS.iter().filter(|job| options.only.as_ref().is_none_or(|only| only == job.name));
    let measured: Result<Vec<Measured>, String> =
        wanted.map(|job| measured(job, options.runs, &peers, &shell)).collect();
    let _ = std::fs::remove_dir_all(&folder);
    let measured = measured?;
    let text = table::text(&measured, options.runs, &options.binary);
    println!("{text}");
    if !options.print {
        table::put(PAGE, &text)?;
    }
    // A peer that is not there is no failure; one that cannot be run is.
    Ok(measured
        .iter()
        .flat_map(|measured| &measured.rows)
        .all(|row| row.outcome.as_ref().err().is_none_or(|why| why.starts_with(peers::MISSING))))
}

/// What commands find in their environment: our binary, the data, and each program of a peer by its name.
fn variables(options: &Options, data: &std::path::Path, peers: &Peers) -> Vec<(String, PathBuf)> {
    let own = [("T".to_string(), options.binary.clone()), ("D".to_string(), data.to_path_buf())];
    own.into_iter().chain(peers.variables()).collect()
}

/// Where commands run.
struct Shell {
    variables: Vec<(String, PathBuf)>,
    folder: PathBuf,
}

impl Shell {
    /// A command with this text, to be run by bash in the folder of the work.
    fn command(&self, text: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["-eu", "-o", "pipefail", "-c", text]).current_dir(&self.folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Its standard output, or the last line of its standard error.
    fn run(&self, text: &str) -> Result<String, String> {
        let output = self.command(text).output().map_err(|e| format!("bash: {e}"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_string());
        }
        let error = String::from_utf8_lossy(&output.stderr);
        Err(error.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("fails without a word").to_string())
    }
}

fn measured(job: &'static Job, runs: usize, peers: &Peers, shell: &Shell) -> Result<Measured, String> {
    eprintln!("bench: {}", job.name);
    shell.run(job.before).map_err(|why| format!("{}: {why}", job.name))?;
    let ours = Contender { name: "treeglot", needs: &[], before: "", command: job.ours };
    let contenders: Vec<&Contender> = std::iter::once(&ours).chain(job.peers).collect();
    let mut outcomes: Vec<Result<Times, String>> = contenders
        .iter()
        .map(|contender| {
            peers.has(contender.needs)?;
            shell.run(contender.before).map(|_| Times::default())
        })
        .collect();
    // In turn, so that whatever else the machine does falls on all of them.
    for _ in 0..runs {
        for (contender, outcome) in contenders.iter().zip(&mut outcomes) {
            if let Ok(times) = outcome
                && let Err(why) = times.add(|| shell.run(contender.command).map(drop))
            {
                *outcome = Err(why);
            }
        }
    }
    let all = outcomes.iter().all(Result::is_ok);
    let check = match job.check {
        Some(check) if all => Some(shell.run(check)?),
        _ => None,
    };
    let rows = contenders.iter().zip(outcomes).map(|(contender, outcome)| Row {
        name: contender.name,
        version: peers.version(contender.needs),
        outcome,
    });
    Ok(Measured { job, rows: rows.collect(), check })
}
