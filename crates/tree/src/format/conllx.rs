//! CoNLL-X: the shared tasks of 2006 and 2007, and what parsers of that time (Malt, MST, LTH) write. The two
//! columns that CoNLL-U lacks, PHEAD and PDEPREL, are kept as features of MISC.

use super::ReadTrees;
use super::conllu::number;
use crate::error::Result;
use crate::parse::{DepParse, Field};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::Lines;

/// Reads the sentences of a CoNLL-X file, one block each.
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
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = DepParse;

    fn next_tree(&mut self) -> Result<Option<DepParse>> {
        let mut parse: Option<DepParse> = None;
        loop {
            let at = self.lines.line() + 1;
            let Some(line) = self.lines.next_line()? else { break };
            if line.trim_ascii().is_empty() {
                if parse.is_some() {
                    break;
                }
                continue;
            }
            let sentence = parse.get_or_insert_with(|| DepParse::new(at));
            if let Err(message) = read_word(line, sentence) {
                return Err(self.lines.malformed(message).into());
            }
        }
        Ok(parse)
    }
}

fn read_word(line: &str, sentence: &mut DepParse) -> std::result::Result<(), String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[id, form, lemma, coarse, fine, feats, head, deprel, ref rest @ ..] = columns.as_slice() else {
        return Err(format!("the line has {} tab-separated columns, but CoNLL-X has 10", columns.len()));
    };
    let (phead, pdeprel) = match *rest {
        [] => ("_", "_"),
        [phead, pdeprel] => (phead, pdeprel),
        _ => return Err(format!("the line has {} tab-separated columns, but CoNLL-X has 10", columns.len())),
    };
    let expected = sentence.len() as u32 + 1;
    if number(id) != Some(expected) {
        return Err(format!("the word has number `{id}`, but {expected} comes next"));
    }
    let head = match head {
        "_" => None,
        _ => Some(number(head).ok_or_else(|| format!("the head `{head}` is not a number"))?),
    };
    let misc = match (phead, pdeprel) {
        ("_" | "", "_" | "") => "_".to_string(),
        _ => format!("PHead={phead}|PDeprel={pdeprel}"),
    };
    let columns = [form, lemma, coarse, fine, feats, deprel, "_", &misc];
    if let Some(empty) = columns.iter().position(|c| c.is_empty()) {
        return Err(format!(
            "the {} is empty; write `_` where there is no value",
            ["form", "lemma", "coarse tag", "tag", "features", "relation", "", ""][empty]
        ));
    }
    sentence.push(columns, head);
    Ok(())
}

/// Writes one sentence and the blank line after it. Comments and other lines that are not words are left out:
/// CoNLL-X has none.
pub fn write(parse: &DepParse, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for word in parse.words() {
        let [form, lemma, coarse, fine, feats, deprel, _, _] = parse.columns(word);
        write!(out, "{word}\t{form}\t{lemma}\t{coarse}\t{fine}\t{feats}\t")?;
        match parse.raw_head(word) {
            Some(head) => write!(out, "{head}")?,
            None => out.write_all(b"_")?,
        }
        let misc = parse.get(word, Field::Misc);
        let projective = misc.strip_prefix("PHead=").and_then(|m| m.split_once("|PDeprel="));
        let (phead, pdeprel) = projective.unwrap_or(("_", "_"));
        writeln!(out, "\t{deprel}\t{phead}\t{pdeprel}")?;
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "1\ta\t_\tDT\tDT\t_\t2\tNMOD\t_\t_\n2\tgroup\t_\tNN\tNN\t_\t0\tROOT\t0\tROOT\n\n";

    #[test]
    fn what_is_read_is_written_back() {
        let parses: Vec<DepParse> = Reader::new("t", TEXT.as_bytes()).trees().collect::<Result<_>>().unwrap();
        let mut out = Vec::new();
        write(&parses[0], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), TEXT);
    }

    #[test]
    fn a_bad_line_is_named() {
        let read = |text: &str| Reader::new("t", text.as_bytes()).next_tree().unwrap_err().to_string();
        assert_eq!(read("1\ta\n"), "t:1: the line has 2 tab-separated columns, but CoNLL-X has 10");
        assert_eq!(
            read(&TEXT.replace("2\tgroup", "3\tgroup")),
            "t:2: the word has number `3`, but 2 comes next"
        );
        assert_eq!(
            read(&TEXT.replace("\tgroup\t", "\t\t")),
            "t:2: the form is empty; write `_` where there is no value"
        );
    }
}
