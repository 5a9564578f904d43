//! Training on several machines, with the model of one. The driving process has the corpus as numbers and model 1 ([`Training`]); for
//! each iteration it writes the model ([`Training::write`]), other processes open it ([`ShardModel`]) and tell what it expects of their
//! sentences, and what they tell is added up ([`add_up`], [`Training::take`]). Sums are whole multiples of 2^-32: they do not depend on
//! who added what, as long as shards are whole [`CHUNK`]s.

use crate::corpus::{Corpus, CorpusSide, Words};
use crate::counts::{single, whole};
use crate::error::{Error, Result};
use crate::fertility::{Distribution, Fertility};
use crate::jumps::Jumps;
pub use crate::model::CHUNK;
use crate::model::{Direction, Model};
use crate::scales::SideScales;
use crate::settings::Settings;
use crate::symmetrize::{GrowOrder, Symmetrize};
use crate::train::Layout;
use crate::translation_table::TranslationTable;
use bytemuck::Pod;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use treeglot_text::column::MemoryBudget;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag, View};

const KIND: Tag = Tag::new("expects");
const VERSION: u32 = 1;
const PAIRS: Tag = Tag::new("pairs");
const VALUES: Tag = Tag::new("values");
const SIDES: [[Tag; 4]; 2] = [
    [Tag::new("scale.s"), Tag::new("null.s"), Tag::new("jumps.s"), Tag::new("fert.s")],
    [Tag::new("scale.t"), Tag::new("null.t"), Tag::new("jumps.t"), Tag::new("fert.t")],
];

/// How many places side by side come to the same part.
const TOGETHER: u64 = 64;

/// A sum: its place, and its value in multiples of 2^-32.
type Sum = [u64; 2];

/// Training, as the process that drives it sees it.
pub struct Training {
    model: Model,
    settings: Settings,
    links: Vec<u64>,
    rest: Vec<u64>,
}

impl Training {
    /// Trains model 1, from which the iterations go on.
    pub fn begin(corpus: &Corpus, settings: &Settings, report: impl FnMut(&str)) -> Result<Self> {
        let model = Model::begin(corpus, settings, [None, None], report)?;
        Ok(Self { model, settings: settings.clone(), links: Vec::new(), rest: Vec::new() })
    }

    /// How many iterations there are.
    pub fn iterations(&self) -> usize {
        self.model.iterations(&self.settings)
    }

    /// How many sums an iteration makes.
    pub fn sums(&self) -> u64 {
        (self.model.table.len() + Layout::of(&self.model).len()) as u64
    }

    /// Writes the model for other processes, and begins to take what they expect by it.
    pub fn write(&mut self, path: &Path) -> Result<()> {
        self.links = vec![0; self.model.table.len()];
        self.rest = vec![0; Layout::of(&self.model).len()];
        let table = &self.model.table;
        let tags: Vec<Tag> = [PAIRS, VALUES].into_iter().chain(SIDES.into_iter().flatten()).collect();
        let mut out = MappedWriter::create(path, KIND, VERSION, &tags)?;
        out.section(PAIRS, table.pairs())?;
        out.section(VALUES, &table.values())?;
        let sides = [(&table.src, &self.model.forward), (&table.tgt, &self.model.reverse)];
        for ([scale, null, jumps, fertility], (scales, direction)) in SIDES.into_iter().zip(sides) {
            out.section(scale, &scales.scale)?;
            out.section(null, &scales.null)?;
            out.section(jumps, direction.jumps.counts())?;
            let none: &[Distribution] = &[];
            out.section(fertility, direction.fertility.as_ref().map_or(none, Fertility::counts))?;
        }
        Ok(out.finish()?)
    }

    /// Takes sums of some places, as [`add_up`] has them.
    pub fn take(&mut self, sums: &[u8]) -> Result<()> {
        for [at, value] in read(sums)? {
            let at = usize::try_from(at).map_err(|_| damaged("a place"))?;
            let links = self.links.len();
            let sum = if at < links { self.links.get_mut(at) } else { self.rest.get_mut(at - links) };
            *sum.ok_or_else(|| damaged("a place"))? += value;
        }
        Ok(())
    }

