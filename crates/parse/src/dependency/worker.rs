//! A thread's way to a dependency parser, with its buffers.

use super::model::Search;
use super::{DepModel, ScoredTree};
use crate::encoder::Encoded;
use crate::pieces::pieces;
use crate::settings::{ParseSettings, Settings};
use crate::tagger::{Context, TagBuffers, Tags};
use std::sync::Arc;
use treeglot_tree::{DepParse, Field, WordIx};

/// The relation of the pieces of a long sentence to the first.
const OF_PIECES: &str = "dep";

/// Sentences that go through the networks together, and their words, unless one sentence has more.
const BATCH: usize = 16;
const BATCH_WORDS: usize = 800;

pub(crate) struct DepWorker {
    model: Arc<DepModel>,
    search: Search,
    longest: usize,
    tagging: TagBuffers,
    /// Sentences that were parsed in pieces.
    pub(crate) in_pieces: usize,
}

impl DepWorker {
    pub(crate) fn new(model: Arc<DepModel>, trained: &Settings, chosen: &ParseSettings) -> Self {
        Self {
            model,
            search: Search::new(trained, chosen),
            longest: chosen.longest.max(1),
            tagging: TagBuffers::default(),
            in_pieces: 0,
        }
    }

    /// Up to `k` different parses with their scores, the best first; none for a sentence without words.
    pub(crate) fn kbest(&mut self, words: &[&str], k: usize) -> Vec<(DepParse, f64)> {
        if words.is_empty() || k == 0 {
            return Vec::new();
        }
        let context = Context::new(words);
        let tags = self.model.tagger.tag(&context, &mut self.tagging);
        let tagged = self.tagged(words, &context, &tags);
        let trees = match words.len() > self.longest {
            true => self.in_pieces(words, &tags),
            false => self.trees(words, &tags, k),
        };
        trees.into_iter().map(|tree| (self.with_tree(tagged.clone(), &tree), f64::from(tree.0))).collect()
    }

    /// The best parses of several sentences. Networks take sentences of similar length together, which is faster.
    pub(crate) fn parse_all(&mut self, sentences: &[&[&str]]) -> Vec<DepParse> {
        let model = self.model.clone();
        let mut parses: Vec<DepParse> = sentences.iter().map(|_| DepParse::new(0)).collect();
        let (mut order, others): (Vec<usize>, Vec<usize>) =
            (0..sentences.len()).partition(|&s| (1..=self.longest).contains(&sentences[s].len()));
        others.into_iter().for_each(|s| parses[s] = self.best(sentences[s]));
        order.sort_by_key(|&s| std::cmp::Reverse(sentences[s].len()));
        let mut rest = order.as_slice();
        while let Some(&first) = rest.first() {
            let most = (BATCH_WORDS / sentences[first].len()).clamp(1, BATCH).min(rest.len());
            let (batch, later) = rest.split_at(most);
            rest = later;
            let mut encoded = Vec::with_capacity(batch.len());
            for &s in batch {
                let context = Context::new(sentences[s]);
                let tags = model.tagger.tag(&context, &mut self.tagging);
                parses[s] = self.tagged(sentences[s], &context, &tags);
                encoded.push(model.encode(sentences[s], &tags));
            }
            let encoded: Vec<&Encoded> = encoded.iter().collect();
            for (&s, trees) in batch.iter().zip(model.finder.trees(&encoded, self.search, 1)) {
                let tree = trees.first().expect("every sentence has a tree");
                parses[s] = self.with_tree(std::mem::take(&mut parses[s]), tree);
            }
        }
        parses
    }

    /// Up to `k` trees of a tagged sentence, the best first.
    fn trees(&self, words: &[&str], tags: &Tags, k: usize) -> Vec<ScoredTree> {
        let encoded = self.model.encode(words, tags);
        self.model.finder.trees(&[&encoded], self.search, k).swap_remove(0)
    }

    /// The best parse of a sentence.
    pub(crate) fn best(&mut self, words: &[&str]) -> DepParse {
        self.kbest(words, 1).pop().map_or_else(|| DepParse::new(0), |best| best.0)
    }

    /// A tagged sentence with a tree. Of several roots, which only pieces of a long sentence have, the later hang from the
    /// first.
    fn with_tree(&self, mut parse: DepParse, (_, heads, labels): &ScoredTree) -> DepParse {
        let mut root = None;
        for i in 0..parse.len() {
            let w = WordIx(i as u32);
            let label = self.model.labels.name(labels[i]);
            let (head, label) = match (heads[i].checked_sub(1).map(WordIx), root) {
                (None, Some(first)) => (Some(first), OF_PIECES),
                (None, None) => {
                    root = Some(w);
                    (None, label)
                }
                (head, _) => (head, label),
            };
            parse.set_head(w, head);
            parse.set(w, Field::Deprel, label);
        }
        parse
    }

    /// One tree a piece, side by side.
    fn in_pieces(&mut self, words: &[&str], tags: &Tags) -> Vec<ScoredTree> {
        self.in_pieces += 1;
        let mut all: ScoredTree = (0.0, Vec::new(), Vec::new());
        for piece in pieces(words, self.longest) {
            let (start, words) = (piece.start as u32, &words[piece.clone()]);
            let tags: Tags = std::array::from_fn(|layer| tags[layer][piece.clone()].to_vec());
            for (score, heads, labels) in self.trees(words, &tags, 1) {
                all.0 += score;
                all.1.extend(heads.iter().map(|&h| if h == 0 { 0 } else { h + start }));
                all.2.extend(labels);
            }
        }
        vec![all]
    }

    /// The words with tags and lemmas, as yet without a tree.
    fn tagged(&mut self, words: &[&str], context: &Context, tags: &Tags) -> DepParse {
        let names = &self.model.tagger.names.layers;
        let mut parse = DepParse::new(0);
        for (i, form) in words.iter().enumerate() {
            let lemma = self.model.tagger.lemma(context, tags, i, form, &mut self.tagging);
            let tag = |layer: usize| names[layer].name(tags[layer][i]);
            parse.push([form, &lemma, tag(0), tag(1), tag(2), "_", "_", "_"], None);
        }
        parse
    }
}
