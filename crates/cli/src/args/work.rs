//! Threads, memory, and how stages run.

use super::{Quiet, parse_size};
use crate::print;
use anyhow::{Context, Result};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use treeglot_pipeline::{Progress, Resources};

/// How many threads work.
#[derive(Args)]
pub struct Threads {
    /// How many threads work [default: all cores]; results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    /// How many threads are wanted.
    pub fn count(&self) -> usize {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        threads.map_or(1, NonZeroUsize::get)
    }

    /// Runs `work` on that many threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.count()).build();
        pool.context("cannot start threads")?.install(work)
    }
}

/// How much memory may be used.
#[derive(Args)]
pub struct MemoryArgs {
    /// How much memory to use; past it, temporary files are used. Results do not depend on it
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,
}

impl MemoryArgs {
    /// How many bytes may be used. If the machine has fewer, that is said: the work may be slow, or ended by the system.
    pub fn bytes(&self) -> u64 {
        if let Some(has) = machine_memory().filter(|&has| has < self.memory) {
            let gigabytes = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
            let (wanted, has) = (gigabytes(self.memory), gigabytes(has));
            print::note(&format!("--memory {wanted:.1}G is more than the {has:.1} GB of this machine"));
        }
        self.memory
    }
}

/// How much memory counting and sorting may use, and where the rest goes.
#[derive(Args)]
pub struct ScratchArgs {
    #[command(flatten)]
    memory: MemoryArgs,

    /// The folder for temporary files [default: TMPDIR]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
}

impl ScratchArgs {
    /// How many bytes may be used.
    pub fn memory(&self) -> u64 {
        self.memory.bytes()
    }

    /// Where temporary files go, if it was said.
    pub fn temp(&self) -> Option<&Path> {
        self.temp.as_deref()
    }
}

/// How a table is made, for commands that write one.
#[derive(Args)]
pub struct TableArgs {
    /// What the table says its model is
    #[arg(long, value_name = "NAME", default_value = "")]
    pub model: String,

    #[command(flatten)]
    pub scratch: ScratchArgs,

    #[command(flatten)]
    pub threads: Threads,

    #[command(flatten)]
    pub notes: Quiet,
}

/// The memory of the machine, where the system tells it.
fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// How stages run, for commands that run several.
#[derive(Args)]
pub struct StageArgs {
    #[command(flatten)]
    memory: MemoryArgs,

    /// How many stages run side by side
    #[arg(long, value_name = "N", default_value = "2")]
    jobs: NonZeroUsize,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    pub notes: Quiet,
}

impl StageArgs {
    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// What stages may use.
    pub fn resources(&self) -> Resources {
        Resources { memory: self.memory.bytes(), threads: self.threads.count(), jobs: self.jobs.get() }
    }

    /// Runs `work` with these resources.
    pub fn run<T: Send>(
        &self,
        work: impl FnOnce(Resources, &Progress) -> treeglot_pipeline::Result<T> + Send,
    ) -> Result<T> {
        let resources = self.resources();
        let progress = if self.notes.quiet { Progress::quiet() } else { Progress::new() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(resources.threads).build_global();
        pool.context("cannot start threads")?;
        Ok(work(resources, &progress)?)
    }
}
