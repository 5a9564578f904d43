//! Predicate-argument structures to dependency trees (Wu et al. 2012, sections 2.4 and 2.5): *finding* the head word
//! of each argument, *mapping* each predicate to word arcs by its type ([`table`]), and *checking* that each word has
//! one head ([`check`]).
//!
//! For Enju the root is the head word, syntactic or semantic as asked, of the sentence's top node; of several top
//! nodes (a fragmental parse) it is that of the largest, the first on a tie. An argument that Enju could not find
//! makes no arc. CCG dependencies come as word arcs and enter at the checking step, see
//! [`crate::format::ccg_parg`].

pub mod check;
pub mod from_ud;
pub mod table;

pub use check::Dependency;

use crate::error::Result;
use crate::format::enju::{Leaf, Loose, Sentence};
use crate::index::WordIx;
use crate::parse::{DepParse, Field};
use std::ops::AddAssign;
use table::{ROLES, Role};

/// Which of a node's two heads stands for it: the paper's "PAS+syn" and "PAS+sem".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heads {
    /// The syntactic head.
    #[default]
    Syn,
    /// The semantic head.
    Sem,
}

impl Heads {
    /// Those of a name, `syn` or `sem`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "syn" => Some(Self::Syn),
            "sem" => Some(Self::Sem),
            _ => None,
        }
    }
}

/// What to do with a predicate whose type the table lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// It is an error that names the type.
    #[default]
    Error,
    /// It makes no arc, so that the word may be left without a head.
    Headless,
}

/// How to turn predicate-argument structures into trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The heads to find.
    pub heads: Heads,
    /// What becomes of unknown predicate types.
    pub unknown: Unknown,
    /// What becomes of words that the parser passed over.
    pub loose: Loose,
}

/// What it took to make a graph a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Whether a cycle is left: the heads are not a tree.
    pub illegal: bool,
    /// Arcs given up because their word had several, or was the root.
    pub dropped: usize,
    /// Words without a head that were hung from the root.
    pub attached: usize,
    /// Predicates whose type the table lacks.
    pub unknown: usize,
}

/// Reports of many sentences, added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many sentences.
    pub sentences: usize,
    /// How many of them are no trees.
    pub illegal: usize,
    /// All arcs given up.
    pub dropped: usize,
    /// All words hung from the root.
    pub attached: usize,
    /// All predicates of unknown type.
    pub unknown: usize,
}

impl AddAssign<Report> for Tally {
    fn add_assign(&mut self, report: Report) {
        self.sentences += 1;
        self.illegal += usize::from(report.illegal);
        self.dropped += report.dropped;
        self.attached += report.attached;
        self.unknown += report.unknown;
    }
}

/// A dependency parse and how it came about. The parse is not checked: after an illegal report it has a cycle.
#[derive(Debug, Clone)]
pub struct Converted {
    /// The words with their heads.
    pub parse: DepParse,
    /// What it took.
    pub report: Report,
}

/// A predicate and the head words of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate<'a> {
    /// The predicate's word.
    pub word: WordIx,
    /// Its type, such as `verb_arg12`.
    pub kind: &'a str,
    /// The head words in the order of [`ROLES`]; `None` where there is no such argument.
    pub arguments: [Option<WordIx>; ROLES.len()],
}

impl Predicate<'_> {
    /// The word that fills a role.
    pub fn filler(&self, role: Role) -> Option<WordIx> {
        match role {
            Role::Pred => Some(self.word),
            _ => ROLES.iter().position(|&r| r == role).and_then(|r| self.arguments[r]),
        }
    }

    /// The arcs it makes, or `None` when the table lacks its type. An arc is labelled by the type, and by the role of
    /// its dependent unless that is the predicate.
    pub fn arcs(&self) -> Option<Vec<Dependency>> {
        let arcs = table::arcs(self.kind)?.iter().filter_map(|&(below, above)| {
            let (dependent, head) = (self.filler(below)?, self.filler(above)?);
            let label = match below {
                Role::Pred => self.kind.to_string(),
                role => format!("{}:{role}", self.kind),
            };
            Some(Dependency { dependent, head, label })
        });
        Some(arcs.collect())
    }
}

