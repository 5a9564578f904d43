//! Raw text as tokens, and multi-word tokens as words, in the way of Universal Dependencies: `don't` is one token of the text
//! and two words of the tree.

use crate::parser::Parser;
use treeglot_text::tokenize::{self, LanguageError, Tokenizer};
use treeglot_tree::{DepParse, Note};

/// A token of raw text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// As it stands in the text.
    pub form: String,
    /// The words it stands for, if they are several.
    pub split: Vec<String>,
    /// Whether a blank follows, or the end.
    pub space_after: bool,
}

impl Token {
    /// Its words.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let own = self.split.is_empty().then_some(self.form.as_str());
        own.into_iter().chain(self.split.iter().map(String::as_str))
    }
}

/// The longest row of pieces that can be one token, as `rock`, `'n'`, `roll`.
const MOST_JOINED: usize = 3;

impl Parser {
    /// A tokeniser of the language of its treebank.
    pub fn tokenizer(&self) -> Result<Tokenizer, LanguageError> {
        let options = tokenize::Options { escape: false, ..tokenize::Options::default() };
        Tokenizer::new(&self.settings().language, options)
    }

    /// Cuts a sentence of raw text into tokens, and these into words. What the tokeniser has cut, but the treebank knows as one
    /// token of several words (`don 't`), is joined first.
    pub fn tokens(&self, tokenizer: &mut tokenize::Worker<'_>, text: &str) -> Vec<Token> {
        let mut line = String::new();
        tokenizer.tokenize(text, &mut line);
        let pieces = with_spaces(text, &line);
        let mut tokens = Vec::with_capacity(pieces.len());
        let mut at = 0;
        while at < pieces.len() {
            let joinable = pieces[at..].iter().take(MOST_JOINED).take_while(|p| !p.1).count() + 1;
            let most = joinable.min(MOST_JOINED).min(pieces.len() - at);
            let join = |n: usize| pieces[at..at + n].iter().map(|p| p.0).collect::<String>();
            let known = (1..=most).rev().find_map(|n| Some((n, self.split(&join(n))?)));
            let (n, split) = known.unwrap_or((1, Vec::new()));
            tokens.push(Token { form: join(n), split, space_after: pieces[at + n - 1].1 });
            at += n;
        }
        tokens
    }
}

/// The tokens of a line, and whether a blank follows each in the text it was made from.
fn with_spaces<'a>(text: &str, line: &'a str) -> Vec<(&'a str, bool)> {
    let mut rest = text;
    let mut pieces: Vec<(&str, bool)> = Vec::new();
    for token in line.split_whitespace() {
        // A token that the tokeniser has rewritten is not found; then a blank is taken to follow.
        if let Some(after) = rest.trim_start().strip_prefix(token) {
            if let Some(last) = pieces.last_mut() {
                last.1 = rest.starts_with(char::is_whitespace);
            }
            rest = after;
        }
        pieces.push((token, true));
    }
    pieces
}

/// The parse of tokens' words with the tokens of several words, and with `SpaceAfter=No` where no blank follows.
pub(crate) fn with_tokens(parsed: &DepParse, tokens: &[Token]) -> DepParse {
    let mut parse = DepParse::new(0);
    let mut words = parsed.words();
    for token in tokens {
        let misc = if token.space_after { "_" } else { "SpaceAfter=No" };
        let count = token.words().count();
        if count > 1 {
            let first = parse.len() + 1;
            let line = format!("{first}-{}\t{}\t_\t_\t_\t_\t_\t_\t_\t{misc}", first + count - 1, token.form);
            parse.push_note(Note::Multiword, &line);
        }
        for w in words.by_ref().take(count) {
            let mut columns = parsed.columns(w);
            if count == 1 {
                columns[columns.len() - 1] = misc;
            }
            parse.push(columns, parsed.raw_head(w));
        }
    }
    parse
}
