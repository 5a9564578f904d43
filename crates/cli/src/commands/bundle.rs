//! `treeglot bundle`: put bundles together, describe and check them.

use crate::args::{Json, Quiet, Threads, model_names, with_ending};
use crate::errors::wrong;
use crate::print::{json_line, print};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_decode::{SearchSettings, Weights};
use treeglot_grammar::Table;
use treeglot_lm::Lm;
use treeglot_pipeline::bundle::{
    Components, FileEntry, FileRole, LmFile, MosesSystem, TableFile, pack, read_moses, unpack,
};
use treeglot_pipeline::translator::calibrate;
use treeglot_pipeline::{Bundle, Corrections};

#[derive(Subcommand)]
pub enum Command {
    /// Put a bundle together from tables, language models and weights
    Make(Box<MakeArgs>),
    /// Print what a bundle consists of
    Info(InfoArgs),
    /// Compare the files of a bundle with their checksums
    Verify(VerifyArgs),
    /// Make one file of a bundle, to be sent or kept: .tar.zst, .tar.gz or .tar
    Pack(PackArgs),
    /// Make a bundle of such a file again
    Unpack(PackArgs),
    /// Take back what a bundle learnt from corrections
    Forget(ForgetArgs),
    /// Fit how far translations of a bundle can be trusted on a development set; `train` does it by itself
    Calibrate(CalibrateArgs),
}

#[derive(Args)]
pub struct MakeArgs {
    /// A system of Moses: its moses.ini names tables, language models, weights and settings of the search
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "tables", "lms", "weights", "options"])]
    moses: Option<PathBuf>,

    /// How the rules are applied
    #[arg(long, value_name = "MODEL", required_unless_present = "moses", value_parser = model_names())]
    model: Option<String>,

    /// A table; several are searched together
    #[arg(long = "table", value_name = "FILE", required_unless_present = "moses")]
    tables: Vec<PathBuf>,

    /// A language model of the target language, ARPA or binary; up to three, or two and a dependency language model
    #[arg(long = "lm", value_name = "FILE")]
    lms: Vec<PathBuf>,

    /// The weights of the features, in lines as `LM0= 0.5`
    #[arg(long, value_name = "FILE", required_unless_present = "moses")]
    weights: Option<PathBuf>,

    /// The language translated from
    #[arg(long, value_name = "LANG")]
    source: Option<String>,

    /// The language translated to
    #[arg(long, value_name = "LANG")]
    target: Option<String>,

    /// An option of the model, as of `treeglot extract MODEL`: `non-projective=inorder`; several are possible
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = model_option)]
    options: Vec<(String, serde_json::Value)>,

    /// The folder to write
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    #[command(flatten)]
    search: SearchSettings,
}

#[derive(Args)]
pub struct InfoArgs {
    /// The bundle
    bundle: PathBuf,

    #[command(flatten)]
    form: Json,
}

#[derive(Args)]
pub struct VerifyArgs {
    /// The bundle
    bundle: PathBuf,

    #[command(flatten)]
    notes: Quiet,
}

#[derive(Args)]
pub struct PackArgs {
    /// The bundle, or the file to unpack
    bundle: PathBuf,

    /// Where to write [default: BUNDLE.tar.zst, and the file's name without its ending]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

#[derive(Args)]
pub struct ForgetArgs {
    /// The bundle
    bundle: PathBuf,

    /// The number of a correction, as `bundle info` lists them; several are possible
    #[arg(long = "correction", value_name = "N", required_unless_present = "all")]
    numbers: Vec<usize>,

