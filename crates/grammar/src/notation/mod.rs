//! Rule instances as text, in Moses' notation: `source ||| target ||| links ||| count`. Words stand for themselves, a
//! variable is `[X][X]` and the label that the rule builds is a last `[X]` on both sides:
//!
//! ```text
//! [X][X] house [X] ||| casa [X][X] [X] ||| 1-0 0-1 ||| 1
//! ```
//!
//! A phrase pair has no label; its orientations to the phrases before and after it are a fifth field, which Moses'
//! `score` passes over:
//!
//! ```text
//! das haus ||| the house ||| 0-0 1-1 ||| 1 ||| mono other
//! ```
//!
//! What else is known of a rule are properties in a last field, as Moses has them: the heads of a target side with a
//! structure ([`crate::heads`]), and which of several sources the instance comes from:
//!
//! ```text
//! das [X][X] [X] ||| the [X][X] [X] ||| 0-0 1-1 ||| 0.5 ||| {{Heads 2 0}} {{From 2}}
//! ```
//!
//! The links of a variable tell which target variable stands for which source variable. Tree-shaped source sides
//! ([`crate::pattern`]) are written in brackets:
//!
//! ```text
//! (x1:NR) (x2:AD) launch (x3:NN) ||| x1 x2 launch x3 ||| 2-2 ||| 1 ||| hdr
//! (S x1:NP (VP (VBD saw) x2:NP)) ||| x1 sah x2 ||| 1-1 ||| 1 ||| tree
//! als x1:ich_in war ||| when x1 ||| 0-0 2-0 ||| 0.25 ||| mwu
//! ```

mod read;
mod tree;
mod write;

pub use read::Parser;
pub(crate) use read::{bracketed, read_links};
pub use tree::PART;
pub use write::{
    write_batch, write_count, write_line, write_links, write_orientations, write_source, write_target,
};

use std::borrow::Cow;

/// A word as it is written in a file of rules: words that would read as notation (`|||`, `[X]`) are written with the entities
/// of Moses' tokeniser, all others stay as they are. In memory words are what they are in the text.
pub fn escape(word: &str) -> Cow<'_, str> {
    if !reads_as_notation(word) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.replace('|', "&#124;").replace('[', "&#91;").replace(']', "&#93;"))
}

/// The word that a file of rules has under this name. Entities of words that need none are left alone: texts that went through
/// Moses' tokeniser are full of them.
pub fn unescape(written: &str) -> Cow<'_, str> {
    if !written.contains("&#") {
        return Cow::Borrowed(written);
    }
    let word = written.replace("&#124;", "|").replace("&#91;", "[").replace("&#93;", "]");
    if reads_as_notation(&word) { Cow::Owned(word) } else { Cow::Borrowed(written) }
}

