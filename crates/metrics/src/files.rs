//! Scoring whole files: references and hypotheses are read in step and in parts, each part is scored by all threads
//! while the next is read, and statistics are added in the order of the lines, so that scores do not depend on the
//! number of threads.

use crate::error::Error;
use crate::links;
use crate::metric::{Hypothesis, Link, Metric, RefCount, References};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use treeglot_text::{Lines, Place, interrupt};

/// How many lines are scored at a time.
const PART: usize = 4096;

/// The files to score, which match line by line.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The references.
    pub references: Vec<PathBuf>,
    /// The translations of several systems.
    pub hypotheses: Vec<PathBuf>,
    /// The links between source and first reference, for word order.
    pub reference_links: Option<PathBuf>,
    /// The links between source and each translation; none or one for each of `hypotheses`.
    pub hypothesis_links: Vec<PathBuf>,
    /// An empty line is no reference rather than an empty one.
    pub empty_is_missing: bool,
}

/// The statistics of one system's sentences by one metric.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// How many statistics a sentence has.
    pub size: usize,
    /// All statistics, sentence by sentence.
    pub values: Vec<f64>,
}

impl Statistics {
    /// The statistics of sentences in memory by a metric that has [studied](Metric::study) the references if it needs to; `sentence`
    /// gives a hypothesis and its references by number. All threads work.
    pub fn of<'t>(
        metric: &dyn Metric,
        sentences: usize,
        sentence: impl Fn(usize) -> (&'t str, Vec<&'t str>) + Sync,
    ) -> Self {
        let size = metric.size();
        let mut values = vec![0.0; size * sentences];
        values.par_chunks_exact_mut(size.max(1)).enumerate().for_each(|(number, own)| {
            interrupt::check();
            let (hypothesis, references) = sentence(number);
            let prepared = metric.prepare(&References::new(&references));
            prepared.add_statistics(&Hypothesis::new(hypothesis), own);
        });
        Self { size, values }
    }

    /// The sums over all sentences.
    pub fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.size];
        for own in self.sentences() {
            sums.iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
        }
        sums
    }

    /// The statistics of each sentence.
    pub fn sentences(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.size)
    }
}

/// What scoring found for one system.
#[derive(Debug, Clone)]
pub struct System {
    /// The sums of statistics, one vector a metric.
    pub sums: Vec<Vec<f64>>,
    /// The statistics of all sentences, one a metric, if they were to be kept.
    pub statistics: Vec<Statistics>,
}

/// What scoring found.
#[derive(Debug, Clone)]
pub struct Scored {
    /// How many sentences there are.
    pub sentences: usize,
    /// How many references a sentence has.
    pub references: RefCount,
    /// In the order of the hypothesis files.
    pub systems: Vec<System>,
}

/// Scores files by several metrics; `keep` keeps the statistics of single sentences for what comes after.
pub fn score(files: &Files, metrics: &mut [Box<dyn Metric>], keep: bool) -> Result<Scored, Error> {
    if metrics.iter().any(|metric| metric.needs_study()) {
        study(files, metrics)?;
    }
    let metrics = &*metrics;
    let mut reader = Reader::open(files)?;
    let mut totals = Totals::new(files.hypotheses.len(), metrics, keep);
    let mut part = reader.next_part()?;
    while !part.is_empty() {
        let (statistics, next) =
            rayon::join(|| part.statistics(files, metrics, totals.width), || reader.next_part());
        totals.add(&part, files, &statistics?);
        part = next?;
    }
    Ok(totals.finish())
}

/// Shows all references to the metrics.
fn study(files: &Files, metrics: &mut [Box<dyn Metric>]) -> Result<(), Error> {
    let only_references = Files { hypotheses: Vec::new(), hypothesis_links: Vec::new(), ..files.clone() };
    let mut reader = Reader::open(&only_references)?;
    loop {
        let part = reader.next_part()?;
        if part.is_empty() {
            return Ok(());
        }
        let mut texts = Vec::new();
        for line in 0..part.lines() {
            part.references(files, line, &mut texts);
            for metric in metrics.iter_mut() {
                metric.study(&References::new(&texts));
            }
        }
    }
}

/// Lines of one file.
#[derive(Default)]
struct Block {
    text: String,
    ends: Vec<usize>,
    /// The number of lines before these.
    before: u64,
}

impl Block {
    fn line(&self, ix: usize) -> &str {
        let start = if ix == 0 { 0 } else { self.ends[ix - 1] };
        &self.text[start..self.ends[ix]]
    }
}

/// The same lines of all files: references, hypotheses, links of the reference, links of the hypotheses.
struct Part {
    blocks: Vec<Block>,
    names: Vec<std::sync::Arc<str>>,
}

impl Part {
    fn lines(&self) -> usize {
        self.blocks.first().map_or(0, |block| block.ends.len())
    }

    fn is_empty(&self) -> bool {
        self.lines() == 0
    }

