//! `treeglot tokenize` and `treeglot detokenize`.

use crate::args::FilterArgs;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use treeglot_text::detokenize::{self, Detokenizer};
use treeglot_text::tokenize::{self, Language, Prefixes, Tokenizer};

const TOKENIZE_HELP: &str = "\
Tokens are those of Moses' tokenizer.perl for languages with spaces, so that data and models of both tools fit \
together; Chinese is cut with jieba's dictionary, Japanese into short units with endings apart. By default the \
characters & | < > ' \" [ ] are written as entities, because rule tables and trees use them as markup; \
`treeglot detokenize` undoes that.

Examples:
  treeglot tokenize --lang de < train.de > train.tok.de
  treeglot tokenize --lang en --lower --normalize-punctuation corpus.en.gz -o corpus.tok.en.zst";

/// The help text with the languages that are known.
fn with_languages(help: &str) -> String {
    format!("{help}\n\nLanguages: {}", Language::codes())
}

/// The arguments of `treeglot tokenize`.
#[derive(Args)]
#[command(after_help = with_languages(TOKENIZE_HELP))]
pub struct TokenizeArgs {
    /// The language of the text: it decides on abbreviations, apostrophes, and how words are found
    #[arg(long, value_name = "LANG")]
    lang: String,

    /// Write all tokens in small letters: fewer distinct words, for small data
    #[arg(long)]
    lower: bool,

    /// Split at hyphens between letters (`low @-@ cost`): rare compounds become known words
    #[arg(long)]
    aggressive: bool,

    /// Keep & | < > ' " [ ] as they are, for tools that know no entities
    #[arg(long)]
    no_escape: bool,

    /// Compose characters (Unicode NFC), so that equal words are equal bytes
    #[arg(long)]
    nfc: bool,

    /// Write quotes, dashes and spaces before signs in one way, for text of several sources; cannot be undone
    #[arg(long)]
    normalize_punctuation: bool,

    /// Abbreviations that keep their period, in place of the built-in ones; lists of Moses are read too
    #[arg(long, value_name = "FILE")]
    prefixes: Option<PathBuf>,

    #[command(flatten)]
    filter: FilterArgs,
}

impl TokenizeArgs {
    pub fn run(self) -> Result<()> {
        let options = tokenize::Options {
            split_hyphens: self.aggressive,
            escape: !self.no_escape,
            nfc: self.nfc,
            punctuation: self.normalize_punctuation,
            lower: self.lower,
            prefixes: self.prefixes.as_ref().map(Prefixes::open).transpose()?,
        };
        let own_prefixes = options.prefixes.is_some();
        let tokenizer = Tokenizer::new(&self.lang, options)?;
        let language = tokenizer.language();
        if !own_prefixes && !language.has_abbreviations() {
            self.filter.files.note(&format!(
                "no abbreviations of {} are built in; using those many languages share (or give --prefixes)",
                language.name
            ));
        }
        self.filter.run(|| {
            let mut worker = tokenizer.worker();
            move |line: &str, out: &mut String| worker.tokenize(line, out)
        })
    }
}

const DETOKENIZE_HELP: &str = "\
Undoes `treeglot tokenize`: entities become characters, `@-@` a hyphen, and signs go back to the words they were cut \
from. Where the tokens do not tell (a space before % or a French question mark), the language's usual spacing is \
written.

Examples:
  treeglot detokenize --lang fr < output.tok.fr > output.fr
  treeglot detokenize --lang en --recase < output.truecased.en > output.en";

/// The arguments of `treeglot detokenize`.
#[derive(Args)]
#[command(after_help = with_languages(DETOKENIZE_HELP))]
pub struct DetokenizeArgs {
    /// The language of the tokens: it decides on quotes, apostrophes and spaces before signs
    #[arg(long, value_name = "LANG")]
    lang: String,

    /// Keep entities such as &apos; as they are, for tokens that were written with `tokenize --no-escape`
    #[arg(long)]
    no_escape: bool,

    /// Start each sentence with a capital, for tokens that were truecased
    #[arg(long)]
    recase: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

impl DetokenizeArgs {
    pub fn run(self) -> Result<()> {
        let options = detokenize::Options { unescape: !self.no_escape, recase: self.recase };
        let detokenizer = Detokenizer::new(&self.lang, options)?;
        self.filter.run(|| {
            let mut worker = detokenizer.worker();
            move |line: &str, out: &mut String| worker.detokenize(line, out)
        })
    }
}
