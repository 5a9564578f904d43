//! Links and the trees they link, brought together: the sentence pairs of a parallel treebank.

use super::{Alignment, Link};
use crate::error::{Error, Result};
use crate::format::tigerxml::{Sentence, Target, Treebank};
use std::collections::BTreeMap;
use treeglot_text::{Place, unpacked_name};

/// Two sentences that are linked as a whole or in part, with all the links between them.
#[derive(Debug, Clone, PartialEq)]
pub struct SentencePair<'a> {
    /// The sentences' positions in their treebanks.
    pub positions: [usize; 2],
    /// The sentences.
    pub sentences: [&'a Sentence; 2],
    /// The links between them, in the order of the file.
    pub links: Vec<PairLink<'a>>,
    /// Whether a link between the sentences as a whole says so.
    pub linked_as_whole: bool,
}

/// A link whose ends were found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairLink<'a> {
    /// The linked words or nodes of the first and second sentence.
    pub ends: [Target; 2],
    /// The link: its type, its author.
    pub link: &'a Link,
}

impl Alignment {
    /// The sentence pairs of two treebanks by position in the first, then in the second. An id that its treebank does
    /// not have is an error at the link's line, and so are treebanks that are given the other way round.
    pub fn pairs<'a>(&'a self, treebanks: [&'a Treebank; 2]) -> Result<Vec<SentencePair<'a>>> {
        self.check_order(treebanks)?;
        let mut pairs: BTreeMap<[usize; 2], SentencePair<'a>> = BTreeMap::new();
        let start = |positions: [usize; 2]| SentencePair {
            positions,
            sentences: [0, 1].map(|side| &treebanks[side].sentences()[positions[side]]),
            links: Vec::new(),
            linked_as_whole: false,
        };
        for link in &self.sentence_links {
            let find = |side: usize| {
                let found = treebanks[side].find_sentence(&link.ids[side]);
                found.ok_or_else(|| self.unknown(link.line, &link.ids[side], treebanks[side]))
            };
            let positions = [find(0)?, find(1)?];
            pairs.entry(positions).or_insert_with(|| start(positions)).linked_as_whole = true;
        }
        for link in &self.links {
            let find = |side: usize| {
                let found = treebanks[side].find(&link.ids[side]);
                found.ok_or_else(|| self.unknown(link.line, &link.ids[side], treebanks[side]))
            };
            let ((s, source), (t, target)) = (find(0)?, find(1)?);
            let pair = pairs.entry([s, t]).or_insert_with(|| start([s, t]));
            pair.links.push(PairLink { ends: [source, target], link });
        }
        Ok(pairs.into_values().collect())
    }

    /// Treebanks in the other order would often go through, as sentences have the same ids in both, and give pairs that are none.
    fn check_order(&self, treebanks: [&Treebank; 2]) -> Result<()> {
        let file = |name: &str| {
            let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
            unpacked_name(name).to_lowercase()
        };
        let (given, wanted) = (
            treebanks.map(|bank| file(bank.name())),
            self.treebanks.each_ref().map(|bank| file(&bank.filename)),
        );
        let by_name = |side: usize| given[side] == wanted[1 - side] && given[side] != wanted[side];
        let found = |side: usize, order: usize| {
            self.links.iter().all(|link| treebanks[side ^ order].find(&link.ids[side]).is_some())
        };
        let as_named = || self.links.is_empty() || found(0, 0) && found(1, 0);
        let by_ids = || !as_named() && found(0, 1) && found(1, 1);
        if !(by_name(0) || by_name(1) || by_ids()) {
            return Ok(());
        }
        let message = format!(
            "the treebanks are given the other way round: this alignment is from `{}` to `{}`; give {} first, then {}",
            self.treebanks[0].id,
            self.treebanks[1].id,
            treebanks[1].name(),
            treebanks[0].name()
        );
        Err(treeglot_text::Error::Malformed { place: Place { name: self.name.clone(), line: 0 }, message }
            .into())
    }

    fn unknown(&self, line: u64, id: &str, treebank: &Treebank) -> Error {
        let message = format!("the treebank {} has no `{id}`", treebank.name());
        treeglot_text::Error::Malformed { place: Place { name: self.name.clone(), line }, message }.into()
    }
}
