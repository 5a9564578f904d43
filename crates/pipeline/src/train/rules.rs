//! From training pairs to tables: links, the trees that rules are read off, links between their nodes, and the rules of
//! each table of a system.

use super::reference_links::Beside;
use super::{Direction, LINKS, LM, Planner, ReadyClasses, TABLE, links_nodes, stages};
use crate::clean::keep_records;
use crate::cluster;
use crate::error::{Error, Result};
use crate::plan::{Artifact, Workplace};
use crate::recipe::{Extract, PairFiles, Recipe, RuleSet, System, TreeSource, chosen};
use std::path::Path;
use treeglot_decode::LmRole;
use treeglot_grammar::ScoreSettings;
use treeglot_joint::Predicts;
use treeglot_models::pairs::Files;
use treeglot_models::{Applies, Model, Needs, TableRole, registry};
use treeglot_text::Side;
use treeglot_tree::format::Format;
use treeglot_tree::{PerTree, TreeCounts, TreeKind, TreeSlot};

/// The file that holds trees in their stage's folder, before the ending that tells their format.
const TREES: &str = "trees";

/// The file that holds classes of words in its stage's folder.
const CLASSES: &str = "classes";

/// The files that hold lexical tables in their stage's folder, before their endings.
pub(super) const LEX: &str = "lex";

/// What a system's rules and all that they are used with are in.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Its tables, each with what it is for: its own first, then those beside it.
    pub tables: Vec<(TableRole, Artifact)>,
    /// Its language models, each with what it is for.
    pub lms: Vec<(LmRole, Artifact)>,
    /// Its joint model, if it has one.
    pub joint: Option<Artifact>,
    /// Its lexical translation model, if it has one.
    pub lexical: Option<Artifact>,
    /// Its operation sequence model, if it has one.
    pub operations: Option<Artifact>,
    /// The words that its sparse features tell apart, if it has such features.
    pub sparse: Option<Artifact>,
    /// How words differ that are translated alike, if unknown ones are guessed.
    pub affixes: Option<Artifact>,
    /// What cuts the words of source and target into pieces, where it does.
    pub subwords: [Option<Artifact>; 2],
    /// The truecasing models of source and target, where there are any.
    pub truecasers: [Option<Artifact>; 2],
}

impl Rules {
    /// All that stages made of it.
    pub fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        let tables = self.tables.iter().map(|(_, table)| table);
        let models = self.lms.iter().map(|(_, lm)| lm).chain(&self.joint).chain(&self.lexical);
        let models = models.chain(&self.operations).chain(&self.sparse).chain(&self.affixes);
        tables.chain(models).chain(self.subwords.iter().chain(&self.truecasers).flatten())
    }
}

/// A set of rules with all that it is read off.
struct Reading {
    model: Box<dyn Model>,
    name: String,
    options: serde_json::Value,
    weight: f64,
    /// Trees of the sides as the system sees them, of each parser.
    trees: PerTree<Vec<Artifact>>,
    node_links: Option<Artifact>,
}

impl Reading {
    /// Its files, beside the texts and links.
    fn files(&self, place: &Workplace<'_>, texts: &Files) -> stages::RuleFiles<'_> {
        let files = Files {
            trees: self.trees.each_ref().map(|_, trees| place.paths(trees)),
            node_links: self.node_links.as_ref().map(|links| place.path(links)),
            ..texts.clone()
        };
        let (name, options) = (self.name.as_str(), self.options.clone());
        stages::RuleFiles { files, model: &*self.model, name, options, weight: self.weight }
    }

    fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        let PerTree { source_dep, source_con, target_dep, target_con } = &self.trees;
        [source_dep, source_con, target_dep, target_con].into_iter().flatten().chain(&self.node_links)
    }
}

