//! Lines of UTF-8 text, one at a time, with the line number for messages.

use crate::error::{Error, Place, Result};
use crate::interrupt;
use crate::io::Input;
use std::io::{self, BufRead};
use std::path::Path;
use std::sync::Arc;

/// The default limit on a line's length: far above any sentence, far below what would exhaust memory.
pub const MAX_LINE: usize = 1 << 20;

/// Reads lines from an input. After [`Error::Utf8`] or [`Error::TooLong`] the bad line is behind it and reading
/// may go on.
pub struct Lines<R = Box<dyn BufRead + Send>> {
    name: Arc<str>,
    reader: R,
    line: u64,
    limit: usize,
    buffer: Vec<u8>,
}

impl Lines {
    /// The lines of a file; see [`Input::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let input = Input::open(path)?;
        Ok(Self::new(input.name, input.reader))
    }
}

impl<R: BufRead> Lines<R> {
    /// The lines of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { name: name.into(), reader, line: 0, limit: MAX_LINE, buffer: Vec::new() }
    }

    /// Sets the longest line that is accepted, in bytes.
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// The line read last.
    pub fn place(&self) -> Place {
        Place { name: self.name.clone(), line: self.line }
    }

    /// The input's name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The number of the line read last, from 1; 0 before the first.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// An error at the line read last.
    pub fn malformed(&self, message: impl Into<String>) -> Error {
        Error::Malformed { place: self.place(), message: message.into() }
    }

    /// The next line without its end (`\n`, with any `\r` before it) and without a byte order mark, or `None` at the
    /// end of the input.
    pub fn next_line(&mut self) -> Result<Option<&str>> {
        interrupt::check();
        match self.fill() {
            Ok(None) => return Ok(None),
            Ok(Some(length)) if length > self.limit as u64 => {
                return Err(Error::TooLong { place: self.place(), length, limit: self.limit });
            }
            Ok(Some(_)) => {}
            Err(source) => return Err(Error::Read { place: self.place(), source }),
        }
        while self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        while self.line == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some(line)),
            Err(e) => Err(Error::Utf8 {
                place: Place { name: self.name.clone(), line: self.line },
                column: e.valid_up_to() + 1,
            }),
        }
    }

    /// Reads one line into the buffer and returns its full length; of an over-long line only the start is kept.
    fn fill(&mut self) -> io::Result<Option<u64>> {
        self.buffer.clear();
        let mut length = 0u64;
        let mut any = false;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if available.is_empty() {
                break;
            }
            if !any {
                any = true;
                self.line += 1;
            }
            let end = memchr::memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            if self.buffer.len() <= self.limit {
                self.buffer.extend_from_slice(piece);
            }
            length += piece.len() as u64;
            let used = piece.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(any.then_some(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], limit: usize) -> Vec<std::result::Result<String, String>> {
        let mut lines = Lines::new("t", text).limit(limit);
        let mut out = Vec::new();
        loop {
            match lines.next_line() {
                Ok(Some(line)) => out.push(Ok(line.to_string())),
                Ok(None) => return out,
                Err(e) => out.push(Err(e.to_string())),
            }
        }
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_are_not_text() {
        assert_eq!(all(b"\xef\xbb\xbfa\r\nb\r\r\n\nc", 10), ["a", "b", "", "c"].map(|s| Ok(s.to_string())));
        assert!(all(b"", 10).is_empty());
    }

    #[test]
    fn a_bad_line_is_an_error_with_its_place_and_reading_goes_on() {
        let got = all(b"a\nb\xffc\ntoo long a line\nd\n", 10);
        assert_eq!(got[1], Err("t:2: not valid UTF-8 at byte 2 of the line".into()));
        assert_eq!(got[2], Err("t:3: the line has 15 bytes, more than the limit of 10".into()));
        assert_eq!(got[3], Ok("d".into()));
    }
}
