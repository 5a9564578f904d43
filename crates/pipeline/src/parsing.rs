//! Trees for sentences that come without any: by a parser of ours or by a program. Training and translation use the same code,
//! so that a model meets trees of the kind it learnt from.

use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use treeglot_models::InputTrees;
use treeglot_models::pairs::{ConInput, DepInput};
use treeglot_parse::{
    Bridge, BridgeCounts, BridgeSettings, BridgeWorker, Outcomes, Parse, ParseSettings, Parser,
};
use treeglot_text::tokenize::unescape;
use treeglot_text::{Lines, Output};
use treeglot_tree::format::{conllu, ptb};
use treeglot_tree::{ConBuilder, ConTree, DepParse, Draft, Field, TreeKind, WordIx};

/// How many sentences a thread parses at a time.
const BLOCK: usize = 256;

/// What a sentence is that a program is asked for before any work, if there is no better one.
const PROBE: &str = "a b .";

/// What parses words: a model of ours, or a program. Read-only: threads share it, each with a [`ParserWorker`].
pub enum WordParser {
    /// A trained parser, and how it is used.
    Model(Parser, ParseSettings),
    /// A program.
    Command(Bridge),
}

/// A thread's buffers, or its process.
pub struct ParserWorker<'p> {
    inner: Inner<'p>,
    sentences: u64,
}

enum Inner<'p> {
    Model(&'p Parser, treeglot_parse::Worker),
    Command(BridgeWorker<'p>),
}

/// What became of the sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ParserCounts {
    /// Sentences with words.
    pub sentences: u64,
    /// Those that got a flat tree, because there was no usable answer.
    pub flat: u64,
    /// Those parsed in pieces, because they are long.
    pub in_pieces: u64,
    /// How often a program was started again.
    pub restarts: u64,
}

impl ParserCounts {
    pub(crate) fn merge(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.flat += other.flat;
        self.in_pieces += other.in_pieces;
        self.restarts += other.restarts;
    }
}

impl fmt::Display for ParserCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sentences)?;
        for (count, what) in
            [(self.flat, "flat"), (self.in_pieces, "in pieces"), (self.restarts, "restarts of the command")]
        {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

impl WordParser {
    /// Opens a trained parser.
    pub fn model(path: &Path, settings: &ParseSettings) -> Result<Self> {
        Ok(Self::Model(Parser::open(path)?, settings.clone()))
    }

    /// Starts a program, which is asked for the tree of a sentence.
    pub fn command(command: &str, settings: &BridgeSettings, probe: Option<&str>) -> Result<Self> {
        let probe = probe.filter(|text| !text.trim().is_empty()).unwrap_or(PROBE);
        let words: Vec<&str> = probe.split_ascii_whitespace().collect();
        Ok(Self::Command(Bridge::open(command, settings, &words)?))
    }

    /// What a user means by a word of the command line: the file of a parser, or else a program.
    pub fn given(parser: &str, probe: Option<&str>) -> Result<Self> {
        match is_model(parser) {
            true => Self::model(Path::new(parser), &ParseSettings::default()),
            false => Self::command(parser, &BridgeSettings::default(), probe),
        }
    }

    /// The kind of its trees.
    pub fn kind(&self) -> TreeKind {
        match self {
            Self::Model(parser, _) => parser.kind(),
            Self::Command(bridge) => bridge.kind(),
        }
    }

    /// A worker for one thread.
    pub fn worker(&self) -> ParserWorker<'_> {
        let inner = match self {
            Self::Model(parser, settings) => Inner::Model(parser, parser.worker(settings)),
            Self::Command(bridge) => Inner::Command(bridge.worker()),
        };
        ParserWorker { inner, sentences: 0 }
    }

    /// Parses each line of a file of words, and writes what `convert` makes of the trees in the usual format of their kind.
    pub fn parse_file(
        &self,
        from: &Path,
        to: &Path,
        convert: impl Fn(Parse) -> Parse,
        threads: usize,
    ) -> Result<ParserCounts> {
        let mut lines = Lines::open(from)?;
        let mut out = Output::create(to)?;
        let mut workers: Vec<ParserWorker<'_>> = (0..threads.max(1)).map(|_| self.worker()).collect();
        let mut block: Vec<String> = Vec::new();
        loop {
            block.clear();
            while block.len() < BLOCK * workers.len() {
                let Some(line) = lines.next_line()? else { break };
                block.push(line.to_string());
            }
            if block.is_empty() {
                break;
            }
            for parses in parse_block(&mut workers, &block) {
                for parse in parses? {
                    write(&convert(parse), &mut out).map_err(|e| out.error(e))?;
                }
            }
        }
        out.finish()?;
        let mut counts = ParserCounts::default();
        workers.iter().for_each(|worker| counts.merge(worker.counts()));
        Ok(counts)
    }
}

