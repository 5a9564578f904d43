//! Weights as short codes: a codebook of a level's values, each code standing for as many of them as any other
//! (Federico & Bertoldi 2006).

/// A codebook of at most `2^bits` values, ascending. The first `reserved` codes keep their exact values.
pub fn codebook(values: &[f32], bits: u32, reserved: &[f32]) -> Vec<f32> {
    let is_reserved = |v: &f32| reserved.iter().any(|r| r.to_bits() == v.to_bits());
    let mut sorted: Vec<f32> = values.iter().copied().filter(|v| !is_reserved(v)).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let bins = (1usize << bits) - reserved.len();
    let mean = |bin: &[f32]| (bin.iter().map(|&v| f64::from(v)).sum::<f64>() / bin.len() as f64) as f32;
    let (count, mut book) = (sorted.len(), reserved.to_vec());
    let edges = |bin: usize| bin * count / bins;
    book.extend((0..bins).map(|b| &sorted[edges(b)..edges(b + 1)]).filter(|b| !b.is_empty()).map(mean));
    book
}

/// The code whose value is nearest.
pub fn encode(book: &[f32], reserved: usize, value: f32) -> u64 {
    let exact = book[..reserved].iter().position(|r| r.to_bits() == value.to_bits());
    if let Some(code) = exact {
        return code as u64;
    }
    let above = reserved + book[reserved..].partition_point(|&v| v < value);
    let nearest = match (above > reserved, above < book.len()) {
        (true, true) if value - book[above - 1] <= book[above] - value => above - 1,
        (true, false) => above - 1,
        _ => above,
    };
    nearest as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_kept_exactly_and_many_nearly() {
        let few = [-1.0, -0.5, -0.25];
        let book = codebook(&few, 8, &[]);
        assert!(few.iter().all(|&v| book[encode(&book, 0, v) as usize] == v));
        let many: Vec<f32> = (0..10_000).map(|i| -(i as f32) / 1000.0).collect();
        let book = codebook(&many, 8, &[-0.0, 0.0]);
        assert!(book.len() <= 256);
        for v in many {
            assert!((book[encode(&book, 2, v) as usize] - v).abs() < 0.03);
        }
        assert_eq!(encode(&book, 2, -0.0), 0);
        assert_eq!(encode(&book, 2, 0.0), 1);
    }
}
