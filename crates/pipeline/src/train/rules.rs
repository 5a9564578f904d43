//! From training pairs to tables: links, the trees that rules are read off, links between their nodes, and the rules of
//! each table of a system.

use super::{KEPT, LINKS, LM, Planner, TABLE, TrainText, Way, stages};
use crate::clean::keep_records;
use crate::error::{Error, Result};
use crate::key::KeyBuilder;
use crate::plan::StageId;
use crate::recipe::{Extract, PairFiles, RuleSet, System};
use std::path::Path;
use treeglot_grammar::ScoreSettings;
use treeglot_models::pairs::Files;
use treeglot_models::{Model, TreeKind, registry};
use treeglot_text::io::unpacked_name;

/// The file that holds trees in their stage's folder, before the ending that tells their format.
const TREES: &str = "trees";

/// The files that hold lexical tables in their stage's folder, before their endings.
const LEX: &str = "lex";

/// The options of the command line that give trees, by side and kind.
const OPTIONS: [[&str; 2]; 2] = [["--src-dep", "--src-con"], ["--tgt-dep", "--tgt-con"]];

/// The stages of a system's rules and of what they are used with.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Its tables: its model's own first, then those beside it.
    pub tables: Vec<StageId>,
    /// Its language models.
    pub lms: Vec<StageId>,
    /// The truecasing models of source and target, where there are any.
    pub truecasers: [Option<StageId>; 2],
}

/// A file in the folder of a stage.
#[derive(Debug, Clone)]
struct Made {
    stage: StageId,
    file: String,
}

/// A set of rules with all that it is read off.
struct Reading {
    model: Box<dyn Model>,
    weight: f64,
    /// By side, source first: dependency and constituency trees.
    trees: [[Option<Made>; 2]; 2],
    /// Other parsers' trees of the source: of dependencies, of constituents.
    more: [Vec<Option<Made>>; 2],
    node_links: Option<Made>,
}

impl<'r> Planner<'r> {
    /// The tables and language model of a system.
    pub fn rules(&mut self, system: &'r System, way: Way) -> Result<Rules> {
        let mut tables = vec![self.table(system, &system.model, &system.extract, &system.score, way)?];
        let score = ScoreSettings { discount: system.score.discount, ..ScoreSettings::default() };
        for model in beside(system)? {
            tables.push(self.table(system, &model, &Extract::default(), &score, way)?);
        }
        let truecasers = self.train_text()?.truecasers;
        let truecasers = [truecasers[way.from], truecasers[way.to()]];
        let mut lms = vec![self.lm(way)?];
        let set = system.extract.sets().first().cloned().unwrap_or_default();
        if model_of(system, &system.model, &set)?.scores_trees() {
            lms.push(self.tree_lm(system, &set, way)?);
        }
        Ok(Rules { tables, lms, truecasers })
    }

    /// The language model of target dependency trees: those of the first set of rules.
    fn tree_lm(&mut self, system: &System, set: &RuleSet, way: Way) -> Result<StageId> {
        let names = if set.parsers.is_empty() { &system.parsers } else { &set.parsers };
        let trees = self.trees(system, names, way.to(), 0)?.swap_remove(0);
        let (order, memory) = (self.recipe.lm.tree_order, self.means.memory);
        let key =
            KeyBuilder::new("tree-lm", 1).text(&order.to_string()).key(self.plan.key(trees.stage)).finish();
        Ok(self.plan.add(format!("lm trees {}", trees.file), key, &[trees.stage], move |place| {
            stages::tree_lm(&place.input(0).join(&trees.file), order, memory, &place.out.join(LM))
        }))
    }

    /// The table of a model's rules.
    fn table(
        &mut self,
        system: &System,
        model: &str,
        extract: &Extract,
        score: &ScoreSettings,
        way: Way,
    ) -> Result<StageId> {
        let train = self.train_text()?;
        let links = self.links(way)?;
        let words = [train.words[way.from].clone(), train.words[way.to()].clone()];
        let mut after = vec![words[0].stage, words[1].stage, links.stage, self.lexicon(way)?];
        let mut key = KeyBuilder::new("rules", 2).text(model).settings(extract).settings(score);
        let mut readings = Vec::new();
        for set in extract.sets() {
            let reading = self.reading(system, model, set, way)?;
            let made = reading
                .trees
                .iter()
                .flatten()
                .chain(reading.more.iter().flatten())
                .chain([&reading.node_links])
                .flatten();
            after.extend(made.map(|made| made.stage));
            readings.push(reading);
        }
        for &stage in &after {
            key = key.key(self.plan.key(stage));
        }
        let key = key.text(&way.from.to_string()).finish();
        let (memory, score, name) = (self.means.memory, score.clone(), model.to_string());
        let called = if model == system.model { &system.name } else { model };
        let title = format!("rules {called} {}", way.name(self.recipe));
        Ok(self.plan.add(title, key, &after, move |place| {
            let mut inputs = 4..;
            let mut path = |made: &Option<Made>| {
                made.as_ref().and_then(|made| Some(place.input(inputs.next()?).join(&made.file)))
            };
            let mut sets = Vec::new();
            for reading in &readings {
                let [[source_dep, source_con], [target_dep, target_con]] =
                    reading.trees.each_ref().map(|side| side.each_ref().map(&mut path));
                let more = reading.more.each_ref().map(|files| files.iter().filter_map(&mut path).collect());
                let files = Files {
                    source: place.input(0).join(&words[0].file),
                    target: place.input(1).join(&words[1].file),
                    links: place.input(2).join(&links.file),
                    source_dep,
                    source_con,
                    target_dep,
                    target_con,
                    node_links: path(&reading.node_links),
                };
                sets.push(stages::RuleFiles { files, more, model: &*reading.model, weight: reading.weight });
            }
            let (lex, to) = (place.input(3).join(LEX), place.out.join(TABLE));
            let made = stages::rules(&sets, &lex, (&name, &score), memory, place.out, &to)?;
            place.note("instances", made.instances);
            place.note("rules", made.written.rules);
            Ok(())
        }))
    }