    /// Forget all corrections
    #[arg(long, conflicts_with = "numbers")]
    all: bool,
}

/// The folder that a file is unpacked into: its name without its ending.
fn folder_of(archive: &Path) -> Result<PathBuf> {
    let name = archive.to_string_lossy();
    let bare = [".tar.zst", ".tar.gz", ".tar"].iter().find_map(|ending| name.strip_suffix(ending));
    Ok(bare.with_context(|| format!("{name}: where to? Name a folder with -o"))?.into())
}

/// `name=value`, where a value that reads as a number or truth value is one.
fn model_option(text: &str) -> Result<(String, serde_json::Value), String> {
    let (name, value) = text.split_once('=').ok_or("expected `name=value`")?;
    Ok((name.to_string(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
}

impl Command {
    pub fn run(self) -> Result<()> {
        match self {
            Self::Make(args) => args.run(),
            Self::Info(args) => args.run(),
            Self::Verify(args) => args.run(),
            Self::Pack(args) => {
                let to = args.output.unwrap_or_else(|| with_ending(&args.bundle, ".tar.zst"));
                Ok(pack(&Bundle::open(&args.bundle)?, &to)?)
            }
            Self::Unpack(args) => {
                let to = args.output.map_or_else(|| folder_of(&args.bundle), Ok)?;
                unpack(&args.bundle, &to)?;
                Ok(())
            }
            Self::Forget(args) => args.run(),
            Self::Calibrate(args) => args.run(),
        }
    }
}

#[derive(Args)]
pub struct CalibrateArgs {
    /// The bundle
    bundle: PathBuf,

    /// Sentences that it was not trained on, one a line
    #[arg(long, value_name = "FILE")]
    dev_src: PathBuf,

    /// Their translations
    #[arg(long, value_name = "FILE")]
    dev_ref: PathBuf,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    notes: Quiet,
}

impl CalibrateArgs {
    fn run(self) -> Result<()> {
        let bundle = Bundle::open(&self.bundle)?;
        let fitted = calibrate(&bundle, &self.dev_src, &self.dev_ref, self.threads.count())?;
        if !self.notes.quiet {
            let (sentences, correlation) = (fitted.sentences, fitted.correlation);
            self.notes
                .note(&format!("{sentences} sentences: confidence and chrF correlate by {correlation:.3}"));
        }
        Ok(())
    }
}

impl ForgetArgs {
    fn run(self) -> Result<()> {
        let bundle = Bundle::open(&self.bundle)?;
        if self.all {
            return Ok(Corrections::forget_all(bundle.folder())?);
        }
        let known = bundle.corrections()?.all.len();
        if let Some(number) = self.numbers.iter().find(|&&number| number == 0 || number > known) {
            wrong!("there is no correction {number}: {} knows {known}", self.bundle.display());
        }
        Corrections::change(bundle.folder(), |all| {
            let mut number = 0;
            all.retain(|_| {
                number += 1;
                !self.numbers.contains(&number)
            });
        })?;
        Ok(())
    }
}

impl MakeArgs {
    fn run(self) -> Result<()> {
        let (Some(model), Some(weights)) = (self.model, &self.weights) else {
            let Some(ini) = &self.moses else { wrong!("give --moses, or --model, --table and --weights") };
            let MosesSystem { mut components, weights } = read_moses(ini)?;
            components.search = self.search.or_from(&components.search);
            components.languages = [self.source, self.target];
            components.bundle(&weights, None, &self.output, false)?;
            return Ok(());
        };
        let weights = Weights::read(weights)?;
        let components = Components {
            tables: self.tables.into_iter().enumerate().map(TableFile::found).collect::<Result<_, _>>()?,
            lms: self.lms.into_iter().map(LmFile::found).collect::<Result<_, _>>()?,
            joint: None,
            lexical: None,
            operations: None,
            sparse: None,
            affixes: None,
            subwords: [None, None],
            parsers: Vec::new(),
            languages: [self.source, self.target],
            text: None,
            search: self.search,
            options: self.options.into_iter().collect(),
            model,
        };
        components.bundle(&weights, None, &self.output, false)?;
        Ok(())
    }
}

impl InfoArgs {
    fn run(self) -> Result<()> {
        let bundle = Bundle::open(&self.bundle)?;
        if self.form.json {
            let info = json!({
                "manifest": bundle.manifest(), "card": bundle.card()?, "corrections": bundle.corrections()?.all,
            });
            return print(|out| json_line(out, &info));
        }
        let rows = rows(&bundle)?;
        print(|out| rows.iter().try_for_each(|(what, value)| writeln!(out, "{what}\t{value}")))
    }
}

/// What is known of a bundle, a line each.
fn rows(bundle: &Bundle) -> Result<Vec<(String, String)>> {
    let manifest = bundle.manifest();
    let mut rows = vec![("model".to_string(), manifest.model.clone())];
    let mut row = |what: &str, value: String| rows.push((what.to_string(), value));
    for (name, language) in [("source", &manifest.source), ("target", &manifest.target)] {
        if let Some(language) = language {
            row(name, language.clone());
        }
    }
    for entry in &manifest.files {
        row(&entry.name, format!("{}, {} bytes", describe(bundle, entry)?, entry.bytes));
    }
    if let Some(card) = bundle.card()? {
        row("made", format!("{} by treeglot {}", card.made, card.treeglot));
        for (what, value) in card.training.iter().chain(&card.tuning).chain(&card.test) {
            row(what, value.to_string());
        }
    }
    for (number, correction) in (1..).zip(&bundle.corrections()?.all) {
        rows.push((
            format!("correction {number}"),
            format!("{} ||| {}", correction.source, correction.target),
        ));
    }
    Ok(rows)
}

/// What a file is for, and how much it holds.
fn describe(bundle: &Bundle, entry: &FileEntry) -> Result<String> {
    let path = bundle.folder().join(&entry.name);
    let what = match entry.role {
        FileRole::ModelTable => "rules of the model",
        FileRole::ConstituentTable => "rules of constituency trees",
        FileRole::PhraseTable => "phrases",
        FileRole::HierarchicalTable => "hierarchical rules",
        FileRole::NgramLm => "language model of n-grams",
        FileRole::DependencyLm => "language model of dependencies",
        FileRole::JointModel => "joint model of words and source words",
        FileRole::SourceJointModel => "joint model of source words",
        FileRole::TargetGivenSource | FileRole::SourceGivenTarget => "word translations",
        FileRole::OperationModel => "operation sequence model",
        FileRole::FrequentWords => "words that sparse features tell apart",
        FileRole::Affixes => "endings and joints of words, for unknown ones",
        FileRole::SourceSubwords => "pieces of source words",
        FileRole::TargetSubwords => "pieces of target words",
        FileRole::LexicalModel => "lexical translation model of source words",
        FileRole::Weights => "weights",
        FileRole::SourceTruecaser => "truecasing of the source",
        FileRole::TargetTruecaser => "truecasing of the target",
        FileRole::SourceDependencyParser => "parser of the source, dependency trees",
        FileRole::SourceConstituencyParser => "parser of the source, constituency trees",
        FileRole::Card => "card",
    };
    if entry.role.table().is_some() {
        let table = Table::open(path)?;
        return Ok(format!("{what}: {} rules, {} source sides", table.len(), table.source_len()));
    }
    if entry.role.lm().is_some() {
        let lm = Lm::open(path)?;
        return Ok(format!("{what}: order {}, {} words", lm.order(), lm.words().len()));
    }
    Ok(what.to_string())
}

impl VerifyArgs {
    fn run(self) -> Result<()> {
        Bundle::open(&self.bundle)?.verify()?;
        if self.notes.quiet {
            return Ok(());
        }
        print(|out| writeln!(out, "{}: ok", self.bundle.display()))
    }
}
