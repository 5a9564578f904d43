//! Arguments that several commands share.

use anyhow::{Context, Result, bail};
use clap::Args;
use std::io::BufRead;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use treeglot_models::pairs::{TreeFiles, TreeReader};
use treeglot_pipeline::progress::Progress;
use treeglot_pipeline::train::Resources;
use treeglot_text::bitext::Skipped;
use treeglot_text::filter::filter_lines;
use treeglot_text::lines::MAX_LINE;
use treeglot_text::{Lines, Output};

/// One file in, one file out.
#[derive(Args)]
pub struct Files {
    /// The file to read; `.gz` and `.zst` are unpacked
    #[arg(value_name = "FILE", default_value = "-")]
    pub input: PathBuf,

    /// Where to write; `.gz` and `.zst` are packed
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Print no notes on standard error
    #[arg(short, long)]
    quiet: bool,
}

impl Files {
    /// Opens the output.
    pub fn output(&self) -> Result<Output> {
        Ok(Output::create(&self.output)?)
    }

    /// Prints a note, unless the user wants quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            eprintln!("treeglot: {text}");
        }
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

/// A prefix with an ending, as `lex` and `.f2e`.
pub fn with_ending(prefix: &Path, ending: &str) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// `1 sentence`, `2 sentences`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Parses a size in bytes, as `500M` or `4G`.
pub fn parse_size(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" => 10,
        "M" | "MB" => 20,
        "G" | "GB" => 30,
        "T" | "TB" => 40,
        _ => bail!("a size is a number with K, M, G or T, as in 4G"),
    };
    let number: f64 = digits.parse().context("a size is a number with K, M, G or T, as in 4G")?;
    if number.is_nan() || number < 0.0 {
        bail!("a size cannot be negative");
    }
    Ok((number * (1u64 << shift) as f64) as u64)
}

/// The trees of sentences to be translated.
#[derive(Args)]
pub struct TreeArgs {
    /// Dependency trees of the input, one for each line, for models that translate trees; given again, other parses of the
    /// same sentences, the best first: all are translated as one forest
    #[arg(long, value_name = "FILE")]
    src_dep: Vec<PathBuf>,

    /// Constituency trees of the input, likewise; a file `*.forest` has packed forests as Egret writes them
    #[arg(long, value_name = "FILE")]
    src_con: Vec<PathBuf>,
}

impl TreeArgs {
    /// Opens them; `texts` is what messages call the input.
    pub fn open(&self, texts: &str) -> Result<TreeReader> {
        let files = TreeFiles { deps: self.src_dep.clone(), cons: self.src_con.clone() };
        Ok(TreeReader::open(&files, texts)?)
    }
}

/// What commands that work line by line share.
#[derive(Args)]
pub struct FilterArgs {
    #[command(flatten)]
    pub files: Files,

    /// How many threads work [default: all cores]; the output does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// The longest line that is accepted, in bytes: longer ones are mostly not sentences
    #[arg(long, value_name = "BYTES", default_value_t = MAX_LINE)]
    max_line: usize,

    /// Write an empty line for one that is too long or not UTF-8, and count it, instead of stopping there
    #[arg(long)]
    skip_bad: bool,
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
                Err(e) if self.skip_bad && skipped.count(&e) => take(""),
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
        let mut workers: Vec<W> = (0..self.threads()).map(|_| worker()).collect();
        let mut output = self.files.output()?;
        let skipped = filter_lines(lines, &mut output, &mut workers, self.skip_bad)?;
        output.finish()?;
        self.report(skipped);
        Ok(())
    }

    /// How many threads are wanted.
    pub fn threads(&self) -> usize {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        threads.map_or(1, NonZeroUsize::get)
    }

    /// Whether unusable lines count as empty ones.
    pub fn skips_bad(&self) -> bool {
        self.skip_bad
    }

    /// Tells how many lines were skipped, if any.
    pub fn report(&self, skipped: Skipped) {
        if skipped.total() > 0 {
            self.files.note(&skipped.to_string());
        }
    }
}

/// Runs `work` on the wanted number of threads, or on all cores.
pub fn on_threads<T: Send>(threads: Option<NonZeroUsize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, NonZeroUsize::get)).build();
    Ok(pool.context("cannot start threads")?.install(work))
}

/// How stages run, for commands that run several.
#[derive(Args)]
pub struct WorkArgs {
    /// How much memory a stage may use; past it, temporary files are used
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,

    /// How many stages run side by side
    #[arg(long, value_name = "N", default_value = "2")]
    jobs: NonZeroUsize,

    /// How many threads work [default: all cores]; results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Print no progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

impl WorkArgs {
    /// Runs `work` with these resources.
    pub fn install<T: Send>(&self, work: impl FnOnce(Resources, &Progress) -> T + Send) -> Result<T> {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.map_or(1, NonZeroUsize::get);
        let resources = Resources { memory: self.memory, threads, jobs: self.jobs.get() };
        let progress = if self.quiet { Progress::quiet() } else { Progress::new() };
        rayon::ThreadPoolBuilder::new()
            .num_threads(resources.threads)
            .build_global()
            .context("cannot start threads")?;
        Ok(work(resources, &progress))
    }
}

/// The folder that `${data}` of recipes stands for.
pub fn data_folder(given: Option<&Path>) -> Option<PathBuf> {
    given.map(Path::to_path_buf).or_else(|| std::env::var_os("TREEGLOT_DATA").map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("17", 17), ("4G", 4 << 30), ("1.5k", 1536), ("2MB", 2 << 20)] {
            assert_eq!(parse_size(text).unwrap(), bytes);
        }
        for text in ["", "G", "4X", "-1G", "nanM"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