    /// Takes on what was expected; tells how many links that were.
    pub fn update(&mut self) -> f64 {
        let links: Vec<f32> = std::mem::take(&mut self.links).into_iter().map(single).collect();
        let expected = Layout::of(&self.model).all_links(&self.rest);
        self.model.update(links.into(), &self.rest, &self.settings);
        expected
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

/// Some sentences of a corpus as bytes: starts and tokens of each side.
pub fn pack(corpus: &Corpus, sentences: Range<usize>) -> Vec<Vec<u8>> {
    let side = |side: &CorpusSide| {
        let starts = &side.starts[sentences.start..=sentences.end];
        let tokens = &side.tokens[starts[0] as usize..starts[starts.len() - 1] as usize];
        let own: Vec<u32> = starts.iter().map(|start| start - starts[0]).collect();
        [bytemuck::cast_slice(&own).to_vec(), bytemuck::cast_slice(tokens).to_vec()]
    };
    [&corpus.src, &corpus.tgt].into_iter().flat_map(side).collect()
}

/// The corpus of such bytes, without its words.
pub fn unpack(cells: &[Vec<u8>]) -> Result<Corpus> {
    let [src_starts, src_tokens, tgt_starts, tgt_tokens] = cells else { return Err(damaged("a shard")) };
    let side = |starts: &[u8], tokens: &[u8]| -> Result<CorpusSide> {
        let [starts, tokens] = [numbers::<u32>(starts)?, numbers(tokens)?];
        let sound =
            starts.first() == Some(&0) && starts.last() == Some(&(tokens.len() as u32)) && starts.is_sorted();
        if !sound {
            return Err(damaged("the sentences of a shard"));
        }
        Ok(CorpusSide { words: Words::default(), tokens: tokens.into(), starts: starts.into() })
    };
    let (src, tgt) = (side(src_starts, src_tokens)?, side(tgt_starts, tgt_tokens)?);
    if src.starts.len() != tgt.starts.len() {
        return Err(damaged("the sentences of a shard"));
    }
    Ok(Corpus { src, tgt, skipped: Vec::new().into(), space: MemoryBudget::unlimited() })
}

fn numbers<T: Pod>(bytes: &[u8]) -> Result<Vec<T>> {
    match bytes.len().is_multiple_of(size_of::<T>()) {
        true => Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()),
        false => Err(damaged("its length")),
    }
}

fn read(sums: &[u8]) -> Result<Vec<Sum>> {
    numbers(sums)
}

fn damaged(what: &str) -> Error {
    Error::Setting(format!(
        "what was expected of a shard is damaged ({what}): remove what the stage has kept"
    ))
}

/// A model as another process has it.
pub struct ShardModel(Model);

impl ShardModel {
    /// Opens what [`Training::write`] wrote; the settings are those of training.
    pub fn open(path: &Path, settings: &Settings) -> Result<Self> {
        let file = MappedFile::open(path, KIND, VERSION)?;
        let (pairs, values): (View<[u32; 2]>, View<f32>) = (file.view(PAIRS)?, file.view(VALUES)?);
        let side = |[scale, null, jumps, fertility]: [Tag; 4]| -> Result<(SideScales, Direction)> {
            let (scale, null): (View<f32>, View<f32>) = (file.view(scale)?, file.view(null)?);
            let (jumps, fertility): (View<f64>, View<Distribution>) =
                (file.view(jumps)?, file.view(fertility)?);
            let mut direction = Direction::initial(None);
            if jumps.iter().any(|&count| count != 0.0) {
                direction.jumps = Jumps::from_counts(jumps.to_vec());
            }
            if !fertility.is_empty() {
                let fertility = Fertility::from_counts(fertility.to_vec(), settings.fertility_prior);
                direction.fertility = Some(fertility);
            }
            Ok((SideScales::of_scales(scale.to_vec(), null.to_vec()), direction))
        };
        let ((src, forward), (tgt, reverse)) = (side(SIDES[0])?, side(SIDES[1])?);
        let table =
            TranslationTable::of_values(settings.prior(), pairs.to_vec(), values.to_vec(), [src, tgt]);
        Ok(Self(Model { kind: settings.model, table, forward, reverse, p_null: settings.p_null }))
    }

    /// Whether the model knows all words of a corpus.
    fn check(&self, shard: &Corpus) -> Result<()> {
        let words = [(&shard.src, &self.0.table.src), (&shard.tgt, &self.0.table.tgt)];
        let known = |(side, scales): (&CorpusSide, &SideScales)| {
            side.tokens.iter().all(|&word| (word as usize) < scales.words())
        };
        if words.into_iter().all(known) { Ok(()) } else { Err(damaged("a word")) }
    }

    /// What the model expects of a shard: the sums of the places that it adds to, divided into `parts`.
    pub fn expect(&self, shard: &Corpus, parts: u64) -> Result<Vec<Vec<u8>>> {
        self.check(shard)?;
        let (layout, links) = (Layout::of(&self.0), self.0.table.len() as u64);
        let mut sums: Vec<Sum> = Vec::new();
        self.0.expected(shard, |chunk| {
            sums.extend(chunk.links.iter().map(|&(slot, count)| [slot.into(), whole(count.into())]));
            chunk.rest(shard, &layout, |at, value| {
                if value > 0 {
                    sums.push([links + at as u64, value]);
                }
            });
            Ok(())
        })?;
        // Places of frequent words lie side by side, and every shard adds to them: they must not come to one part.
        let mut divided = vec![Vec::new(); parts.max(1) as usize];
        for sum in joined(sums) {
            divided[(sum[0] / TOGETHER % parts.max(1)) as usize].extend_from_slice(bytemuck::bytes_of(&sum));
        }
        Ok(divided)
    }

