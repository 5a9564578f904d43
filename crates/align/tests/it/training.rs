//! Training and aligning as a whole: on the embedded sample, and on real text with gold links where it is at hand.

use std::collections::BTreeMap;
use std::path::Path;
use treeglot_align::gold::{self, Agreement, Base, GoldPair};
use treeglot_align::links::Line;
use treeglot_align::{
    Classes, Corpus, GrowOrder, Link, Model, ModelKind, Result, Settings, Symmetrize, priors,
};
use treeglot_align::{LexCounts, LexTable};
use treeglot_sample::{Sample, SamplePair, SampleSentence};
use treeglot_text::bitext::{Bitext, Options};
use treeglot_text::column::MemoryBudget;
use treeglot_text::{Lines, Output};

fn sample_corpus(pairs: usize) -> (Corpus, Vec<GoldPair>) {
    let pairs: Vec<_> = Sample::embedded().pairs().take(pairs).collect();
    let texts: Vec<(String, String)> = pairs.iter().map(|p| (p.source.tokens(), p.target.tokens())).collect();
    let corpus = Corpus::from_pairs(texts.iter().map(|(a, b)| (a.as_str(), b.as_str())))
        .expect("the sample can be aligned");
    let links =
        |links: &[(u32, u32)]| -> Vec<Link> { links.iter().map(|&(src, tgt)| Link { src, tgt }).collect() };
    let gold = |p: &SamplePair| {
        let possible = links(&p.links).into_iter().filter(|link| !p.sure.contains(&(link.src, link.tgt)));
        GoldPair { sure: links(&p.sure), possible: possible.collect() }
    };
    (corpus, pairs.iter().map(|p| gold(p)).collect())
}

fn align(model: &Model, corpus: &Corpus) -> Vec<Vec<Link>> {
    let mut all = Vec::new();
    model
        .align(corpus, Symmetrize::GrowDiagFinalAnd, GrowOrder::Atools, |_, aligned| {
            assert_eq!(aligned.links.len(), aligned.scores.len());
            assert!(aligned.scores.iter().all(|s| (0.0..=1.001).contains(s)), "{:?}", aligned.scores);
            all.push(aligned.links.clone());
            Ok::<(), treeglot_align::Error>(())
        })
        .expect("the sample can be aligned");
    all
}

fn train(corpus: &Corpus, kind: ModelKind) -> Model {
    Model::train(corpus, &Settings::of_model(kind), |_| {}).expect("the sample can be aligned")
}

fn agreement(gold: &[GoldPair], links: &[Vec<Link>]) -> Agreement {
    let mut agreement = Agreement::default();
    gold.iter().zip(links).for_each(|(gold, links)| agreement.add(gold, links));
    agreement
}

#[test]
fn each_model_is_better_than_the_one_before_on_the_sample() {
    let (corpus, gold) = sample_corpus(8000);
    let error = |kind| agreement(&gold, &align(&train(&corpus, kind), &corpus)).scores();
    let (ibm1, hmm, fertility) = (error(ModelKind::Ibm1), error(ModelKind::Hmm), error(ModelKind::Fertility));
    assert!(hmm.aer < ibm1.aer && fertility.aer < hmm.aer, "{ibm1:?} {hmm:?} {fertility:?}");
    assert!(fertility.aer < 0.05 && fertility.precision > 0.98, "{fertility:?}");
}

/// Lines of each word with its most frequent tag.
fn tags(side: impl Fn(&SamplePair) -> &SampleSentence) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for pair in Sample::embedded().pairs() {
        let parse = &side(pair).parse;
        for word in parse.words() {
            *counts.entry((parse.form(word), parse.tag(word))).or_default() += 1;
        }
    }
    let mut best: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for ((form, tag), count) in counts {
        let entry = best.entry(form).or_default();
        *entry = (*entry).max((count, tag));
    }
    best.iter().map(|(form, (_, tag))| format!("{form}\t{tag}\n")).collect()
}

/// Classes for both sides from their lines.
fn classes(corpus: &Corpus, src: &str, tgt: &str) -> [Option<Classes>; 2] {
    [(src, &corpus.src), (tgt, &corpus.tgt)].map(|(text, side)| {
        let read = Classes::read(&mut Lines::new("classes", text.as_bytes()), &side.words);
        Some(read.expect("each line is a word and its class"))
    })
}

