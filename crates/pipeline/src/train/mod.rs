//! Training: the stages of a recipe's systems as a plan. What several systems or both directions have in common is in
//! the plan once.

pub mod finish;
mod rules;
pub mod stages;
mod translating;
mod tuning;

use crate::clean::{Limits, clean};
use crate::error::{Error, Result};
use crate::key::{FileKeys, Key, KeyBuilder};
use crate::plan::{Plan, StageId};
use crate::recipe::{Directions, PairFiles, Recipe};
use crate::surface::{Surface, SurfaceSettings, train_truecaser};
use std::path::{Path, PathBuf};
use treeglot_text::truecase::Truecaser;

/// The file that holds a text's words in its stage's folder.
const WORDS: &str = "words";
/// The file that marks the pairs that cleaning kept.
const KEPT: &str = "kept";
/// The file that holds links in their stage's folder.
const LINKS: &str = "links";
/// The file that holds a table in its stage's folder.
pub const TABLE: &str = "table";
/// The file that holds a language model in its stage's folder.
pub const LM: &str = "lm";
/// The file that holds a truecasing model in its stage's folder.
pub const TRUECASER: &str = "truecaser";

/// A way to translate: from one of the recipe's two languages to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// The side translated from: 0 for the recipe's source language, 1 for its target language.
    pub from: usize,
}

impl Way {
    /// The ways of a recipe.
    pub fn of(directions: Directions) -> &'static [Self] {
        match directions {
            Directions::Forward => &[Self { from: 0 }],
            Directions::Backward => &[Self { from: 1 }],
            Directions::Both => &[Self { from: 0 }, Self { from: 1 }],
        }
    }

    /// The side translated to.
    pub fn to(self) -> usize {
        1 - self.from
    }

    /// Its name, as `de-en`.
    pub fn name(self, recipe: &Recipe) -> String {
        let languages = [&recipe.source, &recipe.target];
        format!("{}-{}", languages[self.from], languages[self.to()])
    }
}

/// Limits that do not change what is made.
#[derive(Debug, Clone, Copy)]
pub struct Means {
    /// How much memory a stage may use, in bytes.
    pub memory: u64,
    /// How many threads work.
    pub threads: usize,
}

/// Words of a text, in a stage's folder.
#[derive(Debug, Clone)]
struct Words {
    stage: StageId,
    file: String,
}

/// Makes the plan of a recipe.
pub struct Planner<'r> {
    recipe: &'r Recipe,
    means: Means,
    keys: FileKeys,
    /// The plan so far.
    pub plan: Plan<'r>,
    train: Option<TrainText>,
}

/// The training pairs as all systems see them.
#[derive(Debug, Clone)]
struct TrainText {
    cleaned: StageId,
    words: [Words; 2],
    truecasers: [Option<StageId>; 2],
}

impl<'r> Planner<'r> {
    /// A planner of a recipe.
    pub fn new(recipe: &'r Recipe, means: Means) -> Self {
        Self { recipe, means, keys: FileKeys::default(), plan: Plan::default(), train: None }
    }

    /// The surface settings of a side.
    pub fn surface(&self, side: usize) -> SurfaceSettings {
        surface_settings(self.recipe, side)
    }

    /// A file's text as words, before truecasing.
    fn words(&mut self, what: &str, file: &'r Path, side: usize) -> Result<Words> {
        let settings = self.surface(side);
        let key = KeyBuilder::new("words", 1).settings(&settings).key(self.keys.of(file)?).finish();
        let (name, threads) = (format!("words {what} {}", settings.language), self.means.threads);
        let stage = self.plan.add(name, key, &[], move |place| {
            Surface::new(&settings, None)?.words_of(file, &place.out.join(WORDS), threads)
        });
        Ok(Words { stage, file: WORDS.into() })
    }

    /// Words in their true case, where the recipe asks for it.
    fn cased(&mut self, what: &str, words: Words, side: usize, truecaser: Option<StageId>) -> Words {
        let Some(truecaser) = truecaser else { return words };
        let language = self.surface(side).language;
        let settings = SurfaceSettings { tokenize: false, lowercase: false, ..self.surface(side) };
        let keys = [self.plan.key(words.stage), self.plan.key(truecaser)];
        let key = KeyBuilder::new("case", 1).key(keys[0]).text(&words.file).key(keys[1]).finish();
        let threads = self.means.threads;
        let stage =
            self.plan.add(format!("case {what} {language}"), key, &[words.stage, truecaser], move |place| {
                let model = Truecaser::open(place.input(1).join(TRUECASER))?;
                let surface = Surface::new(&settings, Some(model))?;
                surface.words_of(&place.input(0).join(&words.file), &place.out.join(WORDS), threads)
            });
        Words { stage, file: WORDS.into() }
    }

