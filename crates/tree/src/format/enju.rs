//! A sentence as Enju analyses it: phrases with syntactic and semantic heads, tokens with predicate-argument
//! structures. Both of Enju's formats, XML and stand-off, are read into it; `transform::pas` turns it into a
//! dependency tree (Wu et al. 2012, section 2.4).
//!
//! Enju passes over words tagged `.` (full stops, question marks): they stand in the text but are no tokens. A
//! [`Sentence`] keeps them as loose words, and conversions take them or leave them ([`Loose`]).

use crate::con::{ConBuilder, ConTree, Draft};
use crate::error::{Error, Result};
use crate::index::WordIx;
use crate::transform::pas::table::ROLES;
use crate::transform::pas::{self, Converted, Heads};
use rustc_hash::FxHashMap;
use treeglot_text::Place;

/// The attributes of an element, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes(Vec<(Box<str>, Box<str>)>);

impl Attributes {
    /// Adds an attribute at the end.
    pub fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.into(), value.into()));
    }

    /// An attribute's value; empty where it is missing.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|a| &*a.0 == name).map_or("", |a| &a.1)
    }

    /// All names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// A phrase or a token of a sentence, by its position among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A phrase; phrases are numbered in pre-order.
    Cons(usize),
    /// A token.
    Tok(WordIx),
}

/// A phrase: Enju's `cons`.
#[derive(Debug, Clone)]
pub struct Cons {
    attributes: Attributes,
    children: Vec<Part>,
    heads: [Option<Part>; 2],
    line: u64,
}

impl PartialEq for Cons {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes && self.children == other.children
    }
}

impl Eq for Cons {}

impl Cons {
    /// All that the file says of it: `id`, `cat`, `xcat`, `head`, `sem_head`, `schema` and more.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Its category.
    pub fn cat(&self) -> &str {
        self.attributes.get("cat")
    }

    /// What stands below it.
    pub fn children(&self) -> &[Part] {
        &self.children
    }

    /// Its syntactic or semantic head: a part below it.
    pub fn head(&self, heads: Heads) -> Option<Part> {
        self.heads[heads as usize]
    }
}

/// A token: Enju's `tok`.
#[derive(Debug, Clone)]
pub struct Tok {
    form: String,
    attributes: Attributes,
    arguments: [Option<Part>; ROLES.len()],
    line: u64,
}

impl PartialEq for Tok {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form && self.attributes == other.attributes
    }
}

impl Eq for Tok {}

impl Tok {
    /// The word.
    pub fn form(&self) -> &str {
        &self.form
    }

    /// All that the file says of it: `id`, `cat`, `pos`, `base`, `lexentry`, `pred`, `arg1`, `tense` and more.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Its syntactic category.
    pub fn cat(&self) -> &str {
        self.attributes.get("cat")
    }

    /// Its part of speech.
    pub fn pos(&self) -> &str {
        self.attributes.get("pos")
    }

    /// Its base form.
    pub fn base(&self) -> &str {
        self.attributes.get("base")
    }

    /// The type of its predicate, such as `verb_arg12`.
    pub fn pred(&self) -> &str {
        self.attributes.get("pred")
    }

    /// What fills the roles of [`ROLES`]; `None` where there is no such argument or Enju did not find it.
    pub fn arguments(&self) -> &[Option<Part>; ROLES.len()] {
        &self.arguments
    }

    /// Its verbal features as `aspect=none|tense=present`, by name.
    pub fn features(&self) -> String {
        const NAMES: [&str; 5] = ["aspect", "aux", "tense", "type", "voice"];
        let values = NAMES.iter().map(|n| (n, self.attributes.get(n))).filter(|f| !f.1.is_empty());
        values.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("|")
    }
}

/// What becomes of the words that Enju passed over when a sentence is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loose {
    /// They are left out: the words are Enju's tokens.
    #[default]
    Drop,
    /// They are words tagged `.` and hang from the top, so that the tree fits the whole sentence.
    Keep,
}

/// A word of a sentence, whether Enju analysed it or passed over it.
#[derive(Debug, Clone, Copy)]
pub enum Leaf<'a> {
    /// A token.
    Tok(&'a Tok),
    /// A word that is no token.
    Loose(&'a str),
}

/// One sentence of Enju's output. A sentence that could not be parsed has no tokens.
#[derive(Debug, Clone)]
pub struct Sentence {
    place: Place,
    attributes: Attributes,
    cons: Vec<Cons>,
    toks: Vec<Tok>,
    tops: Vec<Part>,
    /// Words that are no tokens, each with the number of tokens before it.
    loose: Vec<(usize, String)>,
}

impl PartialEq for Sentence {
    /// Equality of what is said, wherever it is written.
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
            && self.tops == other.tops
            && self.loose == other.loose
            && self.cons == other.cons
            && self.toks == other.toks
    }
}

