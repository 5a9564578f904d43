//! What a dependency file says of one sentence: words with their columns, heads as written, comments and the rest,
//! none of it checked.

use crate::arena::{Text, TextArena};
use crate::dep::{DepTree, Roots};
use crate::error::{Error, Invalid, Result};
use crate::index::WordIx;
use crate::sound::SoundTree;
use std::fmt;
use treeglot_text::Place;

/// A text column of a word, named as in CoNLL-U. An absent value is `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The word as it stands in the sentence.
    Form,
    /// Its dictionary form.
    Lemma,
    /// The universal or coarse part of speech.
    Upos,
    /// The treebank's own part of speech.
    Xpos,
    /// Morphological features.
    Feats,
    /// The relation to the head.
    Deprel,
    /// Enhanced dependencies.
    Deps,
    /// Anything else.
    Misc,
}

/// The number of text columns.
pub const FIELDS: usize = 8;

/// A line that is not a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// A comment, `# ...`.
    Comment,
    /// A multi-word token, `1-2 ...`.
    Multiword,
    /// An empty node of the enhanced graph, `1.1 ...`.
    EmptyNode,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    fields: [Text; FIELDS],
    head: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
struct NoteLine {
    before: u32,
    kind: Note,
    text: Text,
}

/// One sentence of a dependency file. Heads are as written: from 1, 0 for the root, `None` where the file has none.
#[derive(Clone, Default)]
pub struct DepParse {
    text: TextArena,
    words: Vec<Word>,
    notes: Vec<NoteLine>,
    place: Place,
}

impl PartialEq for DepParse {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .words()
                .all(|w| self.raw_head(w) == other.raw_head(w) && self.columns(w) == other.columns(w))
            && self.notes().eq(other.notes())
    }
}

impl Eq for DepParse {}

impl fmt::Debug for DepParse {
    /// One line: the words as `form/tag(head relation)`, then the other lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for w in self.words() {
            let head = self.raw_head(w).map_or("_".to_string(), |h| h.to_string());
            write!(f, "{:?}/{:?}({head} {:?}) ", self.form(w), self.tag(w), self.deprel(w))?;
        }
        write!(f, "{:?}", self.notes().collect::<Vec<_>>())
    }
}

impl DepParse {
    /// An empty parse that begins at `line` of its file (0 if it comes from none).
    pub fn new(line: u64) -> Self {
        Self::at(Place { line, ..Place::default() })
    }

    /// An empty parse that begins at this place.
    pub fn at(place: Place) -> Self {
        Self { place, ..Self::default() }
    }

    /// Adds a word with its columns in [`Field`] order.
    pub fn push(&mut self, columns: [&str; FIELDS], head: Option<u32>) -> WordIx {
        let word = Word { fields: columns.map(|c| self.text.push(c)), head };
        self.words.push(word);
        WordIx::from(self.words.len() - 1)
    }

    /// Adds a word of which only form, tag, head and relation are known; the tag fills both tag columns.
    pub fn push_word(&mut self, form: &str, tag: &str, head: Option<u32>, deprel: &str) -> WordIx {
        self.push([form, "_", tag, tag, "_", deprel, "_", "_"], head)
    }

    /// Adds a whole line (without its end) that stands before the next word.
    pub fn push_note(&mut self, kind: Note, line: &str) {
        let text = self.text.push(line);
        self.notes.push(NoteLine { before: self.words.len() as u32, kind, text });
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Its words, left to right.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = WordIx> + ExactSizeIterator + use<> {
        (0..self.words.len()).map(WordIx::from)
    }

    /// A column of a word.
    pub fn get(&self, word: WordIx, field: Field) -> &str {
        self.text.get(self.words[word.ix()].fields[field as usize])
    }

    /// Replaces a column of a word.
    pub fn set(&mut self, word: WordIx, field: Field, value: &str) {
        self.words[word.ix()].fields[field as usize] = self.text.push(value);
    }

    /// All columns of a word, in [`Field`] order.
    pub fn columns(&self, word: WordIx) -> [&str; FIELDS] {
        self.words[word.ix()].fields.map(|f| self.text.get(f))
    }

    /// A word's form.
    pub fn form(&self, word: WordIx) -> &str {
        self.get(word, Field::Form)
    }

    /// The relation of a word to its head.
    pub fn deprel(&self, word: WordIx) -> &str {
        self.get(word, Field::Deprel)
    }

    /// A word's part of speech: the treebank's own if there is one, else the universal.
    pub fn tag(&self, word: WordIx) -> &str {
        match self.get(word, Field::Xpos) {
            "_" => self.get(word, Field::Upos),
            tag => tag,
        }
    }

    /// The forms, left to right.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        self.words().map(|w| self.form(w))
    }

