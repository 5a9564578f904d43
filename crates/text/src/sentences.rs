//! Sentences of running text, for translating paragraphs: first step of `translate --split`. The rules are those of the
//! European Parliament corpus' splitter, which its users know from Moses: a sign that may end a sentence does so when
//! what follows looks like a beginning and what stands before is no abbreviation.

use crate::tokenize::{Keeps, Language, LanguageError, Prefixes, Script};

/// Finds the sentences of a line. Read-only: threads share it.
#[derive(Debug)]
pub struct SentenceSplitter {
    prefixes: Prefixes,
    script: Script,
}

/// Signs that may stand between the end of a sentence and the blank behind it.
const CLOSING: [char; 11] = ['"', '\'', ')', ']', '»', '”', '“', '’', '%', '›', '«'];
/// Signs that may stand before the first word of a sentence.
const OPENING: [char; 13] = ['"', '\'', '(', '[', '«', '“', '„', '‘', '¿', '¡', '‹', '»', '‚'];

impl SentenceSplitter {
    /// The splitter of a language, by its code.
    pub fn new(language: &str) -> Result<Self, LanguageError> {
        let language = Language::find(language)?;
        Ok(Self { prefixes: Prefixes::of(language), script: language.script })
    }

    /// The sentences of a line, without the blanks between them.
    pub fn split<'t>(&self, line: &'t str) -> Vec<&'t str> {
        let mut sentences = Vec::new();
        let mut start = 0;
        for end in self.ends(line) {
            sentences.push(line[start..end].trim());
            start = end;
        }
        sentences.push(line[start..].trim());
        sentences.retain(|sentence| !sentence.is_empty());
        sentences
    }

    /// The positions behind each sentence but the last.
    fn ends(&self, line: &str) -> Vec<usize> {
        match self.script {
            Script::Spaced => self.spaced_ends(line),
            Script::Chinese | Script::Japanese => dense_ends(line),
            Script::SoutheastAsian | Script::Tibetan => unspaced_ends(line),
        }
    }

    fn spaced_ends(&self, line: &str) -> Vec<usize> {
        let mut words = Vec::new();
        let mut at = 0;
        for word in line.split_whitespace() {
            let start = at + line[at..].find(word).unwrap_or(0);
            at = start + word.len();
            words.push((word, at));
        }
        let ends = words.windows(2).filter(|pair| self.ends_between(pair[0].0, pair[1].0));
        ends.map(|pair| pair[0].1).collect()
    }

    /// Whether a sentence ends between two neighbouring words.
    fn ends_between(&self, word: &str, next: &str) -> bool {
        let core = word.trim_end_matches(CLOSING);
        let closed = core.len() < word.len();
        let first = next.trim_start_matches(OPENING).chars().next();
        let opened = next.starts_with(OPENING);
        let begins = first.is_some_and(|c| c.is_uppercase() || (c.is_alphabetic() && !c.is_lowercase()));
        let number = first.is_some_and(char::is_numeric);
        if core.ends_with(['।', '॥', '۔', '።', '։']) {
            return true;
        }
        if core.ends_with(['?', '!', '…', '؟', '՞', '՜']) || core.ends_with("..") {
            return begins || (opened && number);
        }
        let Some(stem) = core.strip_suffix('.') else { return false };
        if closed {
            return begins;
        }
        let bare = stem.trim_start_matches(OPENING);
        let letters = bare.contains('.') && bare.split('.').all(|part| part.chars().count() == 1);
        match self.prefixes.get(bare) {
            Some(Keeps::Always) => false,
            Some(Keeps::BeforeNumber) if number => false,
            _ => (begins || number) && !letters,
        }
    }
}

