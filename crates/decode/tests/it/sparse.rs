//! Sparse features in both searches: they are those of the rules of the finished derivation, counted from their definitions.

use crate::common;
use std::collections::BTreeMap;
use std::path::Path;
use treeglot_decode::{
    Applied, Derivation, FrequentWords, LmRole, Resources, SearchSettings, SentenceVocab, System, TableRole,
    Wanted, Weights,
};
use treeglot_decode::{ChartSystem, Ngram, PhraseSystem};
use treeglot_grammar::Kind;
use treeglot_lm::{Lm, LmLayout, arpa};
use treeglot_models::chart::MadeElsewhere;
use treeglot_models::registry;

const INPUT: &str = "a b c a b q";

const PHRASES: &str = "\
a ||| A ||| 0.5 ||| 0-0
a ||| B A ||| 0.3 ||| 0-1
b ||| B ||| 0.5 |||
c ||| C ||| 0.4 ||| 0-0
c a ||| A C B ||| 0.4 ||| 1-0 0-1 0-2 1-2
a b ||| B A ||| 0.6 ||| 0-1 1-0
";

const HIERARCHICAL: &str = "\
a ||| A ||| 0.5 ||| 0-0
b [X] ||| B [X] ||| 0.5 |||
c [X] ||| D C [X] ||| 0.5 ||| 0-1
[X][X] c [X][X] [X] ||| [X][X] C A [X][X] [X] ||| 0.4 ||| 0-3 1-1 1-2 2-0
a [X][X] [X] ||| [X][X] A [X] ||| 0.5 ||| 0-1 1-0
";

const ARPA: &str =
    "\\data\\\nngram 1=5\n\n\\1-grams:\n-1\t<unk>\n-9\t<s>\n-1\t</s>\n-0.7\tA\n-0.9\tB\n\n\\end\\\n";

const WEIGHTS: &str =
    "wt_a~A= 0.5\nwt_&other;~A= -0.25\nti_B= 0.125\nsd_&other;= -0.5\npl_1,1= 0.3\npl_0,1= 7\nrs_2s= 0.75\n";

/// Of the source, `a` and `c` are frequent, of the target `A` and `B`.
fn resources(rules: &str, folder: &Path) -> Resources {
    let [arpa_file, frequent] = ["arpa", "frequent"].map(|name| folder.join(name));
    std::fs::write(&arpa_file, ARPA).unwrap();
    std::fs::write(&frequent, "source a\nsource c\ntarget A\ntarget B\n").unwrap();
    Resources {
        tables: vec![(TableRole::Model, common::table(rules, &folder.join("table")))],
        lms: vec![(LmRole::Ngram, Lm::build(arpa::read(&arpa_file).unwrap(), LmLayout::Probing).unwrap())],
        sparse: Some(FrequentWords::read(&frequent).unwrap()),
        ..Resources::default()
    }
}

fn weights(resources: &Resources, model: &str, settings: &SearchSettings) -> Weights {
    let model = registry::find(model).unwrap().from_value(serde_json::json!({})).unwrap();
    let mut weights = resources.first_weights(&*model, settings);
    for (name, values) in Weights::parse("weights", WEIGHTS).unwrap().iter() {
        weights.or_default(name, values);
    }
    weights
}

/// The features of a derivation by name.
fn counted(derivation: &Derivation, vocab: &SentenceVocab<'_>) -> BTreeMap<String, f32> {
    let input: Vec<&str> = INPUT.split(' ').collect();
    let mut all = BTreeMap::new();
    for (number, step) in (0..).zip(derivation.steps()) {
        if !matches!(step.applied, Applied::Rule { .. }) {
            continue;
        }
        let mut count = |name: String| *all.entry(name).or_insert(0.0) += 1.0;
        let known = |word: &str, known: [&str; 2]| {
            if known.contains(&word) { word.to_string() } else { "&other;".to_string() }
        };
        // The source side: words, and `None` for variables.
        let (mut source, mut at) = (Vec::new(), step.span.start);
        while at < step.span.end {
            let child = derivation.children(number).map(|child| derivation.steps()[child as usize].span);
            let child = child.into_iter().find(|span| span.start == at);
            source.push(child.is_none().then(|| known(input[at as usize], ["a", "c"])));
            at = child.map_or(at + 1, |span| span.end);
        }
        let target: Vec<Option<String>> = derivation
            .target(number)
            .iter()
            .map(|symbol| match symbol.kind() {
                Kind::Word(word) => Some(known(vocab.text(word), ["A", "B"])),
                _ => None,
            })
            .collect();
        let links = derivation.links(number);
        for link in links {
            let pair = (&source[usize::from(link.src)], &target[usize::from(link.tgt)]);
            if let (Some(from), Some(to)) = pair
                && (from != "&other;" || to != "&other;")
            {
                count(format!("wt_{from}~{to}"));
            }
        }
        let words = |side: &[Option<String>]| side.iter().flatten().count();
        for (at, word) in target.iter().enumerate().filter_map(|(at, word)| Some((at, word.as_ref()?))) {
            if links.iter().all(|link| usize::from(link.tgt) != at) {
                count(format!("ti_{word}"));
            }
        }
        for (at, word) in source.iter().enumerate().filter_map(|(at, word)| Some((at, word.as_ref()?))) {
            if links.iter().all(|link| usize::from(link.src) != at) {
                count(format!("sd_{word}"));
            }
        }
        count(format!("pl_{},{}", words(&source), words(&target)));
        let variables: Vec<_> = derivation.target(number).iter().filter(|symbol| !symbol.is_word()).collect();
        count(match variables.len() {
            2 => format!("rs_2{}", if variables[0] < variables[1] { "m" } else { "s" }),
            few => format!("rs_{few}"),
        });
    }
    all
}

