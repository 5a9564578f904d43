//! Where the symbols of source sides stand in the sentence, for features that look at source words: by hyperarc of the forest.

use treeglot_models::{Forest, NodeIx, RuleList, variable_at};

/// What is added to the place of a variable.
const VARIABLE: u32 = 1 << 31;

/// The place of a symbol among those of a hyperarc.
#[inline]
pub fn place(places: &[u32], symbol: u8) -> Option<u16> {
    let at = places.get(usize::from(symbol))? & !VARIABLE;
    Some(at.min(u32::from(u16::MAX)) as u16)
}

/// The places of the words among those of a hyperarc.
pub fn word_places(places: &[u32]) -> impl Iterator<Item = u16> {
    places.iter().filter(|&&at| at & VARIABLE == 0).map(|&at| at.min(u32::from(u16::MAX)) as u16)
}

/// The places of the source symbols of all hyperarcs; owned by a thread.
#[derive(Debug, Default)]
pub struct Places {
    /// Where those of each hyperarc end.
    ends: Vec<u32>,
    places: Vec<u32>,
}

impl Places {
    /// Those of a hyperarc, to be read by [`place`]: of a word its position, of a variable that of its first word. None for rules of
    /// no table.
    #[inline]
    pub fn of(&self, edge: u32) -> &[u32] {
        let start = (edge as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.places[start as usize..self.ends[edge as usize] as usize]
    }

    /// Works them out for a forest.
    pub fn fill(&mut self, forest: &Forest) {
        self.ends.clear();
        self.places.clear();
        for node in 0..forest.nodes().len() as u32 {
            for edge in forest.edges_of(NodeIx(node)) {
                self.add(forest, NodeIx(node), edge);
                self.ends.push(self.places.len() as u32);
            }
        }
        if !forest.order().is_empty() {
            let order = forest.order();
            for at in &mut self.places {
                let (kind, place) = (*at & VARIABLE, *at & !VARIABLE);
                *at = kind | order.get(place as usize).copied().unwrap_or(place);
            }
        }
    }

    fn add(&mut self, forest: &Forest, node: NodeIx, edge: usize) {
        let edge = &forest.edges()[edge];
        if !matches!(
            forest.lists()[edge.list as usize],
            RuleList::Table { .. } | RuleList::Containing { .. } | RuleList::Copy(_) | RuleList::Given(_)
        ) {
            return;
        }
        let span_of = |tail: &NodeIx| forest.nodes()[tail.ix()].span;
        let (span, tails) = (forest.nodes()[node.ix()].span, forest.tails(edge));
        let positions = forest.positions(edge);
        if !positions.is_empty() {
            let start = |&position: &u32| match variable_at(position) {
                Some(variable) => {
                    VARIABLE | tails.get(variable).map_or(span.start, |tail| span_of(tail).start)
                }
                None => position,
            };
            self.places.extend(positions.iter().map(start));
            return;
        }
        let mut at = span.start;
        while at < span.end {
            let filled = tails.iter().map(span_of).find(|tail| tail.start == at && tail.end > at);
            self.places.push(if filled.is_some() { VARIABLE | at } else { at });
            at = filled.map_or(at + 1, |tail| tail.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::Span;

    #[test]
    fn words_and_variables_have_their_places_and_glue_has_none() {
        let mut forest = Forest::default();
        let copy = forest.list(RuleList::Copy(3));
        forest.edge(copy, []);
        let leaf = forest.node(Span::new(3, 5), 0);
        let glue = forest.list(RuleList::Glue);
        forest.edge(copy, [leaf]);
        forest.edge(copy, [leaf]);
        forest.set_positions([7, u32::MAX, 2]);
        forest.edge(glue, [leaf]);
        forest.node(Span::new(2, 7), 0);
        let mut places = Places::default();
        places.fill(&forest);
        let all = |edge| {
            let places = places.of(edge);
            let every: Vec<u16> = (0..).map_while(|symbol| place(places, symbol)).collect();
            (every, word_places(places).collect::<Vec<u16>>())
        };
        assert_eq!(all(0), (vec![3, 4], vec![3, 4]));
        assert_eq!(all(1), (vec![2, 3, 5, 6], vec![2, 5, 6]));
        assert_eq!(all(2), (vec![7, 3, 2], vec![7, 2]));
        assert_eq!(all(3), (vec![], vec![]));
    }
}
