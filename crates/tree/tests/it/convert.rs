//! Conversion between formats: from one to another and back is the identity, and real trees go every way there is.

use crate::common::data;
use crate::generate::{Shape, parses, trees};
use proptest::prelude::*;
use std::io::Cursor;
use treeglot_text::Input;
use treeglot_tree::convert::{Converter, Options};
use treeglot_tree::format::{
    AnyTree, Format, ReadOptions, ReadTrees, ccg_auto, ccg_parg, conll09, conllu, conllx, depbracket, egret,
    enju_so, enju_xml, mosesxml, ptb, tigerxml,
};
use treeglot_tree::transform::heads::{BuiltIn, HeadRules};
use treeglot_tree::{ConTree, DepParse};

const ONE_A_LINE: ReadOptions = ReadOptions { brackets: ptb::BracketLayout::OnePerLine, text: None };

/// Trees written in a format and read again.
fn through(format: Format, trees: Vec<AnyTree>) -> Result<Vec<AnyTree>, String> {
    let mut converter = Converter::new(format, Options::default(), Vec::new()).map_err(|e| e.to_string())?;
    for tree in trees {
        converter.add(tree, None).map_err(|e| e.to_string())?;
    }
    let (bytes, _) = converter.finish().map_err(|e| e.to_string())?;
    let input = Input { name: "written".into(), reader: Box::new(Cursor::new(bytes)) };
    let reader = format.read(input, &ONE_A_LINE).map_err(|e| e.to_string())?;
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
        for format in [conllu::FORMAT, conllx::FORMAT, conll09::FORMAT, depbracket::FORMAT] {
            let there = through(format, vec![AnyTree::Dep(original.clone())]).unwrap();
            let back = through(conllu::FORMAT, there).unwrap();
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
        for format in [ptb::FORMAT, tigerxml::FORMAT, mosesxml::FORMAT] {
            let there = through(format, vec![AnyTree::Con(tree.clone()), AnyTree::Failed]).unwrap();
            let back = through(ptb::FORMAT, there).unwrap();
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
        error(ptb::FORMAT),
        "dependency trees have no constituents: ptb cannot hold them, but mosesxml and depbracket can"
    );
    assert_eq!(error(ccg_auto::FORMAT), "ccg-auto is written from CCG derivations (ccg-auto) only");
    assert_eq!(error(enju_so::FORMAT), "enju-so is written from the parser only");
}

/// A text of a format in another.
fn converted(from: Format, text: &str, to: Format) -> Result<String, String> {
    let input = Input { name: "t".into(), reader: Box::new(Cursor::new(text.to_string().into_bytes())) };
    let mut converter = Converter::new(to, Options::default(), Vec::new()).map_err(|e| e.to_string())?;
    for tree in from.read(input, &ReadOptions::default()).map_err(|e| e.to_string())?.trees() {
        converter.add(tree.map_err(|e| e.to_string())?, None).map_err(|e| e.to_string())?;
    }
    let (bytes, _) = converter.finish().map_err(|e| e.to_string())?;
    Ok(String::from_utf8(bytes).expect("what is written is text"))
}

const DERIVATIONS: &str = "ID=1\n(<L N NN NN car N>)\nID=2\n(<L NP NN NN fail N>)\n(<L N NN NN bus N>)\n";

const FRAGMENTS: &str = "\
<sentence id=\"s0\" parse_status=\"success\"><cons id=\"c0\" cat=\"NP\" xcat=\"\" head=\"t0\" sem_head=\"t0\">\
<tok id=\"t0\" cat=\"N\" pos=\"NN\" base=\"car\" pred=\"noun_arg0\">car</tok></cons></sentence>\n\
<sentence id=\"s1\" parse_status=\"fragmental parse\">\
<tok id=\"t1\" cat=\"N\" pos=\"NN\" base=\"car\" pred=\"noun_arg0\">car</tok>\
<tok id=\"t2\" cat=\"N\" pos=\"NN\" base=\"car\" pred=\"noun_arg0\">car</tok></sentence>\n\
<sentence id=\"s2\" parse_status=\"success\"><cons id=\"c3\" cat=\"NP\" xcat=\"\" head=\"t3\" sem_head=\"t3\">\
<tok id=\"t3\" cat=\"N\" pos=\"NN\" base=\"bus\" pred=\"noun_arg0\">bus</tok></cons></sentence>\n";

#[test]
fn failed_parses_keep_their_place_in_every_format() {
    let written = converted(ccg_auto::FORMAT, DERIVATIONS, ccg_auto::FORMAT).unwrap();
    let again = converted(ccg_auto::FORMAT, &written, ptb::FORMAT).unwrap();
    assert_eq!(again, "(N car)\n(())\n(N bus)\n");
    for to in [conllu::FORMAT, depbracket::FORMAT] {
        let written = converted(enju_xml::FORMAT, FRAGMENTS, to).unwrap();
        let input = Input { name: "t".into(), reader: Box::new(Cursor::new(written.clone().into_bytes())) };
        let trees: Vec<AnyTree> =
            to.read(input, &ReadOptions::default()).unwrap().trees().collect::<Result<_, _>>().unwrap();
        let words = |tree: &AnyTree| if let AnyTree::Dep(parse) = tree { parse.len() } else { 0 };
        assert_eq!(trees.iter().map(words).collect::<Vec<_>>(), [1, 0, 1], "{written}");
    }
}

#[test]
fn xml_of_another_kind_is_refused() {
    let tiger = "<corpus id=\"c\">\n<body/></corpus>";
    let error = |format| converted(format, tiger, ptb::FORMAT).unwrap_err();
    assert_eq!(
        error(enju_xml::FORMAT),
        "t:2: this is not Enju's XML: it has no <sentence>, and its first element is <corpus>"
    );
    assert_eq!(
        error(ccg_auto::FORMAT),
        "t:2: this is not the XML of C&C: it has no <ccg>, and its first element is <corpus>"
    );
    assert_eq!(converted(ccg_auto::FORMAT, "<candc></candc>", ptb::FORMAT), Ok(String::new()));
    assert!(converted(tigerxml::FORMAT, "<candc/>", ptb::FORMAT).is_err());
}

#[test]
fn a_head_that_is_not_there_is_an_error_with_file_and_line() {
    let text = "# text = a b\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t12\tdep\t_\t_\n\n";
    for to in [mosesxml::FORMAT, depbracket::FORMAT] {
        let error = converted(conllu::FORMAT, text, to).unwrap_err();
        assert_eq!(error, "t:3: word 2 has head 12, but the sentence has 2 words");
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn output_of_mate_is_written_back_byte_for_byte() {
    let text = std::fs::read_to_string(data("parses/samples/other/de20.mate.conll09")).unwrap();
    assert_eq!(converted(conll09::FORMAT, &text, conll09::FORMAT).unwrap(), text);
    let parses = converted(conll09::FORMAT, &text, conllu::FORMAT).unwrap();
    assert_eq!(parses.matches("\n\n").count(), 20);
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn real_trees_of_every_format_become_dependencies() {
    let root = data("");
    let cases = [
        (tigerxml::FORMAT, "treebanks/smultron/smultron_de_banana.xml", Some(BuiltIn::Negra), 86),
        (ptb::FORMAT, "parses/samples/other/val20.en.stanford.ptb", Some(BuiltIn::Ptb), 20),
        (egret::FORMAT, "parses/samples/other/val20.en.egret-l1.forest", Some(BuiltIn::Ptb), 20),
        (conllx::FORMAT, "parses/samples/other/val20.en.lth.conll", None, 20),
        (enju_xml::FORMAT, "parses/samples/enju/enju_2sent_nysol.xml", None, 2),
        (enju_so::FORMAT, "parses/samples/enju/enju_1sent.so", None, 1),
        (ccg_auto::FORMAT, "parses/samples/ccg/depbank560.auto", None, 560),
        (ccg_parg::FORMAT, "parses/samples/ccg/depbank560.retok.goldpos.out", None, 560),
    ];
    for (format, path, heads, sentences) in cases {
        let options = Options { heads: heads.map(HeadRules::built_in), ..Options::default() };
        let mut converter = Converter::new(conllu::FORMAT, options, Vec::new()).unwrap();
        for tree in format.open(root.join(path), &ReadOptions::default()).unwrap().trees() {
            converter.add(tree.unwrap(), None).unwrap();
        }
        let (bytes, summary) = converter.finish().unwrap();
        assert_eq!((summary.sentences, summary.failed), (sentences, 0), "{path}");
        let input = Input { name: "written".into(), reader: Box::new(Cursor::new(bytes)) };
        let written = conllu::FORMAT.read(input, &ReadOptions::default()).unwrap().trees();
        assert_eq!(written.filter(|t| t.is_ok()).count(), sentences, "{path}");
    }
}
