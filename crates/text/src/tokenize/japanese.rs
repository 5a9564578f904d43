//! Japanese words. ICU's dictionary finds nouns well but cuts kana badly, because it knows no inflection. Here its
//! words are edges of a lattice beside the closed classes of the language (particles, stems, endings) and stems with
//! one or two kana behind a Chinese character; the cheapest path wins. The tokens are short units with inflectional
//! endings apart (`行 き ま し た`), as in KyTea's standard and the corpora tokenised with it: fewer distinct words, and
//! each auxiliary is one token wherever it stands.

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use rustc_hash::FxHashMap;

const LEXICON: &str = include_str!("../../data/japanese.txt");
const LONGEST: usize = 5;

/// Costs of edges, in tenths of a token; set by hand so that known words beat guesses and guesses beat single kana.
mod cost {
    pub(super) const TOKEN: u32 = 10;
    pub(super) const STEM: u32 = 12;
    pub(super) const WORD: u32 = 13;
    /// Endings of the e-row are more often the last kana of a stem (`食べ`).
    pub(super) const E_ENDING: u32 = 20;
    /// Each kana of a stem behind a Chinese character; less for the `し` of adjectives.
    pub(super) const OKURIGANA: u32 = 13;
    pub(super) const ADJECTIVE: u32 = 7;
    /// A dictionary word with kana: this much, and a token for each kana.
    pub(super) const DICTIONARY: u32 = 12;
    pub(super) const KATAKANA_RUN: u32 = 18;
    pub(super) const KANJI_RUN: u32 = 35;
    pub(super) const SINGLE: u32 = 25;
    pub(super) const UNKNOWN_KANA: u32 = 40;
    pub(super) const BAD_START: u32 = 30;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hiragana,
    Kanji,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'ぁ'..='ん' => Self::Hiragana,
            '\u{4E00}'..='\u{9FFF}' | '々' | '〇' | 'ヶ' => Self::Kanji,
            _ => Self::Other,
        }
    }
}

/// What a path ended with: an ending may follow a stem only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Word = 0,
    Stem = 1,
    Ending = 2,
}

const STATES: usize = 3;

/// The classes a word of the lexicon belongs to.
#[derive(Debug, Default, Clone, Copy)]
struct Classes {
    particle: bool,
    ending: bool,
    stem: bool,
    word: bool,
}

/// The segmenter: read-only and shared by threads.
pub(super) struct Japanese {
    dictionary: WordSegmenterBorrowed<'static>,
    lexicon: FxHashMap<&'static str, Classes>,
}

impl Japanese {
    pub(super) fn new() -> Self {
        let mut lexicon: FxHashMap<&'static str, Classes> = FxHashMap::default();
        let mut section = "";
        for line in LEXICON.lines().filter(|line| !line.starts_with('#')) {
            if line.starts_with('[') {
                section = line;
                continue;
            }
            for word in line.split_whitespace() {
                let classes = lexicon.entry(word).or_default();
                match section {
                    "[particles]" => classes.particle = true,
                    "[endings]" => classes.ending = true,
                    "[stems]" => classes.stem = true,
                    _ => classes.word = true,
                }
            }
        }
        Self { dictionary: WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()), lexicon }
    }

    /// Hands the words of a run of Japanese characters to `each`.
    pub(super) fn words<'r>(&self, run: &'r str, mut each: impl FnMut(&'r str)) {
        let mut lattice = Lattice::new(run);
        let mut cuts = self.dictionary.segment_str(run).filter(|&to| to > 0).peekable();
        let mut from = 0;
        for i in 0..lattice.len() {
            if lattice.offsets[i] == from
                && let Some(to) = cuts.next()
            {
                lattice.dictionary_word(i, to);
                from = to;
            }
            self.lexicon_words(&mut lattice, i);
            lattice.guesses(i);
        }
        let mut path = lattice.best_path();
        while let Some((from, to)) = path.pop() {
            each(&run[lattice.offsets[from]..lattice.offsets[to]]);
        }
    }

    fn lexicon_words(&self, lattice: &mut Lattice<'_>, i: usize) {
        for end in i + 1..=(i + LONGEST).min(lattice.len()) {
            let word = &lattice.run[lattice.offsets[i]..lattice.offsets[end]];
            let Some(classes) = self.lexicon.get(word) else { continue };
            if classes.particle {
                lattice.edge(i, end, cost::TOKEN, After::Word);
            }
            if classes.ending {
                let e_row = matches!(word, "け" | "せ" | "て" | "ね" | "べ" | "め" | "れ" | "え" | "げ");
                lattice.edge(i, end, if e_row { cost::E_ENDING } else { cost::TOKEN }, After::Ending);
            }
            if classes.stem {
                lattice.edge(i, end, cost::STEM, After::Stem);
            }
            if classes.word {
                lattice.edge(i, end, cost::WORD, After::Word);
            }
        }
    }
}

/// All ways to cut one run, with the cheapest path to each position and state found so far. Positions are characters.
struct Lattice<'r> {
    run: &'r str,
    kinds: Vec<Kind>,
    /// The byte at which each character starts, and the run's length.
    offsets: Vec<usize>,
    /// Where the run of characters of one kind ends.
    runs: Vec<usize>,
    best: Vec<[Step; STATES]>,
}

#[derive(Clone, Copy)]
struct Step {
    cost: u32,
    from: usize,
    state: usize,
}

const UNREACHED: Step = Step { cost: u32::MAX, from: 0, state: 0 };

