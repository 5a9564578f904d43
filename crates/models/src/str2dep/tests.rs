//! Rules of small pairs, and against `hiero`'s rules chosen by the definitions.

use super::*;
use crate::hiero::Hiero;
use crate::testing::{Sentences, rules_of};
use proptest::prelude::*;
use treeglot_align::Link;
use treeglot_grammar::heads;

fn model(ill_formed: IllFormed) -> Str2Dep {
    Str2Dep::new(Str2DepOptions { ill_formed, ..Str2DepOptions::default() }).unwrap()
}

/// `er wird es interessant finden`, whose English tree is that of figure 2 of Shen et al. 2008.
fn find() -> Sentences {
    Sentences::new(
        "der junge wird es interessant finden",
        "the boy will find it interesting",
        "0-0 1-1 2-2 3-4 4-5 5-3",
    )
    .target_heads(&[2, 4, 4, 0, 4, 4])
}

/// The lines of rules with these words, links and count left out.
fn lines(all: &[String], rule: &str) -> Vec<String> {
    let matches = all.iter().filter(|line| rules_of(std::slice::from_ref(line))[0] == rule);
    matches.map(|line| line.rsplit(" ||| ").next().unwrap().to_string()).collect()
}

#[test]
fn each_symbol_has_its_head_in_the_rule() {
    let rules = find().extract(&model(IllFormed::None));
    for (rule, heads) in [
        ("der junge -> the boy", "{{Heads 2 0}}"),
        ("der junge wird -> the boy will", "{{Heads 2 0 0}}"),
        ("X0 wird -> X0 will", "{{Heads 0 0}}"),
        ("es interessant -> it interesting", "{{Heads 0 0}}"),
        ("es interessant finden -> find it interesting", "{{Heads 0 1 1}}"),
        ("X0 finden -> find X0", "{{Heads 0 1}}"),
        ("es X0 -> X0 it", ""),
        ("X0 wird X1 finden -> X0 will find X1", "{{Heads 3 3 0 3}}"),
        ("X0 wird X1 -> X0 will X1", "{{Heads 3 3 0}}"),
        ("X0 interessant X1 -> X1 X0 interesting", "{{Heads 0 1 1}}"),
    ] {
        let expected: Vec<&str> = Some(heads).filter(|heads| !heads.is_empty()).into_iter().collect();
        assert_eq!(lines(&rules, rule), expected, "{rule}");
    }
}

#[test]
fn what_is_not_well_formed_makes_no_rule_unless_it_is_asked_for() {
    let rule = "junge wird -> boy will";
    assert!(lines(&find().extract(&model(IllFormed::None)), rule).is_empty());
    assert_eq!(lines(&find().extract(&model(IllFormed::Flat)), rule), ["{{Heads 0 0 ill}}"]);
    let all = find().extract(&model(IllFormed::All));
    assert_eq!(lines(&all, "der X0 -> the X0"), ["{{Heads 2 0}}", "{{Heads 2 0 ill}}"]);
    assert_eq!(sides(&all), sides_of_hiero(&mut find()));
}

/// The distinct rules of lines, whatever their counts and structures.
fn sides(lines: &[String]) -> Vec<String> {
    let sides = |line: &String| line.split(" ||| ").take(3).collect::<Vec<_>>().join("|");
    let mut all: Vec<String> = lines.iter().map(sides).collect();
    all.sort();
    all.dedup();
    all
}

fn sides_of_hiero(pair: &mut Sentences) -> Vec<String> {
    sides(&pair.extract(&Hiero::new(HieroOptions::default()).unwrap()))
}

#[test]
fn an_ill_formed_variable_never_depends_on_itself() {
    // The hole `b c` has b below a, and a below c.
    let mut pair = Sentences::new("x y z", "a b c", "0-0 1-1 2-2").target_heads(&[3, 1, 0]);
    let rules = pair.extract(&model(IllFormed::All));
    assert_eq!(lines(&rules, "x X0 -> a X0"), ["{{Heads 0 1}}", "{{Heads 0 1 ill}}"]);
}

/// A tree over so many words, each below an earlier one in the order of the second numbers.
fn heads_of(spec: &[(u8, u8)]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..spec.len()).collect();
    order.sort_by_key(|&word| (spec[word].1, word));
    let mut heads = vec![0; spec.len()];
    for (rank, &word) in order.iter().enumerate().skip(1) {
        heads[word] = order[usize::from(spec[word].0) % rank] as u32 + 1;
    }
    heads
}

proptest! {
    #[test]
    fn heads_in_any_rule_are_a_forest_over_its_symbols(
        spec in prop::collection::vec((any::<u8>(), any::<u8>()), 1..8),
        cells in prop::collection::vec((0u32..7, 0u32..7), 0..9),
    ) {
        let target = spec.len() as u32;
        let mut links: Vec<Link> = cells.iter().map(|&(s, t)| Link::new(s, t % target)).collect();
        links.sort_unstable();
        links.dedup();
        let mut pair = Sentences::numbered(7, target, &links).target_heads(&heads_of(&spec));
        let strict = pair.extract(&model(IllFormed::None));
        let all = pair.extract(&model(IllFormed::All));
        let batch = pair.with(|pair, vocab, batch| model(IllFormed::All).extract(pair, vocab, batch));
        for instance in batch.instances() {
            let (symbols, structure) = heads::split(instance.target);
            let structure = structure.unwrap();
            prop_assert_eq!(structure.marks().count(), symbols.len());
            for start in 0..symbols.len() {
                let up = |&at: &usize| usize::from(structure.of(at)).checked_sub(1);
                let above = std::iter::successors(Some(start), up).take(symbols.len() + 1).count();
                prop_assert!(above <= symbols.len(), "a circle");
            }
        }
        prop_assert_eq!(sides(&all), sides_of_hiero(&mut pair));
        let good: Vec<String> = all.into_iter().filter(|line| !line.contains(" ill}}")).collect();
        prop_assert_eq!(sides(&strict), sides(&good));
    }
}
