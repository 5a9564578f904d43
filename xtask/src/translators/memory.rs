//! Memory: sentences that are in it, and those that are much like one. Text that repeats itself is made of the development and test
//! sentences that have such a pair.

use super::{Desk, Row};
use std::collections::{HashMap, HashSet};

/// So many training sentences must come out as they were translated.
const EXACT: usize = 200;

/// Sentences of a test set are taken for repetitive text where this share of their words is that of a training sentence, in order.
const ALIKE: f64 = 0.75;

pub fn rows(desk: &Desk) -> Result<Vec<Row>, String> {
    let mut rows = vec![exact(desk)?];
    let everyday = |part: &str| ["zh", "en"].map(|side| desk.data(&format!("zh-en/tatoeba/{part}.{side}")));
    let captions = |part: &str| {
        ["de", "en"].map(|side| desk.folder.join(format!("{part}.{side}")).display().to_string())
    };
    rows.push(near(desk, "captions", "m", "de", &[captions("train"), captions("test")])?);
    let [source, target] = everyday("train");
    let [dev_source, dev_target] = everyday("dev");
    let train =
        ["train", "-q", "--model", "phrase", "--tune", "none", "--from", "zh", "--to", "en", "-o", "zh"];
    let texts = ["--src", &source, "--tgt", &target, "--dev-src", &dev_source, "--dev-tgt", &dev_target];
    desk.ask(&[&train[..], &texts[..]].concat())?;
    rows.push(near(desk, "everyday Chinese", "zh", "zh", &[everyday("train"), everyday("test")])?);
    Ok(rows)
}

fn exact(desk: &Desk) -> Result<Row, String> {
    let [sources, targets] = ["train.de", "train.en"].map(|name| desk.read(name));
    let (sources, targets) = (sources?, targets?);
    pairs(desk, &sources, &targets)?;
    desk.write("known", &sources[..EXACT])?;
    let out = desk.lines(&["translate", "-q", "-m", "m", "--memory", "memory.tsv", "known"])?;
    let same = out.iter().zip(&targets).filter(|(own, target)| own.trim() == target.trim()).count();
    let how = format!("all training pairs (`--memory`), the first {EXACT} of them");
    Ok(Row { what: "memory", how, result: format!("{same} of {EXACT} as they were") })
}

/// The memory of the training pairs.
fn pairs(desk: &Desk, sources: &[String], targets: &[String]) -> Result<(), String> {
    let flat = |text: &str| text.replace('\t', " ");
    let rows: Vec<String> = sources
        .iter()
        .zip(targets)
        .map(|(source, target)| format!("{}\t{}", flat(source), flat(target)))
        .collect();
    desk.write("memory.tsv", &rows)
}

/// BLEU of a whole test set and of its repetitive part, without a memory of the training pairs and with it.
fn near(
    desk: &Desk,
    what: &str,
    bundle: &str,
    language: &str,
    files: &[[String; 2]; 2],
) -> Result<Row, String> {
    let read = |file: &String| -> Result<Vec<String>, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        Ok(text.lines().map(str::to_string).collect())
    };
    let [sources, targets] = [read(&files[0][0])?, read(&files[0][1])?];
    let [tests, references] = [read(&files[1][0])?, read(&files[1][1])?];
    pairs(desk, &sources, &targets)?;
    let repetitive = alike(&desk.tokens(language, &sources)?, &desk.tokens(language, &tests)?);
    desk.write("texts", &tests)?;
    desk.ask(&["translate", "-q", "-m", bundle, "texts", "-o", "without"])?;
    desk.ask(&["translate", "-q", "-m", bundle, "--memory", "memory.tsv", "texts", "-o", "with"])?;
    let mut scores = Vec::new();
    for chosen in [(0..tests.len()).collect(), repetitive.clone()] {
        let of = |lines: &[String]| -> Vec<String> {
            chosen.iter().map(|&at: &usize| lines[at].clone()).collect()
        };
        desk.write("part.ref", &of(&references))?;
        for output in ["without", "with"] {
            desk.write(&format!("part.{output}"), &of(&desk.read(output)?))?;
            scores.push(desk.scores(&format!("part.{output}"), "part.ref")?[0]);
        }
    }
    let how = format!(
        "{what}: the test set, and the {} of its {} sentences that are {:.0}% like a training sentence; `--memory` of all training pairs",
        repetitive.len(),
        tests.len(),
        100.0 * ALIKE
    );
    let result = format!(
        "BLEU {:.2}, without {:.2}; of those sentences {:.2}, without {:.2}",
        scores[1], scores[0], scores[3], scores[2]
    );
    Ok(Row { what: "memory, near matches", how, result })
}

/// The test sentences that are much like a training sentence, but none.
fn alike(train: &[Vec<String>], test: &[Vec<String>]) -> Vec<usize> {
    let mut holding: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, words) in train.iter().enumerate() {
        let distinct: HashSet<&str> = words.iter().map(String::as_str).collect();
        distinct.into_iter().for_each(|word| holding.entry(word).or_default().push(number));
    }
    let is_like_one = |words: &Vec<String>| {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for word in words {
            for &number in holding.get(word.as_str()).into_iter().flatten() {
                *shared.entry(number).or_default() += 1;
            }
        }
        let enough =
            |count: usize, other: &[String]| count as f64 >= ALIKE * words.len().max(other.len()) as f64;
        let mut found = false;
        for (&number, &count) in &shared {
            let other = &train[number];
            if other == words {
                return false;
            }
            found |= enough(count, other) && share(words, other) >= ALIKE;
        }
        found
    };
    (0..test.len()).filter(|&at| is_like_one(&test[at])).collect()
}

/// 1 less the share of words that must be changed.
fn share(a: &[String], b: &[String]) -> f64 {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, word) in a.iter().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let changed = before + usize::from(word != other);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    1.0 - row[b.len()] as f64 / a.len().max(b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_much_like_one_but_not_the_same_are_repetitive() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_string).collect() };
        let train = [words("a b c d"), words("x y z")];
        let test = [words("a b e d"), words("x y z"), words("d c b a"), words("q")];
        assert_eq!(alike(&train, &test), [0]);
    }
}
