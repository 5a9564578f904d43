//! `treeglot train`: from texts to a bundle.

use crate::args::{
    DataFolder, DevTreeArgs, SkipBad, StageArgs, TreeArgs, check_folder, model_names, with_ending,
};
use crate::errors::wrong;
use crate::signals::kept_when_interrupted;
use crate::spark::{self, Engine, EngineArgs};
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use treeglot_document::{PairFormat, read_pairs};
use treeglot_metrics::{Options, build};
use treeglot_pipeline::recipe::{SubwordSettings, Trees};
use treeglot_pipeline::translator::{Translator, calibrate};
use treeglot_pipeline::{Bundle, Cache, Decision, Given, Recipe, Resources, train};
use treeglot_text::{Input, Output};
use treeglot_tree::PerTree;
use treeglot_tune::{Method, TuneSettings};

const HELP: &str = "\
Texts are raw unless --tokenized is given: they are cleaned, cut into words and truecased, words are linked, rules and a \
language model are learnt, weights are tuned on the development set. What is done is kept in BUNDLE.work until the bundle is \
complete: killed and started again, training goes on where it was. With --cache the outputs of stages stay for other runs.

Two files are enough: without --dev-src one pair in twenty, a thousand at most, is held out to tune on and as many to test on, \
and the scores on these are kept in the bundle's card. Without --model, trees decide: `consdep2str` for both kinds of source \
trees, `dep2str` or `cons2str` for one, `str2dep` for target trees; without trees it is `hiero`, the best of the models of \
strings, or `phrase` from half a million pairs on, which is faster. Small corpora gain most from trees.

