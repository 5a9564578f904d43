//! Products of row-major matrices.

use pulp::{Arch, Simd, WithSimd};
use std::cell::Cell;
use std::ops::Range;

/// Columns of the right side that are worked on together: two vectors of eight.
const WIDTH: usize = 16;

/// Rows of the left side that are worked on together: with two vectors each, their sums fill the registers.
const HEIGHT: usize = 6;

/// How the numbers of a side lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lay {
    /// As they are multiplied.
    Straight,
    /// Rows are columns.
    Transposed,
}

/// The right side of products, brought into the order in which it is read: panels of [`WIDTH`] columns, the last one filled up
/// with zeros.
#[derive(Debug, Clone, Default)]
pub(crate) struct Packed {
    panels: Vec<f32>,
    inner: usize,
    columns: usize,
}

impl Packed {
    /// Packs a matrix of `inner` rows and `columns` columns.
    pub(crate) fn pack(&mut self, b: &[f32], lay: Lay, inner: usize, columns: usize) {
        (self.inner, self.columns) = (inner, columns);
        self.panels.clear();
        self.panels.resize(columns.div_ceil(WIDTH) * inner * WIDTH, 0.0);
        if inner == 0 {
            return;
        }
        for (panel, to) in self.panels.chunks_exact_mut(inner * WIDTH).enumerate() {
            let first = panel * WIDTH;
            let width = WIDTH.min(columns - first);
            match lay {
                Lay::Straight => {
                    for (to, from) in to.chunks_exact_mut(WIDTH).zip(b.chunks_exact(columns)) {
                        to[..width].copy_from_slice(&from[first..first + width]);
                    }
                }
                Lay::Transposed => {
                    for (column, from) in b[first * inner..].chunks_exact(inner).take(width).enumerate() {
                        to[column..].iter_mut().step_by(WIDTH).zip(from).for_each(|(t, f)| *t = *f);
                    }
                }
            }
        }
    }

    /// `c += a b`, where this is `b` and `a` has `rows` rows.
    pub(crate) fn add_product(&self, a: &[f32], lay: Lay, rows: usize, c: &mut [f32]) {
        let mut block = BLOCK.take();
        Arch::new().dispatch(Product { left: a, lay, rows, right: self, sums: c, block: &mut block });
        BLOCK.set(block);
    }
}

struct Product<'a> {
    left: &'a [f32],
    lay: Lay,
    rows: usize,
    right: &'a Packed,
    sums: &'a mut [f32],
    /// Rows of the left side in the order in which they are read.
    block: &'a mut Vec<f32>,
}

thread_local! {
    static BLOCK: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
    static RIGHT: Cell<Packed> = const { Cell::new(Packed { panels: Vec::new(), inner: 0, columns: 0 }) };
}

impl WithSimd for Product<'_> {
    type Output = ();

    // No closure may hold vector instructions here: it would be compiled without them.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { left, lay, rows, right, sums, block } = self;
        let (inner, columns) = (right.inner, right.columns);
        if inner == 0 || columns == 0 {
            return;
        }
        block.clear();
        block.resize(inner * HEIGHT, 0.0);
        for first in (0..rows).step_by(HEIGHT) {
            let height = HEIGHT.min(rows - first);
            pack_rows(left, lay, (rows, inner), first..first + height, block);
            for (panel, right) in right.panels.chunks_exact(inner * WIDTH).enumerate() {
                let at = panel * WIDTH;
                let width = WIDTH.min(columns - at);
                let tile = tile(simd, block, right);
                for (row, tile) in tile.chunks_exact(WIDTH).take(height).enumerate() {
                    let c = &mut sums[(first + row) * columns + at..][..width];
                    for (c, t) in c.iter_mut().zip(tile) {
                        *c += t;
                    }
                }
            }
        }
    }
}

/// Brings rows of the left side into the order in which they are read: all of a column, then the next.
fn pack_rows(left: &[f32], lay: Lay, (rows, inner): (usize, usize), taken: Range<usize>, block: &mut [f32]) {
    match lay {
        Lay::Straight => {
            for (row, from) in left[taken.start * inner..taken.end * inner].chunks_exact(inner).enumerate() {
                block[row..].iter_mut().step_by(HEIGHT).zip(from).for_each(|(t, f)| *t = *f);
            }
        }
        Lay::Transposed => {
            for (to, from) in block.chunks_exact_mut(HEIGHT).zip(left.chunks_exact(rows)) {
                to[..taken.len()].copy_from_slice(&from[taken.clone()]);
            }
        }
    }
}

