//! Sub-tree alignment of real parallel treebanks, discontinuous constituents and several tops included.

use std::path::Path;
use treeglot_align::trees::well_formed;
use treeglot_align::trees::{Aligner, LexicalTables, NumberedTree, TreeAlignSettings};
use treeglot_align::trees::{GoldNodes, GoldOptions, NodeAgreement};
use treeglot_align::{Corpus, Error, GrowOrder, Model, Symmetrize};
use treeglot_align::{LexCounts, LexTable};
use treeglot_text::Lines;
use treeglot_tree::format::tiger_align::Alignment;
use treeglot_tree::format::tigerxml::Treebank;

/// Tables of the links that the word aligner finds in this text.
fn lexicon(text: &[(String, String)]) -> LexicalTables {
    let pairs = text.iter().map(|(source, target)| (source.as_str(), target.as_str()));
    let corpus = Corpus::from_pairs(pairs).expect("the text fits");
    let model = Model::train(&corpus, &Default::default(), |_| {}).expect("all is in memory");
    let mut counts = LexCounts::new(&corpus);
    let done: Result<(), Error> =
        model.align(&corpus, Symmetrize::GrowDiagFinalAnd, GrowOrder::Atools, |s, aligned| {
            counts.add(corpus.src.sentence(s), corpus.tgt.sentence(s), &aligned.links)
        });
    done.expect("all is in memory");
    let mut lexicon = LexicalTables::default();
    for table in LexTable::BOTH {
        let mut text = Vec::new();
        counts.table(table).expect("all is in memory").write(&mut text).expect("a vector takes all");
        let mut lines = Lines::new("table", text.as_slice());
        lexicon.read(&mut lines, table).expect("a table");
    }
    lexicon
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn english_and_swedish_trees_align_by_their_own_text_alone() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    let path = |name: &str| folder.join("treebanks/smultron").join(name);
    let banks = ["en", "sv"].map(|l| Treebank::open(path(&format!("smultron_{l}_banana.xml"))).unwrap());
    let gold = Alignment::open(path("alignments_banana_en_sv.xml")).unwrap();
    let pairs = gold.pairs([&banks[0], &banks[1]]).unwrap();
    let sides: Vec<[NumberedTree; 2]> =
        pairs.iter().map(|pair| pair.sentences.map(|s| NumberedTree::of_tiger(s).expect("a tree"))).collect();
    let words = |side: &NumberedTree| side.words.join(" ").to_lowercase();
    let text: Vec<(String, String)> = sides.iter().map(|[s, t]| (words(s), words(t))).collect();
    let aligner = Aligner::new(lexicon(&text), TreeAlignSettings::default());
    let mut worker = aligner.worker();
    let mut agreement = NodeAgreement::default();
    for (pair, [source, target]) in pairs.iter().zip(&sides) {
        let both = [source, target];
        let links = worker.align(both);
        for (k, &a) in links.iter().enumerate() {
            assert!(links[k + 1..].iter().all(|&b| well_formed([&source.nodes, &target.nodes], a, b)));
            assert!(a.src > 0 || !source.added_top, "an added top is linked to nothing");
        }
        agreement.add(&GoldNodes::of_pair(pair, both, &GoldOptions::default()), &links, both);
    }
    let [all, phrases, words] = [agreement.all, agreement.phrases, agreement.words].map(|c| c.scores().f1);
    println!("ran: {} pairs, F {all:.3}, phrases {phrases:.3}, words {words:.3}", pairs.len());
    assert!(all > 0.65 && phrases > 0.58 && words > 0.68, "{all} {phrases} {words}");
}
