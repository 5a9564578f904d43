//! From a text to what is known of its translation: markup is read, what passes as it is gets a place holder, terms are found, and
//! what was learnt is looked up.

mod markup;
mod terms;

pub use markup::Markup;
pub use terms::Terms;

use crate::corrections::{CorrectionIndex, Memory};
use crate::error::Result;
use crate::text_path::TextWorker;
use markup::Marked;
use std::ops::Range;
use std::sync::Arc;
use terms::TermWords;
use treeglot_models::{Given, GivenChoice, Guidance, InputTrees, Origin, Wall};
use treeglot_text::protected;
use treeglot_tree::{DepTree, Span};

/// Where what is known of translations comes from.
#[derive(Debug, Clone, Default)]
pub struct Guides {
    /// Terms and their translations.
    pub terms: Terms,
    /// What is done with markup in the text.
    pub markup: Markup,
    /// Addresses, numbers, code and place holders are translated like other text, and not kept as they are.
    pub translate_all: bool,
    /// What the bundle learnt from corrections.
    pub corrections: Arc<CorrectionIndex>,
    /// Pairs whose sentences are translated as they were, and those like them much alike.
    pub memory: Option<Arc<Memory>>,
}

/// A sentence as it is searched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prepared {
    /// Its words as the models see them.
    pub words: String,
    /// Its words in the case they are written in, for parsers.
    pub written: String,
    /// What is known of its translation.
    pub guidance: Guidance,
    /// The translation of the whole, as somebody wrote it.
    pub whole: Option<String>,
    /// What place holders stand for, see [`holder`].
    kept: Vec<String>,
    /// The number of words before each place of the text that was asked for.
    pub places: Vec<u32>,
}

/// Stands in the text where one of its places was asked for, as a word that is taken out again.
const PLACE: char = '\u{f8fe}';

/// How many place holders there are.
const HOLDERS: usize = 4096;

/// The place holder of a number: a character of private use, which is a word of its own to every tokeniser.
fn holder(number: usize) -> char {
    char::from_u32(0xe000 + (number % HOLDERS) as u32).expect("characters of private use")
}

fn is_private(c: char) -> bool {
    ('\u{e000}'..='\u{f8ff}').contains(&c)
}

/// Prepares sentences; owned by a thread.
pub(super) struct Preparer<'s> {
    guides: &'s Guides,
    text: Option<[TextWorker<'s>; 2]>,
    terms: TermWords,
    trees_given: bool,
}