    /// The words of a development or test file as models see them.
    pub fn prepared(&mut self, what: &str, file: &'r Path, side: usize) -> Result<(StageId, String)> {
        let truecaser = self.train_text()?.truecasers[side];
        let words = self.words(what, file, side)?;
        let cased = self.cased(what, words, side, truecaser);
        Ok((cased.stage, cased.file))
    }

    /// The training pairs: words, cleaned, in their true case.
    fn train_text(&mut self) -> Result<TrainText> {
        if let Some(train) = &self.train {
            return Ok(train.clone());
        }
        let files = &self.recipe.data.train;
        let texts = [self.words("train", &files.source, 0)?, self.words("train", &files.target, 1)?];
        let cleaned = self.cleaned(files, &texts)?;
        let mut truecasers = [None, None];
        let mut words = [0, 1].map(|side: usize| Words { stage: cleaned, file: side.to_string() });
        if self.recipe.preprocess.truecase {
            for side in [0, 1] {
                let truecaser = self.truecaser(cleaned, side);
                truecasers[side] = Some(truecaser);
                words[side] = self.cased("train", words[side].clone(), side, Some(truecaser));
            }
        }
        Ok(self.train.insert(TrainText { cleaned, words, truecasers }).clone())
    }

    fn cleaned(&mut self, files: &'r PairFiles, texts: &[Words; 2]) -> Result<StageId> {
        let preprocess = &self.recipe.preprocess;
        let limits = Limits {
            max_length: preprocess.max_length,
            max_ratio: preprocess.max_ratio,
            drop_duplicates: preprocess.drop_duplicates,
            first: files.limit,
        };
        let mut key = KeyBuilder::new("clean", 2).settings(&limits);
        for text in texts {
            key = key.key(self.plan.key(text.stage));
        }
        let after = [texts[0].stage, texts[1].stage];
        Ok(self.plan.add("clean", key.finish(), &after, move |place| {
            let to = [place.out.join("0"), place.out.join("1")];
            let from = [place.input(0).join(WORDS), place.input(1).join(WORDS)];
            let cleaned = clean([&from[0], &from[1]], [&to[0], &to[1]], &place.out.join(KEPT), &limits)?;
            if cleaned.kept == 0 {
                return Err(Error::Invalid(format!("no training pair is left of {}", cleaned.pairs)));
            }
            place.note("pairs", cleaned.kept);
            place.note("source-words", cleaned.words[0]);
            place.note("target-words", cleaned.words[1]);
            let left_out = cleaned.pairs - cleaned.kept;
            let reasons = [
                (cleaned.empty, "empty"),
                (cleaned.long, "long"),
                (cleaned.uneven, "uneven"),
                (cleaned.duplicate, "duplicate"),
            ];
            if left_out > 0 {
                let reasons: Vec<String> =
                    reasons.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
                place.note("left-out", reasons.join(", "));
            }
            Ok(())
        }))
    }

    fn truecaser(&mut self, cleaned: StageId, side: usize) -> StageId {
        let key =
            KeyBuilder::new("truecaser", 1).key(self.plan.key(cleaned)).text(&side.to_string()).finish();
        let name = format!("truecaser {}", self.surface(side).language);
        self.plan.add(name, key, &[cleaned], move |place| {
            train_truecaser(&place.input(0).join(side.to_string()), &place.out.join(TRUECASER))
        })
    }

    /// The language model of the language translated to.
    fn lm(&mut self, way: Way) -> Result<StageId> {
        let data = &self.recipe.data;
        let more = if way.from == 0 { &data.lm_target } else { &data.lm_source };
        let train = self.train_text()?;
        let mut texts = vec![train.words[way.to()].clone()];
        for file in more {
            let (stage, file) = self.prepared("more", file, way.to())?;
            texts.push(Words { stage, file });
        }
        let mut key = KeyBuilder::new("lm", 1).settings(&self.recipe.lm);
        for text in &texts {
            key = key.key(self.plan.key(text.stage)).text(&text.file);
        }
        let after: Vec<StageId> = texts.iter().map(|text| text.stage).collect();
        let (settings, memory) = (&self.recipe.lm, self.means.memory);
        let name = format!("lm {}", self.surface(way.to()).language);
        Ok(self.plan.add(name, key.finish(), &after, move |place| {
            let files = texts.iter().enumerate().map(|(k, text)| place.input(k).join(&text.file));
            let files: Vec<PathBuf> = files.collect();
            stages::lm(&files, settings, memory, place.out, &place.out.join(LM))
        }))
    }

    /// The key of a file's bytes.
    pub fn file_key(&self, path: &Path) -> Result<Key> {
        self.keys.of(path)
    }
}

/// What a recipe does to the text of a side: 0 for its source language, 1 for its target language.
pub(crate) fn surface_settings(recipe: &Recipe, side: usize) -> SurfaceSettings {
    let preprocess = &recipe.preprocess;
    SurfaceSettings {
        language: [&recipe.source, &recipe.target][side].clone(),
        tokenize: preprocess.tokenize,
        truecase: preprocess.truecase,
        lowercase: preprocess.lowercase,
    }
}
