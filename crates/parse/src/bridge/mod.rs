//! Bridges: any program that parses as a filter, words in and trees out. It is started once and kept alive, gets sentences in
//! batches, and is started again when it dies or does not answer in time; a sentence that it fails on twice gets a flat tree and
//! is counted.
//!
//! The program reads a sentence a line, its words separated by blanks, and answers each with a CoNLL-U block or a bracketed tree in
//! one line, of the same words, without waiting for the end of its input.

mod answer;
mod process;

use crate::error::{Error, Result};
use crate::parser::Parse;
use answer::{Answers, Failure, flat};
use process::Process;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use treeglot_tree::TreeKind;

/// So many sentences in a row without a tree mean that the program is of no use.
const MOST_FAILURES: u32 = 25;

/// How a program is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BridgeSettings {
    /// Seconds that it may take for a sentence.
    pub time_limit: f64,
    /// Seconds more until its first answer: it may have to load a model.
    pub start_limit: f64,
    /// Sentences handed over at a time.
    pub batch: usize,
    /// Whether it is kept for the next batch. A program that answers only at the end of its input is started for each.
    pub keep: bool,
}

impl Default for BridgeSettings {
    fn default() -> Self {
        Self { time_limit: 30.0, start_limit: 120.0, batch: 64, keep: true }
    }
}

impl BridgeSettings {
    /// An error if nothing can be parsed with them.
    pub fn check(&self) -> Result<()> {
        let good = |seconds: f64| seconds.is_finite() && (0.0..=1e6).contains(&seconds);
        if !good(self.time_limit) || !good(self.start_limit) || self.time_limit == 0.0 {
            return Err(Error::Setting("time-limit and start-limit are seconds, up to a million".into()));
        }
        if self.batch == 0 {
            return Err(Error::Setting("batch must be at least 1".into()));
        }
        Ok(())
    }
}

/// What became of the sentences that a program was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BridgeCounts {
    /// Sentences.
    pub sentences: u64,
    /// Those of them that got a flat tree, because there was no fitting answer.
    pub flat: u64,
    /// How often the program was started again.
    pub restarts: u64,
}

impl BridgeCounts {
    /// Adds what became of other sentences.
    pub fn merge(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.flat += other.flat;
        self.restarts += other.restarts;
    }
}

impl fmt::Display for BridgeCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sentences, flat, restarts } = self;
        write!(f, "{flat} of {sentences} flat, {restarts} restarts")
    }
}

/// A program that parses. Threads share it, each with a process of its own.
///
/// ```
/// use treeglot_parse::{Bridge, BridgeSettings};
/// use treeglot_tree::TreeKind;
///
/// // A parser of its kind: a bracket around each word.
/// let command = r#"while read -r line; do echo "(S $(for w in $line; do printf '(X %s)' "$w"; done))"; done"#;
/// let bridge = Bridge::open(command, &BridgeSettings::default(), &["a", "b"])?;
/// assert_eq!(bridge.kind(), TreeKind::Constituency);
/// let mut parses = bridge.worker().parse(&[vec!["it", "works"]])?;
/// assert_eq!(parses.remove(0).constituency().map(|tree| tree.len()), Some(2));
/// # Ok::<(), treeglot_parse::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bridge {
    command: String,
    settings: BridgeSettings,
    kind: TreeKind,
}

impl Bridge {
    /// A program, which is asked for the tree of a sentence: its answer tells the kind of its trees. No answer, or one that
    /// does not fit, is an error.
    pub fn open(command: &str, settings: &BridgeSettings, probe: &[&str]) -> Result<Self> {
        settings.check()?;
        let mut bridge =
            Self { command: command.to_string(), settings: settings.clone(), kind: TreeKind::Dependency };
        let mut worker = bridge.worker();
        let mut answers = Answers::any();
        let asked = worker.ask(&[probe.to_vec()], &mut answers, &mut Vec::new());
        asked.map_err(|failure| bridge.error(&failure))?;
        bridge.kind = answers.kind.unwrap_or(TreeKind::Dependency);
        Ok(bridge)
    }

    /// The kind of its trees.
    pub fn kind(&self) -> TreeKind {
        self.kind
    }

