//! Training: the stages of a recipe's systems as a plan. What several systems or both directions have in common is in
//! the plan once.

pub(crate) mod combining;
mod coverage;
pub(crate) mod finish;
mod learnt;
pub(crate) mod parses;
mod reference_links;
mod rules;
pub(crate) mod stages;
mod subwords;
pub(crate) mod translating;
mod tuning;

use crate::clean::{Limits, clean};
use crate::cluster;
use crate::error::{Error, Result};
use crate::plan::{Artifact, Plan, StageId};
use crate::recipe::{Directions, PairFiles, Recipe, System};
use crate::text_path::{TextPath, TextSettings, train_truecaser};
use serde::Serialize;
use std::path::Path;
use treeglot_lm::Settings as LmSettings;
use treeglot_text::Side;
use treeglot_text::truecase::Truecaser;

/// The file that holds a text's words in its stage's folder.
const WORDS: &str = "words";
/// The file that marks the pairs that cleaning kept.
const KEPT: &str = "kept";
/// The file that holds links in their stage's folder.
pub(crate) const LINKS: &str = "links";
/// The file that holds a table in its stage's folder.
const TABLE: &str = "table";
/// The file that holds a language model in its stage's folder.
const LM: &str = "lm";
/// The file that holds a truecasing model in its stage's folder.
const TRUECASER: &str = "truecaser";

/// A direction of translation: from one of the recipe's two languages to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Direction {
    /// The recipe's side that is translated from.
    pub from: Side,
}

impl Direction {
    const FORWARD: Self = Self { from: Side::Source };
    const BACKWARD: Self = Self { from: Side::Target };

    /// The directions of a recipe.
    pub fn of(directions: Directions) -> &'static [Self] {
        match directions {
            Directions::Forward => &[Self::FORWARD],
            Directions::Backward => &[Self::BACKWARD],
            Directions::Both => &[Self::FORWARD, Self::BACKWARD],
        }
    }

    /// Whether it is one of these; all are, where nothing is said.
    pub fn is_one_of(self, only: Option<Directions>) -> bool {
        only.is_none_or(|only| Self::of(only).contains(&self))
    }

    /// The recipe's side that is translated to.
    pub fn to(self) -> Side {
        self.from.other()
    }

    /// The other direction.
    pub fn reversed(self) -> Self {
        Self { from: self.to() }
    }

    /// The recipe's side that a system sees as this one.
    pub fn side(self, seen: Side) -> Side {
        if seen == Side::Source { self.from } else { self.to() }
    }

    /// Its name, as `de-en`.
    pub fn name(self, recipe: &Recipe) -> String {
        format!("{}-{}", recipe.language(self.from), recipe.language(self.to()))
    }
}

/// Limits that do not change what is made.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// How much memory a stage may use, in bytes.
    pub memory: u64,
    /// How many threads work.
    pub threads: usize,
    /// How many stages run side by side.
    pub jobs: usize,
}

impl Default for Resources {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        Self { memory: 4 << 30, threads, jobs: 2 }
    }
}

/// Where classes of words come from.
enum ReadyClasses<'r> {
    /// They are learnt from the text.
    Learnt,
    /// A file of the user's.
    File(&'r Path),
    /// A stage made them.
    Made(Artifact),
}

/// Makes the plan of a recipe.
pub struct Planner<'r> {
    recipe: &'r Recipe,
    resources: Resources,
    /// The plan so far.
    pub plan: Plan<'r>,
    train: Option<TrainText>,
}

/// The training pairs as all systems see them; by the recipe's sides.
#[derive(Debug, Clone)]
struct TrainText {
    /// Marks of the pairs that cleaning kept.
    kept: Artifact,
    /// Their words before truecasing.
    cleaned: [Artifact; 2],
    words: [Artifact; 2],
    truecasers: [Option<Artifact>; 2],
}

impl<'r> Planner<'r> {
    /// A planner of a recipe.
    pub fn new(recipe: &'r Recipe, resources: Resources) -> Self {
        Self { recipe, resources, plan: Plan::default(), train: None }
    }

    /// What is done to the text of a side.
    pub fn text_settings(&self, side: Side) -> TextSettings {
        text_settings(self.recipe, side)
    }

    /// A file's text as words, before truecasing; in lower case, if the recipe asks for that and it is wanted.
    fn words(&mut self, what: &str, file: &'r Path, side: Side, lowercase: bool) -> Result<Artifact> {
        let (mut settings, threads) = (self.text_settings(side), self.resources.threads);
        settings.lowercase &= lowercase;
        let skip_bad = self.recipe.preprocess.skip_bad;
        let stage = self.plan.stage(format!("words {what} {}", settings.language), "words", 3);
        let stage = stage.settings(&settings).settings(&skip_bad).reads_files([file])?.run(move |place| {
            let to = place.out.join(WORDS);
            let skipped = match place.site() {
                Some(site) => cluster::words(site, &settings, None, file, &to, skip_bad)?,
                None => TextPath::new(&settings, None)?.words_of(file, &to, threads, skip_bad)?,
            };
            if skipped.total() > 0 {
                place.note("left-out", skipped);
            }
            Ok(())
        });
        Ok(stage.makes(WORDS))
    }

