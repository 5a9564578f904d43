//! Sub-tree alignment on the parallel treebanks of the data folder: precision, recall and F against their gold links, and
//! the time for 10,000 pairs of about 25 words on one thread. The lexical tables are trained on each treebank's own words,
//! for German-English on 200,000 pairs of Europarl too; they are written to the folder given as argument, and read from it if
//! they are there. Does nothing without the data folder.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;
use treeglot_align::trees::{
    Aligner, Kinds, LexicalTables, NodeScore, NodeSmoothing, NumberedTree, Skip, Span1, TreeAlignSettings,
};
use treeglot_align::trees::{Counts, GoldNodes, GoldOptions, NodeAgreement};
use treeglot_align::{Corpus, Error, GrowOrder, Model, Symmetrize};
use treeglot_align::{LexCounts, LexTable};
use treeglot_text::Lines;
use treeglot_text::tokenize::{Options, Tokenizer};
use treeglot_tree::format::tiger_align::Alignment;
use treeglot_tree::format::tigerxml::Treebank;

type Pairs = Vec<(NumberedTree, NumberedTree, GoldNodes)>;

fn main() {
    // Test runners start benchmarks too, to ask for their tests: only `cargo bench` says `--bench`.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    if !folder.join("treebanks").is_dir() {
        println!("skipped: no real data (set TREEGLOT_DATA)");
        return;
    }
    let out = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).map(PathBuf::from);
    let out = out.unwrap_or_else(|| std::env::temp_dir().join("treeglot-trees"));
    fs::create_dir_all(&out).expect("the folder can be made");
    println!("set        pairs  all links          phrases            words");
    println!("                  P     R     F      P     R     F      P     R     F");
    for pair in ["de_en", "de_sv", "en_sv"] {
        let pairs = smultron(folder, pair);
        let more = if pair == "de_en" { europarl(folder) } else { Vec::new() };
        let prefix = tables(&out.join(pair), &pairs, more);
        for (name, settings) in variants().into_iter().take(if pair == "de_en" { 9 } else { 1 }) {
            print_scores(&format!("{pair}{name}"), &pairs, &prefix, settings);
        }
    }
    let pairs = squoia(folder);
    let prefix = tables(&out.join("squoia"), &pairs, Vec::new());
    print_scores("squoia", &pairs, &prefix, TreeAlignSettings::default());
    measure_time(&pairs, &prefix);
}

/// The settings whose figures are printed, each with what it changes.
fn variants() -> Vec<(&'static str, TreeAlignSettings)> {
    let usual = TreeAlignSettings::default();
    vec![
        ("", usual),
        (" score 1", TreeAlignSettings { score: NodeScore::One, ..usual }),
        (" skip 0", TreeAlignSettings { skip: Skip::None, ..usual }),
        (" skip 1", TreeAlignSettings { skip: Skip::One, ..usual }),
        (" span1 on", TreeAlignSettings { span1: Span1::On, ..usual }),
        (" span1 off", TreeAlignSettings { span1: Span1::Off, ..usual }),
        (" kinds any", TreeAlignSettings { kinds: Kinds::Any, ..usual }),
        (" no smoothing", TreeAlignSettings { smoothing: NodeSmoothing::None, ..usual }),
        (" as published", TreeAlignSettings::published()),
    ]
}

fn print_scores(name: &str, pairs: &Pairs, prefix: &Path, settings: TreeAlignSettings) {
    let aligner = Aligner::new(LexicalTables::open(prefix).expect("the tables were written"), settings);
    let mut worker = aligner.worker();
    let mut agreement = NodeAgreement::default();
    for (source, target, gold) in pairs {
        agreement.add(gold, &worker.align([source, target]), [source, target]);
    }
    let shares = |counts: Counts| {
        let scores = counts.scores();
        format!("{:.3} {:.3} {:.3}", scores.precision, scores.recall, scores.f1)
    };
    let [all, phrases, words] = [agreement.all, agreement.phrases, agreement.words].map(shares);
    println!("{name:<18} {:>5}  {all}  {phrases}  {words}", pairs.len());
}

