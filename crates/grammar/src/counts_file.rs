//! Counts as a file: distinct instances with their counts, in a mapped container. Smaller than text and read without
//! parsing, so that shards of a corpus can be counted apart and added up.
//!
//! The records are in order; each tells how many bytes of its key it shares with the one before, the rest of its key,
//! and its count. Blocks begin anew, so that they can be read over all cores.

use crate::code;
use crate::count::{Coded, Count, Counted, Counter, Marks, set_key_origin};
use crate::error::Result;
use crate::sort::{Chunk, Record, push_varint, take_varint};
use rayon::prelude::*;
use std::io::{Read, Write};
use std::path::Path;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag, View};
use treeglot_text::vocab::{self, MappedVocab, Sym};

const KIND: Tag = Tag::new("counts");
const VERSION: u32 = 1;
const META: Tag = Tag::new("meta");
const RECORDS: Tag = Tag::new("records");
const BLOCKS: Tag = Tag::new("blocks");
const MAGIC: [u8; 16] = *b"TREEGLOTcounts\0\0";
const BLOCK: u64 = 1 << 20;

/// Whether a file begins as a counts file does.
pub fn is_counts(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == MAGIC
}

impl Counted {
    /// Writes a counts file.
    pub fn write(&mut self, path: &Path) -> Result<()> {
        let mut sections = vec![META];
        sections.extend(vocab::SECTIONS);
        sections.extend([RECORDS, BLOCKS]);
        let mut out = MappedWriter::create(path, KIND, VERSION, &sections)?;
        out.section(META, &[u64::from(self.oriented), u64::from(self.origins)])?;
        self.vocab.write_sections(&mut out)?;
        let (mut record, mut last, mut bytes) = (Record::default(), Vec::new(), Vec::new());
        let (mut at, mut blocks) = (0u64, Vec::new());
        let (mut stream, mut failed) = (self.records.stream()?, None);
        out.stream(RECORDS, |out| {
            loop {
                match stream.next(&mut record) {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(error) => {
                        failed = Some(error);
                        return Ok(());
                    }
                }
                if blocks.last().is_none_or(|begin| at - begin >= BLOCK) {
                    blocks.push(at);
                    last.clear();
                }
                let shared = last.iter().zip(&record.key).take_while(|(a, b)| a == b).count();
                bytes.clear();
                push_varint(shared as u64, &mut bytes);
                push_varint((record.key.len() - shared) as u64, &mut bytes);
                bytes.extend_from_slice(&record.key[shared..]);
                bytes.extend_from_slice(&record.payload);
                out.write_all(&bytes)?;
                at += bytes.len() as u64;
                std::mem::swap(&mut last, &mut record.key);
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        out.section(BLOCKS, &blocks)?;
        Ok(out.finish()?)
    }
}

impl Counter {
    /// Adds the counts of a file that [`Counted::write`] wrote, times `weight`.
    pub fn add_counts(&mut self, path: &Path, weight: f64) -> Result<()> {
        let file = MappedFile::open(path, KIND, VERSION)?;
        file.verify()?;
        let words = MappedVocab::part_of(&file)?;
        let text = |n: usize| words.word(Sym(n as u32)).unwrap_or_default();
        let map = self.numbers((0..words.len()).map(text));
        let meta: View<u64> = file.view(META)?;
        let (records, blocks): (View<u8>, View<u64>) = (file.view(RECORDS)?, file.view(BLOCKS)?);
        let ends = blocks.iter().skip(1).copied().chain([records.len() as u64]);
        let ranges: Vec<(u64, u64)> = blocks.iter().copied().zip(ends).collect();
        let told = meta.get(1).and_then(|&origins| u8::try_from(origins).ok()).unwrap_or(1);
        let origin = self.origin();
        let marks =
            Marks { oriented: meta.first() == Some(&1), origins: origin.map_or(told, |origin| origin + 1) };
        for window in ranges.chunks(4 * rayon::current_num_threads()) {
            let chunks = window.par_iter().map(|&(begin, end)| {
                let bytes = records.get(begin as usize..end as usize);
                bytes.and_then(|bytes| recode(bytes, &map, weight, origin)).ok_or_else(|| damaged(&file))
            });
            let chunks: Vec<Chunk> = chunks.collect::<Result<_>>()?;
            self.add_records(chunks, marks)?;
        }
        Ok(())
    }
}

fn damaged(file: &MappedFile) -> crate::Error {
    file.corrupt("its records are damaged".to_string()).into()
}

/// The records of a block with the numbers of another vocabulary; `None` if they are damaged.
fn recode(mut bytes: &[u8], map: &[Sym], weight: f64, origin: Option<u8>) -> Option<Chunk> {
    let (mut chunk, mut key, mut mapped) = (Chunk::default(), Vec::new(), Vec::new());
    let mut payload = Vec::new();
    while !bytes.is_empty() {
        let (shared, rest) = (take_varint(&mut bytes) as usize, take_varint(&mut bytes) as usize);
        key.truncate(shared);
        key.extend_from_slice(bytes.get(..rest)?);
        bytes = &bytes[rest..];
        let count = Count::read(&mut bytes);
        recode_key(&key, map, &mut mapped)?;
        if let Some(origin) = origin {
            set_key_origin(&mut mapped, origin);
        }
        payload.clear();
        let count = if weight == 1.0 { count } else { Count::new(count.value() * weight) };
        count.write(&mut payload);
        chunk.push(&mapped, &payload);
    }
    Some(chunk)
}

/// A record's key with the numbers of another vocabulary; `None` if it is damaged.
pub fn recode_key(key: &[u8], map: &[Sym], mapped: &mut Vec<u8>) -> Option<()> {
    let coded = Coded::read(key)?;
    mapped.clear();
    for (side, of_target) in [(coded.source, false), (coded.target, true)] {
        for symbol in code::Symbols(side) {
            let known = symbol.vocab().is_none_or(|sym| sym.ix() < map.len());
            // Variables have numbers on target sides: one without would have no partner.
            if !known || (of_target && symbol.is_var()) {
                return None;
            }
            code::push(symbol.map(|sym| map[sym.ix()]), mapped);
        }
        mapped.push(code::END);
    }
    mapped.extend_from_slice(&key[coded.source.len() + coded.target.len() + 2..]);
    Some(())
}
