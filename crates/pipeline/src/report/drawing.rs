//! Pictures of sentences: dependency trees as arcs over words, constituency trees and derivations as trees, links as
//! lines between two rows of words.

use super::svg::{Anchor, LINE, Svg, text_width};

const GAP: f64 = 14.0;
const LEVEL: f64 = 34.0;

/// The middles of words set side by side, and where the row ends.
fn row<S: AsRef<str>>(words: &[S], least: f64) -> (Vec<f64>, f64) {
    let mut x = 4.0;
    let middles = words
        .iter()
        .map(|word| {
            let width = text_width(word.as_ref()).max(least);
            let middle = x + width / 2.0;
            x += width + GAP;
            middle
        })
        .collect();
    (middles, x)
}

/// A dependency tree: `heads[k]` is the position of word k's head, `None` for a root; labels stand on the arcs.
pub fn dependencies(words: &[&str], heads: &[Option<usize>], labels: &[&str]) -> String {
    let mut svg = Svg::default();
    let (middles, _) = row(words, 44.0);
    let height = |k: usize, head: usize| 16.0 + 15.0 * (k.abs_diff(head) as f64).sqrt() * 1.6;
    let arcs =
        || heads.iter().enumerate().filter_map(|(k, head)| head.filter(|&h| h < words.len()).map(|h| (k, h)));
    let top = arcs().map(|(k, head)| height(k, head)).fold(30.0, f64::max);
    let base = top + 20.0;
    for (k, head) in arcs() {
        let (from, to) = (middles[head] + if k < head { -5.0 } else { 5.0 }, middles[k]);
        let peak = base - height(k, head);
        svg.path(
            &format!("M{from:.1} {base:.1} C{from:.1} {peak:.1} {to:.1} {peak:.1} {to:.1} {base:.1}"),
            "arc",
        );
        svg.path(&format!("M{to:.1} {base:.1} l-3.5 -7 l7 0 z"), "tip");
        let label = labels.get(k).copied().unwrap_or("");
        svg.text((from + to) / 2.0, base - height(k, head) * 0.75 - 3.0, Anchor::Middle, "label", label);
    }
    for (k, word) in words.iter().enumerate() {
        if heads.get(k).copied().flatten().is_none() {
            svg.line((middles[k], 12.0), (middles[k], base), "arc");
            svg.path(&format!("M{:.1} {base:.1} l-3.5 -7 l7 0 z", middles[k]), "tip");
        }
        svg.text(middles[k], base + LINE, Anchor::Middle, "word", word);
    }
    svg.finish(&format!("dependency tree of: {}", words.join(" ")))
}

/// Links between two rows of words, by positions.
pub fn links(source: &[&str], target: &[&str], links: &[(usize, usize)]) -> String {
    let mut svg = Svg::default();
    let (above, _) = row(source, 20.0);
    let (below, _) = row(target, 20.0);
    let (top, bottom) = (LINE + 4.0, LINE + 58.0);
    for &(s, t) in links {
        if let (Some(&from), Some(&to)) = (above.get(s), below.get(t)) {
            svg.line((from, top), (to, bottom), "link");
        }
    }
    for (words, middles, y) in [(source, &above, LINE), (target, &below, bottom + LINE)] {
        for (word, &middle) in words.iter().zip(middles) {
            svg.text(middle, y, Anchor::Middle, "word", word);
        }
    }
    svg.finish(&format!("links between: {} / {}", source.join(" "), target.join(" ")))
}

/// A node of a drawn tree.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// What is written at it.
    pub text: String,
    /// What shows when it is pointed at.
    pub tip: String,
    /// The nodes below, from left to right.
    pub children: Vec<Node>,
}

/// A tree from the top down.
pub fn tree(root: &Node, description: &str) -> String {
    let mut svg = Svg::default();
    place(root, 4.0, 0, &mut svg);
    svg.finish(description)
}

/// Draws a node and all below it from `left` on; its middle and right end.
fn place(node: &Node, left: f64, depth: usize, svg: &mut Svg) -> (f64, f64) {
    let own = text_width(&node.text) + GAP;
    let y = LINE + LEVEL * depth as f64;
    let mut x = left;
    let mut middles = Vec::new();
    for child in &node.children {
        let (middle, right) = place(child, x, depth + 1, svg);
        middles.push(middle);
        x = right;
    }
    let middle = match (middles.first(), middles.last()) {
        (Some(first), Some(last)) => ((first + last) / 2.0).max(left + own / 2.0 - GAP / 2.0),
        _ => left + own / 2.0 - GAP / 2.0,
    };
    for below in &middles {
        svg.line((middle, y + 5.0), (*below, y + LEVEL - 13.0), "branch");
    }
    if !node.tip.is_empty() {
        svg.rect(middle - own / 2.0 + 4.0, y - 12.0, own - 8.0, 16.0, "box", &node.tip);
    }
    svg.text(middle, y, Anchor::Middle, if middles.is_empty() { "word" } else { "label" }, &node.text);
    (middle, x.max(middle + own / 2.0).max(left + own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_but_the_root_has_an_arc_with_its_label() {
        let picture =
            dependencies(&["she", "reads", "books"], &[Some(1), None, Some(1)], &["nsubj", "root", "obj"]);
        assert_eq!(picture.matches("class=\"arc\"").count(), 3);
        assert!(picture.contains(">nsubj<") && picture.contains(">obj<"));
    }

    #[test]
    fn positions_outside_are_left_out() {
        assert!(!dependencies(&["a"], &[Some(7)], &[]).contains("<path d=\"M11"));
        assert_eq!(links(&["a"], &["b"], &[(0, 0), (3, 0)]).matches("<line").count(), 1);
    }

    #[test]
    fn siblings_do_not_overlap() {
        let leaf = |text: &str| Node { text: text.into(), ..Node::default() };
        let root = Node {
            text: "S".into(),
            tip: String::new(),
            children: vec![leaf("a long leaf"), leaf("another")],
        };
        let mut svg = Svg::default();
        let (left, end) = place(&root.children[0], 4.0, 1, &mut svg);
        let (right, _) = place(&root.children[1], end, 1, &mut svg);
        assert!(right - left >= (text_width("a long leaf") + text_width("another")) / 2.0);
    }
}
