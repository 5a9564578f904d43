//! The links of a parallel treebank as the Stockholm TreeAligner writes them: pairs of words or nodes of two
//! [TIGER-XML](super::tigerxml) corpora, each `good` or `fuzzy`, with who made it and when.
//!
//! [`Alignment::pairs`] brings the links and the two corpora together, sentence pair by sentence pair: the gold
//! standard of sub-tree alignment. Links made by a program are told by their [author](Link::author); in SQUOIA it is
//! `bleualign`.

mod read;
mod resolve;
mod write;

pub use self::resolve::{PairLink, SentencePair};

use super::tigerxml::Attributes;
use std::fmt;
use std::sync::Arc;

/// Which of an alignment's two treebanks: 0 or 1, in the order in which the file names them.
pub type Side = usize;

/// A file of links between two treebanks.
#[derive(Debug, Clone)]
pub struct Alignment {
    name: Arc<str>,
    /// Attributes of the document's element: the format's version.
    pub attrs: Attributes,
    /// Name and text of each element of the metadata; `size` is brought up to date in writing.
    pub meta: Vec<(String, String)>,
    /// The two treebanks.
    pub treebanks: [TreebankRef; 2],
    /// The types that links may have.
    pub features: Vec<LinkFeature>,
    /// The links between words and nodes.
    pub links: Vec<Link>,
    /// The links between whole sentences.
    pub sentence_links: Vec<SentenceLink>,
    /// The sentences that are known to have no partner.
    pub unlinked: Vec<Unlinked>,
    /// The rest of the head (the TreeAligner's settings), kept for writing.
    settings: Vec<Piece>,
}

impl PartialEq for Alignment {
    fn eq(&self, other: &Self) -> bool {
        self.attrs == other.attrs
            && self.meta == other.meta
            && self.treebanks == other.treebanks
            && self.features == other.features
            && self.links == other.links
            && self.sentence_links == other.sentence_links
            && self.unlinked == other.unlinked
            && self.settings == other.settings
    }
}

/// A treebank as an alignment names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreebankRef {
    /// Its id in this file.
    pub id: Box<str>,
    /// Its language, such as `de_DE`.
    pub language: String,
    /// Its file, beside the alignment's.
    pub filename: String,
    /// Further attributes.
    pub attrs: Attributes,
}

/// A declared type of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFeature {
    /// The type's name.
    pub name: String,
    /// The colour it is drawn in.
    pub color: String,
    /// What it means.
    pub text: String,
}

/// How sure a link is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LinkType {
    /// The two sides mean the same.
    Good,
    /// The two sides mean about the same.
    Fuzzy,
    /// Another type; SMULTRON has `comment`, which is a remark and no link.
    Other(Box<str>),
}

impl From<&str> for LinkType {
    fn from(text: &str) -> Self {
        match text {
            "good" => Self::Good,
            "fuzzy" => Self::Fuzzy,
            other => Self::Other(other.into()),
        }
    }
}

impl fmt::Display for LinkType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Good => "good",
            Self::Fuzzy => "fuzzy",
            Self::Other(other) => other,
        })
    }
}

/// A link between a word or node of each treebank.
#[derive(Debug, Clone)]
pub struct Link {
    /// How sure it is.
    pub kind: LinkType,
    /// Who made it, if told.
    pub author: Option<Box<str>>,
    /// The day it was last changed, if told.
    pub last_change: Option<Box<str>>,
    /// Further attributes, such as `comment`.
    pub attrs: Attributes,
    /// The ids of its two ends, by [`Side`].
    pub ids: [Box<str>; 2],
    /// The line of the file it is on; 0 for a link that was made here. It takes no part in comparisons.
    pub line: u64,
}

impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.author == other.author
            && self.last_change == other.last_change
            && self.attrs == other.attrs
            && self.ids == other.ids
    }
}

/// A link between two whole sentences.
#[derive(Debug, Clone)]
pub struct SentenceLink {
    /// Attributes.
    pub attrs: Attributes,
    /// The ids of the sentences' tops, by [`Side`], mostly virtual as in `s12_VROOT`.
    pub ids: [Box<str>; 2],
    /// The line of the file it is on; 0 for one that was made here. It takes no part in comparisons.
    pub line: u64,
}

impl PartialEq for SentenceLink {
    fn eq(&self, other: &Self) -> bool {
        self.attrs == other.attrs && self.ids == other.ids
    }
}

/// A sentence that has no partner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlinked {
    /// The treebank it is in.
    pub side: Side,
    /// The id of its top.
    pub id: Box<str>,
    /// Further attributes: author and day.
    pub attrs: Attributes,
}

/// A tag or text that is kept as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Start(Box<str>, Attributes),
    Text(Box<str>),
    End(Box<str>),
}

impl Alignment {
    /// An alignment without links between two treebanks.
    pub fn new(treebanks: [TreebankRef; 2]) -> Self {
        let feature = |(name, color, text): (&str, &str, &str)| LinkFeature {
            name: name.into(),
            color: color.into(),
            text: text.into(),
        };
        let features = [
            ("good", "#33e533", "Precise translation correspondence"),
            ("fuzzy", "#e53333", "Approximate translation correspondence"),
        ];
        Self {
            name: "alignment".into(),
            attrs: vec![("subversion".into(), "3".into()), ("version".into(), "2".into())],
            meta: vec![("size".into(), "0".into())],
            treebanks,
            features: features.map(feature).into(),
            links: Vec::new(),
            sentence_links: Vec::new(),
            unlinked: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// The name it was read under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many links of all kinds it has: what the metadata call `size`.
    pub fn size(&self) -> usize {
        self.links.len() + self.sentence_links.len() + self.unlinked.len()
    }
}