    /// What a set of rules is read off; an error says which trees are missing.
    fn reading(&mut self, system: &System, model: &str, set: &RuleSet, way: Way) -> Result<Reading> {
        let model = model_of(system, model, set)?;
        let needs = model.needs();
        let names = if set.parsers.is_empty() { &system.parsers } else { &set.parsers };
        let mut trees = [[None, None], [None, None]];
        let sides = [(way.from, needs.source), (way.to(), needs.target)];
        for (slot, (side, wanted)) in trees.iter_mut().zip(sides) {
            for (kind, needed) in [wanted.dep, wanted.con].into_iter().enumerate() {
                if needed {
                    slot[kind] = Some(self.trees(system, names, side, kind)?.swap_remove(0));
                }
            }
        }
        let mut more = [Vec::new(), Vec::new()];
        if needs.several_parses {
            for (kind, needed) in [needs.source.dep, needs.source.con].into_iter().enumerate() {
                if needed {
                    let all = self.trees(system, names, way.from, kind)?;
                    more[kind].extend(all.into_iter().skip(1).map(Some));
                }
            }
        } else {
            one_each(system, names, &self.recipe.data.train, &sides)?;
        }
        let node_links = match needs.node_links {
            true => Some(self.node_links(&trees, way)?),
            false => None,
        };
        Ok(Reading { model, weight: set.weight, trees, more, node_links })
    }

    /// The trees of the kept training pairs, by the parsers that a system chose.
    fn trees(&mut self, system: &System, names: &[String], side: usize, kind: usize) -> Result<Vec<Made>> {
        let files = tree_files(system, names, &self.recipe.data.train, "data.train", side, kind)?;
        files.into_iter().map(|file| self.kept_trees(file, side, kind)).collect()
    }

    fn kept_trees(&mut self, file: &'r Path, side: usize, kind: usize) -> Result<Made> {
        let recipe = self.recipe;
        let ending = ending(file);
        self.kept(
            file,
            &format!("trees {}", recipe.data.train.trees()[side][kind].0),
            format!("{TREES}{ending}"),
        )
    }

    /// The records of a file that belong to the kept training pairs.
    fn kept(&mut self, from: &'r Path, title: &str, to: String) -> Result<Made> {
        let cleaned = self.train_text()?.cleaned;
        let key = KeyBuilder::new("keep", 1).key(self.plan.key(cleaned)).key(self.file_key(from)?).text(&to);
        let all = self.recipe.data.train.limit.is_none();
        let file = to.clone();
        let stage = self.plan.add(title, key.finish(), &[cleaned], move |place| {
            keep_records(from, &place.input(0).join(KEPT), all, &place.out.join(to))
        });
        Ok(Made { stage, file })
    }

    /// Links of the training pairs, from the source to the target language of the recipe or turned.
    fn links(&mut self, way: Way) -> Result<Made> {
        let train = self.train_text()?;
        let forward = match &self.recipe.data.train.links {
            Some(links) => self.kept(links, "links", LINKS.to_string())?,
            None => Made { stage: self.aligned(&train), file: LINKS.to_string() },
        };
        Ok(if way.from == 0 { forward } else { self.turned(forward, "links") })
    }

    /// Links with source and target turned.
    fn turned(&mut self, links: Made, what: &str) -> Made {
        let key = KeyBuilder::new("turn", 1).key(self.plan.key(links.stage)).finish();
        let stage = self.plan.add(format!("turn {what}"), key, &[links.stage], move |place| {
            stages::turn_links(&place.input(0).join(&links.file), &place.out.join(LINKS))
        });
        Made { stage, file: LINKS.into() }
    }

