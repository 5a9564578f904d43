//! Rules of a forest of units (Na & Lee 2011, algorithm 2).
//!
//! A unit with consistent `aspan` gives a lexical rule, its words to those of the span. A hyperarc whose head and tails have
//! consistent `cspan`s gives a rule with variables: the tails are abstracted to the words they hang by, `sigma(d)`. Hyperarcs
//! that differ only in what lies deeper in their tails give one rule. Rules of many variables, and those of a small fractional count, are
//! most of all that there are, but hardly ever used: limits leave them out. Target words without links are shared out as in all
//! models of trees, so that the rules of a pair build its whole target side.

use super::forest::{UnitForest, Vertex};
use super::spans::{Cspans, Spans};
use super::{Counts, Labels, MwuOptions};
use crate::matrix::Matrix;
use crate::pair::{Pair, ParsedTree};
use crate::unaligned::{Piece, Sides};
use treeglot_grammar::pattern::{MAX_PARTS, UNIT};
use treeglot_grammar::{Instance, RuleSink, Symbol};
use treeglot_text::vocab::Vocab;
use treeglot_tree::{Span, WordIx};

/// Makes the rules of one pair.
pub struct Inducer<'a> {
    /// The options.
    pub options: &'a MwuOptions,
    /// The pair.
    pub pair: &'a Pair<'a>,
    /// Its links.
    pub matrix: &'a Matrix<'a>,
    /// Its forest.
    pub forest: &'a UnitForest,
    /// The spans of sets of words.
    pub spans: &'a Spans<'a>,
    /// The spans of what the forest covers.
    pub cspans: &'a Cspans,
}

/// A source side: the words of a unit, and the words that its tails hang by, with what they are linked to.
struct Source<'a> {
    unit: &'a [WordIx],
    tails: Vec<(&'a [WordIx], Span)>,
    target: Span,
    /// The tree whose tags name the tails.
    tree: usize,
}

