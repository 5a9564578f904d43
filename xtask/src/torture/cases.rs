//! The kinds of cases.

use super::odd;
use super::process::{Launch, Verdict};
use super::rng::Rng;
use super::stand::{Job, Stand, leftovers};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a case did: in words, and how it went.
pub type Case = io::Result<(String, Verdict)>;

/// Runs a case with a seed.
pub type Torment = fn(&Stand, u64, &mut Rng) -> Case;

/// All kinds, by name.
pub const KINDS: [(&str, Torment); 8] = [
    ("kill", kill),
    ("full disk", full_disk),
    ("permissions", permissions),
    ("memory", memory),
    ("open files", open_files),
    ("damage", damage),
    ("two at once", two_at_once),
    ("odd lines", odd::lines),
];

fn launch<'a>(stand: &'a Stand, dir: &'a Path, job: &Job) -> Launch<'a> {
    Launch { args: job.args.clone(), ..Launch::new(&stand.binary, dir, &[]) }
}

/// Runs a command again where it was disturbed, now left alone.
fn again(stand: &Stand, dir: &Path, job: &Job) -> io::Result<Verdict> {
    let run = launch(stand, dir, job).run()?;
    let verdict = run.judge(|| job.same(dir));
    Ok(match verdict {
        // A signal may come when all is done: then a bundle is there already, whole.
        Verdict::Refused if job.same(dir).is_ok() && leftovers(dir)?.is_empty() => Verdict::Equal,
        Verdict::Refused => Verdict::Fault(format!("refuses to go on afterwards: {}", run.stderr.trim())),
        Verdict::Fault(why) => Verdict::Fault(format!("started again: {why}")),
        Verdict::Equal => match leftovers(dir)?.first() {
            Some(name) => Verdict::Fault(format!("leaves {name} behind")),
            None => Verdict::Equal,
        },
    })
}

/// A signal at a random moment, and the same command again.
fn kill(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let (job, dir) = (stand.job(random), stand.fresh(case)?);
    let when = Duration::from_secs_f64(job.seconds * random.uniform());
    let signal = *random.choose(&["KILL", "KILL", "TERM", "INT"]);
    let told = format!("{} gets {signal} after {:.3} s", job.name, when.as_secs_f64());
    let run = Launch { signal: Some((when, signal)), ..launch(stand, &dir, job) }.run()?;
    if run.stderr.contains("panicked at") || run.status.is_none() {
        return Ok((told, Verdict::Fault(run.fault().unwrap_or_default())));
    }
    Ok((told, again(stand, &dir, job)?))
}

/// No file may grow beyond a limit; then the same command again.
fn full_disk(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let (job, dir) = (stand.job(random), stand.fresh(case)?);
    let kilobytes = 1 << random.below(11);
    let told = format!("{} with files of at most {kilobytes} KB", job.name);
    let before = Some(format!("ulimit -f {kilobytes}"));
    let run = Launch { before, ..launch(stand, &dir, job) }.run()?;
    let verdict = run.judge(|| job.same(&dir));
    if verdict != Verdict::Refused {
        return Ok((told, verdict));
    }
    let after = again(stand, &dir, job)?;
    Ok((told, if after == Verdict::Equal { Verdict::Refused } else { after }))
}

/// A folder that cannot be written, or a file that cannot be read.
fn permissions(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let (job, dir) = (stand.job(random), stand.fresh(case)?);
    let told = format!("{} in a folder that cannot be written", job.name);
    for name in [".run.out", ".run.err"] {
        fs::write(dir.join(name), "")?;
    }
    let mut rights = fs::metadata(&dir)?.permissions();
    rights.set_readonly(true);
    fs::set_permissions(&dir, rights)?;
    let unprivileged = is_superuser();
    let run = Launch { unprivileged, ..launch(stand, &dir, job) }.run()?;
    let verdict = run.judge(|| Err("writes where it must not".to_string()));
    let restored = std::process::Command::new("chmod").arg("u+w").arg(&dir).status()?;
    debug_assert!(restored.success());
    Ok((told, verdict))
}

fn is_superuser() -> bool {
    let id = std::process::Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}