    /// Words in their true case, where the recipe asks for it.
    fn cased(&mut self, what: &str, words: Artifact, side: Side, truecaser: Option<Artifact>) -> Artifact {
        let Some(truecaser) = truecaser else { return words };
        let threads = self.resources.threads;
        let settings = TextSettings { tokenize: false, lowercase: false, ..self.text_settings(side) };
        let stage = self.plan.stage(format!("case {what} {}", settings.language), "case", 2);
        let stage = stage.reads([&words, &truecaser]).run(move |place| {
            let (truecaser, from, to) = (place.path(&truecaser), place.path(&words), place.out.join(WORDS));
            if let Some(site) = place.site() {
                return cluster::words(site, &settings, Some(&truecaser), &from, &to, false).map(drop);
            }
            let path = TextPath::new(&settings, Some(Truecaser::open(truecaser)?))?;
            path.words_of(&from, &to, threads, false).map(drop)
        });
        stage.makes(WORDS)
    }

    /// The words of a development or test file as models see them.
    pub fn prepared(&mut self, what: &str, file: &'r Path, side: Side) -> Result<Artifact> {
        let truecaser = self.train_text()?.truecasers[side.index()].clone();
        let words = self.words(what, file, side, true)?;
        Ok(self.cased(what, words, side, truecaser))
    }

    /// The training pairs: words, cleaned, in their true case.
    fn train_text(&mut self) -> Result<TrainText> {
        if let Some(train) = &self.train {
            return Ok(train.clone());
        }
        let files = &self.recipe.data.train;
        let texts = [
            self.words("train", &files.source, Side::Source, true)?,
            self.words("train", &files.target, Side::Target, true)?,
        ];
        let cleaned = self.cleaned(files, texts);
        let mut train = TrainText {
            kept: cleaned.makes(KEPT),
            cleaned: Side::BOTH.map(|side| cleaned.makes(side.name())),
            words: Side::BOTH.map(|side| cleaned.makes(side.name())),
            truecasers: [None, None],
        };
        if self.recipe.preprocess.truecase {
            for side in Side::BOTH {
                let words = train.words[side.index()].clone();
                let truecaser = Some(self.truecaser(words.clone(), side));
                train.truecasers[side.index()].clone_from(&truecaser);
                train.words[side.index()] = self.cased("train", words, side, truecaser);
            }
        }
        Ok(self.train.insert(train).clone())
    }

    fn cleaned(&mut self, files: &PairFiles, texts: [Artifact; 2]) -> StageId {
        let preprocess = &self.recipe.preprocess;
        let limits = Limits {
            max_length: preprocess.max_length,
            max_ratio: preprocess.max_ratio,
            drop_duplicates: preprocess.drop_duplicates,
            first: files.limit,
        };
        self.plan.stage("clean", "clean", 3).settings(&limits).reads(&texts).run(move |place| {
            let from = texts.each_ref().map(|text| place.path(text));
            let to = Side::BOTH.map(|side| place.out.join(side.name()));
            let cleaned = clean([&from[0], &from[1]], [&to[0], &to[1]], &place.out.join(KEPT), &limits)?;
            if cleaned.kept == 0 {
                return Err(Error::Invalid(format!("no training pair is left of {}", cleaned.pairs)));
            }
            place.note("pairs", cleaned.kept);
            place.note("source-words", cleaned.words[0]);
            place.note("target-words", cleaned.words[1]);
            let reasons = cleaned.left_out();
            if !reasons.is_empty() {
                place.note("left-out", reasons);
            }
            Ok(())
        })
    }

    fn truecaser(&mut self, words: Artifact, side: Side) -> Artifact {
        let stage = self.plan.stage(format!("truecaser {}", self.recipe.language(side)), "truecaser", 2);
        let stage = stage
            .reads([&words])
            .run(move |place| train_truecaser(&place.path(&words), &place.out.join(TRUECASER)));
        stage.makes(TRUECASER)
    }

    /// The texts of a language's models: that of the training pairs, and more.
    fn lm_texts(&mut self, system: &System, direction: Direction) -> Result<Vec<Artifact>> {
        let to = direction.to();
        let data = &self.recipe.data;
        let words = self.train_text()?.words[to.index()].clone();
        let mut texts = vec![self.pieces("train", words, system, direction, Side::Target)?];
        for file in if to == Side::Target { &data.lm_target } else { &data.lm_source } {
            let more = self.prepared("more", file, to)?;
            texts.push(self.pieces("more", more, system, direction, Side::Target)?);
        }
        Ok(texts)
    }