fn tag_classes(corpus: &Corpus) -> [Option<Classes>; 2] {
    classes(corpus, &tags(|pair| &pair.source), &tags(|pair| &pair.target))
}

fn train_with(corpus: &Corpus, kind: ModelKind, classes: [Option<Classes>; 2]) -> Model {
    Model::train_with_classes(corpus, &Settings::of_model(kind), classes, |_| {})
        .expect("the sample can be aligned")
}

#[test]
fn jumps_that_depend_on_tags_align_the_sample_better() {
    let (corpus, gold) = sample_corpus(8000);
    for (kind, bound) in [(ModelKind::Hmm, 0.035), (ModelKind::Fertility, 0.024)] {
        let model = train_with(&corpus, kind, tag_classes(&corpus));
        let by_class = &model.forward.conditioned.as_ref().unwrap().jumps;
        assert!(by_class.len() > 8, "{}", by_class.len());
        let scores = agreement(&gold, &align(&model, &corpus)).scores();
        println!("{} with tags: {scores:?}", kind.name());
        assert!(scores.aer < bound, "{scores:?}");
    }
}

#[test]
fn one_class_for_all_words_says_nothing() {
    let (corpus, _) = sample_corpus(3000);
    let all = |words: &treeglot_align::Words| -> String {
        (0..words.len() as u32).map(|id| format!("{} 1\n", words.text(id))).collect()
    };
    let one = classes(&corpus, &all(&corpus.src.words), &all(&corpus.tgt.words));
    let (without, with) =
        (train(&corpus, ModelKind::Fertility), train_with(&corpus, ModelKind::Fertility, one));
    assert!(with.forward.conditioned.is_none() && with.reverse.conditioned.is_none());
    assert!(align(&without, &corpus) == align(&with, &corpus));
}

#[test]
fn links_do_not_depend_on_the_number_of_threads() {
    let (corpus, _) = sample_corpus(5000);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            [[None, None], tag_classes(&corpus)].map(|classes| {
                let model = train_with(&corpus, ModelKind::Fertility, classes);
                let mut saved = Vec::new();
                priors::write(&model, corpus.words(), &mut saved).unwrap();
                (align(&model, &corpus), saved)
            })
        })
    };
    let one = with_threads(1);
    assert!(with_threads(2) == one);
    assert!(with_threads(3) == one);
}

/// Links, those of the saved model once it is loaded included; the saved model; the lexical tables.
type Outcome = (Vec<Vec<Link>>, Vec<u8>, Vec<u8>);

fn outcome(pairs: &[(String, String)], kind: ModelKind, space: &MemoryBudget) -> Result<Outcome> {
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let corpus = Corpus::from_pairs_in(space, pairs.iter().copied())?;
    let model = train(&corpus, kind);
    let links = align(&model, &corpus);
    let (mut saved, mut tables) = (Vec::new(), Vec::new());
    priors::write(&model, corpus.words(), &mut saved).expect("memory can be written");
    let mut counts = LexCounts::new(&corpus);
    for (s, links) in links.iter().enumerate() {
        counts.add(corpus.src.sentence(s), corpus.tgt.sentence(s), links)?;
    }
    for table in [LexTable::TargetGivenSource, LexTable::SourceGivenTarget] {
        counts.table(table)?.write(&mut tables).expect("memory can be written");
    }
    let reader: Box<dyn std::io::BufRead + Send> = Box::new(std::io::Cursor::new(saved.clone()));
    let (mut loaded, src, tgt) = priors::read(&mut Lines::new("model", reader), &Settings::default(), space)?;
    let side = |of: fn(&(&str, &str)) -> String| pairs.iter().map(of).collect::<String>();
    let (a, b) = (side(|pair| format!("{}\n", pair.0)), side(|pair| format!("{}\n", pair.1)));
    let lines = vec![Lines::new("a", a.as_bytes()), Lines::new("b", b.as_bytes())];
    let again = Corpus::read_with(&mut Bitext::new(lines, Options::default()), 250, src, tgt, space)?;
    loaded.adapt(&again)?;
    let again = align(&loaded, &again);
    Ok(([links, again].concat(), saved, tables))
}

