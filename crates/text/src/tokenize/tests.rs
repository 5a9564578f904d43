//! What the tokeniser does, language by language, and the laws that hold for any text.

use super::chars::is_junk;
use super::*;
use crate::lines::Lines;
use proptest::prelude::*;
use std::sync::LazyLock;

static CHINESE: LazyLock<Tokenizer> =
    LazyLock::new(|| Tokenizer::new("zh", Options { escape: false, ..Options::default() }).unwrap());

fn with(language: &str, options: Options, line: &str) -> String {
    let mut out = String::new();
    Tokenizer::new(language, options).unwrap().worker().tokenize(line, &mut out);
    out
}

fn tokens(language: &str, line: &str) -> String {
    if language == "zh" {
        let mut out = String::new();
        CHINESE.worker().tokenize(line, &mut out);
        return out;
    }
    with(language, Options { escape: false, ..Options::default() }, line)
}

#[test]
fn signs_are_cut_off_and_numbers_stay_whole() {
    assert_eq!(
        tokens("en", "In 1,250 cases (2.5%), nobody paid."),
        "In 1,250 cases ( 2.5 % ) , nobody paid ."
    );
    assert_eq!(
        tokens("de", "Um 10:30 Uhr, 3,5 km weit; dann los!"),
        "Um 10 : 30 Uhr , 3,5 km weit ; dann los !"
    );
    assert_eq!(tokens("en", "ends with 5,"), "ends with 5 ,");
}

#[test]
fn abbreviations_keep_their_period_and_sentences_do_not() {
    assert_eq!(tokens("en", "Dr. Wood met Mr. Lee. No. 5 won."), "Dr. Wood met Mr. Lee . No. 5 won .");
    assert_eq!(tokens("en", "He said No. Lee left."), "He said No . Lee left .");
    assert_eq!(tokens("de", "Am 3. Mai kam Hr. Kurz, d.h. spät."), "Am 3. Mai kam Hr. Kurz , d.h. spät .");
    assert_eq!(tokens("fr", "M. Petit et Mme. Roche, cf. Annexe."), "M. Petit et Mme. Roche , cf. Annexe .");
    assert_eq!(tokens("es", "El Sr. Gil y la Dra. Paz viven."), "El Sr. Gil y la Dra. Paz viven .");
    assert_eq!(tokens("cs", "Ing. Malý bydlí tzv. Na Hradě."), "Ing. Malý bydlí tzv. Na Hradě .");
    assert_eq!(tokens("ru", "Живёт в г. Москва. Там холодно."), "Живёт в г. Москва . Там холодно .");
}

#[test]
fn a_period_before_a_small_letter_or_inside_a_word_stays() {
    assert_eq!(
        tokens("en", "the approx. weight at www.bridge.org/x."),
        "the approx. weight at www.bridge.org / x ."
    );
    assert_eq!(tokens("en", "The U.S. Army won"), "The U.S. Army won");
}

#[test]
fn apostrophes_follow_the_language() {
    assert_eq!(
        tokens("en", "She's at the boys' club, isn't she?"),
        "She 's at the boys ' club , isn 't she ?"
    );
    assert_eq!(tokens("fr", "L'eau qu'il boit, aujourd'hui."), "L' eau qu' il boit , aujourd' hui .");
    assert_eq!(tokens("it", "L'uomo dell'anno."), "L' uomo dell' anno .");
    assert_eq!(tokens("de", "Wie geht's dir?"), "Wie geht ' s dir ?");
    assert_eq!(tokens("gn", "Mba'e piko ko'ã?"), "Mba'e piko ko'ã ?");
}

#[test]
fn dots_and_a_quote_at_the_end_are_tokens() {
    assert_eq!(tokens("en", "Well... yes.. 'I see.'"), "Well ... yes .. ' I see . '");
}

#[test]
fn signs_inside_words_follow_the_language() {
    assert_eq!(tokens("fi", "EU:n talous: hyvä"), "EU:n talous : hyvä");
    assert_eq!(tokens("sv", "USA:s val, kl. 5:30"), "USA:s val , kl. 5 : 30");
    assert_eq!(tokens("ca", "Una il·lusió"), "Una il·lusió");
    assert_eq!(tokens("de", "EU:n"), "EU : n");
}

