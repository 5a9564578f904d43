//! Development and test sets cut to the `limit` of the recipe: their first pairs, as files of their own.

use crate::error::{Error, Result};
use crate::recipe::{PairFiles, Recipe, Trees};
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_text::{Lines, Output};

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
    let trees = [&set.source_dep, &set.source_con, &set.target_dep, &set.target_con];
    if trees.iter().any(|trees| **trees != Trees::default()) {
        let why = "`limit` cuts its texts, but not its trees: give files of trees that are as short, and leave it out";
        return Err(Error::Invalid(format!("data.{}: {why}", name.trim_end_matches(char::is_numeric))));
    }
    let folder = folder.join("limited");
    std::fs::create_dir_all(&folder).map_err(Error::writing(&folder))?;
    let texts = [&mut set.source, &mut set.target].into_iter().chain(&mut set.references);
    for (number, text) in texts.enumerate() {
        let to = folder.join(format!("{name}.{limit}.{number}"));
        first_lines(text, limit, &to)?;
        *text = to;
    }
    Ok(())
}

fn first_lines(from: &PathBuf, limit: u64, to: &Path) -> Result<()> {
    let (mut lines, mut out) = (Lines::open(from)?, Output::create(to)?);
    for _ in 0..limit {
        let Some(line) = lines.next_line()? else { break };
        writeln!(out, "{line}").map_err(|e| out.error(e))?;
    }
    Ok(out.finish()?)
}