    /// A word's head as written.
    pub fn raw_head(&self, word: WordIx) -> Option<u32> {
        self.words[word.ix()].head
    }

    /// Replaces a word's head; `None` makes it a root.
    pub fn set_head(&mut self, word: WordIx, head: Option<WordIx>) {
        self.words[word.ix()].head = Some(head.map_or(0, |h| h.0 + 1));
    }

    /// Takes all heads from a tree of the same length.
    pub fn set_heads(&mut self, tree: &DepTree) {
        assert_eq!(self.len(), tree.len(), "the tree belongs to this sentence");
        for w in self.words() {
            self.set_head(w, tree.head(w));
        }
    }

    /// The lines that are not words: kind, text, and how many words stand before them.
    pub fn notes(&self) -> impl Iterator<Item = (Note, &str, usize)> {
        self.notes.iter().map(|n| (n.kind, self.text.get(n.text), n.before as usize))
    }

    /// The value of a comment `# key = value`.
    pub fn comment(&self, key: &str) -> Option<&str> {
        self.notes().filter(|n| n.0 == Note::Comment).find_map(|(_, line, _)| {
            let (k, value) = line.strip_prefix('#')?.split_once('=')?;
            (k.trim() == key).then(|| value.trim())
        })
    }

    /// Where it begins.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The line of its file at which it begins.
    pub fn line(&self) -> u64 {
        self.place.line
    }

    /// The line of its file on which a word stands.
    pub fn line_of(&self, word: WordIx) -> u64 {
        let notes = self.notes.iter().filter(|n| n.before <= word.0).count();
        self.place.line + u64::from(word.0) + notes as u64
    }

    /// Checks the heads and builds the tree.
    pub fn tree(&self, roots: Roots) -> std::result::Result<DepTree, Invalid> {
        if roots == Roots::Repair {
            return self.sound_tree().map(|sound| sound.tree).ok_or(Invalid::NoWords);
        }
        let heads = self.words.iter().enumerate().map(|(w, word)| match word.head {
            None => Err(Invalid::NoHead { word: w.into() }),
            Some(0) => Ok(None),
            Some(h) if h as usize > self.len() => {
                Err(Invalid::HeadOutOfRange { word: w.into(), head: h, words: self.len() })
            }
            Some(h) => Ok(Some(WordIx(h - 1))),
        });
        DepTree::new(heads.collect::<std::result::Result<_, _>>()?, roots)
    }

    /// As [`DepParse::tree`], with an error that names file and line.
    pub fn checked_tree(&self, roots: Roots) -> Result<DepTree> {
        self.tree(roots).map_err(|why| self.invalid(why))
    }

    fn invalid(&self, why: Invalid) -> Error {
        let word = match &why {
            Invalid::HeadOutOfRange { word, .. } | Invalid::NoHead { word } => *word,
            Invalid::Cycle { words } => words[0],
            Invalid::SeveralRoots { second, .. } => *second,
            _ => WordIx(0),
        };
        Error::Invalid { place: self.place_of(word), why }
    }

    /// Where a word stands: the line of its file.
    pub fn place_of(&self, word: WordIx) -> Place {
        match &*self.place.name {
            "" => Place::new("the sentence", 0),
            _ => Place::new(self.place.name.clone(), self.line_of(word)),
        }
    }

    /// The tree where the parse is sound: words of cycles and later roots hang from the first root, as
    /// [`DepParse::sound_tree`] has it. A word without a head, or with one outside the sentence, tells of a damaged file or of
    /// one without parses, and is an error.
    pub fn mended_tree(&self) -> std::result::Result<SoundTree, Invalid> {
        match self.sound_tree() {
            Some(sound) if sound.repairs.headless == 0 => Ok(sound),
            _ => Err(self.tree(Roots::AttachToFirst).expect_err("heads are missing, or words")),
        }
    }

    /// As [`DepParse::mended_tree`], with an error that names file and line.
    pub fn checked_mended_tree(&self) -> Result<SoundTree> {
        self.mended_tree().map_err(|why| self.invalid(why))
    }

    /// The tree that is in the parse where it is sound, whatever its heads; `None` for a parse without words.
    ///
    /// Words whose head is missing, lies outside the sentence or lies on a cycle with them hang from the root instead,
    /// as later roots do. All else stays, so that what is below such words is as good as in any other tree.
    pub fn sound_tree(&self) -> Option<SoundTree> {
        SoundTree::new(self.words.iter().map(|word| word.head))
    }
}
