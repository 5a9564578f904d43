//! Lists: the best translations of one system for each line of a text. A combination chooses among those of several systems,
//! which need not be opened side by side for that.

use super::{COMPARED, LineSource, Passed, Request, Translator};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::path::Path;
use treeglot_decode::mbr::Choice;
use treeglot_text::{Lines, Output};

/// A translation of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// As people read it, where these are not its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Its words, separated by blanks, as models see them.
    words: String,
    /// Its score in its system.
    score: f64,
}

/// The best translations of a line, the best first.
pub type List = Vec<Listed>;

impl Listed {
    /// As people read it.
    pub fn text(&self) -> &str {
        self.text.as_ref().unwrap_or(&self.words)
    }
}

/// Hands on the best distinct translations of each line by a translator of one system; what was passed over is returned.
pub fn list_lines<R: BufRead + Send>(
    translator: &Translator,
    source: LineSource<R>,
    mut take: impl FnMut(List) -> Result<()>,
) -> Result<Passed> {
    let request = Request { count: COMPARED, distinct: true, ..Request::default() };
    translator.translate_lines(source, &request, |_, _, translated| {
        let best = translated.sentences.into_iter().flat_map(|sentence| sentence.best);
        let listed = best.map(|best| {
            let text = (best.text != best.words).then_some(best.text);
            Listed { text, words: best.words, score: best.score }
        });
        take(listed.collect())
    })
}

/// Writes lists, one line each, packed as the ending of the file says.
pub(crate) fn write_lists(
    translator: &Translator,
    source: LineSource<impl BufRead + Send>,
    to: &Path,
) -> Result<Passed> {
    let mut out = Output::create(to)?;
    let passed = list_lines(translator, source, |list| {
        let line = serde_json::to_string(&list).map_err(|e| Error::Invalid(e.to_string()))?;
        Ok(writeln!(out, "{line}").map_err(|e| out.error(e))?)
    })?;
    out.finish()?;
    Ok(passed)
}

/// All lines of a file.
pub fn read_lines(path: &Path) -> Result<Vec<String>> {
    let (mut lines, mut all) = (Lines::open(path)?, Vec::new());
    while let Some(line) = lines.next_line()? {
        all.push(line.to_string());
    }
    Ok(all)
}

/// Reads what [`write_lists`] wrote.
pub(crate) fn read_lists(from: &Path) -> Result<Vec<List>> {
    let mut lines = Lines::open(from)?;
    let mut lists = Vec::new();
    while let Some(line) = lines.next_line()? {
        let list = serde_json::from_str(line);
        lists.push(list.map_err(|e| Error::Invalid(format!("{}: {e}", from.display())))?);
    }
    Ok(lists)
}

/// The translations of a line in the lists of all systems, as choices.
pub(crate) fn choices(lists: &[Vec<List>], line: usize) -> Vec<Choice<'_>> {
    let of_system = |(system, lists)| {
        let list: &List = &(lists as &Vec<List>)[line];
        list.iter().map(move |one| Choice { text: &one.words, score: one.score, system })
    };
    lists.iter().enumerate().flat_map(of_system).collect()
}

/// An error if any system has lists of more or fewer lines than there are.
pub(crate) fn check_lines(lists: &[Vec<List>], lines: usize) -> Result<()> {
    match lists.iter().find(|lists| lists.len() != lines) {
        None => Ok(()),
        Some(lists) => {
            let found = lists.len();
            Err(Error::Invalid(format!("there are {lines} lines to translate, but {found} were translated")))
        }
    }
}
