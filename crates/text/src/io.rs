//! Opening inputs and outputs by name: `-` is standard input or output, `.gz` and `.zst` are unpacked and packed on
//! the way, and a file being written appears under its name only when it is complete.

use crate::error::{Error, Result};
use crate::temporary::TemporaryFile;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

const BUFFER: usize = 1 << 17;

/// A named stream of bytes to read.
pub struct Input {
    /// The name for messages.
    pub name: Arc<str>,
    /// The unpacked bytes.
    pub reader: Box<dyn BufRead + Send>,
}

impl Input {
    /// Opens a file, or standard input for `-`; `.gz` and `.zst` are unpacked.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.as_os_str() == "-" {
            let reader = Box::new(BufReader::with_capacity(BUFFER, OnceEnded::new(io::stdin())));
            return Ok(Self { name: "standard input".into(), reader });
        }
        let name: Arc<str> = path.to_string_lossy().into();
        let open = || -> io::Result<Box<dyn BufRead + Send>> {
            let file = File::open(path)?;
            if file.metadata()?.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder, not a file"));
            }
            Ok(match Packing::of(path) {
                Packing::Plain => Box::new(BufReader::with_capacity(BUFFER, file)),
                Packing::Gzip => {
                    let packed = BufReader::with_capacity(BUFFER, file);
                    Box::new(BufReader::with_capacity(BUFFER, flate2::bufread::MultiGzDecoder::new(packed)))
                }
                Packing::Zstd => {
                    Box::new(BufReader::with_capacity(BUFFER, zstd::stream::read::Decoder::new(file)?))
                }
            })
        };
        match open() {
            Ok(reader) => Ok(Self { name, reader }),
            Err(source) => Err(Error::Open { name, source }),
        }
    }
}

/// A stream that stays ended: a terminal reads on after the sign of its end (Ctrl-D), which would have to be given again for
/// everyone who looks whether there is more.
struct OnceEnded<R> {
    reader: R,
    ended: bool,
}

impl<R> OnceEnded<R> {
    fn new(reader: R) -> Self {
        Self { reader, ended: false }
    }
}

impl<R: Read> Read for OnceEnded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let read = self.reader.read(buffer)?;
        self.ended = read == 0 && !buffer.is_empty();
        Ok(read)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    fn of(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::Plain,
        }
    }
}

enum Sink {
    Plain(BufWriter<TemporaryFile>),
    Gzip(flate2::write::GzEncoder<BufWriter<TemporaryFile>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<TemporaryFile>>),
    /// Standard output, and devices or pipes that cannot be replaced by renaming.
    Stream(BufWriter<Box<dyn Write + Send>>),
}

/// A named stream of bytes to write. Call [`Output::finish`]: a file that is dropped unfinished leaves no trace.
pub struct Output {
    name: Arc<str>,
    sink: Sink,
}

impl Output {
    /// Starts writing a file, or standard output for `-`; `.gz` and `.zst` are packed.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.as_os_str() == "-" {
            let sink = Sink::Stream(BufWriter::with_capacity(BUFFER, Box::new(io::stdout())));
            return Ok(Self { name: "standard output".into(), sink });
        }
        let name: Arc<str> = path.to_string_lossy().into();
        match Self::sink(path) {
            Ok(sink) => Ok(Self { name, sink }),
            Err(source) => Err(Error::Write { name, source }),
        }
    }

    fn sink(path: &Path) -> io::Result<Sink> {
        if path.metadata().is_ok_and(|m| !m.is_file()) {
            let file = File::options().write(true).open(path)?;
            return Ok(Sink::Stream(BufWriter::with_capacity(BUFFER, Box::new(file))));
        }
        let file = BufWriter::with_capacity(BUFFER, TemporaryFile::beside(path)?);
        Ok(match Packing::of(path) {
            Packing::Plain => Sink::Plain(file),
            Packing::Gzip => Sink::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default())),
            Packing::Zstd => Sink::Zstd(zstd::stream::write::Encoder::new(file, 3)?),
        })
    }

    /// Completes the output: what was written is on disk, and then the file has its name.
    pub fn finish(self) -> Result<()> {
        let Self { name, sink } = self;
        let complete = || -> io::Result<()> {
            let file = match sink {
                Sink::Plain(file) => file,
                Sink::Gzip(packer) => packer.finish()?,
                Sink::Zstd(packer) => packer.finish()?,
                Sink::Stream(mut stream) => return stream.flush(),
            };
            file.into_inner().map_err(io::IntoInnerError::into_error)?.persist()
        };
        complete().map_err(|source| Error::Write { name, source })
    }

    /// The error of a failed write to this output.
    pub fn error(&self, source: io::Error) -> Error {
        Error::Write { name: self.name.clone(), source }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(w) => w.write(bytes),
            Sink::Gzip(w) => w.write(bytes),
            Sink::Zstd(w) => w.write(bytes),
            Sink::Stream(w) => w.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(w) => w.flush(),
            Sink::Gzip(w) => w.flush(),
            Sink::Zstd(w) => w.flush(),
            Sink::Stream(w) => w.flush(),
        }
    }
}

/// A file's name without the ending that says how it is packed, as its format and language are told from it.
pub fn unpacked_name(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a line, an end, and more after it, as a terminal does.
    struct Terminal(Vec<&'static str>);

    impl Read for Terminal {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let text = self.0.remove(0);
            buffer[..text.len()].copy_from_slice(text.as_bytes());
            Ok(text.len())
        }
    }

    #[test]
    fn one_end_of_a_terminal_is_the_end() {
        let mut reader = BufReader::new(OnceEnded::new(Terminal(vec!["a\n", "b", "", "c"])));
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), reader.fill_buf().unwrap()), ("a\nb", &b""[..]));
    }

    #[test]
    fn what_is_written_plain_or_packed_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.txt", "a.txt.gz", "a.txt.zst"] {
            let path = folder.path().join(name);
            let mut out = Output::create(&path).unwrap();
            out.write_all("grüße\n".repeat(1000).as_bytes()).unwrap();
            assert!(!path.exists(), "{name} appears only when finished");
            out.finish().unwrap();
            let mut text = String::new();
            Input::open(&path).unwrap().reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "grüße\n".repeat(1000));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file is left");
    }

    #[test]
    fn an_unfinished_output_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Output::create(folder.path().join("a")).unwrap();
        out.write_all(b"half").unwrap();
        drop(out);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_where_it_points() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("there")).unwrap();
        for target in ["there/old", "there/new"] {
            let (file, link) = (folder.path().join(target), folder.path().join("link"));
            std::fs::write(folder.path().join("there/old"), "old").unwrap();
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(target, &link).unwrap();
            let mut out = Output::create(&link).unwrap();
            out.write_all(b"text").unwrap();
            out.finish().unwrap();
            assert_eq!(std::fs::read(&file).unwrap(), b"text", "{target}");
            assert!(link.is_symlink(), "{target}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_errors_that_name_them() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Input::open(folder.path().join("none.txt")).err().unwrap().to_string();
        assert!(missing.contains("none.txt: cannot open"), "{missing}");
        let folder = Input::open(folder.path()).err().unwrap();
        let reason = std::error::Error::source(&folder).unwrap().to_string();
        assert!(reason.contains("this is a folder"), "{reason}");
        let nowhere = Output::create("/no/such/folder/x").err().unwrap();
        let reason = std::error::Error::source(&nowhere).unwrap().to_string();
        assert_eq!(reason, "there is no folder /no/such/folder");
    }
}