impl Inducer<'_> {
    /// Hands on all rules.
    pub fn induce(&self, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let Self { forest, spans, cspans, .. } = *self;
        let total: f64 = forest.top().iter().map(|edge| forest.score(edge)).sum();
        for vertex in forest.vertices() {
            let (count, lexical) = match self.options.counts {
                Counts::One => (1.0, 1.0),
                _ => (vertex.alpha / total, vertex.alpha * vertex.beta / total),
            };
            if count <= 0.0 {
                continue;
            }
            if let Some(target) = spans.of(forest.words(vertex)).span() {
                let source = Source { unit: forest.words(vertex), tails: Vec::new(), target, tree: 0 };
                self.rule(&source, lexical, &[Labels::Words], vocab, rules);
            }
            if let Some(target) = cspans.of(vertex) {
                self.with_variables(vertex, target, count, vocab, rules);
            }
        }
    }

    /// Hands on the rules of the hyperarcs into a vertex.
    fn with_variables(
        &self,
        vertex: &Vertex,
        target: Span,
        count: f64,
        vocab: &mut Vocab,
        rules: &mut dyn RuleSink,
    ) {
        let forest = self.forest;
        for (edge, below) in forest.by_sigma(vertex) {
            if let Some(spans) = self.cspans.of_tails(forest, edge) {
                let count = match self.options.counts {
                    Counts::One => 1.0,
                    _ => count * below,
                };
                let tails = forest.tails(edge).iter().map(|tail| forest.sigma(tail)).zip(spans).collect();
                let source = Source { unit: forest.words(vertex), tails, target, tree: edge.tree as usize };
                self.rule(&source, count, self.options.labels.forms(), vocab, rules);
            }
        }
    }

    /// Hands on a rule, once for each form of its variables' labels.
    fn rule(
        &self,
        source: &Source<'_>,
        count: f64,
        forms: &[Labels],
        vocab: &mut Vocab,
        rules: &mut dyn RuleSink,
    ) {
        let (words, variables) = (source.unit.len(), source.tails.len());
        if words + variables > MAX_PARTS
            || variables > self.options.variables()
            || count < self.options.min_fraction
        {
            return;
        }
        let parts = parts(source);
        let pieces = self.pieces(source, &parts);
        let sides =
            Sides { matrix: self.matrix, words: self.pair.target, target: source.target, pieces: &pieces };
        let variants = sides.variants(self.options.max_variants);
        let count = (count / variants.len() as f64) as f32;
        for &form in forms {
            let mut symbols: Vec<Symbol> =
                parts.iter().map(|part| self.symbol(source, *part, form, vocab)).collect();
            symbols.push(Symbol::mark(UNIT));
            for side in &variants {
                let words = (0u8..).zip(&parts).filter_map(|(at, part)| match part {
                    Part::Word(word) => Some((at, word.0)),
                    Part::Tail(_) => None,
                });
                let links = side.links(self.matrix, words);
                let (source, target, links) = (&symbols[..], &side.symbols[..], &links[..]);
                rules.rule(Instance { source, target, links, count, orientation: None, origin: 0 });
            }
        }
    }

    fn symbol(&self, source: &Source<'_>, part: Part, form: Labels, vocab: &mut Vocab) -> Symbol {
        match part {
            Part::Word(word) => self.pair.source[word.ix()],
            Part::Tail(number) => {
                let sigma = source.tails[number].0;
                let label = match form {
                    Labels::Tags => joined(sigma.iter().map(|word| self.tag(source.tree, *word))),
                    _ => {
                        let text = |word: &WordIx| {
                            self.pair.source[word.ix()].vocab().map_or("", |word| vocab.word(word))
                        };
                        joined(sigma.iter().map(text))
                    }
                };
                Symbol::var(vocab.intern(&label))
            }
        }
    }

    fn tag(&self, tree: usize, word: WordIx) -> &str {
        let parse = self.pair.trees.source_dep.get(tree).and_then(ParsedTree::dependency);
        parse.and_then(|(_, tags)| tags.get(word.ix())).map_or("", String::as_str)
    }

    /// The tails, and each target word with links that lies in none of them.
    fn pieces(&self, source: &Source<'_>, parts: &[Part]) -> Vec<Piece> {
        let tails = parts.iter().filter_map(|part| match part {
            Part::Tail(number) => Some(source.tails[*number].1),
            Part::Word(_) => None,
        });
        let mut pieces: Vec<Piece> =
            (0u8..).zip(tails).map(|(number, span)| Piece { span, variable: Some(number) }).collect();
        let in_tail = |at: u32| source.tails.iter().any(|(_, span)| span.start <= at && at < span.end);
        let own = (source.target.start..source.target.end)
            .filter(|&at| self.matrix.target_linked(at) && !in_tail(at));
        pieces.extend(own.map(|at| Piece { span: Span::new(at, at + 1), variable: None }));
        pieces.sort_by_key(|piece| piece.span);
        pieces
    }
}

/// The label of a variable: what the words it hangs by are, or their tags.
pub fn joined<'s>(texts: impl Iterator<Item = &'s str>) -> String {
    texts.collect::<Vec<_>>().join("_")
}

/// A part of a source side.
#[derive(Debug, Clone, Copy)]
enum Part {
    Word(WordIx),
    Tail(usize),
}

/// The parts of a source side from left to right; a tail stands where the first word is that it hangs by.
fn parts(source: &Source<'_>) -> Vec<Part> {
    let tails = source.tails.iter().enumerate().map(|(number, (sigma, _))| (sigma[0], Part::Tail(number)));
    let mut parts: Vec<(WordIx, Part)> =
        source.unit.iter().map(|&word| (word, Part::Word(word))).chain(tails).collect();
    parts.sort_by_key(|&(at, _)| at);
    parts.into_iter().map(|(_, part)| part).collect()
}
