//! Fewer distinct scores: neighbouring values share one, so that a rule's number for it takes fewer bits. Bins hold about
//! equally many rules (quantiles, as KenLM's quantised tries have); a value that fills a bin of its own stays exact, and
//! others become the geometric mean of their bin, for the search adds logarithms.

use crate::decimal::Decimal;

/// Puts values, seen `times` times each, into at most `most` bins. Returns what each bin stands for, in ascending order,
/// and the bin of each value.
pub fn quantize(values: &[Decimal], times: &[u32], most: usize) -> (Vec<Decimal>, Vec<u32>) {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| values[a as usize].value().total_cmp(&values[b as usize].value()));
    let times = |value: u32| u64::from(times[value as usize]);
    let mut left: u64 = order.iter().map(|&value| times(value)).sum();
    let (mut book, mut numbers, mut rest) = (Vec::new(), vec![0; values.len()], &order[..]);
    while !rest.is_empty() {
        let goal = left / (most - book.len()) as u64;
        let last = book.len() + 1 == most;
        let length = if last { rest.len() } else { bin(rest, goal, times) };
        let (here, others) = rest.split_at(length);
        here.iter().for_each(|&value| numbers[value as usize] = book.len() as u32);
        book.push(mean(here.iter().map(|&value| (values[value as usize], times(value)))));
        left -= here.iter().map(|&value| times(value)).sum::<u64>();
        rest = others;
    }
    (book, numbers)
}

/// How many values make a bin: until it has its share, or a value comes that has a share of its own.
fn bin(rest: &[u32], goal: u64, times: impl Fn(u32) -> u64) -> usize {
    let mut sum = 0;
    for (at, &value) in rest.iter().enumerate() {
        if at > 0 && times(value) >= goal {
            return at;
        }
        sum += times(value);
        if sum >= goal {
            return at + 1;
        }
    }
    rest.len()
}

fn mean(values: impl ExactSizeIterator<Item = (Decimal, u64)> + Clone) -> Decimal {
    if let (1, Some((only, _))) = (values.len(), values.clone().next()) {
        return only;
    }
    let (sum, times) = values
        .map(|(value, times)| (f64::from(value.ln()) * times as f64, times))
        .fold((0.0, 0), |(sum, all), (ln, times)| (sum + ln, all + times));
    Decimal::new((sum / times.max(1) as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bins_are_few_in_order_and_stand_for_values_between_their_ends(
            seen in proptest::collection::btree_map(1u32..100_000, 1u32..50, 1..200),
            bits in 0u32..7,
        ) {
            let values: Vec<Decimal> = seen.keys().map(|&n| Decimal::new(f64::from(n) / 1e5)).collect();
            let times: Vec<u32> = seen.values().copied().collect();
            let (book, numbers) = quantize(&values, &times, 1 << bits);
            prop_assert!(book.len() <= 1 << bits);
            prop_assert!(numbers.is_sorted());
            for (number, &value) in book.iter().enumerate() {
                let here = || values.iter().zip(&numbers).filter(|(_, n)| **n == number as u32).map(|(v, _)| v.value());
                let (least, most) = (here().fold(f64::MAX, f64::min), here().fold(0.0, f64::max));
                prop_assert!(least * 0.99999 <= value.value() && value.value() <= most * 1.00001);
            }
        }
    }

    #[test]
    fn frequent_values_stay_exact() {
        let values: Vec<Decimal> = (1..=100).map(|n| Decimal::new(f64::from(n) / 100.0)).collect();
        let times: Vec<u32> = (1..=100).map(|n| if n % 50 == 0 { 1000 } else { 1 }).collect();
        let (book, numbers) = quantize(&values, &times, 8);
        for exact in [49, 99] {
            assert_eq!(book[numbers[exact] as usize], values[exact]);
        }
    }
}