    /// The model of word classes of the language translated to.
    fn class_lm(&mut self, system: &System, direction: Direction) -> Result<Artifact> {
        let ready = match self.recipe.class_lm.ready(direction.to()) {
            Some(file) => ReadyClasses::File(file.as_path()),
            None => ReadyClasses::Learnt,
        };
        self.class_lm_of(system, ready, direction)
    }

    /// The model of these classes.
    fn class_lm_of(
        &mut self,
        system: &System,
        ready: ReadyClasses<'r>,
        direction: Direction,
    ) -> Result<Artifact> {
        let (to, memory) = (direction.to(), self.resources.memory);
        let texts = self.lm_texts(system, direction)?;
        let (settings, lm) = (&self.recipe.class_lm, &self.recipe.lm);
        let what = if matches!(ready, ReadyClasses::Made(_)) { "tag lm" } else { "class lm" };
        let stage = self.plan.stage(format!("{what} {}", self.recipe.language(to)), "class-lm", 1);
        let stage = stage.settings(&settings.order).settings(&settings.learning()).settings(lm);
        let mut stage = stage.reads(&texts);
        match &ready {
            ReadyClasses::File(file) => stage = stage.reads_files([*file])?,
            ReadyClasses::Made(classes) => stage = stage.reads([classes]),
            ReadyClasses::Learnt => {}
        }
        let stage = stage.run(move |place| {
            let ready = match &ready {
                ReadyClasses::Learnt => None,
                ReadyClasses::File(file) => Some(file.to_path_buf()),
                ReadyClasses::Made(classes) => Some(place.path(classes)),
            };
            let (texts, to) = (place.paths(&texts), place.out.join(LM));
            let lm = LmSettings { order: settings.order, prune: Vec::new(), ..lm.clone() };
            let say = |round: &str| place.bar.say(round);
            stages::class_lm(
                &texts,
                (settings.learning(), ready.as_deref()),
                (&lm, memory),
                place.out,
                &to,
                say,
            )
        });
        Ok(stage.makes(LM))
    }

    /// The language model of the language translated to.
    fn lm(&mut self, system: &System, direction: Direction) -> Result<Artifact> {
        let to = direction.to();
        let texts = self.lm_texts(system, direction)?;
        let (settings, memory) = (&self.recipe.lm, self.resources.memory);
        if let (true, true, Some(dev)) = (settings.interpolate, texts.len() > 1, &self.recipe.data.dev) {
            let dev = self.prepared("dev", dev.text(to), to)?;
            let dev = self.pieces("dev", dev, system, direction, Side::Target)?;
            return Ok(self.interpolated_lm(texts, dev, to));
        }
        let stage = self.plan.stage(format!("lm {}", self.recipe.language(to)), "lm", 2);
        let stage = stage.settings(settings).reads(&texts).run(move |place| {
            let (texts, to) = (place.paths(&texts), place.out.join(LM));
            match place.site() {
                Some(site) => cluster::lm(site, &texts, settings, memory, &to),
                None => stages::lm(&texts, settings, memory, place.out, &to),
            }
        });
        Ok(stage.makes(LM))
    }

    /// A language model of each text, added up with the weights that make the development set most probable.
    fn interpolated_lm(&mut self, texts: Vec<Artifact>, dev: Artifact, to: Side) -> Artifact {
        let (settings, memory) = (&self.recipe.lm, self.resources.memory);
        let stage = self.plan.stage(format!("lm {}", self.recipe.language(to)), "mixed-lm", 1);
        let stage = stage.settings(settings).reads(&texts).reads([&dev]).run(move |place| {
            let (texts, dev) = (place.paths(&texts), place.path(&dev));
            let mixed = stages::interpolated_lm(&texts, &dev, settings, memory, &place.out.join(LM))?;
            let numbers = |numbers: &[f64]| {
                numbers.iter().map(|number| format!("{number:.3}")).collect::<Vec<_>>().join(" ")
            };
            place.note("weights", numbers(&mixed.weights));
            place.note("perplexities", numbers(&mixed.alone));
            place.note("perplexity", format!("{:.3}", mixed.perplexity));
            Ok(())
        });
        stage.makes(LM)
    }
}

/// Whether a system is trained on trees of any of these sides, as it sees them.
pub(crate) fn needs_trees(system: &System, sides: &[Side]) -> Result<bool> {
    Ok(rules::input_needs(system)?.trees.iter().any(|(slot, needed)| *needed && sides.contains(&slot.side)))
}

/// Whether a system reads rules off linked nodes of trees.
pub(crate) fn links_nodes(system: &System) -> Result<bool> {
    let mut links = false;
    for set in system.extract.sets() {
        links |= rules::model_of(system, &system.model, set)?.needs().node_links;
    }
    Ok(links)
}

/// What a recipe does to the text of a side.
pub(crate) fn text_settings(recipe: &Recipe, side: Side) -> TextSettings {
    let preprocess = &recipe.preprocess;
    TextSettings {
        language: recipe.language(side).to_string(),
        tokenize: preprocess.tokenize,
        truecase: preprocess.truecase,
        lowercase: preprocess.lowercase,
    }
}
