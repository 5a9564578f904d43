//! What an unknown word may be: another form of a known word, or known words put together (Koehn & Knight 2003).

use super::affixes::{Affixes, Exchanges, LONGEST, SHORTEST_STEM};
use super::lexicon::{Entry, Lexicon, Translations};
use rustc_hash::FxHashMap;

/// The most parts of a compound.
const MOST_PARTS: usize = 4;

/// The shortest part, in characters.
const SHORTEST_PART: usize = 3;

/// Parts seen less often than this are found by chance in too many words.
const RAREST_PART: f32 = 2.0;

/// A stem of so many characters says which word it is of as well as a longer one.
const SURE_STEM: f32 = 5.0;

/// Words longer than this are no words.
const LONGEST_WORD: usize = 60;

/// How many translations of each part are put together.
const OF_PART: usize = 4;

/// How many translations are told.
const MOST_TOLD: usize = 8;

/// Translations less likely than this share of the likeliest are not told.
const LEAST_TOLD: f32 = 0.02;

/// The probability that a word in another case is the same word.
const OTHER_CASE: f32 = 0.7;

/// Finds out what unknown words may be.
pub struct Analyser<'a> {
    /// What tables say of words.
    pub lexicon: &'a Lexicon,
    /// How words differ that are translated alike.
    pub affixes: &'a Affixes,
}

/// A word taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compound {
    /// The translations of each part.
    pub parts: Vec<Translations>,
    /// What stands between the parts.
    pub joints: Vec<String>,
    /// The probability that the parts' translations are that of the whole.
    pub share: f32,
}

/// The best way to take the word apart up to a place.
#[derive(Clone)]
struct Step {
    /// The sum of the parts' values, each by the logarithm of how often it was seen.
    value: f32,
    parts: Vec<Translations>,
    joints: Vec<String>,
    share: f32,
}

