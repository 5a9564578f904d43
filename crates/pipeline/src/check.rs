//! Check first, then work: what can be known to be wrong with a recipe before its first stage runs, told in the user's own
//! file names.

use crate::error::{Error, Result};
use crate::recipe::{PairFiles, Recipe};
use crate::records::{Layout, Records};
use crate::surface::Surface;
use crate::train::surface_settings;
use std::collections::HashSet;
use std::path::Path;
use treeglot_metrics::tokenize::Tokenizer;
use treeglot_text::io::unpacked_name;
use treeglot_text::{Lines, Side};

/// The tokeniser of metrics where a recipe names none: references are raw where training text is.
pub(crate) fn default_tokenizer(recipe: &Recipe) -> Tokenizer {
    if recipe.preprocess.tokenize { Tokenizer::V13a } else { Tokenizer::None }
}

/// Checks systems, metrics, languages and files.
pub(crate) fn check(recipe: &Recipe) -> Result<()> {
    if recipe.systems.is_empty() {
        return Err(Error::Invalid("the recipe has no system: add `[[system]]` with a `model`".into()));
    }
    recipe.eval.build(default_tokenizer(recipe))?;
    for side in Side::BOTH {
        Surface::new(&surface_settings(recipe, side), None)?;
    }
    let data = &recipe.data;
    for file in data.lm_target.iter().chain(&data.lm_source) {
        std::fs::File::open(file).map_err(Error::reading(file))?;
    }
    check_set(&data.train, "training pairs")?;
    check_endings(recipe)?;
    let sets = data.dev.iter().map(|dev| (dev, "pairs to tune on"));
    let sets: Vec<_> = sets.chain(data.test.iter().map(|test| (test, "pairs to evaluate on"))).collect();
    if sets.is_empty() {
        return Ok(());
    }
    let known = [known_words(&data.train.source)?, known_words(&data.train.target)?];
    for (set, what) in sets {
        check_set(set, what)?;
        check_sides(set, &known, &data.train)?;
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
fn known_words(path: &Path) -> Result<HashSet<String>> {
    let mut words = HashSet::new();
    for_first_words(path, |word| {
        words.insert(word.to_string());
    })?;
    Ok(words)
}

fn for_first_words(path: &Path, mut take: impl FnMut(&str)) -> Result<()> {
    let mut lines = Lines::open(path)?;
    for _ in 0..LOOKED_AT {
        let Some(line) = lines.next_line()? else { break };
        line.split_whitespace().for_each(&mut take);
    }
    Ok(())
}

/// Both texts of a set share more words with their own side of the training pairs than with the other one.
fn check_sides(set: &PairFiles, known: &[HashSet<String>; 2], train: &PairFiles) -> Result<()> {
    let mut shared = [[0u64; 2]; 2];
    for (text, shared) in [&set.source, &set.target].into_iter().zip(&mut shared) {
        for_first_words(text, |word| {
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
fn check_set(set: &PairFiles, what: &str) -> Result<()> {
    for file in set.files() {
        std::fs::File::open(file).map_err(Error::reading(file))?;
    }
    let lines = line_count(&set.source)?;
    if lines == 0 {
        return Err(Error::Invalid(format!("{}: there are no {what} in it", set.source.display())));
    }
    for file in std::iter::once(&set.target).chain(&set.references) {
        let other = line_count(file)?;
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
    let mut records = Records::open(path, Layout::of(path))?;
    let mut count = 0;
    while records.advance()? {
        count += 1;
    }
    Ok(count)
}

fn line_count(path: &Path) -> Result<u64> {
    let mut lines = Lines::open(path)?;
    while lines.next_line()?.is_some() {}
    Ok(lines.line())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Data, System};
    use std::path::PathBuf;

    /// A recipe over texts of so many lines: training source and target, development source and target.
    fn complaint(lines: [usize; 4], language: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let write = |(name, lines): (&str, usize)| -> PathBuf {
            std::fs::write(dir.path().join(name), "a b\n".repeat(lines)).unwrap();
            dir.path().join(name)
        };
        let names = ["train.de", "train.en", "dev.de", "dev.en"].into_iter();
        let files: Vec<PathBuf> = names.zip(lines).map(write).collect();
        let set = |k: usize| PairFiles {
            source: files[k].clone(),
            target: files[k + 1].clone(),
            ..PairFiles::default()
        };
        let data =
            Data { train: set(0), dev: Some(set(2)), test: vec![], lm_target: vec![], lm_source: vec![] };
        let recipe = Recipe::new(language.into(), "en".into(), data, vec![System::new("hiero")]);
        check(&recipe).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn texts_that_do_not_belong_together_are_named_before_any_work() {
        assert_eq!(complaint([3, 3, 2, 2], "de"), "");
        let uneven = complaint([3, 2, 2, 2], "de");
        assert!(
            uneven.contains("train.en has 2 lines, but") && uneven.contains("train.de has 3"),
            "{uneven}"
        );
    }

    #[test]
    fn swapped_sides_are_found_by_names_and_by_words() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text.repeat(3)).unwrap();
            dir.path().join(name)
        };
        let set = |source: PathBuf, target: PathBuf| PairFiles { source, target, ..PairFiles::default() };
        let (german, english) = ("das haus ist rot\n", "the house is red\n");
        let complaint = |train: PairFiles, dev: PairFiles| {
            let data = Data { train, dev: Some(dev), test: vec![], lm_target: vec![], lm_source: vec![] };
            let recipe = Recipe::new("de".into(), "en".into(), data, vec![System::new("hiero")]);
            check(&recipe).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let (de, en) = (write("a.de", german), write("a.en", english));
        assert!(
            complaint(set(en.clone(), de.clone()), set(de.clone(), en.clone())).contains("its name says en")
        );
        let (s, t) = (write("s", german), write("t", english));
        assert_eq!(complaint(set(de.clone(), en.clone()), set(s.clone(), t.clone())), "");
        let swapped = complaint(set(de, en), set(t, s));
        assert!(swapped.contains("are source and target swapped?"), "{swapped}");
    }

    #[test]
    fn empty_sets_and_unknown_languages_are_named_before_any_work() {
        assert!(complaint([3, 3, 0, 0], "de").contains("dev.de: there are no pairs to tune on"));
        assert!(complaint([0, 0, 2, 2], "de").contains("train.de: there are no training pairs"));
        assert!(complaint([3, 3, 2, 2], "xx").contains("unknown language `xx`"));
    }
}
