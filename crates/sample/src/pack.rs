//! The packed files: one zstd stream of, for each file, a line with its name and length, and its content.

use crate::{Files, Sample};
use std::collections::BTreeMap;
use std::io::{self, Write};

const PACKED: &[u8] = include_bytes!("../data/sample.zst");

/// How hard to pack: it is done once, and the result is in every binary.
const LEVEL: i32 = 22;

/// A sample as `data/sample.zst` has it.
pub fn pack(sample: &Sample) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    for (name, content) in Files::of(sample).told().iter() {
        writeln!(plain, "{name} {}", content.len())?;
        plain.extend_from_slice(content);
    }
    zstd::encode_all(plain.as_slice(), LEVEL)
}

/// The packed files.
pub(crate) fn unpack() -> BTreeMap<String, Vec<u8>> {
    let plain = zstd::decode_all(PACKED).expect("the embedded file is whole");
    let (mut rest, mut files) = (plain.as_slice(), BTreeMap::new());
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let head = std::str::from_utf8(&rest[..end]).expect("names are text");
        let (name, length) = head.split_once(' ').expect("a name and a length");
        let length: usize = length.parse().expect("a length is a number");
        let (content, after) = rest[end + 1..].split_at(length);
        files.insert(name.to_string(), content.to_vec());
        rest = after;
    }
    files
}
