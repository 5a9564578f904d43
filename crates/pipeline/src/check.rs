//! Check first, then work: what can be known to be wrong with a recipe before its first stage runs, told in the user's own
//! file names.

use crate::error::{Error, Result};
use crate::parsing::{WordParser, first_line};
use crate::recipe::{PairFiles, Recipe, System};
use crate::text_path::TextPath;
use crate::train::parses::check_kind;
use crate::train::{Direction, links_nodes, needs_trees, text_settings};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use treeglot_metrics::tokenize::Tokenizer;
use treeglot_text::bitext::Skipped;
use treeglot_text::tokenize::Language;
use treeglot_text::{Lines, Side, unpacked_name};
use treeglot_tree::TreeKind;
use treeglot_tree::format::{AnyTree, Format, ReadOptions, ReadTrees, RecordLayout, Records};

/// The tokeniser of metrics where a recipe names none: references are raw where training text is.
/// Scripts without blanks are counted by characters: 13a would take a sentence for a word.
pub(crate) fn default_tokenizer(recipe: &Recipe, side: Side) -> Tokenizer {
    if !recipe.preprocess.tokenize {
        return Tokenizer::None;
    }
    Language::find(recipe.language(side))
        .map_or(Tokenizer::V13a, |language| Tokenizer::of_script(language.script))
}

/// Checks systems, metrics, languages and files.
pub(crate) fn check(recipe: &Recipe) -> Result<()> {
    if recipe.systems.is_empty() && recipe.coverage.is_empty() {
        let why =
            "the recipe has no system: add `[[system]]` with a `model` (or `[[coverage]]` to study one)";
        return Err(Error::Invalid(why.into()));
    }
    for side in Side::BOTH {
        recipe.eval.build(default_tokenizer(recipe, side))?;
        TextPath::new(&text_settings(recipe, side), None)?;
    }
    check_subwords(recipe)?;
    check_compounds(recipe)?;
    let data = &recipe.data;
    for file in data.lm_target.iter().chain(&data.lm_source) {
        std::fs::File::open(file).map_err(Error::reading(file))?;
    }
    let skip_bad = recipe.preprocess.skip_bad;
    check_set(&data.train, "training pairs", skip_bad)?;
    check_endings(recipe)?;
    check_parsers(recipe)?;
    let sets = data.dev.iter().map(|dev| (dev, "pairs to tune on"));
    let sets: Vec<_> = sets.chain(data.test.iter().map(|test| (test, "pairs to evaluate on"))).collect();
    if sets.is_empty() {
        return Ok(());
    }
    let known = [known_words(&data.train.source, skip_bad)?, known_words(&data.train.target, skip_bad)?];
    for (set, what) in sets {
        check_set(set, what, skip_bad)?;
        check_sides(set, &known, &data.train, skip_bad)?;
    }
    Ok(())
}

/// Trees and ready links are of whole words.
fn check_subwords(recipe: &Recipe) -> Result<()> {
    let in_pieces = |system: &&System| !system.model.is_empty() && !system.subwords(recipe).are_none();
    for system in recipe.systems.iter().filter(in_pieces) {
        let name = &system.name;
        let why = match recipe.data.train.links {
            _ if needs_trees(system, &Side::BOTH)? => "is of trees, which are of whole words",
            Some(_) => "has ready links (`data.train.links`), which are of whole words",
            None => continue,
        };
        return Err(Error::Invalid(format!(
            "system `{name}` cannot be trained on pieces of words: it {why}; say `subwords = {{}}` for it"
        )));
    }
    Ok(())
}

