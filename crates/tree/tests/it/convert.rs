//! Conversion between formats: from one to another and back is the identity, and real trees go every way there is.

use crate::common::data;
use crate::generate::{Shape, parses, trees};
use proptest::prelude::*;
use std::io::Cursor;
use treeglot_text::Input;
use treeglot_tree::convert::{Converter, Options};
use treeglot_tree::format::any::{self, AnyTree, ReadOptions};
use treeglot_tree::format::{Format, ReadTrees, ptb};
use treeglot_tree::transform::heads::{BuiltIn, HeadRules};
use treeglot_tree::{ConTree, DepParse};

const ONE_A_LINE: ReadOptions = ReadOptions { layout: ptb::Layout::Lines, text: None };

/// Trees written in a format and read again.
fn through(format: Format, trees: Vec<AnyTree>) -> Result<Vec<AnyTree>, String> {
    let mut converter = Converter::new(format, Options::default(), Vec::new()).map_err(|e| e.to_string())?;
    for tree in trees {
        converter.add(tree, None).map_err(|e| e.to_string())?;
    }
    let (bytes, _) = converter.finish().map_err(|e| e.to_string())?;
    let input = Input { name: "written".into(), reader: Box::new(Cursor::new(bytes)) };
    let reader = any::read(format, input, &ONE_A_LINE).map_err(|e| e.to_string())?;
    reader.trees().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

fn parse(tree: &AnyTree) -> &DepParse {
    match tree {
        AnyTree::Dep(parse) => parse,
        other => panic!("not a dependency parse: {other:?}"),
    }
}

fn constituents(tree: AnyTree) -> Option<ConTree> {
    match tree {
        AnyTree::Con(tree) => Some(tree),
        AnyTree::Tiger(sentence) => sentence.into_tree(),
        AnyTree::Failed => None,
        other => panic!("not a constituency tree: {other:?}"),
    }
}

proptest! {
    #[test]
    fn dependencies_come_back_from_every_format_that_holds_them(original in parses()) {
        for format in [Format::Conllu, Format::Conllx, Format::DepBracket] {
            let there = through(format, vec![AnyTree::Dep(original.clone())]).unwrap();
            let back = through(Format::Conllu, there).unwrap();
            let back = parse(&back[0]);
            prop_assert_eq!(back.len(), original.len());
            for w in original.words() {
                prop_assert_eq!(back.form(w), original.form(w), "{}", format);
                prop_assert_eq!(back.raw_head(w), original.raw_head(w), "{}", format);
                prop_assert_eq!(back.deprel(w), original.deprel(w), "{}", format);
            }
        }
    }

    #[test]
    fn constituents_come_back_from_every_format_that_holds_them(
        tree in trees(Shape { discontinuous: false, annotated: false }, "[a-z]{1,4}", "[A-Z]{1,3}")
    ) {
        // A terminal of TIGER-XML always has a tag.
        prop_assume!(tree.words().all(|w| tree.tag(w).is_some()));
        for format in [Format::Ptb, Format::TigerXml, Format::MosesXml] {
            let there = through(format, vec![AnyTree::Con(tree.clone()), AnyTree::Failed]).unwrap();
            let back = through(Format::Ptb, there).unwrap();
            let back: Vec<Option<ConTree>> = back.into_iter().map(constituents).collect();
            prop_assert_eq!(&back, &[Some(tree.clone()), None], "{}", format);
        }
    }
}

#[test]
fn a_format_is_not_written_from_trees_that_lack_what_it_holds() {
    let parses = || {
        vec![AnyTree::Dep({
            let mut parse = DepParse::new(0);
            parse.push_word("a", "T", Some(0), "root");
            parse
        })]
    };
    let error = |format| through(format, parses()).unwrap_err();
    assert_eq!(
        error(Format::Ptb),
        "dependency trees have no constituents: ptb cannot hold them, but mosesxml and depbracket can"
    );
    assert_eq!(error(Format::CcgAuto), "ccg-auto is written from CCG derivations (ccg-auto) only");
    assert_eq!(error(Format::EnjuSo), "enju-so is written from the parser only");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn real_trees_of_every_format_become_dependencies() {
    let root = data("");
    let cases = [
        (Format::TigerXml, "treebanks/smultron/smultron_de_banana.xml", Some(BuiltIn::Negra), 86),
        (Format::Ptb, "parses/samples/other/val20.en.stanford.ptb", Some(BuiltIn::Ptb), 20),
        (Format::Egret, "parses/samples/other/val20.en.egret-l1.forest", Some(BuiltIn::Ptb), 20),
        (Format::Conllx, "parses/samples/other/val20.en.lth.conll", None, 20),
        (Format::EnjuXml, "parses/samples/enju/enju_2sent_nysol.xml", None, 2),
        (Format::EnjuSo, "parses/samples/enju/enju_1sent.so", None, 1),
        (Format::CcgAuto, "parses/samples/ccg/depbank560.auto", None, 560),
        (Format::CcgParg, "parses/samples/ccg/depbank560.retok.goldpos.out", None, 560),
    ];
    for (format, path, heads, sentences) in cases {
        let options = Options { heads: heads.map(HeadRules::built_in), ..Options::default() };
        let mut converter = Converter::new(Format::Conllu, options, Vec::new()).unwrap();
        for tree in any::open(format, root.join(path), &ReadOptions::default()).unwrap().trees() {
            converter.add(tree.unwrap(), None).unwrap();
        }
        let (bytes, summary) = converter.finish().unwrap();
        assert_eq!((summary.sentences, summary.failed), (sentences, 0), "{path}");
        let input = Input { name: "written".into(), reader: Box::new(Cursor::new(bytes)) };
        let written = any::read(Format::Conllu, input, &ReadOptions::default()).unwrap().trees();
        assert_eq!(written.filter(|t| t.is_ok()).count(), sentences, "{path}");
    }
}