Examples:
  treeglot train --src train.de --tgt train.en -o de-en
  treeglot train --src train.de --tgt train.en --from de --to en --dev-src dev.de --dev-tgt dev.en --model hiero -o de-en
  treeglot train --pairs memory.tmx --from de --to en -o de-en
  treeglot train recipe.toml --system hiero -o de-en
  treeglot train recipe.toml --engine spark --master spark://host:7077 -o de-en";

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
    #[arg(long, value_name = "FILE", required_unless_present_any = ["recipe", "pairs"])]
    src: Option<PathBuf>,

    /// Target sentences
    #[arg(long, value_name = "FILE", required_unless_present_any = ["recipe", "pairs"])]
    tgt: Option<PathBuf>,

    /// Pairs in one file, instead of --src and --tgt: a translation memory (.tmx), a catalogue (.po), two columns (.tsv), or lines
    /// of `source ||| target`; given again, the pairs of all
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recipe", "src", "tgt", "links"], requires_all = ["from", "to"])]
    pairs: Vec<PathBuf>,

    #[command(flatten)]
    trees: TreeArgs,

    /// A parser of the source language, for models that need its trees and texts without: a file that `treeglot parse train`
    /// made, or a command that reads sentences and writes trees; given again, of the other kind of trees, or for further parses.
    /// The bundle gets the files, not the commands
    #[arg(long, value_name = "PARSER", conflicts_with = "recipe")]
    src_parser: Vec<String>,

    /// A parser of the target language, likewise
    #[arg(long, value_name = "PARSER", conflicts_with = "recipe")]
    tgt_parser: Vec<String>,

    /// Ready links of the sentences, instead of word alignment
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,

    /// Source sentences to tune on [default: pairs held out of the training text]
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

    /// Add the models of --lm-text and of the training pairs up with the weights that fit the development set, instead of one
    /// model of all text: for text of another kind
    #[arg(long, requires = "lm_text", conflicts_with = "recipe")]
    lm_interpolate: bool,

    /// Learn so many pieces of words on each side, or SOURCE,TARGET, and translate these instead of words; 0 for whole words: for
    /// languages that make long words of many parts
    #[arg(long, value_name = "N", conflicts_with = "recipe", value_parser = subwords)]
    subwords: Option<SubwordSettings>,

    /// Whether compounds of the source language are taken apart into the words that they are made of, as far as the training text has
    /// these [default: yes for German, Dutch, Swedish and other languages that write them as one word]
    #[arg(long, value_name = "WHETHER", conflicts_with = "recipe", value_parser = yes_or_no)]
    compounds: Option<bool>,

    /// The source language [default: the ending of --src]
    #[arg(long, value_name = "LANG")]
    from: Option<String>,

    /// The target language [default: the ending of --tgt]
    #[arg(long, value_name = "LANG")]
    to: Option<String>,

    /// The model [default: by the trees that are given, see below]
    #[arg(long, value_name = "MODEL", value_parser = model_names())]
    model: Option<String>,

    /// Texts are words already, separated by blanks: leave them as they are
    #[arg(long)]
    tokenized: bool,

    #[command(flatten)]
    bad: SkipBad,

    /// How weights are tuned
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = TuneSettings::default().method)]
    tune: Method,

    /// What tuning makes better: a metric of `treeglot eval`, or a sum such as 0.5*bleu+0.5*chrf [default: bleu, or chrf_length where
    /// words of the target language are what the source has several for]
    #[arg(long, value_name = "METRIC", conflicts_with = "recipe")]
    metric: Option<String>,

    /// For a first look: fewer rounds of tuning, with shorter lists
    #[arg(long, conflicts_with = "recipe")]
    quick: bool,

    /// Learn a neural joint model of target words and source words too: better translations, for minutes of training and a search
    /// that takes two or three times as long
    #[arg(long, conflicts_with = "recipe")]
    joint: bool,

    /// Sort the target words into classes and learn a language model of these too: better agreement and word order, for a somewhat
    /// slower search
    #[arg(long, conflicts_with = "recipe")]
    class_lm: bool,

    /// Learn an operation sequence model too, which sees translations and reorderings together across the borders of phrases: for
    /// the model `phrase`
    #[arg(long, conflicts_with = "recipe")]
    operations: bool,

    /// Tune sparse features of rules too: translations of frequent words, words added and left out, lengths and shapes of rules
    #[arg(long, conflicts_with = "recipe")]
    sparse: bool,

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
    engine: EngineArgs,

    #[command(flatten)]
    work: StageArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let (own, bundle) = (with_ending(&self.output, ".work"), self.output.display());
        if self.output.join(treeglot_pipeline::bundle::MANIFEST).exists() {
            if self.cache.is_some() || !own.exists() {
                bail!("{bundle}: there is a bundle already: remove it, or name another folder");
            }
            // The bundle is the last thing that a run makes, but for its confidence.
            self.calibrate(&self.recipe(&own)?)?;
            remove_folder(&own)?;
            let tidied = "a run that ended before it could tidy up had finished it";
            self.work.notes.note(&format!("{bundle}: {tidied}; it is left as it is"));
            return Ok(());
        }
        check_folder(&self.output, &[])?;
        let kept = own.exists();
        let trained = self.train(&own);
        if self.cache.is_none() && trained.is_ok() {
            remove_folder(&own)?;
        }
        if self.cache.is_none() && trained.is_err() && !kept && Cache::remove_unused(&own) {
            let (own, again) = (own.display(), "run the command again, and they are not done again");
            self.work
                .notes
                .note(&format!("the stages that are done are kept in {own}: {again}; or remove it"));
        }
        trained?;
        for (what, score) in Bundle::open(&self.output)?.card()?.iter().flat_map(|card| &card.test) {
            self.work.notes.note(&format!("{what}: {score}"));
        }
        self.work.notes.note(&format!("translate with `treeglot translate -m {bundle}`"));
        Ok(())
    }

    /// Trains, with stages in a folder of its own unless a cache is given.
    fn train(&self, own: &Path) -> Result<()> {
        let folder = self.cache.as_deref().unwrap_or(own);
        let cache = Cache::open(folder)?;
        let recipe = self.recipe(folder)?;
        kept_when_interrupted(folder);
        if self.engine.engine == Engine::Spark {
            drop(cache);
            self.train_on_spark(folder)?;
            return self.calibrate(&recipe);
        }
        self.work.run(|resources, progress| {
            train(&recipe, self.system.as_deref(), &cache, resources, progress, &self.output)
        })?;
        self.calibrate(&recipe)
    }

    /// Trains on Spark, with stages in a folder.
    fn train_on_spark(&self, folder: &Path) -> Result<()> {
        let given = if self.recipe.is_none() { Some(self.files(folder)?) } else { None };
        let Resources { memory, threads, jobs } = self.work.resources();
        let EngineArgs { master, shared, .. } = &self.engine;
        spark::train(&serde_json::json!({
            "recipe": self.recipe, "given": given, "system": self.system, "output": self.output, "cache": folder,
            "data": self.data.folder(), "memory": memory, "threads": threads, "jobs": jobs, "quiet": self.work.notes.quiet,
            "master": master, "folder": shared,
        }))
    }

    fn recipe(&self, folder: &Path) -> Result<Recipe> {
        match &self.recipe {
            Some(path) => Ok(Recipe::open(path, self.data.folder().as_deref())?),
            None => self.given(folder),
        }
    }

    /// Fits how far translations can be trusted on the development set, where that needs no files of trees.
    fn calibrate(&self, recipe: &Recipe) -> Result<()> {
        let bundle = Bundle::open(&self.output)?;
        let needs_files = !Translator::open([&self.output])?.missing_trees(&PerTree::default()).is_empty();
        let Some(dev) = recipe.data.dev.as_ref().filter(|_| !needs_files) else { return Ok(()) };
        calibrate(&bundle, &dev.source, &dev.target, self.work.threads())?;
        Ok(())
    }

    /// The recipe that the arguments stand for; pairs that are held out are written to a folder of `work`.
    fn given(&self, work: &Path) -> Result<Recipe> {
        let (recipe, decisions) = self.files(work)?.recipe(work)?;
        decisions.iter().for_each(|decision| self.work.notes.note(&note(decision)));
        Ok(recipe)
    }

    /// The files and settings that the arguments are.
    fn files(&self, work: &Path) -> Result<Given> {
        let sides = match self.pairs.is_empty() {
            true => self.src.clone().zip(self.tgt.clone()),
            false => Some(self.sides(work)?),
        };
        let Some((source, target)) = sides else {
            wrong!("give a recipe, --src and --tgt, or --pairs");
        };
        if let Some(Err(error)) = self.metric.as_deref().map(|metric| build(metric, &Options::default())) {
            wrong!("--metric: {error}");
        }
        Ok(Given {
            src: source,
            tgt: target,
            trees: self.trees.files().map(|_, files| by_number(files)),
            src_parser: self.src_parser.clone(),
            tgt_parser: self.tgt_parser.clone(),
            links: self.links.clone(),
            dev_src: self.dev_src.clone(),
            dev_tgt: self.dev_tgt.clone(),
            dev_trees: self.dev_trees.files().map(|_, files| by_number(files)),
            lm_text: self.lm_text.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            model: self.model.clone(),
            tokenized: self.tokenized,
            skip_bad: self.bad.skip_bad,
            tune: self.tune,
            metric: self.metric.clone(),
            quick: self.quick,
            joint: self.joint,
            class_lm: self.class_lm,
            operations: self.operations,
            sparse: self.sparse,
            subwords: self.subwords.unwrap_or_default(),
            compounds: self.compounds,
            interpolate: self.lm_interpolate,
            seed: self.seed,
        })
    }
}

