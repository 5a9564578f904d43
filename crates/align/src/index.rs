//! Finding a pair of words: an open hash table over pairs that are stored elsewhere, behind a filter of bits, for most
//! pairs that are looked for are not stored.

const NONE: u32 = u32::MAX;

/// How many bytes an index takes for each pair, at most.
pub const BYTES_A_PAIR: usize = 20;

/// Half of a pair's hash: the sum of both halves' highest bits are its place.
pub fn src_hash(word: u32) -> u64 {
    u64::from(word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The other half.
pub fn tgt_hash(word: u32) -> u64 {
    u64::from(word).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
}

fn hash([src, tgt]: [u32; 2]) -> u64 {
    src_hash(src).wrapping_add(tgt_hash(tgt))
}

/// An index over pairs.
#[derive(Debug, Default)]
pub struct Index {
    places: Vec<u32>,
    shift: u32,
    /// A bit for each hash that may be stored: most pairs are not, and one look here tells.
    filter: Vec<u64>,
    filter_shift: u32,
}

impl Index {
    /// The index of these pairs. Of equal pairs the first is found.
    pub fn of(pairs: &[[u32; 2]]) -> Self {
        let size = (pairs.len() * 2).next_power_of_two().max(16);
        let shift = 64 - size.trailing_zeros();
        let (mut places, mut filter, filter_shift) = (vec![NONE; size], vec![0; size / 8], shift - 3);
        for (slot, &pair) in pairs.iter().enumerate() {
            let bit = hash(pair) >> filter_shift;
            filter[(bit / 64) as usize] |= 1 << (bit % 64);
            let mut at = (hash(pair) >> shift) as usize;
            while places[at] != NONE {
                at = (at + 1) & (size - 1);
            }
            places[at] = slot as u32;
        }
        Self { places, shift, filter, filter_shift }
    }

    /// Pairs and their values, to be found by this index.
    pub fn look_up<'a>(&'a self, pairs: &'a [[u32; 2]], value: &'a [f32], slots: &'a [u32]) -> Lookup<'a> {
        Lookup { index: self, pairs, value, slots }
    }
}

/// Pairs and their values, by index.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    index: &'a Index,
    pairs: &'a [[u32; 2]],
    value: &'a [f32],
    /// Where each pair is among all pairs; empty if these are all.
    slots: &'a [u32],
}

impl Lookup<'_> {
    /// Whether a pair may be here, by the sum of [`src_hash`] and [`tgt_hash`].
    pub fn may_have(&self, hash: u64) -> bool {
        let bit = hash >> self.index.filter_shift;
        self.index.filter[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// Where a pair is, if it is here.
    pub fn find(&self, src: u32, tgt: u32) -> Option<usize> {
        self.find_at(hash([src, tgt]), src, tgt)
    }

    /// [`Lookup::find`] with the sum of [`src_hash`] and [`tgt_hash`] at hand.
    pub fn find_at(&self, hash: u64, src: u32, tgt: u32) -> Option<usize> {
        let places = &self.index.places;
        let mut at = (hash >> self.index.shift) as usize;
        loop {
            let place = places[at];
            if place == NONE {
                return None;
            }
            if self.pairs[place as usize] == [src, tgt] {
                return Some(place as usize);
            }
            at = (at + 1) & (places.len() - 1);
        }
    }

    /// The value of a pair found.
    pub fn value(&self, place: usize) -> f32 {
        self.value[place]
    }

    /// Where a pair found is among all pairs.
    pub fn slot(&self, place: usize) -> usize {
        self.slots.get(place).map_or(place, |&slot| slot as usize)
    }
}
