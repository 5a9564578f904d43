//! What the transition parser sees of a configuration (after Zhang and Nivre 2011): the topmost words of the stack, the
//! next of the buffer, their outermost dependents, distance and valency.

use super::Input;
use super::state::{NONE, State};
use crate::linear::{Feature, mix, one, three, two};

/// A word as features see it; all zero-like where there is none.
#[derive(Clone, Copy)]
struct Seen {
    word: u64,
    ending: u64,
    upos: u64,
    tag: u64,
}

const NOTHING: Seen = Seen { word: 1, ending: 1, upos: 1 << 20, tag: 1 << 20 };
const ROOT: Seen = Seen { word: 2, ending: 2, upos: 2 << 20, tag: 2 << 20 };

fn see(input: &Input<'_>, word: u32) -> Seen {
    if word == NONE || word == 0 {
        return if word == 0 { ROOT } else { NOTHING };
    }
    let i = word as usize - 1;
    let upos = u64::from(input.tags[0][i]);
    // The finer tag with the features: what agreement and case need.
    let tag = mix(u64::from(input.tags[1][i]), upos);
    Seen { word: input.context.lower(i), ending: input.context.ending(i), upos, tag }
}

/// The features of a configuration.
pub(super) fn features(input: &Input<'_>, state: &State, out: &mut Vec<Feature>) {
    out.clear();
    let stack: [u32; 4] = std::array::from_fn(|i| state.stacked(i));
    let buffer: [u32; 3] = std::array::from_fn(|i| state.buffered(i));
    let [s0, s1, s2, s3] = stack.map(|w| see(input, w));
    let [b0, b1, b2] = buffer.map(|w| see(input, w));
    for (place, seen) in [s0, s1, s2, b0, b1, b2].iter().enumerate() {
        let place = place as u64;
        out.extend([two(1, place, seen.word), two(2, place, seen.tag), three(3, place, seen.word, seen.tag)]);
    }
    out.extend([two(4, 3, s3.tag), two(5, s0.ending, s1.ending)]);
    out.extend([three(6, s0.word, s1.word, 0), two(7, s0.tag, s1.tag), two(8, s0.word, s1.tag)]);
    out.extend([
        two(9, s0.tag, s1.word),
        three(10, s0.word, s0.tag, s1.tag),
        three(11, s1.word, s1.tag, s0.tag),
    ]);
    out.extend([two(12, s0.tag, b0.tag), two(13, s0.word, b0.tag), two(14, s0.tag, b0.word)]);
    out.extend([two(15, s1.tag, b0.tag), two(16, s0.word, b0.word), two(17, s1.word, b0.tag)]);
    out.extend([three(18, s0.tag, s1.tag, b0.tag), three(19, s0.tag, s1.tag, s2.tag)]);
    out.extend([three(20, s0.tag, b0.tag, b1.tag), three(21, s0.word, s1.tag, b0.tag)]);
    out.extend([three(22, s0.tag, s1.word, b0.tag), three(23, s0.tag, s1.tag, b0.word)]);
    out.extend([
        mix(three(24, s0.tag, s1.tag, b0.tag), b1.tag),
        mix(three(25, s0.tag, s1.tag, s2.tag), b0.tag),
    ]);
    out.push(mix(three(26, b0.tag, b1.tag, b2.tag), s0.tag));
    around(input, state, (stack[0], s0), s1, 40, out);
    around(input, state, (stack[1], s1), s0, 60, out);
    let distance = distance(stack[0], stack[1]);
    out.extend([one(80, distance), two(81, distance, s0.tag), two(82, distance, s1.tag)]);
    out.extend([three(83, distance, s0.tag, s1.tag), three(84, distance, s0.word, s1.word)]);
    between(input, stack[1], stack[0], s0.upos, s1.upos, out);
}

/// The dependents and the valency of a word of the stack.
fn around(
    input: &Input<'_>,
    state: &State,
    (word, seen): (u32, Seen),
    other: Seen,
    template: u64,
    out: &mut Vec<Feature>,
) {
    if word == NONE {
        return;
    }
    let node = state.nodes[word as usize];
    let valency = |n: u8| u64::from(n.min(5));
    out.extend([
        two(template, seen.tag, valency(node.lefts)),
        two(template + 1, seen.tag, valency(node.rights)),
    ]);
    out.extend([
        two(template + 2, seen.word, valency(node.lefts)),
        two(template + 3, seen.word, valency(node.rights)),
    ]);
    let dependents = [node.left, node.right, node.second_left, node.second_right];
    let label = |d: u32| if d == NONE { 1 << 20 } else { u64::from(state.nodes[d as usize].label) };
    for (side, &dependent) in dependents.iter().enumerate() {
        let of = see(input, dependent);
        let place = template + 4 + side as u64;
        out.extend([three(place, 0, of.tag, seen.tag), three(place, 1, label(dependent), seen.tag)]);
        if side < 2 {
            out.push(mix(three(place, 2, of.tag, seen.tag), other.tag));
            out.push(mix(three(place, 3, label(dependent), seen.tag), other.tag));
            out.push(three(place, 4, of.word, seen.tag));
        }
    }
    let labels = mix(label(node.left), label(node.second_left));
    out.push(three(template + 8, labels, seen.tag, 0));
    let labels = mix(label(node.right), label(node.second_right));
    out.push(three(template + 9, labels, seen.tag, 1));
}

fn distance(top: u32, second: u32) -> u64 {
    if top == NONE || second == NONE || second == 0 {
        return 20;
    }
    let apart = i64::from(top) - i64::from(second);
    let near = match apart.unsigned_abs() {
        n @ 0..=4 => n,
        5..=7 => 5,
        8..=12 => 6,
        _ => 7,
    };
    near + if apart < 0 { 10 } else { 0 }
}

/// Whether there is a verb, punctuation or conjunction between the two topmost words, as a set of their UPOS.
fn between(input: &Input<'_>, left: u32, right: u32, a: u64, b: u64, out: &mut Vec<Feature>) {
    if left == NONE || right == NONE || left == 0 || right <= left + 1 || right - left > 24 {
        return;
    }
    let set =
        input.tags[0][left as usize..right as usize - 1].iter().fold(0u64, |set, &t| set | 1 << (t % 60));
    out.push(three(90, set, a, b));
}