#[test]
fn neither_links_nor_models_nor_tables_depend_on_memory() {
    let pair = |p: &SamplePair| (p.source.tokens(), p.target.tokens());
    let pairs: Vec<(String, String)> = Sample::embedded().pairs().take(800).map(pair).collect();
    for kind in [ModelKind::Ibm1, ModelKind::Hmm, ModelKind::Fertility] {
        let all_in_memory = outcome(&pairs, kind, &MemoryBudget::unlimited()).unwrap();
        for memory in [0, 1 << 19, 1 << 22] {
            assert!(
                outcome(&pairs, kind, &MemoryBudget::new(memory)).unwrap() == all_in_memory,
                "{} {memory}",
                kind.name()
            );
        }
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn captions_are_aligned_alike_in_little_memory() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    let side = |name: &str| std::fs::read_to_string(folder.join("multi30k/tok").join(name)).unwrap();
    let (de, en) = (side("train.de"), side("train.en"));
    let pairs = de.lines().zip(en.lines()).take(4000).map(|(a, b)| (a.to_string(), b.to_string()));
    let pairs: Vec<(String, String)> = pairs.collect();
    let all_in_memory = outcome(&pairs, ModelKind::Fertility, &MemoryBudget::unlimited()).unwrap();
    assert!(outcome(&pairs, ModelKind::Fertility, &MemoryBudget::new(1 << 20)).unwrap() == all_in_memory);
    println!("ran on {} pairs of {}", pairs.len(), folder.join("multi30k").display());
}

#[test]
fn a_saved_model_aligns_the_same_text_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, _) = sample_corpus(1500);
    let none = || [None, None];
    let one_side = [tag_classes(&corpus)[0].clone(), None];
    for (kind, classes) in [
        (ModelKind::Ibm1, none()),
        (ModelKind::Hmm, none()),
        (ModelKind::Fertility, none()),
        (ModelKind::Hmm, tag_classes(&corpus)),
        (ModelKind::Fertility, one_side),
    ] {
        let model = train_with(&corpus, kind, classes);
        let path = folder.path().join("model.gz");
        let mut output = Output::create(&path).unwrap();
        priors::write(&model, corpus.words(), &mut output).unwrap();
        output.finish().unwrap();
        let (mut loaded, src, tgt) =
            priors::read(&mut Lines::open(&path).unwrap(), &Settings::default(), &MemoryBudget::unlimited())
                .unwrap();
        assert_eq!(loaded.kind, kind);
        for (before, after) in [(&model.forward, &loaded.forward), (&model.reverse, &loaded.reverse)] {
            assert_eq!(before.conditioned.is_some(), after.conditioned.is_some());
        }
        let files = ["src", "tgt"].map(|name| folder.path().join(name));
        for (path, side) in files.iter().zip([&corpus.src, &corpus.tgt]) {
            let sentence =
                |s| side.sentence(s).iter().map(|&w| side.words.text(w)).collect::<Vec<_>>().join(" ");
            std::fs::write(path, (0..corpus.len()).map(|s| sentence(s) + "\n").collect::<String>()).unwrap();
        }
        let mut bitext = Bitext::open(&files, Options::default()).unwrap();
        let again = Corpus::read_with(&mut bitext, 250, src, tgt, &MemoryBudget::unlimited()).unwrap();
        loaded.adapt(&again).unwrap();
        let (before, after) = (align(&model, &corpus), align(&loaded, &again));
        let same = before.iter().zip(&after).filter(|(a, b)| a == b).count();
        assert!(same * 1000 >= before.len() * 999, "{same} of {} equal", before.len());
    }
}

