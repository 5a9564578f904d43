//! Which of several links of one rule its lexical weights are computed from: the most frequent, as in Moses, with
//! Moses' order among equally frequent ones.

use crate::count::Count;
use crate::instance::RuleLink;
use std::cmp::Ordering;

/// The links a rule was seen with, and how often.
#[derive(Debug, Default)]
pub struct Links<'a> {
    seen: Vec<(&'a [RuleLink], Count)>,
}

impl<'a> Links<'a> {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.seen.clear();
    }

    /// Takes links that were seen `count` times.
    pub fn add(&mut self, links: &'a [RuleLink], count: Count) {
        match self.seen.iter_mut().find(|(seen, _)| *seen == links) {
            Some((_, sum)) => sum.add(count),
            None => self.seen.push((links, count)),
        }
    }

    /// The links for `lex(t|s)`, and those for `lex(s|t)`: where several are most frequent in single precision, the last in
    /// the order of the source positions of each target position, and the other way round.
    pub fn best(&self) -> [&'a [RuleLink]; 2] {
        if let [(only, _)] = self.seen[..] {
            return [only, only];
        }
        let best = |order: fn(&[RuleLink], &[RuleLink]) -> Ordering| {
            let by = |a: &&(&[RuleLink], Count), b: &&(&[RuleLink], Count)| {
                a.1.single().total_cmp(&b.1.single()).then_with(|| order(a.0, b.0))
            };
            self.seen.iter().max_by(by).map_or(&[][..], |(links, _)| links)
        };
        [best(|a, b| by_target(a).cmp(&by_target(b))), best(|a, b| by_source(a).cmp(&by_source(b)))]
    }
}

/// For each target position its source positions plus 1, then a 0: in the order in which Moses compares links.
fn by_target(links: &[RuleLink]) -> Vec<u8> {
    positions(links.iter().map(|link| (link.tgt, link.src)).collect())
}

/// The other way round.
fn by_source(links: &[RuleLink]) -> Vec<u8> {
    positions(links.iter().map(|link| (link.src, link.tgt)).collect())
}

fn positions(mut pairs: Vec<(u8, u8)>) -> Vec<u8> {
    pairs.sort_unstable();
    let mut out = Vec::new();
    let mut at = 0;
    for (position, partner) in pairs {
        while at < position {
            out.push(0);
            at += 1;
        }
        out.push(partner.saturating_add(1));
    }
    out.push(0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(u8, u8)]) -> Vec<RuleLink> {
        pairs.iter().map(|&(s, t)| RuleLink::new(s, t)).collect()
    }

    #[test]
    fn the_most_frequent_links_win() {
        let (a, b) = (links(&[(0, 0)]), links(&[(0, 0), (1, 1)]));
        let mut seen = Links::default();
        seen.add(&a, Count::new(0.5));
        seen.add(&a, Count::new(0.5));
        seen.add(&b, Count::new(0.9));
        assert_eq!(seen.best(), [&a[..], &a[..]]);
    }

    #[test]
    fn among_equally_frequent_links_each_direction_has_its_own_order() {
        let (a, b) = (links(&[(0, 1), (1, 0)]), links(&[(0, 1), (1, 1)]));
        let mut seen = Links::default();
        seen.add(&a, Count::new(1.0));
        seen.add(&b, Count::new(1.0));
        assert_eq!(seen.best(), [&a[..], &b[..]]);
    }

    #[test]
    fn a_sixth_and_a_third_are_as_frequent_as_a_half() {
        let (a, b) = (links(&[(0, 1), (0, 2)]), links(&[(0, 2)]));
        let (mut thirds, mut seen) = (Count::new(f64::from(0.166_667_f32)), Links::default());
        thirds.add(Count::new(f64::from(0.333_333_f32)));
        seen.add(&a, Count::new(0.5));
        seen.add(&b, thirds);
        assert_eq!(seen.best()[1], if by_source(&a) > by_source(&b) { &a[..] } else { &b[..] });
        assert_eq!(seen.best()[0], if by_target(&a) > by_target(&b) { &a[..] } else { &b[..] });
    }

    #[test]
    fn equal_links_add_up_wherever_they_come() {
        let (a, b) = (links(&[(0, 0), (1, 0)]), links(&[(0, 0), (1, 0), (1, 1)]));
        let mut seen = Links::default();
        seen.add(&a, Count::new(1.0));
        seen.add(&b, Count::new(1.5));
        seen.add(&a, Count::new(1.0));
        assert_eq!(seen.best(), [&a[..], &a[..]]);
    }
}
