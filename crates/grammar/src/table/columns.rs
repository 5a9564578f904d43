//! What the parts of a table file are called, and columns whose distinct values are stored once.

use super::quantize::quantize;
use crate::decimal::Decimal;
use crate::error::Result;
use crate::packed::{self, Packed};
use crate::spool::{Scratch, Spool};
use bytemuck::Pod;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::marker::PhantomData;
use treeglot_text::column::Column;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag, View};

/// The names of the sections.
pub mod tags {
    use treeglot_text::mapped::Tag;

    pub const META: Tag = Tag::new("meta");
    pub const SYMBOLS: Tag = Tag::new("symbols");
    pub const CHILDREN: Tag = Tag::new("children");
    pub const SOURCES: Tag = Tag::new("sources");
    pub const FIRST_RULES: Tag = Tag::new("rules");
    pub const SOURCE_COUNTS: Tag = Tag::new("srccount");
    pub const SOURCE_COUNTS_BOOK: Tag = Tag::new("srcbook");
    pub const TARGET_ENDS: Tag = Tag::new("tgtends");
    pub const TARGET_CODES: Tag = Tag::new("tgtcodes");
    pub const TARGET_COUNTS: Tag = Tag::new("tgtcount");
    pub const TARGET_COUNTS_BOOK: Tag = Tag::new("tgtbook");
    pub const TARGETS: Tag = Tag::new("targets");
    pub const LINKS: Tag = Tag::new("links");
    pub const LINK_ENDS: Tag = Tag::new("linkends");
    pub const LINK_PAIRS: Tag = Tag::new("linkpair");
    pub const JOINT_COUNTS: Tag = Tag::new("count");
    pub const JOINT_COUNTS_BOOK: Tag = Tag::new("cntbook");
    pub const REORDERING: Tag = Tag::new("reorder");
    pub const REORDERING_BOOK: Tag = Tag::new("reobook");

    /// The sections of score column `k`.
    pub fn score(k: usize) -> (Tag, Tag) {
        (Tag::new(&format!("score{k}")), Tag::new(&format!("book{k}")))
    }
}

/// The most scores a rule may have, and names for them still fit.
pub const MAX_SCORES: usize = 100;

/// What a table says about itself: lines of a name, a tab and a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meta {
    pub model: String,
    pub score_names: Vec<String>,
    pub reordering: bool,
    pub notes: Vec<(String, String)>,
}

impl Meta {
    pub fn read(file: &MappedFile) -> Result<Self> {
        let bytes: View<u8> = file.view(tags::META)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| file.corrupt("its description is damaged".to_string()))?;
        let mut meta = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            match name {
                "model" => meta.model = value.to_string(),
                "score" => meta.score_names.push(value.to_string()),
                "reordering" => meta.reordering = true,
                _ => meta.notes.push((name.to_string(), value.to_string())),
            }
        }
        if meta.score_names.len() > MAX_SCORES {
            return Err(file.corrupt("its description is damaged: too many scores".to_string()).into());
        }
        Ok(meta)
    }

    pub fn write(&self, out: &mut MappedWriter) -> Result<()> {
        let mut text = format!("model\t{}\n", self.model);
        let scores = self.score_names.iter().map(|name| ("score", name.as_str()));
        let reordering = self.reordering.then_some(("reordering", "msd-bidirectional-fe"));
        let notes = self.notes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in scores.chain(reordering).chain(notes) {
            text.push_str(&format!("{name}\t{}\n", value.replace(['\n', '\t'], " ")));
        }
        Ok(out.section(tags::META, text.as_bytes())?)
    }
}

/// A column whose distinct values are stored once.
#[derive(Debug, Clone)]
pub struct Book<T: Pod> {
    ids: Packed,
    values: View<T>,
}

impl<T: Pod> Book<T> {
    pub fn open(file: &MappedFile, ids: Tag, values: Tag) -> Result<Self> {
        Ok(Self { ids: Packed::open(file, ids)?, values: file.view(values)? })
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The value of a row; zero beyond the end, or in a damaged file.
    #[inline]
    pub fn get(&self, row: u32) -> T {
        self.values.get(self.ids.get(row as usize) as usize).copied().unwrap_or_else(T::zeroed)
    }
}

/// A column being written: its values are put aside, and distinct ones numbered at the end, one column after the other, so
/// that only one index is in use at a time.
pub struct BookWriter<T> {
    rows: Spool,
    len: usize,
    scratch: Scratch,
    values: PhantomData<T>,
}

/// The distinct values of a column in order of first appearance, and the number of each row's.
struct Numbered<T> {
    values: Vec<T>,
    ids: Column<u32>,
}

impl<T: Pod + Hash + Eq> BookWriter<T> {
    pub fn new(scratch: &Scratch) -> Result<Self> {
        Ok(Self { rows: scratch.spool()?, len: 0, scratch: scratch.clone(), values: PhantomData })
    }

    /// Appends a value.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<()> {
        self.len += 1;
        self.rows.bytes(bytemuck::bytes_of(&value))
    }

    fn number(self) -> Result<Numbered<T>> {
        let (mut index, mut values) = (FxHashMap::default(), Vec::new());
        let (mut rows, mut ids) = (self.rows.read()?, self.scratch.space().writer());
        let mut value = T::zeroed();
        for _ in 0..self.len {
            rows.fill(bytemuck::bytes_of_mut(&mut value))?;
            let id = *index.entry(value).or_insert_with(|| {
                values.push(value);
                values.len() as u32 - 1
            });
            ids.push(id)?;
        }
        Ok(Numbered { values, ids: ids.finish()? })
    }

    pub fn write(self, out: &mut MappedWriter, ids: Tag, values: Tag) -> Result<()> {
        self.number()?.write(out, ids, values)
    }
}

impl<T: Pod> Numbered<T> {
    fn write(self, out: &mut MappedWriter, ids: Tag, values: Tag) -> Result<()> {
        let width = packed::width(self.values.len().saturating_sub(1) as u32);
        packed::write(out, ids, width, self.ids.len(), self.ids.iter().copied().map(Ok))?;
        Ok(out.section(values, &self.values)?)
    }
}

impl BookWriter<Decimal> {
    /// Writes it with at most 2^`bits` distinct values.
    pub fn write_quantized(self, bits: u32, out: &mut MappedWriter, ids: Tag, values: Tag) -> Result<()> {
        let column = self.number()?;
        let most = 1 << bits.min(u32::BITS - 1);
        if column.values.len() <= most {
            return column.write(out, ids, values);
        }
        let mut times = vec![0; column.values.len()];
        column.ids.iter().for_each(|&id| times[id as usize] += 1);
        let (book, numbers) = quantize(&column.values, &times, most);
        let width = packed::width(book.len() as u32 - 1);
        let new = column.ids.iter().map(|&id| Ok(numbers[id as usize]));
        packed::write(out, ids, width, column.ids.len(), new)?;
        Ok(out.section(values, &book)?)
    }
}
