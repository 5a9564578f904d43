//! What the tokeniser and the detokeniser must know of a language: its script, what an apostrophe does in it, which
//! signs may stand inside a word, and its abbreviations.

use std::sync::{Mutex, PoisonError};

/// How text of a language is cut into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Words are separated by spaces: Latin, Cyrillic, Greek and the like.
    Spaced,
    /// Chinese: words are found with a dictionary.
    Chinese,
    /// Japanese: words are found with a dictionary.
    Japanese,
    /// Thai, Khmer, Lao and Burmese: words are found with a dictionary.
    SoutheastAsian,
    /// Tibetan and its relatives: a sign ends each syllable, and syllables are the words.
    Tibetan,
}

/// What an apostrophe between two letters does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apostrophe {
    /// It starts the second word: `it 's`.
    StartsWord,
    /// It ends the first word: `l' eau`.
    EndsWord,
    /// It is a letter: `mba'e`.
    Letter,
    /// It stands alone: `geht ' s`.
    Alone,
}

/// What is mended at apostrophes that are letters, see [`glottal`](super::glottal).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glottal {
    /// Nothing.
    AsItIs,
    /// Any sign between letters is a glottal stop.
    Stop,
    /// So it is, or it belongs to the consonant before it, also behind a blank.
    Ejectives,
}

/// A language that text can be tokenised in.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// The code by which users name it.
    pub code: &'static str,
    /// Its name in English, for messages.
    pub name: &'static str,
    /// How it is cut into words.
    pub script: Script,
    /// What an apostrophe between letters does.
    pub apostrophe: Apostrophe,
    /// What is mended at apostrophes.
    pub(crate) glottal: Glottal,
    /// A sign that belongs to the word when a small letter follows: the colon of `EU:n`, the dot of `il·lusió`.
    pub inner_sign: Option<char>,
    /// Its abbreviations in the format of [`Prefixes`](super::Prefixes); empty when only the common ones are known.
    pub(crate) abbreviations: &'static str,
}

/// Why text of a language cannot be cut into words.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// What is no code of a language.
    #[error(
        "`{code}` is no language of ISO 639, whose codes have two or three letters, as `de` or `deu`; a language without a code \
         takes one of `qaa` to `qtz`"
    )]
    Unknown {
        /// The code as given.
        code: String,
    },
    /// A language whose dictionary was left out of this build.
    #[error(
        "{language} needs a dictionary that this build lacks: build it with the cargo feature `{feature}`"
    )]
    LeftOut {
        /// The language.
        language: &'static str,
        /// The feature of the crate `treeglot-text`, which other crates pass on.
        feature: &'static str,
    },
}

impl Language {
    /// The language of a code of ISO 639, such as `de`, `deu`, `de-AT` or `pt_BR`: only what stands before the region counts.
    /// A language without rules of its own here gets general ones, by its script.
    ///
    /// ```
    /// use treeglot_text::tokenize::Language;
    ///
    /// assert_eq!(Language::find("deu")?, Language::find("de-AT")?);
    /// assert_eq!(Language::find("hch")?.name, "Huichol");
    /// # Ok::<(), treeglot_text::tokenize::LanguageError>(())
    /// ```
    pub fn find(code: &str) -> Result<&'static Self, LanguageError> {
        let primary = code.split(['-', '_']).next().unwrap_or(code).to_ascii_lowercase();
        let primary = known_as(&primary);
        let own = |code: &str| LANGUAGES.iter().find(|language| language.code == code);
        if let Some(language) = own(primary) {
            return Ok(language);
        }
        if is_private(primary) {
            return Ok(Self::without_rules("und", "a language without a code"));
        }
        let iso = match primary.len() {
            2 => isolang::Language::from_639_1(primary),
            _ => isolang::Language::from_639_3(primary),
        };
        let iso = iso.ok_or_else(|| LanguageError::Unknown { code: code.to_string() })?;
        let short = iso.to_639_1().unwrap_or(iso.to_639_3());
        Ok(own(known_as(short)).unwrap_or_else(|| Self::without_rules(short, iso.to_name())))
    }

    /// A language that is not in the table; there are as many as ISO 639 has, and each is made once.
    fn without_rules(code: &'static str, name: &'static str) -> &'static Self {
        static MADE: Mutex<Vec<&'static Language>> = Mutex::new(Vec::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(language) = made.iter().find(|language| language.code == code) {
            return language;
        }
        // In small languages written with Latin letters an apostrophe mostly is a letter, the glottal stop.
        let language = Self::plain(code, name).apostrophe(Apostrophe::Letter);
        made.push(Box::leak(Box::new(language)));
        made[made.len() - 1]
    }

    /// The languages with rules of their own.
    pub fn all() -> &'static [Self] {
        LANGUAGES
    }

    /// The codes of the languages with rules of their own, separated by spaces, for messages and help texts.
    pub fn codes() -> String {
        LANGUAGES.iter().map(|l| l.code).collect::<Vec<_>>().join(" ")
    }

    /// Whether it has rules of its own, and not only general ones.
    pub fn has_rules(&self) -> bool {
        LANGUAGES.iter().any(|language| language.code == self.code)
    }

    /// Whether the language has a list of abbreviations, or none is needed.
    pub fn has_abbreviations(&self) -> bool {
        self.script != Script::Spaced || !self.abbreviations.is_empty()
    }

    /// Whether the sign `?`, `!`, `:`, `;` or `%` has a space before it. French sets one before all of them and German
    /// before `%`: in parliament speeches 77% of the French `?` and 95% of the German `%` have it.
    pub(crate) fn spaced_before(&self, sign: char) -> bool {
        match self.code {
            "fr" => matches!(sign, '?' | '!' | ':' | ';' | '%'),
            "de" => sign == '%',
            _ => false,
        }
    }

    const fn plain(code: &'static str, name: &'static str) -> Self {
        Self {
            code,
            name,
            script: Script::Spaced,
            apostrophe: Apostrophe::Alone,
            glottal: Glottal::AsItIs,
            inner_sign: None,
            abbreviations: "",
        }
    }

    const fn apostrophe(self, apostrophe: Apostrophe) -> Self {
        Self { apostrophe, ..self }
    }

    const fn glottal(self, glottal: Glottal) -> Self {
        Self { apostrophe: Apostrophe::Letter, glottal, ..self }
    }

    const fn inner_sign(self, sign: char) -> Self {
        Self { inner_sign: Some(sign), ..self }
    }

    const fn abbreviations(self, abbreviations: &'static str) -> Self {
        Self { abbreviations, ..self }
    }

    const fn script(self, script: Script) -> Self {
        Self { script, ..self }
    }
}

