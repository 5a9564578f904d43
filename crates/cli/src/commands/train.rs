//! `treeglot train`: from texts to a bundle.

use crate::args::{
    DataFolder, DevTreeArgs, SkipBad, StageArgs, TreeArgs, model_names, tree_option, with_ending,
};
use crate::errors::wrong;
use crate::signals::when_interrupted;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use treeglot_models::registry::suggested;
use treeglot_pipeline::parsing::{WordParser, first_line, is_model};
use treeglot_pipeline::recipe::{Data, PairFiles, ParserSource, Parsers, Preprocess, System};
use treeglot_pipeline::{Bundle, Cache, Recipe, hold_out, train};
use treeglot_text::tokenize::Language;
use treeglot_text::{Side, unpacked_name};
use treeglot_tree::{PerTree, TreeSlot};
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

    /// What tuning makes better: a metric of `treeglot eval`, or a sum such as 0.5*bleu+0.5*chrf
    #[arg(long, value_name = "METRIC", default_value_t = TuneSettings::default().metric, conflicts_with = "recipe")]
    metric: String,

    /// For a first look: fewer rounds of tuning, with shorter lists
    #[arg(long, conflicts_with = "recipe")]
    quick: bool,

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
        let own = with_ending(&self.output, ".work");
        let folder = self.cache.as_ref().unwrap_or(&own);
        let recipe = match &self.recipe {
            Some(path) => Recipe::open(path, self.data.folder().as_deref())?,
            None => self.given(folder)?,
        };
        when_interrupted("the same command goes on where this one was".into());
        self.work.run(|resources, progress| {
            let cache = Cache::open(folder)?;
            train(&recipe, self.system.as_deref(), &cache, resources, progress, &self.output)
        })?;
        if self.cache.is_none() {
            std::fs::remove_dir_all(&own).with_context(|| format!("{}: cannot remove", own.display()))?;
        }
        let bundle = self.output.display();
        for (what, score) in Bundle::open(&self.output)?.card()?.iter().flat_map(|card| &card.test) {
            self.work.notes.note(&format!("{what}: {score}"));
        }
        self.work.notes.note(&format!("translate with `treeglot translate -m {bundle}`"));
        Ok(())
    }

    /// The parsers, each under the kind of trees that it gives.
    fn parsers(&self, source: &Path, target: &Path) -> Result<PerTree<Vec<ParserSource>>> {
        let mut parsers = PerTree::<Vec<ParserSource>>::default();
        let sides = [(Side::Source, source, &self.src_parser), (Side::Target, target, &self.tgt_parser)];
        for (side, text, given) in sides.into_iter().filter(|(_, _, given)| !given.is_empty()) {
            let probe = first_line(text)?;
            for parser in given {
                let kind = WordParser::given(parser, probe.as_deref())?.kind();
                parsers[(side, kind)].push(parser_source(parser));
            }
        }
        Ok(parsers)
    }

    /// The recipe that the arguments stand for; pairs that are held out are written to a folder of `work`.
    fn given(&self, work: &Path) -> Result<Recipe> {
        let (Some(source), Some(target)) = (&self.src, &self.tgt) else {
            wrong!("give a recipe, or --src and --tgt");
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
        let dev = self.given_dev()?;
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
            Vec::new(),
        );
        self.tell_of_languages(&recipe);
        let parsers = self.parsers(source, target)?;
        recipe.systems = vec![System::new(&self.model(source, &parsers)?)];
        if recipe.data.dev.is_none() && self.tune.tunes() {
            self.hold_out(&mut recipe.data, work)?;
        }
        if self.tokenized {
            recipe.preprocess = Preprocess { tokenize: false, truecase: false, ..recipe.preprocess };
        }
        recipe.tune.method = if recipe.data.dev.is_some() { self.tune } else { Method::None };
        recipe.tune.seed = self.seed;
        recipe.tune.metric.clone_from(&self.metric);
        if self.quick {
            (recipe.tune.rounds, recipe.tune.nbest) = (QUICK_ROUNDS, QUICK_NBEST);
        }
        recipe.preprocess.skip_bad = self.bad.skip_bad;
        parsers.map(|slot, parsers| add_parsers(&mut recipe, slot, parsers));
        Ok(recipe)
    }

    /// The pairs to tune on, where they are given.
    fn given_dev(&self) -> Result<Option<PairFiles>> {
        let (Some(source), Some((target, more))) = (&self.dev_src, self.dev_tgt.split_first()) else {
            return Ok(None);
        };
        let trees = one_each(self.dev_trees.files())?;
        Ok(Some(PairFiles {
            source: source.clone(),
            target: target.clone(),
            references: more.to_vec(),
            source_dep: trees.source_dep.into(),
            source_con: trees.source_con.into(),
            ..PairFiles::default()
        }))
    }

    /// Says which languages have no rules of their own.
    fn tell_of_languages(&self, recipe: &Recipe) {
        for code in [&recipe.source, &recipe.target].into_iter().filter(|_| !self.tokenized) {
            if let Some(language) = Language::find(code).ok().filter(|language| !language.has_rules()) {
                let name = language.name;
                self.work
                    .notes
                    .note(&format!("{name} is cut into words by general rules: it has none of its own here"));
            }
        }
    }

    /// Takes pairs to tune and to test on out of the training text.
    fn hold_out(&self, data: &mut Data, work: &Path) -> Result<()> {
        let has_trees = self.trees.files().iter().any(|(_, files)| !files.is_empty());
        if has_trees || data.train.links.is_some() {
            self.work
                .notes
                .note("nothing is tuned: give --dev-src and --dev-tgt, as trees and links are not divided");
            return Ok(());
        }
        let held = hold_out(&data.train.source, &data.train.target, &work.join("held-out"), self.seed)?;
        let Some(held) = held else {
            self.work.notes.note(
                "nothing is tuned: there are too few pairs to hold any out; give --dev-src and --dev-tgt",
            );
            return Ok(());
        };
        let pairs = held.pairs;
        self.work.notes.note(&format!("{pairs} pairs are held out to tune on, and {pairs} to test on"));
        (data.train, data.dev, data.test) = (held.train, Some(held.dev), vec![held.test]);
        Ok(())
    }

    /// The model: what was asked for, or what fits the trees and the amount of text.
    fn model(&self, source: &Path, parsers: &PerTree<Vec<ParserSource>>) -> Result<String> {
        if let Some(model) = &self.model {
            return Ok(model.clone());
        }
        let given = self.trees.files().map(|slot, files| !files.is_empty() || !parsers[slot].is_empty());
        let (model, why) = suggested(&given, size_of(source)? > PHRASES_FROM);
        self.work.notes.note(&format!("model {model}, {why}; --model takes another"));
        Ok(model.to_string())
    }
}

