//! METEOR's parameters, tuned by its authors to human rankings, and what is built in for each language.

use rust_stemmers::Algorithm;

/// How the parts of the score are weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Recall against precision.
    pub alpha: f64,
    /// How the penalty grows with fragmentation.
    pub beta: f64,
    /// The greatest penalty.
    pub gamma: f64,
    /// Content against function words.
    pub delta: f64,
}

impl Parameters {
    /// The parameters of a language, or those for any.
    pub fn of(code: &str) -> Self {
        let [alpha, beta, gamma, delta] = match code {
            "en" => [0.85, 0.20, 0.60, 0.75],
            "cs" => [0.95, 0.20, 0.60, 0.80],
            "fr" => [0.90, 1.40, 0.60, 0.65],
            "es" => [0.65, 1.30, 0.50, 0.80],
            "de" => [0.95, 1.00, 0.55, 0.55],
            _ => [0.75, 1.40, 0.70, 0.50],
        };
        Self { alpha, beta, gamma, delta }
    }
}

/// What a match of each module is worth: exact, stem, synonym, paraphrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f64; 4]);

impl Weights {
    /// The weights of a language, or those for any. Where METEOR has no such module for the language, a file given
    /// for it counts as for any language.
    pub fn of(code: &str) -> Self {
        Self(match code {
            "en" => [1.0, 0.6, 0.8, 0.6],
            "cs" => [1.0, 0.5, 0.5, 0.4],
            "fr" => [1.0, 0.2, 0.5, 0.4],
            "es" => [1.0, 0.8, 0.5, 0.6],
            "de" => [1.0, 0.8, 0.5, 0.2],
            _ => [1.0, 0.5, 0.5, 0.5],
        })
    }
}

/// The Snowball stemmer of a language.
pub fn stemming(code: &str) -> Option<Algorithm> {
    Some(match code {
        "en" => Algorithm::English,
        "fr" => Algorithm::French,
        "de" => Algorithm::German,
        "es" => Algorithm::Spanish,
        "pt" => Algorithm::Portuguese,
        "ru" => Algorithm::Russian,
        "da" => Algorithm::Danish,
        "ro" => Algorithm::Romanian,
        "hu" => Algorithm::Hungarian,
        "tr" => Algorithm::Turkish,
        "fi" => Algorithm::Finnish,
        "nl" => Algorithm::Dutch,
        "it" => Algorithm::Italian,
        "no" => Algorithm::Norwegian,
        "sv" => Algorithm::Swedish,
        _ => return None,
    })
}

/// Words that carry grammar, when no file names them: articles, prepositions, pronouns, conjunctions, auxiliaries and
/// punctuation that stand in nearly every text.
pub fn function_words(code: &str) -> impl Iterator<Item = &'static str> {
    let words = match code {
        "en" => {
            "a an the of in to for on at by with from as about into over after and or but that which who this these \
             it its he his she her they their them we our you i not no is are was were be been has have had will would \
             can could do said there when if more than out up all one . , ' \" 's ( ) - : ; ? !"
        }
        "de" => {
            "der die das den dem des ein eine einen einem einer eines in im an am auf aus bei für mit nach von vom zu \
             zum zur um über vor bis durch und oder aber als wie dass wenn daß er sie es wir ich sich nicht auch noch \
             nur ist sind war wird werden wurde hat haben hatte kann diese dieser . , \" ( ) - : ; ? !"
        }
        "fr" => {
            "le la les l' un une des du de d' à au aux en dans par pour sur avec sans sous entre et ou mais que qu' qui \
             dont ce cette ces il elle ils on nous vous je se s' son sa ses leur ne n' pas plus est sont a été être \
             ont avait était c' y . , ' \" ( ) - : ; ? ! « »"
        }
        "es" => {
            "el la los las lo un una unos unas de del a al en por para con sin sobre entre y o pero que como si no se su \
             sus le les me él ella es son fue ha han ser está este esta esto más muy ya también . , \" ( ) - : ; ? ! ¿ ¡"
        }
        _ => "",
    };
    words.split_ascii_whitespace()
}
