//! Reading ARPA files: those of `lmplz`, of SRILM and our own, packed or not.

use crate::arpa::assemble::{Record, assemble};
use crate::corpus::words;
use crate::error::Result;
use crate::key::{Key, Packing, WIDE, WideKey};
use crate::ngrams::Ngrams;
use crate::special::{self, BOS, EOS, SPECIAL, UNK};
use std::io::BufRead;
use std::path::Path;
use treeglot_text::vocab::{Sym, Vocab};
use treeglot_text::{Input, Lines};

/// What KenLM gives to unknown words when the file has no `<unk>`.
const UNKNOWN_MISSING: f32 = -100.0;

/// Reads a model; `-` is standard input, `.gz` and `.zst` are unpacked.
pub fn read(path: impl AsRef<Path>) -> Result<Ngrams> {
    let input = Input::open(path)?;
    read_from(Lines::new(input.name, input.reader))
}

/// Reads a model from lines.
pub fn read_from<R: BufRead>(lines: Lines<R>) -> Result<Ngrams> {
    let mut reader = Reader { lines, counts: Vec::new(), vocab: special::vocabulary() };
    reader.header()?;
    let unigrams = reader.unigrams()?;
    let packing = Packing::new(reader.counts.len(), reader.vocab.len());
    if packing.width() <= u64::BITS {
        reader.rest::<u64>(&unigrams, packing)
    } else if packing.width() <= u128::BITS {
        reader.rest::<u128>(&unigrams, packing)
    } else {
        reader.rest::<WideKey>(&unigrams, packing)
    }
}

struct Reader<R> {
    lines: Lines<R>,
    /// The number of n-grams the header announces, by order less one.
    counts: Vec<usize>,
    vocab: Vocab,
}

impl<R: BufRead> Reader<R> {
    fn malformed<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.lines.malformed(message).into())
    }

    fn header(&mut self) -> Result<()> {
        loop {
            match self.lines.next_line()? {
                Some("\\data\\") => break,
                Some(line) if line.trim().is_empty() || line.starts_with('#') => {}
                _ => return self.malformed("not an ARPA language model: it does not begin with `\\data\\`"),
            }
        }
        loop {
            let Some(line) = self.lines.next_line()? else {
                return self.malformed("the ARPA file ends in its header: it is truncated");
            };
            if line.trim().is_empty() {
                break;
            }
            let Some((order, count)) = ngram_count(line) else {
                return self.malformed("`ngram ORDER=COUNT` is expected here");
            };
            if order != self.counts.len() + 1 || order > WIDE {
                return self
                    .malformed(format!("the orders must be 1, 2, ... up to {WIDE}, but this is {order}"));
            }
            self.counts.push(count);
        }
        if self.counts.is_empty() {
            return self.malformed("the header announces no n-grams");
        }
        Ok(())
    }

    /// Skips to the n-grams of an order.
    fn section(&mut self, order: usize) -> Result<()> {
        let wanted = format!("\\{order}-grams:");
        loop {
            match self.lines.next_line()? {
                Some(line) if line.trim_end() == wanted => return Ok(()),
                Some(line) if line.trim().is_empty() => {}
                Some(_) => return self.malformed(format!("`{wanted}` is expected here")),
                None => return self.malformed(format!("the file ends before `{wanted}`: it is truncated")),
            }
        }
    }

    fn unigrams(&mut self) -> Result<Vec<(f32, f32)>> {
        self.section(1)?;
        let last = self.counts.len() == 1;
        let mut weights = vec![(f32::NAN, -0.0); SPECIAL.len()];
        for _ in 0..self.counts[0] {
            let vocab = &mut self.vocab;
            let parsed = match self.lines.next_line()? {
                Some(line) if is_ngram(line) => {
                    parse_line(line, 1, last, |w| Some(vocab.intern(spelling(w)).0))
                }
                _ => Err(too_few(1)),
            };
            let ngram = parsed.map_err(|message| self.lines.malformed(message))?;
            let word = ngram.words[0] as usize;
            if word >= weights.len() {
                weights.push((ngram.prob, ngram.backoff));
            } else if word < SPECIAL.len() && weights[word].0.is_nan() {
                weights[word] = (ngram.prob, ngram.backoff);
            } else {
                let word = self.vocab.word(Sym(word as u32)).to_string();
                return self.malformed(format!("the word `{word}` is given twice"));
            }
        }
        for special in [BOS, EOS] {
            if weights[special.ix()].0.is_nan() {
                return self.malformed(format!("the unigrams lack `{}`", SPECIAL[special.ix()]));
            }
        }
        if weights[UNK.ix()].0.is_nan() {
            weights[UNK.ix()].0 = UNKNOWN_MISSING;
        }
        Ok(weights)
    }

    fn rest<K: Key>(mut self, unigrams: &[(f32, f32)], packing: Packing) -> Result<Ngrams> {
        let unigram = |(word, &(prob, backoff)): (usize, &(f32, f32))| Record {
            key: K::pack(&[word as u32], packing),
            prob,
            backoff,
        };
        let mut levels: Vec<Vec<Record<K>>> = vec![unigrams.iter().enumerate().map(unigram).collect()];
        for order in 2..=self.counts.len() {
            self.section(order)?;
            let last = order == self.counts.len();
            let mut level = Vec::with_capacity(self.counts[order - 1].min(1 << 24));
            for _ in 0..self.counts[order - 1] {
                let vocab = &self.vocab;
                let parsed = match self.lines.next_line()? {
                    Some(line) if is_ngram(line) => {
                        parse_line(line, order, last, |w| vocab.get(spelling(w)).map(|s| s.0))
                    }
                    _ => Err(too_few(order)),
                };
                let ngram = parsed.map_err(|message| self.lines.malformed(message))?;
                let mut reversed = ngram.words;
                reversed[..order].reverse();
                let key = K::pack(&reversed[..order], packing);
                level.push(Record { key, prob: ngram.prob, backoff: ngram.backoff });
            }
            levels.push(level);
        }
        self.end()?;
        match assemble(levels, packing, &self.vocab) {
            Ok(levels) => Ok(Ngrams { vocab: self.vocab, levels }),
            Err(message) => self.malformed(message),
        }
    }

    fn end(&mut self) -> Result<()> {
        loop {
            match self.lines.next_line()? {
                Some(line) if line.trim_end() == "\\end\\" => return Ok(()),
                Some(line) if line.trim().is_empty() => {}
                Some(_) => {
                    return self
                        .malformed("`\\end\\` is expected here: there are more n-grams than announced");
                }
                None => return self.malformed("the file ends before `\\end\\`: it is truncated"),
            }
        }
    }
}

