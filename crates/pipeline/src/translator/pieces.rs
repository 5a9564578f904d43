//! Between the words that a translator deals with and the pieces of words that some of its systems translate: what is known of a
//! sentence is told in pieces, and translations, with their explanations, come back in words. So terms, markup, corrections, documents
//! and choices between several systems never meet a piece.

use crate::bundle::Components;
use crate::error::Result;
use std::collections::HashSet;
use std::path::PathBuf;
use treeglot_decode::{ExplainedWord, Explanation, Translation, Translations};
use treeglot_models::pairs::{ConInput, DepInput};
use treeglot_models::{Given, GivenChoice, Guidance, InputTrees, Wall};
use treeglot_text::subword::{CutWorker, Cutter, goes_on, join};
use treeglot_tree::Span;
use treeglot_tree::transform::split::{split_con, split_dep};

/// What cuts the words of a system's two languages into pieces; nothing for a side whose words are whole.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    sides: [Option<Cutter>; 2],
}

/// Cuts and joins, with a thread's buffers.
pub(super) struct PieceWorker<'s> {
    sides: [Option<CutWorker<'s>>; 2],
}

/// A sentence in pieces.
pub(super) struct Cut {
    pub words: String,
    pub guidance: Guidance,
    /// Its words before that.
    whole: Vec<String>,
    /// The first piece of each word, and the number of all pieces; nothing where words are whole.
    starts: Option<Vec<u32>>,
}

impl Pieces {
    /// Opens those of a system.
    pub fn open(components: &Components) -> Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_ref().map(Cutter::open).transpose();
        let [source, target] = components.subwords.each_ref().map(open);
        Ok(Self { sides: [source?, target?] })
    }

    /// A worker for one thread.
    pub fn worker(&self) -> PieceWorker<'_> {
        PieceWorker { sides: self.sides.each_ref().map(|side| side.as_ref().map(Cutter::worker)) }
    }
}

impl PieceWorker<'_> {
    /// Whether words of any side are cut.
    pub fn cuts(&self) -> bool {
        self.sides.iter().any(Option::is_some)
    }

    /// A sentence as the system sees it.
    pub fn cut(&mut self, words: &str, guidance: &Guidance) -> Cut {
        let [source, target] = &mut self.sides;
        let (mut pieces, mut starts) = (String::new(), None);
        match source {
            Some(source) => starts = Some(cut_words(source, words, &mut pieces)),
            None => pieces.push_str(words),
        }
        let guidance = told(guidance, starts.as_deref(), target.as_mut());
        let whole = words.split_ascii_whitespace().map(str::to_string).collect();
        Cut { words: pieces, guidance, whole, starts }
    }

    /// The trees of a sentence whose words are those that the system sees.
    pub fn trees(&self, trees: &InputTrees, cut: &Cut) -> InputTrees {
        let Some(starts) = &cut.starts else { return trees.clone() };
        let mut pieces = cut.words.split_ascii_whitespace();
        let parts: Vec<Vec<&str>> = starts
            .windows(2)
            .map(|ends| pieces.by_ref().take((ends[1] - ends[0]) as usize).collect())
            .collect();
        let counts: Vec<usize> = parts.iter().map(Vec::len).collect();
        let split_tags = |tags: &[String]| {
            let tags = tags.iter().zip(&counts);
            tags.flat_map(|(tag, &count)| std::iter::repeat_n(tag.clone(), count)).collect()
        };
        let dep = |dep: &DepInput| DepInput {
            tree: split_dep(&dep.tree, &counts),
            tags: split_tags(&dep.tags),
            weight: dep.weight,
        };
        let con = |con: &ConInput| ConInput { tree: split_con(&con.tree, &parts), weight: con.weight };
        InputTrees { deps: trees.deps.iter().map(dep).collect(), cons: trees.cons.iter().map(con).collect() }
    }

    /// What the system found, in words.
    pub fn joined(&self, found: &mut Translations, cut: &Cut, distinct: bool) {
        for translation in &mut found.best {
            if self.sides[1].is_some() {
                translation.text = joined(&translation.text);
                translation.tree = None;
            }
            if let Some(explanation) = &mut translation.explanation {
                join_explanation(explanation, &cut.whole, cut.starts.as_deref());
            }
        }
        if distinct && self.sides[1].is_some() {
            leave_out_repeated(&mut found.best);
        }
    }
}

