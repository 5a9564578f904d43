//! What the detokeniser joins, language by language, and that it undoes the tokeniser.

use super::*;
use crate::tokenize::{self, Tokenizer};
use proptest::prelude::*;
use std::sync::LazyLock;

static CHINESE: LazyLock<Tokenizer> =
    LazyLock::new(|| Tokenizer::new("zh", tokenize::Options::default()).unwrap());

fn text(language: &str, line: &str) -> String {
    let mut out = String::new();
    Detokenizer::new(language, Options::default()).unwrap().worker().detokenize(line, &mut out);
    out
}

fn tokens(language: &str, line: &str) -> String {
    let mut out = String::new();
    if language == "zh" {
        CHINESE.worker().tokenize(line, &mut out);
    } else {
        let tokenizer = Tokenizer::new(language, tokenize::Options::default()).unwrap();
        tokenizer.worker().tokenize(line, &mut out);
    }
    out
}

#[track_caller]
fn comes_back(language: &str, line: &str) {
    assert_eq!(text(language, &tokens(language, line)), line);
}

#[test]
fn english_comes_back() {
    comes_back("en", "She said: \"It's the boys' club (est. 1999), isn't it?\"");
    comes_back("en", "He doesn’t like ‘modern’ art; the dogs’ owner does.");
    comes_back("en", "The sign reads 'Keep out' and costs $5.50, or 7% of £80.");
    comes_back("en", "Q&A at 10:30, room #12, see http://www.bridge.org/x or ann@bridge.org.");
    comes_back("en", "Article 5(1) of 2001/0042(COD) and COM(2003)0123 apply.");
    comes_back("en", "Salt &amp; pepper, A&amp;B, and/or [more]...");
}

#[test]
fn german_comes_back() {
    comes_back("de", "Das „Halt“-Schild steht bei 50 % der Straßen, sagt Andy's Bruder.");
    comes_back("de", "»Los!«, rief sie. Wie geht's?");
    comes_back("de", "Am 3. Mai um 10:30 Uhr (MEZ) – pünktlich.");
}

#[test]
fn french_comes_back() {
    comes_back("fr", "Qu'est-ce que c'est ? L'eau d’été : 5 % !");
    comes_back("fr", "L\"herbe est verte ; il dit \"oui\".");
}

#[test]
fn czech_and_others_come_back() {
    comes_back("cs", "Řekl: „Dobrý den“, a šel do McDonald's.");
    comes_back("es", "¿Qué hora es? ¡Las 10:30!");
    comes_back("it", "L'uomo dell'anno (1999).");
    comes_back("sv", "USA:s val kl. 5, sade hon: ”Ja”.");
    comes_back("gn", "Mba'e piko ko'ã?");
    comes_back("ru", "Он сказал: «Да», и ушёл в г. Тула.");
    comes_back("ko", "나는 학교에 갔다, 정말!");
    comes_back("ar", "أين الكتاب، يا صديقي؟");
}

#[test]
#[cfg(all(feature = "chinese", feature = "segmenter"))]
fn chinese_and_japanese_come_back_without_spaces() {
    comes_back("zh", "“他用iPhone15拍了3.5万张照片！”“真的？”");
    comes_back("zh", "我喜欢Hello World这个例子……");
    comes_back("ja", "「Rust 1.88」は速い、と言った。");
}

#[test]
fn entities_and_split_hyphens_are_undone() {
    assert_eq!(text("en", "a low @-@ cost &#91; x &#93; &amp;lt;"), "a low-cost [x] &lt;");
}

#[test]
fn entities_stay_on_request() {
    let options = Options { unescape: false, ..Options::default() };
    let mut out = String::new();
    Detokenizer::new("en", options).unwrap().worker().detokenize("it &apos;s", &mut out);
    assert_eq!(out, "it &apos;s");
}

#[test]
fn sentences_get_their_capitals_on_request() {
    let options = Options { recase: true, ..Options::default() };
    let mut out = String::new();
    let tokens = "&quot; the end . &quot; it &apos;s over .";
    Detokenizer::new("en", options).unwrap().worker().detokenize(tokens, &mut out);
    assert_eq!(out, "\"The end.\" It's over.");
}

/// Pieces of English in which every sign has one reading.
const PIECES: [&str; 14] = [
    "house",
    "Anna's",
    "don't",
    "\"old wall\"",
    "(or not)",
    "1,250",
    "7%",
    "10:30",
    "and/or",
    "$5.50",
    "#12",
    "Q&A",
    "Dr. Wood",
    "‘new’",
];

const LANGUAGES: &[&str] = &[
    "en",
    "de",
    "fr",
    "cs",
    "it",
    #[cfg(feature = "chinese")]
    "zh",
    #[cfg(feature = "segmenter")]
    "ja",
];

fn characters(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    #[test]
    fn joining_loses_no_character(line in "[ab1é.,?%'`\"()\\-:/@„“”«»’& 中か。]{0,40}", which in 0..LANGUAGES.len()) {
        prop_assert_eq!(characters(&text(LANGUAGES[which], &tokens(LANGUAGES[which], &line))), characters(&line));
    }

    #[test]
    fn any_text_can_be_joined(line in any::<String>(), which in 0..LANGUAGES.len()) {
        text(LANGUAGES[which], &line);
    }

    #[test]
    fn sentences_of_well_formed_pieces_come_back(
        pieces in prop::collection::vec((0..PIECES.len(), "[,;]?"), 1..8),
        end in "[.!?]",
    ) {
        let pieces: Vec<String> = pieces.iter().map(|(piece, sign)| format!("{}{sign}", PIECES[*piece])).collect();
        let line = format!("So {} it is{end}", pieces.join(" "));
        prop_assert_eq!(text("en", &tokens("en", &line)), line);
    }

    #[test]
    fn joining_again_changes_nothing(line in "[ab1é.,?%() ]{0,40}", which in 0..LANGUAGES.len()) {
        let once = text(LANGUAGES[which], &tokens(LANGUAGES[which], &line));
        prop_assert_eq!(text(LANGUAGES[which], &tokens(LANGUAGES[which], &once)), once);
    }

    #[test]
    fn plain_sentences_come_back(
        words in prop::collection::vec("[a-zéüß]{1,6}", 1..8),
        end in "[.,]",
        which in 0..5usize,
    ) {
        let line = words.join(" ") + &end;
        prop_assert_eq!(text(LANGUAGES[which], &tokens(LANGUAGES[which], &line)), line);
    }
}
