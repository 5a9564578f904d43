//! A trained parser, and its part of a model file: labels, tags, feature hashes and weights.

use super::labels::{Inventory, Label};
use super::network::Network;
use super::shape::{Places, Shape};
use super::train::{Member, Trained};
use treeglot_text::Result;
use treeglot_text::mapped::{MappedFile, MappedWriter, Store, Tag};

const SHAPE: Tag = Tag::new("shape");
const LABELS: Tag = Tag::new("labels");
const TAGS: Tag = Tag::new("tags");
const HASHES: Tag = Tag::new("hashes");
const VECTORS: Tag = Tag::new("vectors");
const WEIGHTS: Tag = Tag::new("weights");

/// A trained parser, read-only: workers on all threads share it.
#[derive(Debug, Clone)]
pub(crate) struct ConModel {
    pub(crate) inventory: Inventory,
    pub(crate) shape: Shape,
    places: Places,
    /// How many networks score together.
    pub(crate) members: usize,
    hashes: Store<u64>,
    /// Vectors of features, network after network.
    vectors: Store<f32>,
    /// Other weights, network after network.
    weights: Store<f32>,
}

impl ConModel {
    pub(crate) fn new(trained: &Trained) -> Self {
        let join = |get: fn(&Member) -> &[f32]| {
            Store::Owned(trained.members.iter().flat_map(|m| get(m).iter().copied()).collect())
        };
        Self {
            inventory: trained.inventory.clone(),
            shape: trained.shape,
            places: trained.shape.places(),
            members: trained.members.len(),
            hashes: Store::Owned(trained.hashes.clone()),
            vectors: join(|m| &m.embeddings),
            weights: join(|m| &m.dense),
        }
    }

    /// The sorted hashes of features.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// One of the networks.
    pub(crate) fn network(&self, member: usize) -> Network<'_> {
        let vectors = self.shape.features * self.shape.embedding;
        Network {
            shape: self.shape,
            places: &self.places,
            embeddings: &self.vectors[member * vectors..(member + 1) * vectors],
            dense: &self.weights[member * self.places.count..(member + 1) * self.places.count],
        }
    }

    /// The names of its sections.
    pub(crate) fn tags(&self) -> Vec<Tag> {
        vec![SHAPE, LABELS, TAGS, HASHES, VECTORS, WEIGHTS]
    }

    /// Writes its sections.
    pub(crate) fn write(&self, file: &mut MappedWriter) -> Result<()> {
        let Shape { features, embedding, hidden, span, labels, tags } = self.shape;
        let sizes = [features, embedding, hidden, span, labels, tags, self.members];
        file.section(SHAPE, &sizes.map(|s| s as u64))?;
        file.section(LABELS, self.inventory.labels().join("\n").as_bytes())?;
        file.section(TAGS, self.inventory.tags().join("\n").as_bytes())?;
        file.section(HASHES, &self.hashes)?;
        file.section(VECTORS, &self.vectors)?;
        file.section(WEIGHTS, &self.weights)
    }

    /// Views its sections. All sizes are checked here, so that no number read later can point outside.
    pub(crate) fn part_of(file: &MappedFile) -> Result<Self> {
        let damaged = || file.corrupt("the sizes of the parser do not fit together".to_string());
        let sizes = file.view::<u64>(SHAPE)?;
        let &[features, embedding, hidden, span, labels, tags, members] = &*sizes else {
            return Err(damaged());
        };
        // With every size below 2^20 no product of three can overflow.
        if [embedding, hidden, span, labels, tags, members].iter().any(|s| !(1..1 << 20).contains(s))
            || !(1..1 << 32).contains(&features)
            || labels > u64::from(Label::MAX)
            || tags > u64::from(Label::MAX)
        {
            return Err(damaged());
        }
        let [features, embedding, hidden, span, labels, tags, members] =
            [features, embedding, hidden, span, labels, tags, members].map(|s| s as usize);
        let shape = Shape { features, embedding, hidden, span, labels, tags };
        let places = shape.places();
        let texts = |tag| -> Result<Vec<String>> {
            let bytes = file.view::<u8>(tag)?;
            let text = std::str::from_utf8(&bytes).map_err(|e| file.corrupt(e.to_string()))?;
            Ok(text.split('\n').map(String::from).collect())
        };
        let inventory = Inventory::new(texts(LABELS)?, texts(TAGS)?);
        let (hashes, vectors, weights) =
            (file.view::<u64>(HASHES)?, file.view::<f32>(VECTORS)?, file.view::<f32>(WEIGHTS)?);
        let fits = inventory.labels().len() == labels
            && inventory.labels()[0].is_empty()
            && inventory.tags().len() == tags
            && hashes.len() + 1 == features
            && Some(vectors.len()) == (features * embedding).checked_mul(members)
            && Some(weights.len()) == places.count.checked_mul(members);
        if !fits {
            return Err(damaged());
        }
        let [vectors, weights] = [vectors, weights].map(Store::Mapped);
        Ok(Self { inventory, shape, places, members, hashes: Store::Mapped(hashes), vectors, weights })
    }
}
