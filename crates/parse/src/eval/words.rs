//! The words of a file with their places in its text, and the alignment of two files.

use super::{Counts, DepMetric};
use crate::multiword::multiword_tokens;
use std::ops::Range;
use treeglot_tree::{DepParse, Field};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

const CONTENT: [&str; 28] = [
    "nsubj",
    "obj",
    "iobj",
    "csubj",
    "ccomp",
    "xcomp",
    "obl",
    "vocative",
    "expl",
    "dislocated",
    "advcl",
    "advmod",
    "discourse",
    "nmod",
    "appos",
    "nummod",
    "acl",
    "amod",
    "conj",
    "fixed",
    "flat",
    "compound",
    "list",
    "parataxis",
    "orphan",
    "goeswith",
    "reparandum",
    "root",
];
const FUNCTIONAL: [&str; 7] = ["aux", "cop", "mark", "det", "clf", "case", "cc"];
const UNIVERSAL: [&str; 21] = [
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case",
    "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person",
    "Polite",
];

struct Word<'a> {
    /// Its characters; those of the whole token if it is part of one.
    span: Range<usize>,
    of_token: bool,
    form: &'a str,
    lemma: &'a str,
    upos: &'a str,
    xpos: &'a str,
    feats: Vec<&'a str>,
    relation: &'a str,
    head: Option<usize>,
    /// Its dependents with a functional relation.
    functional: Vec<usize>,
}

impl Word<'_> {
    fn is_content(&self) -> bool {
        CONTENT.contains(&self.relation) || self.relation == "dep"
    }
}

/// All words of a file.
pub(super) struct Words<'a> {
    words: Vec<Word<'a>>,
    tokens: Vec<Range<usize>>,
    /// The text without spaces.
    pub(super) characters: Vec<char>,
    /// Where each sentence's text begins, and its line.
    lines: Vec<(usize, u64)>,
}

impl<'a> Words<'a> {
    pub(super) fn read(parses: impl IntoIterator<Item = &'a DepParse>) -> Self {
        let mut all =
            Self { words: Vec::new(), tokens: Vec::new(), characters: Vec::new(), lines: Vec::new() };
        for parse in parses {
            all.lines.push((all.characters.len(), parse.line()));
            all.sentence(parse);
        }
        all
    }

    fn sentence(&mut self, parse: &'a DepParse) {
        let first = self.words.len();
        let mut tokens = multiword_tokens(parse).peekable();
        let mut token: Option<(Range<usize>, Range<usize>)> = None;
        for (i, w) in parse.words().enumerate() {
            if let Some((words, form)) = tokens.next_if(|t| t.0.start == i) {
                token = Some((words, self.push_token(form)));
            }
            let inside = token.as_ref().filter(|t| t.0.contains(&i)).map(|t| t.1.clone());
            let of_token = inside.is_some();
            let span = inside.unwrap_or_else(|| self.push_token(parse.form(w)));
            let relation = parse.deprel(w);
            self.words.push(Word {
                span,
                of_token,
                form: parse.form(w),
                lemma: parse.get(w, Field::Lemma),
                upos: parse.get(w, Field::Upos),
                xpos: parse.get(w, Field::Xpos),
                feats: universal(parse.get(w, Field::Feats)),
                relation: relation.split(':').next().unwrap_or(relation),
                head: None,
                functional: Vec::new(),
            });
        }
        for (i, w) in parse.words().enumerate() {
            let head = parse.raw_head(w).filter(|&h| h > 0 && h as usize <= parse.len());
            let Some(head) = head.map(|h| first + h as usize - 1) else { continue };
            self.words[first + i].head = Some(head);
            if FUNCTIONAL.contains(&self.words[first + i].relation) {
                self.words[head].functional.push(first + i);
            }
        }
    }

    fn push_token(&mut self, form: &str) -> Range<usize> {
        let start = self.characters.len();
        let visible = form.chars().filter(|c| c.general_category() != GeneralCategory::SpaceSeparator);
        self.characters.extend(visible);
        self.tokens.push(start..self.characters.len());
        start..self.characters.len()
    }