    /// The links of a shard, a line for each pair.
    pub fn link(&self, shard: &Corpus, how: Symmetrize, order: GrowOrder) -> Result<String> {
        self.check(shard)?;
        let mut text = String::new();
        self.0.align(shard, how, order, |_, aligned| -> Result<()> {
            writeln!(text, "{}", crate::links::Line(&aligned.links)).expect("a string takes every character");
            Ok(())
        })?;
        Ok(text)
    }
}

/// Sums in the order of their places, each once.
fn joined(mut sums: Vec<Sum>) -> Vec<Sum> {
    sums.sort_unstable_by_key(|&[at, _]| at);
    sums.dedup_by(|next, sum| {
        let same = next[0] == sum[0];
        sum[1] += if same { next[1] } else { 0 };
        same
    });
    sums
}

/// Adds up the sums of several shards.
pub fn add_up(shards: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for shard in shards {
        all.extend(read(shard)?);
    }
    Ok(bytemuck::cast_slice(&joined(all)).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ModelKind;
    use proptest::prelude::*;

    /// A corpus of words that often stand for each other.
    fn corpus(seed: &[u8]) -> Corpus {
        let pairs: Vec<(String, String)> = seed
            .windows(9)
            .map(|bytes| {
                let words = |prefix: &str, bytes: &[u8]| {
                    bytes.iter().map(|byte| format!("{prefix}{}", byte % 23)).collect::<Vec<_>>().join(" ")
                };
                let length = usize::from(bytes[8] % 8) + 1;
                (words("s", &bytes[..length]), words("t", &bytes[..length.div_ceil(2)]))
            })
            .collect();
        Corpus::from_pairs(pairs.iter().map(|(src, tgt)| (src.as_str(), tgt.as_str()))).unwrap()
    }

    fn links(model: &Model, corpus: &Corpus) -> String {
        let mut text = String::new();
        let line = |_: usize, aligned: &crate::Aligned| -> Result<()> {
            writeln!(text, "{}", crate::links::Line(&aligned.links)).unwrap();
            Ok(())
        };
        model.align(corpus, Symmetrize::GrowDiagFinalAnd, GrowOrder::default(), line).unwrap();
        text
    }

    fn by_shards(corpus: &Corpus, settings: &Settings, chunks: usize, parts: u64) -> (Training, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let lines = chunks * CHUNK;
        let shards: Vec<Vec<Vec<u8>>> = (0..corpus.len())
            .step_by(lines)
            .map(|first| pack(corpus, first..(first + lines).min(corpus.len())))
            .collect();
        let mut training = Training::begin(corpus, settings, |_| ()).unwrap();
        for _ in 0..training.iterations() {
            training.write(&path).unwrap();
            let model = ShardModel::open(&path, settings).unwrap();
            let told = shards.iter().rev().map(|shard| model.expect(&unpack(shard).unwrap(), parts).unwrap());
            let told: Vec<Vec<Vec<u8>>> = told.collect();
            for part in 0..parts as usize {
                let of_part: Vec<Vec<u8>> = told.iter().map(|parts| parts[part].clone()).collect();
                training.take(&add_up(&of_part).unwrap()).unwrap();
            }
            training.update();
        }
        training.write(&path).unwrap();
        let model = ShardModel::open(&path, settings).unwrap();
        let link = |shard: &Vec<Vec<u8>>| {
            model.link(&unpack(shard).unwrap(), Symmetrize::GrowDiagFinalAnd, GrowOrder::default()).unwrap()
        };
        (training, shards.iter().map(link).collect())
    }

    #[test]
    fn models_and_links_by_shards_are_those_of_one_process() {
        let seed: Vec<u8> = (0..700u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let corpus = corpus(&seed);
        for kind in [ModelKind::Ibm1, ModelKind::Hmm, ModelKind::Fertility] {
            let settings = Settings { model: kind, ..Settings::default() };
            let whole = Model::train(&corpus, &settings, |_| ()).unwrap();
            for (chunks, parts) in [(1, 1), (3, 5), (100, 2)] {
                let (training, text) = by_shards(&corpus, &settings, chunks, parts);
                let values = |model: &Model| {
                    model.table.iter().map(|(_, _, value)| value.to_bits()).collect::<Vec<_>>()
                };
                assert_eq!(values(training.model()), values(&whole), "{kind:?}");
                assert_eq!(text, links(&whole, &corpus), "{kind:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn damaged_shards_and_sums_are_errors(cells in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..24), 0..5)) {
            drop(unpack(&cells));
            drop(add_up(&cells));
        }
    }
}
