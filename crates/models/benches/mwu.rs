//! How the time for the forest of units of a sentence, and its rules, grows with the length of the sentence: linearly, for
//! units of at most 6 words and 10 ways to go on below each. Trees are random, with heads among the ten words before; it
//! runs under `cargo bench` only.

use divan::Bencher;
use divan::counter::ItemsCount;
use treeglot_align::Link;
use treeglot_grammar::{Batch, Symbol};
use treeglot_models::{Pair, ParsedTree, registry};
use treeglot_text::vocab::Vocab;
use treeglot_tree::{DepTree, PerTree, Roots, WordIx};

fn main() {
    if std::env::args().any(|argument| argument == "--bench") {
        divan::main();
    }
}

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

/// A tree in which no word has more than four dependents.
fn tree(length: u32, numbers: &mut Numbers) -> DepTree {
    let mut heads = vec![None; length as usize];
    let mut dependents = vec![0; length as usize];
    for word in 1..length {
        let head = loop {
            let head = word - 1 - numbers.below(word.min(10));
            if dependents[head as usize] < 4 {
                break head;
            }
        };
        dependents[head as usize] += 1;
        heads[word as usize] = Some(WordIx(head));
    }
    DepTree::new(heads, Roots::One).expect("heads come before their dependents")
}

#[divan::bench(args = [5, 10, 20, 40, 80], sample_count = 20)]
fn rules_of_20_sentences_by_words(bencher: Bencher, length: u32) {
    let entry = registry::find("mwu").expect("the model has this name");
    let model = entry.from_value(serde_json::json!({})).expect("the defaults are valid");
    let mut numbers = Numbers(1);
    let parsed = |tree| ParsedTree::Dependency(tree, Vec::new());
    let trees: Vec<ParsedTree> = (0..20).map(|_| parsed(tree(length, &mut numbers))).collect();
    let mut vocab = Vocab::default();
    let words: Vec<Symbol> = (0..length).map(|k| Symbol::word(vocab.intern(&k.to_string()))).collect();
    let links: Vec<Link> = (0..length).map(|k| Link::new(k, k)).collect();
    let run = || {
        let mut batch = Batch::default();
        for tree in &trees {
            let pair = Pair {
                source: &words,
                target: &words,
                links: &links,
                trees: PerTree { source_dep: std::slice::from_ref(tree), ..PerTree::default() },
                node_links: &[],
            };
            model.extract(&pair, &mut vocab.clone(), &mut batch);
        }
        batch.len()
    };
    bencher.counter(ItemsCount::new(20 * length)).bench(run);
}
