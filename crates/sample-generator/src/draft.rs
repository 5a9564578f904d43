//! A sentence under construction: words with their heads, given in any order, and the nesting of constituents that
//! fixes the order. Dependencies and constituents are built side by side, so that an order may cross dependencies.

use crate::lexicon::Unit;
use crate::syntax::Concept;
use treeglot_sample::SampleSentence;
use treeglot_tree::Draft as NodeDraft;
use treeglot_tree::{ConBuilder, DepParse};

/// A word of a [`Draft`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tok(usize);

/// What is known of a word when it is made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub form: String,
    pub lemma: String,
    pub upos: &'static str,
    pub xpos: &'static str,
    pub feats: String,
    pub concepts: Concepts,
}

/// What a word expresses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Concepts {
    /// What it stands for: words that share such a concept are surely linked.
    pub core: Vec<Concept>,
    /// What it helps to express, such as the tense of a verb: words that share such a concept are possibly linked.
    pub help: Vec<Concept>,
}

impl Concepts {
    fn all(&self) -> impl Iterator<Item = &Concept> {
        self.core.iter().chain(&self.help)
    }

    /// Whether a word of the other language has one of them.
    pub fn link(&self, other: &Self) -> bool {
        self.all().any(|c| other.all().any(|o| o == c))
    }

    /// Whether a word of the other language stands for the same.
    pub fn surely_link(&self, other: &Self) -> bool {
        self.core.iter().any(|c| other.core.contains(c))
    }
}

impl Word {
    /// A word without features or concepts.
    pub fn new(form: &str, lemma: &str, upos: &'static str, xpos: &'static str) -> Self {
        Self { form: form.to_owned(), lemma: lemma.to_owned(), upos, xpos, ..Self::default() }
    }

    /// Adds a concept it stands for.
    pub fn means(mut self, concept: Concept) -> Self {
        self.concepts.core.push(concept);
        self
    }

    /// Adds a concept it helps to express.
    pub fn helps(mut self, concept: Concept) -> Self {
        self.concepts.help.push(concept);
        self
    }

    /// Sets the features.
    pub fn feats(mut self, feats: impl Into<String>) -> Self {
        self.feats = feats.into();
        self
    }
}

/// A constituent: its label, its function and its parts in order.
#[derive(Debug, Clone)]
pub(crate) enum Con {
    Word(Tok),
    Node(&'static str, &'static str, Vec<Con>),
}

impl Con {
    /// A constituent without function.
    pub fn node(label: &'static str, children: Vec<Con>) -> Self {
        Self::Node(label, "", children)
    }

    /// Sets the grammatical function.
    pub fn role(self, function: &'static str) -> Self {
        match self {
            Self::Node(label, _, children) => Self::Node(label, function, children),
            word => word,
        }
    }

    fn collect(&self, order: &mut Vec<Tok>) {
        match self {
            Self::Word(tok) => order.push(*tok),
            Self::Node(_, _, children) => children.iter().for_each(|c| c.collect(order)),
        }
    }
}

struct Entry {
    word: Word,
    head: Option<Tok>,
    relation: &'static str,
}

/// The words of a sentence under construction.
pub(crate) struct Draft {
    entries: Vec<Entry>,
    comma_tag: &'static str,
}

const COMMA: &str = ",";

impl Draft {
    /// No words yet; commas will have this tag.
    pub fn new(comma_tag: &'static str) -> Self {
        Self { entries: vec![], comma_tag }
    }

    /// Adds a word, not yet attached.
    pub fn word(&mut self, word: Word) -> Tok {
        self.entries.push(Entry { word, head: None, relation: "root" });
        Tok(self.entries.len() - 1)
    }

    /// Adds a word that depends on another.
    pub fn dependent(&mut self, word: Word, head: Tok, relation: &'static str) -> Con {
        let tok = self.word(word);
        self.attach(tok, head, relation);
        Con::Word(tok)
    }

    /// Makes a word a dependent of another.
    pub fn attach(&mut self, tok: Tok, head: Tok, relation: &'static str) {
        debug_assert_ne!(tok, head);
        self.entries[tok.0].head = Some(head);
        self.entries[tok.0].relation = relation;
    }

    /// Adds a concept that a word helps to express.
    pub fn add_help(&mut self, tok: Tok, concept: Concept) {
        self.entries[tok.0].word.concepts.help.push(concept);
    }

    /// A comma beside a clause; it vanishes beside another punctuation mark and at the start.
    pub fn comma(&mut self, head: Tok, concept: Option<Concept>) -> Con {
        let mut word = Word::new(COMMA, COMMA, "PUNCT", self.comma_tag);
        word.concepts.help.extend(concept);
        self.dependent(word, head, "punct")
    }

    /// Adds the words of a fixed expression, or of one that belongs to a verb with this concept; its head is not yet
    /// attached. Of the words that carry the whole meaning, only the head of an expression of its own stands for it.
    pub fn unit(&mut self, unit: &Unit, concept: Concept, of_verb: bool) -> (Tok, Vec<Con>) {
        let whole = if of_verb { None } else { Some(unit.head()) };
        let mut toks: Vec<Tok> = vec![];
        for (at, w) in unit.words.iter().enumerate() {
            let mut word = Word::new(w.form, w.lemma, w.upos, w.xpos);
            for &part in &w.parts {
                let carriers = unit.words.iter().filter(|o| o.parts.contains(&part)).count();
                let beside = w.relation == "det" && carriers > 1;
                let core = whole == Some(at) || (part != 0 && !beside);
                word = if core { word.means(concept.part(part)) } else { word.helps(concept.part(part)) };
            }
            toks.push(self.word(word));
        }
        for (at, head) in unit.heads().into_iter().enumerate() {
            if let Some(head) = head {
                self.attach(toks[at], toks[head], unit.words[at].relation);
            }
        }
        (toks[unit.head()], toks.iter().map(|&t| Con::Word(t)).collect())
    }