impl<'r> Planner<'r> {
    /// The tables and language model of a system.
    pub fn rules(&mut self, system: &'r System, direction: Direction) -> Result<Rules> {
        let own = self.table(system, &system.model, &system.extract, &system.score, direction)?;
        let mut tables = vec![(TableRole::Model, own)];
        let score = ScoreSettings { discount: system.score.discount, ..ScoreSettings::default() };
        for (role, model) in beside(system)? {
            let options = options_beside(system, role, &model)?;
            let extract = Extract::One(RuleSet { options, ..RuleSet::default() });
            let table = self.table(system, &model, &extract, &score, direction)?;
            tables.push((role, table));
        }
        let truecasers = self.train_text()?.truecasers;
        let truecasers = Side::BOTH.map(|seen| truecasers[direction.side(seen).index()].clone());
        let mut lms = vec![(LmRole::Ngram, self.lm(system, direction)?)];
        if system.class_lm {
            lms.push((LmRole::Ngram, self.class_lm(system, direction)?));
        }
        let set = system.extract.sets().first().cloned().unwrap_or_default();
        if system.tag_lm {
            lms.push((LmRole::Ngram, self.tag_lm(system, &set, direction)?));
        }
        if model_of(system, &system.model, &set)?.scores_trees() {
            lms.push((LmRole::Dependency, self.tree_lm(system, &set, direction)?));
        }
        let joint = system.joint.then(|| self.neural(system, direction, Predicts::Words)).transpose()?;
        let lexical =
            system.lexical.then(|| self.neural(system, direction, Predicts::Translations)).transpose()?;
        let operations = system.operations.then(|| self.operations(system, direction)).transpose()?;
        let sparse = system.sparse.then(|| self.frequent_words(system, direction)).transpose()?;
        let mut subwords = [None, None];
        for (model, seen) in subwords.iter_mut().zip(Side::BOTH) {
            *model = self.cutter(system, direction, seen)?;
        }
        // Pieces of unknown words are known.
        let affixes = if system.guess && system.subwords(self.recipe).of(direction.from) == 0 {
            Some(self.affixes(system, &tables, direction))
        } else {
            None
        };
        Ok(Rules { tables, lms, joint, lexical, operations, sparse, affixes, subwords, truecasers })
    }

    /// The language model of target dependency trees: those of the first set of rules.
    fn tree_lm(&mut self, system: &System, set: &RuleSet, direction: Direction) -> Result<Artifact> {
        let slot = TreeSlot { side: direction.to(), kind: TreeKind::Dependency };
        let trees = self.trees(system, set, slot)?.swap_remove(0);
        let (order, memory) = (self.recipe.lm.tree_order, self.resources.memory);
        let skip_bad = self.recipe.preprocess.skip_bad;
        let stage = self.plan.stage(format!("lm trees {}", trees.file), "tree-lm", 2);
        let stage = stage.settings(&order).settings(&skip_bad).reads([&trees]).run(move |place| {
            let (trees, to) = (place.path(&trees), place.out.join(LM));
            let made = match place.site() {
                Some(site) => cluster::tree_lm(site, &trees, order, skip_bad, &to)?,
                None => stages::tree_lm(&trees, order, memory, skip_bad, &to)?,
            };
            note_trees(place, made);
            Ok(())
        });
        Ok(stage.makes(LM))
    }

    /// The language model of the tags of target words: those of the dependency trees of the first set of rules.
    fn tag_lm(&mut self, system: &System, set: &RuleSet, direction: Direction) -> Result<Artifact> {
        let to = direction.to();
        let trees =
            self.trees(system, set, TreeSlot { side: to, kind: TreeKind::Dependency })?.swap_remove(0);
        let stage = self.plan.stage(format!("tags {}", self.recipe.language(to)), "tags", 1);
        let stage = stage
            .reads([&trees])
            .run(move |place| stages::tag_classes(&place.path(&trees), &place.out.join(CLASSES)));
        let classes = stage.makes(CLASSES);
        self.class_lm_of(system, ReadyClasses::Made(classes), direction)
    }

