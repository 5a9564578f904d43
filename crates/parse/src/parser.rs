//! The parser as others see it: one read-only [`Parser`] shared by threads, a [`Worker`] a thread.

use crate::graph::{Encoded, Labels, Lexicon, Net, Scores, best_tree, best_trees};
use crate::linear::Linear;
use crate::multiword::Multiword;
use crate::settings::Settings;
use crate::tagger::{Context, TagBuffers, Tagger, Tags};
use crate::transition::{Actions, BeamParser, Input, TransitionBuffers};
use crate::treebank::Names;
use treeglot_tree::DepParse;
use treeglot_tree::Note;

/// A trained tagger, lemmatiser and dependency parser.
pub struct Parser {
    pub(crate) settings: Settings,
    pub(crate) tagger: Tagger,
    pub(crate) labels: Names,
    pub(crate) multiword: Multiword,
    pub(crate) model: Model,
}

/// What finds the trees.
pub(crate) enum Model {
    Graph { lexicon: Lexicon, nets: Vec<Net> },
    Transition { linear: Linear },
}

/// A parse and the score of its tree: a weighted log-probability (graph) or a sum of weights (transition), to be compared
/// within one sentence only.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredParse {
    /// The sentence with tags, lemmas, heads and relations.
    pub parse: DepParse,
    /// The higher the better.
    pub score: f32,
}

/// A thread's way to a parser, with its buffers.
pub struct Worker<'a> {
    parser: &'a Parser,
    tagging: TagBuffers,
    transitions: TransitionBuffers,
}

type ScoredTree = (f32, Vec<u32>, Vec<u16>);

impl Parser {
    /// A worker for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker { parser: self, tagging: TagBuffers::default(), transitions: TransitionBuffers::default() }
    }

    /// The settings it was trained with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Takes over what may still be chosen after training: projectivity, beam, and the weight of siblings.
    #[must_use]
    pub fn with(mut self, settings: &Settings) -> Self {
        self.settings.projective = settings.projective;
        self.settings.beam = settings.beam;
        self.settings.sibling_weight = settings.sibling_weight;
        self
    }

    /// The words that a token of raw text stands for, where it stands for several.
    pub fn split(&self, token: &str) -> Option<Vec<String>> {
        self.multiword.split(token)
    }
}

impl Worker<'_> {
    /// Tags, lemmatises and parses a sentence of given words.
    pub fn parse(&mut self, words: &[&str]) -> DepParse {
        let mut parses = self.parse_kbest(words, 1);
        parses.pop().map_or_else(|| DepParse::new(0), |best| best.parse)
    }

    /// Up to `k` different trees over the same words and tags, the best first; none for a sentence without words.
    pub fn parse_kbest(&mut self, words: &[&str], k: usize) -> Vec<ScoredParse> {
        if words.is_empty() || k == 0 {
            return Vec::new();
        }
        let context = Context::new(words);
        let tags = self.parser.tagger.tag(&context, &mut self.tagging);
        let trees = match &self.parser.model {
            Model::Graph { lexicon, nets } => self.graph(words, &tags, (lexicon, nets), k),
            Model::Transition { linear } => self.transition(&context, &tags, linear, k),
        };
        let tagged = self.tagged(words, &context, &tags);
        let with_tree = |(score, heads, labels): ScoredTree| {
            let mut parse = tagged.clone();
            for (i, w) in tagged.words().enumerate() {
                parse.set_head(w, heads[i].checked_sub(1).map(treeglot_tree::WordIx));
                parse.set(w, treeglot_tree::Field::Deprel, self.parser.labels.name(labels[i]));
            }
            ScoredParse { parse, score }
        };
        trees.into_iter().map(with_tree).collect()
    }

    /// Splits tokens of raw text that stand for several words, then parses; the parse has both, in UD's way.
    pub fn parse_tokens(&mut self, tokens: &[&str]) -> DepParse {
        let splits: Vec<Option<Vec<String>>> = tokens.iter().map(|t| self.parser.split(t)).collect();
        let words: Vec<&str> = tokens
            .iter()
            .zip(&splits)
            .flat_map(|(token, split)| match split {
                Some(words) => words.iter().map(String::as_str).collect(),
                None => vec![*token],
            })
            .collect();
        let parsed = self.parse(&words);
        if splits.iter().all(Option::is_none) {
            return parsed;
        }
        let mut parse = DepParse::new(0);
        let mut all = parsed.words();
        for (token, split) in tokens.iter().zip(&splits) {
            if let Some(words) = split {
                let first = parse.len() + 1;
                let line = format!("{first}-{}\t{token}\t_\t_\t_\t_\t_\t_\t_\t_", first + words.len() - 1);
                parse.push_note(Note::Multiword, &line);
            }
            for w in all.by_ref().take(split.as_ref().map_or(1, Vec::len)) {
                parse.push(parsed.columns(w), parsed.raw_head(w));
            }
        }
        parse
    }

    fn graph(
        &self,
        words: &[&str],
        tags: &Tags,
        (lexicon, nets): (&Lexicon, &[Net]),
        k: usize,
    ) -> Vec<ScoredTree> {
        let settings = &self.parser.settings;
        let buckets = nets.first().map_or(0, |n| n.shape.buckets);
        let encoded = Encoded::new(words, tags, lexicon, buckets);
        let weight = settings.sibling_weight;
        let mut scores = [Scores::new(words.len(), weight > 0.0)];
        let share = 1.0 / nets.len().max(1) as f32;
        let labels: Vec<Labels> =
            nets.iter().flat_map(|net| net.score(&[&encoded], share, weight, &mut scores)).collect();
        let labels: Vec<&Labels> = labels.iter().collect();
        let [scores] = scores;
        let trees = match k {
            1 => {
                let heads = best_tree(&scores, settings.projective);
                vec![(scores.tree(&heads), heads)]
            }
            _ => best_trees(&scores, settings.projective, k),
        };
        let label = |(score, heads): (f32, Vec<u32>)| {
            let labels = Net::label(nets, &labels, &heads);
            (score, heads, labels)
        };
        trees.into_iter().map(label).collect()
    }

    fn transition(&mut self, context: &Context, tags: &Tags, linear: &Linear, k: usize) -> Vec<ScoredTree> {
        let settings = &self.parser.settings;
        let parser = BeamParser {
            linear,
            actions: Actions { labels: self.parser.labels.len() },
            swap: !settings.projective,
            beam: settings.beam.max(k).max(1),
        };
        parser.parse(&Input { context, tags }, k, &mut self.transitions)
    }

    /// The words with tags and lemmas, as yet without a tree.
    fn tagged(&mut self, words: &[&str], context: &Context, tags: &Tags) -> DepParse {
        let names = &self.parser.tagger.names.layers;
        let mut parse = DepParse::new(0);
        for (i, form) in words.iter().enumerate() {
            let lemma = self.parser.tagger.lemma(context, tags, i, form, &mut self.tagging);
            let tag = |layer: usize| names[layer].name(tags[layer][i]);
            parse.push([form, &lemma, tag(0), tag(1), tag(2), "_", "_", "_"], None);
        }
        parse
    }
}
