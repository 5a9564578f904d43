use super::*;
use crate::spool::Scratch;
use proptest::prelude::*;
use std::collections::BTreeMap;
use treeglot_text::vocab::{Sym, Vocab};

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    count: f32,
    scores: [f64; 2],
}

/// Rules by the numbers of their source sides' symbols: the order in which a table takes them.
type Grammar = BTreeMap<Vec<u32>, Vec<Rule>>;

fn any_symbol() -> impl Strategy<Value = Symbol> {
    (0u32..40, 0u8..8).prop_map(|(n, kind)| match kind {
        0 => Symbol::var(Sym(n)),
        1 => Symbol::label(Sym(n)),
        2 => Symbol::reference(n as u8),
        3 => Symbol::mark(n as u8),
        _ => Symbol::word(Sym(n)),
    })
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let links = proptest::collection::vec((0u8..5, 0u8..5).prop_map(|(s, t)| RuleLink::new(s, t)), 0..4);
    let target = proptest::collection::vec(any_symbol(), 1..5).prop_map(without_repeated_references);
    (target, links, 0.01f32..9.0, 0.0f64..1.0, 1e-30f64..1e-5).prop_map(|(target, links, count, a, b)| Rule {
        target,
        links,
        count,
        scores: [a, b],
    })
}

fn without_repeated_references(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut target: Vec<Symbol> = Vec::new();
    for symbol in symbols {
        if !(matches!(symbol.kind(), Kind::Ref(_)) && target.contains(&symbol)) {
            target.push(symbol);
        }
    }
    target
}

fn any_grammar() -> impl Strategy<Value = Grammar> {
    let source = proptest::collection::vec(any_symbol().prop_map(code::number), 1..5);
    proptest::collection::btree_map(source, proptest::collection::vec(any_rule(), 1..4), 0..30)
}

fn reordering(rule: &Rule) -> [Decimal; 6] {
    [rule.scores[0]; 6].map(Decimal::new)
}

fn write(grammar: &Grammar, path: &Path) {
    let scratch = Scratch::new(None);
    let names = ["first".to_string(), "second".to_string()];
    let notes = vec![("discount".to_string(), "none".to_string())];
    let mut builder = TableBuilder::new(None, "hiero", &names, true, notes, &scratch).unwrap();
    let mut targets = Targets::new(&scratch).unwrap();
    for (source, rules) in grammar {
        let mut bytes = Vec::new();
        source.iter().for_each(|&number| code::push(code::symbol(number), &mut bytes));
        builder.source(&bytes, rules.iter().map(|rule| rule.count).sum()).unwrap();
        for rule in rules {
            let mut bytes = Vec::new();
            code::push_all(&rule.target, &mut bytes);
            targets.push(&[1, 2, 3], 7.0).unwrap();
            let target = targets.push(&bytes, rule.count).unwrap();
            let scores = rule.scores.map(Decimal::new);
            let reordering = reordering(rule);
            let entry = Entry { target, links: &rule.links, count: rule.count, scores: &scores, reordering };
            builder.rule(entry).unwrap();
        }
    }
    let mut vocab = Vocab::default();
    (0..40).for_each(|n| _ = vocab.intern(&format!("w{n}")));
    builder.finish(path, &vocab, targets).unwrap();
}

fn rule_of(table: &Table, id: RuleId) -> Rule {
    let mut rule =
        Rule { target: Vec::new(), links: Vec::new(), count: table.counts(id).joint, scores: [0.0; 2] };
    table.target(id, u8::MAX, &mut rule.target);
    table.links(id, &mut rule.links);
    rule.scores = [0, 1].map(|k| table.probability(id, k).value());
    rule
}

fn rounded(rule: &Rule) -> Rule {
    Rule { scores: rule.scores.map(|score| Decimal::new(score).value()), ..rule.clone() }
}

