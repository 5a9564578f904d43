//! Rule instances from text: blocks of whole lines are read one after the other and parsed over all cores.

use crate::count::Counter;
use crate::error::Result;
use crate::instance::Batch;
use crate::notation::Parser;
use rayon::prelude::*;
use std::io::{self, BufRead};
use treeglot_text::vocab::Vocab;
use treeglot_text::{Error as TextError, Input, Place};

/// How many bytes of text are parsed at once by one thread.
const BLOCK: usize = 1 << 21;
/// The longest line: far above what any rule needs.
const LONGEST: usize = 1 << 24;

/// Whole lines, and where they begin.
struct Block {
    bytes: Vec<u8>,
    place: Place,
}

impl Counter {
    /// Counts the instances of a text, each with its count times `weight`.
    pub fn add_text(&mut self, input: Input, weight: f64) -> Result<()> {
        let mut blocks = Blocks::new(input);
        let mut window = blocks.window()?;
        while !window.is_empty() {
            let (next, batches) = rayon::join(
                || blocks.window(),
                || window.par_iter().map(parse).collect::<Result<Vec<Batch>>>(),
            );
            self.add(&batches?, weight)?;
            window = next?;
        }
        Ok(())
    }
}

fn parse(block: &Block) -> Result<Batch> {
    let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
    let (mut parser, mut place) = (Parser::default(), block.place.clone());
    let text = std::str::from_utf8(&block.bytes).map_err(|error| not_utf8(block, error.valid_up_to()))?;
    for line in text.lines() {
        parser.line(line, &place, &mut vocab, &mut batch)?;
        place.line += 1;
    }
    batch.vocab = vocab;
    Ok(batch)
}

fn not_utf8(block: &Block, at: usize) -> TextError {
    let before = &block.bytes[..at];
    let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
    TextError::Utf8 { place: Place { line: block.place.line + lines(before), ..block.place.clone() }, column }
}

fn lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// Cuts an input into blocks.
struct Blocks {
    input: Input,
    /// The begin of a line whose end was not read yet.
    rest: Vec<u8>,
    line: u64,
}

impl Blocks {
    fn new(input: Input) -> Self {
        Self { input, rest: Vec::new(), line: 1 }
    }

    /// Enough blocks to keep all threads busy for a while; none at the end.
    fn window(&mut self) -> Result<Vec<Block>> {
        let mut window = Vec::new();
        for _ in 0..2 * rayon::current_num_threads() {
            match self.next_block()? {
                Some(block) => window.push(block),
                None => break,
            }
        }
        Ok(window)
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.reserve(BLOCK);
        loop {
            let ended = self.fill(&mut bytes, BLOCK)?;
            if ended {
                break;
            }
            if let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') {
                self.rest = bytes.split_off(end + 1);
                break;
            }
            if bytes.len() > LONGEST {
                let (place, length) = (self.place(), bytes.len() as u64);
                return Err(TextError::TooLong { place, length, limit: LONGEST }.into());
            }
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let place = self.place();
        self.line += lines(&bytes);
        Ok(Some(Block { bytes, place }))
    }

    /// Appends at least `wanted` bytes; true at the end of the input.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> Result<bool> {
        let goal = bytes.len() + wanted;
        while bytes.len() < goal {
            let read = match self.input.reader.fill_buf() {
                Ok([]) => return Ok(true),
                Ok(available) => {
                    bytes.extend_from_slice(available);
                    available.len()
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(TextError::Read { place: self.place(), source }.into()),
            };
            self.input.reader.consume(read);
        }
        Ok(false)
    }

    fn place(&self) -> Place {
        Place::new(self.input.name.clone(), self.line)
    }
}
