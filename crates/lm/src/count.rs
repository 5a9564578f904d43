//! Symbols to counted n-grams in suffix order: the second step of estimation. N-grams are packed and sorted over all
//! cores; when they exceed the memory, sorted runs go to disk and are merged (Heafield et al. 2013, section 3.1).

use crate::corpus::Tokens;
use crate::error::{Error, Result};
use crate::key::{Key, Packing};
use crate::special::{BOS, EOS};
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};

/// How many symbols of a text on disk are read at once.
const PIECE: usize = 1 << 16;

/// Collects n-grams and hands them on sorted and counted.
pub struct Counter<K> {
    keys: Vec<K>,
    limit: usize,
    runs: Vec<File>,
}

impl<K: Key> Counter<K> {
    /// Holds about `memory` bytes of n-grams before it writes a run.
    pub fn new(memory: u64) -> Self {
        let limit = usize::try_from(memory / size_of::<K>() as u64).unwrap_or(usize::MAX).max(1 << 10);
        Self { keys: Vec::new(), limit, runs: Vec::new() }
    }

    /// Counts one n-gram.
    pub fn add(&mut self, key: K) -> Result<()> {
        if self.keys.len() == self.limit {
            self.write_run()?;
        }
        self.keys.push(key);
        Ok(())
    }

    /// Counts the n-gram that ends in each of the symbols; at the begin of a sentence it is filled up with [`BOS`].
    pub fn add_text(&mut self, tokens: &mut Tokens, packing: Packing) -> Result<()> {
        let start = K::pack(&vec![BOS.0; packing.order], packing);
        let mut key = start;
        let expected = usize::try_from(tokens.len()).unwrap_or(usize::MAX);
        self.keys.reserve(expected.min(self.limit));
        tokens.pieces(self.limit.min(PIECE), |symbols| {
            for &symbol in symbols {
                key = key.push(symbol, packing);
                self.add(key)?;
                if symbol == EOS.0 {
                    key = start;
                }
            }
            Ok(())
        })
    }

    fn write_run(&mut self) -> Result<()> {
        self.keys.par_sort_unstable();
        let write = || -> io::Result<File> {
            let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
            for (key, count) in counted(&self.keys) {
                out.write_all(bytemuck::bytes_of(&key))?;
                out.write_all(&count.to_le_bytes())?;
            }
            let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            Ok(file)
        };
        self.runs.push(write().map_err(Error::temporary)?);
        self.keys.clear();
        Ok(())
    }

    /// Hands every distinct n-gram with its count to `take`, in suffix order.
    pub fn finish(mut self, mut take: impl FnMut(K, u32) -> Result<()>) -> Result<()> {
        if self.runs.is_empty() {
            self.keys.par_sort_unstable();
            return counted(&self.keys).try_for_each(|(key, count)| take(key, count));
        }
        if !self.keys.is_empty() {
            self.write_run()?;
        }
        self.keys = Vec::new();
        let buffer = (1 << 18).min((self.limit * size_of::<K>() / self.runs.len()).max(1 << 12));
        merge(self.runs, buffer, take)
    }
}

/// Runs of equal keys with their lengths.
fn counted<K: Key>(keys: &[K]) -> impl Iterator<Item = (K, u32)> + '_ {
    keys.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32))
}

fn merge<K: Key>(runs: Vec<File>, buffer: usize, mut take: impl FnMut(K, u32) -> Result<()>) -> Result<()> {
    let mut readers: Vec<BufReader<File>> =
        runs.into_iter().map(|file| BufReader::with_capacity(buffer, file)).collect();
    let mut heads = BinaryHeap::with_capacity(readers.len());
    for (run, reader) in readers.iter_mut().enumerate() {
        heads.extend(next_record(reader)?.map(|(key, count)| Reverse((key, run, count))));
    }
    let mut current: Option<(K, u32)> = None;
    while let Some(Reverse((key, run, count))) = heads.pop() {
        match &mut current {
            Some((same, sum)) if *same == key => *sum += count,
            other => {
                if let Some((done, sum)) = other.replace((key, count)) {
                    take(done, sum)?;
                }
            }
        }
        heads.extend(next_record(&mut readers[run])?.map(|(key, count)| Reverse((key, run, count))));
    }
    if let Some((key, count)) = current {
        take(key, count)?;
    }
    Ok(())
}

fn next_record<K: Key>(reader: &mut impl Read) -> Result<Option<(K, u32)>> {
    let mut key = K::zeroed();
    match reader.read_exact(bytemuck::bytes_of_mut(&mut key)) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(Error::temporary(e)),
    }
    let mut count = [0; 4];
    reader.read_exact(&mut count).map_err(Error::temporary)?;
    Ok(Some((key, u32::from_le_bytes(count))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn runs_on_disk_give_what_memory_gives(keys in proptest::collection::vec(0u64..3000, 0..9000)) {
            let count = |limit| {
                let mut counter = Counter::<u64> { keys: Vec::new(), limit, runs: Vec::new() };
                for &key in &keys {
                    counter.add(key).unwrap();
                }
                let mut all = Vec::new();
                let take = |key, count| {
                    all.push((key, count));
                    Ok(())
                };
                counter.finish(take).unwrap();
                all
            };
            let mut oracle = BTreeMap::new();
            for &key in &keys {
                *oracle.entry(key).or_insert(0) += 1;
            }
            let oracle: Vec<(u64, u32)> = oracle.into_iter().collect();
            prop_assert_eq!(&count(usize::MAX), &oracle);
            prop_assert_eq!(&count(1000), &oracle);
        }
    }
}
