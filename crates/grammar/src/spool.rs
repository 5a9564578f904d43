//! Numbers and bytes put aside in temporary files: written once from front to end, read once likewise.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The folder where temporary files lie.
#[derive(Debug, Clone)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Temporary files in this folder, or where the system has them.
    pub fn new(folder: Option<&Path>) -> Self {
        Self(folder.map_or_else(std::env::temp_dir, Path::to_owned))
    }

    /// A file without a name.
    pub fn file(&self) -> Result<File> {
        tempfile::tempfile_in(&self.0).map_err(|source| self.error(source))
    }

    /// The error of a file here.
    pub fn error(&self, source: io::Error) -> Error {
        Error::Temporary { path: self.0.clone(), source }
    }

    /// Starts putting bytes aside.
    pub fn spool(&self) -> Result<Spool> {
        Ok(Spool { out: BufWriter::with_capacity(1 << 16, self.file()?), scratch: self.clone() })
    }
}

/// Bytes being put aside.
pub struct Spool {
    out: BufWriter<File>,
    scratch: Scratch,
}

impl Spool {
    /// Appends a number.
    pub fn push(&mut self, value: u32) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|source| self.scratch.error(source))
    }

    /// Ends writing and goes back to the front.
    pub fn read(self) -> Result<SpoolReader> {
        let Self { out, scratch } = self;
        let rewound = out.into_inner().map_err(io::IntoInnerError::into_error).and_then(|mut file| {
            file.rewind()?;
            Ok(file)
        });
        let file = rewound.map_err(|source| scratch.error(source))?;
        Ok(SpoolReader { input: BufReader::with_capacity(1 << 16, file), scratch })
    }
}

/// Reads what was put aside.
pub struct SpoolReader {
    input: BufReader<File>,
    scratch: Scratch,
}

impl SpoolReader {
    /// The next number.
    pub fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.input.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// The next bytes, as many as `out` has.
    pub fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        self.input.read_exact(out).map_err(|source| self.scratch.error(source))
    }

    /// The next `len` numbers.
    pub fn numbers(&mut self, len: usize) -> impl Iterator<Item = io::Result<u32>> {
        (0..len).map(move |_| self.number())
    }
}