/// Whether a word of the command line names the file of a parser.
pub fn is_model(parser: &str) -> bool {
    crate::bundle::is_ours(Path::new(parser)).unwrap_or(false)
}

/// The first line of a text with anything in it.
pub fn first_line(text: &Path) -> Result<Option<String>> {
    let mut lines = Lines::open(text)?;
    while let Some(line) = lines.next_line()? {
        if !line.trim().is_empty() {
            return Ok(Some(line.to_string()));
        }
    }
    Ok(None)
}

/// Sentences shared out among workers; their parses in order.
fn parse_block(workers: &mut [ParserWorker<'_>], block: &[String]) -> Vec<Result<Vec<Parse>>> {
    let share = block.len().div_ceil(workers.len()).max(1);
    std::thread::scope(|scope| {
        let parts = workers.iter_mut().zip(block.chunks(share));
        let running: Vec<_> = parts
            .map(|(worker, part)| {
                let parse = move || worker.parse(&part.iter().map(String::as_str).collect::<Vec<_>>());
                std::thread::Builder::new().spawn_scoped(scope, parse)
            })
            .collect();
        let join = |started: std::io::Result<std::thread::ScopedJoinHandle<'_, _>>| {
            let handle = started.map_err(treeglot_decode::Error::Threads)?;
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        running.into_iter().map(join).collect()
    })
}

fn write(parse: &Parse, out: &mut Output) -> std::io::Result<()> {
    match parse {
        Parse::Dependency(parse) if parse.is_empty() => Ok(()),
        Parse::Dependency(parse) => conllu::write(parse, out),
        Parse::Constituency(Some(tree)) => ptb::write(tree, out),
        Parse::Constituency(None) => ptb::write_failed(out),
    }
}

impl ParserWorker<'_> {
    /// The parses of sentences, each of words separated by blanks. Their words are those given: a word that the treebank takes
    /// apart (`zum`) is one node again, and Moses' entities are characters to the parser only.
    pub fn parse(&mut self, sentences: &[&str]) -> Result<Vec<Parse>> {
        let given: Vec<Vec<&str>> =
            sentences.iter().map(|sentence| sentence.split_ascii_whitespace().collect()).collect();
        let shown: Vec<Vec<String>> =
            given.iter().map(|words| words.iter().map(|word| plain(word)).collect()).collect();
        self.sentences += given.iter().filter(|words| !words.is_empty()).count() as u64;
        let parses = match &mut self.inner {
            Inner::Model(parser, worker) => parsed(parser, worker, &shown),
            Inner::Command(worker) => {
                let shown: Vec<Vec<&str>> =
                    shown.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
                worker.parse(&shown)?
            }
        };
        Ok(parses.into_iter().zip(&given).map(|(parse, words)| with_words(parse, words)).collect())
    }

    /// What became of sentences so far.
    pub fn counts(&self) -> ParserCounts {
        let sentences = self.sentences;
        match &self.inner {
            Inner::Model(_, worker) => {
                let Outcomes { failed, in_pieces } = worker.outcomes();
                ParserCounts { sentences, flat: failed as u64, in_pieces: in_pieces as u64, restarts: 0 }
            }
            Inner::Command(worker) => {
                let BridgeCounts { flat, restarts, .. } = worker.counts();
                ParserCounts { sentences, flat, restarts, in_pieces: 0 }
            }
        }
    }
}

/// A word without Moses' entities.
fn plain(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    unescape(word, &mut out);
    out
}

/// Parses by a model; words that a dependency treebank takes apart are parsed as it has them.
fn parsed(parser: &Parser, worker: &mut treeglot_parse::Worker, sentences: &[Vec<String>]) -> Vec<Parse> {
    let splits = parser.kind() == TreeKind::Dependency;
    let taken_apart: Vec<Vec<Vec<String>>> = sentences
        .iter()
        .map(|words| {
            let apart =
                |word: &String| parser.split(word).filter(|_| splits).unwrap_or_else(|| vec![word.clone()]);
            words.iter().map(apart).collect()
        })
        .collect();
    let words: Vec<Vec<&str>> =
        taken_apart.iter().map(|parts| parts.iter().flatten().map(String::as_str).collect()).collect();
    let words: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
    let parses = worker.parse_all(&words).into_iter().zip(&taken_apart);
    let whole = |(parse, parts): (Parse, &Vec<Vec<String>>)| match parse {
        Parse::Dependency(parse) if parts.iter().any(|part| part.len() > 1) => {
            Parse::Dependency(joined(&parse, &parts.iter().map(Vec::len).collect::<Vec<_>>()))
        }
        parse => parse,
    };
    parses.map(whole).collect()
}

