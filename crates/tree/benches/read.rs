//! How fast treebanks are read: CoNLL-U and Penn Treebank brackets from memory, checked trees included, in tokens a
//! second on one core. The text is made up, with UD's usual columns, so that it needs no data.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::fmt::Write;
use treeglot_tree::format::{ReadTrees, conllu, ptb};
use treeglot_tree::{DepParse, Roots};

const SENTENCES: usize = 2_000;
const WORDS: usize = 20;

fn main() {
    divan::main();
}

/// Sentences of right-branching chains with a left dependent at every second word.
fn conllu_text() -> String {
    let mut text = String::new();
    for s in 0..SENTENCES {
        writeln!(text, "# sent_id = {s}\n# text = made up").expect("a string takes any text");
        for w in 1..=WORDS {
            let head = if w % 2 == 1 && w < WORDS { w + 1 } else { w.saturating_sub(2) };
            let word = (s * 31 + w * 7) % 5000;
            let feats = "Case=Nom|Gender=Fem|Number=Sing";
            writeln!(text, "{w}\tword{word}\tlemma{word}\tNOUN\tNN\t{feats}\t{head}\tnmod\t_\tSpaceAfter=No")
                .expect("a string takes any text");
        }
        text.push('\n');
    }
    text
}

fn ptb_text() -> String {
    let pair = "(NP (DT the) (NN word)) (VP (VBZ is) ";
    let sentence = format!("(S {}(JJ last){}\n", pair.repeat(WORDS / 3), ")".repeat(WORDS / 3 + 1));
    sentence.repeat(SENTENCES)
}

#[divan::bench]
fn conllu(bencher: Bencher) {
    let text = conllu_text();
    bencher.counter(ItemsCount::new(SENTENCES * WORDS)).bench(|| {
        conllu::Reader::new("bench", text.as_bytes())
            .trees()
            .map(|p| p.map(|p: DepParse| p.len()))
            .sum::<Result<usize, _>>()
    });
}

#[divan::bench]
fn conllu_with_checked_trees(bencher: Bencher) {
    let text = conllu_text();
    bencher.counter(ItemsCount::new(SENTENCES * WORDS)).bench(|| {
        let mut deepest = 0;
        for parse in conllu::Reader::new("bench", text.as_bytes()).trees() {
            let tree =
                parse.expect("the text is well-formed").tree(Roots::One).expect("the heads form a tree");
            deepest = deepest.max(tree.words().map(|w| tree.depth(w)).max().unwrap_or(0));
        }
        deepest
    });
}

#[divan::bench]
fn ptb(bencher: Bencher) {
    let text = ptb_text();
    bencher.counter(ItemsCount::new(SENTENCES * (3 * (WORDS / 3) + 1))).bench(|| {
        ptb::Reader::new("bench", text.as_bytes(), ptb::BracketLayout::OnePerLine)
            .trees()
            .map(|t| t.map(|t| t.map_or(0, |t| t.len())))
            .sum::<Result<usize, _>>()
    });
}
