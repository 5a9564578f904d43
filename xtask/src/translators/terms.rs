//! Terms: nouns of the test set with the likeliest single word of the table, which every translation must keep.

use super::{Desk, Row};
use std::collections::{BTreeMap, HashSet};

pub fn rows(desk: &Desk) -> Result<Vec<Row>, String> {
    let sources = desk.tokens("de", &desk.read("test.de")?)?;
    let is_noun = |word: &&String| {
        word.chars().count() > 3
            && word.chars().all(char::is_alphabetic)
            && word.starts_with(char::is_uppercase)
    };
    let nouns: HashSet<String> =
        sources.iter().flat_map(|words| words.iter().skip(1)).filter(is_noun).cloned().collect();
    let terms = likeliest(desk, &nouns)?;
    let list: Vec<String> = terms.iter().map(|(source, (target, _))| format!("{source}\t{target}")).collect();
    desk.write("terms", &list)?;
    desk.ask(&["translate", "-q", "-m", "m", "--terms", "terms", "test.de", "-o", "with-terms"])?;
    let outputs = desk.tokens("en", &desk.read("with-terms")?)?;
    let (mut places, mut kept, mut sentences) = (0, 0, 0);
    for (source, output) in sources.iter().zip(&outputs) {
        let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
        let targets = source.iter().filter_map(|word| terms.get(word));
        targets.for_each(|(target, _)| *wanted.entry(target).or_default() += 1);
        sentences += usize::from(!wanted.is_empty());
        for (target, times) in wanted {
            let found = output.iter().filter(|word| word.to_lowercase() == target.to_lowercase()).count();
            places += times;
            kept += found.min(times);
        }
    }
    let [bleu, chrf] = desk.scores("with-terms", "test.en")?;
    let how = format!(
        "{} nouns of the test set with the likeliest single word of the table: {places} places in {sentences} sentences; `translate --terms`",
        terms.len()
    );
    let share = 100.0 * kept as f64 / f64::from(places as u32).max(1.0);
    Ok(vec![Row { what: "terms kept", how, result: format!("{share:.1}%; BLEU {bleu:.2}, chrF {chrf:.2}") }])
}

/// The likeliest single word for each of these, by p(target | source).
fn likeliest(desk: &Desk, nouns: &HashSet<String>) -> Result<BTreeMap<String, (String, f64)>, String> {
    let mut best: BTreeMap<String, (String, f64)> = BTreeMap::new();
    for line in desk.ask(&["table", "dump", "m/table0"])?.lines() {
        let mut fields = line.split(" ||| ");
        let (Some(source), Some(target), Some(scores)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let Some(score) = scores.split(' ').nth(2).and_then(|score| score.parse::<f64>().ok()) else {
            continue;
        };
        if nouns.contains(source)
            && target.chars().all(char::is_alphabetic)
            && best.get(source).is_none_or(|(_, known)| *known < score)
        {
            best.insert(source.to_string(), (target.to_string(), score));
        }
    }
    Ok(best)
}