    /// The table of a model's rules.
    fn table(
        &mut self,
        system: &System,
        model: &str,
        extract: &Extract,
        score: &ScoreSettings,
        direction: Direction,
    ) -> Result<Artifact> {
        let texts = self.linked_text(system, direction)?;
        let lexicon = self.lexicon(system, direction)?;
        let sets = extract.sets().iter();
        let readings =
            sets.map(|set| self.reading(system, model, set, direction)).collect::<Result<Vec<_>>>()?;
        let (memory, score, name) = (self.resources.memory, score.clone(), model.to_string());
        let skip_bad = self.recipe.preprocess.skip_bad;
        let called = if model == system.model { &system.name } else { model };
        let mut stage =
            self.plan.stage(format!("rules {called} {}", direction.name(self.recipe)), "rules", 4);
        stage = stage.weight(6.0).settings(model).settings(extract).settings(&score).settings(&skip_bad);
        stage = stage.reads(&texts).reads([&lexicon]);
        for reading in &readings {
            stage = stage.reads(reading.artifacts());
        }
        let stage = stage.run(move |place| {
            let texts = text_files(place, &texts);
            let sets: Vec<_> = readings.iter().map(|reading| reading.files(place, &texts)).collect();
            let (lex, to) = (place.path(&lexicon), place.out.join(TABLE));
            let (named, limits) = ((name.as_str(), &score), (memory, skip_bad));
            let made = match place.site() {
                Some(site) => cluster::rules(site, &sets, &lex, named, limits, place.out, &to)?,
                None => stages::rules(&sets, &lex, named, limits, place.out, &to)?,
            };
            place.note("instances", made.instances);
            place.note("rules", made.written.rules);
            note_trees(place, made.trees);
            if made.links > 0 {
                place.note("bad-links", made.links);
            }
            Ok(())
        });
        Ok(stage.makes(TABLE))
    }

    /// What a set of rules is read off; an error says which trees are missing.
    fn reading(
        &mut self,
        system: &System,
        model: &str,
        set: &RuleSet,
        direction: Direction,
    ) -> Result<Reading> {
        let (name, options) = (model.to_string(), options_of(system, set)?);
        let model = model_of(system, model, set)?;
        let needs = model.needs();
        let trees = needs.trees.try_map(|seen, needed| -> Result<Vec<Artifact>> {
            if !needed {
                return Ok(Vec::new());
            }
            let slot = TreeSlot { side: direction.side(seen.side), kind: seen.kind };
            let mut trees = self.trees(system, set, slot)?;
            if !needs.several_parses {
                one_of(system, slot, &trees)?;
            }
            if seen.side == Side::Target {
                trees.truncate(1);
            }
            trees.into_iter().map(|trees| self.split_trees(trees, system, direction, seen)).collect()
        })?;
        let node_links = match needs.node_links {
            true => Some(self.node_links(system, &trees, direction)?),
            false => None,
        };
        Ok(Reading { model, name, options, weight: set.weight, trees, node_links })
    }

    /// The trees of the kept training pairs, by the parsers that a set of rules or else its system chose.
    pub(super) fn trees(&mut self, system: &System, set: &RuleSet, slot: TreeSlot) -> Result<Vec<Artifact>> {
        let names = if set.parsers.is_empty() { &system.parsers } else { &set.parsers };
        let sources = tree_sources(self.recipe, system, names, &self.recipe.data.train, "data.train", slot)?;
        sources.into_iter().map(|source| self.trees_of(source, slot)).collect()
    }

    /// All dependency trees that a side of the training pairs may have, by the names of their parsers, if the recipe parses it.
    pub fn training_trees(&mut self, side: Side) -> Result<Option<Vec<(String, Artifact)>>> {
        let (recipe, slot) = (self.recipe, TreeSlot { side, kind: TreeKind::Dependency });
        if recipe.parse[slot].iter().next().is_none() {
            return Ok(None);
        }
        let sources = recipe.tree_sources(&recipe.data.train, slot).into_iter();
        sources
            .map(|(name, source)| Ok((name.to_string(), self.trees_of(source, slot)?)))
            .collect::<Result<_>>()
            .map(Some)
    }

    /// The trees of the kept training pairs from one source.
    fn trees_of(&mut self, source: TreeSource<'r>, slot: TreeSlot) -> Result<Artifact> {
        match source {
            TreeSource::File(file) => {
                self.kept(file, &format!("trees {}", slot.key()), format!("{TREES}{}", ending(file)))
            }
            TreeSource::Parser(parser) => self.train_parses(parser, slot),
        }
    }

    /// The records of a file that belong to the kept training pairs.
    pub(super) fn kept(&mut self, from: &'r Path, title: &str, to: String) -> Result<Artifact> {
        let kept = self.train_text()?.kept;
        let all = self.recipe.data.train.limit.is_none();
        let stage = self.plan.stage(title, "keep", 2).settings(&to).reads([&kept]).reads_files([from])?;
        let file = to.clone();
        let stage = stage.run(move |place| keep_records(from, &place.path(&kept), all, &place.out.join(to)));
        Ok(stage.makes(file))
    }