/// Checks a derivation; its features.
fn check(
    derivation: &Derivation,
    score: f64,
    (system, vocab): (&dyn System, &SentenceVocab<'_>),
) -> BTreeMap<String, f32> {
    let space = system.sparse().unwrap();
    let named: BTreeMap<String, f32> =
        derivation.total_sparse().into_iter().map(|(number, value)| (space.name(number), value)).collect();
    assert_eq!(named, counted(derivation, vocab));
    let weights = Weights::parse("weights", WEIGHTS).unwrap();
    let sum: f32 = named.iter().filter_map(|(name, value)| Some(weights.get(name)?[0] * value)).sum();
    let at = system.features().find("Sparse0").unwrap().start;
    assert!((derivation.total_features()[at] as f32 - sum).abs() < 1e-4);
    assert!((derivation.score() - score).abs() < 1e-3, "{} {score}", derivation.score());
    named
}

#[test]
fn stacks_count_the_features_of_their_phrases() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SearchSettings::default();
    let resources = resources(PHRASES, folder.path());
    let weights = weights(&resources, "phrase", &settings);
    let system = PhraseSystem::new(resources, &weights, &settings).unwrap();
    let mut worker = PhraseSystem::worker(&system);
    let words: Vec<&str> = INPUT.split(' ').collect();
    let mut searched = worker.search(&words);
    let mut seen = BTreeMap::new();
    let best = searched.kbest(200, false);
    assert!(best.len() > 50);
    for (derivation, score) in &best {
        seen.append(&mut check(derivation, *score, (&system, searched.vocab())));
    }
    for name in ["wt_a~A", "wt_c~&other;", "wt_c~B", "ti_B", "sd_&other;", "pl_2,3", "rs_0"] {
        assert!(seen.contains_key(name), "{name}: {seen:?}");
    }
    let found = System::worker(&system).unwrap().translate(INPUT, &Wanted { count: 3, ..Wanted::default() });
    assert!(found.best.iter().all(|one| !one.sparse.is_empty()));
}

#[test]
fn a_chart_counts_the_features_of_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SearchSettings { pop_limit: Some(50), ..SearchSettings::default() };
    let rules = HIERARCHICAL.replace("a ||| A |", "a [X] ||| A [X] |");
    let resources = resources(&rules, folder.path());
    let weights = weights(&resources, "hiero", &settings);
    let system = ChartSystem::new(Box::new(MadeElsewhere), resources, &weights, &settings).unwrap();
    let lm = &system.lms()[0];
    let weight = system.features().weights()[system.features().lms().start];
    let mut worker = system.worker_with(Ngram::new(lm, lm.tables(), weight));
    let mut seen = BTreeMap::new();
    // Twice, for lists of rules are kept from sentence to sentence.
    for _ in 0..2 {
        worker.search(INPUT);
        let mut count = 0;
        worker.derivations(false, |derivation, score| {
            seen.append(&mut check(derivation, f64::from(score), (&system, worker.vocab())));
            count += 1;
            count < 200
        });
        assert!(count >= 10, "{count}");
    }
    for name in ["wt_a~A", "wt_c~A", "ti_&other;", "pl_1,2", "pl_1,1", "rs_1", "rs_2s"] {
        assert!(seen.contains_key(name), "{name}: {seen:?}");
    }
}

#[test]
fn weights_of_no_feature_and_of_several_values_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SearchSettings::default();
    for (line, why) in
        [("wt_b~A= 1\n", "`wt_b~A` is no feature"), ("ti_A= 1 2\n", "`ti_A` has 2 weights, but 1 value")]
    {
        let resources = resources(PHRASES, folder.path());
        let mut weights = weights(&resources, "phrase", &settings);
        for (name, values) in Weights::parse("weights", line).unwrap().iter() {
            weights.or_default(name, values);
        }
        let error = PhraseSystem::new(resources, &weights, &settings).err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    }
}
