//! Sorting more records than memory holds: records of a key and a payload are gathered in chunks, sorted over all
//! cores, written to temporary runs past a limit, and merged. Records with the same key may be joined on the way; what
//! comes out does not depend on the limit or on the number of threads.

use crate::error::Result;
use crate::spool::Scratch;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use treeglot_text::interrupt;

/// How many runs are merged at once; a system allows some more open files.
const FAN_IN: usize = 128;
const BUFFER: usize = 1 << 17;

/// Adds the payload of a record to that of an equal one before it.
pub type Join = fn(&mut Vec<u8>, &[u8]);

/// Records made by one thread.
#[derive(Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// Where a record lies. While records are sorted, `digit` has the bytes of its key that decide next; after that it tells
/// whether its key is that of the record before.
#[derive(Clone, Copy)]
struct Entry {
    digit: u64,
    chunk: u32,
    offset: u32,
}

/// How many bytes of a key a digit has.
const DIGIT: usize = 7;
/// What `digit` is for the first record of a key, and for all later ones.
const NEW_KEY: u64 = 0;
const SAME_KEY: u64 = 1;
/// From how many records on several threads sort.
const MANY: usize = 1 << 14;

/// The next bytes of a key, then how many there were, or more than a digit has: digits are in the order of the keys, and
/// keys with the same last digit are equal.
#[inline]
fn digit(key: &[u8]) -> u64 {
    if let Some(bytes) = key.first_chunk() {
        return u64::from_be_bytes(*bytes) & !0xff | (DIGIT as u64 + 1);
    }
    let mut bytes = [0; 8];
    bytes[..key.len()].copy_from_slice(key);
    u64::from_be_bytes(bytes) | key.len() as u64
}

/// Sorts records by the digits that their entries have, which are those at `depth`; a record is looked up once for each
/// digit, not once for each comparison.
fn sort(entries: &mut [Entry], depth: usize, chunks: &[Vec<u8>]) {
    if let [only] = entries {
        only.digit = NEW_KEY;
        return;
    }
    if entries.len() >= MANY && rayon::current_num_threads() > 1 {
        entries.par_sort_unstable_by_key(|entry| entry.digit);
        let groups = entries.par_chunk_by_mut(|a, b| a.digit == b.digit);
        return groups.for_each(|group| sort_equal(group, depth, chunks));
    }
    entries.sort_unstable_by_key(|entry| entry.digit);
    entries.chunk_by_mut(|a, b| a.digit == b.digit).for_each(|group| sort_equal(group, depth, chunks));
}

/// Sorts records that are equal up to their digits at `depth`.
fn sort_equal(entries: &mut [Entry], depth: usize, chunks: &[Vec<u8>]) {
    interrupt::check();
    if let [only] = entries {
        only.digit = NEW_KEY;
        return;
    }
    if entries[0].digit & 0xff <= DIGIT as u64 {
        entries.sort_unstable_by_key(|entry| (entry.chunk, entry.offset));
        entries.iter_mut().for_each(|entry| entry.digit = SAME_KEY);
        entries[0].digit = NEW_KEY;
        return;
    }
    for entry in &mut *entries {
        let (key, _) = record(&chunks[entry.chunk as usize][entry.offset as usize..]);
        entry.digit = digit(&key[depth + DIGIT..]);
    }
    sort(entries, depth + DIGIT, chunks);
}

impl Chunk {
    /// Appends a record.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) {
        let offset = u32::try_from(self.bytes.len()).expect("a chunk is made of a few megabytes of input");
        self.entries.push(Entry { digit: digit(key), chunk: 0, offset });
        push_varint(key.len() as u64, &mut self.bytes);
        push_varint(payload.len() as u64, &mut self.bytes);
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(payload);
    }

    /// All payloads, to be changed in place.
    pub fn payloads_mut(&mut self, mut change: impl FnMut(&mut [u8])) {
        for entry in &self.entries {
            let mut rest = &self.bytes[entry.offset as usize..];
            let (key, payload) = (take_varint(&mut rest) as usize, take_varint(&mut rest) as usize);
            let from = self.bytes.len() - rest.len() + key;
            change(&mut self.bytes[from..from + payload]);
        }
    }

    /// Its records, as they came.
    pub fn records(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|entry| record(&self.bytes[entry.offset as usize..]))
    }

    /// How many bytes its records take.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Its records as bytes, in the order in which they came.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The chunk of such bytes; `None` if they are damaged.
    pub fn of_bytes(bytes: Vec<u8>) -> Option<Self> {
        let (mut entries, mut rest) = (Vec::new(), &bytes[..]);
        while !rest.is_empty() {
            let offset = u32::try_from(bytes.len() - rest.len()).ok()?;
            let (key, after) = try_record(rest)?;
            entries.push(Entry { digit: digit(key.0), chunk: 0, offset });
            rest = after;
        }
        Some(Self { bytes, entries })
    }
}

