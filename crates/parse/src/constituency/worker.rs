//! Parsing: a worker owns a thread's buffers.

use super::chart::{Chart, Scores, span_count};
use super::features;
use super::forest;
use super::labels::{Label, Labelled};
use super::model::ConModel;
use super::network::Pass;
use crate::parser::Outcomes;
use crate::pieces::pieces;
use crate::settings::{Decoding, ParseSettings};
use std::sync::Arc;
use treeglot_tree::ConTree;
use treeglot_tree::format::egret::{Forest, Markers};

/// A thread's buffers.
#[derive(Debug)]
pub(crate) struct ConWorker {
    model: Arc<ConModel>,
    settings: ParseSettings,
    passes: Vec<Pass>,
    scored: Scored,
    chart: Chart,
    marginals: Vec<f32>,
    outcomes: Outcomes,
}

/// The scores of one sentence.
#[derive(Debug, Default)]
struct Scored {
    vectors: Vec<f32>,
    spans: Vec<f32>,
    tags: Vec<Label>,
}

/// Sentences that go through the network together.
const BATCH: usize = 16;

/// Words that go through the network together, unless one sentence has more.
const BATCH_WORDS: usize = 800;

impl ConWorker {
    pub(crate) fn new(model: Arc<ConModel>, settings: &ParseSettings) -> Self {
        Self {
            settings: settings.clone(),
            passes: (0..model.members).map(|_| Pass::default()).collect(),
            model,
            scored: Scored::default(),
            chart: Chart::default(),
            marginals: Vec::new(),
            outcomes: Outcomes::default(),
        }
    }

    /// What became of the sentences so far.
    pub(crate) fn outcomes(&self) -> Outcomes {
        self.outcomes
    }

    /// The best tree of a sentence; `None` if it has no words.
    pub(crate) fn parse(&mut self, words: &[&str]) -> Option<ConTree> {
        self.parse_all(&[words]).pop().flatten()
    }

    /// The best trees of several sentences, which is faster than one by one.
    pub(crate) fn parse_all(&mut self, sentences: &[&[&str]]) -> Vec<Option<ConTree>> {
        let mut trees: Vec<Option<ConTree>> = vec![None; sentences.len()];
        let mut order: Vec<usize> = (0..sentences.len()).filter(|&s| !sentences[s].is_empty()).collect();
        order.sort_by_key(|&s| std::cmp::Reverse(sentences[s].len()));
        let mut rest = order.as_slice();
        while let Some(&first) = rest.first() {
            let longest = sentences[first].len();
            if longest > self.settings.longest.max(1) {
                trees[first] = Some(self.parse_in_pieces(sentences[first]));
                rest = &rest[1..];
                continue;
            }
            let (batch, later) = rest.split_at((BATCH_WORDS / longest).clamp(1, BATCH).min(rest.len()));
            rest = later;
            let own: Vec<&[&str]> = batch.iter().map(|&s| sentences[s]).collect();
            self.encode(&own);
            for (place, &s) in batch.iter().enumerate() {
                self.score(place, sentences[s].len());
                let spans = self.decode(sentences[s].len());
                trees[s] = Some(self.model.inventory.tree(sentences[s], &self.scored.tags, &spans));
            }
        }
        trees
    }

    /// The `k` best trees of a sentence with the logs of their probabilities, the best first; none of an empty sentence.
    /// A sentence parsed in pieces has one.
    pub(crate) fn kbest(&mut self, words: &[&str], k: usize) -> Vec<(ConTree, f64)> {
        match self.forest(words) {
            Some(forest) => {
                forest.kbest().take(k).map(|d| (forest.tree(&d, Markers::Remove), d.score)).collect()
            }
            None => self.parse(words).map(|tree| (tree, 0.0)).into_iter().collect(),
        }
    }

    /// The packed forest of all labelled spans that enough trees have; `None` for an empty sentence and one that cannot be parsed
    /// at once.
    pub(crate) fn forest(&mut self, words: &[&str]) -> Option<Forest> {
        if words.is_empty() || words.len() > self.settings.longest {
            return None;
        }
        self.encode(&[words]);
        self.score(0, words.len());
        let length = words.len();
        let scores = Scores { length, labels: self.model.shape.labels, values: &self.scored.spans };
        let total = self.chart.inside(scores);
        if !total.is_finite() {
            return None;
        }
        self.chart.outside();
        self.chart.marginals(scores, &mut self.marginals);
        let (_, best) = self.chart.best(scores);
        let pruned = forest::Pruned {
            scores,
            marginals: &self.marginals,
            best: &best,
            total,
            threshold: self.settings.forest_share,
        };
        Some(pruned.forest(words, &self.scored.tags, &self.model.inventory))
    }