/// Compounds are taken apart of languages that are translated from, for systems that read nothing of whole words on that side.
fn check_compounds(recipe: &Recipe) -> Result<()> {
    for system in recipe.systems.iter().filter(|system| !system.model.is_empty()) {
        let name = &system.name;
        let wrong = |why: String| Err(Error::Invalid(format!("system `{name}`: compounds of {why}")));
        for language in system.compounds(recipe) {
            let Some(side) = Side::BOTH.into_iter().find(|&side| recipe.language(side) == language) else {
                let [source, target] = Side::BOTH.map(|side| recipe.language(side));
                return wrong(format!(
                    "`{language}` cannot be taken apart: the languages are {source} and {target}"
                ));
            };
            let mut directions = Direction::of(recipe.directions).iter();
            if !directions.any(|direction| direction.from == side && direction.is_one_of(system.direction)) {
                return wrong(format!(
                    "`{language}` are taken apart where it is translated from, which is not so here"
                ));
            }
            let forest = |file: &PathBuf| unpacked_name(&file.to_string_lossy()).ends_with(".forest");
            let why = if links_nodes(system)? {
                "it reads links between the nodes of trees, which are of whole words"
            } else if needs_trees(system, &[Side::Source])? && recipe.data.train.tree_files().any(forest) {
                "its trees are packed forests, which are of whole words"
            } else if recipe.data.train.links.is_some() {
                "its links are ready (`data.train.links`), which are of whole words"
            } else if system.subwords(recipe).of(side) > 0 {
                "its words are cut into pieces (`subwords`)"
            } else {
                continue;
            };
            return wrong(format!("`{language}` cannot be taken apart: {why}; say `compounds = []` for it"));
        }
    }
    Ok(())
}

/// Treebanks can be read, models open, programs answer, and all are of the kind that they stand for.
fn check_parsers(recipe: &Recipe) -> Result<()> {
    for (slot, parsers) in recipe.parse.iter() {
        for (_, source) in parsers.iter() {
            let kind = source.kind(slot.kind);
            for file in source.train.iter().chain(&source.dev) {
                let mut reader = Format::of_trees(file, kind).open(file, &ReadOptions::default())?;
                let fits = match reader.next_tree()? {
                    Some(AnyTree::Dep(_)) => kind == TreeKind::Dependency,
                    Some(AnyTree::Con(_) | AnyTree::Tiger(_)) => kind == TreeKind::Constituency,
                    _ => false,
                };
                if !fits {
                    let (file, key) = (file.display(), slot.key());
                    let why = format!("{file} has no {kind} trees, but is the treebank of `{key}`");
                    return Err(Error::Invalid(why));
                }
            }
            if let Some(model) = &source.model {
                check_kind(&WordParser::model(model, &source.options)?, source, slot)?;
            }
            if let Some(command) = &source.command {
                let probe = first_line(recipe.data.train.text(slot.side))?;
                check_kind(&WordParser::command(command, &source.bridge, probe.as_deref())?, source, slot)?;
            }
        }
    }
    Ok(())
}

/// No text has the ending of the other language.
fn check_endings(recipe: &Recipe) -> Result<()> {
    let data = &recipe.data;
    for set in std::iter::once(&data.train).chain(&data.dev).chain(&data.test) {
        for side in Side::BOTH {
            let (own, other) = (recipe.language(side), recipe.language(side.other()));
            let name = set.text(side).to_string_lossy();
            let bare = unpacked_name(&name);
            if own != other && bare.ends_with(&format!(".{other}")) {
                return Err(Error::Invalid(format!(
                    "{name} is given as {own}, but its name says {other}: are source and target swapped?"
                )));
            }
        }
    }
    Ok(())
}

/// The words of the first lines of a text.
fn known_words(path: &Path, skip_bad: bool) -> Result<HashSet<String>> {
    let mut words = HashSet::new();
    for_first_words(path, skip_bad, |word| {
        words.insert(word.to_string());
    })?;
    Ok(words)
}

