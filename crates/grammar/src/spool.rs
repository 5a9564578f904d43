//! Numbers and bytes put aside in temporary files: written once from front to end, read once likewise.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use treeglot_text::column::MemoryBudget;

const BUFFER: usize = 1 << 16;

/// The folder where temporary files lie, and the space for what may be held in memory instead.
#[derive(Debug, Clone)]
pub struct Scratch {
    folder: PathBuf,
    space: MemoryBudget,
}

impl Scratch {
    /// Temporary files in this folder, or where the system has them.
    pub fn new(folder: Option<&Path>) -> Self {
        Self::within(u64::MAX, folder)
    }

    /// The same for work that should use no more than `memory` bytes.
    pub fn within(memory: u64, folder: Option<&Path>) -> Self {
        let folder = folder.map_or_else(std::env::temp_dir, Path::to_owned);
        Self { space: MemoryBudget::in_folder(memory, Some(folder.clone())), folder }
    }

    /// The space for columns.
    pub fn space(&self) -> &MemoryBudget {
        &self.space
    }

    /// A file without a name.
    pub fn file(&self) -> Result<File> {
        tempfile::tempfile_in(&self.folder).map_err(|source| self.error(source))
    }

    /// The error of a file here.
    pub fn error(&self, source: io::Error) -> Error {
        Error::Temporary { path: self.folder.clone(), source }
    }

    /// Starts putting bytes aside.
    pub fn spool(&self) -> Result<Spool> {
        Ok(Spool { buffer: Vec::with_capacity(BUFFER), file: self.file()?, scratch: self.clone() })
    }
}

/// Bytes being put aside.
pub struct Spool {
    buffer: Vec<u8>,
    file: File,
    scratch: Scratch,
}

impl Spool {
    /// Appends a number.
    #[inline]
    pub fn push(&mut self, value: u32) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write_all(&self.buffer).map_err(|source| self.scratch.error(source))?;
        self.buffer.clear();
        Ok(())
    }

    /// Ends writing and goes back to the front.
    pub fn read(mut self) -> Result<SpoolReader> {
        self.flush()?;
        let Self { mut file, scratch, .. } = self;
        file.rewind().map_err(|source| scratch.error(source))?;
        Ok(SpoolReader { input: BufReader::with_capacity(BUFFER, file), scratch })
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

    /// Goes back to the front.
    pub fn again(mut self) -> Result<Self> {
        self.input.rewind().map_err(|source| self.scratch.error(source))?;
        Ok(self)
    }

    /// Writes all that is left to `out`.
    pub fn copy(&mut self, out: &mut (impl Write + ?Sized)) -> io::Result<u64> {
        io::copy(&mut self.input, out)
    }

    /// The next `len` numbers.
    pub fn numbers(&mut self, len: usize) -> impl Iterator<Item = io::Result<u32>> {
        (0..len).map(move |_| self.number())
    }
}
