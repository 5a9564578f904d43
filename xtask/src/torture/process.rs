//! Runs of the binary: with limits, signals and a time after which a run counts as hung.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A run that neither ends nor works for so long hangs; so does one that works for ten times as long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A run to come.
pub struct Launch<'a> {
    pub binary: &'a Path,
    pub args: Vec<String>,
    /// Where it runs; standard output and error go into files there.
    pub dir: &'a Path,
    pub stdin: Option<&'a Path>,
    /// What a shell does first, such as `ulimit -n 20`.
    pub before: Option<String>,
    /// A signal by name, and when it comes.
    pub signal: Option<(Duration, &'static str)>,
    /// Whether it runs without a superuser's rights.
    pub unprivileged: bool,
}

/// What came of it.
#[derive(Debug)]
pub struct Run {
    pub status: Option<ExitStatus>,
    pub stdout: PathBuf,
    pub stderr: String,
    pub seconds: f64,
}

impl<'a> Launch<'a> {
    pub fn new(binary: &'a Path, dir: &'a Path, args: &[&str]) -> Self {
        let args = args.iter().map(ToString::to_string).collect();
        Self { binary, args, dir, stdin: None, before: None, signal: None, unprivileged: false }
    }

    fn command(&self) -> Command {
        let mut command = match (&self.before, self.unprivileged) {
            (Some(before), _) => {
                let mut shell = Command::new("bash");
                shell.args(["-c", &format!("{before}; exec \"$0\" \"$@\"")]).arg(self.binary);
                shell
            }
            (None, true) => {
                let mut other = Command::new("setpriv");
                other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(self.binary);
                other
            }
            (None, false) => Command::new(self.binary),
        };
        command.args(&self.args).current_dir(self.dir);
        command
    }

    /// Starts it without waiting; `name` tells its output apart.
    pub fn start(&self, name: &str) -> std::io::Result<Started> {
        let (stdout, stderr) = (self.dir.join(format!(".{name}.out")), self.dir.join(format!(".{name}.err")));
        let mut command = self.command();
        command.stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
        match self.stdin {
            Some(path) => command.stdin(File::open(path)?),
            None => command.stdin(Stdio::null()),
        };
        Ok(Started { child: command.spawn()?, begin: Instant::now(), stdout, stderr, signal: self.signal })
    }

    pub fn run(&self) -> std::io::Result<Run> {
        self.start("run")?.finish()
    }
}

/// A run under way.
pub struct Started {
    child: std::process::Child,
    begin: Instant,
    stdout: PathBuf,
    stderr: PathBuf,
    signal: Option<(Duration, &'static str)>,
}

impl Started {
    pub fn finish(mut self) -> std::io::Result<Run> {
        let mut status = None;
        let (mut worked, mut since) = (0, Instant::now());
        while status.is_none() && since.elapsed() < PATIENCE && self.begin.elapsed() < 10 * PATIENCE {
            status = self.child.try_wait()?;
            // On a busy machine a run may wait long for a processor, which is no fault of its own.
            let now = processor_time(self.child.id());
            if now > worked {
                (worked, since) = (now, Instant::now());
            }
            if let Some((_, name)) = self.signal.take_if(|(when, _)| self.begin.elapsed() >= *when) {
                let _ = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
            }
            if status.is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        if status.is_none() {
            self.child.kill()?;
            self.child.wait()?;
        }
        let stderr = String::from_utf8_lossy(&std::fs::read(&self.stderr)?).into_owned();
        let seconds = self.begin.elapsed().as_secs_f64();
        Ok(Run { status, stdout: self.stdout, stderr, seconds })
    }
}

/// What a process has worked so far, in ticks, where the system tells it.
fn processor_time(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// What a case came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The command refused, and said why and where.
    Refused,
    /// It did its work, and the result is that of an undisturbed run.
    Equal,
    /// Neither.
    Fault(String),
}

impl Run {
    /// Whether a signal ended it, but that of a kill.
    pub fn fault(&self) -> Option<String> {
        let Some(status) = self.status else { return Some("hangs".to_string()) };
        if self.stderr.contains("panicked at") || status.code() == Some(101) {
            return Some(format!("panics: {}", self.last_line()));
        }
        status.signal().map(|signal| format!("ended by signal {signal}: {}", self.last_line()))
    }

    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    fn last_line(&self) -> &str {
        self.stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("nothing on standard error")
    }

    /// Judges a run: `same` compares its result with that of an undisturbed one.
    pub fn judge(&self, same: impl FnOnce() -> Result<(), String>) -> Verdict {
        if let Some(fault) = self.fault() {
            return Verdict::Fault(fault);
        }
        if self.succeeded() {
            return same().map_or_else(Verdict::Fault, |()| Verdict::Equal);
        }
        // A place is a file or a folder by name, or standard input or output.
        let line = self.stderr.lines().rfind(|line| line.starts_with("treeglot: ")).unwrap_or_default();
        let placed = ["/", ":", ".", "standard input", "standard output"].iter();
        let placed = placed.clone().any(|mark| line.trim_start_matches("treeglot: ").contains(mark));
        if placed {
            Verdict::Refused
        } else {
            Verdict::Fault(format!("refuses without a place: {}", self.last_line()))
        }
    }
}
