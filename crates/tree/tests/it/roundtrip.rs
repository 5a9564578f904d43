//! Round trips of real treebanks: every UD file byte for byte, every Penn Treebank file tree for tree.

use crate::common::data_files;
use std::io::Read;
use treeglot_text::Input;
use treeglot_tree::format::{ReadTrees, conllu, conllx, ptb};

fn text(path: &std::path::Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut input = Input::open(path).expect("the file opens");
    input.reader.read_to_end(&mut bytes).expect("the file can be read");
    bytes
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn every_conllu_file_is_written_back_byte_for_byte() {
    let pud = ["ar", "jp", "ko", "ru"].map(|l| format!("treebanks/pud_aligned/en-{l}"));
    let folders = ["ud", "gum", "parses/multi30k"].into_iter().chain(pud.iter().map(String::as_str));
    for path in folders.flat_map(|f| data_files(f, ".conllu.gz")) {
        let mut original = text(&path);
        // The aligned PUD files lack the blank line that ends the last sentence.
        while !original.ends_with(b"\n\n") {
            original.push(b'\n');
        }
        let mut written = Vec::with_capacity(original.len());
        for parse in conllu::Reader::new(path.to_string_lossy(), original.as_slice()).trees() {
            conllu::write(&parse.unwrap(), &mut written).unwrap();
        }
        assert!(written == original, "{} is not written back as it was", path.display());
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn every_conllx_file_is_read_back_as_written() {
    for path in data_files("parses/multi30k", ".conll.gz") {
        let original = text(&path);
        let mut written = Vec::with_capacity(original.len());
        for parse in conllx::Reader::new(path.to_string_lossy(), original.as_slice()).trees() {
            conllx::write(&parse.unwrap(), &mut written).unwrap();
        }
        assert!(written == original, "{} is not written back as it was", path.display());
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn every_penn_treebank_file_is_read_back_as_written() {
    let mut files = data_files("ptb", ".mrg.gz");
    files.extend(data_files("gum", ".ptb.gz"));
    files.extend(data_files("parses/multi30k", "val.en.berkeley.ptb.gz"));
    files.extend(data_files("parses/multi30k", "train.de.stanford.ptb.gz"));
    for path in files {
        let original = text(&path);
        let mut written = Vec::with_capacity(original.len());
        let mut trees = Vec::new();
        for tree in
            ptb::Reader::new(path.to_string_lossy(), original.as_slice(), ptb::BracketLayout::Free).trees()
        {
            match tree.unwrap() {
                Some(tree) => {
                    ptb::write(&tree, &mut written).unwrap();
                    trees.push(Some(tree));
                }
                None => {
                    ptb::write_failed(&mut written).unwrap();
                    trees.push(None);
                }
            }
        }
        let again: Vec<_> = ptb::Reader::new("written", written.as_slice(), ptb::BracketLayout::OnePerLine)
            .trees()
            .collect::<Result<_, _>>()
            .unwrap();
        assert!(trees == again, "{}", path.display());
        println!("{}: {} trees", path.display(), trees.len());
    }
}
