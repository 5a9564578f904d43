//! Training tagger, lemmatiser and parser from a treebank.

use super::bank::Tree;
use super::model::{DepModel, Finder, Search};
use super::{DepBank, Gold, Names, ScoredTree};
use crate::encoder::{self, Dropout, Encoded, EncoderShape, Example, Lexicon, Network, Schedule};
use crate::graph;
use crate::nn::Rng;
use crate::settings::{Method, ParseSettings, Settings};
use crate::tagger::{self, Context, Rounds, TagBuffers, Tagger, Tags};
use crate::train::{Best, Listener, Progress};
use crate::transition::{self, Decisions};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use treeglot_text::vocab::Vocab;
use treeglot_tree::transform::lift::lift_tree;
use treeglot_tree::{DepParse, DepTree, Field, Roots, WordIx};

/// Rows of the table of character n-grams: this many, fewer where there are few words.
const MOST_BUCKETS: usize = 20_000;
const BUCKETS_A_WORD: usize = 8;

/// Units of the hidden layer of a transition parser.
const UNITS: usize = 128;

/// Words of one step: as many as give this many steps a round, within limits.
const STEPS_A_ROUND: usize = 50;
const LEAST_BATCH: usize = 50;
const MOST_BATCH: usize = 600;

/// Trains tagger, lemmatiser and parser; with development trees the best round is kept. The result is the same for any
/// number of threads.
pub(crate) fn train(
    settings: &Settings,
    bank: &DepBank,
    dev: Option<&DepBank>,
    listener: Listener<'_>,
) -> DepModel {
    let rounds = Rounds { rounds: settings.tagger_rounds, seed: settings.seed };
    let (tagger, tags) =
        rayon::join(|| tagger::train(bank, rounds), || tagger::jackknife(bank, settings.folds, rounds));
    listener(Progress::Tagged);
    let labels = Names::of(bank.trees().flat_map(|(_, p, _)| p.words().map(move |w| p.deprel(w))));
    let dev = dev.map(|dev| Dev::new(dev, &tagger));
    let (lexicon, counts) = lexicon(bank);
    let trainer = Trainer {
        settings,
        bank,
        tags: &tags,
        labels: &labels,
        lexicon: &lexicon,
        counts: &counts,
        encoder: encoder_shape(settings, &lexicon, &tagger),
        dev: dev.as_ref(),
        listener,
    };
    let finder = match settings.method {
        Method::Transition => trainer.transition(),
        _ => trainer.graph(),
    };
    DepModel { tagger, labels, lexicon, finder }
}

fn encoder_shape(settings: &Settings, lexicon: &Lexicon, tagger: &Tagger) -> EncoderShape {
    EncoderShape {
        words: lexicon.rows(),
        word_size: 96,
        buckets: (BUCKETS_A_WORD * lexicon.rows()).min(MOST_BUCKETS),
        ngram_size: 64,
        tags: std::array::from_fn(|layer| tagger.names.layers[layer].len()),
        tag_size: 32,
        layers: if settings.method == Method::Graph { 2 } else { 1 },
        hidden: settings.hidden(),
    }
}

struct Trainer<'a> {
    settings: &'a Settings,
    bank: &'a DepBank,
    tags: &'a [Tags],
    labels: &'a Names,
    lexicon: &'a Lexicon,
    /// How often each word of the lexicon was seen.
    counts: &'a [u32],
    encoder: EncoderShape,
    dev: Option<&'a Dev<'a>>,
    listener: Listener<'a>,
}