    /// The line of the sentence in which a character stands.
    pub(super) fn line_at(&self, character: usize) -> u64 {
        self.lines.iter().take_while(|l| l.0 <= character).last().map_or(0, |l| l.1)
    }

    pub(super) fn compare_tokens(&self, system: &Self) -> Counts {
        let (mut g, mut s, mut correct) = (0, 0, 0);
        while let (Some(gold), Some(found)) = (self.tokens.get(g), system.tokens.get(s)) {
            if found.start < gold.start {
                s += 1;
            } else if gold.start < found.start {
                g += 1;
            } else {
                correct += usize::from(gold.end == found.end);
                g += 1;
                s += 1;
            }
        }
        Counts { gold: self.tokens.len(), system: system.tokens.len(), correct, aligned: None }
    }
}

/// The universal features among others, sorted.
fn universal(feats: &str) -> Vec<&str> {
    let name = |feature: &&str| UNIVERSAL.contains(&feature.split('=').next().unwrap_or_default());
    let mut feats: Vec<&str> = feats.split('|').filter(name).collect();
    feats.sort_unstable();
    feats
}

/// Two files, and for each word of the system its partner in the gold standard.
pub(super) struct Aligned<'a> {
    gold: &'a Words<'a>,
    system: &'a Words<'a>,
    /// Pairs of gold and system words.
    pairs: Vec<(usize, usize)>,
    gold_of: Vec<Option<usize>>,
}

/// The head of a word, by its gold word.
#[derive(PartialEq)]
enum Head {
    Root,
    Gold(usize),
    Unaligned,
}

impl<'a> Aligned<'a> {
    pub(super) fn new(gold: &'a Words<'a>, system: &'a Words<'a>) -> Self {
        let mut pairs = Vec::new();
        let (mut g, mut s) = (0, 0);
        while let (Some(a), Some(b)) = (gold.words.get(g), system.words.get(s)) {
            if a.of_token || b.of_token {
                // A token was split on at least one side: its words are matched by their forms.
                let (from, to) = token_region(&gold.words, &system.words, g, s);
                common(&gold.words[from.0..to.0], &system.words[from.1..to.1], from, &mut pairs);
                // A token without visible characters gives an empty region, which must not hold the walk up.
                (g, s) = if to == (g, s) { (g + 1, s + 1) } else { to };
            } else if a.span == b.span {
                pairs.push((g, s));
                g += 1;
                s += 1;
            } else if a.span.start <= b.span.start {
                g += 1;
            } else {
                s += 1;
            }
        }
        let mut gold_of = vec![None; system.words.len()];
        pairs.iter().for_each(|&(g, s)| gold_of[s] = Some(g));
        Self { gold, system, pairs, gold_of }
    }

    pub(super) fn count(&self, metric: DepMetric) -> Counts {
        let content = matches!(metric, DepMetric::Clas | DepMetric::Mlas | DepMetric::Blex);
        let counts = |word: &&Word<'_>| !content || word.is_content();
        let aligned = self.pairs.iter().filter(|p| counts(&&self.gold.words[p.0]));
        Counts {
            gold: self.gold.words.iter().filter(counts).count(),
            system: self.system.words.iter().filter(counts).count(),
            correct: aligned.clone().filter(|p| self.right(metric, p.0, p.1)).count(),
            aligned: (metric != DepMetric::Words).then(|| aligned.count()),
        }
    }

