//! What the sample promises: its size, words, trees, links and division.

use std::collections::HashSet;
use treeglot_sample::{Sample, SamplePair, SampleSentence};
use treeglot_text::tokenize::{Options, Tokenizer};
use treeglot_tree::{DepTree, Field, Roots};

fn sample() -> &'static Sample {
    Sample::embedded()
}

fn tree(side: &SampleSentence) -> DepTree {
    side.parse.tree(Roots::One).unwrap_or_else(|e| panic!("{}: {e}", side.raw))
}

fn vocabulary<'a>(
    pairs: impl Iterator<Item = &'a SamplePair>,
    side: fn(&SamplePair) -> &SampleSentence,
) -> HashSet<&'a str> {
    pairs.flat_map(move |p| side(p).parse.forms()).collect()
}

const SIDES: [fn(&SamplePair) -> &SampleSentence; 2] = [|p| &p.source, |p| &p.target];

#[test]
fn it_has_8000_pairs() {
    assert_eq!(
        sample().parts().map(|(part, pairs)| (part, pairs.len())),
        [("train", 7000), ("dev", 500), ("test", 500)]
    );
}

#[test]
fn no_sentence_occurs_twice_in_either_language() {
    for side in SIDES {
        let distinct: HashSet<&str> = sample().pairs().map(|p| side(p).raw.as_str()).collect();
        assert_eq!(distinct.len(), sample().pairs().count());
    }
}

#[test]
fn each_language_has_a_thousand_word_forms() {
    for side in SIDES {
        let words = vocabulary(sample().pairs(), side);
        assert!(words.len() > 1000, "{}", words.len());
    }
}

#[test]
fn every_word_form_of_dev_and_test_occurs_in_train() {
    for side in SIDES {
        let train = vocabulary(sample().train.iter(), side);
        let held = vocabulary(sample().dev.iter().chain(&sample().test), side);
        let unknown: Vec<_> = held.difference(&train).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

#[test]
fn sentences_have_3_to_30_words_and_use_the_whole_range() {
    for side in SIDES {
        let lengths: HashSet<usize> = sample().pairs().map(|p| side(p).parse.len()).collect();
        assert!(lengths.iter().all(|l| (3..=30).contains(l)));
        assert!(lengths.contains(&3) && lengths.iter().any(|&l| l >= 28), "{lengths:?}");
    }
}

#[test]
fn more_than_15_percent_of_the_german_trees_are_non_projective_in_every_part() {
    for part in [&sample().train, &sample().dev, &sample().test] {
        let crossing = part.iter().filter(|p| !tree(&p.source).is_projective()).count();
        assert!(crossing * 100 > 15 * part.len(), "{crossing} of {}", part.len());
    }
}

#[test]
fn both_trees_stand_on_the_same_words_and_tags() {
    for side in sample().pairs().flat_map(|p| SIDES.map(|s| s(p))) {
        tree(side);
        assert!(side.parse.forms().eq(side.con.forms()), "{}", side.raw);
        assert!(side.con.is_continuous(), "{}", side.raw);
        for word in side.parse.words() {
            assert_eq!(side.con.tag(word), Some(side.parse.get(word, Field::Xpos)), "{}", side.raw);
        }
    }
}

#[test]
fn every_noun_verb_adjective_and_name_is_linked() {
    let content = ["NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"];
    for pair in sample().pairs() {
        let linked: [HashSet<u32>; 2] =
            [pair.links.iter().map(|l| l.0).collect(), pair.links.iter().map(|l| l.1).collect()];
        for (side, linked) in SIDES.map(|s| s(pair)).into_iter().zip(&linked) {
            for word in side.parse.words().filter(|&w| content.contains(&side.parse.get(w, Field::Upos))) {
                assert!(linked.contains(&word.0), "{} in {}", side.parse.form(word), side.raw);
            }
        }
    }
}

#[test]
fn the_tokeniser_cuts_the_raw_sentences_into_these_words() {
    for (language, side) in ["de", "en"].into_iter().zip(SIDES) {
        let options = Options { escape: false, ..Options::default() };
        let tokenizer = Tokenizer::new(language, options).unwrap();
        let mut worker = tokenizer.worker();
        for side in sample().pairs().map(side) {
            let mut tokens = String::new();
            worker.tokenize(&side.raw, &mut tokens);
            assert_eq!(tokens, side.tokens());
        }
    }
}

#[test]
fn links_are_in_range_in_order_and_without_repetition() {
    for pair in sample().pairs() {
        assert!(pair.links.is_sorted_by(|a, b| a < b));
        let (sources, targets) = (pair.source.parse.len() as u32, pair.target.parse.len() as u32);
        assert!(pair.links.iter().all(|&(s, t)| s < sources && t < targets));
    }
}

#[test]
fn sure_links_are_most_of_the_links_and_reach_most_words() {
    let (mut links, mut sure, mut words) = (0, 0, 0);
    for pair in sample().pairs() {
        assert!(pair.sure.iter().all(|link| pair.links.contains(link)), "{}", pair.source.raw);
        links += pair.links.len();
        sure += pair.sure.len();
        words += pair.source.parse.len();
    }
    assert!(sure < links && sure * 10 > links * 7, "{sure} of {links}");
    assert!(sure * 10 > words * 7, "{sure} links of {words} words");
}

#[test]
fn german_verbs_agree_with_their_subjects() {
    let number = |side: &SampleSentence, word| {
        let feats = side.parse.get(word, Field::Feats).to_owned();
        feats.split('|').find_map(|f| f.strip_prefix("Number=").map(str::to_owned))
    };
    let mut checked = 0;
    for pair in sample().pairs() {
        let side = &pair.source;
        let tree = tree(side);
        for subject in side.parse.words().filter(|&w| side.parse.deprel(w).starts_with("nsubj")) {
            let head = tree.head(subject).unwrap();
            let joined = tree.dependents(subject).iter().any(|&d| side.parse.deprel(d) == "conj");
            let verbs = std::iter::once(&head).chain(tree.dependents(head));
            let helper = |w| w == head || ["aux", "cop", "aux:pass"].contains(&side.parse.deprel(w));
            let finite =
                verbs.copied().find(|&w| side.parse.get(w, Field::Feats).contains("Mood=Ind") && helper(w));
            if let (Some(verb), Some(of_subject), false) = (finite, number(side, subject), joined) {
                assert_eq!(number(side, verb), Some(of_subject), "{}", side.raw);
                checked += 1;
            }
        }
    }
    assert!(checked > 8000, "{checked}");
}

#[test]
fn the_constructions_that_make_syntax_matter_are_all_there() {
    let german = |fits: fn(&SampleSentence) -> bool| sample().pairs().filter(|p| fits(&p.source)).count();
    let has =
        |side: &SampleSentence, relation: &str| side.parse.words().any(|w| side.parse.deprel(w) == relation);
    let relations = [
        ("compound:prt", 500),
        ("acl:relcl", 1000),
        ("xcomp", 500),
        ("advcl", 800),
        ("ccomp", 400),
        ("aux:pass", 400),
        ("expl:pv", 400),
        ("conj", 200),
        ("acl", 50),
        ("cop", 200),
        ("fixed", 10),
    ];
    for (relation, least) in relations {
        let count = sample().pairs().filter(|p| has(&p.source, relation)).count();
        assert!(count >= least, "{relation}: {count}");
    }
    assert!(german(|s| s.raw.ends_with('?')) > 500);
    assert!(german(|s| s.raw.ends_with('!')) > 100);
}
