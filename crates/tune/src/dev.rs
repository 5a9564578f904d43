//! The references of a development set.

use crate::error::Error;
use crate::nbest::parse_links;
use std::path::{Path, PathBuf};
use treeglot_metrics::bleu::Smoothing;
use treeglot_metrics::{Link, Metric, Options, References, build};
use treeglot_text::bitext::{self, Bitext, Row};
use treeglot_text::{Error as TextError, Lines};

/// The references of each sentence, and for metrics of word order the links between source and first reference.
#[derive(Debug, Clone, Default)]
pub struct DevSet {
    references: Vec<Vec<String>>,
    links: Option<Vec<Vec<Link>>>,
}

impl DevSet {
    /// A development set with these references, one list a sentence.
    pub fn new(references: Vec<Vec<String>>) -> Self {
        Self { references, links: None }
    }

    /// Reads references from one file or several, and links from another. An empty set is an error.
    pub fn read(references: &[PathBuf], links: Option<&Path>) -> Result<Self, Error> {
        let mut rows = Bitext::open(references, bitext::Options::default())?;
        let mut dev = Self::default();
        while let Some(Row::Texts(lines)) = rows.next_row()? {
            dev.references.push(lines.iter().map(|line| line.trim().to_string()).collect());
        }
        if dev.references.is_empty() {
            return Err(Error::NoReferences);
        }
        if let Some(path) = links {
            dev.links = Some(dev.read_links(path)?);
        }
        Ok(dev)
    }

    /// The same with every reference as `words` gives it. Links are of words already.
    pub fn map(mut self, mut words: impl FnMut(&str) -> String) -> Self {
        self.references.iter_mut().flatten().for_each(|text| *text = words(text));
        self
    }

    fn read_links(&self, path: &Path) -> Result<Vec<Vec<Link>>, Error> {
        let mut lines = Lines::open(path)?;
        let mut links = Vec::with_capacity(self.len());
        while let Some(line) = lines.next_line()? {
            let parsed = parse_links(line);
            links.push(parsed.map_err(|why| lines.malformed(why))?);
        }
        if links.len() != self.len() {
            let message = format!("{} lines of links, but {} references", links.len(), self.len());
            return Err(TextError::Malformed { place: lines.place(), message }.into());
        }
        Ok(links)
    }

    /// The metric of an expression, and the same with one added to BLEU's counts for single sentences; both have studied the
    /// references.
    pub fn metrics(&self, expression: &str, mut options: Options) -> Result<[Box<dyn Metric>; 2], Error> {
        let mut metric = build(expression, &options)?;
        options.bleu.smoothing = Smoothing::AddK(1.0);
        let mut smoothed = build(expression, &options)?;
        self.study(metric.as_mut());
        self.study(smoothed.as_mut());
        Ok([metric, smoothed])
    }

    /// How many sentences there are.
    pub fn len(&self) -> usize {
        self.references.len()
    }

    /// Whether there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.references.is_empty()
    }

    /// Shows all references to a metric that wants to see them before it prepares any.
    pub fn study(&self, metric: &mut dyn Metric) {
        if metric.needs_study() {
            self.for_each(|references| metric.study(references));
        }
    }

    /// Calls `take` with the references of each sentence.
    pub(crate) fn for_each(&self, mut take: impl FnMut(&References<'_>)) {
        for (sentence, texts) in self.references.iter().enumerate() {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let links = self.links.as_ref().map(|links| links[sentence].as_slice());
            take(&References { texts: &texts, links });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_links_go_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let files = [path("a", "x y\nz\n"), path("b", "x\n\n")];
        let dev = DevSet::read(&files, Some(&path("l", "0-0 1-1\n\n"))).unwrap();
        assert_eq!(dev.references, [["x y", "x"], ["z", ""]]);
        assert_eq!(dev.links, Some(vec![vec![(0, 0), (1, 1)], vec![]]));
        let short = DevSet::read(&files, Some(&path("l", "0-0\n"))).unwrap_err().to_string();
        assert!(short.ends_with("1 lines of links, but 2 references"), "{short}");
        let bad = DevSet::read(&files, Some(&path("l", "0-0\n0_1\n"))).unwrap_err().to_string();
        assert!(bad.contains("l:2: `0_1` is no link"), "{bad}");
        assert!(DevSet::read(&[path("a", "")], None).is_err());
    }
}
