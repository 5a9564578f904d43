//! Training a parser from a treebank.

use crate::error::Result;
use crate::graph::{self, Dropout, Encoded, Gold, Lexicon, Net, Schedule, Shape, TrainSentence};
use crate::multiword::Multiword;
use crate::parser::{Model, Parser};
use crate::settings::{Method, Settings};
use crate::tagger::{self, Context, Rounds, Tagger, Tags};
use crate::transition::{self, Actions, Input, TransitionRounds};
use crate::treebank::{Names, Treebank};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use treeglot_text::vocab::Vocab;
use treeglot_tree::transform::lift::lift_tree;
use treeglot_tree::{DepParse, DepTree, Field, Roots, WordIx};

/// What training says while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Sentences that are no trees: their tags are learnt, their heads are not.
    LeftOut(usize),
    /// The tagger is trained.
    Tagged,
    /// A round over the treebank is done.
    Round {
        /// Which network, from 1.
        network: usize,
        /// Which round, from 1.
        round: usize,
        /// The mean loss of a word (graph), or the share of sentences that were not yet right (transition).
        loss: f32,
    },
}

const BUCKETS: usize = 20_000;

/// Trains tagger, lemmatiser and parser. The result is the same for any number of threads.
pub fn train(settings: &Settings, bank: &Treebank, progress: &(dyn Fn(Progress) + Sync)) -> Result<Parser> {
    bank.check()?;
    if bank.left_out() > 0 {
        progress(Progress::LeftOut(bank.left_out()));
    }
    let rounds = Rounds { rounds: settings.tagger_rounds, seed: settings.seed };
    let (tagger, tags) =
        rayon::join(|| tagger::train(bank, rounds), || tagger::jackknife(bank, settings.folds, rounds));
    progress(Progress::Tagged);
    let labels = Names::of(bank.trees().flat_map(|(_, p, _)| p.words().map(move |w| p.deprel(w))));
    let model = match settings.method {
        Method::Graph => graph(settings, bank, &tags, &tagger, &labels, progress),
        Method::Transition => transition(settings, bank, &tags, &labels, progress),
    };
    let multiword = Multiword::learn(bank.sentences());
    Ok(Parser { settings: settings.clone(), tagger, labels, multiword, model })
}

fn graph(
    settings: &Settings,
    bank: &Treebank,
    tags: &[Tags],
    tagger: &Tagger,
    labels: &Names,
    progress: &(dyn Fn(Progress) + Sync),
) -> Model {
    let (lexicon, counts) = lexicon(bank);
    let shape = Shape {
        words: lexicon.rows(),
        word_size: 96,
        buckets: BUCKETS,
        ngram_size: 64,
        tags: std::array::from_fn(|layer| tagger.names.layers[layer].len()),
        tag_size: 32,
        hidden: settings.hidden,
        arc: 128,
        sibling: 64,
        label: 96,
        labels: labels.len(),
    };
    let encode = |(i, parse, heads): Tree<'_>| {
        let forms: Vec<&str> = parse.forms().collect();
        let encoded = Encoded::new(&forms, &tags[i], &lexicon, BUCKETS);
        TrainSentence { encoded, gold: gold(parse, heads, &labels.index()) }
    };
    let sentences: Vec<TrainSentence> = bank.trees().map(encode).collect();
    let network = |network: usize| -> Net {
        let dropout = Dropout { parts: 0.15, units: 0.25, recurrent: 0.15 };
        let seed = settings.seed.wrapping_add(1000 * network as u64);
        let schedule = Schedule { rounds: settings.rounds, rate: 3e-3, batch: 600, seed, dropout };
        graph::train(shape.clone(), &sentences, &counts, schedule, |round, loss| {
            progress(Progress::Round { network: network + 1, round, loss });
        })
    };
    let nets = (0..settings.networks.max(1)).into_par_iter().map(network).collect();
    Model::Graph { lexicon, nets }
}

fn transition(
    settings: &Settings,
    bank: &Treebank,
    tags: &[Tags],
    labels: &Names,
    progress: &(dyn Fn(Progress) + Sync),
) -> Model {
    let forms = |parse: &DepParse| Context::new(&parse.forms().collect::<Vec<_>>());
    let contexts: Vec<Context> = bank.sentences().iter().map(forms).collect();
    let numbers = labels.index();
    let example = |(i, parse, heads): Tree<'_>| {
        let mut gold = gold(parse, heads, &numbers);
        if settings.projective {
            gold.heads = lifted(&gold.heads);
        }
        (Input { context: &contexts[i], tags: &tags[i] }, gold)
    };
    let sentences: Vec<_> = bank.trees().map(example).collect();
    let rounds = TransitionRounds {
        rounds: settings.rounds.div_ceil(2),
        beam: settings.beam.max(1),
        swap: !settings.projective,
        seed: settings.seed,
    };
    let actions = Actions { labels: labels.len() };
    let after = |round, loss| progress(Progress::Round { network: 1, round, loss });
    Model::Transition { linear: transition::train(&sentences, actions, rounds, after) }
}

type Tree<'a> = (usize, &'a DepParse, &'a [u32]);

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
fn lexicon(bank: &Treebank) -> (Lexicon, Vec<u32>) {
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
