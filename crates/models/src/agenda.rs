//! What is to be done, cheapest first: how fragments come in the order of their size.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A queue that hands out the cheapest item, and of equally cheap ones the last that came, so that what was begun is ended.
#[derive(Debug)]
pub struct Agenda<T> {
    heap: BinaryHeap<Entry<T>>,
    added: u32,
}

#[derive(Debug)]
struct Entry<T> {
    key: (Reverse<usize>, u32),
    item: T,
}

impl<T> Agenda<T> {
    /// An agenda of one item.
    pub fn new(item: T) -> Self {
        let mut agenda = Self { heap: BinaryHeap::new(), added: 0 };
        agenda.push(0, item);
        agenda
    }

    /// Adds an item. What it costs is the least that anything made of it costs.
    pub fn push(&mut self, cost: usize, item: T) {
        self.heap.push(Entry { key: (Reverse(cost), self.added), item });
        self.added += 1;
    }

    /// The cheapest item.
    pub fn pop(&mut self) -> Option<T> {
        self.heap.pop().map(|entry| entry.item)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}
