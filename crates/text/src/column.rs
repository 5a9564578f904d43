//! Arrays of training that need not fit in memory: a [`Column`] is written from front to end and then only read.
//! Columns share a [`MemoryBudget`]; what exceeds it lies in temporary files that are mapped, and whose pages are given back
//! whenever the process has grown past its limit.

use crate::error::{Error, Result};
use crate::interrupt;
use bytemuck::Pod;
use memmap2::Mmap;
use rayon::prelude::*;
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How many bytes of a column on disk are written at once.
const BUFFER: usize = 1 << 18;
/// How many values are computed at once where a column is made from another.
pub const BATCH: usize = 1 << 18;
/// The least that is reserved for a column in memory.
const LEAST: usize = 1 << 12;

/// The memory that columns may take together.
#[derive(Clone)]
pub struct MemoryBudget(Arc<Shared>);

struct Shared {
    /// How many bytes columns and what is made from them should use.
    memory: u64,
    /// How many bytes the process may use besides.
    granted: AtomicU64,
    /// How many bytes of columns may still be held in memory.
    left: AtomicU64,
    /// Where temporary files lie, if not where the system has them.
    folder: Option<PathBuf>,
    maps: Mutex<Vec<Weak<Mmap>>>,
}

impl MemoryBudget {
    /// A quarter of `memory` is for columns in memory: while they grow, half of it may hold what is to be sorted; later
    /// there are sums beside them, and mapped pages.
    pub fn new(memory: u64) -> Self {
        Self::in_folder(memory, None)
    }

    /// The same with temporary files in this folder, or where the system has them.
    pub fn in_folder(memory: u64, folder: Option<PathBuf>) -> Self {
        let (granted, left) = (AtomicU64::new(0), AtomicU64::new(memory / 4));
        Self(Arc::new(Shared { memory, granted, left, folder, maps: Mutex::default() }))
    }

    /// Enough for all columns to stay in memory.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Lets the process use so many bytes more, for what has to be in memory whatever the limit, as a vocabulary has.
    pub fn grant(&self, bytes: u64) {
        self.0.granted.fetch_add(bytes, Relaxed);
    }

    /// How many values of `bytes` bytes each may be held beside the columns.
    pub fn beside(&self, bytes: usize) -> usize {
        usize::try_from(self.0.memory / 8).unwrap_or(usize::MAX).max(1 << 16) / bytes
    }

    /// Starts a column.
    pub fn writer<T: Pod>(&self) -> ColumnWriter<T> {
        let held = Reserved { space: Some(self.clone()), bytes: 0 };
        ColumnWriter { held, buffer: Vec::new(), file: None, flushed: 0 }
    }

    /// Starts a column that will have `len` values.
    pub fn writer_of<T: Pod>(&self, len: usize) -> ColumnWriter<T> {
        let mut writer = self.writer();
        if writer.held.grow((len * size_of::<T>()) as u64) {
            writer.buffer.reserve_exact(len);
        }
        writer
    }

    /// Gives mapped pages back if the process has grown past its limit. Where the system does not tell its size, they
    /// are always given back. Nothing is done while another thread is at it.
    pub fn trim(&self) {
        interrupt::check();
        let Ok(maps) = self.0.maps.try_lock() else { return };
        let limit = self.0.memory.saturating_add(self.0.granted.load(Relaxed));
        if !maps.is_empty() && resident().is_none_or(|bytes| bytes > limit) {
            maps.iter().filter_map(Weak::upgrade).for_each(|map| release(&map));
        }
    }

    fn map(&self, file: &File) -> std::io::Result<Arc<Mmap>> {
        let map = Arc::new(map(file)?);
        let mut maps = self.0.maps.lock().unwrap_or_else(PoisonError::into_inner);
        maps.retain(|map| map.strong_count() > 0);
        maps.push(Arc::downgrade(&map));
        Ok(map)
    }
}

