//! Without pruning, the search finds every derivation of small random grammars, best first, with the scores that
//! enumerating them by hand gives.

use crate::common;

use proptest::prelude::*;
use treeglot_decode::{
    Both, ChartSystem, ChartWorker, Limits, LmRole, Ngram, Resources, SearchSettings, Stateful, TableRole,
    TargetItem, TranslationForest, Wanted, Weights, Worker,
};
use treeglot_lm::Lm;
use treeglot_models::Applies;
use treeglot_models::chart::MadeElsewhere;
use treeglot_text::vocab::Sym;
use treeglot_tree::hypergraph::Hypergraph;

const ARPA: &str = "\\data\\\nngram 1=6\nngram 2=6\nngram 3=3\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n-1.1\t</s>\n\
-0.7\tA\t-0.2\n-0.9\tB\t-0.4\n-1.3\tC\t-0.1\n\n\\2-grams:\n-0.4\t<s> A\t-0.15\n-0.6\tA B\t-0.25\n-0.5\tB A\t-0.05\n\
-0.3\tB C\t-0.35\n-0.8\tC </s>\n-0.2\tC C\t-0.45\n\n\\3-grams:\n-0.1\t<s> A B\n-0.25\tA B C\n-0.35\tB C C\n\n\\end\\\n";
const WEIGHTS: [f64; 4] = [0.7, -0.3, 0.2, 0.9];
const GLUE_WEIGHT: f64 = 0.4;
/// What joining one more piece counts as.
const GLUE: f64 = 0.999_896_3;

/// A rule: source symbols (`X` is a variable), target symbols (a digit is a variable), probability in tenths.
#[derive(Debug, Clone)]
struct Rule {
    source: Vec<&'static str>,
    target: Vec<String>,
    tenths: u8,
}

impl Rule {
    fn line(&self) -> String {
        let bracket = |symbol: &str| match symbol {
            "X" | "0" | "1" => "[X][X]".to_string(),
            word => word.to_string(),
        };
        let side = |symbols: Vec<String>| symbols.join(" ") + " [X]";
        let variables = self.source.iter().enumerate().filter(|(_, s)| **s == "X").map(|(at, _)| at);
        let links = variables.enumerate().map(|(k, at)| {
            let target = self.target.iter().position(|symbol| *symbol == k.to_string());
            let target = target.expect("each variable is on both sides");
            format!("{at}-{target}")
        });
        format!(
            "{} ||| {} ||| 0.{} ||| {}",
            side(self.source.iter().map(|s| bracket(s)).collect()),
            side(self.target.iter().map(|s| bracket(s)).collect()),
            self.tenths,
            links.collect::<Vec<_>>().join(" ")
        )
    }
}

/// A translation of a span: its words and its score without language model.
type Translation = (Vec<String>, f64);

/// All derivations of `words`, whether or not they give the same words.
fn pieces(words: &[&str], rules: &[Rule]) -> Vec<Translation> {
    let mut found = Vec::new();
    for rule in rules {
        for fillers in match_source(&rule.source, words, rules) {
            let mut target = Vec::new();
            let own = rule.target.iter().filter(|s| !["0", "1"].contains(&s.as_str())).count();
            let mut score =
                WEIGHTS[3] * (f64::from(rule.tenths) / 10.0).ln() - WEIGHTS[1] * own as f64 + WEIGHTS[2];
            for symbol in &rule.target {
                match symbol.parse::<usize>() {
                    Ok(k) => target.extend(fillers[k].0.iter().cloned()),
                    Err(_) => target.push(symbol.clone()),
                }
            }
            score += fillers.iter().map(|filler| filler.1).sum::<f64>();
            found.push((target, score));
        }
    }
    if words.len() == 1 && found.is_empty() {
        found.push((vec![words[0].to_string()], -100.0 - WEIGHTS[1] + WEIGHTS[2]));
    }
    found
}

/// All ways in which a source side covers `words`: a translation for each variable.
fn match_source(source: &[&str], words: &[&str], rules: &[Rule]) -> Vec<Vec<Translation>> {
    let Some((first, rest)) = source.split_first() else {
        return if words.is_empty() { vec![Vec::new()] } else { Vec::new() };
    };
    let mut found = Vec::new();
    if *first != "X" {
        if words.first() == Some(first) {
            found = match_source(rest, &words[1..], rules);
        }
        return found;
    }
    for length in 1..=words.len().saturating_sub(rest.len()) {
        let after = match_source(rest, &words[length..], rules);
        if after.is_empty() {
            continue;
        }
        for piece in pieces(&words[..length], rules) {
            found.extend(after.iter().map(|later| [std::slice::from_ref(&piece), later].concat()));
        }
    }
    found
}

