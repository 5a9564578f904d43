use super::*;
use treeglot_decode::ExplainedRule;
use treeglot_models::{Binding, Origin};
use treeglot_text::subword::{Learner, Subwords};

/// `ab` is one piece, all else are characters.
fn learnt() -> Subwords {
    let mut learner = Learner::default();
    (0..2).for_each(|_| learner.add("ab"));
    learner.learn(1)
}

fn both() -> Pieces {
    Pieces { sides: [Some(Cutter::Pieces(learnt())), Some(Cutter::Pieces(learnt()))] }
}

#[test]
fn what_is_known_of_words_is_told_of_their_pieces() {
    let pieces = both();
    let mut worker = pieces.worker();
    let choice = GivenChoice { words: "xy ab".into(), log_prob: -1.0, links: vec![(0, 1), (1, 0)] };
    let given = Given {
        span: Span::new(1, 3),
        binding: Binding::Exclusive,
        origin: Origin::Term,
        anchor: 1,
        choices: vec![choice],
    };
    let wall = Wall { at: 2, scope: Span::new(0, 4) };
    let guidance = Guidance { given: vec![given], zones: vec![Span::new(2, 4)], walls: vec![wall] };
    // Words:  ab | cd  | ef  | ab
    // Pieces: 0  | 1 2 | 3 4 | 5
    let cut = worker.cut("ab cd ef ab", &guidance);
    assert_eq!(cut.words, "ab c￭ d e￭ f ab");
    let told = &cut.guidance.given[0];
    assert_eq!((told.span, told.anchor), (Span::new(1, 5), 2));
    assert_eq!(told.choices[0].words, "x￭ y ab");
    assert_eq!(told.choices[0].links, [(0, 2), (1, 2), (2, 0), (2, 1), (3, 0), (3, 1)]);
    assert_eq!(cut.guidance.zones, [Span::new(3, 6)]);
    assert_eq!(cut.guidance.walls, [Wall { at: 3, scope: Span::new(0, 6) }]);
}

fn word(word: &str, source: &[u32], rule: u32) -> ExplainedWord {
    ExplainedWord { word: word.into(), source: source.to_vec(), rule, head: None }
}

fn rule(span: [u32; 2]) -> ExplainedRule {
    ExplainedRule {
        kind: "rule",
        number: None,
        label: None,
        source: String::new(),
        target: String::new(),
        span,
        fills: None,
        score: 0.0,
        features: Vec::new(),
    }
}

#[test]
fn explanations_come_back_in_words() {
    let pieces = both();
    let mut worker = pieces.worker();
    let cut = worker.cut("cd ab", &Guidance::default());
    assert_eq!(cut.words, "c￭ d ab");
    let explanation = Explanation {
        source: ["c￭", "d", "ab"].map(String::from).to_vec(),
        words: vec![word("x￭", &[1], 0), word("y￭", &[0, 1], 0), word("z", &[2], 1), word("ab", &[], 1)],
        rules: vec![rule([0, 2]), rule([1, 3]), rule([2, 2])],
    };
    let best = Translation {
        sparse: Vec::new(),
        text: "x￭ y￭ z ab".into(),
        features: Vec::new(),
        score: 0.0,
        explanation: Some(explanation),
        tree: None,
    };
    let other = Translation { text: "xy￭ z ab".into(), explanation: None, ..best.clone() };
    let mut found = Translations { best: vec![best, other], narrowed: None, stopped: false };
    worker.joined(&mut found, &cut, true);
    assert_eq!(found.best.len(), 1, "both are the same words");
    assert_eq!(found.best[0].text, "xyz ab");
    let explanation = found.best[0].explanation.as_ref().unwrap();
    assert_eq!(explanation.source, ["cd", "ab"]);
    assert_eq!(explanation.words, [word("xyz", &[0, 1], 0), word("ab", &[], 1)]);
    assert_eq!(explanation.rules.iter().map(|rule| rule.span).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 1]]);
}

#[test]
fn words_stay_where_only_the_other_side_is_cut() {
    let pieces = Pieces { sides: [None, Some(Cutter::Pieces(learnt()))] };
    let mut worker = pieces.worker();
    assert!(worker.cuts());
    let cut = worker.cut("cd ab", &Guidance { zones: vec![Span::new(0, 1)], ..Guidance::default() });
    assert_eq!((cut.words.as_str(), &cut.guidance.zones[..]), ("cd ab", &[Span::new(0, 1)][..]));
}