/// The finding step for one sentence: its predicates with the head words of their arguments. Positions are those of
/// the sentence's tokens, words that the parser passed over not counted.
pub fn predicates(sentence: &Sentence, heads: Heads) -> Result<Vec<Predicate<'_>>> {
    let mut found = Vec::new();
    for (t, tok) in sentence.toks().iter().enumerate().filter(|(_, tok)| !tok.pred().is_empty()) {
        let mut arguments = [None; ROLES.len()];
        for (argument, part) in arguments.iter_mut().zip(tok.arguments()) {
            *argument = part.map(|p| sentence.head_word(p, heads)).transpose()?;
        }
        found.push(Predicate { word: t.into(), kind: tok.pred(), arguments });
    }
    Ok(found)
}

/// Finding, mapping and checking for one Enju sentence. A sentence that was not parsed gives an empty parse.
pub fn to_dep(sentence: &Sentence, options: Options) -> Result<Converted> {
    let (mut parse, position) = words(sentence, options.loose);
    let Some(root) = sentence.root_word(options.heads)? else {
        return Ok(Converted { parse: DepParse::at(sentence.place().clone()), report: Report::default() });
    };
    let mut graph = Vec::new();
    let mut unknown = 0;
    for predicate in predicates(sentence, options.heads)? {
        match (predicate.arcs(), options.unknown) {
            (Some(arcs), _) => graph.extend(arcs),
            (None, Unknown::Headless) => unknown += 1,
            (None, Unknown::Error) => {
                let message = format!(
                    "no arcs are known for the predicate type `{}` of `{}`; leave such words headless to go on",
                    predicate.kind,
                    sentence.toks()[predicate.word.ix()].form()
                );
                return Err(sentence.malformed_at(predicate.word, message));
            }
        }
    }
    for arc in &mut graph {
        arc.dependent = position[arc.dependent.ix()];
        arc.head = position[arc.head.ix()];
    }
    let mut report = settle(&mut parse, position[root.ix()], &graph);
    report.unknown = unknown;
    Ok(Converted { parse, report })
}

/// Runs the checking step and writes heads and relations into `parse`: `root`, the arc's label, or `dep` for a word
/// that had no head.
pub fn settle(parse: &mut DepParse, root: WordIx, graph: &[Dependency]) -> Report {
    let checked = check::one_head_each(parse.len(), root, graph);
    for (word, kept) in parse.words().zip(&checked.kept) {
        let (head, label) = match kept {
            Some(a) => (Some(graph[*a].head), graph[*a].label.as_str()),
            None if word == root => (None, "root"),
            None => (Some(root), "dep"),
        };
        parse.set_head(word, head);
        parse.set(word, Field::Deprel, label);
    }
    checked.report
}

/// The words of a sentence without heads, and the position of each token among them.
fn words(sentence: &Sentence, loose: Loose) -> (DepParse, Vec<WordIx>) {
    let mut parse = DepParse::at(sentence.place().clone());
    let mut position = Vec::with_capacity(sentence.toks().len());
    for leaf in sentence.leaves(loose) {
        match leaf {
            Leaf::Loose(form) => {
                parse.push([form, form, ".", ".", "_", "_", "_", "_"], None);
            }
            Leaf::Tok(tok) => {
                let [lemma, coarse, tag] = [tok.base(), tok.cat(), tok.pos()].map(or_blank);
                let (feats, pred) = (tok.features(), format!("Pred={}", tok.pred()));
                let misc = if tok.pred().is_empty() { "_" } else { &pred };
                let columns = [tok.form(), lemma, coarse, tag, or_blank(&feats), "_", "_", misc];
                position.push(parse.push(columns, None));
            }
        }
    }
    (parse, position)
}

fn or_blank(text: &str) -> &str {
    if text.is_empty() { "_" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subordinating_conjunction_stands_between_its_clauses() {
        let when = Predicate {
            word: WordIx(0),
            kind: "conj_arg12",
            arguments: [Some(WordIx(10)), Some(WordIx(6)), None, None, None],
        };
        let arcs: Vec<(u32, u32)> = when.arcs().unwrap().iter().map(|a| (a.dependent.0, a.head.0)).collect();
        assert_eq!(arcs, [(6, 0), (0, 10)]);
    }

    #[test]
    fn an_argument_that_was_not_found_makes_no_arc() {
        let arguments = [None, Some(WordIx(2)), None, None, None];
        let verb = Predicate { word: WordIx(1), kind: "verb_arg12", arguments };
        assert_eq!(verb.arcs().unwrap().len(), 1);
        assert_eq!(Predicate { kind: "verb_arg9", ..verb }.arcs(), None);
    }
}