fn ngram_count(line: &str) -> Option<(usize, usize)> {
    let (order, count) = line.strip_prefix("ngram ")?.split_once('=')?;
    Some((order.trim().parse().ok()?, count.trim().parse().ok()?))
}

/// Some tools write the unknown word in capitals.
fn spelling(word: &str) -> &str {
    if word == "<UNK>" { "<unk>" } else { word }
}

fn is_ngram(line: &str) -> bool {
    !line.trim().is_empty() && !(line.starts_with('\\') && (line.ends_with(':') || line.ends_with('\\')))
}

fn too_few(order: usize) -> String {
    format!("the {order}-grams end here, but the header announces more: the file is truncated or altered")
}

struct Ngram {
    words: [u32; WIDE],
    prob: f32,
    backoff: f32,
}

fn parse_line(
    line: &str,
    order: usize,
    last: bool,
    mut symbol: impl FnMut(&str) -> Option<u32>,
) -> std::result::Result<Ngram, String> {
    let mut fields = words(line);
    let prob = fields.next().and_then(number).ok_or("a line of n-grams begins with a log10 probability")?;
    if prob > 0.0 {
        return Err(format!("the log10 probability {prob} is positive"));
    }
    let mut ngram = Ngram { words: [0; WIDE], prob, backoff: -0.0 };
    for slot in &mut ngram.words[..order] {
        let word = fields.next().ok_or_else(|| format!("an n-gram of {order} words is expected"))?;
        *slot = symbol(word).ok_or_else(|| format!("the word `{word}` is not among the unigrams"))?;
    }
    if let Some(field) = fields.next() {
        let backoff = number(field).filter(|_| !last && fields.next().is_none());
        ngram.backoff = backoff
            .ok_or_else(|| format!("`{field}` is too much: the {order}-gram has its words already"))?;
        if ngram.backoff == 0.0 {
            ngram.backoff = -0.0;
        }
    }
    Ok(ngram)
}

fn number(text: &str) -> Option<f32> {
    text.parse().ok().filter(|n: &f32| !n.is_nan())
}
