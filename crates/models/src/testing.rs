//! Pairs written as text, for tests.

use crate::Model;
use crate::matrix::{Matrix, SpanPair};
use crate::pair::{Pair, ParsedTree};
use crate::rules::Rules;
use treeglot_align::{Link, links};
use treeglot_grammar::{Batch, Symbol, notation};
use treeglot_text::{Place, vocab::Vocab};
use treeglot_tree::{ConTree, DepTree, PerTree, Roots, WordIx};

/// A pair and its vocabulary.
pub struct Sentences {
    vocab: Vocab,
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<Link>,
    trees: PerTree<Vec<ParsedTree>>,
    node_links: Vec<Link>,
}

impl Sentences {
    /// A pair of tokenised sentences with links `0-0 1-1`.
    pub fn new(source: &str, target: &str, links: &str) -> Self {
        let mut vocab = Vocab::default();
        let mut words = |text: &str| -> Vec<Symbol> {
            text.split_whitespace().map(|word| Symbol::word(vocab.intern(word))).collect()
        };
        let (source, target) = (words(source), words(target));
        let mut links = links::parse(links, &Place::new("links", 1)).unwrap();
        links.sort_unstable();
        links.dedup();
        Self { vocab, source, target, links, trees: PerTree::default(), node_links: Vec::new() }
    }

    /// A pair of words `s0 s1 ...` and `t0 t1 ...`, no two of them equal.
    pub fn numbered(source: u32, target: u32, links: &[Link]) -> Self {
        let words = |side: char, count: u32| -> String {
            (0..count).map(|w| format!("{side}{w}")).collect::<Vec<_>>().join(" ")
        };
        Self { links: links.to_vec(), ..Self::new(&words('s', source), &words('t', target), "") }
    }

    /// The rules over phrases with holes, each counted once, as lines.
    pub fn lines_of(&mut self, rules: &[(SpanPair, Vec<SpanPair>)]) -> Vec<String> {
        let batch = self.with(|pair, vocab, batch| {
            let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
            let mut collected = Rules::new(pair, &matrix, vocab);
            for (phrase, holes) in rules {
                collected.add(*phrase, holes);
                collected.end_phrase(false);
            }
            collected.hand_on(batch);
        });
        lines(&batch)
    }

    /// With a source tree: heads from 1, 0 for the root.
    pub fn source_heads(mut self, heads: &[u32]) -> Self {
        self.trees.source_dep.insert(0, ParsedTree::Dependency(tree(heads), Vec::new()));
        self
    }

    /// With the tags of the source words of the main tree, separated by spaces.
    pub fn source_tags(mut self, tags: &str) -> Self {
        if let Some(ParsedTree::Dependency(_, known)) = self.trees.source_dep.first_mut() {
            *known = split(tags);
        }
        self
    }

    /// With one more source tree and its tags.
    pub fn more_heads(mut self, heads: &[u32], tags: &str) -> Self {
        self.trees.source_dep.push(ParsedTree::Dependency(tree(heads), split(tags)));
        self
    }

    /// With a constituency tree of the source side, in brackets.
    pub fn source_con(mut self, tree: ConTree) -> Self {
        self.trees.source_con.push(ParsedTree::Constituency(tree));
        self
    }

    /// With a target tree.
    pub fn target_heads(mut self, heads: &[u32]) -> Self {
        self.trees.target_dep.push(ParsedTree::Dependency(tree(heads), Vec::new()));
        self
    }

    /// With links between the nodes of the trees.
    pub fn node_links(mut self, links: &str) -> Self {
        self.node_links = links::parse(links, &Place::new("node links", 1)).unwrap();
        self
    }

    /// The batch that `fill` makes of the pair.
    pub fn with(&mut self, fill: impl FnOnce(&Pair<'_>, &mut Vocab, &mut Batch)) -> Batch {
        let mut vocab = self.vocab.clone();
        let mut batch = Batch::default();
        fill(&self.pair(), &mut vocab, &mut batch);
        batch.vocab = vocab;
        batch
    }

    /// What a model extracts, as lines.
    pub fn extract(&mut self, model: &dyn Model) -> Vec<String> {
        let needed = model.needs().trees;
        assert!(needed.iter().all(|(slot, &needed)| !needed || !self.trees[slot].is_empty()));
        lines(&self.with(|pair, vocab, batch| model.extract(pair, vocab, batch)))
    }

    fn pair(&self) -> Pair<'_> {
        Pair {
            source: &self.source,
            target: &self.target,
            links: &self.links,
            trees: self.trees.each_ref().map(|_, trees| &trees[..]),
            node_links: &self.node_links,
        }
    }
}

fn split(tags: &str) -> Vec<String> {
    tags.split(' ').map(str::to_string).collect()
}

fn tree(heads: &[u32]) -> DepTree {
    let heads = heads.iter().map(|&head| head.checked_sub(1).map(WordIx)).collect();
    DepTree::new(heads, Roots::AttachToFirst).unwrap()
}

/// A batch as lines of text.
pub fn lines(batch: &Batch) -> Vec<String> {
    let mut out = Vec::new();
    notation::write_batch(batch, &mut out);
    String::from_utf8(out).unwrap().lines().map(str::to_string).collect()
}

/// Lines as the papers write rules, without links and counts: `X0 house -> casa X0`.
pub fn rules_of(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| rule_of(line)).collect()
}

fn rule_of(line: &str) -> String {
    let fields: Vec<&str> = line.split(" ||| ").collect();
    let source: Vec<&str> = fields[0].split(' ').filter(|&symbol| symbol != "[X]").collect();
    let variables: Vec<usize> = (0..source.len()).filter(|&k| source[k] == "[X][X]").collect();
    let number = |position: usize| variables.iter().position(|&variable| variable == position).unwrap();
    let partner = |target: usize| -> usize {
        let links = fields[2].split(' ').map(|link| link.split_once('-').unwrap());
        let mut sources = links.filter(|(_, t)| *t == target.to_string()).map(|(s, _)| s.parse().unwrap());
        sources.next().unwrap()
    };
    let write = |symbols: &[&str], variable: &dyn Fn(usize) -> usize| -> String {
        let symbol = |(k, &symbol): (usize, &&str)| match symbol {
            "[X][X]" => format!("X{}", variable(k)),
            word => word.to_string(),
        };
        symbols.iter().enumerate().map(symbol).collect::<Vec<_>>().join(" ")
    };
    let target: Vec<&str> = fields[1].split(' ').filter(|&symbol| symbol != "[X]").collect();
    format!("{} -> {}", write(&source, &number), write(&target, &|k| number(partner(k))))
}