    /// Links, which are from the source to the target language of the recipe, for a direction.
    pub(super) fn directed(&mut self, links: Artifact, what: &str, direction: Direction) -> Artifact {
        if direction == Direction::FORWARD {
            return links;
        }
        let stage = self.plan.stage(format!("invert {what}"), "invert", 1).reads([&links]);
        stage.run(move |place| stages::invert_links(&place.path(&links), &place.out.join(LINKS))).makes(LINKS)
    }

    /// Word links, and beside them what else is made by their model.
    pub(super) fn aligned(&mut self, texts: [Artifact; 2]) -> Result<Artifact> {
        let (settings, memory) = (&self.recipe.align, self.resources.memory);
        let Beside { tables, model } = self.beside_links()?;
        let mut stage = self
            .plan
            .stage("align", "align", 3)
            .weight(8.0)
            .settings(settings)
            .settings(&tables)
            .reads(&texts);
        if model.is_some() {
            stage = stage.settings(&model);
        }
        let stage = stage.run(move |place| {
            let [source, target] = texts.each_ref().map(|text| place.path(text));
            let say = |step: &str| place.bar.say(step);
            let [tables, model] = [tables, model].map(|file| file.map(|file| place.out.join(file)));
            let to = stages::AlignTo { links: place.out.join(LINKS), tables, model };
            let texts = [source.as_path(), &target];
            let skipped = match place.site() {
                Some(site) => cluster::align(site, texts, settings, memory, &to, say)?,
                None => stages::align(texts, settings, memory, &to, say)?,
            };
            if skipped > 0 {
                place.note("too-long", skipped);
            }
            Ok(())
        });
        Ok(stage.makes(LINKS))
    }

    /// Whether any rules are read off linked nodes.
    pub(super) fn links_nodes(&self) -> bool {
        self.recipe.systems.iter().any(|system| links_nodes(system).unwrap_or(false))
    }

    /// Links between the nodes of the trees of both sides. They are found from the source to the target language of the
    /// recipe, whichever the direction.
    fn node_links(
        &mut self,
        system: &System,
        trees: &PerTree<Vec<Artifact>>,
        direction: Direction,
    ) -> Result<Artifact> {
        let first = |side| TreeKind::BOTH.into_iter().find_map(|kind| trees[(side, kind)].first().cloned());
        let [Some(source), Some(target)] = Side::BOTH.map(|side| first(direction.side(side))) else {
            return Err(Error::Invalid("links between nodes need trees on both sides".into()));
        };
        let lexicon = match self.recipe.data.train.links {
            Some(_) => self.lexicon(system, Direction::FORWARD)?,
            None => {
                let words = self.train_text()?.words;
                self.aligned(words)?.stage.makes(LEX)
            }
        };
        let settings = (self.recipe.align_trees, self.recipe.preprocess.skip_bad);
        let stage = self.plan.stage("align trees", "nodes", 2).weight(6.0).settings(&settings);
        let stage = stage.reads([&source, &target, &lexicon]);
        let stage = stage.run(move |place| {
            let trees = [place.path(&source), place.path(&target)];
            let lexicon = place.path(&lexicon);
            let to = place.out.join(LINKS);
            let counts = match place.site() {
                Some(site) => cluster::align_trees(site, &trees, &lexicon, settings, &to)?,
                None => stages::align_trees(&trees, &lexicon, settings, &to)?,
            };
            note_trees(place, counts);
            Ok(())
        });
        Ok(self.directed(stage.makes(LINKS), "node links", direction))
    }
}

/// Notes what became of trees that are none or do not fit.
pub(super) fn note_trees(place: &mut Workplace<'_>, counts: TreeCounts) {
    if !counts.is_empty() {
        place.note("trees", counts);
    }
}

pub(super) fn text_files(place: &Workplace<'_>, [source, target, links]: &[Artifact; 3]) -> Files {
    Files {
        source: place.path(source),
        target: place.path(target),
        links: place.path(links),
        ..Files::default()
    }
}

