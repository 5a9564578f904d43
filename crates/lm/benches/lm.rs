//! How many words a second are estimated from, and how many are scored by one thread, in either layout. The text is
//! made of words with Zipf's distribution, each drawn near the one before, so that n-grams repeat.

use divan::counter::ItemsCount;
use treeglot_lm::estimate;
use treeglot_lm::{Lm, LmLayout, Ngrams, Settings};
use treeglot_text::Input;
use treeglot_text::vocab::Sym;

fn main() {
    divan::main();
}

const LINES: usize = 20_000;
const WORDS: usize = 20;

fn text() -> String {
    let mut text = String::new();
    let mut random = 1u64;
    let mut last = 0;
    for _ in 0..LINES {
        for _ in 0..WORDS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let uniform = (random >> 11) as f64 / (1u64 << 53) as f64;
            let rank = (20_000f64.powf(uniform) as u64 + last * 7) % 20_000;
            text.push_str(&format!("w{rank} "));
            last = rank % 50;
        }
        text.push('\n');
    }
    text
}

fn model(text: &str) -> Ngrams {
    let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let input = Input { name: "text".into(), reader };
    estimate::from_text(input, &Settings::default()).expect("the text is well-formed").0
}

#[divan::bench(sample_count = 10)]
fn estimate_order_5(bencher: divan::Bencher) {
    let text = text();
    bencher.counter(ItemsCount::new(LINES * WORDS)).bench(|| model(&text));
}

#[divan::bench(args = ["probing", "trie", "trie, 8 bits"])]
fn query(bencher: divan::Bencher, layout: &str) {
    let text = text();
    let (layout, quantize) = match layout {
        "probing" => (LmLayout::Probing, None),
        "trie" => (LmLayout::Trie, None),
        _ => (LmLayout::Trie, Some(8)),
    };
    let settings = Settings { layout, quantize, ..Settings::default() };
    let lm = Lm::build_as(model(&text), &settings).expect("the layout is valid");
    let sentences: Vec<Vec<Sym>> =
        text.lines().map(|line| treeglot_lm::words(line).map(|w| lm.symbol(w)).collect()).collect();
    let tables = lm.tables();
    bencher
        .counter(ItemsCount::new(LINES * WORDS))
        .bench(|| sentences.iter().map(|words| tables.sentence(words).prob).sum::<f64>());
}