/// The rounds of `--quick`, and the length of its lists.
const QUICK_ROUNDS: usize = 3;
const QUICK_NBEST: usize = 50;

/// A source text of more bytes, about half a million sentences, is for phrases where nobody says otherwise.
const PHRASES_FROM: u64 = 60_000_000;

fn size_of(file: &Path) -> Result<u64> {
    let size = std::fs::metadata(file).with_context(|| format!("{}: cannot read", file.display()))?.len();
    // Packed text is a third to a fifth of its length.
    Ok(if unpacked_name(&file.to_string_lossy()).len() < file.as_os_str().len() { 4 * size } else { size })
}

/// Puts parsers of one kind into a recipe. Several are known by their numbers; a single one is for texts without files of trees.
fn add_parsers(recipe: &mut Recipe, slot: TreeSlot, mut parsers: Vec<ParserSource>) {
    if parsers.len() < 2 {
        recipe.parse[slot] = parsers.pop().map_or(Parsers::None, Parsers::One);
        return;
    }
    let names: Vec<String> = (1..=parsers.len()).map(|number| number.to_string()).collect();
    recipe.parse[slot] = Parsers::Named(names.iter().cloned().zip(parsers).collect());
    for system in recipe.systems.iter_mut().filter(|system| system.parsers.len() < names.len()) {
        system.parsers.clone_from(&names);
    }
}

/// A parser as a recipe has it.
fn parser_source(parser: &str) -> ParserSource {
    match is_model(parser) {
        true => ParserSource { model: Some(parser.into()), ..ParserSource::default() },
        false => ParserSource { command: Some(parser.to_string()), ..ParserSource::default() },
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

/// Endings that tell how a text is written, and not in which language; some of them are codes of languages too.
const OF_TEXT: [&str; 12] =
    ["txt", "text", "tok", "raw", "clean", "low", "lower", "lc", "tc", "true", "utf8", "bpe"];

/// The language that a file's ending names, as in `train.de.gz` or `corpus.de.txt`.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let mut endings = unpacked_name(name).split('.').skip(1).collect::<Vec<_>>();
    while endings.last().is_some_and(|last| OF_TEXT.contains(last)) {
        endings.pop();
    }
    let code = endings.pop()?;
    Language::find(code).is_ok().then(|| code.to_string())
}