/// Little address space. What cannot be had ends a Rust program with a message, and that is a refusal.
fn memory(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let (job, dir) = (stand.job(random), stand.fresh(case)?);
    let megabytes = 64 << random.below(6);
    let told = format!("{} with {megabytes} MB of address space", job.name);
    let before = Some(format!("ulimit -v {}", megabytes * 1024));
    let run = Launch { before, ..launch(stand, &dir, job) }.run()?;
    if run.stderr.contains("memory allocation of") {
        return Ok((told, Verdict::Refused));
    }
    Ok((told, run.judge(|| job.same(&dir))))
}

fn open_files(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let (job, dir) = (stand.job(random), stand.fresh(case)?);
    let files = 4 + random.below(40);
    let told = format!("{} with {files} open files", job.name);
    let run = Launch { before: Some(format!("ulimit -n {files}")), ..launch(stand, &dir, job) }.run()?;
    Ok((told, run.judge(|| job.same(&dir))))
}

/// Damage to a file of a bundle: it is refused, by opening or by `bundle verify`, or it changes nothing.
fn damage(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let (system, dir) = (random.choose(&stand.systems), stand.fresh(case)?);
    let bundle = dir.join("bundle");
    fs::create_dir(&bundle)?;
    let mut files: Vec<PathBuf> =
        fs::read_dir(&system.folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let hit = random.below(files.len());
    let mut told = String::new();
    for (k, file) in files.iter().enumerate() {
        let name = file.file_name().unwrap_or_default();
        let mut bytes = fs::read(file)?;
        if k == hit {
            let how = spoil(&mut bytes, random);
            told = format!("{} of {}: {how}", name.to_string_lossy(), system.folder.display());
        }
        fs::write(bundle.join(name), bytes)?;
    }
    let verify = Launch::new(&stand.binary, &dir, &["bundle", "verify", "bundle"]).run()?;
    if let Some(fault) = verify.fault() {
        return Ok((told, Verdict::Fault(format!("bundle verify {fault}"))));
    }
    let run = stand.translate(&dir, system.trees, "bundle")?;
    let found = fs::read(&run.stdout)?;
    let verdict = run.judge(|| match found == system.expected {
        true => Ok(()),
        false if verify.succeeded() => Err("translates otherwise, and bundle verify says ok".to_string()),
        false => Err("translates otherwise without a word".to_string()),
    });
    Ok((told, verdict))
}

/// Damages bytes, and says how.
fn spoil(bytes: &mut Vec<u8>, random: &mut Rng) -> String {
    let at = random.below(bytes.len());
    match random.below(5) {
        0 => {
            bytes.truncate(at);
            format!("cut at byte {at}")
        }
        1 => {
            bytes.extend_from_slice(b"more");
            "four bytes more".to_string()
        }
        2 => {
            let end = bytes.len().min(at + 1 + random.below(64));
            bytes[at..end].fill(0);
            format!("bytes {at} to {end} zero")
        }
        3 => {
            let value = random.below(256) as u8;
            let end = bytes.len().min(at + 4);
            bytes[at..end].fill(value);
            format!("bytes {at} to {end} are {value}")
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
            format!("a bit of byte {at} flipped")
        }
    }
}

/// Two runs of a command in one folder: both end well, or one says who is at work.
fn two_at_once(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let shared: Vec<&Job> =
        stand.jobs.iter().filter(|job| ["train", "experiment", "tune"].contains(&job.name)).collect();
    let (job, dir) = (*random.choose(&shared), stand.fresh(case)?);
    let told = format!("{} twice in one folder", job.name);
    let one = launch(stand, &dir, job).start("one")?;
    std::thread::sleep(Duration::from_secs_f64(job.seconds * random.uniform()));
    let two = launch(stand, &dir, job).start("two")?;
    let (one, two) = (one.finish()?, two.finish()?);
    for run in [&one, &two] {
        let verdict = run.judge(|| Ok(()));
        // A second `train` into a bundle that is there by then says so.
        if let Verdict::Fault(_) = verdict {
            return Ok((told, verdict));
        }
    }
    if !one.succeeded() && !two.succeeded() {
        return Ok((
            told,
            Verdict::Fault(format!("both refuse: {} / {}", one.stderr.trim(), two.stderr.trim())),
        ));
    }
    Ok((told, job.same(&dir).map_or_else(Verdict::Fault, |()| Verdict::Equal)))
}
