//! `cargo xtask torture --minutes N`: kills, full disks, missing rights, low limits, damaged bundles, two processes at once
//! and odd lines, each compared with an undisturbed run; and the readers of all files, with damaged ones. The order
//! follows from the seed, and `--case KIND:SEED` repeats one case.

mod cases;
mod odd;
mod process;
// The tool depends on no crate of the workspace, so that it is built at once.
#[allow(dead_code, reason = "what the library's generator offers besides")]
#[path = "../../../crates/text/src/rng.rs"]
mod rng;
mod stand;

use cases::{KINDS, Torment};
use process::Verdict;
use rng::Rng;
use stand::Stand;
use std::path::PathBuf;

use std::time::{Duration, Instant};

const USAGE: &str = "see `cargo xtask help`";

#[derive(Default)]
struct Options {
    minutes: f64,
    seed: u64,
    binary: Option<PathBuf>,
    folder: Option<PathBuf>,
    only: Option<String>,
    case: Option<(String, u64)>,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    tried: usize,
    refused: usize,
    equal: usize,
    faults: usize,
}

/// Runs until the time is up; fails if there was a fault.
pub fn run(args: &[String]) -> bool {
    let faults = options(args).and_then(|options| torture(&options));
    faults.inspect_err(|why| eprintln!("torture: {why}")) == Ok(0)
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut options = Options { minutes: 10.0, seed: 1, ..Options::default() };
    for pair in args.chunks(2) {
        let [name, value] = pair else { return Err(USAGE.to_string()) };
        let number = || value.parse::<f64>().map_err(|_| USAGE.to_string());
        match name.as_str() {
            "--minutes" => options.minutes = number()?,
            "--seed" => options.seed = number()? as u64,
            "--binary" => options.binary = Some(value.into()),
            "--folder" => options.folder = Some(value.into()),
            "--only" => options.only = Some(value.clone()),
            "--case" => {
                let (kind, seed) = value.rsplit_once(':').ok_or(USAGE)?;
                options.case = Some((kind.to_string(), seed.parse().map_err(|_| USAGE.to_string())?));
            }
            _ => return Err(USAGE.to_string()),
        }
    }
    Ok(options)
}

fn torture(options: &Options) -> Result<usize, String> {
    let end = Instant::now() + Duration::from_secs_f64(options.minutes * 60.0);
    let binary = match &options.binary {
        Some(binary) => binary.canonicalize().map_err(|e| format!("{}: {e}", binary.display()))?,
        None => crate::built()?,
    };
    let folder = options
        .folder
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("treeglot-torture-{}", std::process::id())));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|e| e.to_string())?;
    let stand = Stand::new(binary, folder.clone())?;
    let wanted = options.case.as_ref().map(|(kind, _)| kind).or(options.only.as_ref());
    let kinds: Vec<&(&str, Torment)> =
        KINDS.iter().filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name)).collect();
    if kinds.is_empty() {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no such kind; the kinds are {}", names.join(", ")));
    }
    let mut counts = vec![Counts::default(); kinds.len()];
    for round in 0.. {
        let seed = options.case.as_ref().map_or(options.seed + round as u64, |(_, seed)| *seed);
        let at = round % kinds.len();
        let (name, torment) = *kinds[at];
        let (told, verdict) =
            torment(&stand, seed, &mut Rng::new(seed)).map_err(|e| format!("{name}:{seed}: {e}"))?;
        let count = &mut counts[at];
        count.tried += 1;
        match verdict {
            Verdict::Refused => count.refused += 1,
            Verdict::Equal => count.equal += 1,
            Verdict::Fault(why) => {
                count.faults += 1;
                println!("FAULT {name}:{seed}: {told}: {why}");
            }
        }
        // What one case left behind is there to be looked at.
        if options.case.is_none() {
            let _ = std::fs::remove_dir_all(folder.join(format!("case-{seed}")));
        }
        if options.case.is_some() || Instant::now() >= end {
            break;
        }
    }
    if options.folder.is_none() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    Ok(report(&kinds, &counts))
}

fn report(kinds: &[&(&str, Torment)], counts: &[Counts]) -> usize {
    println!(
        "{:<12} {:>6} {:>20} {:>18} {:>6}",
        "kind", "tried", "refused with a place", "done, same result", "faults"
    );
    let mut all = Counts::default();
    for ((name, _), count) in kinds.iter().zip(counts) {
        let Counts { tried, refused, equal, faults } = *count;
        println!("{name:<12} {tried:>6} {refused:>20} {equal:>18} {faults:>6}");
        all = Counts {
            tried: all.tried + tried,
            refused: all.refused + refused,
            equal: all.equal + equal,
            faults: all.faults + faults,
        };
    }
    println!("{:<12} {:>6} {:>20} {:>18} {:>6}", "all", all.tried, all.refused, all.equal, all.faults);
    all.faults
}