#[test]
fn special_characters_become_entities() {
    let escaped = "&quot; A|B &quot; &lt; &#91; 1 &#93; &amp; it &apos;s".replace("A|B", "A &#124; B");
    assert_eq!(with("en", Options::default(), "\"A|B\" < [1] & it's"), escaped);
}

#[test]
fn hyphens_are_split_on_request() {
    let options = Options { split_hyphens: true, ..Options::default() };
    assert_eq!(with("en", options, "a low-cost X-ray -5 --"), "a low @-@ cost X @-@ ray -5 --");
    assert_eq!(tokens("en", "low-cost"), "low-cost");
}

#[test]
fn capitals_decide_on_periods_before_they_become_small() {
    let options = Options { lower: true, ..Options::default() };
    assert_eq!(with("en", options, "It ended. Then Dr. Wood left."), "it ended . then dr. wood left .");
}

#[test]
fn decomposed_letters_stay_whole_with_and_without_composition() {
    let line = "cafe\u{301}s d'e\u{301}te\u{301}";
    assert_eq!(tokens("fr", line), "cafe\u{301}s d' e\u{301}te\u{301}");
    let composed = Options { nfc: true, escape: false, ..Options::default() };
    assert_eq!(with("fr", composed, line), "cafés d' été");
}

#[test]
fn any_white_space_separates_and_control_characters_vanish() {
    assert_eq!(tokens("en", "\u{FEFF}a"), "\u{FEFF} a");
    assert_eq!(tokens("en", " a\u{A0}b\tc\u{3000}d\u{1}e  "), "a b c de");
    assert_eq!(tokens("en", " \u{A0} "), "");
}

#[test]
fn own_abbreviations_replace_the_built_in_ones() {
    let prefixes = Prefixes::read(Lines::new("own", "Xyz\n".as_bytes())).unwrap();
    let options = Options { prefixes: Some(prefixes), ..Options::default() };
    assert_eq!(with("en", options, "Xyz. Lee met Dr. Wood"), "Xyz. Lee met Dr . Wood");
}

#[test]
#[cfg(feature = "chinese")]
fn chinese_words_are_found_and_foreign_runs_stay_whole() {
    assert_eq!(tokens("zh", "我们在北京大学学习。"), "我们 在 北京大学 学习 。");
    assert_eq!(tokens("zh", "他用iPhone15拍了3.5万张照片！！"), "他 用 iPhone15 拍 了 3.5 万张 照片 ！！");
}

#[test]
#[cfg(feature = "segmenter")]
fn japanese_words_are_found_and_foreign_runs_stay_whole() {
    assert_eq!(tokens("ja", "東京で新しい本を買った。"), "東京 で 新し い 本 を 買 っ た 。");
    assert_eq!(tokens("ja", "「Rust 1.88」は速い"), "「 Rust 1.88 」 は 速 い");
}

#[test]
#[cfg(feature = "segmenter")]
fn words_of_southeast_asia_are_found_and_joined_again() {
    for (language, line, expected) in [
        ("th", "ผมชอบกินข้าว 3.5 กก.", "ผม ชอบ กิน ข้าว 3.5 กก ."),
        ("lo", "ຂ້ອຍຮັກປະເທດລາວ", "ຂ້ອຍ ຮັກ ປະເທດ ລາວ"),
        ("km", "ខ្ញុំស្រឡាញ់កម្ពុជា។", "ខ្ញុំ ស្រឡាញ់ កម្ពុជា ។"),
        ("my", "မြန်မာစာ။", "မြန်မာ စာ ။"),
    ] {
        assert_eq!(tokens(language, line), expected);
        let joined = crate::detokenize::Detokenizer::new(language, Default::default()).unwrap();
        let mut text = String::new();
        joined.worker().detokenize(expected, &mut text);
        assert_eq!(characters(&text), characters(line));
        assert!(!text.contains(' ') || line.contains(' '), "{text}");
    }
}

