//! Rounds of tuning over a large development set: its sentences are translated by executors, each with the bundle as it is before tuning
//! and the weights of the round; the driving process gathers the lists and finds the next weights.

use super::cut::{Unpacked, cut};
use super::task::{Task, shared};
use super::translate::{packed, unpacked};
use super::{Columns, Op, Row, Site, damaged};
use crate::bundle::{Components, SearchSettings};
use crate::error::{Error, Result};
use crate::translator::{DevSource, Translator, TuningDecoder, best_lists, tuning_settings};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use treeglot_decode::{TranslationForest, Weights};
use treeglot_tree::PerTree;
use treeglot_tune::{Candidate, Decoder, FeatureSpace};
use xxhash_rust::xxh3::xxh3_64;

/// The best translations of a shard's sentences.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BestLists {
    /// How many of each sentence.
    count: usize,
    /// How many files of trees there are in each place.
    trees: PerTree<usize>,
    skip_bad: bool,
}

/// [`TuningDecoder`] with lists by executors.
pub(crate) struct ShardDecoder<'d> {
    site: Site<'d>,
    decoder: &'d mut TuningDecoder,
    bundle: PathBuf,
    trees: PerTree<usize>,
    skip_bad: bool,
}

impl<'d> ShardDecoder<'d> {
    /// Sends the development set, whose sentences the decoder has read.
    pub fn new(
        site: Site<'d>,
        decoder: &'d mut TuningDecoder,
        (components, start): (&Components, &Weights),
        &DevSource { file, trees, skip_bad, .. }: &DevSource<'_>,
    ) -> Result<Self> {
        let bundle = packed(site, "bundle", components, start)?;
        let all = trees.iter().flat_map(|(_, files)| files).cloned();
        let files: Vec<PathBuf> = [file.to_path_buf()].into_iter().chain(all).collect();
        site.put("sentences", || cut(&files, site.lines_of(decoder.len() as u64), 0))?;
        Ok(Self { site, decoder, bundle, trees: trees.each_ref().map(|_, files| files.len()), skip_bad })
    }
}

impl Decoder for ShardDecoder<'_> {
    type Error = Error;

    fn space(&mut self) -> &mut FeatureSpace {
        self.decoder.space()
    }

    fn kbest(&mut self, weights: &[f64], count: usize) -> Result<Vec<Vec<Candidate>>> {
        let file = self.site.folder.join("weights");
        self.decoder.space().named(weights).write(&file)?;
        // Lists of an earlier run are those of the same weights.
        let text = std::fs::read(&file).map_err(Error::reading(&file))?;
        let mark = format!("{:016x}", xxh3_64(&text));
        let marked = self.site.folder.join(format!("weights-{mark}"));
        std::fs::rename(&file, &marked).map_err(Error::writing(&marked))?;
        let op = BestLists { count, trees: self.trees, skip_bad: self.skip_bad };
        let (table, files) = (format!("lists-{mark}"), vec![self.bundle.clone(), marked]);
        self.site.each(&table, "sentences", Op::BestLists(Box::new(op)), files)?;
        let mut lists = Vec::with_capacity(self.decoder.len());
        for row in self.site.rows(&table, Columns::Cells)? {
            for cell in &row?.cells {
                unpack(cell, &mut lists).ok_or_else(|| damaged("lists of translations"))?;
            }
        }
        if lists.len() != self.decoder.len() {
            return Err(damaged("lists of translations are missing"));
        }
        Ok(self.decoder.placed(lists))
    }

    fn forests(&mut self, weights: &[f64], hyperarcs: usize) -> Result<Option<Vec<TranslationForest>>> {
        self.decoder.forests(weights, hyperarcs)
    }
}

struct Listing {
    op: BestLists,
    translator: Arc<Translator>,
}

