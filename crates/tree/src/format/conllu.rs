//! CoNLL-U: Universal Dependencies. Comments, multi-word tokens and empty nodes are kept, so that what is read is
//! written back byte for byte.

use super::any::{AnyTree, any};
use super::columns::{self, Columns, number, write_head};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use crate::convert::{Conversion, ConvertError};
use crate::index::WordIx;
use crate::parse::{DepParse, Note};
use std::io::{self, BufRead, Write};

/// Universal Dependencies.
pub const FORMAT: Format = Format(&Definition {
    name: "conllu",
    about: "Universal Dependencies; written back byte for byte",
    endings: &["conllu"],
    content: Content::Dependencies,
    records: RecordLayout::Blocks,
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| Box::new(write_tree)),
});

/// Reads the sentences of a CoNLL-U file, one block each.
pub type Reader<R = Box<dyn BufRead + Send>> = columns::Reader<Conllu, R>;

/// The lines of CoNLL-U: what those so far of a sentence ask of those to come.
#[derive(Default)]
pub struct Conllu {
    multiword_end: u32,
    empty_node: u32,
}

const NAMES: [&str; 10] = [
    "number",
    "form",
    "lemma",
    "universal tag",
    "tag",
    "features",
    "head",
    "relation",
    "enhanced graph",
    "last column",
];

impl Columns for Conllu {
    fn read_line(&mut self, line: &str, sentence: &mut DepParse) -> Result<(), String> {
        if line.starts_with('#') {
            sentence.push_note(Note::Comment, line);
            return Ok(());
        }
        let [id, form, lemma, upos, xpos, feats, head, deprel, deps, misc] =
            columns::split(line, "CoNLL-U", NAMES)?;
        if let Some((first, last)) = id.split_once('-') {
            return self.multiword(id, [number(first), number(last)], line, sentence);
        }
        if let Some((word, node)) = id.split_once('.') {
            return self.empty_node(id, [number(word), number(node)], line, sentence);
        }
        columns::check_number(id, sentence)?;
        sentence.push([form, lemma, upos, xpos, feats, deprel, deps, misc], columns::head(head)?);
        self.empty_node = 0;
        Ok(())
    }

    fn check(&self, sentence: &DepParse) -> Result<(), String> {
        if sentence.len() as u32 >= self.multiword_end {
            return Ok(());
        }
        Err(format!(
            "a multi-word token reaches to word {}, but the sentence has {} words",
            self.multiword_end,
            sentence.len()
        ))
    }
}

impl Conllu {
    fn multiword(
        &mut self,
        id: &str,
        span: [Option<u32>; 2],
        line: &str,
        sentence: &mut DepParse,
    ) -> Result<(), String> {
        let expected = sentence.len() as u32 + 1;
        match span {
            [Some(first), Some(last)] if first == expected && last >= first && first > self.multiword_end => {
                self.multiword_end = last;
                sentence.push_note(Note::Multiword, line);
                Ok(())
            }
            _ => Err(format!("the multi-word token `{id}` does not begin at word {expected}")),
        }
    }

    fn empty_node(
        &mut self,
        id: &str,
        at: [Option<u32>; 2],
        line: &str,
        sentence: &mut DepParse,
    ) -> Result<(), String> {
        let (word, node) = (sentence.len() as u32, self.empty_node + 1);
        if at != [Some(word), Some(node)] {
            return Err(format!("the empty node `{id}` should be {word}.{node}"));
        }
        self.empty_node = node;
        sentence.push_note(Note::EmptyNode, line);
        Ok(())
    }
}

fn write_tree(tree: AnyTree, conversion: &mut Conversion, out: &mut dyn Write) -> Result<(), ConvertError> {
    Ok(write(&conversion.dep(tree)?.unwrap_or_else(failed_parse), out)?)
}

/// What stands in a dependency file for a sentence without a tree: a block of a comment alone.
pub(super) fn failed_parse() -> DepParse {
    let mut parse = DepParse::new(0);
    parse.push_note(Note::Comment, "# no parse");
    parse
}

/// Writes one sentence and the blank line after it.
pub fn write(parse: &DepParse, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut notes = parse.notes().peekable();
    for word in 0..=parse.len() {
        while let Some((_, line, _)) = notes.next_if(|n| n.2 <= word) {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        if word < parse.len() {
            write_word(parse, word.into(), out)?;
        }
    }
    out.write_all(b"\n")
}

fn write_word(parse: &DepParse, word: WordIx, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let [form, lemma, upos, xpos, feats, deprel, deps, misc] = parse.columns(word);
    write!(out, "{word}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t")?;
    write_head(parse, word, out)?;
    writeln!(out, "\t{deprel}\t{deps}\t{misc}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dep::Roots;
    use crate::error::Result;
    use crate::format::ReadTrees;

    const FRENCH: &str = "# sent_id = 1\n# text = Il parle du chat\n\
        1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_\n\
        2\tparle\tparler\tVERB\t_\tMood=Ind\t0\troot\t_\t_\n\
        2.1\tv\t_\t_\t_\t_\t_\t_\t0:root\t_\n\
        3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n\
        3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_\n\
        4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_\n\
        5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No\n\n";

    fn read(text: &str) -> Result<Vec<DepParse>> {
        Reader::new("t.conllu", text.as_bytes()).trees().collect()
    }

    #[test]
    fn comments_multi_word_tokens_and_empty_nodes_are_written_back() {
        let parses = read(FRENCH).unwrap();
        assert_eq!(parses.len(), 1);
        assert_eq!(parses[0].comment("text"), Some("Il parle du chat"));
        assert_eq!(parses[0].forms().collect::<Vec<_>>(), ["Il", "parle", "de", "le", "chat"]);
        assert_eq!(parses[0].line_of(WordIx(4)), 9);
        let mut out = Vec::new();
        write(&parses[0], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), FRENCH);
    }

    #[test]
    fn a_bad_line_is_named() {
        let bad = |from: &str, to: &str| read(&FRENCH.replacen(from, to, 1)).unwrap_err().to_string();
        assert_eq!(bad("5\tchat", "6\tchat"), "t.conllu:9: the word has number `6`, but 5 comes next");
        assert_eq!(
            bad("\tSpace", "Space"),
            "t.conllu:9: the line has 9 tab-separated columns, but CoNLL-U has 10"
        );
        assert_eq!(bad("3-4", "4-5"), "t.conllu:6: the multi-word token `4-5` does not begin at word 3");
        assert_eq!(bad("2.1", "2.2"), "t.conllu:5: the empty node `2.2` should be 2.1");
        assert_eq!(bad("\t5\tdet", "\tx\tdet"), "t.conllu:8: the head `x` is not a number");
        assert!(bad("3-4", "3-9").contains("reaches to word 9, but the sentence has 5 words"));
    }

    #[test]
    fn a_head_beyond_the_sentence_is_an_error_of_the_tree_with_the_words_line() {
        let parse = &read(&FRENCH.replace("\t5\tcase", "\t12\tcase")).unwrap()[0];
        let error = parse.checked_tree(Roots::One).unwrap_err().to_string();
        assert_eq!(error, "t.conllu:7: word 3 has head 12, but the sentence has 5 words");
    }
}