    /// Lexical tables over the links, for a way to translate.
    fn lexicon(&mut self, way: Way) -> Result<StageId> {
        let train = self.train_text()?;
        let words = [train.words[way.from].clone(), train.words[way.to()].clone()];
        let links = self.links(way)?;
        let after = [words[0].stage, words[1].stage, links.stage];
        let key =
            after.iter().fold(KeyBuilder::new("lexicon", 1), |key, &stage| key.key(self.plan.key(stage)));
        let key = key.text(&way.from.to_string()).finish();
        let title = format!("lexicon {}", way.name(self.recipe));
        Ok(self.plan.add(title, key, &after, move |place| {
            let files = Files {
                source: place.input(0).join(&words[0].file),
                target: place.input(1).join(&words[1].file),
                links: place.input(2).join(&links.file),
                ..Files::default()
            };
            stages::lexicon(&files, &place.out.join(LEX))
        }))
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

    /// Links between the nodes of the trees of both sides, source first. They are found from the source to the target
    /// language of the recipe, whichever way is translated.
    fn node_links(&mut self, trees: &[[Option<Made>; 2]; 2], way: Way) -> Result<Made> {
        let mut sides = trees.each_ref().map(|kinds| kinds.iter().flatten().next().cloned());
        if way.from == 1 {
            sides.reverse();
        }
        let [Some(source), Some(target)] = sides else {
            return Err(Error::Invalid("links between nodes need trees on both sides".into()));
        };
        let after = [source.stage, target.stage, self.lexicon(Way { from: 0 })?];
        let key = after.iter().fold(KeyBuilder::new("nodes", 1), |key, &stage| key.key(self.plan.key(stage)));
        let stage = self.plan.add("align trees", key.finish(), &after, move |place| {
            let files = [place.input(0).join(&source.file), place.input(1).join(&target.file)];
            stages::align_trees(&files, &place.input(2).join(LEX), &place.out.join(LINKS))
        });
        let forward = Made { stage, file: LINKS.into() };
        Ok(if way.from == 0 { forward } else { self.turned(forward, "node links") })
    }
}

/// The models whose tables stand beside a system's own.
fn beside(system: &System) -> Result<Vec<String>> {
    if let Some(tables) = &system.tables {
        return Ok(tables.clone());
    }
    let set = system.extract.sets().first().cloned().unwrap_or_default();
    let model = model_of(system, &system.model, &set)?;
    Ok(model.beside().iter().map(|name| name.to_string()).collect())
}

/// A model with the options of a set of rules.
pub(super) fn model_of(system: &System, model: &str, set: &RuleSet) -> Result<Box<dyn Model>> {
    let options = serde_json::to_value(&set.options)
        .map_err(|e| Error::Invalid(format!("system `{}`: {e}", system.name)))?;
    Ok(registry::find(model)?.from_value(options)?)
}

/// A system that reads one tree of a kind names one parser for it.
fn one_each(
    system: &System,
    names: &[String],
    data: &PairFiles,
    sides: &[(usize, TreeKind); 2],
) -> Result<()> {
    for &(side, wanted) in sides {
        for (kind, needed) in [wanted.dep, wanted.con].into_iter().enumerate() {
            if needed {
                one_file(
                    system,
                    data,
                    side,
                    kind,
                    &tree_files(system, names, data, "data.train", side, kind)?,
                )?;
            }
        }
    }
    Ok(())
}

/// The only one of the files that were chosen.
pub(super) fn one_file<'d>(
    system: &System,
    data: &PairFiles,
    side: usize,
    kind: usize,
    files: &[&'d Path],
) -> Result<&'d Path> {
    match files {
        [file] => Ok(file),
        _ => Err(Error::Invalid(format!(
            "system `{}` takes one file of trees as `{}`, not {}: leave names out of `parsers`",
            system.name,
            data.trees()[side][kind].0,
            files.len()
        ))),
    }
}

/// The files of trees that a system means, at least one; an error says what is missing or to be chosen from.
pub(super) fn tree_files<'d>(
    system: &System,
    names: &[String],
    data: &'d PairFiles,
    what: &str,
    side: usize,
    kind: usize,
) -> Result<Vec<&'d Path>> {
    let (key, trees) = data.trees()[side][kind];
    let name = &system.name;
    let chosen = trees.chosen(names).map_err(|why| Error::Invalid(format!("system `{name}`: {why}")))?;
    if chosen.is_empty() {
        return Err(Error::Invalid(format!(
            "system `{name}` needs trees: give `{key}` in `{what}`, or `{}`",
            OPTIONS[side][kind]
        )));
    }
    Ok(chosen.into_iter().map(|(_, file)| file).collect())
}

/// The ending that tells a tree file's format, without that of packing.
fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bare = unpacked_name(&name);
    bare.rfind('.').map_or(String::new(), |at| bare[at..].to_string())
}