/// The task of [`BestLists`].
pub(super) fn lists_task(op: BestLists, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    let translator = shared("lists", files, || {
        let [bundle, weights] = files else { return Err(damaged("no bundle with weights")) };
        let components = unpacked(bundle)?.components();
        let settings = tuning_settings(&components, &SearchSettings::default(), 1);
        Translator::new(&[(components, Weights::read(weights)?)], &settings)
    })?;
    Ok(Box::new(Listing { op, translator }))
}

impl Task for Listing {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let lists = || {
            let BestLists { count, trees, skip_bad } = &self.op;
            let (source, trees) = shard.text_and_trees(std::slice::from_ref(trees))?;
            let trees = trees.into_iter().next().unwrap_or_default();
            let dev = DevSource { file: &source, trees: &trees, text: None, skip_bad: *skip_bad };
            let (sentences, _) = dev.read()?;
            best_lists(&self.translator, &Arc::new(sentences), *count)
        };
        let lists = lists().map_err(|error| shard.at(&error))?;
        out.push(Row { notes: String::new(), cells: vec![pack(&lists)], ..row });
        Ok(())
    }
}

/// Lists as bytes: of each the number of its candidates, and of each candidate its text, dense and sparse features, with their numbers.
fn pack(lists: &[Vec<Candidate>]) -> Vec<u8> {
    let mut out = Vec::new();
    let number = |number: usize, out: &mut Vec<u8>| out.extend_from_slice(&(number as u32).to_le_bytes());
    for list in lists {
        number(list.len(), &mut out);
        for Candidate { text, dense, sparse, .. } in list {
            number(text.len(), &mut out);
            out.extend_from_slice(text.as_bytes());
            number(dense.len(), &mut out);
            dense.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
            number(sparse.len(), &mut out);
            for (place, value) in sparse {
                out.extend_from_slice(&place.to_le_bytes());
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
    out
}

/// Takes lists out of bytes; none if these are damaged.
fn unpack(mut bytes: &[u8], lists: &mut Vec<Vec<Candidate>>) -> Option<()> {
    while !bytes.is_empty() {
        let mut list = Vec::new();
        for _ in 0..number(&mut bytes)? {
            let length = number(&mut bytes)?;
            let text = std::str::from_utf8(bytes.split_off(..length)?).ok()?.to_string();
            let length = number(&mut bytes)?.checked_mul(4)?;
            let dense =
                bytes.split_off(..length)?.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value));
            let length = number(&mut bytes)?.checked_mul(8)?;
            let sparse =
                bytes.split_off(..length)?.as_chunks().0.iter().map(|&[a, b, c, d, value @ ..]: &[u8; 8]| {
                    (u32::from_le_bytes([a, b, c, d]), f32::from_le_bytes(value))
                });
            list.push(Candidate { text, dense: dense.collect(), sparse: sparse.collect(), links: None });
        }
        lists.push(list);
    }
    Some(())
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    usize::try_from(u32::from_le_bytes(*number)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_and_what_is_cut_off_is_damaged() {
        let candidate = |text: &str, dense: &[f32], sparse: &[(u32, f32)]| Candidate {
            text: text.to_string(),
            dense: dense.to_vec(),
            sparse: sparse.to_vec(),
            links: None,
        };
        let infinite =
            candidate("ein größeres Haus", &[-1.5, f32::NEG_INFINITY], &[(7, 1.0), (9, f32::MIN_POSITIVE)]);
        let lists = vec![vec![infinite, candidate("", &[], &[])], vec![], vec![candidate("b", &[0.1], &[])]];
        let (bytes, mut back) = (pack(&lists), Vec::new());
        assert!(unpack(&bytes, &mut back).is_some());
        assert_eq!(back, lists);
        let whole = |end: &usize| unpack(&bytes[..*end], &mut Vec::new()).is_some();
        let ends: Vec<usize> = (0..=bytes.len()).filter(whole).collect();
        assert_eq!(ends, [0, 71, 75, bytes.len()], "only whole lists are lists");
    }
}
