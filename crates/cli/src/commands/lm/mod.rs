//! `treeglot lm`: one module a subcommand.

mod build;
mod query;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use std::num::NonZeroUsize;

#[derive(Subcommand)]
pub enum Command {
    /// Estimate an n-gram model from text, or convert an ARPA file
    Build(build::Args),
    /// Print the log10 probability of each line of a text
    Query(query::Args),
}

impl Command {
    pub fn run(self) -> Result<()> {
        match self {
            Self::Build(args) => args.run(),
            Self::Query(args) => args.run(),
        }
    }
}

/// Runs `work` on the wanted number of threads, or on all cores.
fn on_threads<T: Send>(threads: Option<NonZeroUsize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, NonZeroUsize::get)).build();
    Ok(pool.context("cannot start threads")?.install(work))
}

/// Parses a size in bytes, as `500M` or `4G`.
fn parse_size(text: &str) -> Result<u64> {
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
    if !(number >= 0.0) {
        bail!("a size cannot be negative");
    }
    Ok((number * (1u64 << shift) as f64) as u64)
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