/// Pieces put together.
fn joined(pieces: &str) -> String {
    let mut words = String::with_capacity(pieces.len());
    join(pieces, &mut words);
    words
}

/// Several ways to cut the words of one translation: only the best is kept.
fn leave_out_repeated(best: &mut Vec<Translation>) {
    let mut seen = HashSet::new();
    best.retain(|translation| seen.insert(translation.text.clone()));
}

/// Appends the pieces of words; the first piece of each word, and the number of all.
fn cut_words(worker: &mut CutWorker<'_>, words: &str, pieces: &mut String) -> Vec<u32> {
    let mut starts = vec![0];
    let mut end = 0;
    worker.segment_with(words, pieces, |count| {
        end += count;
        starts.push(end);
    });
    starts
}

/// What is known of words, told of their pieces.
fn told(guidance: &Guidance, starts: Option<&[u32]>, mut target: Option<&mut CutWorker<'_>>) -> Guidance {
    let at = |word: u32| match starts {
        Some(starts) => starts.get(word as usize).or(starts.last()).copied().unwrap_or(0),
        None => word,
    };
    let span = |span: Span| Span::new(at(span.start), at(span.end));
    let mut given = Vec::with_capacity(guidance.given.len());
    for of_words in &guidance.given {
        let start = of_words.span.start;
        let choices = of_words.choices.iter().map(|choice| {
            let (mut words, mut ends) = (choice.words.clone(), None);
            if let Some(target) = &mut target {
                words.clear();
                ends = Some(cut_words(target, &choice.words, &mut words));
            }
            let of_target = |word: u32| match &ends {
                Some(ends) => {
                    let place = |word: u32| ends.get(word as usize).or(ends.last()).copied().unwrap_or(0);
                    place(word)..place(word + 1)
                }
                None => word..word + 1,
            };
            let links = choice.links.iter().flat_map(|&(from, to)| {
                let pieces = at(start + from)..at(start + from + 1);
                pieces.flat_map(move |piece| of_target(to).map(move |to| (piece - at(start), to)))
            });
            GivenChoice { links: links.collect(), words, ..*choice }
        });
        let choices = choices.collect();
        // What stands at a word stands at its last piece.
        let anchor = at(of_words.anchor + 1).saturating_sub(1);
        given.push(Given { span: span(of_words.span), anchor, choices, ..*of_words });
    }
    let zones = guidance.zones.iter().map(|&zone| span(zone)).collect();
    let walls = guidance.walls.iter().map(|wall| Wall { at: at(wall.at), scope: span(wall.scope) }).collect();
    Guidance { given, zones, walls }
}

/// An explanation in words. A word has the links of all its pieces, and the rule of its first; rules stay what they are, of pieces, but
/// cover whole words.
fn join_explanation(explanation: &mut Explanation, whole: &[String], starts: Option<&[u32]>) {
    if let Some(starts) = starts {
        // The word of a piece: the last that does not begin after it.
        let word = |piece: u32| starts.partition_point(|&start| start <= piece).saturating_sub(1) as u32;
        explanation.source = whole.to_vec();
        for target in &mut explanation.words {
            target.source.iter_mut().for_each(|piece| *piece = word(*piece));
        }
        for rule in &mut explanation.rules {
            let [start, end] = rule.span;
            rule.span = [word(start), if end > start { word(end - 1) + 1 } else { word(start) }];
        }
    }
    let mut words = Vec::with_capacity(explanation.words.len());
    let mut unfinished: Option<ExplainedWord> = None;
    for mut piece in std::mem::take(&mut explanation.words) {
        if let Some(before) = unfinished.take() {
            piece = ExplainedWord {
                word: [before.word, piece.word].join(" "),
                source: [before.source, piece.source].concat(),
                ..before
            };
        }
        if goes_on(&piece.word) {
            unfinished = Some(piece);
        } else {
            words.push(piece);
        }
    }
    words.extend(unfinished);
    for word in &mut words {
        word.word = joined(&word.word);
        word.source.sort_unstable();
        word.source.dedup();
    }
    explanation.words = words;
}

#[cfg(test)]
mod tests;