#[test]
fn syllables_of_tibetan_are_tokens() {
    assert_eq!(tokens("bo", "བོད་སྐད་ཤེས་ཀྱི་ཡོད།"), "བོད་ སྐད་ ཤེས་ ཀྱི་ ཡོད །");
}

#[test]
fn apostrophes_that_are_letters_are_not_cut_off() {
    assert_eq!(tokens("gn", "He’i mba´e, \"ha'e\"."), "He'i mba'e , \" ha'e \" .");
    assert_eq!(tokens("aym", "Bob jach 'a arst ’ iwa."), "Bob jach'a arst'iwa .");
    assert_eq!(tokens("so", "go’aan"), "go ’ aan");
}

#[test]
fn languages_without_rules_of_their_own_are_cut_by_script() {
    assert_eq!(tokens("hi", "वह घर गया। क्यों?"), "वह घर गया । क्यों ?");
    assert_eq!(tokens("fa", "سلام، چطوری؟"), "سلام ، چطوری ؟");
    assert_eq!(tokens("he", "שלום, עולם!"), "שלום , עולם !");
    assert_eq!(tokens("hch", "'aku, wa'ari."), "'aku , wa'ari .");
}

#[test]
#[cfg(not(feature = "chinese"))]
fn a_language_whose_dictionary_is_left_out_says_which_feature_has_it() {
    let error = Tokenizer::new("zh", Options::default()).unwrap_err().to_string();
    assert!(error.starts_with("Chinese needs a dictionary that this build lacks"), "{error}");
    assert!(error.ends_with("cargo feature `chinese`"), "{error}");
}

fn characters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !is_junk(*c)).collect()
}

const LANGUAGES: &[&str] = &[
    "en",
    "de",
    "fr",
    "cs",
    "sv",
    "ca",
    "so",
    #[cfg(feature = "segmenter")]
    "ja",
    #[cfg(feature = "chinese")]
    "zh",
];
/// All but Chinese, whose dictionary takes long to load.
const QUICK: usize = LANGUAGES.len() - cfg!(feature = "chinese") as usize;

proptest! {
    #[test]
    fn no_character_is_lost(line in any::<String>(), which in 0..LANGUAGES.len()) {
        prop_assert_eq!(characters(&tokens(LANGUAGES[which], &line)), characters(&line));
    }

    #[test]
    fn no_character_is_lost_among_signs(line in "[ab1é.,'`\"\\-:·;&| \u{301}\u{1}…中か。]{0,40}", which in 0..LANGUAGES.len()) {
        prop_assert_eq!(characters(&tokens(LANGUAGES[which], &line)), characters(&line));
    }

    /// Where an apostrophe is a letter, signs that look like one may become one, but for that all characters stay.
    #[test]
    fn signs_of_the_glottal_stop_stay_signs(line in "[atkpx1é.,'`’\"\\-ch \u{301}]{0,40}", which in 0usize..2) {
        let plain = |text: &str| characters(text).replace(['`', '’'], "'");
        prop_assert_eq!(plain(&tokens(["gn", "aym"][which], &line)), plain(&line));
    }

    #[test]
    fn entities_lose_no_character(line in "[ab1é.,'`\"\\-:·;&| \u{301}\u{1}…中か。]{0,40}", which in 0..QUICK) {
        let mut plain = String::new();
        unescape(&with(LANGUAGES[which], Options::default(), &line), &mut plain);
        prop_assert_eq!(characters(&plain), characters(&line));
    }

    #[test]
    fn tokens_are_separated_by_single_spaces(line in any::<String>(), which in 0..LANGUAGES.len()) {
        let out = tokens(LANGUAGES[which], &line);
        prop_assert_eq!(out.split_whitespace().collect::<Vec<_>>().join(" "), out);
    }

    #[test]
    fn every_option_takes_every_text(line in any::<String>(), which in 0..QUICK, bits in 0..32u8) {
        let options = Options {
            split_hyphens: bits & 1 != 0,
            escape: bits & 2 != 0,
            nfc: bits & 4 != 0,
            punctuation: bits & 8 != 0,
            lower: bits & 16 != 0,
            prefixes: None,
        };
        with(LANGUAGES[which], options, &line);
    }
}
