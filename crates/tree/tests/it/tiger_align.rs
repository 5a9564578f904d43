//! The links of parallel treebanks: what is kept, what is refused, and that their ends are found.

use crate::common::data;
use std::path::Path;
use std::time::Instant;
use treeglot_tree::WordIx;
use treeglot_tree::format::tiger_align::{Alignment, LinkType};
use treeglot_tree::format::tigerxml::{Target, Treebank};

const LINKS: &str = include_str!("fixtures/links.align.xml");
const CORPUS: &str = include_str!("fixtures/corpus.tiger.xml");

fn read(text: &str) -> Result<Alignment, String> {
    Alignment::read("a.xml", text.as_bytes()).map_err(|e| e.to_string())
}

fn written(alignment: &Alignment) -> Vec<u8> {
    let mut out = Vec::new();
    alignment.write(&mut out).expect("memory takes it");
    out
}

#[test]
fn links_have_their_type_author_and_ends_in_the_order_of_the_treebanks() {
    let alignment = read(LINKS).unwrap();
    assert_eq!(alignment.treebanks[1].filename, "other.xml");
    let [first, second, remark] = alignment.links.as_slice() else { panic!("three links") };
    assert_eq!((&first.kind, first.author.as_deref()), (&LinkType::Good, Some("ann")));
    assert_eq!((&second.kind, second.author.as_deref()), (&LinkType::Fuzzy, Some("bleualign")));
    assert_eq!(
        second.ids,
        ["s1_500".into(), "s2_500".into()],
        "the file has the second treebank's node first"
    );
    assert_eq!(remark.kind, LinkType::Other("comment".into()));
    assert_eq!(&*remark.attrs[0].1, "a \"remark\"");
    assert_eq!((alignment.unlinked[0].side, &*alignment.unlinked[0].id), (1, "s4_VROOT"));
}

#[test]
fn a_written_alignment_is_read_back_with_its_settings_and_its_size() {
    let mut alignment = read(LINKS).unwrap();
    assert_eq!(read(std::str::from_utf8(&written(&alignment)).unwrap()).unwrap(), alignment);
    alignment.links.pop();
    let text = String::from_utf8(written(&alignment)).unwrap();
    assert!(text.contains("<size>4</size>") && text.contains("<top-treebank treebank-id=\"\">"), "{text}");
}

#[test]
fn links_are_grouped_by_sentence_pair() {
    let (alignment, bank) = (read(LINKS).unwrap(), Treebank::read("c.xml", CORPUS.as_bytes()).unwrap());
    let pairs = alignment.pairs([&bank, &bank]).unwrap();
    let found: Vec<_> = pairs.iter().map(|p| (p.positions, p.links.len(), p.linked_as_whole)).collect();
    assert_eq!(found, [([0, 1], 2, true), ([2, 0], 1, false)]);
    assert_eq!(pairs[0].links[0].ends, [Target::Word(WordIx(0)), Target::Word(WordIx(1))]);
    assert_eq!(pairs[0].sentences[1].id(), "s2");
}

#[test]
fn what_cannot_be_right_is_an_error_with_its_line() {
    let bank = Treebank::read("c.xml", CORPUS.as_bytes()).unwrap();
    let unknown = read(&LINKS.replace("\"s3_1\"", "\"s9_1\"")).unwrap();
    assert_eq!(
        unknown.pairs([&bank, &bank]).unwrap_err().to_string(),
        "a.xml:39: the treebank c.xml has no `s9_1`"
    );
    for (from, to, want) in [
        (
            "treebank_id=\"y\" node_id=\"s2_2\"",
            "treebank_id=\"z\" node_id=\"s2_2\"",
            "a.xml:33: no treebank `z`; this file declares `x` and `y`",
        ),
        (
            "treebank_id=\"y\" node_id=\"s2_2\"",
            "treebank_id=\"x\" node_id=\"s2_2\"",
            "a.xml:33: <align> has two nodes of treebank `x`",
        ),
        (
            "<node treebank_id=\"y\" node_id=\"s2_2\"/>",
            "",
            "a.xml:34: <align> needs a <node> of each treebank",
        ),
        ("<align type=\"good\"", "<align kind=\"good\"", "a.xml:31: <align> needs an attribute `type`"),
        (
            "<treebank id=\"y\"",
            "<treebank id=\"x\"",
            "a.xml:25: the head declares 2 treebanks; an alignment is between two, with different ids",
        ),
        (
            "treealign",
            "corpus",
            "a.xml:2: this is not a TreeAligner alignment, which starts with <treealign>",
        ),
    ] {
        assert!(LINKS.contains(from), "{from}");
        assert_eq!(read(&LINKS.replace(from, to)).unwrap_err(), want);
    }
    for cut in 0..LINKS.trim_end().len() {
        assert!(read(&LINKS[..cut]).unwrap_err().starts_with("a.xml:"));
    }
}

/// Loads an alignment and its two treebanks, checks the round trip and prints what is there.
fn check(path: &Path) -> Alignment {
    let start = Instant::now();
    let alignment = Alignment::open(path).expect("real data can be read");
    let seconds = start.elapsed().as_secs_f64();
    let text = written(&alignment);
    let again = Alignment::read("again", &text[..]).expect("real data can be read");
    assert!(again == alignment, "{}", path.display());
    assert_eq!(written(&again), text);
    let size = alignment.meta.iter().find(|m| m.0 == "size").expect("the metadata have a size");
    assert_eq!(size.1, alignment.size().to_string());

    let banks = [0, 1].map(|side| {
        let plain = path.with_file_name(&alignment.treebanks[side].filename);
        let packed = plain.with_extension("xml.gz");
        Treebank::open(if plain.exists() { plain } else { packed }).expect("real data can be read")
    });
    let pairs = alignment.pairs([&banks[0], &banks[1]]).expect("real data can be read");
    assert_eq!(pairs.iter().map(|p| p.links.len()).sum::<usize>(), alignment.links.len());
    let count = |test: &dyn Fn(&LinkType) -> bool| alignment.links.iter().filter(|l| test(&l.kind)).count();
    let automatic = alignment.links.iter().filter(|l| l.author.as_deref() == Some("bleualign")).count();
    println!(
        "{}: {} links ({} good, {} fuzzy), {automatic} by bleualign, {} sentence pairs, {} sentence links, {} unlinked, {:.1} MB/s",
        path.file_name().unwrap_or_default().to_string_lossy(),
        alignment.links.len(),
        count(&|k| *k == LinkType::Good),
        count(&|k| *k == LinkType::Fuzzy),
        pairs.len(),
        alignment.sentence_links.len(),
        alignment.unlinked.len(),
        text.len() as f64 / 1e6 / seconds,
    );
    alignment
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn every_link_of_the_parallel_treebanks_is_found_and_survives_a_round_trip() {
    let folder = data("treebanks");
    let smultron = check(&folder.join("smultron/alignments_banana_de_en.xml"));
    assert_eq!(smultron.links.len(), 1958);
    for pair in ["de_sv", "en_sv"] {
        check(&folder.join(format!("smultron/alignments_banana_{pair}.xml")));
    }
    let parts = ["AHK", "COSUDE", "DW", "FOCUS", "FUNDACION", "GREG"];
    let links = parts
        .map(|part| check(&folder.join(format!("squoia/{part}_alignments_squoia_de_es.xml.gz"))).links.len());
    assert_eq!(links, [13669, 11797, 14695, 8064, 7779, 7616]);
}
