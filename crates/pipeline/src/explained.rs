//! A page that explains the translations of one's own text, with the drawings of a report.

use crate::error::{Error, Result};
use crate::report::{Part, Picture, Report, Sample, SampleOutput};
use crate::samples::{pictures, source_trees};
use crate::translator::{Sentence, Translated};
use serde_json::json;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use treeglot_parse::Parse;
use treeglot_text::{Output, Side};
use treeglot_tree::page::Drawing;
use treeglot_tree::{PerTree, TreeKind};

/// The most sentences of a page: browsers do not like more drawings.
const MOST: usize = 1000;

/// A page of explained translations, gathered line by line.
#[derive(Debug, Default)]
pub struct ExplainedPage {
    lines: Vec<u64>,
    samples: Vec<Sample>,
    left_out: u64,
}

impl ExplainedPage {
    /// Whether a file may become such a page: it is one, or there is none yet. Anything else is somebody's, perhaps the very text
    /// to be translated.
    pub fn may_replace(path: &Path) -> Result<()> {
        let Ok(mut file) = std::fs::File::open(path) else { return Ok(()) };
        let mut start = vec![0; 4096];
        let length = file.read(&mut start).map_err(Error::reading(path))?;
        if length > 0 && !String::from_utf8_lossy(&start[..length]).contains(Report::GENERATOR) {
            let why =
                "there is such a file already, which is no page of ours: name another for the explanations";
            return Err(Error::Invalid(format!("{}: {why}", path.display())));
        }
        Ok(())
    }

    /// Adds a line, counted from 0, with its explained translation.
    pub fn add(&mut self, line: u64, source: &str, translated: &Translated) {
        // A sentence of a paragraph is not the whole line.
        let whole = (translated.sentences.len() == 1).then_some(source);
        for sentence in translated.sentences.iter().filter(|sentence| !sentence.best.is_empty()) {
            if self.samples.len() == MOST {
                self.left_out += 1;
                continue;
            }
            self.lines.push(line);
            self.samples.push(sample(whole, sentence));
        }
    }

    /// How many sentences were left out because there are too many for a page.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Writes the page; `trees` are files of source trees that were given with the text.
    pub fn write(mut self, path: &Path, about: &str, trees: &PerTree<Vec<PathBuf>>) -> Result<()> {
        for kind in TreeKind::BOTH {
            for file in trees[(Side::Source, kind)].iter().filter(|file| file.as_os_str() != "-") {
                let drawn = source_trees(file, "", &self.lines)?;
                for (line, sample) in self.lines.iter().zip(&mut self.samples) {
                    let of_line = drawn.iter().filter(|(known, _)| known == line);
                    sample.pictures.extend(of_line.map(|(_, picture)| picture.clone()));
                }
            }
        }
        let summary = match self.left_out {
            0 => String::new(),
            more => format!("The first {MOST} sentences; {more} more are not on this page."),
        };
        let part = Part { title: "Sentences".into(), summary, samples: self.samples, ..Part::default() };
        let page = Report {
            title: "Translations explained".into(),
            about: about.into(),
            parts: vec![part],
            ..Report::default()
        };
        let mut out = Output::create(path)?;
        out.write_all(page.html().as_bytes()).map_err(|e| out.error(e))?;
        Ok(out.finish()?)
    }
}

fn sample(whole: Option<&str>, sentence: &Sentence) -> Sample {
    let outputs = sentence.best.iter().map(|best| SampleOutput {
        system: String::new(),
        text: best.text.clone(),
        pictures: best.explanation.as_ref().map(|why| pictures(&json!(why))).unwrap_or_default(),
    });
    let words = || {
        let why = sentence.best.first().and_then(|best| best.explanation.as_ref());
        why.map(|why| why.source.join(" ")).unwrap_or_default()
    };
    let source = whole.map_or_else(words, str::to_string);
    let parsed = sentence.parses.iter().filter_map(picture).collect();
    Sample {
        source,
        pictures: parsed,
        outputs: outputs.collect(),
        confidence: sentence.confidence,
        ..Sample::default()
    }
}

/// The drawing of a parse.
fn picture(parse: &Parse) -> Option<Picture> {
    let (heading, drawing) = match parse {
        Parse::Dependency(parse) => ("source dependency tree", Drawing::from(parse)),
        Parse::Constituency(tree) => ("source constituency tree", Drawing::from(tree.as_ref()?)),
    };
    Some(Picture { heading: heading.into(), drawing: json!(drawing) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_else_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        ExplainedPage::may_replace(&path).unwrap();
        ExplainedPage::default().write(&path, "", &PerTree::default()).unwrap();
        ExplainedPage::may_replace(&path).unwrap();
        std::fs::write(&path, "<html>my own</html>").unwrap();
        let error = ExplainedPage::may_replace(&path).unwrap_err().to_string();
        assert!(error.contains("page.html") && error.contains("no page of ours"), "{error}");
    }
}
