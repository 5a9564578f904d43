//! Configurations and the transitions between them: arc-standard with swap.

/// What a transition does to the two topmost words of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// The next word of the buffer comes onto the stack.
    Shift,
    /// The second word goes back to the buffer.
    Swap,
    /// The second word becomes a dependent of the topmost, with a label.
    Left(u16),
    /// The topmost word becomes a dependent of the second, with a label.
    Right(u16),
}

/// Whether shift, swap, left and right may come next.
pub(super) type Allowed = [bool; 4];

/// The numbering of transitions as classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Actions {
    pub(crate) labels: usize,
}

impl Actions {
    pub(crate) fn len(self) -> usize {
        2 + 2 * self.labels
    }

    /// Takes away the scores of transitions that are not allowed.
    pub(super) fn forbid(self, [shift, swap, left, right]: Allowed, scores: &mut [f32]) {
        let rights = 2 + self.labels;
        for (allowed, range) in [(shift, 0..1), (swap, 1..2), (left, 2..rights), (right, rights..self.len())]
        {
            if !allowed {
                scores[range].fill(f32::NEG_INFINITY);
            }
        }
    }

    pub(crate) fn number(self, action: Action) -> usize {
        match action {
            Action::Shift => 0,
            Action::Swap => 1,
            Action::Left(label) => 2 + usize::from(label),
            Action::Right(label) => 2 + self.labels + usize::from(label),
        }
    }

    pub(crate) fn action(self, number: usize) -> Action {
        match number {
            0 => Action::Shift,
            1 => Action::Swap,
            n if n < 2 + self.labels => Action::Left((n - 2) as u16),
            n => Action::Right((n - 2 - self.labels) as u16),
        }
    }
}

/// Stands for no word.
pub(crate) const NONE: u32 = u32::MAX;

/// What is known of a word's dependents so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) head: u32,
    pub(super) label: u16,
    pub(super) left: u32,
    pub(super) right: u32,
}

const BARE: Node = Node { head: NONE, label: 0, left: NONE, right: NONE };

/// A configuration: words count from 1, the root is 0 and lies at the bottom of the stack.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(super) stack: Vec<u32>,
    /// Words that were swapped back, the next on top; then come the words from `next` on.
    pub(super) back: Vec<u32>,
    pub(super) next: u32,
    pub(super) nodes: Vec<Node>,
    pub(super) swaps: u32,
}

impl State {
    pub(crate) fn new(words: usize) -> Self {
        Self { stack: vec![0], back: Vec::new(), next: 1, nodes: vec![BARE; words + 1], swaps: 0 }
    }

    fn words(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// The `i`-th word from the top of the stack.
    pub(super) fn stacked(&self, i: usize) -> u32 {
        self.stack.len().checked_sub(i + 1).map_or(NONE, |at| self.stack[at])
    }

    /// The `i`-th word of the buffer.
    pub(super) fn buffered(&self, i: usize) -> u32 {
        if let Some(at) = self.back.len().checked_sub(i + 1) {
            return self.back[at];
        }
        let word = self.next + (i - self.back.len()) as u32;
        if word <= self.words() { word } else { NONE }
    }

    /// Whether all words are attached.
    pub(crate) fn is_final(&self) -> bool {
        self.stack.len() == 1 && self.buffered(0) == NONE
    }

    /// Which transitions may come next; there is one wherever the end is not reached.
    pub(super) fn allowed(&self, swap: bool) -> Allowed {
        let (top, second) = (self.stacked(0), self.stacked(1));
        let buffer = self.buffered(0) != NONE;
        // Two words that stand in the order of the text change places once at most, so that parsing comes to an end;
        // a limit on all swaps keeps long sentences in linear time.
        let pair = second != NONE && second != 0;
        let swap = swap && pair && second < top && self.swaps < 4 * self.words() + 8;
        let right = pair || (second == 0 && !buffer);
        [buffer, swap, pair, right]
    }

    pub(crate) fn apply(&mut self, action: Action) {
        match action {
            Action::Shift => {
                let word = self.buffered(0);
                if self.back.pop().is_none() {
                    self.next += 1;
                }
                self.stack.push(word);
            }
            Action::Swap => {
                let top = self.stack.pop().expect("a swap was allowed");
                let second = self.stack.pop().expect("a swap was allowed");
                self.back.push(second);
                self.stack.push(top);
                self.swaps += 1;
            }
            Action::Left(label) => {
                let top = self.stack.pop().expect("an arc was allowed");
                let second = self.stack.pop().expect("an arc was allowed");
                self.stack.push(top);
                self.attach(top, second, label);
            }
            Action::Right(label) => {
                let top = self.stack.pop().expect("an arc was allowed");
                let second = self.stacked(0);
                self.attach(second, top, label);
            }
        }
    }

    fn attach(&mut self, head: u32, dependent: u32, label: u16) {
        let node = &mut self.nodes[dependent as usize];
        (node.head, node.label) = (head, label);
        let node = &mut self.nodes[head as usize];
        if dependent < head {
            node.left = node.left.min(dependent);
        } else if node.right == NONE || dependent > node.right {
            node.right = dependent;
        }
    }

    /// Heads from 1 and labels of a final configuration.
    pub(crate) fn tree(&self) -> (Vec<u32>, Vec<u16>) {
        self.nodes[1..].iter().map(|n| (n.head, n.label)).unzip()
    }
}
