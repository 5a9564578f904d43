//! A thread's way to a dependency parser, with its buffers.

use super::DepModel;
use super::model::{ScoredTree, Search};
use crate::pieces::pieces;
use crate::settings::{ParseSettings, Settings};
use crate::tagger::{Context, TagBuffers, Tags};
use crate::transition::TransitionBuffers;
use std::sync::Arc;
use treeglot_tree::{DepParse, Field, WordIx};

/// The relation of the pieces of a long sentence to the first.
const OF_PIECES: &str = "dep";

pub(crate) struct DepWorker {
    model: Arc<DepModel>,
    search: Search,
    longest: usize,
    tagging: TagBuffers,
    transitions: TransitionBuffers,
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
            transitions: TransitionBuffers::default(),
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
            false => self.model.trees(words, (&context, &tags), self.search, k, &mut self.transitions),
        };
        let with_tree = |(score, heads, labels): ScoredTree| {
            let mut parse = tagged.clone();
            let mut root = None;
            for (i, w) in tagged.words().enumerate() {
                let label = self.model.labels.name(labels[i]);
                let head = heads[i].checked_sub(1).map(WordIx);
                // Only pieces of a long sentence have several roots.
                let (head, label) = match (head, root) {
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
            (parse, f64::from(score))
        };
        trees.into_iter().map(with_tree).collect()
    }

    /// One tree a piece, side by side.
    fn in_pieces(&mut self, words: &[&str], tags: &Tags) -> Vec<ScoredTree> {
        self.in_pieces += 1;
        let mut all: ScoredTree = (0.0, Vec::new(), Vec::new());
        for piece in pieces(words, self.longest) {
            let (start, words) = (piece.start as u32, &words[piece.clone()]);
            let tags: Tags = std::array::from_fn(|layer| tags[layer][piece.clone()].to_vec());
            let context = Context::new(words);
            let best = self.model.trees(words, (&context, &tags), self.search, 1, &mut self.transitions);
            for (score, heads, labels) in best {
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
