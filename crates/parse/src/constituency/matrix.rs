//! Products of row-major matrices.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

fn view(values: &[f32], rows: usize, columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((rows, columns), &values[..rows * columns]).expect("the slice has this length")
}

fn view_mut(values: &mut [f32], rows: usize, columns: usize) -> ArrayViewMut2<'_, f32> {
    ArrayViewMut2::from_shape((rows, columns), &mut values[..rows * columns])
        .expect("the slice has this length")
}

/// `c += a b`, with `a` of `rows` rows and `inner` columns and `b` of `columns` columns.
pub(crate) fn add_product(a: &[f32], b: &[f32], c: &mut [f32], rows: usize, inner: usize, columns: usize) {
    let (a, b) = (view(a, rows, inner), view(b, inner, columns));
    general_mat_mul(1.0, &a, &b, 1.0, &mut view_mut(c, rows, columns));
}

/// `c += a bᵗ`, with `a` of `rows` rows and `inner` columns and `b` of `columns` rows.
pub(crate) fn add_product_right_transposed(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    rows: usize,
    inner: usize,
    columns: usize,
) {
    let (a, b) = (view(a, rows, inner), view(b, columns, inner));
    general_mat_mul(1.0, &a, &b.t(), 1.0, &mut view_mut(c, rows, columns));
}

/// `c += aᵗ b`, with `a` of `inner` rows and `rows` columns and `b` of `columns` columns.
pub(crate) fn add_product_left_transposed(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    rows: usize,
    inner: usize,
    columns: usize,
) {
    let (a, b) = (view(a, inner, rows), view(b, inner, columns));
    general_mat_mul(1.0, &a.t(), &b, 1.0, &mut view_mut(c, rows, columns));
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
    fn products_with_transposed_sides_are_the_same_sums() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.5, 2.0, -1.0, 0.0, 3.0]);
        let mut c = [1.0; 4];
        add_product(&a, &b, &mut c, 2, 3, 2);
        assert_eq!(c, [6.0, 8.5, 15.0, 16.0]);
        let mut c = [0.0; 4];
        add_product_right_transposed(&a, &b, &mut c, 2, 3, 2);
        assert_eq!(c, [8.0, 8.0, 18.5, 14.0]);
        let mut c = [0.0; 4];
        add_product_left_transposed(&a, &b, &mut c, 2, 3, 2);
        assert_eq!(c, [7.0, 12.5, 10.0, 15.0]);
    }
}
