//! IBM model 1 (Brown et al. 1993), both directions at once by agreement (Liang et al. 2006): a link counts as the
//! product of its two probabilities. The work goes word by word, not sentence by sentence: a source word's row is
//! spread over an array indexed by target word, so that the pass over the word's sentences never searches.

use crate::corpus::{Corpus, Side};
use crate::lexicon::{Lexicon, SideScales, smooth};
use crate::pairs::{Block, Occurrences, collect};
use crate::settings::{LexPrior, Settings};
use crate::spelling::Alike;
use rayon::prelude::*;
use std::ops::Range;

/// Links a word is taken to have for each occurrence but one, if the stored pairs say less.
const LINKS_AT_LEAST: f32 = 0.5;

struct Ibm1<'a> {
    corpus: &'a Corpus,
    occurrences: Occurrences,
    prior: LexPrior,
    blocks: Vec<Block>,
    src: SideScales,
    tgt: SideScales,
}

/// Estimates the lexical tables and drops the pairs that got next to no links.
pub fn train(corpus: &Corpus, settings: &Settings) -> Lexicon {
    let mut model = Ibm1::new(corpus, settings);
    for _ in 0..settings.ibm1_iterations {
        model.iterate();
    }
    model.finish(settings)
}

fn frequencies(side: &Side) -> Vec<u32> {
    let mut frequency = vec![0u32; side.words.len()];
    for &word in &side.tokens {
        frequency[word as usize] += 1;
    }
    frequency
}

impl<'a> Ibm1<'a> {
    fn new(corpus: &'a Corpus, settings: &Settings) -> Self {
        let occurrences = Occurrences::of(&corpus.src);
        let blocks = collect(corpus, &occurrences);
        let src = SideScales::of_frequency(frequencies(&corpus.src));
        let tgt = SideScales::of_frequency(frequencies(&corpus.tgt));
        Ibm1 { corpus, occurrences, prior: settings.ibm1_prior, blocks, src, tgt }
    }

    fn iterate(&mut self) {
        let prior = self.prior;
        self.set_scales(prior.alpha);
        self.blocks.par_iter_mut().for_each(|block| {
            for (count, pair) in block.count.iter_mut().zip(&block.pairs) {
                *count = *count * pair.share() + prior.of(pair.alike);
            }
        });
        let mut inverse = self.forward_sums();
        let mut tgt_null = vec![0f32; self.tgt.null.len()];
        for (sum, &f) in inverse.iter_mut().zip(&self.corpus.tgt.tokens) {
            *sum = 1.0 / *sum;
            tgt_null[f as usize] += self.tgt.null[f as usize] * *sum;
        }
        self.src.null = self.count(&inverse);
        self.tgt.null = tgt_null;
        smooth(&mut self.src.null, self.prior.null_alpha);
        smooth(&mut self.tgt.null, self.prior.null_alpha);
    }

    fn set_scales(&mut self, alpha: f32) {
        let (src, tgt) = self.word_counts();
        let (src_words, tgt_words) = (src.len() as f32, tgt.len() as f32);
        self.src.set_links(src, alpha * tgt_words);
        self.tgt.set_links(tgt, alpha * src_words);
    }

    /// The links of each word, its own last occurrence left out.
    fn word_counts(&self) -> (Vec<f32>, Vec<f32>) {
        let at_least = |side: &SideScales| {
            side.frequency.iter().map(|&n| LINKS_AT_LEAST * n.saturating_sub(1) as f32).collect()
        };
        let (mut src, mut tgt) = (vec![0f32; self.src.frequency.len()], vec![0f32; self.tgt.frequency.len()]);
        for block in &self.blocks {
            for word in block.words() {
                for x in block.row(word) {
                    let links = block.count[x] * block.pairs[x].share();
                    src[word] += links;
                    tgt[block.pairs[x].tgt as usize] += links;
                }
            }
        }
        let floors: [Vec<f32>; 2] = [at_least(&self.src), at_least(&self.tgt)];
        for (counts, floor) in [&mut src, &mut tgt].into_iter().zip(floors) {
            counts.iter_mut().zip(floor).for_each(|(c, floor)| *c = c.max(floor));
        }
        (src, tgt)
    }

