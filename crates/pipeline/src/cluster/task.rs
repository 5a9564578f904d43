//! What executors do, as data: an [`Op`] is sent to them, and becomes a [`Task`] there.

use super::{Row, align, damaged, ends, lexicon, lines, lm, nodes, rules, translate, tree_lm, tune};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use treeglot_text::vocab::MappedVocab;

/// A kind of work on rows, with all that it depends on beside the rows and files.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Op {
    /// Words of raw lines.
    Words(lines::Words),
    /// Trees of words.
    Parse(Box<lines::Parse>),
    /// Counts linked words.
    CountLinks(lexicon::CountLinks),
    /// Adds such counts up.
    SumLinks(lexicon::SumLinks),
    /// Extracts and counts rules.
    Extract(Box<rules::Extract>),
    /// Divides counted rules by ranges.
    Divide(rules::Divide),
    /// Adds the rules of a range up and scores them.
    Score(Box<rules::Score>),
    /// Divides scored rules by ranges of target sides.
    BySide(ends::BySide),
    /// Counts the target sides of a range.
    CountSides(ends::CountSides),
    /// Leaves of scored rules and target sides what ends scoring.
    Gather(ends::Gather),
    /// Ends scoring the rules of a range.
    End(Box<ends::End>),
    /// Tells which words a text has.
    ListWords(lm::ListWords),
    /// Counts n-grams.
    CountNgrams(lm::CountNgrams),
    /// Adds such counts up.
    SumNgrams(lm::SumNgrams),
    /// Expected links by a model.
    Expect(align::Expect),
    /// Adds such sums up.
    SumExpected(align::SumExpected),
    /// Links by a model.
    Link(align::Link),
    /// Tells which words trees have.
    ListTreeWords(tree_lm::ListTreeWords),
    /// Counts words of trees with what they are predicted from.
    CountTreeWords(tree_lm::CountTreeWords),
    /// Links nodes of trees.
    LinkNodes(Box<nodes::LinkNodes>),
    /// Translations.
    Translate(Box<translate::Translate>),
    /// The best translations of each sentence, for tuning.
    BestLists(Box<tune::BestLists>),
}

/// What an executor does with rows, one after the other. Nothing is kept from row to row that results depend on, but for rows of
/// the same part that come together.
pub trait Task: Send {
    /// Takes a row, and hands rows on.
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()>;

    /// Hands on what is left after the last row.
    fn finish(&mut self, _out: &mut Vec<Row>) -> Result<()> {
        Ok(())
    }
}

/// The task of an op; `files` are those of its step, where this process finds them.
pub fn task(op: Op, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    Ok(match op {
        Op::Words(op) => lines::words_task(&op, files)?,
        Op::Parse(op) => lines::parse_task(*op, files)?,
        Op::CountLinks(op) => Box::new(op),
        Op::SumLinks(op) => Box::new(lexicon::Summing::new(op)),
        Op::Extract(op) => rules::extract_task(*op)?,
        Op::Divide(op) => rules::divide_task(op, files)?,
        Op::Score(op) => rules::score_task(&op, files)?,
        Op::BySide(op) => Box::new(ends::Dividing::new(op)),
        Op::CountSides(op) => Box::new(ends::Counting::new(&op)),
        Op::Gather(op) => Box::new(op),
        Op::End(op) => Box::new(ends::Ending::new(*op)),
        Op::ListWords(op) => Box::new(op),
        Op::CountNgrams(op) => lm::count_task(op, files)?,
        Op::SumNgrams(op) => Box::new(lm::Summing::new(op)),
        Op::Expect(op) => align::expect_task(&op, files)?,
        Op::SumExpected(op) => Box::new(align::Summing::new(op)),
        Op::Link(op) => align::link_task(op, files)?,
        Op::ListTreeWords(op) => Box::new(op),
        Op::CountTreeWords(op) => tree_lm::count_task(op, files)?,
        Op::LinkNodes(op) => nodes::link_task(&op, files)?,
        Op::Translate(op) => translate::task(*op, files)?,
        Op::BestLists(op) => tune::lists_task(*op, files)?,
    })
}

/// What was opened last: an executor's process works on many parts of a step, and opens its files once.
type Kept = Option<(String, Arc<dyn Any + Send + Sync>)>;

/// Opens something that all tasks of a step share, or gives what was opened already. The key names all that it depends on.
pub fn shared<T: Any + Send + Sync>(
    key: &(impl Serialize + ?Sized),
    files: &[PathBuf],
    open: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    static KEPT: Mutex<Kept> = Mutex::new(None);
    let key = serde_json::to_string(&(std::any::type_name::<T>(), key, files)).unwrap_or_default();
    // Held while it is opened: other tasks of the process wait for it rather than open it as well.
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, value)) = &*kept
        && *known == key
        && let Ok(value) = value.clone().downcast::<T>()
    {
        return Ok(value);
    }
    let value = Arc::new(open()?);
    *kept = Some((key, value.clone()));
    Ok(value)
}

/// The numbers of words that a step sends with it.
pub(super) fn numbers_of(files: &[PathBuf]) -> Result<Arc<MappedVocab>> {
    let file = files.first().ok_or_else(|| damaged("no numbers"))?;
    shared("numbers", &files[..1], || Ok(MappedVocab::open(file)?))
}
