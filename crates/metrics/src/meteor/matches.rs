//! All ways in which words and phrases of a hypothesis match those of a reference: the same word, the same stem, a
//! common synonym set, a paraphrase.

use super::Knowledge;
use super::resources::Occurrence;
use crate::ngrams;

/// How two phrases match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Module {
    /// They are the same word.
    Exact,
    /// They have the same stem.
    Stem,
    /// They are synonyms.
    Synonym,
    /// They are paraphrases.
    Paraphrase,
}

/// Phrases of the two sentences that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// How they match.
    pub module: Module,
    /// Where the phrase of the reference starts.
    pub start: usize,
    /// How many words it has.
    pub length: usize,
    /// Where the phrase of the hypothesis starts.
    pub hyp_start: usize,
    /// How many words it has.
    pub hyp_length: usize,
}

/// A sentence, with all that matching needs to know of its words.
pub struct Words {
    /// Whether each word is a function word.
    pub function: Vec<bool>,
    keys: Vec<u64>,
    stems: Vec<u64>,
    synonyms: Vec<Vec<u32>>,
    paraphrase_words: Vec<u32>,
    occurrences: Vec<Occurrence>,
}

impl Words {
    /// Looks all words of a line up.
    pub fn new(line: &str, knowledge: &Knowledge) -> Self {
        let line = knowledge.normalize(line);
        let words: Vec<&str> = super::normalize::words(&line).collect();
        let stems = match &knowledge.stemmer {
            Some(stemmer) => words.iter().map(|word| ngrams::word(&stemmer.stem(word))).collect(),
            None => Vec::new(),
        };
        let synonyms = match &knowledge.synonyms {
            Some(synonyms) => words.iter().map(|word| synonyms.sets_of(word)).collect(),
            None => Vec::new(),
        };
        let (paraphrase_words, occurrences) = match &knowledge.paraphrases {
            Some(paraphrases) => {
                let numbers: Vec<u32> = words.iter().map(|word| paraphrases.word(word)).collect();
                let occurrences = paraphrases.occurrences(&numbers);
                (numbers, occurrences)
            }
            None => (Vec::new(), Vec::new()),
        };
        Self {
            function: words.iter().map(|word| knowledge.function_words.contains(*word)).collect(),
            keys: words.iter().map(|word| ngrams::word(word)).collect(),
            stems,
            synonyms,
            paraphrase_words,
            occurrences,
        }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }
}

/// The matches of two sentences, by where they start in the reference, and how many cover each word.
pub struct Matches {
    /// For each word of the reference, the matches that start there.
    pub starting: Vec<Vec<Match>>,
    /// How many matches cover each word of the reference.
    pub coverage: Vec<u32>,
    /// How many matches cover each word of the hypothesis.
    pub hyp_coverage: Vec<u32>,
}

impl Matches {
    /// Finds all matches. Of equal sentences, only equal words count.
    pub fn new(hypothesis: &Words, reference: &Words, knowledge: &Knowledge) -> Self {
        let mut matches = Self {
            starting: vec![Vec::new(); reference.len()],
            coverage: vec![0; reference.len()],
            hyp_coverage: vec![0; hypothesis.len()],
        };
        let (keys, ref_keys) = (&hypothesis.keys, &reference.keys);
        matches.words(Module::Exact, hypothesis, reference, |h, r| keys[h] == ref_keys[r]);
        if keys == ref_keys {
            return matches;
        }
        if knowledge.stemmer.is_some() {
            let (stems, ref_stems) = (&hypothesis.stems, &reference.stems);
            let same = |h: usize, r: usize| stems[h] == ref_stems[r] && keys[h] != ref_keys[r];
            matches.words(Module::Stem, hypothesis, reference, same);
        }
        if knowledge.synonyms.is_some() {
            let (sets, ref_sets) = (&hypothesis.synonyms, &reference.synonyms);
            let same = |h: usize, r: usize| keys[h] != ref_keys[r] && share(&sets[h], &ref_sets[r]);
            matches.words(Module::Synonym, hypothesis, reference, same);
        }
        matches.paraphrases(hypothesis, reference, knowledge);
        matches
    }

    fn add(&mut self, found: Match) {
        self.starting[found.start].push(found);
        for covered in &mut self.coverage[found.start..found.start + found.length] {
            *covered += 1;
        }
        for covered in &mut self.hyp_coverage[found.hyp_start..found.hyp_start + found.hyp_length] {
            *covered += 1;
        }
    }

    fn words(
        &mut self,
        module: Module,
        hypothesis: &Words,
        reference: &Words,
        same: impl Fn(usize, usize) -> bool,
    ) {
        for start in 0..reference.len() {
            for hyp_start in (0..hypothesis.len()).filter(|&h| same(h, start)) {
                self.add(Match { module, start, length: 1, hyp_start, hyp_length: 1 });
            }
        }
    }

    /// Paraphrases of the reference in the hypothesis, then those of the hypothesis in the reference.
    fn paraphrases(&mut self, hypothesis: &Words, reference: &Words, knowledge: &Knowledge) {
        let Some(paraphrases) = &knowledge.paraphrases else { return };
        let module = Module::Paraphrase;
        for found in &reference.occurrences {
            let words = paraphrases.words_of(found.paraphrase);
            for hyp_start in positions(words, &hypothesis.paraphrase_words) {
                let (start, length) = (found.start, found.length);
                self.add(Match { module, start, length, hyp_start, hyp_length: words.len() });
            }
        }
        for found in &hypothesis.occurrences {
            let words = paraphrases.words_of(found.paraphrase);
            for start in positions(words, &reference.paraphrase_words) {
                let (hyp_start, hyp_length) = (found.start, found.length);
                self.add(Match { module, start, length: words.len(), hyp_start, hyp_length });
            }
        }
    }
}

/// Whether two ordered lists have a common element.
fn share(a: &[u32], b: &[u32]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

/// Where a phrase occurs in a sentence.
fn positions<'a>(phrase: &'a [u32], sentence: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
    let first = phrase.first().copied();
    let starts = (0..sentence.len()).filter(move |&at| Some(sentence[at]) == first);
    starts.filter(move |&at| sentence[at..].starts_with(phrase))
}