impl<'s> Preparer<'s> {
    /// Prepares sentences of these text paths; without them text is words.
    pub fn new(guides: &'s Guides, mut text: Option<[TextWorker<'s>; 2]>) -> Self {
        let terms = guides.terms.in_words(&mut text);
        Self { guides, text, terms, trees_given: false }
    }

    /// Whether the next sentences come with trees. The words of a tree were cut before, so with trees raw text is cut as a whole and
    /// nothing of it gets a place holder.
    pub fn trees_given(&mut self, given: bool) -> &mut Self {
        self.trees_given = given;
        self
    }

    /// Prepares a sentence; `places` are offsets of its bytes, in order, of which the numbers of words before are wanted. They are
    /// not known where markup is read.
    pub fn prepare(&mut self, text: &str, places: &[usize]) -> Result<Prepared> {
        let marked = match self.guides.markup {
            Markup::PassThrough => Marked { text: text.to_string(), ..Marked::default() },
            _ => Marked::read(text)?,
        };
        let mut prepared = Prepared::default();
        let mut all: Vec<usize> = places.to_vec();
        all.extend(marked.given.iter().flat_map(|given| [given.range.0, given.range.1]));
        all.extend(marked.zones.iter().flat_map(|&(start, end)| [start, end]));
        all.extend(&marked.walls);
        let found = self.words(&marked.text, &all, &mut prepared);
        prepared.places = found[..places.len()].to_vec();
        let length = prepared.words.split_ascii_whitespace().count();
        self.heed(&marked, &found[places.len()..], length, &mut prepared.guidance);
        self.add_kept(&mut prepared, length);
        self.add_terms(&mut prepared, length);
        if !self.guides.corrections.is_empty() {
            prepared.whole = self.guides.corrections.guide(&prepared.words, &mut prepared.guidance);
        }
        if let (Some(memory), None) = (&self.guides.memory, &prepared.whole) {
            prepared.whole = memory.guide(&prepared.words, &mut prepared.guidance);
        }
        Ok(prepared)
    }

    fn cuts_words(&self) -> bool {
        self.text.as_ref().is_some_and(|[source, _]| source.cuts_words())
    }

    /// Cuts a text into words; the number of words before each of the places.
    fn words(&mut self, text: &str, places: &[usize], prepared: &mut Prepared) -> Vec<u32> {
        let has_private = text.contains(is_private);
        let passes = !self.guides.translate_all && !has_private;
        let cut = self.cuts_words();
        let kept = if passes && cut && !self.trees_given { protected(text) } else { Vec::new() };
        let mut inserted: Vec<(usize, usize)> = places.iter().copied().zip(0..).collect();
        inserted.retain(|_| !has_private);
        inserted.sort_unstable();
        let (mut held, mut at) = (String::with_capacity(text.len()), 0);
        let mut next = inserted.iter().peekable();
        for range in kept.iter().cloned().chain(std::iter::once(text.len()..text.len())) {
            // A place within what is kept is taken to be before it.
            while let Some(&(place, _)) = next.next_if(|(place, _)| *place < range.end || range.is_empty()) {
                let place = whole_word(text, place.min(range.start).max(at));
                held.push_str(&text[at..place]);
                held.extend([' ', PLACE, ' ']);
                at = place;
            }
            held.push_str(&text[at..range.start]);
            if !range.is_empty() {
                held.extend([' ', holder(prepared.kept.len()), ' ']);
                prepared.kept.push(text[range.clone()].to_string());
            }
            at = range.end;
        }
        let mut tokens = String::new();
        match &mut self.text {
            Some([source, _]) => source.tokens(&held, &mut tokens),
            None => tokens.push_str(&held),
        }
        let mut counts = vec![0; places.len()];
        let (mut count, mut order) = (0, inserted.iter());
        for token in tokens.split_ascii_whitespace() {
            if token.starts_with(PLACE) && !has_private {
                order.next().into_iter().for_each(|&(_, number)| counts[number] = count);
                continue;
            }
            prepared.written.push_str(if count == 0 { "" } else { " " });
            prepared.written.push_str(token);
            count += 1;
        }
        match &mut self.text {
            Some([source, _]) => source.cased(&prepared.written, &mut prepared.words),
            None => prepared.words.clone_from(&prepared.written),
        }
        if passes && !cut {
            keep_words(prepared);
        }
        counts
    }

    /// Adds what markup says. `places` are those of translations, of zones and of walls.
    fn heed(&mut self, marked: &Marked, places: &[u32], length: usize, guidance: &mut Guidance) {
        let Markup::Heed(binding) = self.guides.markup else { return };
        let (of_given, rest) = places.split_at(2 * marked.given.len());
        let (of_zones, of_walls) = rest.split_at(2 * marked.zones.len());
        for (given, place) in marked.given.iter().zip(of_given.chunks(2)) {
            let choices = given.choices.iter().map(|(text, prob)| GivenChoice {
                words: self.target_words(text),
                log_prob: prob.ln(),
                links: Vec::new(),
            });
            let choices = choices.collect();
            let (span, anchor) = (Span::new(place[0], place[1].max(place[0])), place[1].saturating_sub(1));
            guidance.add(Given { span, binding, origin: Origin::Markup, anchor, choices }, length);
        }
        let zones = of_zones.chunks(2).map(|place| Span::new(place[0], place[1].max(place[0])));
        guidance.zones.extend(zones.filter(|zone| !zone.is_empty()));
        let whole = Span::new(0, length as u32);
        for &at in of_walls {
            let around = |zone: &&Span| zone.start < at && at < zone.end;
            let scope = guidance.zones.iter().filter(around).min_by_key(|zone| zone.len());
            guidance.walls.push(Wall { at, scope: scope.copied().unwrap_or(whole) });
        }
    }

    fn target_words(&mut self, text: &str) -> String {
        let mut words = String::new();
        match &mut self.text {
            Some([_, target]) => target.tokens(text, &mut words),
            None => words.push_str(text),
        }
        words
    }

    /// Place holders in the text are translated by themselves.
    fn add_kept(&mut self, prepared: &mut Prepared, length: usize) {
        if prepared.kept.is_empty() || !self.cuts_words() {
            return;
        }
        for (at, word) in (0u32..).zip(prepared.written.split_ascii_whitespace()) {
            if word.starts_with(is_private) {
                let given = Given::exclusive(Span::new(at, at + 1), Origin::Kept, word);
                prepared.guidance.add(given, length);
            }
        }
    }

    fn add_terms(&mut self, prepared: &mut Prepared, length: usize) {
        if self.guides.terms.is_empty() {
            return;
        }
        let words: Vec<&str> = prepared.written.split_ascii_whitespace().collect();
        for term in self.terms.find(&words) {
            let words = match term.exact {
                true => holder(prepared.kept.len()).to_string(),
                false => term.target.to_string(),
            };
            let new = Given::exclusive(term.span, Origin::Term, &words);
            let is_new = prepared.guidance.add(new, length);
            if term.exact && is_new {
                prepared.kept.push(term.target.to_string());
            }
        }
    }
}

