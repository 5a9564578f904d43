//! A joint model as a file, and looking words up in it. The hidden layer is worked out in advance for each target word at each
//! place (Devlin et al. 2014, section 2.3), and for the source words of a sentence when it begins.

use crate::corpus::around;
use crate::error::Result;
use crate::network::Network;
use crate::words::{Word, Words, translation};
use crate::{HISTORY, SEEN};
use std::path::Path;
use treeglot_nn::{Mat, Product, finite, leaky, matmul, simd};
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag, View};

const KIND: Tag = Tag::new("joint");
const VERSION: u32 = 1;
const SIZES: Tag = Tag::new("sizes");
const SOURCE_WORDS: Tag = Tag::new("srcwords");
const TARGET_WORDS: Tag = Tag::new("tgtwords");
const SOURCE: Tag = Tag::new("source");
const WINDOW_LAYER: Tag = Tag::new("window");
const HISTORY_LAYER: Tag = Tag::new("history");
const BIAS: Tag = Tag::new("bias");
const OUT: Tag = Tag::new("out");
const OUT_BIAS: Tag = Tag::new("outbias");
const SECTIONS: [Tag; 9] =
    [SIZES, SOURCE_WORDS, TARGET_WORDS, SOURCE, WINDOW_LAYER, HISTORY_LAYER, BIAS, OUT, OUT_BIAS];

/// Sums are made of so many numbers side by side.
const LANES: usize = 16;

/// A model in a mapped file: read-only, shared by all threads.
pub struct JointModel {
    words: [Words; 2],
    hidden: usize,
    embedding: usize,
    source: View<f32>,
    window: View<f32>,
    history: View<f32>,
    bias: View<f32>,
    out: View<f32>,
    out_bias: View<f32>,
}

/// Writes a network with the hidden layer worked out for target words.
pub(crate) fn write(network: &Network, words: [&Words; 2], to: &Path) -> Result<()> {
    let (values, hidden, size) = (&network.values, network.hidden.cols, network.source.cols);
    let mut out = MappedWriter::create(to, KIND, VERSION, &SECTIONS)?;
    out.section(SIZES, &[HISTORY, SEEN, hidden, size].map(|size| size as u32))?;
    out.section(SOURCE_WORDS, words[0].text().as_bytes())?;
    out.section(TARGET_WORDS, words[1].text().as_bytes())?;
    out.section(SOURCE, network.source.slice(values))?;
    let layer = network.hidden.slice(values);
    let (window, history) = layer.split_at(SEEN * size * hidden);
    out.section(WINDOW_LAYER, window)?;
    let rows = network.target.rows;
    let mut worked_out = vec![0.0; HISTORY * rows * hidden];
    for (slot, to) in worked_out.chunks_exact_mut(rows * hidden).enumerate() {
        let weights = Mat::new(&history[slot * size * hidden..(slot + 1) * size * hidden], size, hidden);
        matmul(to, network.target.of(values), weights, Product::Plain, false);
    }
    out.section(HISTORY_LAYER, &worked_out)?;
    out.section(BIAS, network.bias.slice(values))?;
    out.section(OUT, network.out.slice(values))?;
    out.section(OUT_BIAS, network.out_bias.slice(values))?;
    Ok(out.finish()?)
}

