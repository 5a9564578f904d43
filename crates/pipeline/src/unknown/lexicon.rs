//! Word translations of a system: how its tables translate single words.

use rustc_hash::{FxHashMap, FxHashSet};
use treeglot_grammar::{Kind, RuleId, Symbol, Table, TrieNode};

/// Translations of more words than this say little of the one word they translate.
const MOST_WORDS: usize = 3;

/// How many translations of a word are looked at, the likeliest first.
const MOST_TRANSLATIONS: usize = 20;

/// The word translations of tables.
pub struct Lexicon {
    tables: Vec<Table>,
}

/// Translations with their probabilities.
pub(super) type Translations = Vec<(String, f32)>;

/// What tables say of a word.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// How often it was seen.
    pub count: f32,
    /// Its translations with their probabilities, which sum to 1, the likeliest first.
    pub translations: Translations,
}

impl Lexicon {
    /// The lexicon of a system's tables.
    pub fn new(tables: Vec<Table>) -> Self {
        Self { tables }
    }

    /// How much each target word is a translation of a source word: the geometric mean of the probabilities of both directions, the
    /// highest of all tables.
    pub fn translations(&self, word: &str) -> FxHashMap<String, f32> {
        let mut found = FxHashMap::default();
        let mut scores = Vec::new();
        self.each(word, |table, rule, target| {
            let [only] = target else { return };
            table.scores(rule, &mut scores);
            let named = scores.iter().zip(table.score_names());
            let of_both: Vec<f32> =
                named.filter(|(_, name)| name.starts_with("p(")).map(|(s, _)| *s).collect();
            let sum: f32 = match of_both.is_empty() {
                true => scores.first().copied().unwrap_or(0.0),
                false => of_both.iter().sum::<f32>() / of_both.len() as f32,
            };
            let known: &mut f32 = found.entry((*only).to_string()).or_default();
            *known = known.max(sum.exp().min(1.0));
        });
        found
    }

    /// How often a word was seen that tables translate by itself; 0 for all others.
    pub fn count(&self, word: &str) -> f32 {
        let counted = self.tables.iter().flat_map(|table| {
            let nodes = nodes(table, word).into_iter().flatten();
            nodes.filter_map(|node| table.rules(node).next()).map(|rule| table.counts(rule).source)
        });
        counted.fold(0.0, f32::max)
    }

    /// What tables say of a word; none if they do not translate it by itself.
    pub fn entry(&self, word: &str) -> Option<Entry> {
        let mut found: FxHashMap<String, f32> = FxHashMap::default();
        self.each(word, |table, rule, target| {
            let direct = table.score_names().iter().position(|name| name == "p(t|s)").unwrap_or(0);
            if target.len() <= MOST_WORDS && target.iter().any(|word| word.contains(char::is_alphanumeric)) {
                let known = found.entry(target.join(" ")).or_default();
                *known = known.max(table.probability(rule, direct).ln().exp());
            }
        });
        let mut translations: Translations = found.into_iter().collect();
        translations.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        translations.truncate(MOST_TRANSLATIONS);
        let sum: f32 = translations.iter().map(|(_, probability)| probability).sum();
        translations.iter_mut().for_each(|(_, probability)| *probability /= sum);
        (sum > 0.0).then(|| Entry { count: self.count(word), translations })
    }

    /// Whether a word stands in any rule, on either side.
    pub fn stands_in_rules(&self, word: &str) -> bool {
        self.tables.iter().any(|table| table.vocab().get(word).is_some())
    }

    /// The words that rules begin with, in the order of their first table.
    pub fn words(&self) -> Vec<String> {
        let (mut seen, mut words) = (FxHashSet::default(), Vec::new());
        for table in &self.tables {
            for (symbol, _) in table.children(table.root()) {
                let Kind::Word(word) = symbol.kind() else { continue };
                let Some(word) = table.vocab().word(word) else { continue };
                if seen.insert(word) {
                    words.push(word.to_string());
                }
            }
        }
        words
    }

    /// Hands on every rule whose source side is the word alone, with the words of its target side.
    fn each(&self, word: &str, mut take: impl FnMut(&Table, RuleId, &[&str])) {
        for table in &self.tables {
            let mut target = Vec::new();
            for node in nodes(table, word).into_iter().flatten() {
                for rule in table.rules(node) {
                    table.target(rule, node.variables(), &mut target);
                    let words = target.iter().filter_map(|symbol| match symbol.kind() {
                        Kind::Word(word) => table.vocab().word(word),
                        _ => None,
                    });
                    take(table, rule, &words.collect::<Vec<_>>());
                }
            }
        }
    }
}

/// Where the rules of a single word lie: at its node, or, in charts, behind the label of what they build.
fn nodes(table: &Table, word: &str) -> [Option<TrieNode>; 2] {
    let node = table.vocab().get(word).and_then(|word| table.child(table.root(), Symbol::word(word)));
    let label = table.vocab().get("X");
    [node, node.zip(label).and_then(|(node, label)| table.child(node, Symbol::label(label)))]
}