/// The products of a block of rows and a panel of columns.
#[inline(always)]
fn tile<S: Simd>(simd: S, left: &[f32], right: &[f32]) -> [f32; HEIGHT * WIDTH] {
    let mut out = [0.0; HEIGHT * WIDTH];
    if WIDTH.is_multiple_of(2 * S::F32_LANES) {
        sum_tile::<S, 2>(simd, left, right, &mut out);
    } else if WIDTH.is_multiple_of(S::F32_LANES) {
        sum_tile::<S, 1>(simd, left, right, &mut out);
    } else {
        for (left, right) in left.chunks_exact(HEIGHT).zip(right.chunks_exact(WIDTH)) {
            for (sums, l) in out.chunks_exact_mut(WIDTH).zip(left) {
                sums.iter_mut().zip(right).for_each(|(s, r)| *s += l * r);
            }
        }
    }
    out
}

/// The sums of a tile, `VECTORS` vectors of columns at a time.
#[inline(always)]
fn sum_tile<S: Simd, const VECTORS: usize>(simd: S, left: &[f32], right: &[f32], out: &mut [f32]) {
    let lanes = S::F32_LANES;
    for at in (0..WIDTH).step_by(VECTORS * lanes) {
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; HEIGHT];
        for (left, right) in left.chunks_exact(HEIGHT).zip(right.chunks_exact(WIDTH)) {
            let mut columns = [simd.splat_f32s(0.0); VECTORS];
            for (column, right) in columns.iter_mut().zip(right[at..].chunks_exact(lanes)) {
                *column = load(simd, right);
            }
            for (sums, &l) in sums.iter_mut().zip(left) {
                let l = simd.splat_f32s(l);
                for (sum, &column) in sums.iter_mut().zip(&columns) {
                    *sum = simd.mul_add_e_f32s(l, column, *sum);
                }
            }
        }
        for (row, sums) in out.chunks_exact_mut(WIDTH).zip(&sums) {
            row[at..at + VECTORS * lanes].copy_from_slice(bytemuck::cast_slice(sums));
        }
    }
}

#[inline(always)]
fn load<S: Simd>(_: S, values: &[f32]) -> S::f32s {
    bytemuck::pod_read_unaligned(bytemuck::cast_slice(values))
}

/// `c += a b`, where `a` has `rows` rows and `inner` columns and `b` has `columns` columns, as they are multiplied; each lies
/// straight or transposed.
pub(crate) fn add_product(
    (a, left): (&[f32], Lay),
    (b, right): (&[f32], Lay),
    c: &mut [f32],
    [rows, inner, columns]: [usize; 3],
) {
    let mut packed = RIGHT.take();
    packed.pack(b, right, inner, columns);
    packed.add_product(a, left, rows, c);
    RIGHT.set(packed);
}

/// Makes a buffer `length` zeros.
pub(crate) fn zeros(values: &mut Vec<f32>, length: usize) {
    values.clear();
    values.resize(length, 0.0);
}

/// Runs a loop over plain numbers, compiled with the vector instructions that the processor has.
#[inline(always)]
pub(crate) fn vectorized<R>(run: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(run)
}

/// Adds `bias` to every row.
pub(crate) fn add_bias(rows: &mut [f32], bias: &[f32]) {
    for row in rows.chunks_exact_mut(bias.len()) {
        row.iter_mut().zip(bias).for_each(|(r, b)| *r += b);
    }
}

/// Adds the sum of all rows to `sum`.
pub(crate) fn add_rows(rows: &[f32], sum: &mut [f32]) {
    for row in rows.chunks_exact(sum.len()) {
        sum.iter_mut().zip(row).for_each(|(s, r)| *s += r);
    }
}