impl JointModel {
    /// Opens what [`crate::train`] wrote.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let file = MappedFile::open(path, KIND, VERSION)?;
        let sizes = file.view::<u32>(SIZES)?;
        let [history, seen, hidden, embedding] = <[u32; 4]>::try_from(&sizes[..])
            .map_err(|_| file.corrupt("the sizes of its network are damaged".to_string()))?
            .map(|size| size as usize);
        let words = [SOURCE_WORDS, TARGET_WORDS].map(|tag| -> Result<Words> {
            let text = file.view::<u8>(tag)?;
            let text = std::str::from_utf8(&text)
                .map_err(|e| file.corrupt(format!("its words are no text: {e}")))?;
            Ok(Words::named(text.split('\n').map(str::to_string)))
        });
        let [source, target] = words;
        let words = [source?, target?];
        let model = Self {
            hidden,
            embedding,
            source: file.view(SOURCE)?,
            window: file.view(WINDOW_LAYER)?,
            history: file.view(HISTORY_LAYER)?,
            bias: file.view(BIAS)?,
            out: file.view(OUT)?,
            out_bias: file.view(OUT_BIAS)?,
            words,
        };
        if (history, seen) != (HISTORY, SEEN) || !model.fits() {
            return Err(file
                .corrupt("the parts of its network do not fit: train it again".to_string())
                .into());
        }
        Ok(model)
    }

    /// Whether all parts have the sizes that follow from those of the network.
    fn fits(&self) -> bool {
        let [source, target] = self.words.each_ref().map(Words::len);
        let wanted = [
            (&self.source, source.checked_mul(self.embedding)),
            (&self.window, self.hidden.checked_mul(SEEN * self.embedding.min(1 << 20))),
            (&self.history, self.hidden.checked_mul(HISTORY * target)),
            (&self.bias, Some(self.hidden)),
            (&self.out, self.hidden.checked_mul(target)),
            (&self.out_bias, Some(target)),
        ];
        let special = source > 3 && target > 3 && self.hidden > 0 && self.embedding > 0;
        special && wanted.iter().all(|(view, length)| Some(view.len()) == *length)
    }

    /// The number of a target word.
    pub fn word(&self, word: &str) -> Word {
        self.words[1].number(word)
    }

    /// The number of what a source word is translated by, for a model that predicts translations.
    pub fn translation<'w>(&self, words: impl Iterator<Item = &'w str>) -> Word {
        self.words[1].number(&translation(words))
    }

    /// Works out what depends on the words of a sentence.
    pub fn sentence<'w>(&self, words: impl Iterator<Item = &'w str>, sentence: &mut Sentence) {
        let source: Vec<Word> = words.map(|word| self.words[0].number(word)).collect();
        let row = |word: Word| &self.source[usize::from(word) * self.embedding..][..self.embedding];
        let (count, size) = (source.len() + 1, SEEN * self.embedding);
        sentence.inputs.clear();
        for at in 0..count {
            around(&source, at).for_each(|word| sentence.inputs.extend_from_slice(row(word)));
        }
        sentence.layer.clear();
        (0..count).for_each(|_| sentence.layer.extend_from_slice(&self.bias));
        let inputs = Mat::new(&sentence.inputs, count, size);
        let weights = Mat::new(&self.window, size, self.hidden);
        matmul(&mut sentence.layer, inputs, weights, Product::Plain, true);
    }

    /// About the natural logarithm of the probability of a target word affiliated with a source position (that behind the last for
    /// the sentence's end) after these words, the nearest first.
    #[inline]
    pub fn score(&self, sentence: &Sentence, at: u32, before: [Word; HISTORY], word: Word) -> f32 {
        let (units, words) = (self.hidden, self.words[1].len());
        let last = (sentence.layer.len() / units).saturating_sub(1);
        let base = &sentence.layer[(at as usize).min(last) * units..][..units];
        let known = |word: Word| usize::from(word).min(words - 1);
        let rows: [&[f32]; HISTORY] = std::array::from_fn(|slot| {
            &self.history[(slot * words + known(before[slot])) * units..][..units]
        });
        let out = &self.out[known(word) * units..][..units];
        finite(self.out_bias[known(word)] + simd(|| unit_sum(base, rows, out)))
    }
}

/// The product of the hidden layer and a row of outputs.
#[inline(always)]
fn unit_sum(base: &[f32], rows: [&[f32]; HISTORY], out: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let [a, b, c] = rows;
    let whole = base.len() / LANES * LANES;
    let parts = base[..whole].chunks_exact(LANES).zip(a.chunks_exact(LANES)).zip(b.chunks_exact(LANES));
    for ((((base, a), b), c), out) in parts.zip(c.chunks_exact(LANES)).zip(out.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += leaky(base[lane] + a[lane] + b[lane] + c[lane]) * out[lane];
        }
    }
    let rest = (whole..base.len()).map(|at| leaky(base[at] + a[at] + b[at] + c[at]) * out[at]);
    sums.iter().sum::<f32>() + rest.sum::<f32>()
}

/// What depends on the source words of a sentence; owned by a thread.
#[derive(Debug, Clone, Default)]
pub struct Sentence {
    inputs: Vec<f32>,
    /// The part of the hidden layer that each source position and the sentence's end give.
    layer: Vec<f32>,
}
