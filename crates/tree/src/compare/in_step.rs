//! Several files of parses read sentence by sentence, with errors where they are not of the same sentences.

use crate::con::ConTree;
use crate::error::Result;
use crate::format::ReadTrees;
use crate::index::WordIx;
use crate::parse::DepParse;
use std::sync::Arc;
use treeglot_text::{Error as TextError, Place};

/// What must be the same in all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Match {
    /// Every word's form.
    #[default]
    Forms,
    /// The number of words: for parsers that lower-case or escape words in ways of their own.
    Length,
}

/// A sentence of a file whose words can be compared with those of another file.
pub trait Sentence {
    /// Its words; `None` if the parser gave no parse for it.
    fn forms(&self) -> Option<Vec<&str>>;

    /// The line of its file on which a word stands, 0 if that is not known.
    fn line_of(&self, word: WordIx) -> u64;
}

impl Sentence for DepParse {
    fn forms(&self) -> Option<Vec<&str>> {
        Some(DepParse::forms(self).collect())
    }

    fn line_of(&self, word: WordIx) -> u64 {
        DepParse::line_of(self, word)
    }
}

impl Sentence for Option<ConTree> {
    fn forms(&self) -> Option<Vec<&str>> {
        self.as_ref().map(|t| t.forms().collect())
    }

    fn line_of(&self, _word: WordIx) -> u64 {
        0
    }
}

/// Fails, with the line in `other`'s file, unless both are parses of the same words. Sentences count from 1.
pub fn check_tokens<T: Sentence>(
    number: u64,
    (name, first): (&Arc<str>, &T),
    (other_name, other): (&Arc<str>, &T),
    how: Match,
) -> Result<()> {
    let (Some(words), Some(other_words)) = (first.forms(), other.forms()) else { return Ok(()) };
    let different = match how {
        Match::Forms => words.iter().zip(&other_words).position(|(a, b)| a != b),
        Match::Length => None,
    };
    let (word, message) = match different {
        Some(w) => {
            let (a, b) = (words[w], other_words[w]);
            (w, format!("word {} of sentence {number} is `{b}`, but `{a}` in {name}", w + 1))
        }
        None if words.len() == other_words.len() => return Ok(()),
        None => {
            let (a, b) = (words.len(), other_words.len());
            (0, format!("sentence {number} has {b} words, but {a} in {name}"))
        }
    };
    let line = other.line_of(WordIx::from(word));
    Err(TextError::Malformed { place: Place::new(other_name.clone(), line), message }.into())
}

/// Reads several files in step.
pub struct InStep<'a, T> {
    files: Vec<(Arc<str>, Box<dyn ReadTrees<Tree = T> + 'a>)>,
    how: Match,
    sentences: u64,
}

impl<'a, T: Sentence> InStep<'a, T> {
    /// Reads files, each with its name for messages.
    pub fn new(files: Vec<(Arc<str>, Box<dyn ReadTrees<Tree = T> + 'a>)>, how: Match) -> Self {
        Self { files, how, sentences: 0 }
    }

    /// The next sentence of every file, in the order of the files; `None` at the end of all of them. A file that
    /// ends before the others and a sentence of other words are errors.
    pub fn next_sentences(&mut self) -> Result<Option<Vec<T>>> {
        let mut found: Vec<T> = Vec::with_capacity(self.files.len());
        let (mut open, mut ended) = (None, None);
        for (name, reader) in &mut self.files {
            match reader.next_tree()? {
                Some(parse) => {
                    open.get_or_insert_with(|| (name.clone(), parse.line_of(WordIx(0))));
                    found.push(parse);
                }
                None => {
                    ended.get_or_insert_with(|| name.clone());
                }
            }
        }
        if let (Some((longer, line)), Some(shorter)) = (&open, &ended) {
            let message = format!(
                "sentence {} has no partner: {shorter} has only {} sentences",
                self.sentences + 1,
                self.sentences
            );
            return Err(TextError::Malformed { place: Place::new(longer.clone(), *line), message }.into());
        }
        if open.is_none() {
            return Ok(None);
        }
        self.sentences += 1;
        for (file, parse) in self.files.iter().zip(&found).skip(1) {
            check_tokens(self.sentences, (&self.files[0].0, &found[0]), (&file.0, parse), self.how)?;
        }
        Ok(Some(found))
    }
}
