//! A joint model and a lexical translation model in both searches: their values are those of the finished translation, word by
//! word from the left.

use crate::common;
use std::path::Path;
use treeglot_decode::{Applied, Both, Joint, Lexical, Neural, Ngram, Shape};
use treeglot_decode::{
    ChartSystem, Derivation, LmRole, PhraseSystem, Resources, SearchSettings, SentenceVocab, TableRole,
    first_weights,
};
use treeglot_joint::{BEGIN, END, HISTORY, JointModel, JointSettings, NOTHING, Predicts, Sentence, train};
use treeglot_lm::{Lm, LmLayout, arpa};
use treeglot_models::{Applies, chart::MadeElsewhere};

const INPUT: &str = "a b c a b";

const PHRASES: &str = "\
a ||| A ||| 0.5 ||| 0-0
a ||| B A ||| 0.3 ||| 0-0 0-1
b ||| B ||| 0.5 ||| 0-0
c ||| C ||| 0.4 ||| 0-0
c a ||| A C B ||| 0.4 ||| 1-0 0-1 0-2 1-2
a b ||| B A ||| 0.6 ||| 0-1 1-0
b c ||| C ||| 0.4 ||| 1-0
";

const HIERARCHICAL: &str = "\
[X][X] c [X] ||| C [X][X] [X] ||| 0.4 ||| 0-1 1-0
[X][X] c [X][X] [X] ||| [X][X] C A [X][X] [X] ||| 0.4 ||| 0-3 1-1 1-2 2-0
a [X][X] [X] ||| [X][X] A [X] ||| 0.5 ||| 0-1 1-0
[X][X] b [X] ||| [X][X] [X] ||| 0.1 ||| 0-0
";

const ARPA: &str = "\\data\\\nngram 1=6\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n-9\t<s>\t-0.2\n-1\t</s>\n-0.7\tA\t-0.3\n-0.9\tB\t-0.1\n-1.1\tC\n\n\\2-grams:\n-0.2\tA B\n-0.4\tB </s>\n\n\\end\\\n";

fn model(folder: &Path, predicts: Predicts) -> JointModel {
    let texts = [
        ("source", "a b c a\nb a c\nc c a b\n"),
        ("target", "A B C A\nC B A\nB A A C\n"),
        ("links", "0-0 1-1 2-2 3-3\n0-1 1-2 2-0\n0-3 1-3 2-1 3-0\n"),
    ];
    let paths = texts.map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text.repeat(8)).unwrap();
        path
    });
    let settings = JointSettings { embedding: 6, hidden: 18, epochs: 3, ..JointSettings::default() };
    let to = folder.join("joint");
    train([&paths[0], &paths[1], &paths[2]], predicts, &settings, &to, |_| {}).unwrap();
    JointModel::open(to).unwrap()
}

/// Both models, twice.
fn models(folder: &Path) -> [(JointModel, JointModel); 2] {
    [(), ()].map(|()| (model(folder, Predicts::Words), model(folder, Predicts::Translations)))
}

fn lm(folder: &Path) -> Lm {
    let path = folder.join("arpa");
    std::fs::write(&path, ARPA).unwrap();
    Lm::build(arpa::read(&path).unwrap(), LmLayout::Probing).unwrap()
}

/// The model's value of the finished translation; every word has a link.
fn from_the_left(model: &JointModel, derivation: &Derivation, vocab: &SentenceVocab<'_>) -> f32 {
    let mut sentence = Sentence::default();
    model.sentence(INPUT.split(' '), &mut sentence);
    let (mut before, mut sum) = ([BEGIN; HISTORY], 0.0);
    for origin in derivation.origins() {
        let word = model.word(vocab.text(origin.word));
        let at = origin.sources[(origin.sources.len() - 1) / 2];
        sum += model.score(&sentence, at, before, word);
        before = [word, before[0], before[1]];
    }
    sum + model.score(&sentence, INPUT.split(' ').count() as u32, before, END)
}

/// What the links of the finished translation say of each source word, but for those that were copied, which have none.
fn from_the_source(model: &JointModel, derivation: &Derivation, vocab: &SentenceVocab<'_>) -> f32 {
    let mut sentence = Sentence::default();
    model.sentence(INPUT.split(' '), &mut sentence);
    let origins: Vec<_> = derivation.origins().into_iter().collect();
    let score = |at: usize| {
        let linked = origins.iter().filter(|origin| {
            let rule = derivation.steps()[origin.step as usize].applied;
            matches!(rule, Applied::Rule { .. }) && origin.sources.contains(&(at as u32))
        });
        let number = model.translation(linked.map(|origin| vocab.text(origin.word)));
        model.score(&sentence, at as u32, [NOTHING; HISTORY], number)
    };
    (0..INPUT.split(' ').count()).map(score).sum()
}

