//! How n-grams lie in memory and in files. A layout is one file with a type that is a [`Table`], and one line in the
//! registry below; the rest of the crate knows none by name.

mod bigrams;
mod bits;
mod probing;
mod quantize;
mod ranges;
mod search;
mod trie;

pub(crate) use search::{Cursor, extends_right};
pub use search::{Found, Search};

use crate::error::{Error, Result};
use crate::ngrams::Ngrams;
use crate::score::{Scored, Scorer, Total};
use crate::state::{ChartState, State};
use serde::{Deserialize, Serialize};
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};
use treeglot_text::vocab::Sym;

/// The n-grams of a model in one layout, in memory or mapped.
trait Table: Sized {
    /// The layout's number in files: never changed, never given to another.
    const CODE: u64;

    /// The arrays as slices: what a thread holds.
    type Slices<'m>: Search + Clone + Send + Sync
    where
        Self: 'm;

    /// Lays n-grams out. `quantize` is the width of codes for weights; a layout without codes refuses it.
    fn build(ngrams: &Ngrams, quantize: Option<u32>) -> Result<Self>;

    /// The tables in a file, for a vocabulary of `words` words. `parameter` is what [`Table::parameter`] said.
    fn map(file: &MappedFile, order: usize, parameter: u64, words: usize) -> Result<Self>;

    /// The sections of the file, in the order of [`Table::write`].
    fn sections(&self) -> Vec<Tag>;

    /// Writes the sections.
    fn write(&self, out: &mut MappedWriter) -> Result<()>;

    /// The length of the longest n-grams.
    fn order(&self) -> usize;

    /// A number that is needed to read the sections.
    fn parameter(&self) -> u64;

    /// The slices.
    fn slices(&self) -> Self::Slices<'_>;
}

