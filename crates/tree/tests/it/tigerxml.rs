//! TIGER-XML: what is kept, what is refused, and that writing then reading changes nothing.

use crate::common::data;
use crate::generate::{Shape, trees};
use proptest::prelude::*;
use std::time::Instant;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::tigerxml::{Corpus, Reader, Sentence, TOP, Target, Treebank, Writer};
use treeglot_tree::{NodeId, WordIx};

const CORPUS: &str = include_str!("fixtures/corpus.tiger.xml");

fn read(text: &str) -> Result<Treebank, String> {
    Treebank::read("t.xml", text.as_bytes()).map_err(|e| e.to_string())
}

fn written(bank: &Treebank) -> Vec<u8> {
    let mut out = Vec::new();
    bank.write(&mut out).expect("memory takes it");
    out
}

/// A corpus of one sentence with this inside its `<s>`, from line 2 on.
fn sentence(inside: &str) -> String {
    format!("<corpus id=\"c\"><body><s id=\"s1\">\n{inside}\n</s></body></corpus>")
}

#[test]
fn ids_attributes_edges_and_the_head_are_kept() {
    let bank = read(CORPUS).unwrap();
    let head = bank.corpus().head.as_ref().unwrap();
    assert_eq!(bank.corpus().id, "small");
    assert_eq!(head.meta[0], ("name".into(), "a small <corpus>".into()));
    assert_eq!(head.features[1].values[0].text, "noun");
    assert_eq!(head.edge_labels.as_ref().unwrap()[0].name, "HD");

    let s = &bank.sentences()[0];
    let tree = s.tree().unwrap();
    let vp = bank.find("s1_500").unwrap();
    assert_eq!(vp, (0, Target::Node(NodeId(1))));
    assert_eq!((tree.label(NodeId(1)), tree.edge(NodeId(1)), tree.span(NodeId(1))), ("VP", "OC", None));
    assert_eq!(s.find("s1_2"), Some(Target::Word(WordIx(1))));
    assert_eq!(tree.edge(s.node_of(Target::Word(WordIx(1))).unwrap()), "HD");
    assert_eq!((tree.lemma(WordIx(1)), tree.morph(WordIx(1))), ("haben", "3.Sg"));
    assert_eq!(&*s.attrs_of(Target::Word(WordIx(1)))[0].1, "odd");
    assert_eq!(s.secedges()[0].from, Target::Word(WordIx(0)));
    assert_eq!(s.id_of(s.secedges()[1].to), Some("s1_501"));
    assert!(!s.added_top());
}

#[test]
fn loose_terminals_hang_from_an_added_top_that_is_not_written() {
    let bank = read(CORPUS).unwrap();
    let s = &bank.sentences()[1];
    let tree = s.tree().unwrap();
    assert!(s.added_top());
    assert_eq!((tree.label(tree.root()), tree.children(tree.root()).len()), (TOP, 3));
    assert_eq!(s.id_of(s.graphs()[0].root.unwrap()), Some("s2_500"));
    assert!(!String::from_utf8(written(&bank)).unwrap().contains(TOP));
}

#[test]
fn several_graphs_subcorpora_and_empty_sentences_survive_a_round_trip() {
    let bank = read(CORPUS).unwrap();
    let [_, _, two, empty] = bank.sentences() else { panic!("four sentences") };
    assert_eq!(two.graphs().len(), 2);
    assert_eq!(two.subcorpus()[0].as_ref(), "part");
    assert!(empty.tree().is_none());
    let text = written(&bank);
    let again = Treebank::read("again.xml", &text[..]).unwrap();
    assert_eq!(again, bank);
    assert_eq!(written(&again), text);
}

#[test]
fn bad_references_are_errors_with_the_line_of_the_reference() {
    let t = "<graph root=\"a\"><terminals><t id=\"a\" word=\"w\"/><t id=\"b\" word=\"w\"/></terminals>\n<nonterminals>\n";
    let end = "</nonterminals></graph>";
    for (inside, want) in [
        (
            "<nt id=\"n\" cat=\"S\">\n<edge idref=\"x\"/></nt>",
            "t.xml:5: the sentence `s1` has no terminal or nonterminal `x`",
        ),
        (
            "<nt id=\"a\" cat=\"S\"><edge idref=\"b\"/></nt>",
            "t.xml:4: the id `a` is given twice in one sentence",
        ),
        (
            "<nt id=\"n\"><edge idref=\"b\"/></nt>\n<nt id=\"m\"><edge idref=\"b\"/></nt>",
            "t.xml:5: `b` has two parents, `n` and `m`; a second one needs a <secedge>",
        ),
        ("<nt id=\"n\"></nt>", "t.xml:4: the nonterminal `n` has no <edge>: it dominates no word"),
        ("<nt cat=\"S\"></nt>", "t.xml:4: <nt> needs an attribute `id`"),
        ("<edge idref=\"a\"/>", "t.xml:4: <edge> where TIGER-XML has <nt>"),
        ("words", "t.xml:3: the text `words` where TIGER-XML has elements only"),
        (
            "<nt id=\"n\" cat=\"A\"><edge idref=\"m\"/></nt><nt id=\"m\" cat=\"B\"><edge idref=\"n\"/></nt>",
            "t.xml:1: the constituent `A` has no words",
        ),
        (
            "<nt id=\"n\" cat=\"A\"><edge idref=\"n\"/><edge idref=\"a\"/></nt>",
            "t.xml:1: the constituent `A` is its own ancestor",
        ),
    ] {
        assert_eq!(read(&sentence(&format!("{t}{inside}{end}"))).unwrap_err(), want);
    }
    let root = "<graph root=\"x\"><terminals><t id=\"a\"/></terminals></graph>";
    assert_eq!(
        read(&sentence(root)).unwrap_err(),
        "t.xml:2: the sentence `s1` has no terminal or nonterminal `x`"
    );
    let twice = |id: &str| {
        let s = format!("<s id=\"{id}\"><graph><terminals><t id=\"a\"/></terminals></graph></s>");
        read(&format!(
            "<corpus><body><s id=\"s1\"/>\n<s id=\"s2\"><graph><terminals><t id=\"a\"/></terminals></graph></s>\n{s}</body></corpus>"
        ))
    };
    assert_eq!(twice("s1").unwrap_err(), "t.xml:3: the sentence id `s1` was given to an earlier sentence");
    assert_eq!(twice("s3").unwrap_err(), "t.xml:3: the id `a` was given in sentence `s2` already");
    assert_eq!(read("<html/>").unwrap_err(), "t.xml:1: this is not TIGER-XML, which starts with <corpus>");
    assert_eq!(read("<corpus>\n</corpus>").unwrap_err(), "t.xml:2: the corpus has no <body>");
}

