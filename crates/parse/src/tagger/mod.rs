//! Tagger and lemmatiser: UPOS, then XPOS, then FEATS, each a greedy linear classifier that sees the layers before it on
//! both sides and its own decisions to the left; then lemmas, as edits of the form.

mod features;
mod lemma;
mod train;

pub(crate) use features::{Context, TagContext};
pub(crate) use train::{Rounds, jackknife, train};

use crate::dependency::Names;
use crate::linear::{Feature, Linear};
use lemma::Edit;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};

/// The layers in the order in which they are decided.
pub(crate) const LAYERS: usize = 3;

/// The tags of a sentence by layer: UPOS, XPOS, FEATS.
pub(crate) type Tags = [Vec<u16>; LAYERS];

/// What the tagger's numbers mean.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaggerNames {
    pub(crate) layers: [Names; LAYERS],
    edits: Vec<Edit>,
}

/// A tagger and lemmatiser: read-only, shared by threads.
#[derive(Debug, Clone)]
pub(crate) struct Tagger {
    pub(crate) names: TaggerNames,
    layers: [Linear; LAYERS],
    lemmas: Linear,
}

/// The buffers of one thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct TagBuffers {
    features: Vec<Feature>,
    scores: Vec<i32>,
}

const PREFIXES: [&str; LAYERS] = ["up", "xp", "fe"];
const LEMMAS: &str = "le";

impl Tagger {
    /// Tags a sentence layer by layer.
    pub(crate) fn tag(&self, context: &Context, buffers: &mut TagBuffers) -> Tags {
        let mut tags = Tags::default();
        for (layer, linear) in self.layers.iter().enumerate() {
            for i in 0..context.len() {
                let features = &mut buffers.features;
                context.tag_features(&TagContext { tags: &tags, layer }, i, features);
                tags[layer].push(linear.decide(features, &mut buffers.scores));
            }
        }
        tags
    }

    /// The lemma of a word with its tags.
    pub(crate) fn lemma(
        &self,
        context: &Context,
        tags: &Tags,
        word: usize,
        form: &str,
        buffers: &mut TagBuffers,
    ) -> String {
        context.lemma_features(tags, word, &mut buffers.features);
        let edit = self.lemmas.decide(&buffers.features, &mut buffers.scores);
        match self.names.edits.get(usize::from(edit)) {
            Some(edit) => edit.apply(form).unwrap_or_else(|| form.to_string()),
            None => form.to_string(),
        }
    }

    /// The names of its sections in a model file.
    pub(crate) fn tags() -> Vec<Tag> {
        PREFIXES.iter().chain([&LEMMAS]).flat_map(|prefix| Linear::tags(prefix)).collect()
    }

    pub(crate) fn write(&self, out: &mut MappedWriter) -> treeglot_text::Result<()> {
        for (prefix, linear) in PREFIXES.iter().zip(&self.layers) {
            linear.write(prefix, out)?;
        }
        self.lemmas.write(LEMMAS, out)
    }

    pub(crate) fn part_of(file: &MappedFile, names: TaggerNames) -> treeglot_text::Result<Self> {
        let layer = |i: usize| Linear::part_of(file, PREFIXES[i], names.layers[i].len());
        let layers = [layer(0)?, layer(1)?, layer(2)?];
        let lemmas = Linear::part_of(file, LEMMAS, names.edits.len())?;
        Ok(Self { names, layers, lemmas })
    }
}
