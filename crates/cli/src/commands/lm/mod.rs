//! `treeglot lm`: one module a subcommand.

mod build;
mod depbuild;
mod query;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use std::num::NonZeroUsize;
use treeglot_lm::estimate::Statistics;

#[derive(Subcommand)]
pub enum Command {
    /// Estimate an n-gram model from text, or convert an ARPA file
    Build(build::Args),
    /// Print the log10 probability of each line of a text
    Query(query::Args),
    /// Estimate a dependency language model from trees
    Depbuild(depbuild::Args),
}

impl Command {
    pub fn run(self) -> Result<()> {
        match self {
            Self::Build(args) => args.run(),
            Self::Query(args) => args.run(),
            Self::Depbuild(args) => args.run(),
        }
    }
}

/// Runs `work` on the wanted number of threads, or on all cores.
pub(super) fn on_threads<T: Send>(
    threads: Option<NonZeroUsize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, NonZeroUsize::get)).build();
    Ok(pool.context("cannot start threads")?.install(work))
}

/// Tells what was estimated: fallback discounts unless `quiet`, everything if `verbose`.
fn report(statistics: &Statistics, quiet: bool, verbose: bool) {
    for (at, order) in statistics.orders.iter().enumerate() {
        let [one, two, more] = order.discount;
        let n = at + 1;
        if order.fallback && !quiet {
            eprintln!("treeglot: {n}-grams give no discounts of their own: {one}, {two} and {more} are used");
        }
        if verbose {
            let (found, kept) = (order.found, order.kept);
            eprintln!("treeglot: {n}-grams: {found} found, {kept} kept, discounts {one} {two} {more}");
        }
    }
}

/// Parses a size in bytes, as `500M` or `4G`.
pub(super) fn parse_size(text: &str) -> Result<u64> {
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