impl Trainer<'_> {
    fn graph(&self) -> Finder {
        let shape = graph::Shape {
            encoder: self.encoder.clone(),
            arc: 128,
            sibling: 64,
            label: 96,
            labels: self.labels.len(),
        };
        let random = |rng: &mut Rng| graph::Net::random(shape.clone(), rng);
        Finder::Graph(self.networks(random, Some, |net| Finder::Graph(vec![net])))
    }

    fn transition(&self) -> Finder {
        let labels = self.labels.len();
        let shape = transition::Shape { encoder: self.encoder.clone(), units: UNITS, labels };
        let random = |rng: &mut Rng| transition::Net::random(shape.clone(), rng);
        let decisions = |mut gold: Gold| {
            if self.settings.projective {
                gold.heads = lifted(&gold.heads);
            }
            Decisions::new(&gold, labels, !self.settings.projective)
        };
        Finder::Transition(self.networks(random, decisions, |net| Finder::Transition(vec![net])))
    }

    /// Trains networks, each from its own random parameters. `gold` makes what they learn of a tree, and `alone` a parser
    /// of one network, for the development trees.
    fn networks<N: Network + Clone + Send>(
        &self,
        random: impl Fn(&mut Rng) -> N + Sync,
        gold: impl Fn(Gold) -> Option<N::Gold>,
        alone: impl Fn(N) -> Finder + Sync,
    ) -> Vec<N>
    where
        N::Gold: Sync,
    {
        let numbers = self.labels.index();
        let example = |(i, parse, heads): Tree<'_>| {
            let gold = gold(gold_tree(parse, heads, &numbers))?;
            Some(Example { encoded: self.encoded(parse, &self.tags[i]), gold })
        };
        let examples: Vec<Example<N::Gold>> = self.bank.trees().filter_map(example).collect();
        let words: usize = examples.iter().map(|e| e.encoded.words()).sum();
        let batch = (words / STEPS_A_ROUND).clamp(LEAST_BATCH, MOST_BATCH);
        let network = |network: usize| -> N {
            let dropout = Dropout { parts: 0.15, units: 0.25, recurrent: 0.15 };
            let seed = self.settings.seed.wrapping_add(1000 * network as u64);
            let schedule = Schedule { rounds: self.settings.rounds(), rate: 3e-3, batch, seed, dropout };
            let mut best = Best::new(network + 1, self.listener);
            let last = encoder::train(&random, &examples, self.counts, schedule, |round, loss, net| {
                let score = self.dev.map(|dev| self.dev_score(dev, &alone(net.clone())));
                best.round(round, f64::from(loss), score, || net.clone());
            });
            best.kept().unwrap_or(last)
        };
        (0..self.settings.networks()).into_par_iter().map(network).collect()
    }

    fn encoded(&self, parse: &DepParse, tags: &Tags) -> Encoded {
        Encoded::new(&parse.forms().collect::<Vec<_>>(), tags, self.lexicon, self.encoder.buckets)
    }

    fn dev_score(&self, dev: &Dev<'_>, finder: &Finder) -> f64 {
        let search = Search::new(self.settings, &ParseSettings::default());
        dev.las(self.labels, |s| {
            let encoded = self.encoded(&dev.gold[s], &dev.tags[s]);
            finder.trees(&[&encoded], search, 1).swap_remove(0).swap_remove(0)
        })
    }
}

/// Development sentences with the tags that the tagger gives them.
struct Dev<'a> {
    gold: &'a [DepParse],
    tags: Vec<Tags>,
}

impl<'a> Dev<'a> {
    fn new(bank: &'a DepBank, tagger: &Tagger) -> Self {
        let tag = |parse: &DepParse| {
            let context = Context::new(&parse.forms().collect::<Vec<_>>());
            tagger.tag(&context, &mut TagBuffers::default())
        };
        Self { gold: bank.sentences(), tags: bank.sentences().par_iter().map(tag).collect() }
    }

    /// The share of words with the right head and relation, its subtype left aside, in the trees that `parse` finds.
    fn las(&self, labels: &Names, parse: impl Fn(usize) -> ScoredTree + Sync) -> f64 {
        let universal = |relation: &str| relation.split(':').next().map(str::to_string);
        let right = |s: usize| {
            let (gold, (_, heads, relations)) = (&self.gold[s], parse(s));
            let words = gold.words().zip(heads.iter().zip(&relations));
            words
                .filter(|(w, (head, relation))| {
                    gold.raw_head(*w) == Some(**head)
                        && universal(gold.deprel(*w)) == universal(labels.name(**relation))
                })
                .count()
        };
        let right: usize = (0..self.gold.len()).into_par_iter().map(right).sum();
        let words: usize = self.gold.iter().map(DepParse::len).sum();
        right as f64 / words.max(1) as f64
    }
}

fn gold_tree(parse: &DepParse, heads: &[u32], labels: &FxHashMap<&str, u16>) -> Gold {
    let label = |w| labels.get(parse.deprel(w)).copied().unwrap_or(0);
    Gold { heads: heads.to_vec(), labels: parse.words().map(label).collect() }
}

/// The heads of the projective tree that is nearest.
fn lifted(heads: &[u32]) -> Vec<u32> {
    let tree = DepTree::new(heads.iter().map(|h| h.checked_sub(1).map(WordIx)).collect(), Roots::One);
    let Ok(tree) = tree else { return heads.to_vec() };
    lift_tree(&tree).tree.heads().iter().map(|h| h.map_or(0, |h| h.0 + 1)).collect()
}

/// The words seen twice or more, in lower case, and how often each row of the word table was seen.
fn lexicon(bank: &DepBank) -> (Lexicon, Vec<u32>) {
    let mut counts = std::collections::BTreeMap::<String, u32>::new();
    for form in bank.column(Field::Form) {
        *counts.entry(form.to_lowercase()).or_default() += 1;
    }
    let mut vocab = Vocab::default();
    let mut by_row = vec![0, 0];
    for (word, &count) in counts.iter().filter(|c| *c.1 > 1) {
        vocab.intern(word);
        by_row.push(count);
    }
    (Lexicon::Growing(vocab), by_row)
}