    /// For each target token, the summed weight of all source words of its sentence and of the empty word.
    fn forward_sums(&self) -> Vec<f32> {
        let mut sums: Vec<f32> = self.corpus.tgt.tokens.iter().map(|&f| self.tgt.null[f as usize]).collect();
        let parts = parts_of(self.corpus, &mut sums, rayon::current_num_threads());
        parts.into_par_iter().for_each(|mut part| self.add_forward(&mut part));
        sums
    }

    fn add_forward(&self, part: &mut Part<'_>) {
        let tgt = &self.corpus.tgt;
        let floor = self.prior.alpha;
        let mut dense = vec![floor; tgt.words.len()];
        for block in &self.blocks {
            for word in block.words() {
                let sentences = self.occurrences.within(word, &part.sentences);
                if sentences.is_empty() {
                    continue;
                }
                for x in block.row(word) {
                    dense[block.pairs[x].tgt as usize] = block.count[x];
                }
                let scale = self.src.scale[word];
                for &s in sentences {
                    let range = tgt.range(s as usize);
                    let sums = &mut part.sums[range.start - part.first..range.end - part.first];
                    for (sum, &f) in sums.iter_mut().zip(&tgt.tokens[range]) {
                        *sum += dense[f as usize] * scale;
                    }
                }
                for pair in &block.pairs[block.row(word)] {
                    dense[pair.tgt as usize] = floor;
                }
            }
        }
    }

    /// Replaces the values by expected links; returns how often each source word has none.
    fn count(&mut self, inverse: &[f32]) -> Vec<f32> {
        let (corpus, floor) = (self.corpus, self.prior.alpha);
        let (src, tgt, occurrences) = (&self.src, &self.tgt, &self.occurrences);
        let nulls: Vec<Vec<f32>> = self
            .blocks
            .par_iter_mut()
            .map_init(
                || vec![Cell { value: floor, links: 0.0 }; corpus.tgt.words.len()],
                |dense, block| {
                    let mut nulls = Vec::with_capacity(block.words().len());
                    for word in block.words() {
                        for x in block.row(word) {
                            dense[block.pairs[x].tgt as usize] = Cell { value: block.count[x], links: 0.0 };
                        }
                        let mut null = 0.0;
                        for &s in occurrences.sentences(word) {
                            let range = corpus.tgt.range(s as usize);
                            let tokens = &corpus.tgt.tokens[range.clone()];
                            let weights =
                                Weights { src: src.scale[word], tgt: &tgt.scale, null: src.null[word] };
                            null += add_links(dense, tokens, &inverse[range], &weights);
                        }
                        nulls.push(null);
                        for x in block.row(word) {
                            let cell = &mut dense[block.pairs[x].tgt as usize];
                            block.count[x] = cell.links;
                            *cell = Cell { value: floor, links: 0.0 };
                        }
                    }
                    nulls
                },
            )
            .collect();
        nulls.concat()
    }

    fn finish(mut self, settings: &Settings) -> Lexicon {
        self.set_scales(settings.prior.alpha);
        let kept = self.blocks.iter().flat_map(|block| {
            block.words().flat_map(move |word| {
                block.row(word).map(move |x| (word as u32, block.pairs[x], block.count[x]))
            })
        });
        let kept = kept.filter(|&(_, pair, links)| links > settings.prune || pair.alike != Alike::No);
        let mut lexicon = Lexicon::new(settings.prior, kept);
        self.src.flatten_null();
        self.tgt.flatten_null();
        (lexicon.src, lexicon.tgt) = (self.src, self.tgt);
        lexicon
    }
}

#[derive(Clone, Copy)]
struct Cell {
    value: f32,
    links: f32,
}

struct Weights<'a> {
    src: f32,
    tgt: &'a [f32],
    null: f32,
}

/// Counts the links of one occurrence of a source word; returns its probability of having none.
fn add_links(dense: &mut [Cell], tgt: &[u32], inverse: &[f32], weights: &Weights) -> f32 {
    let mut sum = weights.null;
    for &f in tgt {
        sum += dense[f as usize].value * weights.tgt[f as usize];
    }
    let scale = weights.src / sum;
    for (&f, &inverse) in tgt.iter().zip(inverse) {
        let cell = &mut dense[f as usize];
        cell.links += cell.value * cell.value * weights.tgt[f as usize] * scale * inverse;
    }
    weights.null / sum
}

