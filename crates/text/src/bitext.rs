//! Files that belong together line by line (source, target, and what annotates them), read in step.

use crate::error::{Error, Place, Result};
use crate::lines::{Lines, MAX_LINE};
use std::fmt;
use std::io::BufRead;
use std::path::Path;

/// How to treat lines that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The longest line that is accepted, in bytes.
    pub max_line: usize,
    /// Skip and count rows with an unusable line, instead of stopping at the first.
    pub skip_bad: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_line: MAX_LINE, skip_bad: false }
    }
}

/// How many rows were skipped, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Skipped {
    /// A side was not UTF-8.
    pub utf8: u64,
    /// A side was too long.
    pub too_long: u64,
    /// A side had no line left.
    pub unpaired: u64,
}

impl Skipped {
    /// Adds those of other rows.
    pub fn merge(&mut self, other: Self) {
        self.utf8 += other.utf8;
        self.too_long += other.too_long;
        self.unpaired += other.unpaired;
    }

    /// Counts a bad line by its error; `false` if the error is not about a line.
    pub fn count(&mut self, error: &Error) -> bool {
        match error {
            Error::Utf8 { .. } => self.utf8 += 1,
            Error::TooLong { .. } => self.too_long += 1,
            Error::Unequal { .. } => self.unpaired += 1,
            _ => return false,
        }
        true
    }

    /// All skipped rows.
    pub fn total(self) -> u64 {
        self.utf8 + self.too_long + self.unpaired
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { utf8, too_long, unpaired } = self;
        let lines = if self.total() == 1 { "line" } else { "lines" };
        let total = self.total();
        write!(
            f,
            "{total} {lines} skipped: {utf8} not UTF-8, {too_long} too long, {unpaired} without partner"
        )
    }
}

/// One line of each file.
#[derive(Debug)]
pub enum Row<'a> {
    /// The lines, in the order of the files.
    Texts(&'a [String]),
    /// With [`Options::skip_bad`]: a row to be left out, and why. It counts as a line, so that numbers stay in step.
    Bad(Error),
}

/// Any number of files read in step, in memory for one line each.
pub struct Bitext<R = Box<dyn BufRead + Send>> {
    files: Vec<Lines<R>>,
    texts: Vec<String>,
    options: Options,
    skipped: Skipped,
    ended: bool,
}

impl Bitext {
    /// Opens the files; see [`crate::Input::open`].
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, options: Options) -> Result<Self> {
        let files = paths.into_iter().map(Lines::open).collect::<Result<_>>()?;
        Ok(Self::new(files, options))
    }
}

impl<R: BufRead> Bitext<R> {
    /// Reads the given lines in step.
    pub fn new(files: Vec<Lines<R>>, options: Options) -> Self {
        let files: Vec<Lines<R>> = files.into_iter().map(|f| f.limit(options.max_line)).collect();
        let texts = vec![String::new(); files.len()];
        Self { files, texts, options, skipped: Skipped::default(), ended: false }
    }

    /// The number of the row read last, from 1.
    pub fn line(&self) -> u64 {
        self.files.iter().map(Lines::line).max().unwrap_or(0)
    }

    /// The place of the row read last, in the given file.
    pub fn place(&self, file: usize) -> Place {
        self.files[file].place()
    }

    /// What was skipped so far.
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// The next row, or `None` when the files end together.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        if self.ended {
            return Ok(None);
        }
        let mut bad = None;
        let mut ended = None;
        let mut going = None;
        for (ix, (file, text)) in self.files.iter_mut().zip(&mut self.texts).enumerate() {
            text.clear();
            match file.next_line() {
                Ok(Some(line)) => {
                    text.push_str(line);
                    going = going.or(Some(ix));
                }
                Ok(None) => ended = ended.or(Some(ix)),
                Err(e @ (Error::Utf8 { .. } | Error::TooLong { .. })) => {
                    bad = bad.or(Some(e));
                    going = going.or(Some(ix));
                }
                Err(e) => return Err(e),
            }
        }
        let error = match (ended, going) {
            (Some(_), None) => {
                self.ended = true;
                return Ok(None);
            }
            (Some(shorter), Some(longer)) => Some(self.unequal(shorter, longer)),
            _ => bad,
        };
        let Some(error) = error else { return Ok(Some(Row::Texts(&self.texts))) };
        if !self.options.skip_bad {
            return Err(error);
        }
        self.skipped.count(&error);
        Ok(Some(Row::Bad(error)))
    }

    fn unequal(&self, shorter: usize, longer: usize) -> Error {
        let ended = &self.files[shorter];
        Error::Unequal { longer: self.place(longer), shorter: ended.name().clone(), lines: ended.line() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(a: &[u8], b: &[u8], skip_bad: bool) -> (Vec<std::result::Result<String, String>>, Skipped) {
        let files = vec![Lines::new("a", a), Lines::new("b", b)];
        let mut bitext = Bitext::new(files, Options { max_line: 8, skip_bad });
        let mut out = Vec::new();
        loop {
            match bitext.next_row() {
                Ok(Some(Row::Texts(t))) => out.push(Ok(t.join("|"))),
                Ok(Some(Row::Bad(e))) => out.push(Err(e.to_string())),
                Ok(None) => return (out, bitext.skipped()),
                Err(e) => {
                    out.push(Err(format!("stop: {e}")));
                    return (out, bitext.skipped());
                }
            }
        }
    }

    #[test]
    fn files_are_read_in_step() {
        assert_eq!(rows(b"1\n2\n", b"x\ny", false).0, [Ok("1|x".into()), Ok("2|y".into())]);
        assert!(rows(b"", b"", false).0.is_empty());
    }

    #[test]
    fn unequal_line_counts_name_the_line_without_partner() {
        let (got, _) = rows(b"1\n2\n3\n", b"x\n", false);
        assert_eq!(got[1], Err("stop: a:2: this line has no partner: b has only 1 lines".into()));
        let (got, skipped) = rows(b"1\n2\n3\n", b"x\n", true);
        assert_eq!((got.len(), skipped), (3, Skipped { unpaired: 2, ..Skipped::default() }));
    }

    #[test]
    fn bad_rows_stop_or_are_skipped_and_counted() {
        let (a, b) = (b"1\n\xff\n3\n4\n", b"w\nx\nfar too long\nz\n");
        assert_eq!(rows(a, b, false).0[1], Err("stop: a:2: not valid UTF-8 at byte 1 of the line".into()));
        let (got, skipped) = rows(a, b, true);
        assert_eq!((&got[0], &got[3]), (&Ok("1|w".into()), &Ok("4|z".into())));
        assert_eq!(skipped, Skipped { utf8: 1, too_long: 1, unpaired: 0 });
        assert_eq!(skipped.to_string(), "2 lines skipped: 1 not UTF-8, 1 too long, 0 without partner");
    }
}
