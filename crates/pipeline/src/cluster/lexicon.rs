//! Lexical tables on executors: links are counted by shard and added up by pairs of words; the driving process writes the tables.

use super::cut::{Unpacked, cut};
use super::task::Task;
use super::{Columns, Op, Row, Site, Step, damaged};
use crate::error::Result;
use crate::train::stages::{count_links, write_lexicon};
use serde::{Deserialize, Serialize};
use std::path::Path;
use treeglot_models::extract::Lexicon;
use treeglot_models::pairs::Files;
use xxhash_rust::xxh3::xxh3_64;

/// Counts the links of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CountLinks {
    skip_bad: bool,
    parts: usize,
}

/// Adds up the links of the same words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SumLinks {}

/// [`crate::train::stages::lexicon`] on executors.
pub(crate) fn lexicon(site: Site<'_>, files: &Files, skip_bad: bool, to: &Path) -> Result<()> {
    let division = site.engine.division();
    let texts = [files.source.clone(), files.target.clone(), files.links.clone()];
    site.put("pairs", || cut(&texts, division.lines, 0))?;
    let step = Step {
        name: "links".to_string(),
        from: vec!["pairs".to_string()],
        heads: true,
        each: Some(Op::CountLinks(CountLinks { skip_bad, parts: division.parts })),
        together: Some(Op::SumLinks(SumLinks {})),
        files: Vec::new(),
    };
    site.engine.run(site.folder, &step)?;
    let mut lexicon = Lexicon::default();
    for row in site.rows("links", Columns::Cells)? {
        unpack(&row?, &mut lexicon)?;
    }
    write_lexicon(&lexicon, to)
}

/// Counts as text, `source TAB target TAB count` a line; the empty word is empty.
fn pack<'l>(counts: impl Iterator<Item = (Option<&'l str>, Option<&'l str>, u32)>) -> Vec<u8> {
    let line = |(source, target, count): (Option<&str>, Option<&str>, u32)| {
        format!("{}\t{}\t{count}\n", source.unwrap_or_default(), target.unwrap_or_default())
    };
    counts.map(line).collect::<String>().into_bytes()
}

fn unpack(row: &Row, lexicon: &mut Lexicon) -> Result<()> {
    for cell in &row.cells {
        let text = std::str::from_utf8(cell).map_err(|_| damaged("links are no text"))?;
        for line in text.lines() {
            let mut fields = line.split('\t');
            let mut word = || fields.next().map(|word| Some(word).filter(|word| !word.is_empty()));
            let (source, target) = (word(), word());
            let count = fields.next().and_then(|count| count.parse().ok());
            let (Some(source), Some(target), Some(count)) = (source, target, count) else {
                return Err(damaged("a count of links"));
            };
            lexicon.add_count(source, target, count);
        }
    }
    Ok(())
}

impl Task for CountLinks {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let [source, target, links] = &shard.files[..] else { return Err(damaged("a shard lacks files")) };
        let files = Files {
            source: source.clone(),
            target: target.clone(),
            links: links.clone(),
            ..Files::default()
        };
        let lexicon = count_links(&files, self.skip_bad).map_err(|error| shard.at(&error))?;
        let mut parts: Vec<Vec<_>> = (0..self.parts.max(1)).map(|_| Vec::new()).collect();
        let count = parts.len() as u64;
        for counted in lexicon.counts() {
            // By both words: some source words, and none, are linked with very many.
            let words = [counted.0, counted.1].map(|word| xxh3_64(word.unwrap_or_default().as_bytes()));
            parts[((words[0] ^ words[1].rotate_left(32)) % count) as usize].push(counted);
        }
        let filled = (0..).zip(parts).filter(|(_, counts)| !counts.is_empty());
        out.extend(filled.map(|(part, counts)| Row {
            part,
            number: row.part,
            cells: vec![pack(counts.into_iter())],
            ..Row::default()
        }));
        Ok(())
    }
}

/// The links of the part that rows come of.
#[derive(Default)]
pub struct Summing(Option<(u64, Lexicon)>);

impl Summing {
    /// None yet.
    pub fn new(_: SumLinks) -> Self {
        Self::default()
    }
}

impl Task for Summing {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        if self.0.as_ref().is_some_and(|(part, _)| *part != row.part) {
            self.finish(out)?;
        }
        let (_, lexicon) = self.0.get_or_insert_with(|| (row.part, Lexicon::default()));
        unpack(&row, lexicon)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let Some((part, lexicon)) = self.0.take() else { return Ok(()) };
        out.push(Row { part, cells: vec![pack(lexicon.counts())], ..Row::default() });
        Ok(())
    }
}
