//! Parsers in files: the mapped container, with names and shapes as JSON and all numbers viewed in place.

use crate::error::Result;
use crate::graph::{Lexicon, Net, Shape};
use crate::linear::Linear;
use crate::multiword::Multiword;
use crate::parser::{Model, Parser};
use crate::settings::Settings;
use crate::tagger::{Tagger, TaggerNames};
use crate::transition::Actions;
use crate::treebank::Names;
use serde::{Deserialize, Serialize};
use std::path::Path;
use treeglot_text::mapped::Store;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};
use treeglot_text::vocab::{self, MappedVocab};

const KIND: Tag = Tag::new("depparse");
const VERSION: u32 = 1;
const ABOUT: Tag = Tag::new("about");
const TRANSITIONS: &str = "tr";

/// More networks than this no file has.
const MOST_NETWORKS: usize = 100;

/// What the numbers of a file mean.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    settings: Settings,
    tagger: TaggerNames,
    labels: Names,
    multiword: Multiword,
    /// The shape of the networks of a graph parser.
    shape: Option<Shape>,
    networks: usize,
}

fn net_tag(network: usize) -> Tag {
    Tag::new(&format!("net{network}"))
}

impl Parser {
    /// Writes the parser to a file for [`Parser::open`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let (shape, networks) = match &self.model {
            Model::Graph { nets, .. } => (nets.first().map(|n| n.shape.clone()), nets.len()),
            Model::Transition { .. } => (None, 0),
        };
        let about = About {
            settings: self.settings.clone(),
            tagger: self.tagger.names.clone(),
            labels: self.labels.clone(),
            multiword: self.multiword.clone(),
            shape,
            networks,
        };
        let mut tags = vec![ABOUT];
        tags.extend(Tagger::tags());
        match &self.model {
            Model::Graph { .. } => tags.extend(vocab::SECTIONS.into_iter().chain((0..networks).map(net_tag))),
            Model::Transition { .. } => tags.extend(Linear::tags(TRANSITIONS)),
        }
        let mut out = MappedWriter::create(path.as_ref(), KIND, VERSION, &tags)?;
        let json = serde_json::to_vec(&about).expect("names and numbers are always written");
        out.section(ABOUT, &json)?;
        self.tagger.write(&mut out)?;
        match &self.model {
            Model::Graph { lexicon, nets } => {
                lexicon.write(&mut out)?;
                for (network, net) in nets.iter().enumerate() {
                    out.section(net_tag(network), &net.values)?;
                }
            }
            Model::Transition { linear } => linear.write(TRANSITIONS, &mut out)?,
        }
        Ok(out.finish()?)
    }

    /// Opens what [`Parser::save`] wrote. The file is mapped, not loaded.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let file = MappedFile::open(path, KIND, VERSION)?;
        let about: About = serde_json::from_slice(&file.view::<u8>(ABOUT)?)
            .map_err(|e| file.corrupt(format!("the description of the parser is damaged: {e}")))?;
        let labels = about.labels.len();
        if labels == 0 || labels > usize::from(u16::MAX) {
            return Err(file.corrupt("the parser has no relations".to_string()).into());
        }
        let model = match about.shape {
            Some(shape) => graph(&file, &shape, about.networks, &about.tagger, labels)?,
            None => {
                Model::Transition { linear: Linear::part_of(&file, TRANSITIONS, Actions { labels }.len())? }
            }
        };
        Ok(Self {
            settings: about.settings,
            tagger: Tagger::part_of(&file, about.tagger)?,
            labels: about.labels,
            multiword: about.multiword,
            model,
        })
    }

    /// Reads a parser's file whole and compares it with its checksums.
    pub fn verify(path: impl AsRef<Path>) -> Result<()> {
        Ok(MappedFile::open(path, KIND, VERSION)?.verify()?)
    }
}

fn graph(
    file: &MappedFile,
    shape: &Shape,
    networks: usize,
    tagger: &TaggerNames,
    labels: usize,
) -> Result<Model> {
    let lexicon = Lexicon::Mapped(MappedVocab::part_of(file)?);
    let tags: [usize; 3] = std::array::from_fn(|layer| tagger.layers[layer].len());
    let fits =
        shape.is_sane() && shape.words == lexicon.rows() && shape.tags == tags && shape.labels == labels;
    if !fits || !(1..=MOST_NETWORKS).contains(&networks) {
        return Err(file.corrupt("the network does not fit its words and tags".to_string()).into());
    }
    let net = |network: usize| -> Result<Net> {
        let values = Store::Mapped(file.view(net_tag(network))?);
        let too_few = || file.corrupt(format!("network {} does not have its shape", network + 1));
        Ok(Net::new(shape.clone(), values).ok_or_else(too_few)?)
    };
    Ok(Model::Graph { lexicon, nets: (0..networks).map(net).collect::<Result<_>>()? })
}