/// The models whose tables stand beside a system's own, in the order of what they are for.
pub(super) fn beside(system: &System) -> Result<Vec<(TableRole, String)>> {
    let mut all = match &system.tables {
        Some(tables) => {
            tables.iter().map(|model| Ok((role_beside(model)?, model.clone()))).collect::<Result<Vec<_>>>()?
        }
        None => {
            let entry = |&role| Some((role, registry::maker(role)?.name.to_string()));
            own_model(system)?.beside().iter().filter_map(entry).collect()
        }
    };
    all.sort_by_key(|(role, _)| *role);
    Ok(all)
}

/// What the rules of a model are for beside those of another.
fn role_beside(model: &str) -> Result<TableRole> {
    let entry = registry::find(model)?;
    match (entry.role, entry.from_value(serde_json::json!({}))?.applies()) {
        (Some(role), _) => Ok(role),
        (None, Applies::Phrases) => Ok(TableRole::Phrases),
        (None, Applies::Spans) => Ok(TableRole::Hierarchical),
        (None, Applies::Trees) => {
            Err(Error::Invalid(format!("rules of trees, those of `{model}`, cannot stand beside others")))
        }
    }
}

/// The options of a model whose rules stand beside those of a system's own.
fn options_beside(system: &System, role: TableRole, model: &str) -> Result<toml::Table> {
    let Some(options) = own_model(system)?.options_beside(role) else {
        return Err(Error::Invalid(format!(
            "system `{}`: rules of constituency trees, those of `{model}`, stand beside those of dependency trees (`dep2str`, \
             `consdep2str`), not beside `{}`",
            system.name, system.model
        )));
    };
    toml::Table::try_from(options).map_err(|e| Error::Invalid(format!("system `{}`: {e}", system.name)))
}

/// The model of a system with the options of its first set of rules.
pub(super) fn own_model(system: &System) -> Result<Box<dyn Model>> {
    let set = system.extract.sets().first().cloned().unwrap_or_default();
    model_of(system, &system.model, &set)
}

/// The kinds of source trees that a system translates: those of its own model and of the rules beside.
pub(super) fn input_needs(system: &System) -> Result<Needs> {
    let mut needs = own_model(system)?.needs();
    for (role, model) in beside(system)? {
        if role == TableRole::Constituents {
            let more = registry::find(&model)?.from_value(serde_json::json!({}))?.needs();
            needs.trees = needs.trees.map(|slot, needed| needed || more.trees[slot]);
        }
    }
    Ok(needs)
}

/// A model with the options of a set of rules.
pub(super) fn model_of(system: &System, model: &str, set: &RuleSet) -> Result<Box<dyn Model>> {
    Ok(registry::find(model)?.from_value(options_of(system, set)?)?)
}

fn options_of(system: &System, set: &RuleSet) -> Result<serde_json::Value> {
    serde_json::to_value(&set.options).map_err(|e| Error::Invalid(format!("system `{}`: {e}", system.name)))
}

/// A system that reads one tree of a kind has one file of them.
pub(super) fn one_of<T>(system: &System, slot: TreeSlot, files: &[T]) -> Result<()> {
    if files.len() == 1 {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "system `{}` takes one file of trees as `{}`, not {}: leave names out of `parsers`",
        system.name,
        slot.key(),
        files.len()
    )))
}

/// Where the trees come from that a system means, at least one; an error says what is missing or to be chosen from.
pub(super) fn tree_sources<'d>(
    recipe: &'d Recipe,
    system: &System,
    names: &[String],
    data: &'d PairFiles,
    what: &str,
    slot: TreeSlot,
) -> Result<Vec<TreeSource<'d>>> {
    let name = &system.name;
    let chosen = chosen(&recipe.tree_sources(data, slot), names);
    let chosen = chosen.map_err(|why| Error::Invalid(format!("system `{name}`: {why}")))?;
    if chosen.is_empty() {
        return Err(Error::Invalid(format!(
            "system `{name}` needs {slot} trees: give `{}` in `{what}`, or a parser as `{0}` in `parse`",
            slot.key()
        )));
    }
    Ok(chosen)
}

/// The ending that tells a tree file's format; none where its name does not tell.
fn ending(path: &Path) -> String {
    Format::of_file(path).map_or(String::new(), |format| format!(".{}", format.endings()[0]))
}