impl Args {
    /// Writes the sides of files of pairs to a folder, as files that end with their languages.
    fn sides(&self, work: &Path) -> Result<(PathBuf, PathBuf)> {
        let languages = [self.from.as_deref().unwrap_or_default(), self.to.as_deref().unwrap_or_default()];
        let paths = languages.map(|language| work.join(format!("pairs.{language}")));
        let mut outs = [Output::create(&paths[0])?, Output::create(&paths[1])?];
        for file in &self.pairs {
            let mut text = String::new();
            let name = file.display().to_string();
            let read = Input::open(file)?.reader.read_to_string(&mut text);
            read.with_context(|| format!("{name}: cannot read"))?;
            let pairs = read_pairs(PairFormat::of(&name), &text, languages).with_context(|| name)?;
            for pair in &pairs {
                for (out, side) in outs.iter_mut().zip(pair) {
                    writeln!(out, "{side}").map_err(|e| out.error(e))?;
                }
            }
            self.work.notes.note(&format!("{}: {} pairs", file.display(), pairs.len()));
        }
        for out in outs {
            out.finish()?;
        }
        let [source, target] = paths;
        Ok((source, target))
    }
}

/// A number of pieces for both sides, or one for each.
fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected `yes` or `no`".to_string()),
    }
}

fn subwords(text: &str) -> Result<SubwordSettings, String> {
    let (source, target) = text.split_once(',').unwrap_or((text, text));
    let number =
        |text: &str| text.trim().parse::<usize>().map_err(|_| format!("`{text}` is no number of pieces"));
    Ok(SubwordSettings { source: number(source)?, target: number(target)? })
}

/// A decision, with the option that makes another.
fn note(decision: &Decision) -> String {
    let option = match decision {
        Decision::UndividedTrees | Decision::TooFewPairs => " (--dev-src and --dev-tgt)",
        Decision::Model { .. } => "; --model takes another",
        Decision::Tokenized { .. } => ": --tokenized takes it as it is",
        Decision::Compounds { .. } => ": --compounds no leaves them whole",
        Decision::Metric { .. } => "; --metric takes another",
        Decision::GeneralRules { .. } | Decision::HeldOut { .. } | Decision::Lowercase { .. } => "",
    };
    format!("{decision}{option}")
}

/// Trees of one parser, or of several, which are known by their numbers.
fn by_number(mut files: Vec<PathBuf>) -> Trees {
    if files.len() < 2 {
        return files.pop().into();
    }
    Trees::Named((1..).map(|number: u32| number.to_string()).zip(files).collect())
}

fn remove_folder(folder: &Path) -> Result<()> {
    std::fs::remove_dir_all(folder).with_context(|| format!("{}: cannot remove", folder.display()))
}