/// The part of memory that the system holds for this process, where it tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[expect(unsafe_code, reason = "mapping a file is unsafe by nature")]
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: the file has no name, so no one else can open it, and it is not written once it is mapped.
    unsafe { Mmap::map(file) }
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "giving pages back is unsafe for other kinds of maps")]
fn release(map: &Mmap) {
    // SAFETY: a shared, read-only map of a file; a page that is given back is read from the file when it is used next.
    // If the system refuses, the pages only stay longer.
    let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
}

#[cfg(not(unix))]
fn release(_: &Mmap) {}

/// Bytes taken from a space, given back when dropped.
#[derive(Default)]
struct Reserved {
    space: Option<MemoryBudget>,
    bytes: u64,
}

impl Reserved {
    fn grow(&mut self, bytes: u64) -> bool {
        let Some(space) = &self.space else { return true };
        let taken = space.0.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok();
        self.bytes += if taken { bytes } else { 0 };
        taken
    }

    fn clear(&mut self) {
        if let Some(space) = &self.space {
            space.0.left.fetch_add(self.bytes, Relaxed);
        }
        self.bytes = 0;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A column that is being written.
pub struct ColumnWriter<T> {
    held: Reserved,
    buffer: Vec<T>,
    file: Option<File>,
    flushed: usize,
}

impl<T: Pod> ColumnWriter<T> {
    /// How many values were written.
    pub fn len(&self) -> usize {
        self.flushed + self.buffer.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The last value, which can still change.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.buffer.last_mut()
    }

    /// Writes one value.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<()> {
        if self.buffer.len() == self.buffer.capacity() {
            self.make_room(1)?;
        }
        self.buffer.push(value);
        Ok(())
    }

    /// Writes values.
    pub fn extend(&mut self, values: &[T]) -> Result<()> {
        for piece in values.chunks(BUFFER / size_of::<T>()) {
            if self.buffer.capacity() - self.buffer.len() < piece.len() {
                self.make_room(piece.len())?;
            }
            self.buffer.extend_from_slice(piece);
        }
        Ok(())
    }

    #[cold]
    fn make_room(&mut self, values: usize) -> Result<()> {
        let more = values.max(self.buffer.capacity()).max(LEAST / size_of::<T>());
        if self.file.is_none() && self.held.grow((more * size_of::<T>()) as u64) {
            self.buffer.reserve_exact(more);
            return Ok(());
        }
        self.flush().map_err(Error::temporary)?;
        if self.buffer.capacity() * size_of::<T>() != BUFFER {
            self.buffer = Vec::with_capacity(BUFFER / size_of::<T>());
            self.held.clear();
        }
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(match self.held.space.as_ref().and_then(|space| space.0.folder.as_ref()) {
                Some(folder) => tempfile::tempfile_in(folder)?,
                None => tempfile::tempfile()?,
            }),
        };
        file.write_all(bytemuck::cast_slice(&self.buffer))?;
        self.flushed += self.buffer.len();
        self.buffer.clear();
        Ok(())
    }

    /// The finished column.
    pub fn finish(mut self) -> Result<Column<T>> {
        if self.file.is_some() {
            self.flush().map_err(Error::temporary)?;
        }
        let Self { held, buffer, file, .. } = self;
        let (Some(file), Some(space)) = (file, &held.space) else {
            return Ok(Column(Place::Memory { values: buffer, _held: held }));
        };
        let map = space.map(&file).map_err(Error::temporary)?;
        Ok(Column(Place::Disk(map, PhantomData)))
    }
}

/// Values in memory or in a temporary file, to be read as a slice.
pub struct Column<T>(Place<T>);

enum Place<T> {
    Memory { values: Vec<T>, _held: Reserved },
    Disk(Arc<Mmap>, PhantomData<T>),
}

impl<T: Pod> Deref for Column<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::Memory { values, .. } => values,
            Place::Disk(map, _) => bytemuck::cast_slice(map),
        }
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Place::Memory { values, _held: Reserved::default() })
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Pod> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.len())
    }
}

impl fmt::Debug for MemoryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.memory)
    }
}

impl<T> Column<T> {
    /// Whether the values lie in a file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.0, Place::Disk(..))
    }
}

