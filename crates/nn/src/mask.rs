//! Dropout: one random scale a sentence and unit, the same for all words of the sentence.

use crate::Rng;

/// Draws `size` scales: 0 where a unit is dropped, and for the others what makes up for it.
pub fn draw_mask(rng: &mut Rng, rate: f32, size: usize, out: &mut Vec<f32>) {
    let kept = 1.0 / (1.0 - rate);
    out.clear();
    out.resize_with(size, || if rng.unit() < rate { 0.0 } else { kept });
}

/// Scales every row by the mask of its sentence; an empty mask changes nothing.
pub fn scale_rows(rows: &mut [f32], cols: usize, sentences: &[usize], masks: &[f32]) {
    if masks.is_empty() {
        return;
    }
    for (values, &sentence) in rows.chunks_exact_mut(cols).zip(sentences) {
        let mask = &masks[sentence * cols..(sentence + 1) * cols];
        values.iter_mut().zip(mask).for_each(|(v, m)| *v *= m);
    }
}