/// A key and its payload.
type Pair<'a> = (&'a [u8], &'a [u8]);

/// The key and payload of the record at the front of bytes that may be damaged, and what follows it.
pub fn try_record(mut bytes: &[u8]) -> Option<(Pair<'_>, &[u8])> {
    let (key, payload) = (take_varint(&mut bytes) as usize, take_varint(&mut bytes) as usize);
    let (key, rest) = bytes.split_at_checked(key)?;
    let (payload, rest) = rest.split_at_checked(payload)?;
    Some(((key, payload), rest))
}

/// Appends a number, seven bits a byte.
pub fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the front of `bytes`.
#[inline]
pub fn take_varint(bytes: &mut &[u8]) -> u64 {
    if let [byte @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return u64::from(*byte);
    }
    take_long_varint(bytes)
}

fn take_long_varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// The key and payload of the record at the front of `bytes`.
#[inline]
fn record(mut bytes: &[u8]) -> (&[u8], &[u8]) {
    let (key, payload) = (take_varint(&mut bytes) as usize, take_varint(&mut bytes) as usize);
    let (key, rest) = bytes.split_at(key);
    (key, &rest[..payload])
}

/// Takes records in any order.
pub struct Sorter {
    chunks: Vec<Vec<u8>>,
    entries: Vec<Entry>,
    held: usize,
    limit: usize,
    join: Option<Join>,
    runs: Vec<File>,
    scratch: Scratch,
}

impl Sorter {
    /// Holds at most about `limit` bytes of records in memory. Equal records are joined by `join`, or all kept.
    pub fn new(limit: usize, join: Option<Join>, scratch: &Scratch) -> Self {
        let (chunks, entries, runs) = (Vec::new(), Vec::new(), Vec::new());
        Self { chunks, entries, held: 0, limit, join, runs, scratch: scratch.clone() }
    }

    /// Takes the records of a chunk.
    pub fn add(&mut self, mut chunk: Chunk) -> Result<()> {
        let size = chunk.bytes.len() + chunk.entries.len() * size_of::<Entry>();
        if self.held > 0 && self.held + size > self.limit {
            self.spill()?;
        }
        let number = self.chunks.len() as u32;
        chunk.entries.iter_mut().for_each(|entry| entry.chunk = number);
        chunk.bytes.shrink_to_fit();
        self.chunks.push(chunk.bytes);
        self.entries.append(&mut chunk.entries);
        self.held += size;
        Ok(())
    }

    /// Ends taking records.
    pub fn finish(mut self) -> Result<Sorted> {
        if self.runs.is_empty() {
            sort(&mut self.entries, 0, &self.chunks);
            let (chunks, entries, join) = (self.chunks, self.entries, self.join);
            return Ok(Sorted { chunks, entries, runs: Vec::new(), join, scratch: self.scratch });
        }
        self.spill()?;
        let (runs, join) = (self.runs, self.join);
        Ok(Sorted { chunks: Vec::new(), entries: Vec::new(), runs, join, scratch: self.scratch })
    }