impl<T: Pod + Send + Sync> Column<T> {
    /// A column of `len` zeros, to be changed.
    pub fn zeroed(space: &MemoryBudget, len: usize) -> Result<Self> {
        let mut out = space.writer_of(len);
        let zeros = vec![T::zeroed(); len.min(BATCH)];
        for start in (0..len).step_by(BATCH) {
            out.extend(&zeros[..BATCH.min(len - start)])?;
        }
        out.finish()
    }

    /// The values of `items` by key, for each key in the order they come; `starts` has where each key's values start, and
    /// their end. What is on disk is written in one pass over the items for each part that may be held in memory.
    pub fn grouped<I: Iterator<Item = (u32, T)>>(
        space: &MemoryBudget,
        starts: &[usize],
        items: impl Fn() -> I + Sync,
    ) -> Result<Self> {
        let column = Self::zeroed(space, starts.last().copied().unwrap_or(0))?;
        let most = if column.is_mapped() { space.beside(size_of::<T>()) } else { usize::MAX };
        let (mut keys, mut ends) = (vec![0], Vec::new());
        for key in 1..starts.len() {
            let first = starts[keys[keys.len() - 1]];
            let last = key + 1 == starts.len();
            if last || starts[key + 1] - first > most {
                keys.push(key);
                ends.push(starts[key]);
            }
        }
        let scatter = |(): &mut (), part: usize, values: &mut [T]| {
            let (from, to) = (keys[part], keys[part + 1]);
            let first = starts[from];
            let mut next: Vec<usize> = starts[from..to].iter().map(|start| start - first).collect();
            for (n, (key, value)) in items().enumerate() {
                if let Some(at) = (key as usize).checked_sub(from).and_then(|key| next.get_mut(key)) {
                    values[*at] = value;
                    *at += 1;
                }
                if n % BATCH == 0 {
                    space.trim();
                }
            }
        };
        Ok(column.change_parts(space, &ends, || (), scatter)?.0)
    }

    /// Changes the values part by part on all threads, where `ends` has the end of each part; returns what the work on
    /// each part gives. `init` makes what a thread works with. On disk, as many parts are changed at once as may be held
    /// in memory.
    pub fn change_parts<W, R: Send>(
        mut self,
        space: &MemoryBudget,
        ends: &[usize],
        init: impl Fn() -> W + Sync + Send,
        work: impl Fn(&mut W, usize, &mut [T]) -> R + Sync + Send,
    ) -> Result<(Self, Vec<R>)> {
        if let Place::Memory { values, .. } = &mut self.0 {
            let results = each_part(values, 0, 0, ends, &init, &work);
            return Ok((self, results));
        }
        let most = space.beside(size_of::<T>());
        let mut out = space.writer();
        let (mut results, mut part, mut first) = (Vec::with_capacity(ends.len()), 0, 0);
        while part < ends.len() {
            let more = ends[part + 1..].iter().take_while(|&&end| end - first <= most).count();
            let next = part + 1 + more;
            let mut values = self[first..ends[next - 1]].to_vec();
            results.extend(each_part(&mut values, part, first, &ends[part..next], &init, &work));
            out.extend(&values)?;
            space.trim();
            (part, first) = (next, ends[next - 1]);
        }
        Ok((out.finish()?, results))
    }

    /// The values in memory, whatever the space.
    pub fn into_vec(self) -> Vec<T> {
        match self.0 {
            Place::Memory { values, .. } => values,
            Place::Disk(..) => self.to_vec(),
        }
    }

    /// The same with each value changed.
    pub fn map(mut self, space: &MemoryBudget, change: impl Fn(T) -> T + Sync) -> Result<Self> {
        if let Place::Memory { values, .. } = &mut self.0 {
            values.par_iter_mut().for_each(|value| *value = change(*value));
            return Ok(self);
        }
        let mut out = space.writer();
        for batch in self.chunks(BATCH) {
            let values: Vec<T> = batch.par_iter().map(|&value| change(value)).collect();
            out.extend(&values)?;
            space.trim();
        }
        out.finish()
    }