    fn references<'a>(&'a self, files: &Files, line: usize, texts: &mut Vec<&'a str>) {
        texts.clear();
        texts.extend(self.blocks[..files.references.len()].iter().map(|block| block.line(line)));
        if files.empty_is_missing {
            texts.retain(|text| !text.trim().is_empty());
        }
    }

    fn links(&self, block: usize, line: usize) -> Result<Vec<Link>, Error> {
        let place = Place::new(self.names[block].clone(), self.blocks[block].before + line as u64 + 1);
        Ok(links::parse(self.blocks[block].line(line), &place)?)
    }

    /// The statistics of all lines, each with those of all systems by all metrics.
    fn statistics(
        &self,
        files: &Files,
        metrics: &[Box<dyn Metric>],
        width: usize,
    ) -> Result<Vec<f64>, Error> {
        let row = width * files.hypotheses.len();
        let mut statistics = vec![0.0; row * self.lines()];
        statistics
            .par_chunks_mut(row.max(1))
            .enumerate()
            .try_for_each(|(line, out)| self.score_line(files, metrics, line, out))?;
        Ok(statistics)
    }

    fn score_line(
        &self,
        files: &Files,
        metrics: &[Box<dyn Metric>],
        line: usize,
        out: &mut [f64],
    ) -> Result<(), Error> {
        interrupt::check();
        let mut texts = Vec::with_capacity(files.references.len());
        self.references(files, line, &mut texts);
        let systems = files.hypotheses.len();
        let after = files.references.len() + systems;
        let reference_links = match files.reference_links {
            Some(_) => Some(self.links(after, line)?),
            None => None,
        };
        let mut hypothesis_links = Vec::new();
        for system in 0..files.hypothesis_links.len() {
            hypothesis_links.push(self.links(after + 1 + system, line)?);
        }
        let references = References { texts: &texts, links: reference_links.as_deref() };
        let width = out.len() / systems.max(1);
        let mut first = 0;
        for metric in metrics {
            let sentence = metric.prepare(&references);
            for system in 0..systems {
                let text = self.blocks[files.references.len() + system].line(line);
                let links = hypothesis_links.get(system).map(Vec::as_slice);
                let at = system * width + first;
                sentence.add_statistics(&Hypothesis { text, links }, &mut out[at..at + metric.size()]);
            }
            first += metric.size();
        }
        Ok(())
    }
}

struct Reader {
    files: Vec<Lines>,
}

impl Reader {
    fn open(files: &Files) -> Result<Self, Error> {
        let links = files.reference_links.iter().chain(&files.hypothesis_links);
        let paths = files.references.iter().chain(&files.hypotheses).chain(links);
        let open = |path: &PathBuf| Lines::open(path as &Path);
        Ok(Self { files: paths.map(open).collect::<Result<_, _>>()? })
    }

    /// The next lines of all files; none at their common end.
    fn next_part(&mut self) -> Result<Part, Error> {
        let mut blocks = Vec::with_capacity(self.files.len());
        for file in &mut self.files {
            let mut block = Block { before: file.line(), ..Block::default() };
            while block.ends.len() < PART {
                let Some(line) = file.next_line()? else { break };
                block.text.push_str(line);
                block.ends.push(block.text.len());
            }
            blocks.push(block);
        }
        if blocks.iter().any(|block| block.ends.len() != blocks[0].ends.len()) {
            return Err(self.unequal()?);
        }
        let names = self.files.iter().map(|file| file.name().clone()).collect();
        Ok(Part { blocks, names })
    }

    /// Which file has another number of lines than the first, after counting the lines of all.
    fn unequal(&mut self) -> Result<Error, Error> {
        for file in &mut self.files {
            while file.next_line()?.is_some() {}
        }
        let first = &self.files[0];
        let differs = |file: &&Lines| file.line() != first.line();
        let other = self.files.iter().find(differs).unwrap_or(first);
        Ok(Error::Unequal {
            name: other.name().clone(),
            lines: other.line(),
            other: first.name().clone(),
            other_lines: first.line(),
        })
    }
}

struct Totals {
    sizes: Vec<usize>,
    /// The statistics of a sentence by all metrics.
    width: usize,
    keep: bool,
    sentences: usize,
    references: Option<RefCount>,
    systems: Vec<System>,
}

impl Totals {
    fn new(systems: usize, metrics: &[Box<dyn Metric>], keep: bool) -> Self {
        let sizes: Vec<usize> = metrics.iter().map(|metric| metric.size()).collect();
        let empty = System {
            sums: sizes.iter().map(|&size| vec![0.0; size]).collect(),
            statistics: sizes.iter().map(|&size| Statistics { size, values: Vec::new() }).collect(),
        };
        let width = sizes.iter().sum();
        Self { sizes, width, keep, sentences: 0, references: None, systems: vec![empty; systems] }
    }

    fn add(&mut self, part: &Part, files: &Files, statistics: &[f64]) {
        let mut texts = Vec::new();
        for line in 0..part.lines() {
            part.references(files, line, &mut texts);
            let here = RefCount::Fixed(texts.len());
            let same = self.references.is_none_or(|known| known == here);
            self.references = Some(if same { here } else { RefCount::Varying });
        }
        self.sentences += part.lines();
        for (ix, own) in statistics.chunks_exact(self.width.max(1)).enumerate() {
            let of = ix % self.systems.len();
            let system = &mut self.systems[of];
            let mut rest = own;
            for (metric, &size) in self.sizes.iter().enumerate() {
                let (own, others) = rest.split_at(size);
                for (sum, value) in system.sums[metric].iter_mut().zip(own) {
                    *sum += value;
                }
                if self.keep {
                    system.statistics[metric].values.extend_from_slice(own);
                }
                rest = others;
            }
        }
    }

    fn finish(self) -> Scored {
        let references = self.references.unwrap_or(RefCount::Fixed(0));
        Scored { sentences: self.sentences, references, systems: self.systems }
    }
}