fn reads_as_notation(word: &str) -> bool {
    word.starts_with('[') && word.ends_with(']') || word.contains("|||")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::Batch;
    use treeglot_text::{Place, vocab::Vocab};

    fn round_trip(line: &str) -> String {
        let mut vocab = Vocab::default();
        let mut batch = Batch::default();
        Parser::default().line(line, &Place::new("rules", 3), &mut vocab, &mut batch).unwrap();
        batch.vocab = vocab;
        let mut out = Vec::new();
        write_batch(&batch, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rules_and_phrases_come_back_as_they_were_written() {
        for line in [
            "zwei junge ||| two young , ||| 0-0 1-1 ||| 1\n",
            "[X][X] house [X] ||| casa [X][X] [X] ||| 1-0 0-1 ||| 1\n",
            "[X][X] gab [X][X] [X] ||| [X][X] gave [X][X] [X] ||| 1-1 2-0 0-2 ||| 0.25\n",
            "das haus ||| the house ||| 0-0 1-1 ||| 1 ||| mono other\n",
            "(x1:NR) (x2:AD) launch (x3:NN) ||| x1 x2 launch x3 ||| 2-2 ||| 1 ||| hdr\n",
            "(a) x1:VP|||VV_NN (() (x2:$() ||| x2 a ( x1 ||| 0-1 2-2 ||| 0.5 ||| hdr\n",
            "(&#120;1) &#40;a&#41; ||| &#120;1 ||| 0-0 ||| 1 ||| hdr\n",
            "(S x1:NP (VP (VBD saw) (# #) x2:NP)) ||| x2 sah # x1 ||| 1-1 2-2 ||| 1 ||| tree\n",
            "($( &#40;) ||| &#40; ||| 0-0 ||| 1 ||| tree\n",
            "das [X][X] [X] ||| the [X][X] [X] ||| 0-0 1-1 ||| 0.5 ||| {{Heads 2 0}}\n",
            "das [X] ||| the [X] ||| 0-0 ||| 1 ||| {{Heads 0}} {{From 3}}\n",
            "das haus ||| the house ||| 0-0 1-1 ||| 1 ||| mono other ||| {{From 2}}\n",
            "als x1:ich_in (war ||| when x1 &#120;2 ||| 0-0 2-0 ||| 0.25 ||| mwu\n",
        ] {
            assert_eq!(round_trip(line), line);
        }
    }

    #[test]
    fn words_that_read_as_notation_are_themselves_in_memory_and_entities_in_files() {
        for word in ["[Bild]", "[X]", "|||", "a|||b", "[]", "[", "]", "|", "||", "a", "&#91;", "&amp;"] {
            let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
            let symbol = [crate::Symbol::word(vocab.intern(word))];
            let links = [crate::RuleLink::new(0, 0)];
            let (source, target, links) = (&symbol[..], &symbol[..], &links[..]);
            crate::RuleSink::rule(
                &mut batch,
                crate::Instance { source, target, links, count: 1.0, orientation: None, origin: 0 },
            );
            batch.vocab = vocab;
            let mut written = Vec::new();
            write_batch(&batch, &mut written);
            let written = String::from_utf8(written).unwrap();
            let (mut vocab, mut read) = (Vocab::default(), Batch::default());
            Parser::default().line(&written, &Place::new("rules", 1), &mut vocab, &mut read).unwrap();
            assert_eq!(vocab.words().collect::<Vec<_>>(), [word], "{written}");
        }
        assert_eq!(escape("[Bild]"), "&#91;Bild&#93;");
    }

    #[test]
    fn a_missing_count_is_one_and_later_fields_are_left_alone() {
        assert_eq!(round_trip("a ||| b ||| 0-0"), "a ||| b ||| 0-0 ||| 1\n");
        assert_eq!(round_trip("a ||| b ||| 0-0 ||| 0.5 ||| "), "a ||| b ||| 0-0 ||| 0.5\n");
        assert_eq!(round_trip("a ||| b ||| 0-0 ||| 1 ||| 0.25 ||| {{Tree [X]}}"), "a ||| b ||| 0-0 ||| 1\n");
    }

    fn count_text(count: f32) -> String {
        let mut out = Vec::new();
        write_count(count, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn counts_have_six_significant_digits() {
        for (count, text) in [
            (1.0, "1"),
            (12.0, "12"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0, "0.666667"),
            (1.0 / 512.0, "0.00195312"),
            (1.0 / 3000.0, "0.000333333"),
            (10.25, "10.25"),
            (0.999_999_94, "1"),
            (123_456.79, "123457"),
            (1e6, "1e+06"),
            (0.000_015, "1.5e-05"),
        ] {
            assert_eq!(count_text(count), text);
        }
    }

    #[test]
    fn orientations_have_a_file_of_their_own_in_moses_format() {
        let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
        let line = "das haus ||| the house ||| 0-0 1-1 ||| 1 ||| swap other";
        Parser::default().line(line, &Place::new("rules", 1), &mut vocab, &mut batch).unwrap();
        batch.vocab = vocab;
        let mut out = Vec::new();
        write_orientations(&batch, &mut out);
        assert_eq!(out, b"das haus ||| the house ||| swap other\n");
    }

    fn pieces() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let piece = [
            "a",
            "[X]",
            "[X][X]",
            "[",
            "(a)",
            "(S",
            "a)",
            "x1",
            "x1:A",
            "(x1:A|||B)",
            "hdr",
            "tree",
            "mwu",
            "|||",
            "0-0",
            "1-0",
            "0-1",
            "9-9",
            "1",
            "0.5",
            "-1",
            "mono",
            "swap",
            "{{Heads",
            "{{From",
            "1}}",
            "0}}",
        ];
        prop::collection::vec(prop::sample::select(piece.to_vec()), 0..16).prop_map(|p| p.join(" "))
    }

    proptest::proptest! {
        #[test]
        fn every_line_is_read_or_refused_and_what_is_read_comes_back(line in pieces()) {
            let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
            let place = Place::new("rules", 1);
            if Parser::default().line(&line, &place, &mut vocab, &mut batch).is_ok() {
                let written = round_trip(&line);
                proptest::prop_assert_eq!(round_trip(&written), written);
            }
        }

        #[test]
        fn a_count_is_read_back_to_six_digits(count in 0.0001f32..999_999.0) {
            let read: f64 = count_text(count).parse().unwrap();
            let exact: f64 = format!("{count:.5e}").parse().unwrap();
            proptest::prop_assert_eq!(read, exact);
        }
    }

    #[test]
    fn what_is_no_rule_is_an_error_with_its_place() {
        for (line, why) in [
            ("a ||| b", "expected `source"),
            (" ||| b ||| ", "both sides"),
            ("a ||| b ||| 0-1", "outside"),
            ("a ||| b ||| 0:0", "no link"),
            ("[X][X] a [X] ||| b [X] ||| 1-0", "1 variables"),
            ("[X][X] a [X] ||| [X][X] b [X] ||| 1-1", "one link"),
            ("[X][X] a [X] ||| [X][X] b [X] ||| 0-1", "word and a variable"),
            ("a [X] b ||| c ||| 0-0", "before the end"),
            ("a ||| b ||| 0-0 ||| -1", "no count"),
            ("a ||| b ||| 0-0 ||| 1 ||| {{Heads 2}}", "no head"),
            ("a ||| b ||| 0-0 ||| 1 ||| {{From 0}}", "no source"),
        ] {
            let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
            let error =
                Parser::default().line(line, &Place::new("rules", 3), &mut vocab, &mut batch).unwrap_err();
            assert!(
                error.to_string().starts_with("rules:3: ") && error.to_string().contains(why),
                "{line}: {error}"
            );
        }
    }

    #[test]
    fn words_that_read_as_notation_are_escaped() {
        assert_eq!(escape("[X]"), "&#91;X&#93;");
        assert_eq!(escape("|||"), "&#124;&#124;&#124;");
        assert_eq!(escape("["), "[");
        assert_eq!(escape("a|b"), "a|b");
    }
}