/// Writes out, for the types of the registry, what chooses between them. An enumeration and not a trait object: a look-up
/// takes a few nanoseconds, and the compiler sees through a match.
macro_rules! layouts {
    ($($(#[$doc:meta])* $name:ident = $table:ty,)*) => {
        /// How n-grams lie in memory and in files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
        pub enum LmLayout {
            $($(#[$doc])* $name,)*
        }

        impl LmLayout {
            /// All layouts.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }

        /// The n-grams of a model.
        #[derive(Clone)]
        pub(crate) enum Tables {
            $($name($table),)*
        }

        impl Tables {
            /// Lays n-grams out.
            pub fn build(ngrams: &Ngrams, layout: LmLayout, quantize: Option<u32>) -> Result<Self> {
                match layout {
                    $(LmLayout::$name => Ok(Self::$name(<$table>::build(ngrams, quantize)?)),)*
                }
            }

            /// The tables in a file; `None` for a layout that is not known.
            pub fn map(file: &MappedFile, [code, order, parameter]: [u64; 3], words: usize) -> Result<Option<Self>> {
                let order = order as usize;
                match code {
                    $(<$table>::CODE => <$table>::map(file, order, parameter, words).map(Self::$name).map(Some),)*
                    _ => Ok(None),
                }
            }

            /// What [`Tables::map`] needs to know: the layout, the order, and the layout's parameter.
            pub fn info(&self) -> [u64; 3] {
                match self {
                    $(Self::$name(table) => [<$table>::CODE, table.order() as u64, table.parameter()],)*
                }
            }

            /// The sections of the file.
            pub fn sections(&self) -> Vec<Tag> {
                match self { $(Self::$name(table) => table.sections(),)* }
            }

            /// Writes the sections.
            pub fn write(&self, out: &mut MappedWriter) -> Result<()> {
                match self { $(Self::$name(table) => table.write(out),)* }
            }

            /// The length of the longest n-grams.
            pub fn order(&self) -> usize {
                match self { $(Self::$name(table) => table.order(),)* }
            }

            /// The slices.
            pub fn slices(&self) -> AnyTables<'_> {
                AnyTables(match self { $(Self::$name(table) => Slices::$name(table.slices()),)* })
            }
        }

        #[derive(Clone)]
        enum Slices<'m> {
            $($name(<$table as Table>::Slices<'m>),)*
        }

        impl<'m> AnyTables<'m> {
            /// Goes on with tables whose layout the compiler knows.
            pub fn dispatch<T: TakeTables<'m>>(self, take: T) -> T::Output {
                match self.0 { $(Slices::$name(slices) => take.take(slices),)* }
            }

            /// [`Scorer::sentence`]; in this and the next functions the layout is asked for once, not for each word.
            pub fn sentence(&self, words: &[Sym]) -> Total {
                match &self.0 { $(Slices::$name(slices) => Scorer::new(slices).sentence(words),)* }
            }

            /// [`Scorer::score`].
            #[inline]
            pub fn score(&self, from: &State, word: Sym) -> (Scored, State) {
                match &self.0 { $(Slices::$name(slices) => Scorer::new(slices).score(from, word),)* }
            }

            /// [`Scorer::append`].
            #[inline]
            pub fn append(&self, from: &State, piece: &ChartState) -> (f32, State) {
                match &self.0 { $(Slices::$name(slices) => Scorer::new(slices).append(from, piece),)* }
            }

            /// Words that have no context yet.
            pub fn piece(&self, words: impl Iterator<Item = Sym>) -> (f32, ChartState) {
                match &self.0 { $(Slices::$name(slices) => Scorer::new(slices).piece(words),)* }
            }
        }

        impl Search for AnyTables<'_> {
            #[inline]
            fn order(&self) -> usize {
                match &self.0 { $(Slices::$name(slices) => slices.order(),)* }
            }

            #[inline]
            fn unigram(&self, word: Sym) -> Found {
                match &self.0 { $(Slices::$name(slices) => slices.unigram(word),)* }
            }

            #[inline]
            fn longer(&self, length: usize, node: u64, word: Sym) -> Option<Found> {
                match &self.0 { $(Slices::$name(slices) => slices.longer(length, node, word),)* }
            }

            #[inline]
            fn steps(&self, length: usize) -> usize {
                match &self.0 { $(Slices::$name(slices) => slices.steps(length),)* }
            }

            #[inline]
            fn aim(&self, step: usize, length: usize, node: u64, word: Sym, cursor: &mut Cursor) {
                match &self.0 { $(Slices::$name(slices) => slices.aim(step, length, node, word, cursor),)* }
            }

            #[inline]
            fn read(&self, step: usize, length: usize, cursor: &Cursor) -> u64 {
                match &self.0 { $(Slices::$name(slices) => slices.read(step, length, cursor),)* }
            }

            #[inline]
            fn reach(&self, length: usize, node: u64, word: Sym, cursor: &Cursor) -> Option<Found> {
                match &self.0 { $(Slices::$name(slices) => slices.reach(length, node, word, cursor),)* }
            }
        }
    };
}

layouts! {
    /// Hash tables: the fastest
    #[default]
    Probing = probing::Probing,
    /// A bit-packed trie: the smallest
    Trie = trie::Trie,
}

/// The tables of a model whose layout is known only at run time, as slices: what a thread holds.
#[derive(Clone)]
pub struct AnyTables<'m>(Slices<'m>);

impl AnyTables<'_> {
    /// A scorer on these tables.
    pub fn scorer(&self) -> Scorer<'_, Self> {
        Scorer::new(self)
    }
}

/// What is done with tables once their layout is known: code that is compiled for each layout.
pub trait TakeTables<'m> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn take<S: Search + Clone + Send + Sync + 'm>(self, tables: S) -> Self::Output;
}

/// The section that all layouts have: probability and back-off by word.
const UNIGRAMS: Tag = Tag::new("unigrams");

/// The section of one level: what it holds and the length of its n-grams.
fn level_tag(what: &str, length: usize) -> Tag {
    Tag::new(&format!("{what}{length}"))
}

/// The error of a layout that has no codes for weights.
fn no_codes(quantize: Option<u32>) -> Result<()> {
    match quantize {
        None => Ok(()),
        Some(_) => {
            Err(Error::Setting("`quantize` needs a layout with codes for weights, such as `trie`".into()))
        }
    }
}