/// The code under which the table has a language that others call otherwise: members of groups that are written alike, and
/// codes for several languages.
fn known_as(code: &str) -> &str {
    match code {
        "nb" | "nn" | "nob" | "nno" => "no",
        "ay" | "ayr" | "ayc" => "aym",
        "grn" | "gug" | "gun" | "gui" => "gn",
        "que" | "quy" | "quz" | "quh" | "qul" | "qub" | "qwh" => "qu",
        "nhe" | "nhi" | "nhn" | "nch" | "azz" | "nci" => "nah",
        "cmn" | "yue" | "wuu" | "hak" | "nan" | "lzh" => "zh",
        "arb" | "ary" | "arz" | "apc" | "acm" | "ajp" => "ar",
        "pes" | "prs" => "fa",
        "ekk" => "et",
        "lvs" => "lv",
        "als" => "sq",
        "swh" => "sw",
        "hbs" => "sr",
        "dzo" => "dz",
        "bod" => "bo",
        other => other,
    }
}

/// Whether a code is one of those that ISO 639 leaves to everyone.
fn is_private(code: &str) -> bool {
    code.len() == 3 && ("qaa"..="qtz").contains(&code)
}

const LANGUAGES: &[Language] = &[
    Language::plain("en", "English")
        .apostrophe(Apostrophe::StartsWord)
        .abbreviations(include_str!("../../data/prefixes/en.txt")),
    Language::plain("de", "German").abbreviations(include_str!("../../data/prefixes/de.txt")),
    Language::plain("fr", "French")
        .apostrophe(Apostrophe::EndsWord)
        .abbreviations(include_str!("../../data/prefixes/fr.txt")),
    Language::plain("es", "Spanish").abbreviations(include_str!("../../data/prefixes/es.txt")),
    Language::plain("cs", "Czech").abbreviations(include_str!("../../data/prefixes/cs.txt")),
    Language::plain("it", "Italian")
        .apostrophe(Apostrophe::EndsWord)
        .abbreviations(include_str!("../../data/prefixes/it.txt")),
    Language::plain("pt", "Portuguese").abbreviations(include_str!("../../data/prefixes/pt.txt")),
    Language::plain("nl", "Dutch").abbreviations(include_str!("../../data/prefixes/nl.txt")),
    Language::plain("sv", "Swedish")
        .inner_sign(':')
        .abbreviations(include_str!("../../data/prefixes/sv.txt")),
    Language::plain("ru", "Russian").abbreviations(include_str!("../../data/prefixes/ru.txt")),
    Language::plain("pl", "Polish").abbreviations(include_str!("../../data/prefixes/pl.txt")),
    Language::plain("zh", "Chinese").script(Script::Chinese).apostrophe(Apostrophe::StartsWord),
    Language::plain("ja", "Japanese").script(Script::Japanese).apostrophe(Apostrophe::StartsWord),
    Language::plain("ca", "Catalan").apostrophe(Apostrophe::EndsWord).inner_sign('·'),
    Language::plain("ga", "Irish").apostrophe(Apostrophe::EndsWord),
    Language::plain("fi", "Finnish").inner_sign(':'),
    Language::plain("be", "Belarusian").apostrophe(Apostrophe::Letter),
    Language::plain("uk", "Ukrainian").apostrophe(Apostrophe::Letter),
    Language::plain("aym", "Aymara").glottal(Glottal::Ejectives),
    Language::plain("bzd", "Bribri").glottal(Glottal::Stop),
    Language::plain("gn", "Guarani").glottal(Glottal::Stop),
    Language::plain("nah", "Nahuatl").glottal(Glottal::Stop),
    Language::plain("qu", "Quechua").glottal(Glottal::Ejectives),
    Language::plain("shp", "Shipibo").glottal(Glottal::Stop),
    Language::plain("so", "Somali").apostrophe(Apostrophe::Letter),
    Language::plain("ar", "Arabic"),
    Language::plain("bg", "Bulgarian"),
    Language::plain("bs", "Bosnian"),
    Language::plain("da", "Danish"),
    Language::plain("el", "Greek"),
    Language::plain("et", "Estonian"),
    Language::plain("eu", "Basque"),
    Language::plain("gl", "Galician"),
    Language::plain("hr", "Croatian"),
    Language::plain("hu", "Hungarian"),
    Language::plain("id", "Indonesian"),
    Language::plain("is", "Icelandic"),
    Language::plain("ko", "Korean"),
    Language::plain("lt", "Lithuanian"),
    Language::plain("lv", "Latvian"),
    Language::plain("mk", "Macedonian"),
    Language::plain("mt", "Maltese"),
    Language::plain("no", "Norwegian"),
    Language::plain("ro", "Romanian"),
    Language::plain("sk", "Slovak"),
    Language::plain("sl", "Slovene"),
    Language::plain("sq", "Albanian"),
    Language::plain("sr", "Serbian"),
    Language::plain("sw", "Swahili"),
    Language::plain("tr", "Turkish"),
    Language::plain("vi", "Vietnamese"),
    Language::plain("th", "Thai").script(Script::SoutheastAsian),
    Language::plain("km", "Khmer").script(Script::SoutheastAsian),
    Language::plain("lo", "Lao").script(Script::SoutheastAsian),
    Language::plain("my", "Burmese").script(Script::SoutheastAsian),
    Language::plain("bo", "Tibetan").script(Script::Tibetan),
    Language::plain("dz", "Dzongkha").script(Script::Tibetan),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_does_not_change_the_language() {
        for code in ["pt", "pt-BR", "pt_PT", "PT"] {
            assert_eq!(Language::find(code).unwrap().name, "Portuguese");
        }
    }

    #[test]
    fn other_codes_of_a_language_are_known() {
        assert_eq!(Language::find("nb").unwrap(), Language::find("no").unwrap());
        assert_eq!(Language::find("quy").unwrap(), Language::find("qu").unwrap());
    }

    #[test]
    fn codes_of_two_and_of_three_letters_mean_the_same() {
        for (short, long) in
            [("de", "deu"), ("en", "eng"), ("zh", "zho"), ("gn", "grn"), ("hi", "hin"), ("th", "tha")]
        {
            assert_eq!(Language::find(short).unwrap(), Language::find(long).unwrap());
        }
    }

    #[test]
    fn every_language_of_iso_639_works_with_its_name() {
        let names: Vec<&str> = ["hi", "fa", "he", "bn", "cy", "la", "cni", "hch", "qaa"]
            .map(|code| Language::find(code).unwrap())
            .iter()
            .inspect(|language| assert!(!language.has_rules()))
            .map(|language| language.name)
            .collect();
        assert_eq!(names[..5], ["Hindi", "Persian", "Hebrew", "Bengali", "Welsh"]);
        assert!(Language::find("de").unwrap().has_rules());
    }

    #[test]
    fn what_is_no_code_is_an_error_that_says_what_one_is() {
        for code in ["xx", "", "german", "d", "zzq"] {
            let message = Language::find(code).unwrap_err().to_string();
            assert!(message.starts_with(&format!("`{code}` is no language of ISO 639")), "{message}");
        }
    }

    #[test]
    fn each_code_is_listed_once() {
        let mut codes: Vec<_> = Language::all().iter().map(|l| l.code).collect();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
    }
}
