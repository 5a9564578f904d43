//! What the C&C parser prints for a sentence: dependencies such as `pays_2 (S[dcl]{_}\NP{Y}<1>){_} 1 John_1 0`, or
//! grammatical relations such as `(dobj pays_1 money_4)`, and then a line `<c> word|tag|category ...` with all words.
//! Dependencies count words from 1, relations from 0. Empty lines and lines that start with `# ` are layout.

use super::{Edge, Relation, Word};
use crate::index::WordIx;

/// The grammatical relations, and where in them head and dependent stand, after the relation's name (Clark and Curran
/// 2007, tables 11 to 13). What else stands in a relation is a subtype, an introducing word or an initial role.
const RELATIONS: &[(&[&str], usize, usize)] = &[
    (&["aux", "conj", "det", "dobj", "iobj", "obj", "obj2", "ncsubj", "xsubj", "csubj"], 0, 1),
    (&["ncmod", "xmod", "cmod", "pmod", "xcomp", "ccomp", "pcomp", "ta", "arg_mod"], 1, 2),
];

/// A word as a dependency names it.
#[derive(Debug)]
struct Mention {
    form: String,
    position: usize,
}

#[derive(Debug)]
struct PendingEdge {
    argument: Mention,
    functor: Mention,
    relation: Relation,
}

/// The dependencies of a sentence whose words were not met yet.
#[derive(Debug, Default)]
pub(super) struct Pending {
    edges: Vec<PendingEdge>,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Adds a line of either kind, or tells what is wrong with it.
    pub(super) fn add(&mut self, line: &str) -> Result<(), String> {
        let edge = match line.strip_prefix('(') {
            Some(rest) if !line.contains('{') => relation(rest, line)?,
            _ => dependency(line)?,
        };
        self.edges.push(edge);
        Ok(())
    }

    /// Takes the words of the line `<c> ...` and ends the sentence.
    pub(super) fn finish(&mut self, words: &str) -> Result<(Vec<Word>, Vec<Edge>), String> {
        let words: Vec<Word> = words.split_whitespace().map(word).collect::<Result<_, _>>()?;
        let edges = std::mem::take(&mut self.edges).into_iter().map(|edge| {
            let PendingEdge { argument, functor, relation } = edge;
            Ok(Edge { argument: find(&words, &argument)?, functor: find(&words, &functor)?, relation })
        });
        let edges = edges.collect::<Result<_, String>>()?;
        Ok((words, edges))
    }
}

fn find(words: &[Word], mention: &Mention) -> Result<WordIx, String> {
    let Mention { form, position } = mention;
    match words.get(*position).and_then(|w| w.form.as_ref()) {
        Some(known) if known == form => Ok((*position).into()),
        Some(known) => Err(format!("a dependency names word {} `{form}`, but it is `{known}`", position + 1)),
        None => {
            Err(format!("a dependency names word {}, but the sentence has {}", position + 1, words.len()))
        }
    }
}

/// `word|category` or `word|tag|category`; a word may contain bars.
fn word(text: &str) -> Result<Word, String> {
    let mut parts = text.rsplitn(3, '|');
    let (Some(category), Some(second)) = (parts.next(), parts.next()) else {
        return Err(format!("`{text}` in the `<c>` line is not of the form `word|tag|category`"));
    };
    let (form, pos) = match parts.next() {
        Some(form) => (form, Some(second.to_string())),
        None => (second, None),
    };
    Ok(Word { form: Some(form.to_string()), pos, category: Some(category.to_string()) })
}

/// `functor_1 category slot argument_2 rule [category]`.
fn dependency(line: &str) -> Result<PendingEdge, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let &[functor, category, slot, argument, _rule, ..] = fields.as_slice() else {
        return Err(format!(
            "`{line}` is neither a dependency (`word_1 category slot word_2 rule`) nor a relation"
        ));
    };
    let slot = slot.parse().map_err(|_| format!("the slot `{slot}` is not a number"))?;
    let extraction = None;
    let relation = Relation::Slot { category: category.to_string(), slot, extraction };
    Ok(PendingEdge { argument: mention(argument, 1)?, functor: mention(functor, 1)?, relation })
}

/// The rest of `(name ...)` after its bracket.
fn relation(rest: &str, line: &str) -> Result<PendingEdge, String> {
    let content = rest.strip_suffix(')').ok_or_else(|| format!("`{line}` has no closing bracket"))?;
    let fields: Vec<&str> = content.split_whitespace().collect();
    let (name, fields) = fields.split_first().ok_or("an empty relation")?;
    let row = RELATIONS.iter().find(|(names, ..)| names.contains(name));
    let &(_, head, dependent) =
        row.ok_or_else(|| format!("the grammatical relation `{name}` is not known"))?;
    let at = |n: usize| fields.get(n).copied().ok_or_else(|| format!("`{line}` is too short for `{name}`"));
    let (functor, argument) = (mention(at(head)?, 0)?, mention(at(dependent)?, 0)?);
    Ok(PendingEdge { argument, functor, relation: Relation::Named(name.to_string()) })
}

/// `word_7`, where positions count from `first`.
fn mention(text: &str, first: usize) -> Result<Mention, String> {
    let parsed = text.rsplit_once('_').and_then(|(form, position)| {
        let position = position.parse::<usize>().ok()?.checked_sub(first)?;
        Some(Mention { form: form.to_string(), position })
    });
    parsed.ok_or_else(|| format!("`{text}` is not of the form `word_{}`", first + 6))
}
