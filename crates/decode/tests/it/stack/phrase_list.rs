//! A phrase table in memory, from lines or from Moses' text files: what tests and benchmarks search with.

use rustc_hash::FxHashMap;
use std::path::Path;
use treeglot_decode::{LmRole, PhraseTable, REORDERING, Resources, TableRole};
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_lm::Lm;
use treeglot_text::Lines;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};

/// The lowest logarithm, as in Moses.
const FLOOR: f32 = -100.0;

/// A phrase as the list holds it.
struct Entry {
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    scores: Vec<f32>,
    reordering: Option<[f32; REORDERING]>,
}

/// A list of phrases with their source sides in a trie of maps.
pub struct PhraseList {
    vocab: MappedVocab,
    children: FxHashMap<(u32, Sym), u32>,
    /// The numbers of each node's phrases.
    rules: Vec<Vec<u32>>,
    entries: Vec<Entry>,
    score_names: Vec<String>,
}

/// A list as it grows.
pub struct Builder {
    vocab: Vocab,
    children: FxHashMap<(u32, Sym), u32>,
    rules: Vec<Vec<u32>>,
    entries: Vec<Entry>,
    numbers: FxHashMap<(u32, Vec<Symbol>), u32>,
}

impl Builder {
    pub fn new() -> Self {
        Self {
            vocab: Vocab::default(),
            children: FxHashMap::default(),
            rules: vec![Vec::new()],
            entries: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    fn sides(&mut self, source: &str, target: &str) -> (u32, Vec<Symbol>) {
        let Self { children, rules, .. } = self;
        let mut node = 0;
        for word in source.split_ascii_whitespace() {
            node = *children.entry((node, self.vocab.intern(word))).or_insert_with(|| {
                rules.push(Vec::new());
                rules.len() as u32 - 1
            });
        }
        let target = target.split_ascii_whitespace().map(|word| Symbol::word(self.vocab.intern(word)));
        (node, target.collect())
    }

    /// Adds a phrase with probabilities as scores.
    pub fn phrase(&mut self, source: &str, target: &str, probabilities: &[f32], links: Vec<RuleLink>) {
        let (node, target) = self.sides(source, target);
        let Self { rules, entries, .. } = self;
        let number = entries.len() as u32;
        rules[node as usize].push(number);
        self.numbers.insert((node, target.clone()), number);
        let scores = probabilities.iter().map(|p| p.ln().max(FLOOR)).collect();
        entries.push(Entry { target, links, scores, reordering: None });
    }

    /// Adds the reordering probabilities of a phrase that was added before.
    pub fn reordering(&mut self, source: &str, target: &str, probabilities: &[f32]) {
        let key = self.sides(source, target);
        if let Some(&number) = self.numbers.get(&key) {
            let values = std::array::from_fn(|k| probabilities[k].ln().max(FLOOR));
            self.entries[number as usize].reordering = Some(values);
        }
    }

    pub fn finish(self) -> PhraseList {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("vocab");
        self.vocab.freeze(&path).expect("the vocabulary can be written");
        let Self { children, rules, entries, .. } = self;
        let scores = entries.first().map_or(0, |entry| entry.scores.len());
        PhraseList {
            vocab: MappedVocab::open(&path).expect("the vocabulary was written"),
            children,
            rules,
            entries,
            score_names: (0..scores).map(|k| format!("score{k}")).collect(),
        }
    }
}

impl PhraseList {
    /// Reads Moses' `phrase-table` and `reordering-table`.
    pub fn read(phrases: &Path, reordering: Option<&Path>) -> Self {
        let mut builder = Builder::new();
        let numbers = |text: &str| -> Vec<f32> {
            text.split_ascii_whitespace().map(|number| number.parse().expect("scores are numbers")).collect()
        };
        let mut lines = Lines::open(phrases).expect("the table can be opened");
        while let Some(line) = lines.next_line().expect("the table can be read") {
            let fields: Vec<&str> = line.split(" ||| ").collect();
            let links = fields[3].split_ascii_whitespace().map(|link| {
                let (source, target) = link.split_once('-').expect("links are like 0-0");
                let position = |text: &str| text.parse().expect("links are numbers");
                RuleLink::new(position(source), position(target))
            });
            builder.phrase(fields[0], fields[1], &numbers(fields[2]), links.collect());
        }
        if let Some(reordering) = reordering {
            let mut lines = Lines::open(reordering).expect("the table can be opened");
            while let Some(line) = lines.next_line().expect("the table can be read") {
                let fields: Vec<&str> = line.split(" ||| ").collect();
                builder.reordering(fields[0], fields[1], &numbers(fields[2]));
            }
        }
        builder.finish()
    }
}

impl PhraseTable for PhraseList {
    type Node = u32;

    fn vocab(&self) -> &MappedVocab {
        &self.vocab
    }

    fn root(&self) -> u32 {
        0
    }

    fn child(&self, node: u32, word: Symbol) -> Option<u32> {
        self.children.get(&(node, Sym(word.bits()))).copied()
    }

    fn rules(&self, node: u32) -> impl ExactSizeIterator<Item = u32> {
        self.rules[node as usize].iter().copied()
    }

    fn target(&self, rule: u32, out: &mut Vec<Symbol>) {
        out.clone_from(&self.entries[rule as usize].target);
    }

    fn links(&self, rule: u32, out: &mut Vec<RuleLink>) {
        out.clone_from(&self.entries[rule as usize].links);
    }

    fn score_names(&self) -> &[String] {
        &self.score_names
    }

    fn scores(&self, rule: u32, out: &mut Vec<f32>) {
        out.clone_from(&self.entries[rule as usize].scores);
    }

    fn reordering(&self, rule: u32) -> Option<[f32; REORDERING]> {
        self.entries[rule as usize].reordering
    }
}

/// What a system of phrases is put together from.
pub fn resources(lists: Vec<PhraseList>, lms: Vec<Lm>) -> Resources<PhraseList> {
    Resources {
        tables: lists.into_iter().map(|list| (TableRole::Model, list)).collect(),
        lms: lms.into_iter().map(|lm| (LmRole::Ngram, lm)).collect(),
        ..Resources::default()
    }
}