impl Analyser<'_> {
    /// The translations that an unknown word may have with their probabilities, the likeliest first. What is missing to a sum of 1 is
    /// the probability that it has none of them.
    pub fn translations(&self, word: &str) -> Translations {
        if word.chars().count() > LONGEST_WORD || !word.contains(char::is_alphabetic) {
            return Vec::new();
        }
        let mut found: FxHashMap<String, f32> = FxHashMap::default();
        let mut left = 1.0;
        let mut forms = self.other_forms(word);
        let sum: f32 = forms.iter().map(|(_, share)| share).sum();
        let best = forms.iter().map(|(_, share)| *share).fold(0.0, f32::max);
        forms.iter_mut().for_each(|(_, share)| *share *= best / sum);
        for (entry, share) in &forms {
            left -= share;
            entry
                .translations
                .iter()
                .for_each(|(words, own)| *found.entry(words.clone()).or_default() += share * own);
        }
        if let Some(compound) = self.compound(word, false).or_else(|| self.hyphenated(word)) {
            let share = compound.share * left;
            for (words, own) in concatenated(&compound.parts) {
                if let Some(joined) = self.joined(&words) {
                    *found.entry(joined).or_default() += share * own;
                }
                *found.entry(words).or_default() += share * own;
            }
        }
        let mut told: Translations = found.into_iter().collect();
        told.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let least = told.first().map_or(0.0, |(_, share)| share * LEAST_TOLD);
        told.truncate(MOST_TOLD);
        told.retain(|(_, share)| *share >= least);
        told
    }

    /// Known words that a word may be another form of, with the probability that they have its translation.
    fn other_forms(&self, word: &str) -> Vec<(Entry, f32)> {
        let letters: Vec<char> = word.chars().collect();
        let backwards: Vec<char> = letters.iter().rev().copied().collect();
        let mut forms: FxHashMap<String, f32> = FxHashMap::default();
        let mut add = |form: String, share: f32| {
            if form != word {
                let known = forms.entry(form).or_default();
                *known = known.max(share);
            }
        };
        add(word.to_lowercase(), OTHER_CASE);
        for form in [word.to_string(), word.to_lowercase()] {
            let mut rest = form.chars();
            let capital = rest.next().into_iter().flat_map(char::to_uppercase);
            add(capital.chain(rest.clone()).collect(), OTHER_CASE);
        }
        exchanged(
            &letters,
            &self.affixes.endings,
            |end| end.iter().collect(),
            |stem, other, share| {
                add(stem.iter().collect::<String>() + other, share);
            },
        );
        exchanged(
            &backwards,
            &self.affixes.beginnings,
            |end| end.iter().rev().collect(),
            |stem, other, share| {
                add(other.to_string() + &stem.iter().rev().collect::<String>(), share);
            },
        );
        let mut forms: Vec<(String, f32)> = forms.into_iter().collect();
        // Sums of floating point numbers depend on their order.
        forms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        forms.into_iter().filter_map(|(form, share)| Some((self.lexicon.entry(&form)?, share))).collect()
    }

    /// Takes a word apart at its hyphens: known parts are translated, others stay as they are.
    fn hyphenated(&self, word: &str) -> Option<Compound> {
        let parts: Vec<&str> = word.split('-').filter(|part| !part.is_empty()).collect();
        if parts.len() < 2 {
            return None;
        }
        let mut known = 0;
        let translated = parts.iter().map(|part| {
            let found = match self.lexicon.entry(part) {
                Some(entry) => entry.translations,
                None => self.translations(part),
            };
            known += usize::from(!found.is_empty());
            if found.is_empty() { vec![((*part).to_string(), 1.0)] } else { found }
        });
        let translated: Vec<_> = translated.collect();
        let share = 0.5 * known as f32 / parts.len() as f32;
        (known > 0).then_some(Compound { parts: translated, joints: Vec::new(), share })
    }

    /// Takes a word apart where it is made of known words: the way whose parts were seen most often (their geometric mean), short parts
    /// counting less. The last part may be another form of a known word, unless the word's parts must be `known` as they are.
    pub(super) fn compound(&self, word: &str, known: bool) -> Option<Compound> {
        let letters: Vec<char> = word.chars().collect();
        let length = letters.len();
        let lengths = 2 * SHORTEST_PART..=LONGEST_WORD;
        if !lengths.contains(&length) || !letters.iter().all(|c| c.is_alphabetic()) {
            return None;
        }
        // By number of parts, the best way to each place.
        let begin = Step { value: 0.0, parts: Vec::new(), joints: Vec::new(), share: 1.0 };
        let mut steps: Vec<Vec<Option<Step>>> = vec![vec![None; length + 1]; MOST_PARTS];
        steps[0][0] = Some(begin);
        let mut ended: Option<(f32, Step)> = None;
        for count in 0..MOST_PARTS {
            for from in 0..length {
                let Some(step) = steps[count][from].take() else { continue };
                if count > 0
                    && let Some((value, share, translations)) = self.last_part(&letters[from..], known)
                {
                    let mut whole = step.clone();
                    whole.parts.push(translations);
                    whole.share = whole.share.min(share);
                    let mean = (whole.value + value) / (count + 1) as f32;
                    if ended.as_ref().is_none_or(|(best, _)| mean > *best) {
                        ended = Some((mean, whole));
                    }
                }
                if count + 1 < MOST_PARTS {
                    self.go_on(&step, &letters, from, &mut steps[count + 1]);
                }
            }
        }
        let (_, Step { parts, joints, share, .. }) = ended?;
        Some(Compound { parts, joints, share })
    }

    /// All next parts but the last.
    fn go_on(&self, step: &Step, letters: &[char], from: usize, next: &mut [Option<Step>]) {
        for to in from + SHORTEST_PART..=letters.len().saturating_sub(SHORTEST_PART) {
            for (joint, share) in &self.affixes.joints {
                let length = (to - from).saturating_sub(joint.chars().count());
                if length < SHORTEST_PART || !letters[from + length..to].iter().copied().eq(joint.chars()) {
                    continue;
                }
                let part: String = letters[from..from + length].iter().collect();
                let Some(value) = self.value(&part, length) else { continue };
                // What joins must be worth it: `s` may belong to either part.
                let value = step.value + value + share.ln();
                if next[to].as_ref().is_some_and(|other| other.value >= value) {
                    continue;
                }
                let Some(entry) = self.lexicon.entry(&part) else { continue };
                let mut after = step.clone();
                after.parts.push(entry.translations);
                after.joints.push(joint.clone());
                after.share = after.share.min(*share);
                after.value = value;
                next[to] = Some(after);
            }
        }
    }

    /// What a part is worth.
    fn value(&self, part: &str, length: usize) -> Option<f32> {
        let count = self.lexicon.count(part);
        (count >= RAREST_PART).then(|| count.ln() - 12.0 / length as f32)
    }

    /// The last part: its value, the probability of its translations, and these.
    fn last_part(&self, letters: &[char], known: bool) -> Option<(f32, f32, Translations)> {
        if letters.len() < SHORTEST_PART {
            return None;
        }
        let part: String = letters.iter().collect();
        if let Some(value) = self.value(&part, letters.len()) {
            return Some((value, 1.0, self.lexicon.entry(&part)?.translations));
        }
        if known || letters.len() <= SHORTEST_STEM {
            return None;
        }
        let mut best: Option<(f32, f32, String)> = None;
        exchanged(
            letters,
            &self.affixes.endings,
            |end| end.iter().collect(),
            |stem, other, share| {
                let form = stem.iter().collect::<String>() + other;
                let Some(value) = self.value(&form, letters.len()) else { return };
                let value = value + share.ln();
                if best.as_ref().is_none_or(|(other, ..)| value > *other) {
                    best = Some((value, share, form));
                }
            },
        );
        let (value, share, form) = best?;
        Some((value, share, self.lexicon.entry(&form)?.translations))
    }

    /// A translation of several words as one word, if the target language has that word.
    fn joined(&self, words: &str) -> Option<String> {
        let joined = words.replace(' ', "");
        (words.contains(' ') && self.lexicon.stands_in_rules(&joined)).then_some(joined)
    }
}

/// Hands on the stem of a word with each ending that may stand in the place of its own, and the probability that the translation
/// stays. Of words that are read backwards these are beginnings, and `text` turns them round.
fn exchanged(
    letters: &[char],
    exchanges: &Exchanges,
    text: impl Fn(&[char]) -> String,
    mut take: impl FnMut(&[char], &str, f32),
) {
    for at in SHORTEST_STEM.max(letters.len().saturating_sub(LONGEST))..=letters.len() {
        let (stem, ending) = letters.split_at(at);
        let sure = (at as f32 / SURE_STEM).min(1.0);
        for (other, share) in exchanges.get(&text(ending)).into_iter().flatten() {
            take(stem, other, share * sure);
        }
    }
}

/// The translations of the parts of a word, put together in their order.
pub(super) fn concatenated(parts: &[Translations]) -> Translations {
    let mut all = vec![(String::new(), 1.0)];
    for part in parts {
        let longer = |(before, share): &(String, f32)| {
            let blank = if before.is_empty() { "" } else { " " };
            let joined = part
                .iter()
                .take(OF_PART)
                .map(|(words, own)| (format!("{before}{blank}{words}"), share * own));
            joined.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
