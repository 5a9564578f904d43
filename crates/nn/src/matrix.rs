//! Products of row-major matrices.

use gemm_common::Parallelism;
use rayon::prelude::*;

/// A matrix to read.
#[derive(Clone, Copy)]
pub struct Mat<'a> {
    /// Its values, row by row.
    pub values: &'a [f32],
    /// How many rows it has.
    pub rows: usize,
    /// How many columns.
    pub cols: usize,
}

impl<'a> Mat<'a> {
    /// A matrix of these values.
    pub fn new(values: &'a [f32], rows: usize, cols: usize) -> Self {
        assert_eq!(values.len(), rows * cols, "the values fill the matrix");
        Self { values, rows, cols }
    }
}

/// Which of two factors is transposed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// `A B`
    Plain,
    /// `Aᵀ B`
    LeftTransposed,
    /// `A Bᵀ`
    RightTransposed,
}

/// Adds a product of `a` and `b` to `out`, or sets `out` to it.
pub fn matmul(out: &mut [f32], a: Mat<'_>, b: Mat<'_>, product: Product, add: bool) {
    let (m, inner, a_col, a_row) = match product {
        Product::LeftTransposed => (a.cols, a.rows, a.cols, 1),
        _ => (a.rows, a.cols, 1, a.cols),
    };
    let (n, inner_b, b_col, b_row) = match product {
        Product::RightTransposed => (b.rows, b.cols, b.cols, 1),
        _ => (b.cols, b.rows, 1, b.cols),
    };
    assert_eq!(inner, inner_b, "the factors fit");
    assert_eq!(out.len(), m * n, "the product fits");
    assert!(a.values.len() == a.rows * a.cols && b.values.len() == b.rows * b.cols, "the matrices are whole");
    if out.is_empty() {
        return;
    }
    multiply(out, (m, n, inner), (a.values, a_col, a_row), (b.values, b_col, b_row), add);
}

#[expect(unsafe_code, reason = "the kernels of gemm take pointers")]
fn multiply(
    out: &mut [f32],
    (m, n, k): (usize, usize, usize),
    a: (&[f32], usize, usize),
    b: (&[f32], usize, usize),
    add: bool,
) {
    let kernel = gemm_f32::gemm::f32::get_gemm_fn();
    // SAFETY: the caller has checked that `out` has m * n values in rows of n, and that `a` and `b` hold all that
    // m x k and k x n views with these strides reach; `out` is borrowed exclusively, so nothing overlaps.
    unsafe {
        kernel(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            add,
            a.0.as_ptr(),
            a.1 as isize,
            a.2 as isize,
            b.0.as_ptr(),
            b.1 as isize,
            b.2 as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// How many rows of a product one thread works on.
const ROWS: usize = 64;

/// As [`matmul`], on all threads. Results do not depend on how many there are.
pub fn matmul_on_all_threads(out: &mut [f32], a: Mat<'_>, b: Mat<'_>, product: Product, add: bool) {
    let (m, inner) = if product == Product::LeftTransposed { (a.cols, a.rows) } else { (a.rows, a.cols) };
    let (n, inner_b, b_col, b_row) = match product {
        Product::RightTransposed => (b.rows, b.cols, b.cols, 1),
        _ => (b.cols, b.rows, 1, b.cols),
    };
    assert_eq!(inner, inner_b, "the factors fit");
    assert_eq!(out.len(), m * n, "the product fits");
    assert!(a.values.len() == a.rows * a.cols && b.values.len() == b.rows * b.cols, "the matrices are whole");
    if out.is_empty() || inner == 0 {
        return;
    }
    out.par_chunks_mut(ROWS * n).enumerate().for_each(|(chunk, out)| {
        let (first, rows) = (chunk * ROWS, out.len() / n);
        let part = match product {
            Product::LeftTransposed => (&a.values[first..], a.cols, 1),
            _ => (&a.values[first * a.cols..(first + rows) * a.cols], 1, a.cols),
        };
        multiply(out, (rows, n, inner), part, (b.values, b_col, b_row), add);
    });
}

/// Makes a buffer `length` zeros.
pub fn zeros(values: &mut Vec<f32>, length: usize) {
    values.clear();
    values.resize(length, 0.0);
}

/// Copies rows of a matrix with as many rows as are named.
pub fn gather_rows(from: &[f32], rows: &[usize], to: &mut Vec<f32>) {
    let cols = from.len() / rows.len().max(1);
    to.clear();
    rows.iter().for_each(|&row| to.extend_from_slice(&from[row * cols..(row + 1) * cols]));
}

/// Adds a row to every row of a matrix.
pub fn add_rows(matrix: &mut [f32], row: &[f32]) {
    for values in matrix.chunks_exact_mut(row.len()) {
        values.iter_mut().zip(row).for_each(|(v, r)| *v += r);
    }
}

/// Adds all rows of a matrix to one.
pub fn sum_rows(matrix: &[f32], sum: &mut [f32]) {
    for values in matrix.chunks_exact(sum.len()) {
        sum.iter_mut().zip(values).for_each(|(s, v)| *s += v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_products_are_those_of_the_definition() {
        let a: Vec<f32> = (0..6).map(|x| x as f32).collect();
        let b: Vec<f32> = (0..12).map(|x| x as f32 * 0.5).collect();
        let at = |m: &[f32], cols: usize, i: usize, j: usize| m[i * cols + j];
        let mut out = vec![1.0; 8];
        matmul(&mut out, Mat::new(&a, 2, 3), Mat::new(&b, 3, 4), Product::Plain, true);
        for i in 0..2 {
            for j in 0..4 {
                let sum: f32 = (0..3).map(|k| at(&a, 3, i, k) * at(&b, 4, k, j)).sum();
                assert_eq!(at(&out, 4, i, j), sum + 1.0);
            }
        }
        let mut out = vec![9.0; 8];
        matmul(&mut out, Mat::new(&a, 3, 2), Mat::new(&b, 3, 4), Product::LeftTransposed, false);
        assert_eq!(at(&out, 4, 1, 2), (0..3).map(|k| at(&a, 2, k, 1) * at(&b, 4, k, 2)).sum::<f32>());
        let mut out = vec![9.0; 8];
        matmul(&mut out, Mat::new(&a, 2, 3), Mat::new(&b, 4, 3), Product::RightTransposed, false);
        assert_eq!(at(&out, 4, 1, 2), (0..3).map(|k| at(&a, 3, 1, k) * at(&b, 3, 2, k)).sum::<f32>());
    }

    #[test]
    fn products_on_all_threads_are_the_same() {
        let value = |x: usize| ((x * 7919) % 101) as f32 * 0.25 - 12.0;
        let a: Vec<f32> = (0..150 * 5).map(value).collect();
        let b: Vec<f32> = (0..150 * 7).map(value).collect();
        let cases = [
            (Mat::new(&a, 150, 5), Mat::new(&b[..35], 5, 7), Product::Plain, 150 * 7),
            (Mat::new(&a, 5, 150), Mat::new(&b[..35], 5, 7), Product::LeftTransposed, 150 * 7),
            (Mat::new(&a, 150, 5), Mat::new(&b[..35], 7, 5), Product::RightTransposed, 150 * 7),
        ];
        for (a, b, product, size) in cases {
            let (mut one, mut all) = (vec![1.0; size], vec![1.0; size]);
            matmul(&mut one, a, b, product, true);
            matmul_on_all_threads(&mut all, a, b, product, true);
            assert!(one.iter().zip(&all).all(|(x, y)| (x - y).abs() < 1e-3));
        }
    }
}
