//! Damage to bytes: what disks, editors and other programs do to files, and what a clever enemy would.

use treeglot_text::Rng;

/// What numbers and words in files are replaced by.
const TOKENS: [&[u8]; 34] = [
    b"",
    b"0",
    b"-1",
    b"1",
    b"255",
    b"256",
    b"65536",
    b"2147483648",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"99999999999999999999999",
    b"nan",
    b"inf",
    b"-inf",
    b"1e39",
    b"-1e-400",
    b"0.5",
    b"|||",
    b"[X]",
    b"[X][X]",
    b"{{",
    b"(",
    b")",
    b"<",
    b"&#",
    b"\t",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    b"\xe2\x80",
    "\u{feff}\u{202e}e\u{301}".as_bytes(),
    b"a very long word that is repeated",
];

/// Damages bytes in one to four places; `other` is a file of the same kind to take pieces from.
pub fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Rng) {
    for _ in 0..=random.below(4) {
        match random.below(12) {
            0 => flip(bytes, random),
            1 => set(bytes, random),
            2 => drop(bytes.drain(range(bytes.len(), 40, random))),
            3 => bytes.truncate(random.below(bytes.len() + 1)),
            4 => repeat(bytes, random),
            5 => {
                let piece = &other[range(other.len(), 200, random)];
                insert(bytes, piece, random);
            }
            6 => {
                let piece = random.choose::<&[u8]>(&TOKENS);
                insert(bytes, piece, random);
            }
            7..=9 => token(bytes, random),
            10 => lines(bytes, random),
            _ => insert(bytes, &random.bits().to_le_bytes(), random),
        }
    }
}

fn flip(bytes: &mut [u8], random: &mut Rng) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn set(bytes: &mut [u8], random: &mut Rng) {
    let at = random.below(bytes.len());
    let any = random.bits() as u8;
    let value = *random.choose(&[0, 1, 0x7f, 0x80, 0xff, b' ', b'\n', b'|', any]);
    if let Some(byte) = bytes.get_mut(at) {
        *byte = value;
    }
}

fn range(length: usize, most: usize, random: &mut Rng) -> std::ops::Range<usize> {
    let start = random.below(length);
    start..length.min(start + random.below(most + 1))
}

fn insert(bytes: &mut Vec<u8>, piece: &[u8], random: &mut Rng) {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, piece.iter().copied());
}

/// Repeats a piece, now and then very often.
fn repeat(bytes: &mut Vec<u8>, random: &mut Rng) {
    let piece = bytes[range(bytes.len(), 30, random)].to_vec();
    let times = if random.below(50) == 0 { 3000 } else { 1 + random.below(5) };
    insert(bytes, &piece.repeat(times), random);
}

/// Replaces a whole word or number.
fn token(bytes: &mut Vec<u8>, random: &mut Rng) {
    let separates =
        |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'"' | b'=' | b'-' | b'(' | b')' | b'<');
    let at = random.below(bytes.len());
    let start = bytes[..at].iter().rposition(separates).map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(separates).map_or(bytes.len(), |length| at + length);
    if start <= end {
        bytes.splice(start..end, random.choose::<&[u8]>(&TOKENS).iter().copied());
    }
}

/// Repeats, takes away or exchanges lines.
fn lines(bytes: &mut Vec<u8>, random: &mut Rng) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    if lines.is_empty() {
        return;
    }
    match random.below(3) {
        0 => lines.swap(a, b),
        1 => drop(lines.remove(a)),
        _ => lines.insert(b, lines[a].clone()),
    }
    *bytes = lines.concat();
}
