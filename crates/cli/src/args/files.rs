//! Files in and out, and commands that work line by line.

use super::{Quiet, SkipBad, Threads};
use crate::errors::wrong;
use crate::print;
use anyhow::Result;
use clap::Args;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use treeglot_text::MAX_LINE;
use treeglot_text::bitext::Skipped;
use treeglot_text::filter_lines;
use treeglot_text::{Error as TextError, Lines, Output};

/// Where the result goes.
#[derive(Args)]
pub struct OutputArgs {
    /// Where to write; `.gz` and `.zst` are packed
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
}

impl OutputArgs {
    /// Opens the output.
    pub fn create(&self) -> Result<Output> {
        Ok(Output::create(&self.output)?)
    }

    /// Writes the whole output.
    pub fn write(&self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<()> {
        print::write_file(&self.output, write)
    }
}

/// One file in, one file out.
#[derive(Args)]
pub struct Files {
    /// The file to read; `.gz` and `.zst` are unpacked
    #[arg(value_name = "FILE", default_value = "-")]
    pub input: PathBuf,

    #[command(flatten)]
    pub out: OutputArgs,

    #[command(flatten)]
    notes: Quiet,
}

impl Files {
    /// Opens the output.
    pub fn output(&self) -> Result<Output> {
        self.out.create()
    }

    /// Prints a note, unless the user wants quiet.
    pub fn note(&self, text: &str) {
        self.notes.note(text);
    }

    /// Whether the user wants quiet.
    pub fn is_quiet(&self) -> bool {
        self.notes.quiet
    }

    /// A sentence of the input, for messages about it.
    pub fn sentence(&self, number: usize) -> String {
        format!("{}, sentence {number}", name(&self.input))
    }
}

/// A file's name in messages.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_string() } else { path.display().to_string() }
}

/// How many lines a file has, for progress on a terminal; none where it cannot be read twice, or nobody looks.
pub fn known_lines(path: &Path) -> Option<u64> {
    if !path.metadata().ok()?.is_file() || !io::stderr().is_terminal() {
        return None;
    }
    let mut lines = Lines::open(path).ok()?;
    loop {
        match lines.next_line() {
            Ok(Some(_)) => {}
            Ok(None) => return Some(lines.line()),
            Err(TextError::Utf8 { .. } | TextError::TooLong { .. }) => {}
            Err(_) => return None,
        }
    }
}

/// That a folder to write to is new, empty, or one of ours, which has one of these in it: nothing of the user's is written over or
/// mixed with what is made.
pub fn check_folder(path: &Path, ours: &[&str]) -> Result<()> {
    let Ok(mut entries) = std::fs::read_dir(path) else {
        if path.exists() {
            wrong!("{}: there is a file of this name: name a folder", path.display());
        }
        return Ok(());
    };
    if entries.next().is_some() && !ours.iter().any(|name| path.join(name).exists()) {
        wrong!("{}: there is something else in this folder: name a new one", path.display());
    }
    Ok(())
}

/// A prefix with an ending, as `lex` and `.f2e`.
pub fn with_ending(prefix: &Path, ending: &str) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// Only one of the inputs can be standard input.
pub fn check_inputs<'a>(inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let standard = inputs.into_iter().filter(|path| path.as_os_str() == "-").count();
    if standard > 1 {
        wrong!("only one input can be standard input");
    }
    Ok(())
}

/// What commands that work line by line share.
#[derive(Args)]
pub struct FilterArgs {
    #[command(flatten)]
    pub files: Files,

    #[command(flatten)]
    pub threads: Threads,

    /// The longest line that is accepted, in bytes: longer ones are mostly not sentences
    #[arg(long, value_name = "BYTES", default_value_t = MAX_LINE)]
    max_line: usize,

    #[command(flatten)]
    bad: SkipBad,
}

impl FilterArgs {
    /// Opens the input.
    pub fn lines(&self) -> Result<Lines> {
        Ok(Lines::open(&self.files.input)?.limit(self.max_line))
    }

    /// Hands every usable line to `take`; stops at or counts the others, as the user asked.
    pub fn for_each(&self, mut take: impl FnMut(&str)) -> Result<()> {
        let mut lines = self.lines()?;
        let mut skipped = Skipped::default();
        loop {
            match lines.next_line() {
                Ok(Some(line)) => take(line),
                Ok(None) => break,
                Err(e) if self.skips_bad() && skipped.count(&e) => take(""),
                Err(e) => return Err(e.into()),
            }
        }
        self.report(skipped);
        Ok(())
    }

    /// Writes what the workers make of each line of the input.
    pub fn run<W: FnMut(&str, &mut String) + Send>(&self, worker: impl Fn() -> W) -> Result<()> {
        self.run_on(&mut self.lines()?, worker)
    }

    /// Writes what the workers make of each of `lines`.
    pub fn run_on<R, W>(&self, lines: &mut Lines<R>, worker: impl Fn() -> W) -> Result<()>
    where
        R: BufRead,
        W: FnMut(&str, &mut String) + Send,
    {
        let mut workers: Vec<W> = (0..self.threads.count()).map(|_| worker()).collect();
        let mut output = self.files.output()?;
        let skipped = filter_lines(lines, &mut output, &mut workers, self.skips_bad())?;
        output.finish()?;
        self.report(skipped);
        Ok(())
    }

    /// Whether unusable lines count as empty ones.
    pub fn skips_bad(&self) -> bool {
        self.bad.skip_bad
    }

    /// Tells how many lines were skipped, if any.
    pub fn report(&self, skipped: Skipped) {
        if skipped.total() > 0 {
            self.files.note(&skipped.to_string());
        }
    }
}