/// All derivations of a sentence, with glue and language model.
fn sentences(words: &[&str], rules: &[Rule], lm: &Lm, lms: usize) -> Vec<(String, f64)> {
    let mut joined: Vec<Vec<Translation>> = vec![vec![(Vec::new(), -2.0 * WEIGHTS[1] + 2.0 * WEIGHTS[2])]];
    for end in 1..=words.len() {
        let mut here = Vec::new();
        for start in 0..end {
            for piece in pieces(&words[start..end], rules) {
                let glue = piece.1 + WEIGHTS[2] + GLUE_WEIGHT * GLUE;
                let longer = |before: &Translation| ([&before.0[..], &piece.0].concat(), before.1 + glue);
                here.extend(joined[start].iter().map(longer));
            }
        }
        joined.push(here);
    }
    let tables = lm.tables();
    let mut all: Vec<(String, f64)> = joined[words.len()]
        .iter()
        .map(|(target, score)| {
            let symbols: Vec<Sym> = target.iter().map(|word| lm.symbol(word)).collect();
            let log = tables.sentence(&symbols).prob * std::f64::consts::LN_10;
            (target.join(" "), score + lms as f64 * WEIGHTS[0] * log)
        })
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let symbol = prop_oneof![4 => prop::sample::select(vec!["a", "b", "c"]), 3 => Just("X")];
    let rule =
        (prop::collection::vec(symbol, 1..=4), prop::collection::vec("[ABC]", 0..=2), any::<u32>(), 1..=9u8);
    let rule = rule.prop_filter_map("a word, at most two variables", |(source, mut target, seed, tenths)| {
        let variables = source.iter().filter(|s| **s == "X").count();
        for k in 0..variables {
            target.insert((seed as usize >> (8 * k)) % (target.len() + 1), k.to_string());
        }
        let usable = variables <= 2 && variables < source.len() && !target.is_empty();
        usable.then_some(Rule { source, target, tenths })
    });
    prop::collection::vec(rule, 1..=6).prop_map(|mut rules| {
        rules.sort_by_key(|rule| (rule.source.clone(), rule.target.clone()));
        rules.dedup_by_key(|rule| (rule.source.clone(), rule.target.clone()));
        rules
    })
}

fn search(words: &[&str], rules: &[Rule], lm: &Lm, lms: usize, distinct: bool) -> Vec<(String, f64)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines: Vec<String> = rules.iter().map(Rule::line).collect();
    let table = common::table(&(lines.join("\n") + "\n"), &folder.path().join("table"));
    let path = folder.path().join("weights");
    let models: String = (0..lms).map(|k| format!("LM{k}= {}\n", WEIGHTS[0])).collect();
    let others = format!(
        "WordPenalty0= {}\nPhrasePenalty0= {}\nTranslationModel0= {}\nTranslationModel1= {GLUE_WEIGHT}\n",
        WEIGHTS[1], WEIGHTS[2], WEIGHTS[3]
    );
    std::fs::write(&path, models + &others).expect("a temporary file");
    let weights = Weights::read(&path).expect("good weights");
    let limits = Limits {
        pops: None,
        max_span: 0,
        fills: 0,
        hyperarcs: 0,
        table_limit: usize::MAX,
        budget: usize::MAX,
        ..Limits::of(Applies::Spans)
    };
    let resources = Resources {
        tables: vec![(TableRole::Model, table)],
        lms: vec![(LmRole::Ngram, lm.clone()); lms],
        ..Resources::default()
    };
    let model = Box::new(MadeElsewhere);
    let system = ChartSystem::new(model, resources, &weights, &SearchSettings::default())
        .and_then(|system| system.with_limits(limits))
        .expect("all weights");
    let ngram = || Ngram::new(lm, lm.tables(), WEIGHTS[0] as f32);
    let line = words.join(" ");
    match lms {
        0 => collect(system.worker_with(()), &line, distinct),
        1 => collect(system.worker_with(ngram()), &line, distinct),
        _ => collect(system.worker_with(Both(ngram(), ngram())), &line, distinct),
    }
}

