//! Check first, then work: what can be known to be wrong with a recipe before its first stage runs, told in the user's own
//! file names.

use crate::error::{Error, Result};
use crate::evaluate::metrics;
use crate::recipe::{PairFiles, Recipe};
use crate::surface::Surface;
use crate::train::surface_settings;
use std::path::Path;
use treeglot_text::Lines;

/// The tokeniser of metrics where a recipe names none: references are raw where training text is.
pub(crate) fn default_tokenizer(recipe: &Recipe) -> &'static str {
    if recipe.preprocess.tokenize { "13a" } else { "none" }
}

/// Checks systems, metrics, languages and files.
pub(crate) fn check(recipe: &Recipe) -> Result<()> {
    if recipe.systems.is_empty() {
        return Err(Error::Invalid("the recipe has no system: add `[[system]]` with a `model`".into()));
    }
    metrics(&recipe.eval, default_tokenizer(recipe))?;
    for side in [0, 1] {
        Surface::new(&surface_settings(recipe, side), None)?;
    }
    let data = &recipe.data;
    for file in data.lm_target.iter().chain(&data.lm_source) {
        std::fs::File::open(file).map_err(Error::reading(file))?;
    }
    check_set(&data.train, "training pairs")?;
    if let Some(dev) = &data.dev {
        check_set(dev, "pairs to tune on")?;
    }
    data.test.iter().try_for_each(|test| check_set(test, "pairs to evaluate on"))
}

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
    Ok(())
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
    fn empty_sets_and_unknown_languages_are_named_before_any_work() {
        assert!(complaint([3, 3, 0, 0], "de").contains("dev.de: there are no pairs to tune on"));
        assert!(complaint([0, 0, 2, 2], "de").contains("train.de: there are no training pairs"));
        assert!(complaint([3, 3, 2, 2], "xx").contains("unknown language `xx`"));
    }
}