#[test]
fn a_file_cut_anywhere_is_an_error_and_never_a_shorter_corpus() {
    let end = CORPUS.trim_end().len();
    for cut in (0..end).filter(|&c| CORPUS.is_char_boundary(c)) {
        let error = read(&CORPUS[..cut]).unwrap_err();
        assert!(error.starts_with("t.xml:"), "cut at {cut}: {error}");
    }
}

#[test]
fn a_chain_of_ten_thousand_nonterminals_is_read_and_written() {
    let mut nts = String::from("<nt id=\"n0\" cat=\"A\"><edge idref=\"a\"/></nt>");
    for n in 1..10_000 {
        nts.push_str(&format!("<nt id=\"n{n}\" cat=\"A\"><edge idref=\"n{}\"/></nt>", n - 1));
    }
    let graph = format!(
        "<graph root=\"n9999\"><terminals><t id=\"a\" word=\"w\" pos=\"N\"/></terminals><nonterminals>{nts}</nonterminals></graph>"
    );
    let bank = read(&sentence(&graph)).unwrap();
    assert_eq!(bank.sentences()[0].tree().unwrap().node_count(), 10_001);
    assert_eq!(Treebank::read("again", &written(&bank)[..]).unwrap(), bank);
}

proptest! {
    #[test]
    fn any_tree_written_is_read_back(
        tree in trees(Shape { discontinuous: true, annotated: true }, "[ -~äß\n\t]{0,4}", "[!-~é ]{0,3}")
    ) {
        let sentence = Sentence::from_tree("s1", tree.clone());
        let mut writer = Writer::new(Vec::new(), &Corpus::new("c")).unwrap();
        writer.write(&sentence).unwrap();
        let text = writer.finish().unwrap();
        let mut reader = Reader::new("t", &text[..]).unwrap();
        let again = reader.next_tree().unwrap().unwrap();
        prop_assert_eq!(again.tree(), Some(&tree));
        prop_assert_eq!(again, sentence);
        prop_assert!(reader.next_tree().unwrap().is_none());
    }

    #[test]
    fn a_damaged_file_is_read_or_refused_but_never_a_panic(
        at in 0..CORPUS.len(), length in 0..40usize,
        instead in "|<|>|\"|&|s1_1|s1_500|<nt id=\"n\">|</nt>|<t id=\"s1_1\"/>|<graph>|</s>|idref=\"s1_501\""
    ) {
        let end = (at + length).min(CORPUS.len());
        if let (Some(before), Some(after)) = (CORPUS.get(..at), CORPUS.get(end..))
            && let Ok(bank) = read(&format!("{before}{instead}{after}"))
        {
            prop_assert_eq!(Treebank::read("again", &written(&bank)[..]).unwrap(), bank);
        }
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn parallel_treebanks_survive_a_round_trip() {
    let folder = data("treebanks");
    let mut files = Vec::new();
    for part in ["smultron", "squoia"] {
        let entries = std::fs::read_dir(folder.join(part)).unwrap().map(|e| e.unwrap().path());
        files.extend(entries.filter(|p| {
            let name = p.file_name().unwrap().to_string_lossy().into_owned();
            name.contains(".xml") && !name.contains("align")
        }));
    }
    files.sort();
    assert_eq!(files.len(), 15);
    let (mut bytes, mut seconds) = (0, 0.0);
    for file in files {
        let start = Instant::now();
        let bank = Treebank::open(&file).unwrap();
        seconds += start.elapsed().as_secs_f64();
        let text = written(&bank);
        bytes += text.len();
        let again = Treebank::read("again.xml", &text[..]).unwrap();
        assert!(again == bank, "{}", file.display());
        assert_eq!(written(&again), text);
        report(&file, &bank);
    }
    println!("{:.1} MB/s (of rewritten text)", bytes as f64 / 1e6 / seconds);
}

fn report(file: &std::path::Path, bank: &Treebank) {
    let sentences = bank.sentences();
    let words: usize = sentences.iter().filter_map(|s| s.tree()).map(|t| t.len()).sum();
    let named = sentences.iter().map(|s| s.targets().len()).sum::<usize>();
    let gaps = sentences.iter().filter(|s| s.tree().is_some_and(|t| !t.is_continuous())).count();
    let tops = sentences.iter().filter(|s| s.added_top()).count();
    let secedges = sentences.iter().map(|s| s.secedges().len()).sum::<usize>();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name}: {} sentences, {words} words, {} nonterminals, {secedges} secedges, {gaps} discontinuous, {tops} with an added top",
        sentences.len(),
        named - words,
    );
}