/// The ends of sentences where words have no blanks between them but sentences do: behind a sign and a blank.
fn unspaced_ends(line: &str) -> Vec<usize> {
    let ends_sentence = |c: char| matches!(c, '.' | '?' | '!' | '…' | '။' | '។' | '៕' | '།' | '༎');
    let blanks = line.char_indices().filter(|(_, c)| c.is_whitespace());
    blanks
        .map(|(at, _)| at)
        .filter(|&at| line[..at].trim_end_matches(CLOSING).ends_with(ends_sentence))
        .collect()
}

/// The ends of sentences in text without blanks: behind each sign that ends one, and what closes it.
fn dense_ends(line: &str) -> Vec<usize> {
    const ENDING: [char; 6] = ['。', '！', '？', '!', '?', '…'];
    const CLOSING: [char; 6] = ['」', '』', '”', '’', '）', ')'];
    let mut ends = Vec::new();
    let mut signs = line.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        if !ENDING.contains(&sign) {
            continue;
        }
        let mut end = at + sign.len_utf8();
        while let Some(&(at, sign)) = signs.peek() {
            if !ENDING.contains(&sign) && !CLOSING.contains(&sign) {
                break;
            }
            end = at + sign.len_utf8();
            signs.next();
        }
        ends.push(end);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(language: &str, line: &'static str) -> Vec<&'static str> {
        SentenceSplitter::new(language).unwrap().split(line)
    }

    #[test]
    fn a_sentence_ends_where_another_begins() {
        assert_eq!(
            split("en", "It rains. We stay in!  Do we? Yes"),
            ["It rains.", "We stay in!", "Do we?", "Yes"]
        );
        assert_eq!(split("de", "Er sagte: „Komm!“ Dann ging er."), ["Er sagte: „Komm!“", "Dann ging er."]);
        assert_eq!(
            split("en", "He left (too late.) \"Why?\" she asked."),
            ["He left (too late.)", "\"Why?\" she asked."]
        );
        assert_eq!(split("en", "Wait... what? and then"), ["Wait... what? and then"]);
        assert_eq!(split("en", " \u{a0} "), Vec::<&str>::new());
    }

    #[test]
    fn abbreviations_initials_and_numbers_end_no_sentence() {
        assert_eq!(split("en", "Dr. Weber met J. R. Smith in the U.S. Senate.").len(), 1);
        assert_eq!(split("en", "See No. 5 of it. No. Never."), ["See No. 5 of it.", "No.", "Never."]);
        assert_eq!(split("de", "Am 3. Mai kam z.B. Herr Prof. Maier.").len(), 1);
        assert_eq!(
            split("en", "It cost 3.50 in 1999. 2000 was dearer."),
            ["It cost 3.50 in 1999.", "2000 was dearer."]
        );
    }

    #[test]
    fn chinese_and_japanese_need_no_blanks() {
        assert_eq!(split("zh", "他来了。你呢？！好"), ["他来了。", "你呢？！", "好"]);
        assert_eq!(split("ja", "「行く。」と言った。はい"), ["「行く。」", "と言った。", "はい"]);
    }

    #[test]
    fn signs_of_other_scripts_end_sentences() {
        assert_eq!(split("hi", "वह आया। तुम कहाँ हो? यहाँ"), ["वह आया।", "तुम कहाँ हो?", "यहाँ"]);
        assert_eq!(split("ur", "وہ آیا۔ ہم گئے؟ ہاں"), ["وہ آیا۔", "ہم گئے؟", "ہاں"]);
        assert_eq!(split("my", "သူလာသည်။ ငါသွားမည်။"), ["သူလာသည်။", "ငါသွားမည်။"]);
        assert_eq!(split("bo", "ང་འགྲོ་གི་ཡིན། ཁྱེད་རང་།"), ["ང་འགྲོ་གི་ཡིན།", "ཁྱེད་རང་།"]);
    }

    #[test]
    fn nothing_is_lost() {
        let line = "A b. C d? \"E.\" F! g... H";
        let splitter = SentenceSplitter::new("en").unwrap();
        assert_eq!(splitter.split(line).join(" "), line);
    }
}