    /// A worker for one thread; its process starts with its first sentence.
    pub fn worker(&self) -> BridgeWorker<'_> {
        BridgeWorker { bridge: self, process: None, counts: BridgeCounts::default(), failures: 0 }
    }

    fn error(&self, failure: &Failure) -> Error {
        Error::Bridge { command: self.command.clone(), why: failure.to_string() }
    }
}

/// A process of a program, and what became of its sentences.
pub struct BridgeWorker<'b> {
    bridge: &'b Bridge,
    process: Option<Process>,
    counts: BridgeCounts,
    /// Sentences in a row without a tree.
    failures: u32,
}

impl BridgeWorker<'_> {
    /// The parses of sentences, in order. An error comes only when the program fails on one sentence after the other.
    pub fn parse(&mut self, sentences: &[Vec<&str>]) -> Result<Vec<Parse>> {
        let filled: Vec<Vec<&str>> = sentences.iter().filter(|words| !words.is_empty()).cloned().collect();
        let mut answers = Answers::of(self.bridge.kind);
        let mut trees = Vec::with_capacity(filled.len());
        for batch in filled.chunks(self.bridge.settings.batch) {
            let begin = trees.len();
            if self.ask(batch, &mut answers, &mut trees).is_ok() {
                self.failures = 0;
                continue;
            }
            // Which sentence is to blame shows only when each is asked for alone: a program may answer late.
            for words in &batch[trees.len() - begin..] {
                let tree = self.one(words, &mut answers)?;
                trees.push(tree);
            }
        }
        self.counts.sentences += sentences.len() as u64;
        let mut trees = trees.into_iter();
        let mut tree = |words: &Vec<&str>| if words.is_empty() { None } else { trees.next() };
        let none = || Parse::none(self.bridge.kind);
        Ok(sentences.iter().map(|words| tree(words).unwrap_or_else(none)).collect())
    }

    /// What became of sentences so far.
    pub fn counts(&self) -> BridgeCounts {
        self.counts
    }

    /// The tree of one sentence: flat if a process that was started for it gives none either.
    fn one(&mut self, words: &[&str], answers: &mut Answers) -> Result<Parse> {
        loop {
            let fresh = self.process.is_none();
            let mut trees = Vec::new();
            match self.ask(&[words.to_vec()], answers, &mut trees) {
                Ok(()) => {
                    self.failures = 0;
                    return Ok(trees.swap_remove(0));
                }
                Err(_) if !fresh => {}
                Err(failure) => {
                    self.failures += 1;
                    if self.failures >= MOST_FAILURES {
                        return Err(self.bridge.error(&failure));
                    }
                    self.counts.flat += 1;
                    return Ok(flat(self.bridge.kind, words));
                }
            }
        }
    }

    /// Hands sentences over and takes as many trees as there are fitting answers. After a failure the process is gone.
    fn ask(
        &mut self,
        batch: &[Vec<&str>],
        answers: &mut Answers,
        trees: &mut Vec<Parse>,
    ) -> std::result::Result<(), Failure> {
        let asked = self.try_ask(batch, answers, trees);
        if asked.is_err() || !self.bridge.settings.keep {
            self.counts.restarts += u64::from(asked.is_err());
            self.process = None;
        }
        asked
    }

    fn try_ask(
        &mut self,
        batch: &[Vec<&str>],
        answers: &mut Answers,
        trees: &mut Vec<Parse>,
    ) -> std::result::Result<(), Failure> {
        let settings = &self.bridge.settings;
        let fresh = self.process.is_none();
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.bridge.command)?),
        };
        let mut text = String::new();
        for words in batch {
            text.push_str(&words.join(" "));
            text.push('\n');
        }
        process.send(text);
        let mut seconds = settings.time_limit + if fresh { settings.start_limit } else { 0.0 };
        if !settings.keep {
            process.close();
            seconds += settings.time_limit * batch.len() as f64;
        }
        for words in batch {
            trees.push(answers.next(process, Duration::from_secs_f64(seconds), words)?);
            seconds = settings.time_limit;
        }
        Ok(())
    }
}
