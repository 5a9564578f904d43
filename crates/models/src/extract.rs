//! Rules from files of pairs, on all threads: reading, checking, extraction, and handing on in the order of the pairs.
//! Only a few chunks are in memory at a time, whatever the size of the corpus.

use crate::Model;
use crate::error::{Error, Result};
use crate::pairs::{Bad, Chunk, Pairs};
use std::fmt;
use std::io::{self, Write};
use treeglot_align::{LexTable, LinkCounts};
use treeglot_grammar::{Batch, Symbol};
use treeglot_text::bitext::Skipped;
use treeglot_text::interrupt;
use treeglot_text::vocab::{Sym, Vocab};

/// How many chunks each thread has at hand.
const CHUNKS_PER_THREAD: usize = 2;

/// What was extracted, and from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Pairs that rules were extracted from.
    pub pairs: u64,
    /// Pairs with an empty side, which have no rules.
    pub empty: u64,
    /// Rule instances.
    pub instances: u64,
    /// Phrases with more rules than were handed on.
    pub cut_phrases: u64,
    /// Trees with cycles or several roots, used where they are sound.
    pub mended: u64,
    /// Lines that could not be read.
    pub lines: Skipped,
    /// Pairs left out.
    pub bad: Bad,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, empty, instances, cut_phrases, mended, lines, bad } = self;
        let count = |n: u64, thing: &str| format!("{n} {thing}{}", if n == 1 { "" } else { "s" });
        write!(f, "{} from {}", count(*instances, "instance"), count(*pairs, "pair"))?;
        if *empty > 0 {
            write!(f, "; {} with an empty side", count(*empty, "pair"))?;
        }
        if *cut_phrases > 0 {
            write!(f, "; {} had more rules than the limit", count(*cut_phrases, "phrase"))?;
        }
        if *mended > 0 {
            write!(f, "; {} with cycles or several roots, used where sound", count(*mended, "tree"))?;
        }
        if bad.links > 0 {
            write!(f, "; {} skipped for links that do not fit", count(bad.links, "pair"))?;
        }
        if bad.trees > 0 {
            write!(f, "; {} skipped for trees that do not fit", count(bad.trees, "pair"))?;
        }
        if lines.total() > 0 {
            write!(f, "; {lines}")?;
        }
        Ok(())
    }
}

/// Lexical tables over the links of a corpus.
#[derive(Default)]
pub struct Lexicon {
    vocab: Vocab,
    counts: LinkCounts,
}

impl Lexicon {
    /// Writes a table in Moses' format.
    pub fn write(&self, table: LexTable, out: &mut impl Write) -> io::Result<()> {
        self.counts.write(|id| self.vocab.word(Sym(id)), table, out)
    }

    /// Adds a count; no word is the empty word.
    pub fn add_count(&mut self, source: Option<&str>, target: Option<&str>, count: u32) {
        let [source, target] = [source, target].map(|word| word.map(|word| self.vocab.intern(word).0));
        self.counts.add_count(source, target, count);
    }

    /// All counts, in no order; no word is the empty word.
    pub fn counts(&self) -> impl Iterator<Item = (Option<&str>, Option<&str>, u32)> {
        let word = |id: Option<u32>| id.map(|id| self.vocab.word(Sym(id)));
        self.counts.iter().map(move |(source, target, n)| (word(source), word(target), n))
    }

    fn merge(&mut self, part: &Self) {
        let map: Vec<u32> = part.vocab.words().map(|word| self.vocab.intern(word).0).collect();
        self.counts.merge(&part.counts, |id| map[id as usize]);
    }
}

/// What a thread made of a chunk.
struct Done<T> {
    result: T,
    summary: Summary,
    lexicon: Option<Lexicon>,
}

/// Extracts the rules of all pairs. Each thread passes the batches of its chunks through `work`; `take` gets what comes
/// of it, in the order of the pairs, on the calling thread. With `lexicon`, links are counted into it on the way.
///
/// Runs in the current rayon pool. The result does not depend on its size.
pub fn extract<T: Send, E: From<Error>>(
    pairs: &mut Pairs,
    model: &dyn Model,
    mut lexicon: Option<&mut Lexicon>,
    work: impl Fn(Batch) -> T + Sync,
    mut take: impl FnMut(T) -> std::result::Result<(), E>,
) -> std::result::Result<Summary, E> {
    let width = CHUNKS_PER_THREAD * rayon::current_num_threads();
    let count_links = lexicon.is_some();
    let mut summary = Summary::default();
    let mut done: Vec<Done<T>> = Vec::new();
    let mut chunks = pairs.next_chunks(width)?;
    while !chunks.is_empty() || !done.is_empty() {
        let mut results: Vec<Option<Result<Done<T>>>> = chunks.iter().map(|_| None).collect();
        let work = &work;
        let next = rayon::in_place_scope(|scope| -> std::result::Result<_, E> {
            for (chunk, slot) in chunks.drain(..).zip(&mut results) {
                scope.spawn(move |_| *slot = Some(run(chunk, model, count_links, work)));
            }
            for part in done.drain(..) {
                summary.add(&part.summary);
                if let (Some(all), Some(part)) = (&mut lexicon, &part.lexicon) {
                    all.merge(part);
                }
                take(part.result)?;
            }
            Ok(pairs.next_chunks(width))
        })?;
        done = results.into_iter().flatten().collect::<Result<_>>()?;
        chunks = next?;
    }
    summary.lines = pairs.skipped();
    Ok(summary)
}

fn run<T>(chunk: Chunk, model: &dyn Model, count_links: bool, work: impl Fn(Batch) -> T) -> Result<Done<T>> {
    let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
    let mut counts = count_links.then(LinkCounts::default);
    let checked = chunk.for_each(&mut vocab, |pair, vocab| {
        interrupt::check();
        if let Some(counts) = &mut counts {
            let numbers = |words: &[Symbol]| words.iter().map(|word| word.bits()).collect::<Vec<u32>>();
            counts.add(&numbers(pair.source), &numbers(pair.target), pair.links);
        }
        model.extract(pair, vocab, &mut batch);
    })?;
    let lexicon = counts.map(|counts| Lexicon { vocab: vocab.clone(), counts });
    let summary = Summary {
        pairs: checked.pairs,
        empty: checked.empty,
        instances: batch.len() as u64,
        cut_phrases: batch.cut_phrases(),
        mended: checked.mended,
        lines: Skipped::default(),
        bad: checked.bad,
    };
    batch.vocab = vocab;
    Ok(Done { result: work(batch), summary, lexicon })
}

impl Summary {
    fn add(&mut self, part: &Self) {
        self.pairs += part.pairs;
        self.empty += part.empty;
        self.instances += part.instances;
        self.cut_phrases += part.cut_phrases;
        self.mended += part.mended;
        self.bad.links += part.bad.links;
        self.bad.trees += part.bad.trees;
    }
}
