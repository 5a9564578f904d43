//! CoNLL-X: the shared tasks of 2006 and 2007, and what parsers of that time (Malt, MST, LTH) write. The two
//! columns that CoNLL-U lacks, PHEAD and PDEPREL, are kept as features of MISC.

use super::any::{AnyTree, any};
use super::columns::{self, Columns, write_head};
use super::conllu::failed_parse;
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use crate::convert::{Conversion, ConvertError};
use crate::parse::{DepParse, Field};
use std::io::{self, BufRead, Write};

/// The shared tasks of 2006 and 2007.
pub const FORMAT: Format = Format(&Definition {
    name: "conllx",
    about: "CoNLL 2006/2007, as Malt, MST and LTH write it",
    endings: &["conll", "conllx", "conll06"],
    content: Content::Dependencies,
    records: RecordLayout::Blocks,
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| Box::new(write_tree)),
});

/// Reads the sentences of a CoNLL-X file, one block each.
pub type Reader<R = Box<dyn BufRead + Send>> = columns::Reader<Conllx, R>;

/// The lines of CoNLL-X.
#[derive(Default)]
pub struct Conllx;

/// Some parsers leave the projective head and relation out.
const NAMES: [&str; 10] =
    ["number", "form", "lemma", "coarse tag", "tag", "features", "head", "relation", "", ""];

impl Columns for Conllx {
    fn read_line(&mut self, line: &str, sentence: &mut DepParse) -> Result<(), String> {
        let [id, form, lemma, coarse, fine, feats, head, deprel, phead, pdeprel] =
            columns::split(line, "CoNLL-X", NAMES)?;
        columns::check_number(id, sentence)?;
        let misc = match (phead, pdeprel) {
            ("_", "_") => "_".to_string(),
            _ => format!("PHead={phead}|PDeprel={pdeprel}"),
        };
        sentence.push([form, lemma, coarse, fine, feats, deprel, "_", &misc], columns::head(head)?);
        Ok(())
    }
}

fn write_tree(tree: AnyTree, conversion: &mut Conversion, out: &mut dyn Write) -> Result<(), ConvertError> {
    Ok(write(&conversion.dep(tree)?.unwrap_or_else(failed_parse), out)?)
}

/// Writes one sentence and the blank line after it. Comments and other lines that are not words are left out:
/// CoNLL-X has none.
pub fn write(parse: &DepParse, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for word in parse.words() {
        let [form, lemma, coarse, fine, feats, deprel, _, _] = parse.columns(word);
        write!(out, "{word}\t{form}\t{lemma}\t{coarse}\t{fine}\t{feats}\t")?;
        write_head(parse, word, out)?;
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
    use crate::error::Result;
    use crate::format::ReadTrees;

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
