//! A trained parser, and its part of a model file: labels, tags, feature hashes and weights.

use super::labels::{Inventory, Label};
use super::network::Network;
use super::shape::{Blocks, Shape};
use super::train::Trained;
use treeglot_text::Result;
use treeglot_text::mapped::{MappedFile, MappedWriter, Store, Tag};

const SHAPE: Tag = Tag::new("shape");
const LABELS: Tag = Tag::new("labels");
const TAGS: Tag = Tag::new("tags");
const HASHES: Tag = Tag::new("hashes");
const WEIGHTS: Tag = Tag::new("weights");

/// A trained parser, read-only: workers on all threads share it.
#[derive(Debug, Clone)]
pub(crate) struct ConModel {
    pub(crate) inventory: Inventory,
    pub(crate) shape: Shape,
    blocks: Blocks,
    /// How many networks score together.
    pub(crate) members: usize,
    hashes: Store<u64>,
    /// All parameters, network after network.
    weights: Store<f32>,
}

impl ConModel {
    pub(crate) fn new(trained: &Trained) -> Self {
        Self {
            inventory: trained.inventory.clone(),
            shape: trained.shape,
            blocks: trained.shape.blocks(),
            members: trained.members.len(),
            hashes: Store::Owned(trained.hashes.clone()),
            weights: Store::Owned(trained.members.concat()),
        }
    }

    /// The sorted hashes of features.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// One of the networks.
    pub(crate) fn network(&self, member: usize) -> Network<'_> {
        let length = self.blocks.length;
        let values = &self.weights[member * length..(member + 1) * length];
        Network { shape: self.shape, blocks: &self.blocks, values }
    }

    /// The names of its sections.
    pub(crate) fn tags(&self) -> Vec<Tag> {
        vec![SHAPE, LABELS, TAGS, HASHES, WEIGHTS]
    }

    /// Writes its sections.
    pub(crate) fn write(&self, file: &mut MappedWriter) -> Result<()> {
        let Shape { features, embedding, hidden, span, labels, tags } = self.shape;
        let sizes = [features, embedding, hidden, span, labels, tags, self.members];
        file.section(SHAPE, &sizes.map(|s| s as u64))?;
        file.section(LABELS, self.inventory.labels().join("\n").as_bytes())?;
        file.section(TAGS, self.inventory.tags().join("\n").as_bytes())?;
        file.section(HASHES, &self.hashes)?;
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
        let blocks = shape.blocks();
        let texts = |tag| -> Result<Vec<String>> {
            let bytes = file.view::<u8>(tag)?;
            let text = std::str::from_utf8(&bytes).map_err(|e| file.corrupt(e.to_string()))?;
            Ok(text.split('\n').map(String::from).collect())
        };
        let inventory = Inventory::new(texts(LABELS)?, texts(TAGS)?);
        let (hashes, weights) = (file.view::<u64>(HASHES)?, file.view::<f32>(WEIGHTS)?);
        let fits = inventory.labels().len() == labels
            && inventory.labels()[0].is_empty()
            && inventory.tags().len() == tags
            && hashes.len() + 1 == features
            && Some(weights.len()) == blocks.length.checked_mul(members);
        if !fits {
            return Err(damaged());
        }
        let (hashes, weights) = (Store::Mapped(hashes), Store::Mapped(weights));
        Ok(Self { inventory, shape, blocks, members, hashes, weights })
    }
}
