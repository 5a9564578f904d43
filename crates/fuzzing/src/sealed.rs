//! Damage to mapped files behind valid checksums: a section's bytes are altered, then all checksums are set right, so
//! that opening goes on to where the numbers are used. The layout is that of `treeglot_text::mapped`.

use treeglot_text::Rng;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 40;
const SECTION: usize = 32;
const LENGTH: usize = 24;
const CHECKSUM: usize = 32;

/// Values that offsets and numbers are set to.
const NUMBERS: [u64; 12] =
    [0, 1, 2, 63, 255, 256, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 40, u64::MAX - 7, u64::MAX];

/// Alters one to three places within sections. What is no mapped file is altered anywhere.
pub fn damage(bytes: &mut [u8], random: &mut Rng) {
    for _ in 0..=random.below(3) {
        let sections = sections(bytes);
        let filled: Vec<(usize, usize)> = sections.into_iter().filter(|(_, length)| *length > 0).collect();
        let (offset, length) = match filled.is_empty() {
            true => (0, bytes.len()),
            false => *random.choose(&filled),
        };
        alter(&mut bytes[offset..offset + length], random);
    }
    seal(bytes);
}

fn alter(section: &mut [u8], random: &mut Rng) {
    let width = *random.choose(&[1, 2, 4, 8]);
    let at = random.below(section.len() / width) * width;
    let Some(place) = section.get_mut(at..at + width) else { return };
    match random.below(3) {
        0 => place[0] ^= 1 << random.below(8),
        1 => place.copy_from_slice(&random.choose(&NUMBERS).to_le_bytes()[..width]),
        _ => place.copy_from_slice(&random.bits().to_le_bytes()[..width]),
    }
}

/// The offset and length of each section that lies in the file.
fn sections(bytes: &[u8]) -> Vec<(usize, usize)> {
    let count = number(bytes, 20, 4).unwrap_or(0) as usize;
    let each = (0..count.min(1000)).map_while(|k| {
        let at = HEADER + k * SECTION;
        Some((number(bytes, at + 8, 8)? as usize, number(bytes, at + 16, 8)? as usize))
    });
    each.filter(|(offset, length)| offset.checked_add(*length).is_some_and(|end| end <= bytes.len()))
        .collect()
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let mut value = [0; 8];
    value[..width].copy_from_slice(bytes.get(at..at + width)?);
    Some(u64::from_le_bytes(value))
}

/// Sets all checksums and the length right.
pub fn seal(bytes: &mut [u8]) {
    let all = sections(bytes);
    let end = HEADER + all.len() * SECTION;
    if end > bytes.len() || bytes.len() < HEADER {
        return;
    }
    for (k, (offset, length)) in all.into_iter().enumerate() {
        let checksum = xxh3_64(&bytes[offset..offset + length]);
        let at = HEADER + k * SECTION + 24;
        bytes[at..at + 8].copy_from_slice(&checksum.to_le_bytes());
    }
    let length = bytes.len() as u64;
    bytes[LENGTH..LENGTH + 8].copy_from_slice(&length.to_le_bytes());
    bytes[CHECKSUM..CHECKSUM + 8].fill(0);
    let checksum = xxh3_64(&bytes[..end]);
    bytes[CHECKSUM..CHECKSUM + 8].copy_from_slice(&checksum.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_text::vocab::{MappedVocab, Vocab};

    #[test]
    fn sealed_damage_passes_every_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vocab");
        let mut vocab = Vocab::default();
        for word in ["a", "house", "green"] {
            vocab.intern(word);
        }
        vocab.freeze(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut altered = 0;
        for seed in 0..50 {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut Rng::new(seed));
            altered += usize::from(bytes != whole);
            std::fs::write(&path, bytes).unwrap();
            MappedVocab::open(&path).unwrap().verify().unwrap();
        }
        assert!(altered > 30, "{altered} of 50 differ");
    }
}
