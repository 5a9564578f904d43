//! Trees for sentences that come without any: which kinds each system translates, and which parsers give them.

use crate::bundle::Components;
use crate::error::{Error, Result};
use crate::parsing::{ParserWorker, WordParser, add_parse};
use std::path::PathBuf;
use treeglot_decode::Weights;
use treeglot_models::InputTrees;
use treeglot_parse::Parse;
use treeglot_text::Side;
use treeglot_tree::{PerTree, TreeKind};

/// The parsers of all systems, and who uses which.
pub(super) struct Parsers {
    parsers: Vec<WordParser>,
    systems: Vec<SystemTrees>,
}

/// What a system translates.
struct SystemTrees {
    kinds: Vec<TreeKind>,
    /// Its parsers, by number.
    parsers: Vec<usize>,
}

/// A thread's buffers.
pub(super) struct TreeWorker<'s> {
    shared: &'s Parsers,
    workers: Vec<ParserWorker<'s>>,
}

fn has(trees: &InputTrees, kind: TreeKind) -> bool {
    match kind {
        TreeKind::Dependency => !trees.deps.is_empty(),
        TreeKind::Constituency => !trees.cons.is_empty(),
    }
}

impl Parsers {
    /// Opens the parsers of systems. Those given, as files or commands, take the place of their own of the same kind.
    pub fn open(systems: &[(Components, Weights)], given: &[String]) -> Result<Self> {
        let mut parsers = given.iter().map(|one| WordParser::given(one, None)).collect::<Result<Vec<_>>>()?;
        let kinds = systems.iter().map(|(components, _)| components.source_trees());
        let kinds = kinds.collect::<Result<Vec<_>>>()?;
        for (parser, name) in parsers.iter().zip(given) {
            if !kinds.iter().flatten().any(|&kind| kind == parser.kind()) {
                let why = format!("`{name}` gives {} trees, which nothing here translates", parser.kind());
                return Err(Error::Invalid(why));
            }
        }
        let mut opened: Vec<(PathBuf, usize)> = Vec::new();
        let mut all = Vec::new();
        for ((components, _), kinds) in systems.iter().zip(kinds) {
            let mut own: Vec<usize> =
                (0..given.len()).filter(|&k| kinds.contains(&parsers[k].kind())).collect();
            for (file, parser) in components.parsers.iter().zip(components.parsers()?) {
                let replaced = own.iter().any(|&k| k < given.len() && parsers[k].kind() == file.kind);
                if replaced || !kinds.contains(&file.kind) {
                    continue;
                }
                // Systems of one experiment have the same files: each is opened and asked once.
                let known = opened.iter().find(|(path, _)| *path == file.path).map(|(_, number)| *number);
                own.push(known.unwrap_or_else(|| {
                    parsers.push(parser);
                    opened.push((file.path.clone(), parsers.len() - 1));
                    parsers.len() - 1
                }));
            }
            all.push(SystemTrees { kinds, parsers: own });
        }
        Ok(Self { parsers, systems: all })
    }

    /// The kinds of trees that a system translates, but that neither files nor parsers give.
    pub fn missing(&self, files: &PerTree<Vec<PathBuf>>) -> Vec<TreeKind> {
        let lacks = |system: &SystemTrees, kind: TreeKind| {
            let parsed = system.parsers.iter().any(|&parser| self.parsers[parser].kind() == kind);
            system.kinds.contains(&kind) && !parsed && files[(Side::Source, kind)].is_empty()
        };
        TreeKind::BOTH.into_iter().filter(|&kind| self.systems.iter().any(|s| lacks(s, kind))).collect()
    }

    /// Whether a system translates trees of this kind.
    pub fn translates(&self, kind: TreeKind) -> bool {
        self.systems.iter().any(|system| system.kinds.contains(&kind))
    }

    /// Whether there is any parser.
    pub fn is_empty(&self) -> bool {
        self.parsers.is_empty()
    }

    /// A worker for one thread.
    pub fn worker(&self) -> TreeWorker<'_> {
        TreeWorker { shared: self, workers: self.parsers.iter().map(WordParser::worker).collect() }
    }
}

impl TreeWorker<'_> {
    /// The trees of a sentence for each system, those given before those of parsers; and what was parsed.
    pub fn trees(&mut self, words: &str, given: &[InputTrees]) -> Result<(Vec<InputTrees>, Vec<Parse>)> {
        let shared = self.shared;
        let mut parses: Vec<Option<Parse>> = vec![None; self.workers.len()];
        let mut all = Vec::with_capacity(shared.systems.len());
        for (k, system) in shared.systems.iter().enumerate() {
            let mut trees = given.get(k).or(given.last()).cloned().unwrap_or_default();
            let lacking: Vec<TreeKind> =
                system.kinds.iter().copied().filter(|&kind| !has(&trees, kind)).collect();
            for &number in &system.parsers {
                if !lacking.contains(&shared.parsers[number].kind()) {
                    continue;
                }
                if parses[number].is_none() {
                    parses[number] = self.workers[number].parse(&[words])?.pop();
                }
                parses[number].iter().for_each(|parse| add_parse(parse, &mut trees));
            }
            all.push(trees);
        }
        Ok((all, parses.into_iter().flatten().collect()))
    }
}