#[test]
fn a_chart_gives_the_value_of_the_finished_translation() {
    let folder = tempfile::tempdir().unwrap();
    let rules = PHRASES.replace(" ||| 0.", " [X] ||| 0.").replace(" ||| A", " [X] ||| A");
    let rules = rules.replace(" ||| B", " [X] ||| B").replace(" ||| C", " [X] ||| C");
    let table = common::table(&(rules + HIERARCHICAL), &folder.path().join("table"));
    let [(joint, lexical), (model, lexicon)] = models(folder.path());
    let resources = Resources {
        tables: vec![(TableRole::Model, table)],
        lms: vec![(LmRole::Ngram, lm(folder.path()))],
        joint: Some(joint),
        lexical: Some(lexical),
        ..Resources::default()
    };
    let names = [vec!["score".to_string()]];
    let tables = [&names[0][..]];
    let (applies, lms) = (Applies::Spans, [LmRole::Ngram]);
    let shape = Shape {
        applies,
        lms: &lms,
        tables: &tables,
        joint: true,
        lexical: true,
        operations: false,
        sparse: None,
        extra: &[],
        weights: None,
    };
    let weights = first_weights(&shape);
    let settings = SearchSettings { pop_limit: Some(50), ..SearchSettings::default() };
    let system = ChartSystem::new(Box::new(MadeElsewhere), resources, &weights, &settings).unwrap();
    let (lm, at) = (&system.lms()[0], system.features().joint().unwrap());
    let own = system.features().weights();
    let words = Ngram::new(lm, lm.tables(), own[system.features().lms().start]);
    let of_source = system.features().lexical().unwrap();
    let neural = Neural {
        joint: Some(Joint::new(system.joint_model().unwrap(), own[at])),
        lexical: Some(Lexical::new(system.lexical_model().unwrap(), own[of_source])),
    };
    let mut worker = system.worker_with(Both(words, neural));
    worker.search(INPUT);
    let mut count = 0;
    worker.derivations(false, |derivation, score| {
        let value = derivation.total_features()[at] as f32;
        let wanted = from_the_left(&model, derivation, worker.vocab());
        assert!((value - wanted).abs() < 1e-3, "{value} {wanted}");
        let value = derivation.total_features()[of_source] as f32;
        let wanted = from_the_source(&lexicon, derivation, worker.vocab());
        assert!((value - wanted).abs() < 1e-3, "{value} {wanted}");
        assert!((derivation.score() - f64::from(score)).abs() < 1e-3);
        count += 1;
        count < 300
    });
    assert!(count > 50, "{count}");
}

#[test]
fn stacks_give_the_value_of_the_finished_translation() {
    let folder = tempfile::tempdir().unwrap();
    let table = common::table(PHRASES, &folder.path().join("table"));
    let [(joint, lexical), (model, lexicon)] = models(folder.path());
    let resources = Resources {
        tables: vec![(TableRole::Model, table)],
        lms: vec![(LmRole::Ngram, lm(folder.path()))],
        joint: Some(joint),
        lexical: Some(lexical),
        ..Resources::default()
    };
    let names = [vec!["score".to_string()]];
    let tables = [&names[0][..]];
    let (applies, lms) = (Applies::Phrases, [LmRole::Ngram]);
    let shape = Shape {
        applies,
        lms: &lms,
        tables: &tables,
        joint: true,
        lexical: true,
        operations: false,
        sparse: None,
        extra: &[],
        weights: None,
    };
    let system = PhraseSystem::new(resources, &first_weights(&shape), &SearchSettings::default()).unwrap();
    let [at, of_source] = ["JointModel0", "LexicalModel0"].map(|name| {
        use treeglot_decode::System;
        System::features(&system).find(name).unwrap().start
    });
    let mut worker = system.worker();
    let words: Vec<&str> = INPUT.split(' ').collect();
    let mut searched = worker.search(&words);
    let best = searched.kbest(200, false);
    assert!(best.len() > 50, "{}", best.len());
    for (derivation, score) in &best {
        let value = derivation.total_features()[at] as f32;
        let wanted = from_the_left(&model, derivation, searched.vocab());
        assert!((value - wanted).abs() < 1e-3, "{value} {wanted}");
        let value = derivation.total_features()[of_source] as f32;
        let wanted = from_the_source(&lexicon, derivation, searched.vocab());
        assert!((value - wanted).abs() < 1e-3, "{value} {wanted}");
        assert!((derivation.score() - score).abs() < 1e-3, "{} {score}", derivation.score());
    }
    let translation: Vec<&str> = "A B C A B".split(' ').collect();
    let mut forced = worker.force(&words, &translation);
    let score = forced.score().map(f64::from).unwrap();
    assert!((forced.best().unwrap().score() - score).abs() < 1e-3);
}
