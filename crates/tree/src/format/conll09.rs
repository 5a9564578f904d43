//! CoNLL-09: the shared task of 2009, and what Mate writes. Lemma, tag, features, head and relation stand there twice, as
//! the treebank has them and as a tool predicted them. The prediction is taken where there is one; where the
//! treebank's head or relation differs, it is kept among the other attributes. Predicates and their arguments, which
//! follow in further columns, are left out.

use super::any::{AnyTree, any};
use super::columns::{self, Columns};
use super::conllu::failed_parse;
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use crate::convert::{Conversion, ConvertError};
use crate::parse::{DepParse, Field};
use std::io::{self, BufRead, Write};

/// The shared task of 2009.
pub const FORMAT: Format = Format(&Definition {
    name: "conll09",
    about: "CoNLL 2009, as Mate writes it",
    endings: &["conll09", "conll2009"],
    content: Content::Dependencies,
    records: RecordLayout::Blocks,
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| Box::new(write_tree)),
});

/// Reads the sentences of a CoNLL-09 file, one block each.
pub type Reader<R = Box<dyn BufRead + Send>> = columns::Reader<Conll09, R>;

/// The lines of CoNLL-09.
#[derive(Default)]
pub struct Conll09;

const NAMES: [&str; 12] = [
    "number",
    "form",
    "lemma",
    "predicted lemma",
    "tag",
    "predicted tag",
    "features",
    "predicted features",
    "head",
    "predicted head",
    "relation",
    "predicted relation",
];

impl Columns for Conll09 {
    fn read_line(&mut self, line: &str, sentence: &mut DepParse) -> Result<(), String> {
        let end = line.match_indices('\t').nth(NAMES.len() - 1).map_or(line.len(), |(at, _)| at);
        let [id, form, lemmas @ .., head, phead, deprel, pdeprel] =
            columns::split(&line[..end], "CoNLL-09", NAMES)?;
        columns::check_number(id, sentence)?;
        let [lemma, tag, feats] = [0, 2, 4].map(|at| predicted(lemmas[at], lemmas[at + 1]));
        // Mate writes -1 for a head that is not known.
        let [head, phead] = [head, phead].map(|head| if head == "-1" { "_" } else { head });
        let known = |gold: &str, predicted: &str| gold != "_" && predicted != "_" && gold != predicted;
        let misc = match known(head, phead) || known(deprel, pdeprel) {
            true => format!("Head={head}|Deprel={deprel}"),
            false => "_".to_string(),
        };
        let relation = predicted(deprel, pdeprel);
        sentence.push(
            [form, lemma, tag, tag, feats, relation, "_", &misc],
            columns::head(predicted(head, phead))?,
        );
        Ok(())
    }
}

fn predicted<'c>(gold: &'c str, predicted: &'c str) -> &'c str {
    if predicted == "_" { gold } else { predicted }
}

fn write_tree(tree: AnyTree, conversion: &mut Conversion, out: &mut dyn Write) -> Result<(), ConvertError> {
    Ok(write(&conversion.dep(tree)?.unwrap_or_else(failed_parse), out)?)
}

/// Writes one sentence and the blank line after it: what a parse says as prediction, and in the treebank's columns too
/// unless it keeps another head or relation for them. Comments are left out: CoNLL-09 has none.
pub fn write(parse: &DepParse, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for word in parse.words() {
        let [form, lemma, _, _, feats, deprel, _, _] = parse.columns(word);
        let (tag, head) = (parse.tag(word), parse.raw_head(word).map_or("_".to_string(), |h| h.to_string()));
        let kept = parse.get(word, Field::Misc).strip_prefix("Head=").and_then(|m| m.split_once("|Deprel="));
        let (gold_head, gold_deprel) = kept.unwrap_or((&head, deprel));
        writeln!(
            out,
            "{word}\t{form}\t{lemma}\t{lemma}\t{tag}\t{tag}\t{feats}\t{feats}\t\
             {gold_head}\t{head}\t{gold_deprel}\t{deprel}\t_\t_"
        )?;
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ReadTrees;
    use crate::index::WordIx;

    const TEXT: &str = "1\tDie\tder\tder\tART\tART\tcase=nom\tcase=nom\t2\t2\tNK\tNK\t_\t_\n\
        2\tFrau\tFrau\tFrau\tNN\tNN\t_\t_\t3\t0\tSB\t--\t_\t_\n\
        3\tlacht\tlachen\tlachen\tVVFIN\tVVFIN\t_\t_\t0\t2\t--\tOC\t_\t_\n\n";

    #[test]
    fn the_prediction_is_read_and_all_is_written_back() {
        let parse = Reader::new("t", TEXT.as_bytes()).next_tree().unwrap().unwrap();
        assert_eq!((parse.raw_head(WordIx(2)), parse.deprel(WordIx(2))), (Some(2), "OC"));
        assert_eq!(parse.get(WordIx(2), Field::Misc), "Head=0|Deprel=--");
        let mut out = Vec::new();
        write(&parse, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), TEXT);
    }

    #[test]
    fn without_a_prediction_the_treebank_is_taken_and_arguments_are_passed_over() {
        let text = "1\tsie\tsie\t_\tPPER\t_\t_\t_\t2\t-1\tSB\t_\t_\t_\tA0\n\
            2\tlacht\tlachen\t_\tVVFIN\t_\t_\t_\t0\t-1\t--\t_\tY\tlachen.1\t_\n\n";
        let parse = Reader::new("t", text.as_bytes()).next_tree().unwrap().unwrap();
        assert_eq!(parse.words().map(|w| parse.raw_head(w)).collect::<Vec<_>>(), [Some(2), Some(0)]);
        assert_eq!((parse.tag(WordIx(0)), parse.get(WordIx(1), Field::Lemma)), ("PPER", "lachen"));
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = Reader::new("t", &b"1\ta\n"[..]).next_tree().unwrap_err().to_string();
        assert_eq!(error, "t:1: the line has 2 tab-separated columns, but CoNLL-09 has 12");
    }
}