    fn right(&self, metric: DepMetric, g: usize, s: usize) -> bool {
        let (gold, system) = (&self.gold.words[g], &self.system.words[s]);
        let attached = || self.gold_head(gold) == self.system_head(system);
        let related = || attached() && gold.relation == system.relation;
        let lemma = || gold.lemma == "_" || gold.lemma == system.lemma;
        match metric {
            DepMetric::Tokens | DepMetric::Words => true,
            DepMetric::Upos => gold.upos == system.upos,
            DepMetric::Xpos => gold.xpos == system.xpos,
            DepMetric::UFeats => gold.feats == system.feats,
            DepMetric::AllTags => {
                gold.upos == system.upos && gold.xpos == system.xpos && gold.feats == system.feats
            }
            DepMetric::Lemmas => lemma(),
            DepMetric::Uas => attached(),
            DepMetric::Las | DepMetric::Clas => related(),
            DepMetric::Mlas => {
                related()
                    && gold.upos == system.upos
                    && gold.feats == system.feats
                    && self.same_functional(gold, system)
            }
            DepMetric::Blex => related() && lemma(),
        }
    }

    fn gold_head(&self, word: &Word<'_>) -> Head {
        word.head.map_or(Head::Root, Head::Gold)
    }

    fn system_head(&self, word: &Word<'_>) -> Head {
        word.head.map_or(Head::Root, |h| self.gold_of[h].map_or(Head::Unaligned, Head::Gold))
    }

    /// Whether the function words of two words are the same, in the same order, with the same relations and tags.
    fn same_functional(&self, gold: &Word<'_>, system: &Word<'_>) -> bool {
        let same = |(&g, &s): (&usize, &usize)| {
            let (a, b) = (&self.gold.words[g], &self.system.words[s]);
            self.gold_of[s] == Some(g) && a.relation == b.relation && a.upos == b.upos && a.feats == b.feats
        };
        gold.functional.len() == system.functional.len()
            && gold.functional.iter().zip(&system.functional).all(same)
    }
}

type Both = (usize, usize);

/// The smallest region around two words, of which one belongs to a split token, at whose ends both sides have a border.
fn token_region(gold: &[Word<'_>], system: &[Word<'_>], mut g: usize, mut s: usize) -> (Both, Both) {
    let mut end;
    if gold[g].of_token {
        end = gold[g].span.end;
        s += usize::from(!system[s].of_token && system[s].span.start < gold[g].span.start);
    } else {
        end = system[s].span.end;
        g += usize::from(!gold[g].of_token && gold[g].span.start < system[s].span.start);
    }
    let from = (g, s);
    let beyond = |word: Option<&Word<'_>>, end: usize| {
        word.is_none_or(|w| if w.of_token { w.span.start >= end } else { w.span.end > end })
    };
    while !beyond(gold.get(g), end) || !beyond(system.get(s), end) {
        let take_gold = match (gold.get(g), system.get(s)) {
            (Some(a), Some(b)) => a.span.start <= b.span.start,
            (gold, _) => gold.is_some(),
        };
        let word = if take_gold { &gold[g] } else { &system[s] };
        if word.of_token {
            end = end.max(word.span.end);
        }
        if take_gold { g += 1 } else { s += 1 }
    }
    (from, (g, s))
}

/// Pairs the longest common subsequence of forms, their case ignored.
fn common(gold: &[Word<'_>], system: &[Word<'_>], from: Both, pairs: &mut Vec<Both>) {
    let lower = |words: &[Word<'_>]| words.iter().map(|w| w.form.to_lowercase()).collect::<Vec<_>>();
    let (gold, system) = (lower(gold), lower(system));
    let width = system.len() + 1;
    let mut lengths = vec![0usize; (gold.len() + 1) * width];
    for g in (0..gold.len()).rev() {
        for s in (0..system.len()).rev() {
            let skip = lengths[(g + 1) * width + s].max(lengths[g * width + s + 1]);
            let take = if gold[g] == system[s] { 1 + lengths[(g + 1) * width + s + 1] } else { 0 };
            lengths[g * width + s] = take.max(skip);
        }
    }
    let (mut g, mut s) = (0, 0);
    while g < gold.len() && s < system.len() {
        if gold[g] == system[s] {
            pairs.push((from.0 + g, from.1 + s));
            g += 1;
            s += 1;
        } else if lengths[g * width + s] == lengths[(g + 1) * width + s] {
            g += 1;
        } else {
            s += 1;
        }
    }
}