    /// Fixes the order, and returns the sentence with each word's concepts.
    pub fn finish(self, con: &Con) -> (SampleSentence, Vec<Concepts>) {
        let mut order = vec![];
        con.collect(&mut order);
        debug_assert_eq!(order.len(), self.entries.len(), "every word stands in the sentence once");
        let kept = self.without_idle_commas(&order);
        let mut position = vec![None; self.entries.len()];
        for (at, tok) in kept.iter().enumerate() {
            position[tok.0] = Some(at as u32 + 1);
        }
        let forms: Vec<String> = kept
            .iter()
            .enumerate()
            .map(|(at, t)| match at {
                0 => capitalised(&self.entries[t.0].word.form),
                _ => self.entries[t.0].word.form.clone(),
            })
            .collect();
        let mut parse = DepParse::new(0);
        for (tok, form) in kept.iter().zip(&forms) {
            let Entry { word, head, relation } = &self.entries[tok.0];
            let feats = if word.feats.is_empty() { "_" } else { &word.feats };
            let head =
                head.map_or(0, |h| position[h.0].expect("only commas vanish, and nothing depends on them"));
            let columns = [form, &word.lemma, word.upos, word.xpos, feats, relation, "_", "_"];
            parse.push(columns, Some(head));
        }
        let mut builder = ConBuilder::default();
        let mut next = 0;
        self.build(con, None, &position, &mut next, &forms, &mut builder);
        let con = builder.finish().expect("a constituent holds more than commas");
        let concepts = kept.iter().map(|t| self.entries[t.0].word.concepts.clone()).collect();
        (SampleSentence { raw: raw(&forms), parse, con }, concepts)
    }

    fn is_comma(&self, tok: Tok) -> bool {
        self.entries[tok.0].word.form == COMMA
    }

    fn without_idle_commas(&self, order: &[Tok]) -> Vec<Tok> {
        let mut kept: Vec<Tok> = vec![];
        for &tok in order {
            let punctuation = self.entries[tok.0].word.upos == "PUNCT";
            let after_comma = kept.last().is_some_and(|&last| self.is_comma(last));
            if punctuation && after_comma && !self.is_comma(tok) {
                kept.pop();
            }
            if !(self.is_comma(tok) && (after_comma || kept.is_empty())) {
                kept.push(tok);
            }
        }
        kept
    }

    fn build(
        &self,
        con: &Con,
        parent: Option<NodeDraft>,
        position: &[Option<u32>],
        next: &mut usize,
        forms: &[String],
        builder: &mut ConBuilder,
    ) {
        match con {
            Con::Word(tok) => {
                if position[tok.0].is_some() {
                    let tag = builder.node(self.entries[tok.0].word.xpos, parent);
                    builder.word(&forms[*next], tag);
                    *next += 1;
                }
            }
            Con::Node(label, function, children) => {
                let argument = *label == "NP" && ["SB", "OA", "DA"].contains(function);
                let node = match argument {
                    true => builder.node(&format!("NP-{function}"), parent),
                    false => builder.node(label, parent),
                };
                builder.set_edge(node, function);
                for child in children {
                    self.build(child, Some(node), position, next, forms, builder);
                }
            }
        }
    }
}

fn capitalised(form: &str) -> String {
    let mut chars = form.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// Joins the words as one writes them: no space before punctuation and the English genitive.
fn raw(forms: &[String]) -> String {
    let mut text = String::new();
    for form in forms {
        if !text.is_empty() && ![",", ".", "?", "!", "'s", "'"].contains(&form.as_str()) {
            text.push(' ');
        }
        text.push_str(form);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The raw sentence of words, `,` being a comma that may vanish.
    fn written(words: &[&str]) -> SampleSentence {
        let mut draft = Draft::new("$,");
        let root = draft.word(Word::new("x", "x", "X", "X"));
        let mut parts = vec![Con::Word(root)];
        for word in words {
            parts.push(match *word {
                "," => draft.comma(root, None),
                "." => draft.dependent(Word::new(".", ".", "PUNCT", "$."), root, "punct"),
                word => draft.dependent(Word::new(word, word, "X", "X"), root, "dep"),
            });
        }
        draft.finish(&Con::node("S", parts)).0
    }

    #[test]
    fn commas_vanish_beside_punctuation_only() {
        assert_eq!(written(&["a", ",", "b", "."]).raw, "X a, b.");
        assert_eq!(written(&["a", ",", ",", "b", ",", "."]).raw, "X a, b.");
        assert_eq!(written(&["a", ",", ",", "."]).raw, "X a.");
    }

    #[test]
    fn the_first_word_is_capitalised_and_the_genitive_joined() {
        let side = written(&["'s", "ärger", "!"]);
        assert_eq!(side.raw, "X's ärger!");
        assert_eq!(side.tokens(), "X 's ärger !");
        assert_eq!(capitalised("über"), "Über");
    }
}