fn visit_everything(table: &Table) {
    let (mut symbols, mut links, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    let mut node = table.root();
    while let Some((symbol, child)) = table.children(node).next() {
        // An altered table may have a symbol twice, and then either child is found.
        let named = |found| table.children(node).any(|entry| entry == (symbol, found));
        assert!(table.child(node, symbol).is_none_or(named));
        node = child;
    }
    for id in (0..table.len() as u32 + 2).map(RuleId) {
        table.target(id, u8::MAX, &mut symbols);
        table.links(id, &mut links);
        table.scores(id, &mut scores);
        table.reordering(id);
        table.counts(id);
    }
    let _ = walk::walk::<crate::Error>(table, |rules| {
        assert_eq!(rules.ids().len(), table.rules(rules.node).len());
        Ok(())
    });
}

proptest! {
    #[test]
    fn a_table_gives_back_its_rules(grammar in any_grammar()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        write(&grammar, &path);
        let table = Table::open(&path).unwrap();
        prop_assert_eq!((table.model(), table.score_names().len(), table.source_len()), ("hiero", 2, grammar.len()));
        let mut walked = Grammar::new();
        table.walk::<crate::Error>(|rules| {
            let source = rules.source.iter().map(|&symbol| code::number(symbol)).collect();
            walked.insert(source, rules.ids().map(|id| rule_of(&table, id)).collect());
            Ok(())
        }).unwrap();
        let all: Grammar =
            grammar.iter().map(|(source, rules)| (source.clone(), rules.iter().map(rounded).collect())).collect();
        prop_assert_eq!(&walked, &all);
        for (source, rules) in &grammar {
            let step = |node, &number: &u32| table.child(node, code::symbol(number));
            let node = source.iter().try_fold(table.root(), step).unwrap();
            let found: Vec<RuleId> = table.rules(node).collect();
            prop_assert_eq!(found.iter().map(|&id| rule_of(&table, id)).collect::<Vec<_>>(), all[source].clone());
            let count: f32 = rules.iter().map(|rule| rule.count).sum();
            prop_assert!(found.iter().all(|&id| table.counts(id).source == count));
            let ln = table.reordering(found[0]).unwrap()[5];
            prop_assert!((f64::from(ln) - rules[0].scores[0].ln()).abs() < 1e-4 || rules[0].scores[0] < 1e-30);
        }
    }

    #[test]
    fn an_altered_table_is_an_error_or_gives_other_rules_but_never_a_crash(
        grammar in any_grammar(), at in 0usize..10_000, bit in 0u8..8, cut: bool
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        write(&grammar, &path);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        std::fs::write(&path, &bytes).unwrap();
        match Table::open(&path) {
            Ok(table) => visit_everything(&table),
            Err(error) => prop_assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}"),
        }
    }
}

#[test]
fn a_symbol_no_source_side_has_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    write(&Grammar::new(), &path);
    let table = Table::open(&path).unwrap();
    assert!(table.is_empty() && !table.has_children(table.root()));
    assert_eq!(table.child(table.root(), Symbol::word(Sym(3))), None);
    assert_eq!(table.rules(table.root()).len(), 0);
}

#[test]
fn long_target_sides_come_back_however_much_they_share() {
    let word = |n: u32| Symbol::word(Sym(n));
    let rule = |target: Vec<Symbol>| Rule { target, links: Vec::new(), count: 1.0, scores: [0.5, 1e-9] };
    let side = |shared: u32, length: u32, own: u32| {
        let target = (0..length).map(|n| word(if n < shared { n % 40 } else { (n + own) % 40 })).collect();
        rule(target)
    };
    let rules: Vec<Rule> =
        [(0, 3), (3, 9), (14, 60), (15, 61), (16, 62), (17, 18), (40, 250), (90, 255), (90, 91)]
            .into_iter()
            .cycle()
            .zip(1..40)
            .map(|((shared, length), own)| side(shared, length, own))
            .collect();
    let grammar: Grammar = [(vec![code::number(word(7))], rules.clone())].into();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    write(&grammar, &path);
    let table = Table::open(&path).unwrap();
    let node = table.child(table.root(), word(7)).unwrap();
    let found: Vec<Vec<Symbol>> = table.rules(node).map(|id| rule_of(&table, id).target).collect();
    assert_eq!(found, rules.into_iter().map(|rule| rule.target).collect::<Vec<_>>());
}

#[test]
fn a_table_of_an_earlier_version_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    write(&Grammar::new(), &path);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[16] -= 1;
    std::fs::write(&path, &bytes).unwrap();
    let error = Table::open(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("the file has version 1, but this treeglot reads version 2; build it again"),
        "{error}"
    );
}