/// Gives the words that pass as they are themselves as translations. They stay the words they are: somebody cut them, and trees may have
/// been made of them; so a word that passes in part passes whole.
fn keep_words(prepared: &mut Prepared) {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, c) in prepared.written.char_indices() {
        match words.last_mut() {
            _ if c.is_ascii_whitespace() => {}
            Some(word) if word.end == at => word.end = at + c.len_utf8(),
            _ => words.push(at..at + c.len_utf8()),
        }
    }
    for range in protected(&prepared.written) {
        let first = words.partition_point(|word| word.end <= range.start);
        let end = words.partition_point(|word| word.start < range.end);
        if first >= end {
            continue;
        }
        let given = Given::exclusive(
            Span::new(first as u32, end as u32),
            Origin::Kept,
            &holder(prepared.kept.len()).to_string(),
        );
        if prepared.guidance.add(given, words.len()) {
            prepared.kept.push(prepared.written[words[first].start..words[end - 1].end].to_string());
        }
    }
}

/// The end of the word that an offset lies within; the offset itself if it lies between words.
fn whole_word(text: &str, at: usize) -> usize {
    if !text[..at].ends_with(char::is_alphanumeric) {
        return at;
    }
    let inside: usize = text[at..].chars().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    at + inside
}

impl Prepared {
    /// Puts what was kept in the place of its holders.
    pub fn restore(&self, text: &mut String) {
        if self.kept.is_empty() || !text.contains(is_private) {
            return;
        }
        let mut restored = String::with_capacity(text.len());
        for c in text.chars() {
            match self.kept.get((c as usize).wrapping_sub(0xe000)).filter(|_| is_private(c)) {
                Some(kept) => restored.push_str(kept),
                None => restored.push(c),
            }
        }
        *text = restored;
    }

    /// The same for a word, which has no blanks inside.
    pub fn restore_word(&self, word: &mut String) {
        if !self.kept.is_empty() && word.contains(is_private) {
            self.restore(word);
            *word = word.replace(char::is_whitespace, "\u{a0}");
        }
    }

    /// The words of the sentence, and of what is given for it, as they are written: words of the translation that look like them
    /// are written like them.
    pub fn models_of_case(&self) -> String {
        let mut words = self.written.clone();
        for choice in self.guidance.given.iter().flat_map(|given| &given.choices) {
            words.push(' ');
            words.push_str(&choice.words);
        }
        words
    }

