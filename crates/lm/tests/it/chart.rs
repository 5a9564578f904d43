//! However a sentence is scored - word by word, in batches, in pieces put together in any order - its score is the
//! same, and states forget only what cannot matter.

use crate::support::{EXACT, Oracle, estimate, text};
use proptest::prelude::*;
use treeglot_lm::Search;
use treeglot_lm::special::{BOS, EOS, UNK};
use treeglot_lm::{ChartState, Lm, Scorer, Settings};
use treeglot_text::vocab::Sym;

fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    proptest::collection::vec(proptest::collection::vec(0u8..6, 0..8), 1..30)
}

/// The symbols of a test sentence: some words are not in the model.
fn symbols(lm: &Lm, words: &[u8]) -> Vec<Sym> {
    words.iter().map(|&w| lm.symbol(&((b'a' + w) as char).to_string())).collect()
}

fn oracle_total(oracle: &Oracle, sentence: &[Sym]) -> f32 {
    let words: Vec<Sym> = [BOS].iter().chain(sentence).chain([&EOS]).copied().collect();
    (2..=words.len()).map(|end| oracle.prob(&words[..end])).sum()
}

/// Scores a run of words as pieces within pieces; `cuts` decides where.
fn bracketed<S: Search>(
    scorer: &Scorer<'_, S>,
    words: &[Sym],
    cuts: &mut dyn Iterator<Item = u8>,
) -> (f32, ChartState) {
    let mut state = ChartState::default();
    let mut rule = scorer.rule(&mut state);
    let mut at = 0;
    while at < words.len() {
        let choice = cuts.next().unwrap_or(0);
        let length = usize::from(choice % 5);
        if length < 1 || words.len() == 1 {
            rule.word(words[at]);
            at += 1;
            continue;
        }
        let end = (at + length).min(words.len()).min(at + words.len() - 1);
        let (prob, state) = bracketed(scorer, &words[at..end], cuts);
        rule.piece(&state, prob);
        at = end;
    }
    (rule.finish(), state)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn sentences_of_several_batches_score_as_their_words_one_by_one(
        train in lines(),
        order in 1usize..6,
        test in proptest::collection::vec(0u8..8, 20..90),
    ) {
        let ngrams = estimate(&text(&train), &Settings::of_order(order));
        for &layout in EXACT {
            let lm = Lm::build(ngrams.clone(), layout).unwrap();
            let tables = lm.tables();
            let scorer = tables.scorer();
            let sentence = symbols(&lm, &test);
            let mut state = scorer.begin();
            let mut sum = 0.0;
            for &word in sentence.iter().chain([&EOS]) {
                let (scored, next) = scorer.score(&state, word);
                sum += f64::from(scored.prob);
                state = next;
            }
            prop_assert_eq!(scorer.sentence(&sentence).prob, sum);
            prop_assert_eq!(tables.sentence(&sentence).prob, sum);
        }
    }

    #[test]
    fn every_way_to_score_a_sentence_gives_its_probability(
        train in lines(),
        order in 1usize..6,
        prune in proptest::option::of(1u32..3),
        test in proptest::collection::vec(0u8..8, 0..14),
        cuts in proptest::collection::vec(any::<u8>(), 40),
    ) {
        let mut settings = Settings::of_order(order);
        settings.prune = prune.map_or(Vec::new(), |t| vec![0, t]);
        settings.prune.truncate(order);
        let ngrams = estimate(&text(&train), &settings);
        let oracle = Oracle::new(&ngrams);
        for &layout in EXACT {
            let lm = Lm::build(ngrams.clone(), layout).unwrap();
            let tables = lm.tables();
        let scorer = tables.scorer();
            let sentence = symbols(&lm, &test);
            let wanted = oracle_total(&oracle, &sentence);

            let total = scorer.sentence(&sentence);
            prop_assert!((total.prob as f32 - wanted).abs() < 1e-4, "batch {} {wanted}", total.prob);
            prop_assert_eq!(total.oovs as usize, sentence.iter().filter(|&&w| w == UNK).count());

            let mut state = scorer.begin();
            let mut sum = 0.0;
            for &word in sentence.iter().chain([&EOS]) {
                let (scored, next) = scorer.score(&state, word);
                sum += scored.prob;
                state = next;
            }
            prop_assert!((sum - wanted).abs() < 1e-4, "words {sum} {wanted}");

            let (mut known, mut plain, mut sum, mut at) = (scorer.begin(), scorer.begin(), 0.0, 0);
            for cut in &cuts {
                let end = (at + usize::from(cut % 5)).min(sentence.len());
                let (prob, piece) = scorer.piece(sentence[at..end].iter().copied());
                let (change, next) = scorer.append(&known, &piece);
                sum += prob + change;
                known = next;
                plain = sentence[at..end].iter().fold(plain, |state, &word| scorer.score(&state, word).1);
                prop_assert_eq!(known, plain);
                at = end;
            }
            if at == sentence.len() {
                sum += scorer.score(&known, EOS).0.prob;
                prop_assert!((sum - wanted).abs() < 1e-4, "appended {sum} {wanted}");
            }

            let (prob, inner) = bracketed(&scorer, &sentence, &mut cuts.iter().copied());
            let mut state = ChartState::default();
            let mut whole = scorer.rule(&mut state);
            whole.begin();
            whole.piece(&inner, prob);
            whole.word(EOS);
            let sum = whole.finish();
            prop_assert!((sum - wanted).abs() < 1e-4, "pieces {sum} {wanted}");
        }
    }

    #[test]
    fn pieces_with_equal_states_are_alike_in_every_context(
        train in lines(),
        order in 2usize..5,
        pieces in proptest::collection::vec(proptest::collection::vec(0u8..7, 1..5), 2..12),
        before in proptest::collection::vec(0u8..7, 0..4),
        after in proptest::collection::vec(0u8..7, 0..4),
    ) {
        let lm = Lm::build(estimate(&text(&train), &Settings::of_order(order)), EXACT[0]).unwrap();
        let tables = lm.tables();
        let scorer = tables.scorer();
        let gain = |(prob, state): &(f32, ChartState)| {
            let mut whole = ChartState::default();
            let mut rule = scorer.rule(&mut whole);
            rule.begin();
            symbols(&lm, &before).into_iter().for_each(|w| rule.word(w));
            rule.piece(state, 0.0);
            symbols(&lm, &after).into_iter().for_each(|w| rule.word(w));
            (*prob, rule.finish())
        };
        let scored: Vec<(f32, ChartState)> = pieces
            .iter()
            .map(|piece| scorer.piece(symbols(&lm, piece).into_iter()))
            .collect();
        for a in &scored {
            for b in scored.iter().filter(|b| b.1 == a.1) {
                prop_assert!((gain(a).1 - gain(b).1).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn a_state_keeps_only_words_that_begin_a_longer_ngram() {
    let lm = Lm::build(estimate("a b c\na b c\nd\n", &Settings::of_order(3)), EXACT[0]).unwrap();
    let tables = lm.tables();
    let scorer = tables.scorer();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|w| lm.symbol(w));
    let (_, after_a) = scorer.score(&scorer.empty(), a);
    let (_, after_ab) = scorer.score(&after_a, b);
    assert_eq!(after_ab.words(), [b, a]);
    assert_eq!(scorer.state_of(&[b, a]), after_ab);
    let (_, after_abd) = scorer.score(&after_ab, d);
    assert_eq!(after_abd.words(), [d], "no trigram begins with `b d`");
    let (scored, after_unknown) = scorer.score(&after_ab, lm.symbol("nowhere"));
    assert!(scored.oov && after_unknown.words().is_empty());
    assert!(!scorer.score(&after_ab, c).0.oov);
}
