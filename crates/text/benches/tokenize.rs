//! How many bytes a second are tokenised, joined again and truecased by one thread: the first and the last step of
//! every translation, which must not be felt beside the search.

use divan::counter::BytesCount;
use treeglot_text::detokenize::{self, Detokenizer};
use treeglot_text::tokenize::{Options, Tokenizer};
use treeglot_text::truecase::Trainer;

fn line(language: &str) -> &'static str {
    match language {
        "en" => {
            "The 1,250 members of Dr. Wood's club (est. 1999) don't agree: \"Nobody paid, and nobody will.\""
        }
        "de" => {
            "Die 1.250 Mitglieder des „Brückenbau“-Vereins (seit 3. Mai 1999) zahlen, z.B. für Öl, nur 50 %."
        }
        "fr" => {
            "Qu'est-ce que c'est ? L'ingénieur de l'usine, M. Petit, n'a payé qu'à l'été 1999 : c'était dit."
        }
        "zh" => "我们在北京大学学习机器翻译，他用iPhone15拍了3.5万张照片。",
        _ => "東京で新しい本を買ったが、まだ読んでいません。",
    }
}

fn main() {
    divan::main();
}

fn text(language: &str) -> Vec<String> {
    vec![line(language).to_string(); 1000]
}

fn size(lines: &[String]) -> BytesCount {
    BytesCount::new(lines.iter().map(|line| line.len() + 1).sum::<usize>())
}

fn tokens(language: &str, lines: &[String]) -> Vec<String> {
    let tokenizer = Tokenizer::new(language, Options::default()).expect("a known language");
    let mut worker = tokenizer.worker();
    let tokenize = |line: &String| {
        let mut out = String::new();
        worker.tokenize(line, &mut out);
        out
    };
    lines.iter().map(tokenize).collect()
}

#[divan::bench(args = ["en", "de", "fr", "zh", "ja"])]
fn tokenize(bencher: divan::Bencher, language: &str) {
    let lines = text(language);
    let tokenizer = Tokenizer::new(language, Options::default()).expect("a known language");
    bencher.counter(size(&lines)).bench(|| {
        let mut worker = tokenizer.worker();
        let mut out = String::new();
        for line in &lines {
            out.clear();
            worker.tokenize(line, &mut out);
        }
        out
    });
}

#[divan::bench(args = ["en", "de", "fr", "zh", "ja"])]
fn detokenize(bencher: divan::Bencher, language: &str) {
    let lines = tokens(language, &text(language));
    let detokenizer = Detokenizer::new(language, detokenize::Options::default()).expect("a known language");
    bencher.counter(size(&lines)).bench(|| {
        let mut worker = detokenizer.worker();
        let mut out = String::new();
        for line in &lines {
            out.clear();
            worker.detokenize(line, &mut out);
        }
        out
    });
}

#[divan::bench]
fn truecase(bencher: divan::Bencher) {
    let lines = tokens("en", &text("en"));
    let mut trainer = Trainer::default();
    lines.iter().for_each(|line| trainer.add(line));
    let model = trainer.finish();
    bencher.counter(size(&lines)).bench(|| {
        let mut out = String::new();
        for line in &lines {
            out.clear();
            model.truecase(line, &mut out);
        }
        out
    });
}