/// A parse with each group of so many words as one. The word of a group that is nearest to the root stands for it: whatever is
/// above that one is nearer still, and so in no group below, which keeps the result a tree.
fn joined(parse: &DepParse, groups: &[usize]) -> DepParse {
    let mut out = DepParse::new(0);
    let Some(sound) = parse.sound_tree() else { return out };
    let tree = &sound.tree;
    let group_of: Vec<usize> =
        groups.iter().enumerate().flat_map(|(group, &words)| std::iter::repeat_n(group, words)).collect();
    let depth = |word: &WordIx| std::iter::successors(Some(*word), |&w| tree.head(w)).count();
    let mut first = 0;
    for &words in groups {
        let Some(top) = (first..first + words).map(WordIx::from).min_by_key(depth) else { continue };
        let head = tree.head(top).map_or(0, |head| group_of[head.ix()] as u32 + 1);
        out.push(parse.columns(top), Some(head));
        first += words;
    }
    out
}

/// The same parse of words as they were given.
fn with_words(parse: Parse, words: &[&str]) -> Parse {
    match parse {
        Parse::Dependency(mut parse) => {
            for (word, form) in parse.words().zip(words) {
                parse.set(word, Field::Form, form);
            }
            Parse::Dependency(parse)
        }
        Parse::Constituency(Some(tree)) if !tree.forms().eq(words.iter().copied()) => {
            Parse::Constituency(reworded(&tree, words))
        }
        parse => parse,
    }
}

/// A tree of other words.
fn reworded(tree: &ConTree, words: &[&str]) -> Option<ConTree> {
    let mut builder = ConBuilder::default();
    let mut drafts: Vec<Draft> = Vec::with_capacity(tree.node_count());
    for node in tree.nodes() {
        let draft = builder.node(tree.label(node), tree.parent(node).map(|parent| drafts[parent.ix()]));
        builder.set_edge(draft, tree.edge(node));
        drafts.push(draft);
    }
    for (word, form) in tree.words().zip(words) {
        builder.word(form, drafts[tree.parent_of_word(word).ix()]);
    }
    builder.finish().ok()
}

/// Adds a parse to the trees of an input, behind those of its kind that are there: each weighs less than the one before, as the
/// trees of several files do.
pub fn add_parse(parse: &Parse, trees: &mut InputTrees) {
    let weight = |before: usize| 1.0 / (before + 1) as f64;
    match parse {
        Parse::Dependency(parse) => {
            let Some(sound) = parse.sound_tree() else { return };
            let tags = parse.words().map(|word| parse.tag(word).to_string()).collect();
            let weight = weight(trees.deps.len());
            trees.deps.push(DepInput { tree: sound.tree, tags, weight });
        }
        Parse::Constituency(tree) => {
            let weight = weight(trees.cons.len());
            trees.cons.extend(tree.clone().map(|tree| ConInput { tree, weight }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::Roots;

    fn heads(parse: &DepParse) -> Vec<u32> {
        parse.words().filter_map(|word| parse.raw_head(word)).collect()
    }

    fn parse(heads: &[u32]) -> DepParse {
        let mut parse = DepParse::new(0);
        heads.iter().enumerate().for_each(|(at, &head)| {
            parse.push_word(&format!("w{at}"), "_", Some(head), "_");
        });
        parse
    }

    #[test]
    fn words_that_were_taken_apart_are_one_node_again() {
        // "er geht zu dem haus ." with "zum" as one word.
        let joined = joined(&parse(&[2, 0, 5, 5, 2, 2]), &[1, 1, 2, 1, 1]);
        assert_eq!(heads(&joined), [2, 0, 4, 2, 2]);
        assert_eq!(joined.form(WordIx(2)), "w2");
    }

    #[test]
    fn a_group_with_words_above_and_below_another_leaves_a_tree() {
        // The second group has the root and a word that hangs from the first, which hangs from the root.
        let joined = joined(&parse(&[3, 1, 0]), &[1, 2]);
        assert_eq!(heads(&joined), [2, 0]);
        assert!(joined.tree(Roots::One).is_ok());
    }

    #[test]
    fn a_program_gives_trees_of_the_words_as_they_are_given() {
        let command =
            r#"while read -r line; do echo "(S $(for w in $line; do printf '(X %s)' "$w"; done))"; done"#;
        let parser = WordParser::given(command, None).unwrap();
        assert_eq!(parser.kind(), TreeKind::Constituency);
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("words"), folder.path().join("trees.ptb"));
        std::fs::write(&from, "it &apos;s\n\nso\n").unwrap();
        let counts = parser.parse_file(&from, &to, |parse| parse, 2).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "(S (X it) (X &apos;s))\n(())\n(S (X so))\n");
        assert_eq!((counts.flat, counts.restarts), (0, 0));
    }
}
