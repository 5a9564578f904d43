//! Training tagger, lemmatiser and parser from a treebank.

use super::bank::Tree;
use super::model::{DepModel, Finder, Search, graph_trees, transition_trees};
use super::{DepBank, Names};
use crate::graph::{self, Dropout, Encoded, Gold, Lexicon, Net, Schedule, Shape, TrainSentence};
use crate::settings::{Method, ParseSettings, Settings};
use crate::tagger::{self, Context, Rounds, TagBuffers, Tagger, Tags};
use crate::train::{Best, Listener, Progress};
use crate::transition::{self, Actions, Input, TransitionBuffers, TransitionRounds};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use treeglot_text::vocab::Vocab;
use treeglot_tree::transform::lift::lift_tree;
use treeglot_tree::{DepParse, DepTree, Field, Roots, WordIx};

/// Rows of the table of character n-grams: this many, fewer where there are few words.
const MOST_BUCKETS: usize = 20_000;
const BUCKETS_A_WORD: usize = 8;

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
    let trainer = Trainer {
        settings,
        bank,
        tags: &tags,
        tagger: &tagger,
        labels: &labels,
        dev: dev.as_ref(),
        listener,
    };
    let finder = match settings.method {
        Method::Transition => trainer.transition(),
        _ => trainer.graph(),
    };
    DepModel { tagger, labels, finder }
}

struct Trainer<'a> {
    settings: &'a Settings,
    bank: &'a DepBank,
    tags: &'a [Tags],
    tagger: &'a Tagger,
    labels: &'a Names,
    dev: Option<&'a Dev<'a>>,
    listener: Listener<'a>,
}

impl Trainer<'_> {
    fn graph(&self) -> Finder {
        let (lexicon, counts) = lexicon(self.bank);
        let shape = self.shape(&lexicon);
        let buckets = shape.buckets;
        let encode = |(i, parse, heads): Tree<'_>| {
            let forms: Vec<&str> = parse.forms().collect();
            let encoded = Encoded::new(&forms, &self.tags[i], &lexicon, buckets);
            TrainSentence { encoded, gold: gold(parse, heads, &self.labels.index()) }
        };
        let sentences: Vec<TrainSentence> = self.bank.trees().map(encode).collect();
        let words: usize = sentences.iter().map(|s| s.encoded.words()).sum();
        let batch = (words / STEPS_A_ROUND).clamp(LEAST_BATCH, MOST_BATCH);
        let search = Search::new(self.settings, &ParseSettings::default());
        let score = |dev: &Dev<'_>, net: &Net| {
            dev.las(self.labels, |s| {
                let forms: Vec<&str> = dev.gold[s].forms().collect();
                let encoded = Encoded::new(&forms, &dev.tags[s], &lexicon, buckets);
                graph_trees(std::slice::from_ref(net), &encoded, search, 1).swap_remove(0)
            })
        };
        let network = |network: usize| -> Net {
            let dropout = Dropout { parts: 0.15, units: 0.25, recurrent: 0.15 };
            let seed = self.settings.seed.wrapping_add(1000 * network as u64);
            let schedule = Schedule { rounds: self.settings.rounds(), rate: 3e-3, batch, seed, dropout };
            let mut best = Best::new(network + 1, self.listener);
            let last = graph::train(shape.clone(), &sentences, &counts, schedule, |round, loss, net| {
                best.round(round, f64::from(loss), self.dev.map(|dev| score(dev, net)), || net.clone());
            });
            best.kept().unwrap_or(last)
        };
        let nets = (0..self.settings.networks()).into_par_iter().map(network).collect();
        Finder::Graph { lexicon, nets }
    }

    fn shape(&self, lexicon: &Lexicon) -> Shape {
        Shape {
            words: lexicon.rows(),
            word_size: 96,
            buckets: (BUCKETS_A_WORD * lexicon.rows()).min(MOST_BUCKETS),
            ngram_size: 64,
            tags: std::array::from_fn(|layer| self.tagger.names.layers[layer].len()),
            tag_size: 32,
            hidden: self.settings.hidden(),
            arc: 128,
            sibling: 64,
            label: 96,
            labels: self.labels.len(),
        }
    }

    fn transition(&self) -> Finder {
        let settings = self.settings;
        let contexts: Vec<Context> = self.bank.sentences().iter().map(context).collect();
        let numbers = self.labels.index();
        let example = |(i, parse, heads): Tree<'_>| {
            let mut gold = gold(parse, heads, &numbers);
            if settings.projective {
                gold.heads = lifted(&gold.heads);
            }
            (Input { context: &contexts[i], tags: &self.tags[i] }, gold)
        };
        let sentences: Vec<_> = self.bank.trees().map(example).collect();
        let rounds = TransitionRounds {
            rounds: settings.rounds(),
            beam: settings.beam,
            swap: !settings.projective,
            seed: settings.seed,
        };
        let actions = Actions { labels: self.labels.len() };
        let search = Search::new(settings, &ParseSettings::default());
        let mut best = Best::new(1, self.listener);
        let last = transition::train(&sentences, actions, rounds, |round, loss, perceptron| {
            let loss = f64::from(loss);
            let Some(dev) = self.dev else { return best.round(round, loss, None, || unreachable!()) };
            let linear = perceptron.freeze(actions.len());
            let score = dev.las(self.labels, |s| {
                let input = Input { context: &dev.contexts[s], tags: &dev.tags[s] };
                let mut buffers = TransitionBuffers::default();
                transition_trees(&linear, actions.labels, &input, search, 1, &mut buffers).swap_remove(0)
            });
            best.round(round, loss, Some(score), || linear);
        });
        Finder::Transition { linear: best.kept().unwrap_or(last) }
    }
}

/// Development sentences with the tags that the tagger gives them.
struct Dev<'a> {
    gold: &'a [DepParse],
    contexts: Vec<Context>,
    tags: Vec<Tags>,
}

impl<'a> Dev<'a> {
    fn new(bank: &'a DepBank, tagger: &Tagger) -> Self {
        let contexts: Vec<Context> = bank.sentences().par_iter().map(context).collect();
        let tag = |context: &Context| tagger.tag(context, &mut TagBuffers::default());
        let tags = contexts.par_iter().map(tag).collect();
        Self { gold: bank.sentences(), contexts, tags }
    }

    /// The share of words with the right head and relation, its subtype left aside, in the trees that `parse` finds.
    fn las(&self, labels: &Names, parse: impl Fn(usize) -> super::model::ScoredTree + Sync) -> f64 {
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

fn context(parse: &DepParse) -> Context {
    Context::new(&parse.forms().collect::<Vec<_>>())
}

fn gold(parse: &DepParse, heads: &[u32], labels: &FxHashMap<&str, u16>) -> Gold {
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