/// The hyperbolic tangent as a quotient of polynomials, exact to a few units in the last place of `f32`: loops over it
/// become vector instructions, which those over the library's function do not.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let x = x.clamp(-7.904_531, 7.904_531);
    let square = x * x;
    let p = square.mul_add_plain(-2.760_768_5e-16, 2.000_188e-13);
    let p = square.mul_add_plain(p, -8.604_672e-11);
    let p = square.mul_add_plain(p, 5.122_297e-8);
    let p = square.mul_add_plain(p, 1.485_722_4e-5);
    let p = square.mul_add_plain(p, 6.372_619e-4);
    let p = square.mul_add_plain(p, 4.893_525e-3);
    let q = square.mul_add_plain(1.198_258_4e-6, 1.185_347_1e-4);
    let q = square.mul_add_plain(q, 2.268_434_6e-3);
    let q = square.mul_add_plain(q, 4.893_525e-3);
    x * p / q
}

/// The logistic function.
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    0.5 + 0.5 * tanh(0.5 * x)
}

/// The exponential function to six digits, made like [`tanh`] for loops that become vector instructions; 0 below -87.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Adding this leaves a whole number in the last bits.
    const WHOLE: f32 = 12_582_912.0;
    let limited = x.clamp(-87.0, 88.0);
    let shifted = limited * std::f32::consts::LOG2_E + WHOLE;
    let power = shifted - WHOLE;
    let rest = limited - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let p = rest.mul_add_plain(1.987_569_1e-4, 1.398_2e-3);
    let p = rest.mul_add_plain(p, 8.333_452e-3);
    let p = rest.mul_add_plain(p, 4.166_579_6e-2);
    let p = rest.mul_add_plain(p, 1.666_666_5e-1);
    let p = rest.mul_add_plain(p, 0.5);
    let value = rest * rest * p + rest + 1.0;
    let power = shifted.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_add(127) << 23;
    if x < -87.0 { 0.0 } else { value * f32::from_bits(power) }
}

/// `self * a + b` as two instructions: fused ones are a call where the processor is not known to have them.
trait MulAddPlain {
    fn mul_add_plain(self, a: Self, b: Self) -> Self;
}

impl MulAddPlain for f32 {
    #[inline(always)]
    fn mul_add_plain(self, a: f32, b: f32) -> f32 {
        self * a + b
    }
}

#[cfg(test)]
mod tests {
    use super::Lay::{Straight, Transposed};
    use super::*;

    #[test]
    fn tanh_is_the_librarys_to_six_digits() {
        for step in -2000..=2000 {
            let x = step as f32 / 100.0;
            assert!((tanh(x) - x.tanh()).abs() < 1e-6, "{x}");
            assert!((sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn exp_is_the_librarys_to_six_digits() {
        for step in -870..=880 {
            let x = step as f32 / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-6, "{x} {} {}", exp(x), x.exp());
        }
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn products_of_any_size_are_the_sums() {
        let mut rng = crate::rng::Rng::of_job(1, 0);
        for (rows, inner, columns) in [(1, 1, 1), (6, 3, 16), (7, 20, 33), (13, 0, 5), (25, 9, 100)] {
            let mut draw = |count: usize| (0..count).map(|_| rng.unit() - 0.5).collect::<Vec<f32>>();
            let (a, b) = (draw(rows * inner), draw(inner * columns));
            let mut c = vec![1.0; rows * columns];
            add_product((&a, Straight), (&b, Straight), &mut c, [rows, inner, columns]);
            for (i, found) in c.iter().enumerate() {
                let (row, column) = (i / columns, i % columns);
                let sum: f32 = (0..inner).map(|p| a[row * inner + p] * b[p * columns + column]).sum();
                assert!((found - 1.0 - sum).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn products_with_transposed_sides_are_the_same_sums() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.5, 2.0, -1.0, 0.0, 3.0]);
        let mut c = [1.0; 4];
        add_product((&a, Straight), (&b, Straight), &mut c, [2, 3, 2]);
        assert_eq!(c, [6.0, 8.5, 15.0, 16.0]);
        let mut c = [0.0; 4];
        add_product((&a, Straight), (&b, Transposed), &mut c, [2, 3, 2]);
        assert_eq!(c, [8.0, 8.0, 18.5, 14.0]);
        let mut c = [0.0; 4];
        add_product((&a, Transposed), (&b, Straight), &mut c, [2, 3, 2]);
        assert_eq!(c, [7.0, 12.5, 10.0, 15.0]);
    }
}