impl Eq for Sentence {}

impl Sentence {
    /// Where it begins.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What the file says of the whole sentence: `id`, `parse_status` and more.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Whether Enju found one analysis for the whole sentence.
    pub fn is_parsed(&self) -> bool {
        self.attributes.get("parse_status") == "success"
    }

    /// Its phrases, in pre-order.
    pub fn cons(&self) -> &[Cons] {
        &self.cons
    }

    /// Its tokens, left to right.
    pub fn toks(&self) -> &[Tok] {
        &self.toks
    }

    /// What stands at the top: one phrase, or several in a fragmental parse.
    pub fn tops(&self) -> &[Part] {
        &self.tops
    }

    /// Its words, left to right, with or without those that Enju passed over.
    pub fn leaves(&self, loose: Loose) -> impl Iterator<Item = Leaf<'_>> {
        let kept: &[(usize, String)] = if loose == Loose::Keep { &self.loose } else { &[] };
        let from = |t: usize| kept.iter().filter(move |l| l.0 == t).map(|l| Leaf::Loose(&l.1));
        let toks = self.toks.iter().enumerate();
        toks.flat_map(move |(t, tok)| from(t).chain([Leaf::Tok(tok)])).chain(from(self.toks.len()))
    }

    /// The words that Enju passed over, each with the number of tokens before it.
    pub fn loose_words(&self) -> impl Iterator<Item = (usize, &str)> {
        self.loose.iter().map(|(before, word)| (*before, word.as_str()))
    }

    /// An error at the line of a token.
    pub fn malformed_at(&self, tok: WordIx, message: impl Into<String>) -> Error {
        malformed(&self.place, self.toks[tok.ix()].line, message)
    }

    /// The head word of a part: from head to head down to a token.
    pub fn head_word(&self, part: Part, heads: Heads) -> Result<WordIx> {
        let mut at = part;
        for _ in 0..=self.cons.len() {
            let cons = match at {
                Part::Tok(word) => return Ok(word),
                Part::Cons(c) => &self.cons[c],
            };
            at = cons.head(heads).ok_or_else(|| {
                let message = format!("the phrase `{}` has no head", cons.attributes.get("id"));
                malformed(&self.place, cons.line, message)
            })?;
        }
        let message = "the heads of its phrases run in a circle and lead to no word".to_string();
        Err(malformed(&self.place, self.place.line, message))
    }

    /// The head word of the top; of several tops, of the one with most words, the first on a tie. `None` for a
    /// sentence without tokens.
    pub fn root_word(&self, heads: Heads) -> Result<Option<WordIx>> {
        let sizes = self.sizes();
        let size = |part: &&Part| match part {
            Part::Tok(_) => 1,
            Part::Cons(c) => sizes[*c],
        };
        let largest = self.tops.iter().rev().max_by_key(size);
        largest.map(|&top| self.head_word(top, heads)).transpose()
    }

    /// How many tokens each phrase has.
    fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.cons.len()];
        for (c, cons) in self.cons.iter().enumerate().rev() {
            let below = cons.children.iter().map(|part| match part {
                Part::Tok(_) => 1,
                Part::Cons(below) => sizes[*below],
            });
            sizes[c] = below.sum();
        }
        sizes
    }

    /// Its phrases as a tree: categories as labels, parts of speech as preterminals. Several tops hang from a node
    /// `FRAG`. `None` for a sentence without tokens.
    pub fn to_con(&self, loose: Loose) -> Result<Option<ConTree>> {
        let mut tree = ConBuilder::default();
        let top = match self.tops.as_slice() {
            [] => return Ok(None),
            [Part::Cons(c)] => tree.node(self.cons[*c].cat(), None),
            _ => tree.node("FRAG", None),
        };
        let mut above: Vec<Draft> = vec![top; self.toks.len()];
        let mut stack: Vec<(Part, Draft)> = match self.tops.as_slice() {
            [Part::Cons(c)] => self.cons[*c].children.iter().map(|&part| (part, top)).collect(),
            tops => tops.iter().map(|&part| (part, top)).collect(),
        };
        while let Some((part, parent)) = stack.pop() {
            match part {
                Part::Tok(word) => above[word.ix()] = parent,
                Part::Cons(c) => {
                    let node = tree.node(self.cons[c].cat(), Some(parent));
                    stack.extend(self.cons[c].children.iter().map(|&part| (part, node)));
                }
            }
        }
        let mut above = above.into_iter();
        for leaf in self.leaves(loose) {
            match leaf {
                Leaf::Loose(form) => {
                    let tag = tree.node(".", Some(top));
                    tree.word_with(form, form, "", tag);
                }
                Leaf::Tok(tok) => {
                    let tag = tree.node(tok.pos(), above.next());
                    tree.word_with(&tok.form, tok.base(), "", tag);
                }
            }
        }
        let tree = tree.finish();
        tree.map(Some).map_err(|why| Error::Invalid { place: self.place.clone(), why })
    }

    /// Its predicate-argument structures as a dependency parse; see [`pas::to_dep`].
    pub fn to_dep(&self, heads: Heads) -> Result<Converted> {
        pas::to_dep(self, pas::Options { heads, ..pas::Options::default() })
    }
}

