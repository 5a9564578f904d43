//! Writing ARPA files: n-grams are formatted in blocks over all cores and written in order.

use crate::ngrams::{Ngrams, Walk};
use rayon::prelude::*;
use std::io::{self, Write};
use treeglot_text::vocab::Sym;

const BLOCK: usize = 1 << 14;

/// Writes a model as ARPA, n-grams in suffix order as `lmplz` does.
pub fn write(ngrams: &Ngrams, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    out.write_all(b"\\data\\\n")?;
    for (depth, level) in ngrams.levels.iter().enumerate() {
        writeln!(out, "ngram {}={}", depth + 1, level.len())?;
    }
    for (depth, level) in ngrams.levels.iter().enumerate() {
        write!(out, "\n\\{}-grams:\n", depth + 1)?;
        let blocks: Vec<usize> = (0..level.len()).step_by(BLOCK).collect();
        for batch in blocks.chunks(2 * rayon::current_num_threads()) {
            let texts: Vec<Vec<u8>> = batch.par_iter().map(|&start| block(ngrams, depth, start)).collect();
            for text in texts {
                out.write_all(&text)?;
            }
        }
    }
    out.write_all(b"\n\\end\\\n")
}

fn block(ngrams: &Ngrams, depth: usize, start: usize) -> Vec<u8> {
    let levels = &ngrams.levels;
    let level = &levels[depth];
    let mut text = Vec::with_capacity(BLOCK * 48);
    Walk::new(levels, depth, start..(start + BLOCK).min(level.len())).for_each(|path| {
        let node = path[depth];
        write_number(level.probs[node], &mut text);
        for (at, &part) in path.iter().enumerate().rev() {
            text.push(if at == depth { b'\t' } else { b' ' });
            text.extend_from_slice(ngrams.vocab.word(Sym(levels[at].words[part])).as_bytes());
        }
        if let Some(&backoff) = level.backoffs.get(node) {
            text.push(b'\t');
            write_number(backoff, &mut text);
        }
        text.push(b'\n');
    });
    text
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
