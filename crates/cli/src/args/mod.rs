//! Arguments that commands share: each is written once, and flattened into the commands that take it.

mod files;
mod numbers;
mod pairs;
mod work;

pub use files::{Files, FilterArgs, OutputArgs, check_folder, check_inputs, known_lines, name, with_ending};
pub use numbers::{finite_numbers, parse_size};
pub use pairs::{DevTreeArgs, PairArgs, SkipBad, SourceTreeArgs, TreeArgs, tree_option};
pub use work::{MemoryArgs, ScratchArgs, StageArgs, TableArgs, Threads};

use crate::print;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use treeglot_models::registry::MODELS;

/// Whether notes are wanted.
#[derive(Args)]
pub struct Quiet {
    /// Print no notes and no progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

impl Quiet {
    /// Prints a note, unless the user wants quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            print::note(text);
        }
    }
}

/// Whether notes are wanted, and whether many.
#[derive(Args)]
pub struct Verbosity {
    #[command(flatten)]
    pub notes: Quiet,

    /// Print on standard error what each step did
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
}

impl Verbosity {
    /// Prints a note for those who want many.
    pub fn detail(&self, text: &str) {
        if self.verbose {
            print::note(text);
        }
    }
}

/// Whether tables are to be read by programs.
#[derive(Args)]
pub struct Json {
    /// Print JSON, one object a line, with unrounded numbers
    #[arg(long)]
    pub json: bool,
}

/// The folder that `${data}` of recipes stands for.
#[derive(Args)]
pub struct DataFolder {
    /// The folder that `${data}` in the recipe stands for [default: the environment variable TREEGLOT_DATA]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl DataFolder {
    /// The folder, if there is one.
    pub fn folder(&self) -> Option<PathBuf> {
        let folder = self.data.clone().or_else(|| std::env::var_os("TREEGLOT_DATA").map(PathBuf::from))?;
        // Relative to where the user is, and not to the recipe.
        Some(std::path::absolute(&folder).unwrap_or(folder))
    }
}

/// Parses one of some names into what it stands for.
pub fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// The names of the models.
pub fn model_names() -> PossibleValuesParser {
    PossibleValuesParser::new(MODELS.iter().map(|model| model.name))
}

/// `1 sentence`, `2 sentences`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Two inputs cannot both be standard input.
pub fn check_distinct(a: &Path, b: &Path) -> anyhow::Result<()> {
    check_inputs([a, b])
}
