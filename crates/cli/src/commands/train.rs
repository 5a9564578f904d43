//! `treeglot train`: from texts to a bundle.

use crate::args::{DataFolder, DevTreeArgs, StageArgs, TreeArgs, model_names, tree_option, with_ending};
use crate::errors::wrong;
use crate::signals::when_interrupted;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use treeglot_pipeline::recipe::{Data, PairFiles, Preprocess, System};
use treeglot_pipeline::{Cache, Recipe, train};
use treeglot_text::unpacked_name;
use treeglot_tree::PerTree;
use treeglot_tune::{Method, TuneSettings};

const HELP: &str = "\
Texts are raw unless --tokenized is given: they are cleaned, cut into words and truecased, words are linked, rules and a \
language model are learnt, weights are tuned on the development set. What is done is kept in BUNDLE.work until the bundle is \
complete: killed and started again, training goes on where it was. With --cache the outputs of stages stay for other runs.

Examples:
  treeglot train --src train.de --tgt train.en --from de --to en --dev-src dev.de --dev-tgt dev.en --model hiero -o de-en
  treeglot train recipe.toml --system hiero -o de-en";

/// The arguments of `treeglot train`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A recipe, instead of files given here
    #[arg(value_name = "RECIPE", conflicts_with_all = ["src", "tgt", "model"])]
    recipe: Option<PathBuf>,

    /// Which system of the recipe to train [default: the first]
    #[arg(long, value_name = "NAME", requires = "recipe")]
    system: Option<String>,

    #[command(flatten)]
    data: DataFolder,

    /// Source sentences, one a line
    #[arg(long, value_name = "FILE", required_unless_present = "recipe")]
    src: Option<PathBuf>,

    /// Target sentences
    #[arg(long, value_name = "FILE", required_unless_present = "recipe")]
    tgt: Option<PathBuf>,

    #[command(flatten)]
    trees: TreeArgs,

    /// Ready links of the sentences, instead of word alignment
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,

    /// Source sentences to tune on; without them, weights stay those a system starts with
    #[arg(long, value_name = "FILE", requires = "dev_tgt")]
    dev_src: Option<PathBuf>,

    /// Their translations; give it again for more references
    #[arg(long, value_name = "FILE", requires = "dev_src")]
    dev_tgt: Vec<PathBuf>,

    #[command(flatten)]
    dev_trees: DevTreeArgs,

    /// More text of the target language for its language model
    #[arg(long, value_name = "FILE")]
    lm_text: Vec<PathBuf>,

    /// The source language [default: the ending of --src]
    #[arg(long, value_name = "LANG")]
    from: Option<String>,

    /// The target language [default: the ending of --tgt]
    #[arg(long, value_name = "LANG")]
    to: Option<String>,

    /// The model
    #[arg(long, value_name = "MODEL", required_unless_present = "recipe", value_parser = model_names())]
    model: Option<String>,

    /// Texts are words already, separated by blanks: leave them as they are
    #[arg(long)]
    tokenized: bool,

    /// How weights are tuned
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = TuneSettings::default().method)]
    tune: Method,

    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Keep the outputs of stages in this folder, and use those that are there
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// The bundle to write
    #[arg(short, long, value_name = "BUNDLE")]
    output: PathBuf,

    #[command(flatten)]
    work: StageArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        if self.output.join(treeglot_pipeline::bundle::MANIFEST).exists() {
            bail!("{}: there is a bundle already: remove it, or name another folder", self.output.display());
        }
        let recipe = match &self.recipe {
            Some(path) => Recipe::open(path, self.data.folder().as_deref())?,
            None => self.given()?,
        };
        let own = with_ending(&self.output, ".work");
        let folder = self.cache.as_ref().unwrap_or(&own);
        when_interrupted("the same command goes on where this one was".into());
        self.work.run(|resources, progress| {
            let cache = Cache::open(folder)?;
            train(&recipe, self.system.as_deref(), &cache, resources, progress, &self.output)
        })?;
        if self.cache.is_none() {
            std::fs::remove_dir_all(&own).with_context(|| format!("{}: cannot remove", own.display()))?;
        }
        let bundle = self.output.display();
        self.work.notes.note(&format!("translate with `treeglot translate -m {bundle}`"));
        Ok(())
    }

    /// The recipe that the arguments stand for.
    fn given(&self) -> Result<Recipe> {
        let (Some(source), Some(target), Some(model)) = (&self.src, &self.tgt, &self.model) else {
            wrong!("give a recipe, or --src, --tgt and --model");
        };
        let trees = one_each(self.trees.files())?;
        let train = PairFiles {
            source: source.clone(),
            target: target.clone(),
            source_dep: trees.source_dep.into(),
            source_con: trees.source_con.into(),
            target_dep: trees.target_dep.into(),
            target_con: trees.target_con.into(),
            links: self.links.clone(),
            ..PairFiles::default()
        };
        let mut dev = None;
        if let (Some(source), Some((target, more))) = (&self.dev_src, self.dev_tgt.split_first()) {
            let (source, target) = (source.clone(), target.clone());
            let trees = one_each(self.dev_trees.files())?;
            dev = Some(PairFiles {
                source,
                target,
                references: more.to_vec(),
                source_dep: trees.source_dep.into(),
                source_con: trees.source_con.into(),
                ..PairFiles::default()
            });
        }
        let language = |given: &Option<String>, file: &Path, option: &str| {
            if !file.exists() {
                bail!("{}: there is no such file", file.display());
            }
            let known = given.clone().or_else(|| ending(file));
            known.with_context(|| format!("which language is {}? Say it with {option}", file.display()))
        };
        let mut recipe = Recipe::new(
            language(&self.from, source, "--from")?,
            language(&self.to, target, "--to")?,
            Data { train, dev, test: Vec::new(), lm_target: self.lm_text.clone(), lm_source: Vec::new() },
            vec![System::new(model)],
        );
        if self.tokenized {
            recipe.preprocess = Preprocess { tokenize: false, truecase: false, ..recipe.preprocess };
        }
        recipe.tune.method = if recipe.data.dev.is_some() { self.tune } else { Method::None };
        recipe.tune.seed = self.seed;
        Ok(recipe)
    }
}

/// The only file of each kind of tree. Trees of several parsers have names, which only a recipe gives them.
fn one_each(files: PerTree<Vec<PathBuf>>) -> Result<PerTree<Option<PathBuf>>> {
    files.try_map(|slot, files| {
        let option = tree_option(slot);
        if files.len() > 1 {
            wrong!("{option} is given twice: systems with trees of several parsers take a recipe");
        }
        Ok(files.into_iter().next())
    })
}

/// The language that a file's ending names, as in `train.de.gz`.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let bare = unpacked_name(name);
    let (_, code) = bare.rsplit_once('.')?;
    let known = (2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase());
    known.then(|| code.to_string())
}
