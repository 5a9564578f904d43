//! Sparse linear classifiers over hashed features: trained as averaged perceptrons, frozen into quantised tables
//! that are read in place from a mapped file. Tagger and lemmatiser are built on them.

mod frozen;
mod perceptron;

pub(crate) use frozen::Linear;
pub(crate) use perceptron::Perceptron;

/// The identity of a feature: its template and values, hashed.
pub(crate) type Feature = u64;

/// Mixes one more value into a feature.
#[inline]
pub(crate) fn mix(feature: u64, value: u64) -> u64 {
    let product = u128::from(feature ^ 0x9E37_79B9_7F4A_7C15)
        * u128::from(value.wrapping_add(0xD6E8_FEB8_6659_FD93) | 1);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The feature of a template with one value.
#[inline]
pub(crate) fn one(template: u64, a: u64) -> Feature {
    mix(mix(0x51_7C_C1, template), a)
}

/// The feature of a template with two values.
#[inline]
pub(crate) fn two(template: u64, a: u64, b: u64) -> Feature {
    mix(one(template, a), b)
}

/// The feature of a template with three values.
#[inline]
pub(crate) fn three(template: u64, a: u64, b: u64, c: u64) -> Feature {
    mix(two(template, a, b), c)
}

/// The class with the highest score; the first of equals.
pub(crate) fn best(scores: &[f32]) -> usize {
    let mut best = 0;
    for (class, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = class;
        }
    }
    best
}
