//! Text to symbols: the first step of estimation. Blocks of lines are cut into words over all cores, each with a
//! vocabulary of its own; these are merged in the order of the text, so that symbols do not depend on the threads.

use crate::error::{Error, Result};
use crate::special::{self, EOS};
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::sync::Arc;
use treeglot_text::vocab::Vocab;
use treeglot_text::{Error as TextError, Input, Place, interrupt};

const BLOCK: usize = 1 << 20;
/// Counts are 32 bits wide, so a text may not have more tokens than that.
pub const MAX_TOKENS: u64 = u32::MAX as u64 - 1;

/// A text as symbols: all sentences in one sequence, each closed by [`EOS`].
pub struct Corpus {
    /// The words, in order of first appearance after the special ones.
    pub vocab: Vocab,
    /// The symbols.
    pub tokens: Tokens,
    /// The text's name, for messages.
    pub name: Arc<str>,
}

/// Symbols in memory, or in a temporary file once they are more than `limit`.
pub struct Tokens {
    buffer: Vec<u32>,
    file: Option<BufWriter<File>>,
    limit: usize,
    len: u64,
}

impl Tokens {
    /// Holds up to `bytes` bytes in memory.
    pub fn new(bytes: u64) -> Self {
        let limit = usize::try_from(bytes / 4).unwrap_or(usize::MAX).max(1 << 12);
        Self { buffer: Vec::new(), file: None, limit, len: 0 }
    }

    /// How many symbols there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn extend(&mut self, symbols: impl ExactSizeIterator<Item = u32>) -> Result<()> {
        self.len += symbols.len() as u64;
        self.buffer.extend(symbols);
        if self.buffer.len() < self.limit {
            return Ok(());
        }
        self.spill().map_err(Error::temporary)
    }

    fn spill(&mut self) -> std::io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::with_capacity(1 << 16, tempfile::tempfile()?)),
        };
        file.write_all(bytemuck::cast_slice(&self.buffer))?;
        self.buffer.clear();
        Ok(())
    }

    /// Other symbols in their place, of which about so many bytes are held in memory.
    pub fn map(mut self, bytes: u64, other: impl Fn(u32) -> u32) -> Result<Self> {
        let mut mapped = Self::new(bytes);
        self.pieces(1 << 16, |piece| mapped.extend(piece.iter().map(|&symbol| other(symbol))))?;
        Ok(mapped)
    }

    /// Hands all symbols, in order, to `take` in pieces of at most `piece` symbols (in one piece if they are in memory
    /// and `piece` allows).
    pub fn pieces(&mut self, piece: usize, mut take: impl FnMut(&[u32]) -> Result<()>) -> Result<()> {
        if let Some(mut file) = self.file.take() {
            file.write_all(bytemuck::cast_slice(&self.buffer)).map_err(Error::temporary)?;
            self.buffer = Vec::new();
            let mut file = file.into_inner().map_err(|e| Error::temporary(e.into_error()))?;
            file.rewind().map_err(Error::temporary)?;
            let mut reader = BufReader::with_capacity(1 << 16, file);
            let mut left = self.len;
            while left > 0 {
                let now = left.min(piece as u64) as usize;
                self.buffer.resize(now, 0);
                reader.read_exact(bytemuck::cast_slice_mut(&mut self.buffer)).map_err(Error::temporary)?;
                take(&self.buffer)?;
                left -= now as u64;
            }
            return Ok(());
        }
        self.buffer.chunks(piece).try_for_each(take)
    }
}

/// One block of text with symbols of its own vocabulary.
struct Block {
    vocab: Vocab,
    symbols: Vec<u32>,
}

/// Reads a text, one sentence a line; words are separated by blanks. The reserved words are an error, or are left out
/// if `skip_symbols`. At most about `memory` bytes of symbols are held.
pub fn read(mut input: Input, skip_symbols: bool, memory: u64) -> Result<Corpus> {
    let mut corpus =
        Corpus { vocab: special::vocabulary(), tokens: Tokens::new(memory), name: input.name.clone() };
    let mut texts: Vec<String> = Vec::new();
    let mut rest = Vec::new();
    let mut line = 1;
    loop {
        texts.clear();
        let mut starts = Vec::new();
        while texts.len() < 2 * rayon::current_num_threads() {
            let Some(text) = next_block(&mut input, &mut rest, line)? else { break };
            starts.push(line);
            line += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
            texts.push(text);
        }
        if texts.is_empty() {
            break;
        }
        let blocks: Vec<Result<Block>> = texts
            .par_iter()
            .zip(&starts)
            .inspect(|_| interrupt::check())
            .map(|(text, &line)| cut(text, skip_symbols, &Place::new(input.name.clone(), line)))
            .collect();
        for block in blocks {
            corpus.append(&block?)?;
        }
    }
    if corpus.tokens.is_empty() {
        return Err(Error::NoText { name: input.name.to_string() });
    }
    Ok(corpus)
}

impl Corpus {
    fn append(&mut self, block: &Block) -> Result<()> {
        let symbols: Vec<u32> = block.vocab.words().map(|word| self.vocab.intern(word).0).collect();
        self.tokens.extend(block.symbols.iter().map(|&s| symbols[s as usize]))?;
        if self.tokens.len() > MAX_TOKENS {
            return Err(Error::TooLong { name: self.name.to_string(), limit: MAX_TOKENS });
        }
        Ok(())
    }
}