    /// Runs all networks over sentences, the longest first.
    fn encode(&mut self, sentences: &[&[&str]]) {
        let mut numbers = Vec::new();
        for form in sentences.iter().copied().flatten() {
            features::encode(self.model.hashes(), form, self.settings.manner, &mut numbers);
        }
        let lengths: Vec<usize> = sentences.iter().map(|s| s.len()).collect();
        for (member, pass) in self.passes.iter_mut().enumerate() {
            pass.encode(&self.model.network(member), &lengths, &numbers, None);
        }
    }

    /// After [`ConWorker::encode`]: the mean scores of all networks for one of the sentences, and its best tags.
    fn score(&mut self, sentence: usize, length: usize) {
        let labels = self.model.shape.labels;
        let tags = self.model.shape.tags;
        self.scored.spans.clear();
        self.scored.spans.resize(span_count(length) * labels, 0.0);
        let mut sums = vec![0.0f32; length * tags];
        for (member, pass) in self.passes.iter().enumerate() {
            let network = self.model.network(member);
            pass.score_spans(&network, sentence, &mut self.scored.vectors, &mut self.scored.spans);
            for (word, sums) in sums.chunks_exact_mut(tags).enumerate() {
                let own = &pass.tags[pass.packing.row(sentence, word) * tags..][..tags];
                sums.iter_mut().zip(own).for_each(|(s, t)| *s += t);
            }
        }
        if self.passes.len() > 1 {
            let share = 1.0 / self.passes.len() as f32;
            self.scored.spans.iter_mut().for_each(|s| *s *= share);
        }
        self.scored.tags.clear();
        self.scored.tags.extend(sums.chunks_exact(tags).map(|scores| {
            let best = (0..tags).fold(0, |best, tag| if scores[tag] > scores[best] { tag } else { best });
            best as Label
        }));
    }

    /// The spans of the best tree, by the scores found last; none if there are no usable scores.
    fn decode(&mut self, length: usize) -> Vec<Labelled> {
        let labels = self.model.shape.labels;
        let scores = Scores { length, labels, values: &self.scored.spans };
        if self.settings.decoding == Decoding::Viterbi {
            let (total, spans) = self.chart.best(scores);
            return if total.is_finite() { spans } else { self.fail() };
        }
        if !self.chart.inside(scores).is_finite() {
            return self.fail();
        }
        self.chart.outside();
        self.chart.marginals(scores, &mut self.marginals);
        self.gains();
        let (_, spans) = self.chart.best(Scores { length, labels, values: &self.marginals });
        spans
    }

    fn fail(&mut self) -> Vec<Labelled> {
        self.outcomes.failed += 1;
        Vec::new()
    }

    /// Turns shares of trees into what a label gains: for each of its constituents, the share of trees that have it, in
    /// whatever chain, less what a wrong one costs.
    fn gains(&mut self) {
        let cost = self.settings.bracket_cost;
        let inventory = &self.model.inventory;
        let mut sums = vec![0.0f32; inventory.part_count()];
        for shares in self.marginals.chunks_exact_mut(self.model.shape.labels) {
            sums.fill(0.0);
            for (label, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 1e-4) {
                inventory.parts(label).iter().for_each(|&part| sums[usize::from(part)] += share);
            }
            for (label, gain) in shares.iter_mut().enumerate() {
                *gain = inventory.parts(label).iter().map(|&part| sums[usize::from(part)] - cost).sum();
            }
        }
    }

    /// A sentence too long to be parsed at once: pieces side by side.
    fn parse_in_pieces(&mut self, words: &[&str]) -> ConTree {
        self.outcomes.in_pieces += 1;
        let (mut spans, mut tags) = (Vec::new(), Vec::new());
        for piece in pieces(words, self.settings.longest) {
            let start = piece.start;
            self.encode(&[&words[piece.clone()]]);
            self.score(0, piece.len());
            let own = self.decode(piece.len());
            spans.extend(own.iter().map(|s| Labelled { start: s.start + start, end: s.end + start, ..*s }));
            tags.extend_from_slice(&self.scored.tags);
        }
        self.model.inventory.tree(words, &tags, &spans)
    }
}
