//! Writing ARPA files: n-grams are formatted in blocks over all cores and written in order.

use crate::estimated::Estimated;
use crate::ngrams::{Ngrams, Walk};
use rayon::prelude::*;
use std::io::{self, Write};
use treeglot_text::interrupt;
use treeglot_text::vocab::{Sym, Vocab};

const BLOCK: usize = 1 << 14;

/// Writes a model as ARPA, n-grams in suffix order as `lmplz` does.
pub fn write(ngrams: &Ngrams, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let levels = ngrams.levels.iter().map(|level| Columns {
        words: &level.words,
        starts: &level.starts,
        probs: &level.probs,
        backoffs: &level.backoffs,
    });
    Model { vocab: &ngrams.vocab, levels: levels.collect() }.write(out, || {})
}

/// Writes a model that may lie on disk.
pub fn write_estimated(model: &Estimated, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let levels = model.levels.iter().map(|level| Columns {
        words: &level.words,
        starts: &level.starts,
        probs: &level.probs,
        backoffs: &level.backoffs,
    });
    Model { vocab: &model.vocab, levels: levels.collect() }.write(out, || model.space.trim())
}

/// What is written, wherever it lies.
struct Model<'a> {
    vocab: &'a Vocab,
    levels: Vec<Columns<'a>>,
}

struct Columns<'a> {
    words: &'a [u32],
    starts: &'a [u32],
    probs: &'a [f32],
    backoffs: &'a [f32],
}

impl Model<'_> {
    /// Writes all; `pause` is called now and then.
    fn write(&self, out: &mut (impl Write + ?Sized), pause: impl Fn()) -> io::Result<()> {
        out.write_all(b"\\data\\\n")?;
        for (depth, level) in self.levels.iter().enumerate() {
            writeln!(out, "ngram {}={}", depth + 1, level.words.len())?;
        }
        for (depth, level) in self.levels.iter().enumerate() {
            write!(out, "\n\\{}-grams:\n", depth + 1)?;
            let blocks: Vec<usize> = (0..level.words.len()).step_by(BLOCK).collect();
            for batch in blocks.chunks(2 * rayon::current_num_threads()) {
                interrupt::check();
                let texts: Vec<Vec<u8>> = batch.par_iter().map(|&start| self.block(depth, start)).collect();
                for text in texts {
                    out.write_all(&text)?;
                }
                pause();
            }
        }
        out.write_all(b"\n\\end\\\n")
    }

    fn block(&self, depth: usize, start: usize) -> Vec<u8> {
        let level = &self.levels[depth];
        let mut text = Vec::with_capacity(BLOCK * 48);
        let starts = self.levels[..depth].iter().map(|level| level.starts).collect();
        Walk::over(starts, start..(start + BLOCK).min(level.words.len())).for_each(|path| {
            let node = path[depth];
            write_number(level.probs[node], &mut text);
            for (at, &part) in path.iter().enumerate().rev() {
                text.push(if at == depth { b'\t' } else { b' ' });
                text.extend_from_slice(self.vocab.word(Sym(self.levels[at].words[part])).as_bytes());
            }
            if let Some(&backoff) = level.backoffs.get(node) {
                text.push(b'\t');
                write_number(backoff, &mut text);
            }
            text.push(b'\n');
        });
        text
    }
}

/// Writes a number with up to seven digits after the point, which is all that an `f32` near one has.
fn write_number(number: f32, text: &mut Vec<u8>) {
    const SCALE: u64 = 10_000_000;
    let scaled = (f64::from(number.abs()) * SCALE as f64).round() as u64;
    if number < 0.0 && scaled > 0 {
        text.push(b'-');
    }
    let (whole, mut fraction) = (scaled / SCALE, scaled % SCALE);
    if whole < 10 {
        text.push(b'0' + whole as u8);
    } else {
        text.extend_from_slice(whole.to_string().as_bytes());
    }
    if fraction == 0 {
        return;
    }
    text.push(b'.');
    let mut digits = [0; 7];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (fraction % 10) as u8;
        fraction /= 10;
    }
    let end = digits.iter().rposition(|&d| d != b'0').map_or(0, |last| last + 1);
    text.extend_from_slice(&digits[..end]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(n: f32) -> String {
        let mut text = Vec::new();
        write_number(n, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn numbers_are_short() {
        for (n, text) in
            [(0.0, "0"), (-0.0, "0"), (-99.0, "-99"), (-0.47712, "-0.47712"), (1.5, "1.5"), (-1e-9, "0")]
        {
            assert_eq!(number(n), text);
        }
    }

    proptest! {
        #[test]
        fn numbers_read_back_as_they_were(n in -120.0f32..10.0) {
            let back: f32 = number(n).parse().unwrap();
            prop_assert!((back - n).abs() <= 1e-7f32.max(n.abs() * 1e-7), "{n} {back}");
        }
    }
}
