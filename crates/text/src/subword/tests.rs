use super::*;
use proptest::prelude::*;

fn learnt(lines: &[&str], merges: usize) -> Subwords {
    let mut learner = Learner::default();
    lines.iter().for_each(|line| learner.add(line));
    learner.learn(merges)
}

fn cut(subwords: &Subwords, words: &str) -> String {
    let mut out = String::new();
    subwords.worker().segment(words, &mut out);
    out
}

fn written(subwords: &Subwords) -> Vec<[&str; 2]> {
    let piece = |piece: PieceId| subwords.pieces[piece as usize].as_str();
    subwords.merges.iter().map(|pair| pair.map(piece)).collect()
}

/// The example of the paper, with ends of words as joiners have them: low 5, lowest 2, newer 6, wider 3.
#[test]
fn the_paper_s_example_is_learnt() {
    let text = "low low low low low lowest lowest newer newer newer newer newer newer wider wider wider";
    let subwords = learnt(&[text], 3);
    assert_eq!(written(&subwords)[0], ["e￭", "r"]);
    assert!(written(&subwords)[1..].contains(&["l￭", "o￭"]));
    assert_eq!(cut(&subwords, "lower"), "lo￭ wer");
}

/// Counting anew after each merge gives the same as keeping counts up to date.
#[test]
fn counts_are_kept_up_to_date() {
    let lines = ["aaaa aaa banana bananas nananana", "ana anan abab ababab bab", "aaaaaaa aaaa"].repeat(2);
    let quick = learnt(&lines, 30);
    let mut slow = Subwords::default();
    let mut words: Vec<&str> = lines.iter().flat_map(|line| line.split(' ')).collect();
    words.sort_unstable();
    let mut words: Vec<Vec<PieceId>> = words
        .iter()
        .map(|word| {
            let last = word.len() - 1;
            let pieces =
                word.char_indices().map(|(at, c)| if at == last { c.into() } else { format!("{c}￭") });
            pieces.map(|piece: String| slow.intern(piece)).collect()
        })
        .collect();
    while slow.len() < 30 {
        let mut counts = std::collections::BTreeMap::<[PieceId; 2], u64>::new();
        for pair in words.iter().flat_map(|word| word.windows(2)) {
            *counts.entry([pair[0], pair[1]]).or_default() += 1;
        }
        let best = counts.iter().max_by_key(|(pair, count)| (**count, std::cmp::Reverse(**pair)));
        let Some((&pair, 2..)) = best else { break };
        let whole = slow.merge(pair);
        for word in &mut words {
            let mut joined: Vec<PieceId> = Vec::new();
            let mut at = 0;
            while at < word.len() {
                let here = word[at..].starts_with(&pair);
                joined.push(if here { whole } else { word[at] });
                at += if here { 2 } else { 1 };
            }
            *word = joined;
        }
    }
    assert!(quick.len() > 10);
    assert_eq!(written(&quick), written(&slow));
}

#[test]
fn characters_that_were_never_seen_are_pieces() {
    let subwords = learnt(&["abc abc"], 10);
    assert_eq!(cut(&subwords, "abc ☃ abcd"), "abc ☃ ab￭ c￭ d");
    assert_eq!(cut(&subwords, "\u{e001}"), "\u{e001}");
}

#[test]
fn a_worker_tells_of_how_many_pieces_words_are() {
    let subwords = learnt(&["abc abc"], 10);
    let (mut out, mut counts) = (String::new(), Vec::new());
    subwords.worker().segment_with("abc xyz x", &mut out, |count| counts.push(count));
    assert_eq!((out.as_str(), counts), ("abc x￭ y￭ z x", vec![1, 3, 1]));
}

#[test]
fn what_is_written_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("subwords");
    let subwords = learnt(&["banana bananas ananas", "nanas"], 6);
    subwords.write(&path).unwrap();
    let read = Subwords::open(&path).unwrap();
    assert_eq!(written(&read), written(&subwords));
    assert_eq!(cut(&read, "banana bandana"), cut(&subwords, "banana bandana"));
}

#[test]
fn text_is_counted_by_all_threads_alike() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text");
    let text: String = (0..40_000).map(|n| format!("word{} stem{} end\n", n % 97, n % 31)).collect();
    std::fs::write(&path, &text).unwrap();
    let (mut threads, mut one) = (Learner::default(), Learner::default());
    threads.add_text(&path).unwrap();
    text.lines().for_each(|line| one.add(line));
    assert_eq!(written(&threads.learn(60)), written(&one.learn(60)));
}

#[test]
fn bad_lines_are_named() {
    let read = |text: &str| Subwords::read(&mut Lines::new("pieces", text.as_bytes())).map(|read| read.len());
    let error = |text: &str| read(text).unwrap_err().to_string();
    assert!(error("").contains("the first line should be"));
    assert!(error("treeglot subwords 1\na￭ b\na b\n").starts_with("pieces:3: should be two pieces"));
    assert!(error("treeglot subwords 1\na￭  b\n").starts_with("pieces:2: should be two pieces"));
    assert!(error("treeglot subwords 1\na￭ b\na￭ b\n").starts_with("pieces:3: these pieces"));
    assert_eq!(read("treeglot subwords 1\na￭ b￭\nab￭ c\n").unwrap(), 2);
}

proptest! {
    #[test]
    fn words_come_back(words in "[a-cé￭']{1,8}( [a-cé￭']{1,8}){0,5}", merges in 0usize..20) {
        let subwords = learnt(&["abcab abc bcab é'a é'ab", "cabcab abcabc"], merges);
        let mut joined = String::new();
        join(&cut(&subwords, &words), &mut joined);
        prop_assert_eq!(joined, words);
    }

    #[test]
    fn long_words_come_back(word in "[ab]{90,350}") {
        let subwords = learnt(&["abab abba baba aaaa"], 10);
        let mut joined = String::new();
        join(&cut(&subwords, &word), &mut joined);
        prop_assert_eq!(joined, word);
    }
}