    fn spill(&mut self) -> Result<()> {
        sort(&mut self.entries, 0, &self.chunks);
        let (chunks, entries) = (std::mem::take(&mut self.chunks), std::mem::take(&mut self.entries));
        self.held = 0;
        let (runs, join) = (Vec::new(), self.join);
        let sorted = Sorted { chunks, entries, runs, join, scratch: self.scratch.clone() };
        self.runs.push(sorted.into_run()?);
        if self.runs.len() < FAN_IN {
            return Ok(());
        }
        let runs = std::mem::take(&mut self.runs);
        let sorted =
            Sorted { chunks: Vec::new(), entries: Vec::new(), runs, join, scratch: self.scratch.clone() };
        self.runs.push(sorted.into_run()?);
        Ok(())
    }
}

/// Records in order, in memory or in runs.
pub struct Sorted {
    chunks: Vec<Vec<u8>>,
    entries: Vec<Entry>,
    runs: Vec<File>,
    join: Option<Join>,
    scratch: Scratch,
}

impl Sorted {
    /// All records from the first; can be called again.
    pub fn stream(&mut self) -> Result<Stream<'_>> {
        let source = if self.runs.is_empty() {
            Source::Memory { chunks: &self.chunks, entries: self.entries.iter() }
        } else {
            let runs = self.runs.iter_mut().enumerate().map(|(number, file)| Run::open(file, number));
            let runs: io::Result<Vec<Option<Run<'_>>>> = runs.collect();
            let runs = runs.map_err(|source| self.scratch.error(source))?;
            Source::Runs(runs.into_iter().flatten().map(Reverse).collect())
        };
        Ok(Stream { source, join: self.join, scratch: &self.scratch })
    }

    fn into_run(mut self) -> Result<File> {
        let scratch = self.scratch.clone();
        let mut out = BufWriter::with_capacity(BUFFER, scratch.file()?);
        let (mut bytes, mut stream) = (Vec::new(), self.stream()?);
        let mut record = Record::default();
        while stream.next(&mut record)? {
            bytes.clear();
            push_varint(record.key.len() as u64, &mut bytes);
            push_varint(record.payload.len() as u64, &mut bytes);
            let written = out.write_all(&bytes).and_then(|()| out.write_all(&record.key));
            written.and_then(|()| out.write_all(&record.payload)).map_err(|source| scratch.error(source))?;
        }
        out.into_inner().map_err(|error| scratch.error(error.into_error()))
    }
}

/// A key and its payload.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// What it is sorted by.
    pub key: Vec<u8>,
    /// What it says.
    pub payload: Vec<u8>,
}

/// Records in order, one after the other.
pub struct Stream<'a> {
    source: Source<'a>,
    join: Option<Join>,
    scratch: &'a Scratch,
}

enum Source<'a> {
    Memory { chunks: &'a [Vec<u8>], entries: std::slice::Iter<'a, Entry> },
    Runs(BinaryHeap<Reverse<Run<'a>>>),
}

impl Stream<'_> {
    /// Reads the next record; false at the end.
    pub fn next(&mut self, out: &mut Record) -> Result<bool> {
        match &mut self.source {
            Source::Memory { chunks, entries } => Ok(next_in_memory(chunks, entries, self.join, out)),
            Source::Runs(runs) => {
                next_of_runs(runs, self.join, out).map_err(|source| self.scratch.error(source))
            }
        }
    }
}

fn next_in_memory(
    chunks: &[Vec<u8>],
    entries: &mut std::slice::Iter<'_, Entry>,
    join: Option<Join>,
    out: &mut Record,
) -> bool {
    let at = |entry: &Entry| record(&chunks[entry.chunk as usize][entry.offset as usize..]);
    let Some(first) = entries.next() else { return false };
    let (key, payload) = at(first);
    out.key.clear();
    out.key.extend_from_slice(key);
    out.payload.clear();
    out.payload.extend_from_slice(payload);
    let Some(join) = join else { return true };
    while let Some(next) = entries.as_slice().first().filter(|next| next.digit == SAME_KEY) {
        join(&mut out.payload, at(next).1);
        entries.next();
    }
    true
}

fn next_of_runs(
    runs: &mut BinaryHeap<Reverse<Run<'_>>>,
    join: Option<Join>,
    out: &mut Record,
) -> io::Result<bool> {
    let Some(run) = runs.peek_mut() else { return Ok(false) };
    take_from(run, out)?;
    let Some(join) = join else { return Ok(true) };
    let mut equal = Record::default();
    while let Some(run) = runs.peek_mut() {
        if run.0.record.key != out.key {
            break;
        }
        take_from(run, &mut equal)?;
        join(&mut out.payload, &equal.payload);
    }
    Ok(true)
}