fn for_first_words(path: &Path, skip_bad: bool, mut take: impl FnMut(&str)) -> Result<()> {
    let mut lines = Lines::open(path)?;
    for _ in 0..LOOKED_AT {
        match lines.next_line() {
            Ok(Some(line)) => line.split_whitespace().for_each(&mut take),
            Ok(None) => break,
            Err(error) if skip_bad && Skipped::default().count(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Both texts of a set share more words with their own side of the training pairs than with the other one.
fn check_sides(
    set: &PairFiles,
    known: &[HashSet<String>; 2],
    train: &PairFiles,
    skip_bad: bool,
) -> Result<()> {
    let mut shared = [[0u64; 2]; 2];
    for (text, shared) in [&set.source, &set.target].into_iter().zip(&mut shared) {
        for_first_words(text, skip_bad, |word| {
            for (count, known) in shared.iter_mut().zip(known) {
                *count += u64::from(known.contains(word));
            }
        })?;
    }
    let [source, target] = shared;
    if source[1] > source[0] && target[0] > target[1] {
        let (file, train) = (set.source.display(), train.target.display());
        return Err(Error::Invalid(format!(
            "{file} has the words of {train}, the other side: are source and target swapped?"
        )));
    }
    Ok(())
}

/// How many lines of a text are looked at to tell its language.
const LOOKED_AT: usize = 2000;

/// All files can be read, and the texts have lines, as many as each other.
fn check_set(set: &PairFiles, what: &str, skip_bad: bool) -> Result<()> {
    for file in set.files() {
        std::fs::File::open(file).map_err(Error::reading(file))?;
    }
    let lines = line_count(&set.source, skip_bad)?;
    if lines == 0 {
        return Err(Error::Invalid(format!("{}: there are no {what} in it", set.source.display())));
    }
    for file in std::iter::once(&set.target).chain(&set.references) {
        let other = line_count(file, skip_bad)?;
        if other != lines {
            let (file, source) = (file.display(), set.source.display());
            return Err(Error::Invalid(format!(
                "{file} has {other} lines, but {source} has {lines}: line by line they must belong together"
            )));
        }
    }
    for file in set.tree_files().chain(&set.links) {
        let records = record_count(file)?;
        if records != lines {
            let (file, source) = (file.display(), set.source.display());
            return Err(Error::Invalid(format!(
                "{file} has {records} sentences, but {source} has {lines} lines: there must be one for each"
            )));
        }
    }
    Ok(())
}

/// How many trees or links a file has.
fn record_count(path: &Path) -> Result<u64> {
    let mut records = Records::open(path, RecordLayout::of_file(path))?;
    let mut count = 0;
    while records.advance()? {
        count += 1;
    }
    Ok(count)
}

/// How many lines a text has, those included that cannot be read where they are to be passed over.
pub(crate) fn line_count(path: &Path, skip_bad: bool) -> Result<u64> {
    let mut lines = Lines::open(path)?;
    loop {
        match lines.next_line() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(lines.line()),
            Err(error) if skip_bad && Skipped::default().count(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Data, System};
    use std::path::PathBuf;

    const GERMAN: &str = "das haus ist rot\n";
    const ENGLISH: &str = "the house is red\n";

    /// A folder to write small files to.
    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, name: &str, text: &str, times: usize) -> PathBuf {
            let path = self.0.path().join(name);
            std::fs::write(&path, text.repeat(times)).unwrap();
            path
        }

        /// A pair of texts, `NAME.de` and `NAME.en`, of so many lines.
        fn pair(&self, name: &str, lines: [usize; 2]) -> PairFiles {
            let source = self.write(&format!("{name}.de"), GERMAN, lines[0]);
            let target = self.write(&format!("{name}.en"), ENGLISH, lines[1]);
            PairFiles { source, target, ..PairFiles::default() }
        }
    }

    /// What is wrong with a recipe; nothing if it is right.
    fn complaint(train: PairFiles, dev: PairFiles, change: impl FnOnce(&mut Recipe)) -> String {
        let data = Data { train, dev: Some(dev), test: vec![], lm_target: vec![], lm_source: vec![] };
        let mut recipe = Recipe::new("de".into(), "en".into(), data, vec![System::new("hiero")]);
        change(&mut recipe);
        check(&recipe).err().map(|error| error.to_string()).unwrap_or_default()
    }

    fn of_lines(train: [usize; 2], dev: [usize; 2], change: impl FnOnce(&mut Recipe)) -> String {
        let folder = Folder::new();
        complaint(folder.pair("train", train), folder.pair("dev", dev), change)
    }

    #[test]
    fn texts_that_do_not_belong_together_are_named_before_any_work() {
        assert_eq!(of_lines([3, 3], [2, 2], |_| ()), "");
        let uneven = of_lines([3, 2], [2, 2], |_| ());
        assert!(
            uneven.contains("train.en has 2 lines, but") && uneven.contains("train.de has 3"),
            "{uneven}"
        );
        let folder = Folder::new();
        let dev =
            PairFiles { references: vec![folder.write("more.en", ENGLISH, 1)], ..folder.pair("dev", [2, 2]) };
        assert!(complaint(folder.pair("train", [3, 3]), dev, |_| ()).contains("more.en has 1 lines, but"));
    }

    #[test]
    fn trees_and_links_have_one_for_each_line() {
        let folder = Folder::new();
        let dev = folder.pair("dev", [2, 2]);
        for (name, tree, key) in [("t.conllu", "1\tdas\n\n", "dep"), ("t.ptb", "(S (N a))\n", "con")] {
            for (times, wrong) in [(3, false), (4, true)] {
                let mut train = folder.pair("train", [3, 3]);
                let file = Some(folder.write(name, tree, times)).into();
                *(if key == "dep" { &mut train.source_dep } else { &mut train.target_con }) = file;
                let error = complaint(train, dev.clone(), |_| ());
                assert_eq!(error.contains(&format!("{name} has 4 sentences, but")), wrong, "{error}");
            }
        }
        let train =
            PairFiles { links: Some(folder.write("links", "0-0\n", 2)), ..folder.pair("train", [3, 3]) };
        assert!(complaint(train, dev, |_| ()).contains("links has 2 sentences, but"));
    }

    #[test]
    fn what_cannot_be_read_is_named_before_any_work() {
        let gone = |change: fn(&mut Recipe, PathBuf)| {
            of_lines([3, 3], [2, 2], |recipe| change(recipe, PathBuf::from("gone.x")))
        };
        assert!(gone(|recipe, file| recipe.data.train.target = file).contains("gone.x"));
        assert!(gone(|recipe, file| recipe.data.train.links = Some(file)).contains("gone.x"));
        assert!(gone(|recipe, file| recipe.data.lm_target = vec![file]).contains("gone.x"));
        assert!(gone(|recipe, file| recipe.data.train.source_dep = Some(file).into()).contains("gone.x"));
    }

    #[test]
    fn swapped_sides_are_found_by_names_and_by_words() {
        let folder = Folder::new();
        let swap = |pair: PairFiles| PairFiles { source: pair.target, target: pair.source, ..pair };
        let (train, dev) = (|| folder.pair("train", [3, 3]), || folder.pair("dev", [3, 3]));
        assert!(complaint(swap(train()), dev(), |_| ()).contains("its name says en"));
        let (source, target) = (folder.write("s", GERMAN, 3), folder.write("t", ENGLISH, 3));
        let unnamed = PairFiles { source, target, ..PairFiles::default() };
        assert_eq!(complaint(train(), unnamed.clone(), |_| ()), "");
        let swapped = complaint(train(), swap(unnamed), |_| ());
        assert!(swapped.contains("are source and target swapped?"), "{swapped}");
    }

    #[test]
    fn empty_sets_unknown_languages_and_no_systems_are_named_before_any_work() {
        assert!(of_lines([3, 3], [0, 0], |_| ()).contains("dev.de: there are no pairs to tune on"));
        assert!(of_lines([0, 0], [2, 2], |_| ()).contains("train.de: there are no training pairs"));
        let unknown = of_lines([3, 3], [2, 2], |recipe| recipe.source = "xx".into());
        assert!(unknown.contains("`xx` is no language of ISO 639"), "{unknown}");
        assert!(of_lines([3, 3], [2, 2], |recipe| recipe.systems.clear()).contains("has no system"));
    }
}