fn measure_time(pairs: &Pairs, prefix: &Path) {
    let aligner = Aligner::new(
        LexicalTables::open(prefix).expect("the tables were written"),
        TreeAlignSettings::default(),
    );
    let mut worker = aligner.worker();
    let fits = |words: usize| (20..=30).contains(&words);
    let chosen: Vec<_> = pairs
        .iter()
        .filter(|(s, t, _)| fits(s.words.len()) && fits(t.words.len()))
        .cycle()
        .take(10_000)
        .collect();
    let words: usize = chosen.iter().map(|(s, t, _)| s.words.len() + t.words.len()).sum();
    let start = Instant::now();
    let links: usize = chosen.iter().map(|(s, t, _)| worker.align([s, t]).len()).sum();
    println!(
        "{} pairs of {:.1} words: {links} links in {:.1} s",
        chosen.len(),
        words as f64 / (2 * chosen.len()) as f64,
        start.elapsed().as_secs_f64()
    );
}

fn smultron(folder: &Path, pair: &str) -> Pairs {
    let folder = folder.join("treebanks/smultron");
    let bank = |language: &str| folder.join(format!("smultron_{language}_banana.xml"));
    load([bank(&pair[..2]), bank(&pair[3..])], &folder.join(format!("alignments_banana_{pair}.xml")))
}

fn squoia(folder: &Path) -> Pairs {
    let folder = folder.join("treebanks/squoia");
    let part = |part: &str| {
        let bank = |language: &str| folder.join(format!("{part}_SQUOIA_{language}.xml.gz"));
        load([bank("DE"), bank("ES")], &folder.join(format!("{part}_alignments_squoia_de_es.xml.gz")))
    };
    ["AHK", "COSUDE", "DW", "FOCUS", "FUNDACION", "GREG"].into_iter().flat_map(part).collect()
}

fn load(banks: [PathBuf; 2], alignment: &Path) -> Pairs {
    let banks = banks.map(|path| Treebank::open(path).expect("a treebank"));
    let alignment = Alignment::open(alignment).expect("an alignment");
    let pairs = alignment.pairs([&banks[0], &banks[1]]).expect("the links are of these treebanks");
    let sides = pairs.iter().filter_map(|pair| {
        let [source, target] = pair.sentences.map(NumberedTree::of_tiger);
        let (source, target) = (source?, target?);
        let gold = GoldNodes::of_pair(pair, [&source, &target], &GoldOptions::default());
        Some((source, target, gold))
    });
    sides.collect()
}

fn europarl(folder: &Path) -> Vec<(String, String)> {
    let [source, target] = ["de", "en"].map(|language| {
        let options = Options { lower: true, escape: false, ..Options::default() };
        let tokenizer = Tokenizer::new(language, options).expect("a known language");
        let path = folder.join(format!("europarl/de-en/train.{language}.gz"));
        let mut lines = Lines::open(path).expect("the training text opens");
        let mut text = Vec::new();
        while let Some(line) = lines.next_line().expect("the training text is UTF-8") {
            let mut tokens = String::new();
            tokenizer.worker().tokenize(line, &mut tokens);
            text.push(tokens);
        }
        text
    });
    source.into_iter().zip(target).collect()
}

/// Trains tables on the words of the pairs, lower-cased, and further text, unless they are there.
fn tables(prefix: &Path, pairs: &Pairs, more: Vec<(String, String)>) -> PathBuf {
    let path = |ending: &str| PathBuf::from(format!("{}{ending}", prefix.display()));
    if path(".f2e").exists() && path(".e2f").exists() {
        return prefix.to_path_buf();
    }
    let line = |side: &NumberedTree| side.words.join(" ").to_lowercase();
    let mut text: Vec<(String, String)> = pairs.iter().map(|(s, t, _)| (line(s), line(t))).collect();
    text.extend(more);
    let corpus =
        Corpus::from_pairs(text.iter().map(|(a, b)| (a.as_str(), b.as_str()))).expect("the text fits");
    let model = Model::train(&corpus, &Default::default(), |_| {}).expect("all is in memory");
    let mut counts = LexCounts::new(&corpus);
    let done: Result<(), Error> =
        model.align(&corpus, Symmetrize::GrowDiagFinalAnd, GrowOrder::Atools, |s, aligned| {
            counts.add(corpus.src.sentence(s), corpus.tgt.sentence(s), &aligned.links)
        });
    done.expect("all is in memory");
    for (table, ending) in [(LexTable::TargetGivenSource, ".f2e"), (LexTable::SourceGivenTarget, ".e2f")] {
        let mut file = BufWriter::new(File::create(path(ending)).expect("the folder can be written"));
        counts.table(table).expect("all is in memory").write(&mut file).expect("the folder can be written");
    }
    prefix.to_path_buf()
}