impl<'r> Lattice<'r> {
    fn new(run: &'r str) -> Self {
        let kinds: Vec<Kind> = run.chars().map(Kind::of).collect();
        let mut offsets: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
        offsets.push(run.len());
        let mut runs: Vec<usize> = (1..=kinds.len()).collect();
        for i in (1..kinds.len()).rev() {
            if kinds[i - 1] == kinds[i] {
                runs[i - 1] = runs[i];
            }
        }
        let mut best = vec![[UNREACHED; STATES]; kinds.len() + 1];
        best[0][After::Word as usize].cost = 0;
        Self { run, kinds, offsets, runs, best }
    }

    fn len(&self) -> usize {
        self.kinds.len()
    }

    fn char(&self, i: usize) -> Option<char> {
        self.offsets.get(i).and_then(|&at| self.run[at..].chars().next())
    }

    /// Follows an edge from all states of `from` that admit it.
    fn edge(&mut self, from: usize, to: usize, cost: u32, after: After) {
        let mut cost = cost;
        if self.char(to).is_some_and(is_small) {
            cost += cost::BAD_START;
        }
        if from > 0 && after != After::Ending && self.char(from) == Some('っ') {
            cost += cost::BAD_START;
        }
        for state in 0..STATES {
            let step = self.best[from][state];
            let admitted = after != After::Ending || state == After::Stem as usize;
            let reached = &mut self.best[to][after as usize];
            if admitted && step.cost < u32::MAX && step.cost + cost < reached.cost {
                *reached = Step { cost: step.cost + cost, from, state };
            }
        }
    }

    /// The dictionary's word from character `i` to byte `to`: whole, and as a stem of its Chinese characters.
    fn dictionary_word(&mut self, i: usize, to: usize) {
        let end = self.offsets.partition_point(|&at| at < to);
        let kana = self.kinds[i..end].iter().filter(|&&kind| kind == Kind::Hiragana).count();
        if kana == 0 {
            return self.characters(i, end);
        }
        self.edge(i, end, cost::DICTIONARY + cost::TOKEN * kana as u32, After::Stem);
        if self.kinds[i] != Kind::Hiragana {
            let first = self.kinds[i..end].iter().position(|&kind| kind == Kind::Hiragana);
            self.characters(i, first.map_or(end, |kana| i + kana));
        }
    }

    /// A word without kana, and as a stem with the one or two kana behind it.
    fn characters(&mut self, i: usize, end: usize) {
        if self.kinds[end - 1] != Kind::Kanji {
            return self.edge(i, end, cost::TOKEN, After::Word);
        }
        self.edge(i, end, cost::TOKEN, After::Stem);
        if self.kinds.get(end) != Some(&Kind::Hiragana) {
            return;
        }
        let adjective = self.char(end) == Some('し')
            && match self.char(end + 1) {
                Some('い' | 'く') => true,
                Some('か') => self.char(end + 2) == Some('っ'),
                _ => false,
            };
        let first = if adjective { cost::ADJECTIVE } else { cost::OKURIGANA };
        self.edge(i, end + 1, cost::TOKEN + first, After::Stem);
        if self.kinds.get(end + 1) == Some(&Kind::Hiragana) {
            self.edge(i, end + 2, cost::TOKEN + 2 * cost::OKURIGANA, After::Stem);
        }
    }

    /// Edges that make every text cuttable: runs of one kind and single characters.
    fn guesses(&mut self, i: usize) {
        match self.kinds[i] {
            Kind::Hiragana => self.edge(i, i + 1, cost::UNKNOWN_KANA, After::Word),
            Kind::Kanji => {
                self.edge(i, self.runs[i], cost::KANJI_RUN, After::Stem);
                self.edge(i, i + 1, cost::SINGLE, After::Stem);
            }
            Kind::Other => {
                self.edge(i, self.runs[i], cost::KATAKANA_RUN, After::Word);
                self.edge(i, i + 1, cost::SINGLE, After::Word);
            }
        }
    }

    /// The words of the cheapest path, the last first.
    fn best_path(&self) -> Vec<(usize, usize)> {
        let mut to = self.len();
        let states = &self.best[to];
        let mut state = (0..STATES).min_by_key(|&s| states[s].cost).unwrap_or_default();
        let mut path = Vec::new();
        while to > 0 {
            let step = self.best[to][state];
            path.push((step.from, to));
            (to, state) = (step.from, step.state);
        }
        path
    }
}

/// Small kana and the long-vowel sign, which never start a word.
fn is_small(c: char) -> bool {
    matches!(c, 'ゃ' | 'ゅ' | 'ょ' | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'ゎ' | 'ー')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static SEGMENTER: LazyLock<Japanese> = LazyLock::new(Japanese::new);

    fn words(run: &str) -> Vec<&str> {
        let mut words = Vec::new();
        SEGMENTER.words(run, |word| words.push(word));
        words
    }

    #[test]
    fn endings_and_auxiliaries_are_apart() {
        assert_eq!(words("昨日学校へ行きました"), ["昨日", "学校", "へ", "行", "き", "ま", "し", "た"]);
        assert_eq!(words("魚を食べませんか"), ["魚", "を", "食べ", "ま", "せ", "ん", "か"]);
        assert_eq!(words("山は美しかった"), ["山", "は", "美し", "かっ", "た"]);
    }

    #[test]
    fn a_word_never_starts_with_small_kana() {
        assert_eq!(words("一緒に歌いましょう"), ["一緒", "に", "歌", "い", "ま", "しょ", "う"]);
    }

    #[test]
    fn katakana_words_stay_whole() {
        assert_eq!(words("コンピューターを買った"), ["コンピューター", "を", "買", "っ", "た"]);
    }

    proptest! {
        #[test]
        fn words_make_up_the_run(run in "[ぁ-んァ-ヶー一-龠々っゃ]{1,40}") {
            prop_assert_eq!(words(&run).concat(), run);
        }
    }
}
