//! Several networks as one: its score of a word is the mean of theirs. Embeddings and hidden layers stand side by side, so that a model
//! is one network however many it was made of, and looking words up is written once.

use crate::network::{INPUTS, Network};

/// Networks of the same sizes as one whose scores are the mean of theirs.
pub(crate) fn mean_of(networks: &[Network]) -> Network {
    let (count, first) = (networks.len(), &networks[0]);
    let (size, units) = (first.source.cols, first.hidden.cols);
    let words = [first.source.rows, first.target.rows];
    let mut all = Network::zeros(words, count * size, count * units);
    for (number, one) in networks.iter().enumerate() {
        let (numbers, hidden) = (number * size..(number + 1) * size, number * units..(number + 1) * units);
        for (from, to) in [(one.source, all.source), (one.target, all.target)] {
            for row in 0..from.rows {
                to.row_mut(&mut all.values, row)[numbers.clone()].copy_from_slice(from.row(&one.values, row));
            }
        }
        for row in 0..INPUTS * size {
            let (slot, within) = (row / size, row % size);
            let to = all.hidden.row_mut(&mut all.values, (slot * count + number) * size + within);
            to[hidden.clone()].copy_from_slice(one.hidden.row(&one.values, row));
        }
        all.bias.slice_mut(&mut all.values)[hidden.clone()].copy_from_slice(one.bias.slice(&one.values));
        let share = 1.0 / count as f32;
        for row in 0..one.out.rows {
            let to = &mut all.out.row_mut(&mut all.values, row)[hidden.clone()];
            to.iter_mut().zip(one.out.row(&one.values, row)).for_each(|(to, from)| *to = from * share);
        }
        let biases = all.out_bias.slice_mut(&mut all.values).iter_mut();
        biases.zip(one.out_bias.slice(&one.values)).for_each(|(to, from)| *to += from * share);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Example, Pass};
    use treeglot_nn::Rng;

    #[test]
    fn its_scores_are_the_mean_of_theirs() {
        let frequencies = [-1.0, -2.0, -3.0, -0.5, -1.5];
        let network = |seed| Network::new([6, 5], 3, 4, &frequencies, &mut Rng::new(seed));
        let networks = [network(1), network(2), network(3)];
        let all = mean_of(&networks);
        let mut pass = Pass::default();
        for word in 0..5 {
            let seen = std::array::from_fn(|slot| (slot as u16 * 7 + word) % 5);
            let examples = [Example { seen, word }];
            let mut score = |network: &Network| network.predict(&examples, &mut pass)[0].score;
            let mean = networks.iter().map(&mut score).sum::<f32>() / 3.0;
            assert!((score(&all) - mean).abs() < 1e-5, "{} {mean}", score(&all));
        }
    }
}
