//! Text cut by a SentencePiece model of the unigram kind, as sacreBLEU's `flores101` and `flores200` do with the models of those
//! benchmarks, which users bring along: text is normalised by the model's own table, blanks become `▁`, and of all ways to cut
//! it into pieces the most probable is taken.

use super::is_space;
use crate::error::Error;
use rustc_hash::FxHashMap;
use std::path::Path;

/// What stands for a blank.
const BLANK: char = '\u{2581}';
/// How much less probable than the least probable piece a character is that no piece has.
const UNKNOWN_PENALTY: f32 = 10.0;

/// A model: pieces with their scores, and what text becomes before it is cut.
#[derive(Debug, Default)]
pub struct Model {
    pieces: FxHashMap<String, f32>,
    /// The longest piece, in characters.
    longest: usize,
    unknown: f32,
    charsmap: Charsmap,
    dummy_prefix: bool,
    extra_blanks: bool,
}

impl Model {
    /// Reads a model's file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let wrong = |why: &str| Error::Setting(format!("{}: {why}", path.display()));
        let bytes = std::fs::read(path).map_err(|error| wrong(&format!("cannot read: {error}")))?;
        let no_model = "this is no SentencePiece model of the unigram kind";
        Self::parse(&bytes).filter(|model| !model.pieces.is_empty()).ok_or_else(|| wrong(no_model))
    }

    /// A model from the bytes of its file, a message of protocol buffers.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut model = Self { dummy_prefix: true, ..Self::default() };
        let mut least = f32::MAX;
        for field in Fields(bytes) {
            match field? {
                (1, Value::Bytes(piece)) => {
                    let (text, score, kind) = piece_of(piece)?;
                    // 1 is a normal piece, 4 one that users defined; others never stand for text.
                    if matches!(kind, 1 | 4) {
                        least = least.min(score);
                        model.longest = model.longest.max(text.chars().count());
                        model.pieces.insert(text, score);
                    }
                }
                (2, Value::Bytes(trainer)) => {
                    let kinds = Fields(trainer).collect::<Option<Vec<_>>>()?;
                    // The model's type: 1 is unigram, which is also what a model is that does not say.
                    if kinds.iter().any(|field| matches!(field, (3, Value::Number(kind)) if *kind != 1)) {
                        return None;
                    }
                }
                (3, Value::Bytes(normalizer)) => model.read_normalizer(normalizer)?,
                _ => {}
            }
        }
        model.unknown = least - UNKNOWN_PENALTY;
        Some(model)
    }

    fn read_normalizer(&mut self, bytes: &[u8]) -> Option<()> {
        for field in Fields(bytes) {
            match field? {
                (2, Value::Bytes(map)) => self.charsmap = Charsmap::parse(map)?,
                (3, Value::Number(on)) => self.dummy_prefix = on != 0,
                (4, Value::Number(on)) => self.extra_blanks = on == 0,
                _ => {}
            }
        }
        Some(())
    }

    /// The pieces of a text, with spaces between them.
    pub fn tokenize(&self, text: &str) -> String {
        let text: Vec<char> = self.normalize(text).chars().collect();
        // best[end]: the score of the best way to cut all before it, where its last piece starts, and whether no piece has that.
        let mut best: Vec<(f32, usize, bool)> = vec![(f32::NEG_INFINITY, 0, false); text.len() + 1];
        best[0].0 = 0.0;
        let mut piece = String::new();
        for start in 0..text.len() {
            let (before, ..) = best[start];
            piece.clear();
            for end in start + 1..=(start + self.longest.max(1)).min(text.len()) {
                piece.push(text[end - 1]);
                let known = self.pieces.get(&piece).copied();
                let Some(score) = known.or((end == start + 1).then_some(self.unknown)) else { continue };
                if before + score > best[end].0 {
                    best[end] = (before + score, start, known.is_none());
                }
            }
        }
        let mut cuts = Vec::new();
        let mut end = text.len();
        while end > 0 {
            let (_, start, unknown) = best[end];
            cuts.push((start, end, unknown));
            end = start;
        }
        cuts.reverse();
        // Neighbours that no piece has are one.
        cuts.dedup_by(|next, last| {
            let joined = next.2 && last.2;
            if joined {
                last.1 = next.1;
            }
            joined
        });
        let pieces: Vec<String> =
            cuts.iter().map(|&(start, end, _)| text[start..end].iter().collect()).collect();
        pieces.join(" ")
    }

    /// The text as pieces have it.
    fn normalize(&self, text: &str) -> String {
        let mapped = self.charsmap.apply(text);
        let mut out = String::new();
        if self.extra_blanks {
            out.extend(mapped.chars().map(|c| if c == ' ' { BLANK } else { c }));
            if self.dummy_prefix && !out.is_empty() {
                out.insert(0, BLANK);
            }
            return out;
        }
        for word in mapped.split(' ').filter(|word| !word.is_empty()) {
            if self.dummy_prefix || !out.is_empty() {
                out.push(BLANK);
            }
            out.push_str(word);
        }
        out
    }
}

/// The text, score and kind of a piece.
fn piece_of(bytes: &[u8]) -> Option<(String, f32, u64)> {
    let (mut text, mut score, mut kind) = (None, 0.0, 1);
    for field in Fields(bytes) {
        match field? {
            (1, Value::Bytes(bytes)) => text = Some(String::from_utf8(bytes.to_vec()).ok()?),
            (2, Value::Float(value)) => score = value,
            (3, Value::Number(value)) => kind = value,
            _ => {}
        }
    }
    Some((text?, score, kind))
}