fn take_from(mut run: PeekMut<'_, Reverse<Run<'_>>>, out: &mut Record) -> io::Result<()> {
    std::mem::swap(&mut run.0.record, out);
    if !run.0.advance()? {
        PeekMut::pop(run);
    }
    Ok(())
}

/// A run being read: its next record, then its number decide which run is read first.
struct Run<'a> {
    record: Record,
    number: usize,
    input: BufReader<&'a File>,
}

impl<'a> Run<'a> {
    fn open(file: &'a mut File, number: usize) -> io::Result<Option<Self>> {
        file.rewind()?;
        let mut run =
            Self { record: Record::default(), number, input: BufReader::with_capacity(BUFFER, file) };
        Ok(run.advance()?.then_some(run))
    }

    fn advance(&mut self) -> io::Result<bool> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let (key, payload) = (self.varint()?, self.varint()?);
        self.record.key.resize(key, 0);
        self.input.read_exact(&mut self.record.key)?;
        self.record.payload.resize(payload, 0);
        self.input.read_exact(&mut self.record.payload)?;
        Ok(true)
    }

    fn varint(&mut self) -> io::Result<usize> {
        let (mut bytes, mut byte) = ([0; 10], [0x80]);
        let mut len = 0;
        while byte[0] >= 0x80 && len < bytes.len() {
            self.input.read_exact(&mut byte)?;
            bytes[len] = byte[0];
            len += 1;
        }
        Ok(take_varint(&mut &bytes[..len]) as usize)
    }
}

impl PartialEq for Run<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Run<'_> {}

impl PartialOrd for Run<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Run<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.record.key.cmp(&other.record.key).then(self.number.cmp(&other.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

    fn sorted(pairs: &Pairs, limit: usize, join: Option<Join>) -> Pairs {
        let mut sorter = Sorter::new(limit, join, &Scratch::new(None));
        for part in pairs.chunks(3) {
            let mut chunk = Chunk::default();
            part.iter().for_each(|(key, payload)| chunk.push(key, payload));
            sorter.add(chunk).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        let (mut record, mut out) = (Record::default(), Vec::new());
        let mut stream = sorted.stream().unwrap();
        while stream.next(&mut record).unwrap() {
            out.push((record.key.clone(), record.payload.clone()));
        }
        out
    }

    proptest! {
        #[test]
        fn records_come_in_order_with_or_without_runs(
            pairs in proptest::collection::vec(
                (proptest::collection::vec(0u8..4, 0..12), proptest::collection::vec(any::<u8>(), 1..4)), 0..60)
        ) {
            let mut expected = pairs.clone();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(&sorted(&pairs, usize::MAX, None), &expected);
            prop_assert_eq!(&sorted(&pairs, 1, None), &expected);
            let append: Join = |a, b| a.extend_from_slice(b);
            let joined = sorted(&pairs, usize::MAX, Some(append));
            prop_assert!(joined.windows(2).all(|two| two[0].0 < two[1].0));
            prop_assert_eq!(&sorted(&pairs, 40, Some(append)), &joined);
            prop_assert_eq!(joined.iter().map(|(_, payload)| payload.len()).sum::<usize>(),
                expected.iter().map(|(_, payload)| payload.len()).sum::<usize>());
        }

        #[test]
        fn numbers_come_back(value: u64) {
            let mut bytes = Vec::new();
            push_varint(value, &mut bytes);
            prop_assert_eq!(take_varint(&mut &bytes[..]), value);
        }
    }

    #[test]
    fn payloads_can_be_changed_in_place() {
        let mut chunk = Chunk::default();
        chunk.push(b"key", &[1]);
        chunk.push(b"", &[2]);
        chunk.payloads_mut(|payload| payload[0] += 1);
        assert_eq!(chunk.records().collect::<Vec<_>>(), [(&b"key"[..], &[2][..]), (b"", &[3])]);
    }
}
