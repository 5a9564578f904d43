//! IBM model 1 (Brown et al. 1993), both directions at once by agreement (Liang et al. 2006): a link counts as the
//! product of its two probabilities. The work goes word by word, not sentence by sentence: a source word's row is
//! spread over an array indexed by target word, so that the pass over the word's sentences never searches.

use crate::corpus::Corpus;
use crate::error::Result;
use crate::pairs::{Occurrences, Pair, Pairs, SWEEP, trim_after};
use crate::scales::{SideScales, smooth};
use crate::settings::{LexPrior, Settings};
use crate::spelling::Alike;
use crate::translation_table::{TranslationTable, TranslationTableWriter};
use std::ops::Range;
use treeglot_text::column::{BATCH, Column};

/// Links a word is taken to have for each occurrence but one, if the stored pairs say less.
const LINKS_AT_LEAST: f32 = 0.5;

struct Ibm1<'a> {
    corpus: &'a Corpus,
    occurrences: Occurrences,
    prior: LexPrior,
    pairs: Pairs,
    src: SideScales,
    tgt: SideScales,
}

/// Estimates the lexical tables and drops the pairs that got next to no links.
pub fn train(corpus: &Corpus, settings: &Settings) -> Result<TranslationTable> {
    let mut model = Ibm1::new(corpus, settings)?;
    for _ in 0..settings.ibm1_iterations {
        model.iterate()?;
    }
    model.finish(settings)
}

impl<'a> Ibm1<'a> {
    fn new(corpus: &'a Corpus, settings: &Settings) -> Result<Self> {
        let occurrences = Occurrences::of(&corpus.src, &corpus.space)?;
        let pairs = Pairs::of(corpus, &occurrences)?;
        let src = SideScales::of_frequency(corpus.src.frequencies(&corpus.space));
        let tgt = SideScales::of_frequency(corpus.tgt.frequencies(&corpus.space));
        Ok(Ibm1 { corpus, occurrences, prior: settings.ibm1_prior(), pairs, src, tgt })
    }

    fn iterate(&mut self) -> Result<()> {
        self.set_scales(self.prior.alpha);
        let inverse = self.inverse_sums()?;
        let mut tgt_null = vec![0f32; self.tgt.null.len()];
        for (inverse, tokens) in inverse.chunks(BATCH).zip(self.corpus.tgt.tokens.chunks(BATCH)) {
            for (inverse, &f) in inverse.iter().zip(tokens) {
                tgt_null[f as usize] += self.tgt.null[f as usize] * inverse;
            }
            self.corpus.space.trim();
        }
        self.src.null = self.count(&inverse)?;
        self.tgt.null = tgt_null;
        smooth(&mut self.src.null, self.prior.null_alpha);
        smooth(&mut self.tgt.null, self.prior.null_alpha);
        Ok(())
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
        let (pairs, counts): (&[Pair], &[f32]) = (&self.pairs.pairs, &self.pairs.count);
        for run in &self.pairs.runs {
            for word in run.clone() {
                for x in self.pairs.row(word) {
                    let links = counts[x] * pairs[x].share();
                    src[word] += links;
                    tgt[pairs[x].tgt as usize] += links;
                }
            }
            self.corpus.space.trim();
        }
        let floors: [Vec<f32>; 2] = [at_least(&self.src), at_least(&self.tgt)];
        for (counts, floor) in [&mut src, &mut tgt].into_iter().zip(floors) {
            counts.iter_mut().zip(floor).for_each(|(c, floor)| *c = c.max(floor));
        }
        (src, tgt)
    }

    /// What a count is worth: without the pair's own share, with the prior.
    fn value(&self, pair: &Pair, count: f32) -> f32 {
        count * pair.share() + self.prior.of(pair.alike())
    }

    /// For each target token, one over the summed weight of all source words of its sentence and of the empty word.
    fn inverse_sums(&self) -> Result<Column<f32>> {
        let (tgt, space) = (&self.corpus.tgt, &self.corpus.space);
        let mut nulls = space.writer_of(tgt.tokens.len());
        for tokens in tgt.tokens.chunks(BATCH) {
            let batch: Vec<f32> = tokens.iter().map(|&f| self.tgt.null[f as usize]).collect();
            nulls.extend(&batch)?;
            space.trim();
        }
        let sums: Column<f32> = nulls.finish()?;
        let threads = rayon::current_num_threads();
        let at_once = if sums.is_mapped() { space.beside(size_of::<f32>()) } else { usize::MAX };
        let parts = parts_of(self.corpus, sums.len().div_ceil((at_once / threads).max(1)).max(threads));
        let ends: Vec<usize> = parts.iter().map(|part| tgt.starts[part.end] as usize).collect();
        let dense = || vec![self.prior.alpha; tgt.words.len()];
        let add = |dense: &mut Vec<f32>, part: usize, sums: &mut [f32]| {
            self.add_forward(dense, &parts[part], sums);
            sums.iter_mut().for_each(|sum| *sum = 1.0 / *sum);
        };
        Ok(sums.change_parts(space, &ends, dense, add)?.0)
    }

