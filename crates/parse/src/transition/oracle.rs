//! The sequence of transitions that builds a given tree, with as few swaps as need be (Nivre, Kuhlmann and Hall 2009).

use super::state::{Action, NONE, State};

/// The transitions for heads from 1 and labels; `None` if there are none, which for a tree with one root never happens
/// where swaps are allowed.
pub(crate) fn oracle(heads: &[u32], labels: &[u16], swap: bool) -> Option<Vec<Action>> {
    let words = heads.len();
    let order = projective_order(heads);
    let components = components(heads);
    let mut open = dependents(heads);
    let mut state = State::new(words);
    let mut actions = Vec::with_capacity(2 * words);
    // Each pair of words is swapped once at most.
    for _ in 0..2 * words + words * words {
        if state.is_final() {
            return Some(actions);
        }
        let (top, second, next) = (state.stacked(0), state.stacked(1), state.buffered(0));
        let action = match attach(heads, labels, &open, top, second, next) {
            Some(action) => action,
            None if swap
                && second != NONE
                && second != 0
                && second < top
                && order[top as usize] < order[second as usize]
                && (next == NONE || components[top as usize] != components[next as usize]) =>
            {
                Action::Swap
            }
            None if next != NONE => Action::Shift,
            None => return None,
        };
        match action {
            Action::Left(_) => open[top as usize] -= 1,
            Action::Right(_) => open[second as usize] -= 1,
            _ => {}
        }
        state.apply(action);
        actions.push(action);
    }
    None
}

/// The arc between the two topmost words, if the tree has it and the dependent has all of its own.
fn attach(heads: &[u32], labels: &[u16], open: &[u32], top: u32, second: u32, next: u32) -> Option<Action> {
    if second == NONE {
        return None;
    }
    let is = |dependent: u32, head: u32| {
        dependent > 0 && heads[dependent as usize - 1] == head && open[dependent as usize] == 0
    };
    if is(second, top) {
        return Some(Action::Left(labels[second as usize - 1]));
    }
    // The root takes its one dependent last.
    let right = is(top, second) && (second != 0 || next == NONE);
    right.then(|| Action::Right(labels[top as usize - 1]))
}

/// How many dependents each word has, the root first.
fn dependents(heads: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; heads.len() + 1];
    heads.iter().for_each(|&h| counts[h as usize] += 1);
    counts
}

/// The place of each word when the tree is walked through in order, each head between its left and right dependents.
fn projective_order(heads: &[u32]) -> Vec<u32> {
    let n = heads.len() + 1;
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (d, &h) in heads.iter().enumerate() {
        below[h as usize].push(d as u32 + 1);
    }
    let mut order = vec![0; n];
    let mut place = 0;
    // An entry is a word to walk, or, when its left dependents are done, one to number.
    let mut work = vec![(0u32, false)];
    while let Some((word, number)) = work.pop() {
        if number {
            order[word as usize] = place;
            place += 1;
            continue;
        }
        let dependents = &below[word as usize];
        let lefts = dependents.partition_point(|&d| d < word);
        work.extend(dependents[lefts..].iter().rev().map(|&d| (d, false)));
        work.push((word, true));
        work.extend(dependents[..lefts].iter().rev().map(|&d| (d, false)));
    }
    order
}

/// The maximal projective component of each word: what can be built without swaps, named by its topmost word.
fn components(heads: &[u32]) -> Vec<u32> {
    let mut open = dependents(heads);
    let mut top: Vec<u32> = (0..=heads.len() as u32).collect();
    let mut stack: Vec<u32> = vec![0];
    for word in 1..=heads.len() as u32 {
        stack.push(word);
        while let [.., second, first] = stack[..] {
            let is = |d: u32, h: u32| d > 0 && heads[d as usize - 1] == h && open[d as usize] == 0;
            let (head, dependent) = if is(second, first) {
                (first, second)
            } else if second != 0 && is(first, second) {
                (second, first)
            } else {
                break;
            };
            stack.truncate(stack.len() - 2);
            stack.push(head);
            top[dependent as usize] = head;
            open[head as usize] -= 1;
        }
    }
    // A word's entry names its head inside the component; follow it to the top.
    let find = |mut w: u32| {
        while top[w as usize] != w {
            w = top[w as usize];
        }
        w
    };
    (0..=heads.len() as u32).map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rebuilt(heads: &[u32], swap: bool) -> Option<(Vec<u32>, usize)> {
        let labels: Vec<u16> = (0..heads.len() as u16).collect();
        let actions = oracle(heads, &labels, swap)?;
        let mut state = State::new(heads.len());
        actions.iter().for_each(|&a| state.apply(a));
        assert_eq!(state.tree().1, labels);
        Some((state.tree().0, actions.iter().filter(|&&a| a == Action::Swap).count()))
    }

    #[test]
    fn a_projective_tree_needs_no_swap() {
        assert_eq!(rebuilt(&[2, 0, 4, 2, 2], true), Some((vec![2, 0, 4, 2, 2], 0)));
        assert_eq!(rebuilt(&[2, 0, 4, 2, 2], false), Some((vec![2, 0, 4, 2, 2], 0)));
    }

    #[test]
    fn crossing_arcs_are_built_by_swaps() {
        // "A hearing is scheduled on the issue today" (Nivre 2009, figure 1).
        let heads = [2, 3, 0, 3, 2, 7, 5, 4, 3];
        assert_eq!(rebuilt(&heads, false), None);
        let (tree, swaps) = rebuilt(&heads, true).unwrap();
        assert_eq!(tree, heads);
        assert!(swaps > 0);
    }

    #[test]
    #[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
    fn every_tree_of_real_german_and_czech_text_is_rebuilt() {
        use treeglot_tree::format::{ReadTrees, conllu};
        let folder = std::path::Path::new(env!("TREEGLOT_REAL_DATA")).join("ud");
        for name in
            ["de_gsd-ud-test", "de_pud-ud-test", "de_lit-ud-test", "cs_fictree-ud-test", "cs_pud-ud-test"]
        {
            let reader = conllu::Reader::open(folder.join(format!("{name}.conllu.gz"))).unwrap();
            let mut bank = crate::dependency::DepBank::default();
            reader.trees().for_each(|parse| assert!(bank.push(parse.unwrap())));
            let mut crossing = 0;
            for (_, _, heads) in bank.trees() {
                let (tree, swaps) = rebuilt(heads, true).unwrap();
                assert_eq!(tree, heads);
                crossing += usize::from(swaps > 0);
            }
            assert!(crossing > 20, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_tree_is_rebuilt(codes in proptest::collection::vec(any::<u32>(), 1..14)) {
            // Words in a random order of attachment, each under an earlier one.
            let n = codes.len();
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by_key(|&i| (codes[i].wrapping_mul(2_654_435_761), i));
            let mut heads = vec![0; n];
            for i in 1..n {
                heads[order[i]] = order[codes[i] as usize % i] as u32 + 1;
            }
            prop_assert_eq!(rebuilt(&heads, true).map(|r| r.0), Some(heads));
        }
    }
}
