//! Training: the stages of a recipe's systems as a plan. What several systems or both directions have in common is in
//! the plan once.

pub mod finish;
pub mod stages;

use crate::clean::{Companion, Limits, clean};
use crate::error::{Error, Result};
use crate::key::{FileKeys, Key, KeyBuilder};
use crate::plan::{Plan, StageId};
use crate::recipe::{Directions, PairFiles, Recipe, System};
use crate::surface::{Surface, SurfaceSettings, train_truecaser};
use std::path::{Path, PathBuf};
use treeglot_models::pairs::Files;
use treeglot_models::registry;
use treeglot_text::truecase::Truecaser;

/// The file that holds a text's words in its stage's folder.
const WORDS: &str = "words";
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

/// The stages of one system that training ends with.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Its rules.
    pub table: StageId,
    /// Its language model.
    pub lm: StageId,
    /// The truecasing models of source and target, where there are any.
    pub truecasers: [Option<StageId>; 2],
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
        let mut key = KeyBuilder::new("clean", 1).settings(&limits);
        for text in texts {
            key = key.key(self.plan.key(text.stage));
        }
        let mut companions = Vec::new();
        for (name, file) in companions_of(files) {
            key = key.text(&name).key(self.keys.of(file)?);
            companions.push((name, file));
        }
        let after = [texts[0].stage, texts[1].stage];
        Ok(self.plan.add("clean", key.finish(), &after, move |place| {
            let to = [place.out.join("0"), place.out.join("1")];
            let from = [place.input(0).join(WORDS), place.input(1).join(WORDS)];
            let companions: Vec<Companion> =
                companions.iter().map(|(name, file)| Companion::new(file, place.out.join(name))).collect();
            let cleaned = clean([&from[0], &from[1]], [&to[0], &to[1]], &companions, &limits)?;
            if cleaned.kept == 0 {
                return Err(Error::Invalid(format!("no training pair is left of {}", cleaned.pairs)));
            }
            place.note("pairs", cleaned.kept);
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

    /// Links of the training pairs, from the source to the target language of the recipe or turned.
    fn links(&mut self, way: Way) -> Result<(StageId, String)> {
        let train = self.train_text()?;
        let (forward, file) = match self.recipe.data.train.links {
            Some(_) => (train.cleaned, LINKS.to_string()),
            None => (self.aligned(&train), LINKS.to_string()),
        };
        if way.from == 0 {
            return Ok((forward, file));
        }
        let key = KeyBuilder::new("turn", 1).key(self.plan.key(forward)).finish();
        let turned = self.plan.add("turn links", key, &[forward], move |place| {
            stages::turn_links(&place.input(0).join(&file), &place.out.join(LINKS))
        });
        Ok((turned, LINKS.into()))
    }

    fn aligned(&mut self, train: &TrainText) -> StageId {
        let [source, target] = train.words.clone();
        let keys = [self.plan.key(source.stage), self.plan.key(target.stage)];
        let key = KeyBuilder::new("align", 1).settings(&self.recipe.align).key(keys[0]).key(keys[1]).finish();
        let (settings, memory) = (&self.recipe.align, self.means.memory);
        self.plan.add("align", key, &[source.stage, target.stage], move |place| {
            let texts = [place.input(0).join(&source.file), place.input(1).join(&target.file)];
            let bar = place.bar;
            let texts = [texts[0].as_path(), texts[1].as_path()];
            let say = |step: &str| bar.say(&format!("align: {step}"));
            let skipped = stages::align(texts, settings, memory, &place.out.join(LINKS), say)?;
            if skipped > 0 {
                place.note("too-long", skipped);
            }
            Ok(())
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

    /// The rules and language model of a system.
    pub fn rules(&mut self, system: &'r System, way: Way) -> Result<Rules> {
        let options = serde_json::to_value(&system.extract)
            .map_err(|e| Error::Invalid(format!("system `{}`: {e}", system.name)))?;
        let model = registry::find(&system.model)?.from_value(options)?;
        self.check_trees(system, &*model, way)?;
        let train = self.train_text()?;
        let (links, links_file) = self.links(way)?;
        let words = [train.words[way.from].clone(), train.words[way.to()].clone()];
        let mut key =
            KeyBuilder::new("rules", 1).text(&system.model).settings(&system.extract).settings(&system.score);
        let after = [words[0].stage, words[1].stage, links, train.cleaned];
        for stage in after {
            key = key.key(self.plan.key(stage));
        }
        let key = key.text(&way.from.to_string()).finish();
        let memory = self.means.memory;
        let present: Vec<String> = companions_of(&self.recipe.data.train).map(|(name, _)| name).collect();
        let name = format!("rules {} {}", system.name, way.name(self.recipe));
        let table = self.plan.add(name, key, &after, move |place| {
            let tree = |side: usize, kind: &str| {
                let name = tree_name(side, kind, &present)?;
                Some(place.input(3).join(name))
            };
            let files = Files {
                source: place.input(0).join(&words[0].file),
                target: place.input(1).join(&words[1].file),
                links: place.input(2).join(&links_file),
                source_dep: tree(way.from, "dep"),
                source_con: tree(way.from, "con"),
                target_dep: tree(way.to(), "dep"),
                target_con: tree(way.to(), "con"),
                node_links: None,
            };
            let to = place.out.join(TABLE);
            let made = stages::rules(&files, &*model, &system.model, &system.score, memory, place.out, &to)?;
            place.note("instances", made.extracted.instances);
            place.note("rules", made.written.rules);
            Ok(())
        });
        Ok(Rules {
            table,
            lm: self.lm(way)?,
            truecasers: [train.truecasers[way.from], train.truecasers[way.to()]],
        })
    }

    /// Says beforehand which trees are missing.
    fn check_trees(&self, system: &System, model: &dyn treeglot_models::Model, way: Way) -> Result<()> {
        let (needs, files) = (model.needs(), &self.recipe.data.train);
        let trees = [[&files.source_dep, &files.source_con], [&files.target_dep, &files.target_con]];
        let names = [["source-dep", "source-con"], ["target-dep", "target-con"]];
        let options = [["--src-dep", "--src-con"], ["--tgt-dep", "--tgt-con"]];
        let wanted = [(way.from, needs.source), (way.to(), needs.target)];
        for (side, needs) in wanted {
            for (k, needed) in [needs.dep, needs.con].into_iter().enumerate() {
                if needed && trees[side][k].is_none() {
                    let (name, key, option) = (&system.name, names[side][k], options[side][k]);
                    return Err(Error::Invalid(format!(
                        "system `{name}` needs trees: give `{key}` in `data.train`, or `{option}`"
                    )));
                }
            }
        }
        Ok(())
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

/// The files that stay in step with the training pairs, each with the name its copy gets.
fn companions_of(files: &PairFiles) -> impl Iterator<Item = (String, &PathBuf)> {
    let named = [
        ("0.dep", &files.source_dep),
        ("0.con", &files.source_con),
        ("1.dep", &files.target_dep),
        ("1.con", &files.target_con),
        (LINKS, &files.links),
    ];
    named.into_iter().filter_map(|(name, file)| {
        let file = file.as_ref()?;
        let ending = if name == LINKS { String::new() } else { ending(file) };
        Some((format!("{name}{ending}"), file))
    })
}

/// The ending that tells a tree file's format, without that of packing.
fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bare = name.trim_end_matches(".gz").trim_end_matches(".zst");
    bare.rfind('.').map_or(String::new(), |at| bare[at..].to_string())
}

fn tree_name<'n>(side: usize, kind: &str, present: &'n [String]) -> Option<&'n String> {
    let start = format!("{side}.{kind}");
    present.iter().find(|name| name.starts_with(&start))
}
