//! A dependency parser's part of a model file: names and shapes as JSON, all numbers viewed in place.

use super::Names;
use super::model::{DepModel, Finder};
use crate::encoder::{EncoderShape, Lexicon};
use crate::settings::MOST_NETWORKS;
use crate::tagger::{Tagger, TaggerNames};
use crate::{graph, transition};
use serde::{Deserialize, Serialize};
use treeglot_text::Result;
use treeglot_text::mapped::{MappedFile, MappedWriter, Store, Tag};
use treeglot_text::vocab::{self, MappedVocab};

const NAMES: Tag = Tag::new("names");

/// What the numbers of a file mean.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meaning {
    tagger: TaggerNames,
    labels: Names,
    shape: Shape,
    networks: usize,
}

/// The shape of all networks of a parser.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Shape {
    Graph(graph::Shape),
    Transition(transition::Shape),
}

impl Shape {
    fn encoder(&self) -> &EncoderShape {
        match self {
            Self::Graph(shape) => &shape.encoder,
            Self::Transition(shape) => &shape.encoder,
        }
    }

    /// Whether the sizes can be those of a network, and it has as many relations.
    fn fits(&self, labels: usize) -> bool {
        match self {
            Self::Graph(shape) => shape.is_sane() && shape.labels == labels,
            Self::Transition(shape) => shape.is_sane() && shape.labels == labels,
        }
    }
}

fn net_tag(network: usize) -> Tag {
    Tag::new(&format!("net{network}"))
}

impl Finder {
    /// The shape of its networks, and the parameters of each.
    fn parts(&self) -> (Option<Shape>, Vec<&Store<f32>>) {
        match self {
            Self::Graph(nets) => {
                let shape = nets.first().map(|net| Shape::Graph(net.shape.clone()));
                (shape, nets.iter().map(|net| &net.values).collect())
            }
            Self::Transition(nets) => {
                let shape = nets.first().map(|net| Shape::Transition(net.shape.clone()));
                (shape, nets.iter().map(|net| &net.values).collect())
            }
        }
    }
}

impl DepModel {
    /// The names of its sections.
    pub(crate) fn tags(&self) -> Vec<Tag> {
        let networks = (0..self.finder.parts().1.len()).map(net_tag);
        let words = vocab::SECTIONS.into_iter();
        [NAMES].into_iter().chain(Tagger::tags()).chain(words).chain(networks).collect()
    }

    /// Writes its sections.
    pub(crate) fn write(&self, out: &mut MappedWriter) -> Result<()> {
        let (shape, networks) = self.finder.parts();
        let meaning = Meaning {
            tagger: self.tagger.names.clone(),
            labels: self.labels.clone(),
            shape: shape.expect("a parser has a network"),
            networks: networks.len(),
        };
        out.section(NAMES, &serde_json::to_vec(&meaning).expect("names and numbers are always written"))?;
        self.tagger.write(out)?;
        self.lexicon.write(out)?;
        networks.iter().enumerate().try_for_each(|(n, values)| out.section(net_tag(n), values))
    }

    /// Views its sections. What does not fit together is an error, so that no number read later can point outside.
    pub(crate) fn part_of(file: &MappedFile) -> Result<Self> {
        let Meaning { tagger, labels, shape, networks } = serde_json::from_slice(&file.view::<u8>(NAMES)?)
            .map_err(|e| file.corrupt(format!("the description of the parser is damaged: {e}")))?;
        if !(1..=usize::from(u16::MAX)).contains(&labels.len()) {
            return Err(file.corrupt("the parser has no relations".to_string()));
        }
        let lexicon = Lexicon::Mapped(MappedVocab::part_of(file)?);
        let tags: [usize; 3] = std::array::from_fn(|layer| tagger.layers[layer].len());
        let encoder = shape.encoder();
        let fits = shape.fits(labels.len()) && encoder.words == lexicon.rows() && encoder.tags == tags;
        if !fits || !(1..=MOST_NETWORKS).contains(&networks) {
            return Err(file.corrupt("the network does not fit its words and tags".to_string()));
        }
        let finder = match shape {
            Shape::Graph(shape) => {
                Finder::Graph(each(file, networks, |values| graph::Net::new(shape.clone(), values))?)
            }
            Shape::Transition(shape) => {
                let net = |values| transition::Net::new(shape.clone(), values);
                Finder::Transition(each(file, networks, net)?)
            }
        };
        Ok(Self { tagger: Tagger::part_of(file, tagger)?, labels, lexicon, finder })
    }
}

/// The networks of a file, each made of its parameters.
fn each<N>(file: &MappedFile, networks: usize, make: impl Fn(Store<f32>) -> Option<N>) -> Result<Vec<N>> {
    let net = |network: usize| {
        let too_few = || file.corrupt(format!("network {} does not have its shape", network + 1));
        make(Store::Mapped(file.view(net_tag(network))?)).ok_or_else(too_few)
    };
    (0..networks).map(net).collect()
}