fn malformed(place: &Place, line: u64, message: impl Into<String>) -> Error {
    let place = Place::new(place.name.clone(), line);
    treeglot_text::Error::Malformed { place, message: message.into() }.into()
}

/// Builds a [`Sentence`] from its elements in the order of the file.
#[derive(Debug)]
pub(crate) struct SentenceBuilder {
    sentence: Sentence,
    open: Vec<usize>,
}

impl SentenceBuilder {
    pub(crate) fn new(place: Place, attributes: Attributes) -> Self {
        let (cons, toks, tops, loose) = Default::default();
        Self { sentence: Sentence { place, attributes, cons, toks, tops, loose }, open: Vec::new() }
    }

    /// Opens a phrase below the one opened last.
    pub(crate) fn open(&mut self, attributes: Attributes, line: u64) {
        let cons = self.sentence.cons.len();
        self.hang(Part::Cons(cons));
        self.sentence.cons.push(Cons { attributes, children: Vec::new(), heads: [None; 2], line });
        self.open.push(cons);
    }

    /// Closes the phrase opened last.
    pub(crate) fn close(&mut self) {
        self.open.pop();
    }

    pub(crate) fn tok(&mut self, form: String, attributes: Attributes, line: u64) {
        self.hang(Part::Tok(self.sentence.toks.len().into()));
        self.sentence.toks.push(Tok { form, attributes, arguments: [None; ROLES.len()], line });
    }

    /// Takes the words of a span of text that is no token.
    pub(crate) fn loose(&mut self, text: &str) {
        let before = self.sentence.toks.len();
        self.sentence.loose.extend(text.split_whitespace().map(|word| (before, word.to_string())));
    }

    fn hang(&mut self, part: Part) {
        match self.open.last() {
            Some(&above) => self.sentence.cons[above].children.push(part),
            None => self.sentence.tops.push(part),
        }
    }

    /// Follows all references between elements.
    pub(crate) fn finish(self) -> Result<Sentence> {
        let Self { mut sentence, .. } = self;
        let ids = Ids::of(&sentence)?;
        for cons in &mut sentence.cons {
            for (head, name) in cons.heads.iter_mut().zip(["head", "sem_head"]) {
                *head = ids.find(name, &cons.attributes, cons.line)?;
            }
        }
        for tok in &mut sentence.toks {
            for (argument, role) in tok.arguments.iter_mut().zip(ROLES) {
                *argument = ids.find(&role.to_string(), &tok.attributes, tok.line)?;
            }
        }
        Ok(sentence)
    }
}

/// The parts of a sentence by their ids.
struct Ids {
    place: Place,
    parts: FxHashMap<String, Part>,
}

impl Ids {
    fn of(sentence: &Sentence) -> Result<Self> {
        let cons = sentence.cons.iter().enumerate().map(|(c, x)| (Part::Cons(c), &x.attributes, x.line));
        let toks =
            sentence.toks.iter().enumerate().map(|(t, x)| (Part::Tok(t.into()), &x.attributes, x.line));
        let mut parts = FxHashMap::default();
        for (part, attributes, line) in cons.chain(toks) {
            let id = attributes.get("id");
            if !id.is_empty() && parts.insert(id.to_string(), part).is_some() {
                let message = format!("two elements of this sentence have the id `{id}`");
                return Err(malformed(&sentence.place, line, message));
            }
        }
        Ok(Self { place: sentence.place.clone(), parts })
    }

    /// What an attribute refers to; `None` where it is missing or `unk`, Enju's word for "not found".
    fn find(&self, name: &str, attributes: &Attributes, line: u64) -> Result<Option<Part>> {
        let id = attributes.get(name);
        if id.is_empty() || id == "unk" {
            return Ok(None);
        }
        match self.parts.get(id) {
            Some(&part) => Ok(Some(part)),
            None => {
                let message = format!("{name}=\"{id}\" refers to nothing in this sentence");
                Err(malformed(&self.place, line, message))
            }
        }
    }
}
