//! CoNLL-U: Universal Dependencies. Comments, multi-word tokens and empty nodes are kept, so that what is read is
//! written back byte for byte.

use super::ReadTrees;
use crate::error::Result;
use crate::index::WordIx;
use crate::parse::{DepParse, FIELDS, Note};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::Lines;

/// Reads the sentences of a CoNLL-U file, one block each.
pub struct Reader<R = Box<dyn BufRead + Send>> {
    lines: Lines<R>,
}

impl Reader {
    /// Opens a file, `-` for standard input.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)? })
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads from `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader) }
    }

    /// The input's name.
    pub fn name(&self) -> &Arc<str> {
        self.lines.name()
    }
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = DepParse;

    /// The next block. One of comments alone comes back as a parse without words.
    fn next_tree(&mut self) -> Result<Option<DepParse>> {
        let mut parse: Option<DepParse> = None;
        let mut open = Open::default();
        loop {
            let number = self.lines.line() + 1;
            let Some(line) = self.lines.next_line()? else { break };
            if line.is_empty() {
                if parse.is_some() {
                    break;
                }
                continue;
            }
            let sentence = parse.get_or_insert_with(|| DepParse::new(number));
            if let Err(message) = open.read_line(line, sentence) {
                return Err(self.lines.malformed(message).into());
            }
        }
        if let Some(p) = parse.as_ref().filter(|p| (p.len() as u32) < open.multiword_end) {
            let message = format!(
                "a multi-word token reaches to word {}, but the sentence has {} words",
                open.multiword_end,
                p.len()
            );
            return Err(self.lines.malformed(message).into());
        }
        Ok(parse)
    }
}

/// What the lines so far of a sentence ask of those to come.
#[derive(Default)]
struct Open {
    multiword_end: u32,
    empty_node: u32,
}

impl Open {
    fn read_line(&mut self, line: &str, sentence: &mut DepParse) -> std::result::Result<(), String> {
        if line.starts_with('#') {
            sentence.push_note(Note::Comment, line);
            return Ok(());
        }
        let (columns, head) = split(line)?;
        let (id, expected) = (columns[0], sentence.len() as u32 + 1);
        if id.as_bytes().first().is_some_and(|b| *b != b'0') && id.parse() == Ok(expected) {
            let head = match head {
                "_" => None,
                _ => Some(number(head).ok_or_else(|| format!("the head `{head}` is not a number"))?),
            };
            let [_, form, lemma, upos, xpos, feats, deprel, deps, misc] = columns;
            sentence.push([form, lemma, upos, xpos, feats, deprel, deps, misc], head);
            self.empty_node = 0;
            return Ok(());
        }
        if let Some((first, last)) = id.split_once('-') {
            let (first, last) = (number(first), number(last));
            return match (first, last) {
                (Some(first), Some(last))
                    if first == expected && last >= first && first > self.multiword_end =>
                {
                    self.multiword_end = last;
                    sentence.push_note(Note::Multiword, line);
                    Ok(())
                }
                _ => Err(format!("the multi-word token `{id}` does not begin at word {expected}")),
            };
        }
        if let Some((word, node)) = id.split_once('.') {
            if number(word) == Some(expected - 1) && number(node) == Some(self.empty_node + 1) {
                self.empty_node += 1;
                sentence.push_note(Note::EmptyNode, line);
                return Ok(());
            }
            return Err(format!("the empty node `{id}` should be {}.{}", expected - 1, self.empty_node + 1));
        }
        Err(format!("the word has number `{id}`, but {expected} comes next"))
    }
}

/// The nine text columns (number first, head left out) and the head column.
fn split(line: &str) -> std::result::Result<([&str; FIELDS + 1], &str), String> {
    let mut fields = [""; 10];
    let mut found = 0;
    for column in line.split('\t') {
        if let Some(slot) = fields.get_mut(found) {
            *slot = column;
        }
        found += 1;
    }
    if found != fields.len() {
        return Err(format!("the line has {found} tab-separated columns, but CoNLL-U has 10"));
    }
    if let Some(empty) = fields.iter().position(|f| f.is_empty()) {
        return Err(format!("column {} is empty; CoNLL-U writes `_` where there is no value", empty + 1));
    }
    let [id, form, lemma, upos, xpos, feats, head, deprel, deps, misc] = fields;
    Ok(([id, form, lemma, upos, xpos, feats, deprel, deps, misc], head))
}

/// A number in the one way CoNLL-U writes it: no sign, no leading zero.
pub(super) fn number(text: &str) -> Option<u32> {
    let canonical = text == "0" || text.as_bytes().first().is_some_and(|b| (b'1'..=b'9').contains(b));
    text.parse().ok().filter(|_| canonical)
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
    match parse.raw_head(word) {
        Some(head) => write!(out, "{head}")?,
        None => out.write_all(b"_")?,
    }
    writeln!(out, "\t{deprel}\t{deps}\t{misc}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dep::Roots;

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
        let error = parse.tree_in(&"t.conllu".into(), Roots::One).unwrap_err().to_string();
        assert_eq!(error, "t.conllu:7: word 3 has head 12, but the sentence has 5 words");
    }
}
