//! A dependency parser's part of a model file: names and shapes as JSON, all numbers viewed in place.

use super::Names;
use super::model::{DepModel, Finder};
use crate::graph::{Lexicon, Net, Shape};
use crate::linear::Linear;
use crate::settings::MOST_NETWORKS;
use crate::tagger::{Tagger, TaggerNames};
use crate::transition::Actions;
use serde::{Deserialize, Serialize};
use treeglot_text::Result;
use treeglot_text::mapped::{MappedFile, MappedWriter, Store, Tag};
use treeglot_text::vocab::{self, MappedVocab};

const NAMES: Tag = Tag::new("names");
const TRANSITIONS: &str = "tr";

/// What the numbers of a file mean.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meaning {
    tagger: TaggerNames,
    labels: Names,
    /// The shape of the networks of a graph parser.
    shape: Option<Shape>,
    networks: usize,
}

fn net_tag(network: usize) -> Tag {
    Tag::new(&format!("net{network}"))
}

impl DepModel {
    /// The names of its sections.
    pub(crate) fn tags(&self) -> Vec<Tag> {
        let mut tags = vec![NAMES];
        tags.extend(Tagger::tags());
        match &self.finder {
            Finder::Graph { nets, .. } => {
                tags.extend(vocab::SECTIONS.into_iter().chain((0..nets.len()).map(net_tag)));
            }
            Finder::Transition { .. } => tags.extend(Linear::tags(TRANSITIONS)),
        }
        tags
    }

    /// Writes its sections.
    pub(crate) fn write(&self, out: &mut MappedWriter) -> Result<()> {
        let (shape, networks) = match &self.finder {
            Finder::Graph { nets, .. } => (nets.first().map(|n| n.shape.clone()), nets.len()),
            Finder::Transition { .. } => (None, 0),
        };
        let (tagger, labels) = (self.tagger.names.clone(), self.labels.clone());
        let meaning = Meaning { tagger, labels, shape, networks };
        out.section(NAMES, &serde_json::to_vec(&meaning).expect("names and numbers are always written"))?;
        self.tagger.write(out)?;
        match &self.finder {
            Finder::Graph { lexicon, nets } => {
                lexicon.write(out)?;
                nets.iter().enumerate().try_for_each(|(n, net)| out.section(net_tag(n), &net.values))
            }
            Finder::Transition { linear } => linear.write(TRANSITIONS, out),
        }
    }

    /// Views its sections. What does not fit together is an error, so that no number read later can point outside.
    pub(crate) fn part_of(file: &MappedFile) -> Result<Self> {
        let meaning: Meaning = serde_json::from_slice(&file.view::<u8>(NAMES)?)
            .map_err(|e| file.corrupt(format!("the description of the parser is damaged: {e}")))?;
        let labels = meaning.labels.len();
        if labels == 0 || labels > usize::from(u16::MAX) {
            return Err(file.corrupt("the parser has no relations".to_string()));
        }
        let finder = match meaning.shape {
            Some(shape) => graph(file, &shape, meaning.networks, &meaning.tagger, labels)?,
            None => {
                Finder::Transition { linear: Linear::part_of(file, TRANSITIONS, Actions { labels }.len())? }
            }
        };
        Ok(Self { tagger: Tagger::part_of(file, meaning.tagger)?, labels: meaning.labels, finder })
    }
}

fn graph(
    file: &MappedFile,
    shape: &Shape,
    networks: usize,
    tagger: &TaggerNames,
    labels: usize,
) -> Result<Finder> {
    let lexicon = Lexicon::Mapped(MappedVocab::part_of(file)?);
    let tags: [usize; 3] = std::array::from_fn(|layer| tagger.layers[layer].len());
    let fits =
        shape.is_sane() && shape.words == lexicon.rows() && shape.tags == tags && shape.labels == labels;
    if !fits || !(1..=MOST_NETWORKS).contains(&networks) {
        return Err(file.corrupt("the network does not fit its words and tags".to_string()));
    }
    let net = |network: usize| -> Result<Net> {
        let values = Store::Mapped(file.view(net_tag(network))?);
        let too_few = || file.corrupt(format!("network {} does not have its shape", network + 1));
        Net::new(shape.clone(), values).ok_or_else(too_few)
    };
    Ok(Finder::Graph { lexicon, nets: (0..networks).map(net).collect::<Result<_>>()? })
}