    /// Only the values whose index is wanted.
    pub fn filter(self, space: &MemoryBudget, keep: impl Fn(usize) -> bool) -> Result<Self> {
        let mut out = space.writer();
        for (start, batch) in self.chunks(BATCH).enumerate().map(|(n, batch)| (n * BATCH, batch)) {
            for (at, &value) in batch.iter().enumerate() {
                if keep(start + at) {
                    out.push(value)?;
                }
            }
            space.trim();
        }
        out.finish()
    }
}

/// Works on parts on all threads: `values` starts at `first` with the part `number`.
fn each_part<T: Send, W, R: Send>(
    mut values: &mut [T],
    number: usize,
    mut first: usize,
    ends: &[usize],
    init: &(impl Fn() -> W + Sync + Send),
    work: &(impl Fn(&mut W, usize, &mut [T]) -> R + Sync + Send),
) -> Vec<R> {
    let mut parts = Vec::with_capacity(ends.len());
    for &end in ends {
        let (part, rest) = values.split_at_mut(end - first);
        parts.push(part);
        (values, first) = (rest, end);
    }
    let parts = parts.into_par_iter().enumerate();
    parts.map_init(init, |worker, (k, part)| work(worker, number + k, part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_column_reads_as_it_was_written_in_memory_and_on_disk(
            values in proptest::collection::vec(0u32..100, 0..20_000),
            memory in prop_oneof![Just(0u64), Just(1 << 16), Just(1 << 30)],
        ) {
            let space = MemoryBudget::new(memory);
            let mut writer = space.writer();
            let (single, rest) = values.split_at(values.len() / 2);
            single.iter().for_each(|&v| writer.push(v).unwrap());
            writer.extend(rest).unwrap();
            prop_assert_eq!(writer.len(), values.len());
            let column = writer.finish().unwrap();
            prop_assert_eq!(&*column, &values[..]);
            let column = column.map(&space, |v| v + 1).unwrap();
            let column = column.filter(&space, |at| at % 3 > 0).unwrap();
            space.trim();
            let oracle: Vec<u32> =
                values.iter().enumerate().filter(|(at, _)| at % 3 > 0).map(|(_, v)| v + 1).collect();
            prop_assert_eq!(column.into_vec(), oracle);
            prop_assert_eq!(space.0.left.load(Relaxed), memory / 4);
        }
    }

    proptest! {
        #[test]
        fn parts_change_and_values_are_grouped_alike_in_memory_and_on_disk(
            items in proptest::collection::vec((0u32..50, 0u64..1000), 0..30_000),
            memory in prop_oneof![Just(0u64), Just(1 << 16), Just(1 << 30)],
        ) {
            let space = MemoryBudget::new(memory);
            let mut sorted = items.clone();
            sorted.sort_by_key(|item| item.0);
            let starts: Vec<usize> = (0..51).map(|key| sorted.partition_point(|item| item.0 < key)).collect();
            let grouped = Column::grouped(&space, &starts, || items.iter().copied()).unwrap();
            let sorted: Vec<u64> = sorted.iter().map(|item| item.1).collect();
            prop_assert_eq!(&*grouped, &sorted[..]);
            let add = |(): &mut (), part: usize, values: &mut [u64]| {
                values.iter_mut().for_each(|value| *value += part as u64);
                values.len()
            };
            let (changed, lengths) = grouped.change_parts(&space, &starts[1..], || (), add).unwrap();
            let parts = || (0..50).map(|key| starts[key]..starts[key + 1]);
            prop_assert_eq!(lengths, parts().map(|part| part.len()).collect::<Vec<_>>());
            let add = |(n, part): (usize, std::ops::Range<usize>)| sorted[part].iter().map(move |v| v + n as u64);
            let expected: Vec<u64> = parts().enumerate().flat_map(add).collect();
            prop_assert_eq!(changed.into_vec(), expected);
        }
    }

    #[test]
    fn without_space_a_column_lies_on_disk() {
        let mut writer = MemoryBudget::new(0).writer();
        writer.push(7u32).unwrap();
        assert!(matches!(writer.finish().unwrap().0, Place::Disk(..)));
    }
}
