//! Mapped files: the container of vocabularies, tables and language models. Opening one maps it and checks its
//! header; nothing is loaded, so opening takes the same time whatever the size.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `TREEGLOT` |
//! | 8 | the kind of file, e.g. `vocab`, padded with zeros |
//! | 4 + 4 | version of the kind, number of sections |
//! | 8 | length of the whole file |
//! | 8 | checksum of the header: all of it but this field |
//! | 32 each | section: tag (8 bytes), offset, length, checksum |
//!
//! All numbers are little-endian; sections begin at multiples of 64 bytes, so that a view of any plain type is
//! aligned. Section checksums (xxh3) are verified by [`MappedFile::verify`], not at opening.

use crate::error::{Error, Result};
use crate::temporary::TemporaryFile;
use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

#[cfg(not(target_endian = "little"))]
compile_error!("mapped files are little-endian and are viewed in place");

const MAGIC: [u8; 8] = *b"TREEGLOT";
const ALIGN: u64 = 64;

/// The name of a section, or of a kind of file: up to eight ASCII bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Tag([u8; 8]);

impl Tag {
    /// A tag from its text; longer than eight bytes does not compile in a constant.
    pub const fn new(text: &str) -> Self {
        assert!(text.len() <= 8, "a tag has at most eight bytes");
        let mut bytes = [0; 8];
        let mut i = 0;
        while i < text.len() {
            bytes[i] = text.as_bytes()[i];
            i += 1;
        }
        Self(bytes)
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&self.0).trim_end_matches('\0').to_string()
    }
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    kind: Tag,
    version: u32,
    sections: u32,
    length: u64,
    checksum: u64,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Section {
    tag: Tag,
    offset: u64,
    length: u64,
    checksum: u64,
}

const HEADER: usize = size_of::<Header>();
const SECTION: usize = size_of::<Section>();

fn header_checksum(mut header: Header, sections: &[Section]) -> u64 {
    header.checksum = 0;
    let mut hash = Xxh3::new();
    hash.update(bytemuck::bytes_of(&header));
    hash.update(bytemuck::cast_slice(sections));
    hash.digest()
}

/// Writes a mapped file section by section; it appears under its name when finished.
pub struct MappedWriter {
    name: Arc<str>,
    file: BufWriter<TemporaryFile>,
    kind: Tag,
    version: u32,
    tags: Vec<Tag>,
    sections: Vec<Section>,
    at: u64,
}

impl MappedWriter {
    /// Starts a file of the given kind and version that will have these sections, in this order.
    pub fn create(path: &Path, kind: Tag, version: u32, tags: &[Tag]) -> Result<Self> {
        let name: Arc<str> = path.to_string_lossy().into();
        let start = || -> io::Result<BufWriter<TemporaryFile>> {
            let mut file = BufWriter::with_capacity(1 << 17, TemporaryFile::beside(path)?);
            file.write_all(&vec![0; HEADER + SECTION * tags.len()])?;
            Ok(file)
        };
        let file = start().map_err(|source| Error::Write { name: name.clone(), source })?;
        let at = (HEADER + SECTION * tags.len()) as u64;
        Ok(Self { name, file, kind, version, tags: tags.to_vec(), sections: Vec::new(), at })
    }

    /// Writes the next section whole.
    pub fn section<T: Pod>(&mut self, tag: Tag, values: &[T]) -> Result<()> {
        self.stream(tag, |out| out.write_all(bytemuck::cast_slice(values)))
    }

