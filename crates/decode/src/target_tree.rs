//! The dependency tree of a translation, from the heads of the rules that made it.

use crate::derivation::Derivation;
use crate::features::{Build, assemble};
use treeglot_grammar::{Kind, heads};

/// The head of each output word of a derivation, from 1; 0 for the root. Words that are roots beside the first, as those of
/// ill-formed structures, hang from it.
pub fn target_tree(derivation: &Derivation) -> Vec<u32> {
    let (mut heads, root) = target_forest(derivation);
    for (word, head) in heads.iter_mut().enumerate() {
        if *head == 0 && word != root {
            *head = root as u32 + 1;
        }
    }
    heads
}

/// The head of each output word, from 1; 0 for every root, of which ill-formed structures make several. Then the first root
/// of the structure that is the whole.
pub fn target_forest(derivation: &Derivation) -> (Vec<u32>, usize) {
    let mut tree = Tree { heads: vec![0; derivation.word_count()], parts: Vec::new() };
    let mut starts = vec![0; derivation.steps().len()];
    let mut positions: Vec<usize> = vec![0; derivation.symbol_count()];
    let mut symbols = 0;
    for (step, start) in starts.iter_mut().enumerate() {
        *start = symbols;
        symbols += derivation.target(step as u32).len();
    }
    let mut word = 0;
    derivation.walk(|step, at, _| {
        positions[starts[step as usize] + at] = word;
        word += 1;
    });
    let mut roots: Vec<Vec<usize>> = vec![Vec::new(); derivation.steps().len()];
    for step in (0..derivation.steps().len()).rev() {
        let (side, marks) = heads::split(derivation.target(step as u32));
        let marks: Vec<u8> = marks.map_or_else(Vec::new, |marks| marks.marks().collect());
        tree.parts.clear();
        for (at, symbol) in side.iter().enumerate() {
            tree.parts.push(match symbol.kind() {
                Kind::Word(_) => vec![positions[starts[step] + at]],
                Kind::Ref(k) => derivation
                    .child(step as u32, k)
                    .map_or_else(Vec::new, |child| std::mem::take(&mut roots[child as usize])),
                _ => Vec::new(),
            });
        }
        let count = tree.parts.len();
        let whole = assemble(count, &marks, &mut tree);
        roots[step] =
            (0..count).filter(|&part| whole.is_top(part)).flat_map(|part| tree.parts[part].clone()).collect();
    }
    let first = roots.iter().flatten().next().copied();
    let root = first.or_else(|| tree.heads.iter().position(|&head| head == 0));
    (tree.heads, root.unwrap_or(0))
}

/// Structures as the positions of their roots.
struct Tree {
    heads: Vec<u32>,
    parts: Vec<Vec<usize>>,
}

impl Build for Tree {
    fn roots(&self, part: usize) -> usize {
        self.parts[part].len()
    }

    fn attach(&mut self, head: usize, child: usize) {
        let above = self.parts[head][0] as u32 + 1;
        for &root in &self.parts[child] {
            self.heads[root] = above;
        }
    }

    fn detach(&mut self, part: usize) {
        self.parts[part].clear();
    }
}