    /// Adds all source words' weights to the sums of the target tokens of these sentences.
    fn add_forward(&self, dense: &mut [f32], part: &Range<usize>, sums: &mut [f32]) {
        let (tgt, floor) = (&self.corpus.tgt, self.prior.alpha);
        let (tokens, starts): (&[u32], &[u32]) = (&tgt.tokens, &tgt.starts);
        let (pairs, counts): (&[Pair], &[f32]) = (&self.pairs.pairs, &self.pairs.count);
        let first = starts[part.start] as usize;
        for run in &self.pairs.runs {
            for word in run.clone() {
                let sentences = self.occurrences.within(word, part);
                if sentences.is_empty() {
                    continue;
                }
                for x in self.pairs.row(word) {
                    dense[pairs[x].tgt as usize] = self.value(&pairs[x], counts[x]);
                }
                let scale = self.src.scale[word];
                for sentences in sentences.chunks(SWEEP) {
                    for &s in sentences {
                        let range = starts[s as usize] as usize..starts[s as usize + 1] as usize;
                        let sums = &mut sums[range.start - first..range.end - first];
                        for (sum, &f) in sums.iter_mut().zip(&tokens[range]) {
                            *sum += dense[f as usize] * scale;
                        }
                    }
                    trim_after(sentences, &self.corpus.space);
                }
                for pair in &pairs[self.pairs.row(word)] {
                    dense[pair.tgt as usize] = floor;
                }
            }
            self.corpus.space.trim();
        }
    }

    /// Replaces the counts by expected links; returns how often each source word has none.
    fn count(&mut self, inverse: &[f32]) -> Result<Vec<f32>> {
        let counts = std::mem::take(&mut self.pairs.count);
        let nothing = Cell { value: self.prior.alpha, links: 0.0 };
        let dense = || vec![nothing; self.corpus.tgt.words.len()];
        let count = |dense: &mut Vec<Cell>, run: usize, counts: &mut [f32]| {
            let words = self.pairs.runs[run].clone();
            let first = self.pairs.row(words.start).start;
            let pairs = &self.pairs.pairs[first..first + counts.len()];
            let mut nulls = Vec::with_capacity(words.len());
            for word in words {
                let row = self.pairs.row(word);
                let (from, to) = (row.start - first, row.end - first);
                for (pair, &count) in pairs[from..to].iter().zip(&counts[from..to]) {
                    dense[pair.tgt as usize] = Cell { value: self.value(pair, count), links: 0.0 };
                }
                nulls.push(self.count_word(dense, word, inverse));
                for (pair, count) in pairs[from..to].iter().zip(&mut counts[from..to]) {
                    let cell = &mut dense[pair.tgt as usize];
                    *count = cell.links;
                    *cell = nothing;
                }
            }
            self.corpus.space.trim();
            nulls
        };
        let (counts, nulls) =
            counts.change_parts(&self.corpus.space, &self.pairs.run_ends(), dense, count)?;
        self.pairs.count = counts;
        Ok(nulls.concat())
    }

    /// Counts the links of all occurrences of a source word; returns how often it has none.
    fn count_word(&self, dense: &mut [Cell], word: usize, inverse: &[f32]) -> f32 {
        let (tokens, starts): (&[u32], &[u32]) = (&self.corpus.tgt.tokens, &self.corpus.tgt.starts);
        let weights = Weights { src: self.src.scale[word], tgt: &self.tgt.scale, null: self.src.null[word] };
        let mut null = 0.0;
        for sentences in self.occurrences.sentences(word).chunks(SWEEP) {
            for &s in sentences {
                let range = starts[s as usize] as usize..starts[s as usize + 1] as usize;
                null += add_links(dense, &tokens[range.clone()], &inverse[range], &weights);
            }
            trim_after(sentences, &self.corpus.space);
        }
        null
    }

    fn finish(mut self, settings: &Settings) -> Result<TranslationTable> {
        self.set_scales(settings.alpha);
        let Self { corpus, occurrences, pairs, mut src, mut tgt, .. } = self;
        drop(occurrences);
        let mut table = TranslationTableWriter::new(settings.prior(), &corpus.space);
        for run in &pairs.runs {
            for word in run.clone() {
                for x in pairs.row(word) {
                    let (pair, links) = (&pairs.pairs[x], pairs.count[x]);
                    if links > settings.prune || pair.alike() != Alike::No {
                        table.push_counted(word as u32, pair, links)?;
                    }
                }
            }
            corpus.space.trim();
        }
        drop(pairs);
        let mut table = table.finish()?;
        src.flatten_null();
        tgt.flatten_null();
        (table.src, table.tgt) = (src, tgt);
        Ok(table)
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

/// Cuts the sentences into `n` parts with about as many target tokens each.
fn parts_of(corpus: &Corpus, n: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut sentence = 0;
    for k in 1..=n {
        let token = corpus.tgt.tokens.len() * k / n;
        let end = corpus.tgt.starts.partition_point(|&t| (t as usize) < token).min(corpus.len());
        let end = if k == n { corpus.len() } else { end.max(sentence) };
        parts.push(sentence..end);
        sentence = end;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let (pairs, counts) = (&model.pairs.pairs, &model.pairs.count);
        (0..model.corpus.src.words.len())
            .flat_map(|word| model.pairs.row(word).map(move |x| (word, x)))
            .map(|(word, x)| ((word as u32, pairs[x].tgt), of(&pairs[x], counts[x])))
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
        let mut model = Ibm1::new(&corpus, &settings).unwrap();
        for _ in 0..3 {
            let values = stored(&model, |pair, count| model.value(pair, count));
            let mut before = Ibm1::new(&corpus, &settings).unwrap();
            before.src.null.clone_from(&model.src.null);
            before.tgt.null.clone_from(&model.tgt.null);
            before.pairs.count = model.pairs.count.to_vec().into();
            before.set_scales(settings.ibm1_alpha);
            let expected = by_sentence(&before, &values);
            model.iterate().unwrap();
            let got = stored(&model, |_, count| count);
            assert!(got.len() > 5);
            for (pair, links) in got {
                assert!((links - expected[&pair]).abs() < 1e-5, "{pair:?}: {links} {}", expected[&pair]);
            }
        }
    }
}