    /// Writes the next section piece by piece.
    pub fn stream(
        &mut self,
        tag: Tag,
        write: impl FnOnce(&mut SectionWriter<'_>) -> io::Result<()>,
    ) -> Result<()> {
        assert_eq!(self.tags.get(self.sections.len()), Some(&tag), "sections come in the declared order");
        let padding = (ALIGN - self.at % ALIGN) % ALIGN;
        let offset = self.at + padding;
        let mut out = SectionWriter { file: &mut self.file, hash: Xxh3::new(), length: 0 };
        let written =
            out.file.write_all(&[0; ALIGN as usize][..padding as usize]).and_then(|()| write(&mut out));
        let (length, checksum) = (out.length, out.hash.digest());
        written.map_err(|source| Error::Write { name: self.name.clone(), source })?;
        self.at = offset + length;
        self.sections.push(Section { tag, offset, length, checksum });
        Ok(())
    }

    /// Writes the header and gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        assert_eq!(self.sections.len(), self.tags.len(), "every declared section was written");
        let mut header = Header {
            magic: MAGIC,
            kind: self.kind,
            version: self.version,
            sections: self.sections.len() as u32,
            length: self.at,
            checksum: 0,
        };
        header.checksum = header_checksum(header, &self.sections);
        let complete = || -> io::Result<()> {
            self.file.rewind()?;
            self.file.write_all(bytemuck::bytes_of(&header))?;
            self.file.write_all(bytemuck::cast_slice(&self.sections))?;
            self.file.into_inner().map_err(io::IntoInnerError::into_error)?.persist()
        };
        complete().map_err(|source| Error::Write { name: self.name, source })
    }
}

/// Takes the bytes of one section.
pub struct SectionWriter<'a> {
    file: &'a mut BufWriter<TemporaryFile>,
    hash: Xxh3,
    length: u64,
}

impl Write for SectionWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A mapped file whose header was checked.
#[derive(Debug, Clone)]
pub struct MappedFile {
    name: Arc<str>,
    map: Arc<Mmap>,
    sections: Vec<Section>,
}

impl MappedFile {
    /// Maps a file and checks that it is of this kind and version and complete.
    pub fn open(path: impl AsRef<Path>, kind: Tag, version: u32) -> Result<Self> {
        Ok(Self::open_one_of(path, &[(kind, version)])?.1)
    }

    /// As [`MappedFile::open`], for a file that may be of several kinds, each with its version; tells of which it is.
    pub fn open_one_of(path: impl AsRef<Path>, kinds: &[(Tag, u32)]) -> Result<(Tag, Self)> {
        let path = path.as_ref();
        let name: Arc<str> = path.to_string_lossy().into();
        let map = map(path).map_err(|source| Error::Open { name: name.clone(), source })?;
        let corrupt = |reason: String| Error::Corrupt { name: name.clone(), reason };
        let (kind, sections) = check_header(&map, kinds).map_err(corrupt)?;
        Ok((kind, Self { name, map: Arc::new(map), sections }))
    }

    /// A view of a section as values of a plain type.
    pub fn view<T: Pod>(&self, tag: Tag) -> Result<View<T>> {
        let range = self.range(tag)?;
        if let Err(e) = bytemuck::try_cast_slice::<u8, T>(&self.map[range.clone()]) {
            return Err(self.corrupt(format!("the section `{}` is damaged: {e}", tag.text())));
        }
        Ok(View { map: self.map.clone(), range, values: PhantomData })
    }

    /// Reads the whole file and compares every section with its checksum.
    pub fn verify(&self) -> Result<()> {
        for section in &self.sections {
            let range = section.offset as usize..(section.offset + section.length) as usize;
            if xxh3_64(&self.map[range]) != section.checksum {
                let tag = section.tag.text();
                return Err(
                    self.corrupt(format!("the section `{tag}` was altered: its checksum does not match"))
                );
            }
        }
        Ok(())
    }

    /// The names of all sections and their lengths in bytes.
    pub fn sections(&self) -> impl Iterator<Item = (String, u64)> {
        self.sections.iter().map(|section| (section.tag.text(), section.length))
    }

    /// An error about this file's content.
    pub fn corrupt(&self, reason: String) -> Error {
        Error::Corrupt { name: self.name.clone(), reason }
    }

    fn range(&self, tag: Tag) -> Result<Range<usize>> {
        let section = self.sections.iter().find(|s| s.tag == tag);
        let section =
            section.ok_or_else(|| self.corrupt(format!("the section `{}` is missing", tag.text())))?;
        Ok(section.offset as usize..(section.offset + section.length) as usize)
    }
}

#[expect(unsafe_code, reason = "mapping a file is unsafe by nature")]
fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the bytes are only read, through types valid for any bit pattern, and every offset found in them is
    // checked before use, so a file that someone rewrites in place can give wrong values but no undefined index;
    // our own writers never rewrite, they rename.
    unsafe { Mmap::map(&file) }
}

