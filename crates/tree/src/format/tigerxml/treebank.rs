//! A whole TIGER-XML corpus in memory, for what refers to its nodes by id: the links of a parallel treebank.

use super::{Corpus, Reader, Sentence, Target, Writer};
use crate::error::Result;
use crate::format::ReadTrees;
use rustc_hash::FxHashMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Input, Place};

/// The end of an id that stands for a whole sentence: the TreeAligner links sentences as `s12_VROOT`.
const VIRTUAL_ROOT: &str = "_VROOT";

/// A corpus with all its sentences, and an index of its ids.
#[derive(Debug, Clone)]
pub struct Treebank {
    name: Arc<str>,
    corpus: Corpus,
    sentences: Vec<Sentence>,
    by_id: FxHashMap<Box<str>, u32>,
    by_target: FxHashMap<Box<str>, (u32, Target)>,
}

impl PartialEq for Treebank {
    fn eq(&self, other: &Self) -> bool {
        self.corpus == other.corpus && self.sentences == other.sentences
    }
}

impl Treebank {
    /// Loads a corpus; see [`Input::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let input = Input::open(path)?;
        Self::read(input.name, input.reader)
    }

    /// Loads the corpus of `reader`, called `name` in messages.
    pub fn read(name: impl Into<Arc<str>>, reader: impl BufRead) -> Result<Self> {
        let name = name.into();
        let mut reader = Reader::new(name.clone(), reader)?;
        let mut bank = Self {
            name,
            corpus: reader.corpus().clone(),
            sentences: Vec::new(),
            by_id: FxHashMap::default(),
            by_target: FxHashMap::default(),
        };
        while let Some(sentence) = reader.next_tree()? {
            bank.push(sentence).map_err(|message| treeglot_text::Error::Malformed {
                place: Place { name: bank.name.clone(), line: reader.line() },
                message,
            })?;
        }
        Ok(bank)
    }

    fn push(&mut self, sentence: Sentence) -> std::result::Result<(), String> {
        let number = u32::try_from(self.sentences.len()).map_err(|e| e.to_string())?;
        if self.by_id.insert(sentence.id().into(), number).is_some() {
            return Err(format!("the sentence id `{}` was given to an earlier sentence", sentence.id()));
        }
        for &target in sentence.targets() {
            let id = sentence.id_of(target).unwrap_or_default();
            if let Some((first, _)) = self.by_target.insert(id.into(), (number, target)) {
                let first = self.sentences[first as usize].id();
                return Err(format!("the id `{id}` was given in sentence `{first}` already"));
            }
        }
        self.sentences.push(sentence);
        Ok(())
    }

    /// The name it was read under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The corpus' id and declarations.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The sentences, in the order of the file.
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// The position of the sentence with an id.
    pub fn sentence(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).map(|&s| s as usize)
    }

    /// The sentence's position and the node or word that an id names.
    pub fn find(&self, id: &str) -> Option<(usize, Target)> {
        self.by_target.get(id).map(|&(s, target)| (s as usize, target))
    }

    /// The position of the sentence whose whole an id names: its own id, that of one of its roots, or the
    /// TreeAligner's `s12_VROOT`.
    pub fn find_sentence(&self, id: &str) -> Option<usize> {
        let own = id.strip_suffix(VIRTUAL_ROOT).and_then(|id| self.sentence(id));
        own.or_else(|| self.sentence(id)).or_else(|| self.find(id).map(|(s, _)| s))
    }

    /// Writes the corpus as a complete document.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut writer = Writer::new(out, &self.corpus)?;
        for sentence in &self.sentences {
            writer.write(sentence)?;
        }
        writer.finish()?.flush()
    }
}