fn collect<F: Stateful>(mut worker: ChartWorker<'_, F>, line: &str, distinct: bool) -> Vec<(String, f64)> {
    worker.search(line);
    let (mut all, mut features) = (Vec::new(), Vec::new());
    worker.derivations(distinct, |derivation, score| {
        let mut words = Vec::new();
        derivation.words(&mut words);
        assert!((derivation.score() - f64::from(score)).abs() < 1e-3, "features are those of the search");
        all.push((worker.vocab().join(&words), derivation.score()));
        features.push((worker.vocab().join(&words), derivation.total_features()));
        all.len() < 20_000
    });
    if !distinct && all.len() < 2_000 {
        let count = features.first().map_or(0, |(_, values)| values.len());
        let whole = derivations(&worker.pruned(usize::MAX), count);
        assert_same(&whole, features.clone());
        let few = derivations(&worker.pruned(1), count);
        assert!(features.is_empty() || few.iter().any(|derivation| close(derivation, &features[0])));
    }
    let alone = worker.translate(line, &Wanted::default()).best;
    assert_eq!(alone.first().map(|best| &best.text), all.first().map(|(text, _)| text));
    all
}

/// Words and features of a derivation.
type Valued = (String, Vec<f64>);

fn close(a: &Valued, b: &Valued) -> bool {
    a.0 == b.0 && a.1.iter().zip(&b.1).all(|(x, y)| (x - y).abs() < 1e-3)
}

fn assert_same(found: &[Valued], mut expected: Vec<Valued>) {
    assert_eq!(found.len(), expected.len(), "a forest has the derivations of the list");
    for derivation in found {
        let at = expected.iter().position(|other| close(derivation, other)).expect("it is in the list");
        expected.swap_remove(at);
    }
}

/// All derivations of a forest, each with so many features.
fn derivations(forest: &TranslationForest, features: usize) -> Vec<Valued> {
    let mut nodes: Vec<Vec<Valued>> = Vec::new();
    for node in 0..forest.node_count() as u32 {
        let mut here = Vec::new();
        for arc in forest.arcs(node) {
            let mut chosen: Vec<Vec<&Valued>> = vec![Vec::new()];
            for tail in forest.tails(arc) {
                let longer = |before: Vec<_>| {
                    nodes[tail as usize].iter().map(move |below| [&before[..], &[below]].concat())
                };
                chosen = chosen.into_iter().flat_map(longer).collect();
            }
            here.extend(chosen.iter().map(|tails| valued(arc, tails, forest, features)));
        }
        nodes.push(here);
    }
    nodes.pop().unwrap_or_default()
}

fn valued(arc: u32, tails: &[&Valued], forest: &TranslationForest, features: usize) -> Valued {
    let text = |item: &TargetItem| match *item {
        TargetItem::Word(word) => forest.words.word(Sym(word)).to_string(),
        TargetItem::Tail(k) => tails[k as usize].0.clone(),
    };
    let words: Vec<String> = forest.items(arc).iter().map(text).filter(|text| !text.is_empty()).collect();
    let mut sums = vec![0.0; features];
    forest.features(arc).iter().for_each(|&(feature, value)| sums[feature as usize] += f64::from(value));
    for (_, values) in tails {
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    (words.join(" "), sums)
}

fn sorted(mut all: Vec<(String, f64)>) -> Vec<(String, f64)> {
    all.sort_by(|a, b| (&a.0, a.1).partial_cmp(&(&b.0, b.1)).expect("scores are numbers"));
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn unpruned_search_lists_every_derivation_best_first_and_its_forest_has_the_same(
        rules in rules(),
        words in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 0..=4),
        lms in 0..=2usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lm.arpa");
        std::fs::write(&path, ARPA).unwrap();
        let lm = Lm::open(&path).unwrap();
        let expected = sentences(&words, &rules, &lm, lms);
        prop_assume!(expected.len() < 20_000);
        let found = search(&words, &rules, &lm, lms, false);
        prop_assert_eq!(found.len(), expected.len());
        for (ours, theirs) in found.iter().zip(&expected) {
            prop_assert!((ours.1 - theirs.1).abs() < 1e-3, "{:?} {:?}", ours, theirs);
        }
        let distinct = search(&words, &rules, &lm, lms, true);
        let mut best: Vec<(String, f64)> = Vec::new();
        for derivation in &expected {
            if best.iter().all(|known| known.0 != derivation.0) {
                best.push(derivation.clone());
            }
        }
        prop_assert_eq!(distinct.len(), best.len());
        for (ours, theirs) in sorted(distinct).iter().zip(&sorted(best)) {
            prop_assert!(ours.0 == theirs.0 && (ours.1 - theirs.1).abs() < 1e-3, "{:?} {:?}", ours, theirs);
        }
        let expected = sorted(expected);
        for (ours, theirs) in sorted(found).iter().zip(&expected) {
            prop_assert!(ours.0 == theirs.0 && (ours.1 - theirs.1).abs() < 1e-3, "{:?} {:?}", ours, theirs);
        }
    }
}