/// What characters become before text is cut: a double array, whose values are places in a list of texts.
#[derive(Debug, Default)]
struct Charsmap {
    units: Vec<u32>,
    texts: Vec<u8>,
}

impl Charsmap {
    fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::default());
        }
        let (size, rest) = bytes.split_first_chunk::<4>()?;
        let size = u32::from_le_bytes(*size) as usize;
        let units = rest.get(..size)?.chunks_exact(4);
        let units = units.map(|unit| u32::from_le_bytes(unit.try_into().expect("four bytes"))).collect();
        Some(Self { units, texts: rest[size..].to_vec() })
    }

    fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.trim_end_matches(is_space);
        while let Some(first) = rest.chars().next() {
            match self.longest_match(rest.as_bytes()) {
                Some((length, value)) if rest.is_char_boundary(length) => {
                    out.push_str(self.text(value));
                    rest = &rest[length..];
                }
                _ => {
                    out.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        out
    }

    /// The longest beginning of the bytes that the array has, and its value.
    fn longest_match(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        // A unit of a double array: its label, whether it has a value, and how far its children are.
        let offset = |unit: u32| ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize;
        let mut at = offset(*self.units.first()?);
        let mut found = None;
        for (k, &byte) in bytes.iter().enumerate() {
            at ^= usize::from(byte);
            let Some(&unit) = self.units.get(at).filter(|&&unit| unit & (1 << 31 | 0xff) == u32::from(byte))
            else {
                break;
            };
            at ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                found = self.units.get(at).map(|value| (k + 1, (value & 0x7fff_ffff) as usize));
            }
        }
        found
    }

    /// The text at a place of the list, up to the zero that ends it.
    fn text(&self, at: usize) -> &str {
        let rest = self.texts.get(at..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        str::from_utf8(&rest[..end]).unwrap_or_default()
    }
}

/// The fields of a message of protocol buffers, by number; one that makes no sense is `None`, and the last.
struct Fields<'b>(&'b [u8]);

enum Value<'b> {
    Number(u64),
    Float(f32),
    Bytes(&'b [u8]),
    Other,
}

impl<'b> Fields<'b> {
    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: u64) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn field(&mut self) -> Option<(u64, Value<'b>)> {
        let key = self.number()?;
        let value = match key & 7 {
            0 => Value::Number(self.number()?),
            1 => self.take(8).map(|_| Value::Other)?,
            2 => {
                let length = self.number()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Float(f32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some((key >> 3, value))
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Option<(u64, Value<'b>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(field: u8, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![field << 3 | 2, bytes.len() as u8];
        out.extend_from_slice(bytes);
        out
    }

    fn piece(text: &str, score: f32, kind: u8) -> Vec<u8> {
        let mut inside = bytes(1, text.as_bytes());
        inside.push(2 << 3 | 5);
        inside.extend(score.to_le_bytes());
        inside.extend([3 << 3, kind]);
        bytes(1, &inside)
    }

    fn model(more: &[u8]) -> Vec<u8> {
        let pieces = [
            ("<unk>", 0.0, 2),
            ("\u{2581}the", -1.0, 1),
            ("\u{2581}", -2.0, 1),
            ("th", -2.5, 1),
            ("e", -3.0, 1),
            ("\u{2581}h", -2.0, 1),
            ("ouse", -2.0, 1),
            ("house", -5.0, 1),
        ];
        let mut out: Vec<u8> =
            pieces.iter().flat_map(|(text, score, kind)| piece(text, *score, *kind)).collect();
        out.extend_from_slice(more);
        out
    }

    #[test]
    fn the_most_probable_pieces_are_taken_and_unknown_neighbours_are_one() {
        let model = Model::parse(&model(&[])).unwrap();
        assert_eq!(model.tokenize("the  house "), "\u{2581}the \u{2581}h ouse");
        assert_eq!(model.tokenize("the xyz"), "\u{2581}the \u{2581} xyz");
        assert_eq!(model.tokenize(""), "");
    }

    #[test]
    fn characters_are_mapped_before_text_is_cut() {
        // A double array of one key: the root, the unit of `X` with its value below.
        let root_offset = 1u32 << 10;
        let mut units = vec![0u32; 256];
        units[0] = root_offset;
        let at = 1 ^ usize::from(b'X');
        units[at] = u32::from(b'X') | 1 << 8 | 1 << 10;
        units[at ^ 1] = 1 << 31;
        let mut map = (units.len() as u32 * 4).to_le_bytes().to_vec();
        map.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        map.extend_from_slice(b"the\0");
        let charsmap = Charsmap::parse(&map).unwrap();
        assert_eq!(charsmap.apply("X Xe"), "the thee");
        assert_eq!(Charsmap::default().apply("X"), "X");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.model");
        for wrong in
            [b"no model at all".to_vec(), Vec::new(), model(&bytes(2, &[3 << 3, 2])), model(&[0x0a, 0x7f])]
        {
            std::fs::write(&path, wrong).unwrap();
            let error = Model::open(&path).unwrap_err().to_string();
            assert!(error.contains("m.model: this is no SentencePiece model"), "{error}");
        }
    }
}
