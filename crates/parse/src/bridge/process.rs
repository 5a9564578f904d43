//! A program that runs beside us: lines to it, lines from it, each with a time limit, and no way for it to make us wait.

use super::answer::Failure;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use treeglot_text::Lines;

/// How many lines are read ahead of what is asked for.
const AHEAD: usize = 4096;

/// A running program. Threads of its own write to it and read from it, since either may block for as long as it likes.
pub(super) struct Process {
    child: Child,
    input: Option<Sender<String>>,
    lines: Receiver<treeglot_text::Result<String>>,
    /// The last line that it printed on standard error.
    said: Arc<Mutex<String>>,
    /// Who listens to that.
    listener: Option<JoinHandle<()>>,
}

/// Starts a thread, if the system gives one more.
fn start(work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Failure> {
    thread::Builder::new().spawn(work).map_err(Failure::Start)
}

impl Process {
    /// Starts a command line of the shell, in a process group of its own, so that all it starts can be ended with it.
    pub fn start(command: &str) -> Result<Self, Failure> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(Failure::Start)?;
        let said = Arc::new(Mutex::new(String::new()));
        let (input, texts) = channel::<String>();
        let (line, lines) = sync_channel(AHEAD);
        if let Some(mut stdin) = child.stdin.take() {
            // A program that reads no more ends the thread, and is found out by its answers.
            start(move || {
                let write = |text: String| stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
                texts.into_iter().map(write).take_while(Result::is_ok).for_each(drop);
            })?;
        }
        if let Some(stdout) = child.stdout.take() {
            start(move || read(BufReader::new(stdout), &line))?;
        }
        let listen = |stderr| {
            let said = Arc::clone(&said);
            start(move || remember(BufReader::new(stderr), &said))
        };
        let listener = child.stderr.take().map(listen).transpose()?;
        Ok(Self { child, input: Some(input), lines, said, listener })
    }

    /// Hands text over.
    pub fn send(&self, text: String) {
        if let Some(input) = &self.input {
            // Whoever does not read any more is found out by his answers.
            drop(input.send(text));
        }
    }

    /// Tells that nothing more will come.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The next line, none at the end of what the program says.
    pub fn line(&self, until: Instant) -> Result<Option<String>, Failure> {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => Ok(Some(line?)),
            Err(RecvTimeoutError::Timeout) => Err(Failure::Late),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    /// How it ended, with the last thing that it said.
    pub fn ending(&mut self) -> Failure {
        // Its output is closed; what it still does is of no use, but most programs are just about to end.
        let mut status = None;
        for _ in 0..20 {
            status = self.child.try_wait().ok().flatten();
            if status.is_some() && self.listener.as_ref().is_none_or(JoinHandle::is_finished) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let how = match status {
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit code {code}"),
                (None, signal) => format!("signal {}", signal.unwrap_or(0)),
            },
            None => "output closed".to_string(),
        };
        Failure::Ended { how, said }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            // It may have ended already.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hands lines on until there are no more or nobody takes them.
fn read(from: impl BufRead, to: &SyncSender<treeglot_text::Result<String>>) {
    let mut lines = Lines::new("the command's output", from);
    while let Some(line) = lines.next_line().map(|line| line.map(str::to_string)).transpose() {
        let failed = line.is_err();
        if to.send(line).is_err() || failed {
            return;
        }
    }
}

/// Keeps the last line with anything in it.
fn remember(from: impl BufRead, said: &Mutex<String>) {
    let mut lines = Lines::new("the command's messages", from);
    while let Ok(Some(line)) = lines.next_line() {
        if !line.trim().is_empty() {
            let mut last = said.lock().unwrap_or_else(PoisonError::into_inner);
            last.clear();
            last.push_str(line.trim());
        }
    }
}