fn check_header(bytes: &[u8], kinds: &[(Tag, u32)]) -> std::result::Result<(Tag, Vec<Section>), String> {
    let wanted = || kinds.iter().map(|(kind, _)| kind.text()).collect::<Vec<_>>().join(" or ");
    let foreign = || format!("not a treeglot {} file", wanted());
    if bytes.len() < 8 || bytes[..8] != MAGIC {
        return Err(foreign());
    }
    let header: Header =
        bytes.get(..HEADER).map(bytemuck::pod_read_unaligned).ok_or("the file is truncated")?;
    let Some(&(kind, version)) = kinds.iter().find(|(kind, _)| *kind == header.kind) else {
        return Err(format!(
            "this is a treeglot {} file, but a {} file is needed",
            header.kind.text(),
            wanted()
        ));
    };
    if header.version != version {
        return Err(format!(
            "the file has version {}, but this treeglot reads version {version}; build it again",
            header.version
        ));
    }
    if header.length != bytes.len() as u64 {
        return Err(format!(
            "the file is truncated or altered: it has {} bytes, not {}",
            bytes.len(),
            header.length
        ));
    }
    let table = HEADER..HEADER.saturating_add(SECTION.saturating_mul(header.sections as usize));
    let table = bytes.get(table).ok_or("the section table is damaged")?;
    let sections: Vec<Section> = table.chunks_exact(SECTION).map(bytemuck::pod_read_unaligned).collect();
    if header_checksum(header, &sections) != header.checksum {
        return Err("the header was altered: its checksum does not match".to_string());
    }
    for section in &sections {
        let end = section.offset.checked_add(section.length);
        if end.is_none_or(|end| end > header.length) || section.offset % ALIGN != 0 {
            return Err(format!("the section `{}` lies outside the file", section.tag.text()));
        }
    }
    Ok((kind, sections))
}

/// Makes the checksums of a mapped file right again after its sections were altered. For tests of readers: damage that a
/// checksum tells never gets to them. Bytes that are no mapped file stay as they are.
pub fn reseal(bytes: &mut [u8]) {
    let Some(mut header) = bytes.get(..HEADER).map(bytemuck::pod_read_unaligned::<Header>) else { return };
    let table = HEADER..HEADER.saturating_add(SECTION.saturating_mul(header.sections as usize));
    let Some(table_bytes) = bytes.get(table.clone()) else { return };
    let mut sections: Vec<Section> =
        table_bytes.chunks_exact(SECTION).map(bytemuck::pod_read_unaligned).collect();
    for section in &mut sections {
        let end = section.offset.saturating_add(section.length);
        if let Some(content) = bytes.get(section.offset as usize..end as usize) {
            section.checksum = xxh3_64(content);
        }
    }
    header.checksum = header_checksum(header, &sections);
    bytes[..HEADER].copy_from_slice(bytemuck::bytes_of(&header));
    bytes[table].copy_from_slice(bytemuck::cast_slice(&sections));
}

/// A section as a slice of a plain type; it keeps its file mapped.
pub struct View<T> {
    map: Arc<Mmap>,
    range: Range<usize>,
    values: PhantomData<T>,
}

impl<T: Pod> Deref for View<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[self.range.clone()])
    }
}

impl<T> Clone for View<T> {
    fn clone(&self) -> Self {
        Self { map: self.map.clone(), range: self.range.clone(), values: PhantomData }
    }
}

impl<T: Pod + std::fmt::Debug> std::fmt::Debug for View<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "View of {} values", self.len())
    }
}

/// An array of a plain type that is either in memory or a section of a mapped file.
#[derive(Clone)]
pub enum Store<T> {
    /// Built in this process.
    Owned(Vec<T>),
    /// A section of a mapped file.
    Mapped(View<T>),
}

impl<T: Pod> Deref for Store<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(values) => values,
            Self::Mapped(view) => view,
        }
    }
}

impl<T> From<Vec<T>> for Store<T> {
    fn from(values: Vec<T>) -> Self {
        Self::Owned(values)
    }
}

impl<T: Pod + std::fmt::Debug> std::fmt::Debug for Store<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.len())
    }
}
