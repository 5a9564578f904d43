//! Estimation: laws of the probabilities, and independence of memory and threads.

use crate::support::{estimate, text};
use proptest::prelude::*;
use std::path::Path;
use treeglot_lm::estimate::{from_text, within_memory};
use treeglot_lm::special::BOS;
use treeglot_lm::{Error, Fallback, Lm, LmLayout, Settings, arpa};
use treeglot_text::Input;
use treeglot_text::vocab::Sym;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_words_after_any_context_sum_to_one(
        train in proptest::collection::vec(proptest::collection::vec(0u8..6, 0..8), 1..30),
        order in 1usize..5,
        prune in proptest::option::of(1u32..3),
        context in proptest::collection::vec(0u8..7, 0..5),
    ) {
        let mut settings = Settings::of_order(order);
        settings.prune = prune.map_or(Vec::new(), |t| vec![0, t]);
        settings.prune.truncate(order);
        let lm = Lm::build(estimate(&text(&train), &settings), LmLayout::Probing).unwrap();
        let tables = lm.tables();
        let scorer = tables.scorer();
        let mut state = scorer.begin();
        for word in context {
            state = scorer.score(&state, lm.symbol(&((b'a' + word) as char).to_string())).1;
        }
        let words = (0..lm.words().len() as u32).map(Sym).filter(|&w| w != BOS);
        let sum: f64 = words.map(|w| 10f64.powf(f64::from(scorer.score(&state, w).0.prob))).sum();
        prop_assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }
}

proptest! {
    #[test]
    fn a_model_on_disk_is_written_as_the_one_in_memory(
        train in proptest::collection::vec(proptest::collection::vec(0u8..12, 0..12), 1..300),
        order in 2usize..6,
        prune in prop_oneof![Just(vec![]), Just(vec![0, 1]), Just(vec![1, 1]), Just(vec![2])],
        memory in prop_oneof![Just(0u64), Just(1 << 15), Just(1 << 17)],
    ) {
        let text = text(&train);
        let settings = Settings { prune, ..Settings::of_order(order) };
        let mut in_memory = Vec::new();
        arpa::write(&estimate(&text, &settings), &mut in_memory).unwrap();
        let reader = Box::new(std::io::Cursor::new(text.into_bytes()));
        let input = Input { name: "text".into(), reader };
        let (estimated, _) = within_memory(input, &settings, memory).unwrap();
        let mut on_disk = Vec::new();
        arpa::write_estimated(&estimated, &mut on_disk).unwrap();
        prop_assert_eq!(String::from_utf8(on_disk), String::from_utf8(in_memory));
    }
}

#[test]
fn a_text_without_discounts_is_refused_unless_there_is_a_fallback() {
    let reader = || Box::new(std::io::Cursor::new(b"a b\n".to_vec()));
    let input = || Input { name: "t".into(), reader: reader() };
    let error = from_text(input(), &Settings { discount_fallback: Fallback(None), ..Settings::of_order(2) })
        .err()
        .unwrap();
    assert!(matches!(error, Error::Discounts { order: 1, .. }), "{error}");
    let (ngrams, statistics) = from_text(input(), &Settings::of_order(2)).unwrap();
    assert_eq!(ngrams.levels.iter().map(|l| l.len()).collect::<Vec<_>>(), [5, 3]);
    assert!(statistics.orders.iter().all(|o| o.fallback) && statistics.tokens == 3);
}

#[test]
fn options_that_cannot_be_are_refused() {
    let input = || Input { name: "t".into(), reader: Box::new(std::io::Cursor::new(b"a b\n".to_vec())) };
    for (order, prune) in [(0, vec![]), (9, vec![]), (2, vec![0, 0, 1]), (3, vec![2, 1])] {
        let settings = Settings { prune, ..Settings::of_order(order) };
        assert!(matches!(from_text(input(), &settings), Err(Error::Setting(_))), "{settings:?}");
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn the_model_does_not_depend_on_memory_or_threads() {
    let folder = Path::new(env!("TREEGLOT_REAL_DATA"));
    let build = |memory: u64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let input = Input::open(folder.join("multi30k/tok/val.en")).unwrap();
            let (estimated, _) = within_memory(input, &Settings::of_order(4), memory).unwrap();
            let mut bytes = Vec::new();
            arpa::write_estimated(&estimated, &mut bytes).unwrap();
            bytes
        })
    };
    let model = build(1 << 30, 1);
    assert!(model == build(1 << 30, 3), "three threads");
    assert!(model == build(1 << 14, 2), "sorted runs on disk");
}