/// The target tokens of a run of sentences.
struct Part<'a> {
    sentences: Range<usize>,
    first: usize,
    sums: &'a mut [f32],
}

/// Cuts a value per target token into `n` parts at sentence ends.
fn parts_of<'a>(corpus: &Corpus, mut values: &'a mut [f32], n: usize) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (mut sentence, mut first) = (0, 0);
    for k in 1..=n {
        let token = corpus.tgt.tokens.len() * k / n;
        let end = corpus.tgt.starts.partition_point(|&t| (t as usize) < token).min(corpus.len());
        let end = if k == n { corpus.len() } else { end.max(sentence) };
        let last = corpus.tgt.starts[end] as usize;
        let (sums, rest) = values.split_at_mut(last - first);
        parts.push(Part { sentences: sentence..end, first, sums });
        values = rest;
        (sentence, first) = (end, last);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::Pair;
    use rustc_hash::FxHashMap;

    /// The same iteration sentence by sentence: expected links of all stored pairs.
    fn by_sentence(model: &Ibm1<'_>, values: &FxHashMap<(u32, u32), f32>) -> FxHashMap<(u32, u32), f32> {
        let mut links = FxHashMap::default();
        let value = |e: u32, f: u32| values.get(&(e, f)).copied().unwrap_or(model.prior.alpha);
        for s in 0..model.corpus.len() {
            let (src, tgt) = (model.corpus.src.sentence(s), model.corpus.tgt.sentence(s));
            let forward = |e: u32, f: u32| value(e, f) * model.src.scale[e as usize];
            let reverse = |e: u32, f: u32| value(e, f) * model.tgt.scale[f as usize];
            for &e in src {
                for &f in tgt {
                    let p = model.tgt.null[f as usize] + src.iter().map(|&e| forward(e, f)).sum::<f32>();
                    let q = model.src.null[e as usize] + tgt.iter().map(|&f| reverse(e, f)).sum::<f32>();
                    *links.entry((e, f)).or_default() += forward(e, f) / p * (reverse(e, f) / q);
                }
            }
        }
        links
    }

    fn stored(model: &Ibm1<'_>, of: impl Fn(&Pair, f32) -> f32) -> FxHashMap<(u32, u32), f32> {
        let rows = model.blocks.iter().flat_map(|block| block.words().map(move |word| (block, word)));
        rows.flat_map(|(block, word)| block.row(word).map(move |x| (block, word, x)))
            .map(|(block, word, x)| {
                let pair = &block.pairs[x];
                ((word as u32, pair.tgt), of(pair, block.count[x]))
            })
            .collect()
    }

    #[test]
    fn going_word_by_word_gives_the_links_of_going_sentence_by_sentence() {
        let pairs = [
            ("a b a", "x y"),
            ("b c", "y z y"),
            ("a c c", "x z w"),
            ("c d", "z w"),
            ("", ""),
            ("a d 7", "w x 7"),
        ];
        let corpus = Corpus::from_pairs(pairs).unwrap();
        let settings = Settings::default();
        let mut model = Ibm1::new(&corpus, &settings);
        for _ in 0..3 {
            let values =
                stored(&model, |pair, count| count * pair.share() + settings.ibm1_prior.of(pair.alike));
            let mut before = Ibm1::new(&corpus, &settings);
            before.src.null.clone_from(&model.src.null);
            before.tgt.null.clone_from(&model.tgt.null);
            for (to, from) in before.blocks.iter_mut().zip(&model.blocks) {
                to.count.clone_from(&from.count);
            }
            before.set_scales(settings.ibm1_prior.alpha);
            let expected = by_sentence(&before, &values);
            model.iterate();
            let got = stored(&model, |_, count| count);
            assert!(got.len() > 5);
            for (pair, links) in got {
                assert!((links - expected[&pair]).abs() < 1e-5, "{pair:?}: {links} {}", expected[&pair]);
            }
        }
    }
}
