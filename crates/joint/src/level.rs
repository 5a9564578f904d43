//! Levels a network's sums over all words, so that its scores are nearer to logarithms of probabilities without normalisation than
//! its training alone brings them (Devlin et al. 2014, section 2.2). What all scores have in common is a linear function of the
//! hidden layer; the one nearest to the logarithms of the sums, by least squares, is taken off them. Looking up costs the same.

use crate::network::{Example, Network, Pass};
use treeglot_nn::{Mat, Product, matmul_on_all_threads};

/// How many examples are looked at at a time.
const BATCH: usize = 256;
/// What is added to the diagonal, as a share of its mean: units that are always alike must not get large weights.
const RIDGE: f64 = 1e-4;

/// Takes off all scores what of the sums follows from the hidden layer, as these examples show it.
pub(crate) fn level_sums(network: &mut Network, examples: &[Example]) {
    let units = network.hidden.cols;
    let weights = fit(network, examples);
    let values = &mut network.values;
    for row in network.out.slice_mut(values).chunks_exact_mut(units) {
        row.iter_mut().zip(&weights).for_each(|(value, weight)| *value -= *weight as f32);
    }
    network.out_bias.slice_mut(values).iter_mut().for_each(|bias| *bias -= weights[units] as f32);
}

/// The weights of hidden units, then a constant, that are nearest to the logarithms of the sums.
fn fit(network: &Network, examples: &[Example]) -> Vec<f64> {
    let (cols, mut pass) = (network.hidden.cols + 1, Pass::default());
    let (mut squares, mut products) = (vec![0.0; cols * cols], vec![0.0; cols]);
    let (mut rows, mut part) = (Vec::new(), vec![0.0; cols * cols]);
    for batch in examples.chunks(BATCH) {
        let (layers, predicted) = network.layers(batch, &mut pass);
        rows.clear();
        for (layer, predicted) in layers.chunks_exact(cols - 1).zip(predicted) {
            let from = rows.len();
            rows.extend_from_slice(layer);
            rows.push(1.0);
            let sum = f64::from(predicted.sum);
            products.iter_mut().zip(&rows[from..]).for_each(|(to, unit)| *to += f64::from(*unit) * sum);
        }
        let layers = Mat::new(&rows, batch.len(), cols);
        matmul_on_all_threads(&mut part, layers, layers, Product::LeftTransposed, false);
        squares.iter_mut().zip(&part).for_each(|(to, one)| *to += f64::from(*one));
    }
    let mean = (0..cols).map(|at| squares[at * cols + at]).sum::<f64>() / cols as f64;
    (0..cols).for_each(|at| squares[at * cols + at] += RIDGE * mean + f64::MIN_POSITIVE);
    solve(&mut squares, products)
}

/// Solves `matrix x = right` by Cholesky's method; the matrix is positive definite and is overwritten.
fn solve(matrix: &mut [f64], mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for col in 0..=row {
            let (above, below) = matrix.split_at_mut(row * size);
            let other = if col == row { &below[..col] } else { &above[col * size..col * size + col] };
            let sum = below[..col].iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            let rest = below[col] - sum;
            below[col] =
                if col == row { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / above[col * size + col] };
        }
    }
    for row in 0..size {
        let known = matrix[row * size..][..row].iter().zip(&right).map(|(a, b)| a * b).sum::<f64>();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let known = (row + 1..size).map(|below| matrix[below * size + row] * right[below]).sum::<f64>();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_nn::Rng;

    #[test]
    fn equations_are_solved() {
        let mut matrix = [4.0, 2.0, 1.0, 2.0, 5.0, 3.0, 1.0, 3.0, 6.0];
        let right = vec![4.0 + 4.0 + 3.0, 2.0 + 10.0 + 9.0, 1.0 + 6.0 + 18.0];
        let solved = solve(&mut matrix, right);
        assert!(solved.iter().zip([1.0, 2.0, 3.0]).all(|(x, y)| (x - y).abs() < 1e-9), "{solved:?}");
    }

    #[test]
    fn sums_come_near_to_one_and_probabilities_stay() {
        let mut rng = Rng::new(5);
        let mut network = Network::new([9, 7], 4, 6, &[-2.0; 7], &mut rng);
        network.out.init(&mut network.values.clone(), 1.0, &mut rng);
        network.hidden.init(&mut network.values, 3.0, &mut rng);
        let one =
            |_| Example { seen: std::array::from_fn(|_| rng.below(7) as u16), word: rng.below(7) as u16 };
        let examples: Vec<Example> = (0..400).map(one).collect();
        let spread = |network: &Network| {
            let mut pass = Pass::default();
            let predicted = network.predict(&examples, &mut pass).to_vec();
            let squares: f32 = predicted.iter().map(|one| one.sum * one.sum).sum();
            (squares / 400.0, predicted.iter().map(|one| one.score - one.sum).collect::<Vec<f32>>())
        };
        let (before, probabilities) = spread(&network);
        level_sums(&mut network, &examples);
        let (after, same) = spread(&network);
        assert!(after < 0.1 * before && after < 0.01, "{before} {after}");
        assert!(probabilities.iter().zip(&same).all(|(x, y)| (x - y).abs() < 1e-3));
    }
}