    /// Puts each given translation at the head of its words, as a dependency tree has it.
    pub fn set_anchors(&mut self, trees: &[InputTrees]) {
        let Some(tree) = trees.iter().flat_map(|trees| &trees.deps).map(|dep| &dep.tree).next() else {
            return;
        };
        for given in self.guidance.given.iter_mut().filter(|given| given.span.len() > 1) {
            if let Some(head) = head_of(tree, given.span) {
                given.anchor = head;
            }
        }
    }
}

/// The word of a span that depends on none of its other words: the one nearest to the root.
fn head_of(tree: &DepTree, span: Span) -> Option<u32> {
    let depth =
        |word: treeglot_tree::WordIx| std::iter::successors(tree.head(word), |&head| tree.head(head)).count();
    span.words().filter(|word| word.ix() < tree.len()).min_by_key(|&word| depth(word)).map(|word| word.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_path::{TextPath, TextSettings};
    use treeglot_models::Binding;

    fn prepared(guides: &Guides, text: &str) -> Prepared {
        Preparer::new(guides, None).prepare(text, &[]).unwrap()
    }

    #[test]
    fn what_is_kept_is_one_word_that_comes_back() {
        let guides = Guides::default();
        let raw = TextSettings { language: "en".into(), tokenize: true, truecase: false, lowercase: false };
        let paths = [(); 2].map(|()| TextPath::new(&raw, None).unwrap());
        let mut preparer = Preparer::new(&guides, Some(paths.each_ref().map(TextPath::worker)));
        let kept = preparer.prepare("see http://a.de/b and {the name} now", &[]).unwrap();
        assert_eq!(kept.words.split(' ').count(), 5);
        assert_eq!(kept.guidance.given.len(), 2);
        let mut text = kept.words.clone();
        kept.restore(&mut text);
        assert_eq!(text, "see http://a.de/b and {the name} now");
        let all = Guides { translate_all: true, ..Guides::default() };
        assert!(prepared(&all, "see http://a.de/b").guidance.is_empty());
    }

    #[test]
    fn words_that_somebody_cut_stay_words_and_pass_whole() {
        let line = "/ * $HOME (`x`) see {the name} \"'";
        let kept = prepared(&Guides::default(), line);
        assert_eq!((kept.words.as_str(), kept.written.as_str()), (line, line));
        let given: Vec<_> =
            kept.guidance.given.iter().map(|given| (given.span.start, given.span.end)).collect();
        assert_eq!(given, [(3, 4), (5, 7)]);
        let translations = kept.guidance.given.iter().map(|given| {
            let mut words = given.choices[0].words.clone();
            kept.restore(&mut words);
            words
        });
        assert_eq!(translations.collect::<Vec<_>>(), ["(`x`)", "{the name}"]);
    }

    #[test]
    fn markup_becomes_spans_of_words() {
        let guides = Guides { markup: Markup::Heed(Binding::Inclusive), ..Guides::default() };
        let line = "a <n translation=\"x y\">b c</n> <zone>d <wall/> e</zone> f";
        let Prepared { words, guidance, .. } = prepared(&guides, line);
        assert_eq!(words, "a b c d e f");
        assert_eq!(
            (guidance.given[0].span, guidance.given[0].binding),
            (Span::new(1, 3), Binding::Inclusive)
        );
        assert_eq!(guidance.zones, [Span::new(3, 5)]);
        assert_eq!(guidance.walls, [Wall { at: 4, scope: Span::new(3, 5) }]);
        let ignored = Guides { markup: Markup::Ignore, ..Guides::default() };
        let Prepared { words, guidance, .. } = prepared(&ignored, line);
        assert_eq!((words.as_str(), guidance.is_empty()), ("a b c d e f", true));
    }

    #[test]
    fn places_are_counted_in_words_and_never_tear_one() {
        let guides = Guides::default();
        let mut preparer = Preparer::new(&guides, None);
        let found = preparer.prepare("the big house", &[4, 6, 13, 0]).unwrap();
        assert_eq!(found.places, [1, 2, 3, 0]);
        assert_eq!(found.words, "the big house");
    }
}
