//! The bytes below the XML reader: counted in lines, and decoded into UTF-8 where they are not.

use memchr::memchr_iter;
use std::io::{self, BufRead};

/// Bytes with their line number; decoded from ISO-8859-1 into UTF-8 once `latin1` is set.
pub(super) struct Source<R> {
    inner: R,
    /// The line of the next byte, from 1.
    pub(super) line: u64,
    /// Set when the prolog declares it.
    pub(super) latin1: bool,
    decoded: String,
    used: usize,
}

impl<R> Source<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, line: 1, latin1: false, decoded: String::new(), used: 0 }
    }
}

impl<R: BufRead> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if !self.latin1 {
            return self.inner.fill_buf();
        }
        if self.used == self.decoded.len() {
            let bytes = self.inner.fill_buf()?;
            self.decoded.clear();
            self.decoded.extend(bytes.iter().map(|&b| char::from(b)));
            let length = bytes.len();
            self.used = 0;
            self.inner.consume(length);
        }
        Ok(&self.decoded.as_bytes()[self.used..])
    }

    fn consume(&mut self, length: usize) {
        if self.latin1 {
            let range = self.used..self.used + length;
            self.line += memchr_iter(b'\n', &self.decoded.as_bytes()[range]).count() as u64;
            self.used += length;
            return;
        }
        if length > 0 {
            let read = self.inner.fill_buf().unwrap_or_default();
            self.line += memchr_iter(b'\n', &read[..length.min(read.len())]).count() as u64;
        }
        self.inner.consume(length);
    }
}

impl<R: BufRead> io::Read for Source<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(out.len());
        out[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}