#[test]
fn new_words_are_aligned_with_a_loaded_model() {
    let (corpus, _) = sample_corpus(1500);
    let mut saved = Vec::new();
    priors::write(&train(&corpus, ModelKind::Fertility), corpus.words(), &mut saved).unwrap();
    let reader: Box<dyn std::io::BufRead + Send> = Box::new(std::io::Cursor::new(saved));
    let (mut model, src, tgt) =
        priors::read(&mut Lines::new("model", reader), &Settings::default(), &MemoryBudget::unlimited())
            .unwrap();
    let lines =
        vec![Lines::new("a", "Xanten Yburg .".as_bytes()), Lines::new("b", "Yburg Xanten .".as_bytes())];
    let new = Corpus::read_with(
        &mut Bitext::new(lines, Options::default()),
        250,
        src,
        tgt,
        &MemoryBudget::unlimited(),
    )
    .unwrap();
    model.adapt(&new).unwrap();
    assert_eq!(Line(&align(&model, &new)[0]).to_string(), "0-1 1-0 2-2");
}

#[test]
fn bad_priors_are_an_error_with_their_line() {
    for bad in [
        "LEX\ta\tb",
        "LEX\ta\tb\t-1",
        "HMMF\tx\t1",
        "FERF\ta\t1\tNaN",
        "CLSF\ta",
        "HMMFC\ta\t1\t-1",
        "MODEL\tbert\t0.1",
        "something else",
    ] {
        let text = format!("LEX\thaus\thouse\t3\n{bad}\n");
        let reader: Box<dyn std::io::BufRead + Send> = Box::new(std::io::Cursor::new(text));
        let error =
            priors::read(&mut Lines::new("model", reader), &Settings::default(), &MemoryBudget::unlimited())
                .err()
                .unwrap()
                .to_string();
        assert!(error.starts_with("model:2: "), "{error}");
    }
}

#[test]
fn corpora_without_words_or_with_long_sentences_give_finite_results() {
    for pairs in [vec![], vec![("", "")], vec![("a", "b")], vec![("a a a", "a")]] {
        let corpus = Corpus::from_pairs(pairs.iter().copied()).unwrap();
        for kind in [ModelKind::Ibm1, ModelKind::Hmm, ModelKind::Fertility] {
            assert_eq!(align(&train(&corpus, kind), &corpus).len(), pairs.len());
        }
    }
    let long: Vec<String> = (0..250).map(|k| format!("w{}", k % 40)).collect();
    let (long, short) = (long.join(" "), "w1 w2");
    let corpus = Corpus::from_pairs([(long.as_str(), short), (short, long.as_str())]).unwrap();
    assert!(align(&train(&corpus, ModelKind::Fertility), &corpus).iter().all(|links| !links.is_empty()));
    let corpus = Corpus::from_pairs([(long.as_str(), long.as_str()); 3]).unwrap();
    let links = align(&train(&corpus, ModelKind::Fertility), &corpus);
    assert_eq!(links[2].len(), 250);
    assert!(links[2].iter().all(|link| link.src == link.tgt), "{:?}", links[2]);
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn english_swedish_gold_alone_is_aligned_better_than_eflomal_does() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    let path = folder.join("wa_gold/ensv.jsonl");
    let gold = gold::read(&mut Lines::open(&path).unwrap(), Base::Auto).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let side = |pair: &serde_json::Value, key: &str| {
        let words: Vec<String> =
            pair[key].as_array().unwrap().iter().map(|w| w.as_str().unwrap().to_lowercase()).collect();
        words.join(" ")
    };
    let pairs: Vec<(String, String)> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|pair| (side(&pair, "src_words"), side(&pair, "tgt_words")))
        .collect();
    let corpus = Corpus::from_pairs(pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()))).unwrap();
    let links = align(&train(&corpus, ModelKind::Fertility), &corpus);
    let scores = agreement(&gold, &links).scores();
    println!("ran on {}: {scores:?}", path.display());
    assert!(scores.aer < 0.2647, "{scores:?}");
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn gold_sets_with_possible_links_are_read() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    for (name, sentences, sure, possible) in [("enfr", 447, 4038, 17438), ("roen", 248, 6198, 6198)] {
        let path = folder.join(format!("wa_gold/{name}.gold"));
        let gold = gold::read(&mut Lines::open(&path).unwrap(), Base::Auto).unwrap();
        let count = agreement(&gold, &vec![Vec::new(); gold.len()]);
        println!("ran on {}", path.display());
        assert_eq!((count.sentences, count.sure, count.possible), (sentences, sure, possible));
    }
}