/// The next whole lines of the input, about a block of them. `rest` keeps the begin of a line between calls.
fn next_block(input: &mut Input, rest: &mut Vec<u8>, line: u64) -> Result<Option<String>> {
    let place = |line| Place::new(input.name.clone(), line);
    let mut bytes = std::mem::take(rest);
    let mut wanted = BLOCK;
    let end = loop {
        let read = input.reader.by_ref().take(wanted as u64).read_to_end(&mut bytes);
        let read = read.map_err(|source| TextError::Read { place: place(line), source })?;
        if read < wanted {
            break bytes.len();
        }
        match memchr::memrchr(b'\n', &bytes) {
            Some(at) => break at + 1,
            None => wanted = bytes.len(),
        }
    };
    rest.extend_from_slice(&bytes[end..]);
    bytes.truncate(end);
    if bytes.is_empty() {
        return Ok(None);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(e) => {
            let (good, at) = (e.as_bytes(), e.utf8_error().valid_up_to());
            let lines = memchr::memchr_iter(b'\n', &good[..at]).count() as u64;
            let start = memchr::memrchr(b'\n', &good[..at]).map_or(0, |n| n + 1);
            Err(TextError::Utf8 { place: place(line + lines), column: at - start + 1 }.into())
        }
    }
}

fn cut(text: &str, skip_symbols: bool, place: &Place) -> Result<Block> {
    let mut block = Block { vocab: special::vocabulary(), symbols: Vec::with_capacity(text.len() / 4) };
    let text = text.strip_prefix('\u{feff}').filter(|_| place.line == 1).unwrap_or(text);
    for (number, line) in text.lines().enumerate() {
        for word in words(line) {
            let symbol = block.vocab.intern(word);
            if symbol <= EOS {
                if skip_symbols {
                    continue;
                }
                let place = Place::new(place.name.clone(), place.line + number as u64);
                return Err(Error::ReservedWord { place, word: word.to_string() });
            }
            block.symbols.push(symbol.0);
        }
        block.symbols.push(EOS.0);
    }
    Ok(block)
}

/// The words of a line, cut where KenLM cuts: at blanks, tabs, carriage returns and zero bytes, not at other spaces.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_blank = |&b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0);
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().position(|b| !is_blank(b))?;
        let start = at;
        at += bytes[at..].iter().position(is_blank).unwrap_or(bytes.len() - at);
        Some(&line[start..at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(text: &str, skip: bool, memory: u64) -> Result<Corpus> {
        let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        read(Input { name: "t".into(), reader }, skip, memory)
    }

    fn symbols(corpus: &mut Corpus, piece: usize) -> Vec<u32> {
        let mut all = Vec::new();
        let take = |piece: &[u32]| {
            all.extend_from_slice(piece);
            Ok(())
        };
        corpus.tokens.pieces(piece, take).unwrap();
        all
    }

    #[test]
    fn each_line_is_a_sentence_closed_by_its_end() {
        let mut c = corpus("\u{feff}das Haus\n\n das\tHaus  das", false, 1 << 20).unwrap();
        assert_eq!(symbols(&mut c, 1 << 20), [3, 4, 2, 2, 3, 4, 3, 2]);
        assert_eq!(c.vocab.words().collect::<Vec<_>>(), ["<unk>", "<s>", "</s>", "das", "Haus"]);
    }

    #[test]
    fn reserved_words_are_refused_with_their_line_or_skipped() {
        let error = corpus("a\nb <s> c\n", false, 1 << 20).err().unwrap().to_string();
        assert!(error.starts_with("t:2: the text has the word `<s>`"), "{error}");
        let mut c = corpus("a\nb <s> c\n", true, 1 << 20).unwrap();
        assert_eq!(symbols(&mut c, 1 << 20), [3, 2, 4, 5, 2]);
    }

    #[test]
    fn symbols_beyond_the_memory_come_back_from_disk() {
        let text: String = (0..30_000).map(|i| format!("w{} x{}\n", i % 977, i % 13)).collect();
        let in_memory = symbols(&mut corpus(&text, false, 1 << 30).unwrap(), usize::MAX);
        let spilled = symbols(&mut corpus(&text, false, 1 << 14).unwrap(), 1000);
        assert_eq!(in_memory.len(), 90_000);
        assert_eq!(in_memory, spilled);
    }

    #[test]
    fn bad_bytes_and_empty_texts_are_named() {
        let reader = Box::new(std::io::Cursor::new(b"gut\nb\xffse\n".to_vec()));
        let error = read(Input { name: "t".into(), reader }, false, 1 << 20).err().unwrap().to_string();
        assert_eq!(error, "t:2: not valid UTF-8 at byte 2 of the line");
        assert!(matches!(corpus("", false, 1 << 20), Err(Error::NoText { .. })));
    }

    #[test]
    fn words_end_at_blanks_only() {
        assert_eq!(words(" a\u{a0}b \u{3000} c\r").collect::<Vec<_>>(), ["a\u{a0}b", "\u{3000}", "c"]);
    }
}
