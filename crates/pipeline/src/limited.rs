//! Development and test sets cut to the `limit` of the recipe: their first pairs, as files of their own.

use crate::error::{Error, Result};
use crate::recipe::{PairFiles, Recipe};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use treeglot_text::{Output, unpacked_name};
use treeglot_tree::format::{RecordLayout, Records};

/// The recipe with its development and test sets cut, where it limits them; the files lie in `folder`.
pub(crate) fn limited<'r>(recipe: &'r Recipe, folder: &Path) -> Result<Cow<'r, Recipe>> {
    let sets = recipe.data.dev.iter().chain(&recipe.data.test);
    if sets.clone().all(|set| set.limit.is_none()) {
        return Ok(Cow::Borrowed(recipe));
    }
    let mut recipe = recipe.clone();
    if let Some(dev) = &mut recipe.data.dev {
        cut(dev, "dev", folder)?;
    }
    for (number, test) in recipe.data.test.iter_mut().enumerate() {
        cut(test, &format!("test{number}"), folder)?;
    }
    Ok(Cow::Owned(recipe))
}

fn cut(set: &mut PairFiles, name: &str, folder: &Path) -> Result<()> {
    let Some(limit) = set.limit.take() else { return Ok(()) };
    let folder = folder.join("limited");
    std::fs::create_dir_all(&folder).map_err(Error::writing(&folder))?;
    let texts = 2 + set.references.len();
    for (number, file) in set.files_mut().enumerate() {
        // The ending tells the format of trees.
        let bare = unpacked_name(&file.to_string_lossy()).to_string();
        let ending =
            Path::new(&bare).extension().and_then(|ending| ending.to_str()).unwrap_or("txt").to_string();
        let to = folder.join(format!("{name}.{limit}.{number}.{ending}"));
        let layout = if number < texts { RecordLayout::Lines } else { RecordLayout::of_file(&*file) };
        first_records(file, layout, limit, &to)?;
        *file = to;
    }
    Ok(())
}

fn first_records(from: &Path, layout: RecordLayout, limit: u64, to: &Path) -> Result<()> {
    let (mut records, mut out) = (Records::open(from, layout)?, Output::create(to)?);
    for _ in 0..limit {
        if !records.advance()? {
            break;
        }
        writeln!(out, "{}", records.record()).map_err(|e| out.error(e))?;
    }
    Ok(out.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Data, System};

    #[test]
    fn a_limit_cuts_texts_references_and_trees_alike() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, record: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, record.repeat(5)).unwrap();
            path
        };
        let set = || PairFiles {
            source: write("s.de", "a\n"),
            target: write("t.en", "b\n"),
            references: vec![write("r.en", "c\n")],
            source_dep: Some(write("s.conllu", "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")).into(),
            source_con: Some(write("s.ptb", "(S (X a))\n")).into(),
            limit: Some(3),
            ..PairFiles::default()
        };
        let data =
            Data { train: set(), dev: Some(set()), test: vec![set()], lm_target: vec![], lm_source: vec![] };
        let recipe = Recipe::new("de".into(), "en".into(), data, vec![System::new("hiero")]);
        let cut = limited(&recipe, dir.path()).unwrap();
        for set in [cut.data.dev.as_ref().unwrap(), &cut.data.test[0]] {
            let read: Vec<String> = set.files().map(|file| std::fs::read_to_string(file).unwrap()).collect();
            assert_eq!(read[..3], ["a\n", "b\n", "c\n"].map(|line| line.repeat(3)));
            assert_eq!((read[3].matches("root").count(), read[4].lines().count()), (3, 3));
        }
        assert_eq!(cut.data.train, recipe.data.train, "training pairs are cut where they are cleaned");
    }
}
