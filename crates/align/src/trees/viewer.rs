//! A page to look at aligned trees with: one file that needs nothing else, with all pairs, a search over words and labels,
//! and both trees of a pair drawn with their links.

use super::NumberedTree;
use crate::links::Link;
use serde::Serialize;
use std::io::{self, Write};
use treeglot_tree::page;

/// The page, with places for the style sheet and the drawings that all pages share, and for the pairs.
const PAGE: &str = include_str!("viewer.html");
const STYLE: &str = "/*STYLE*/";
const DRAWINGS: &str = "/*DRAWINGS*/";
const PAIRS: &str = "/*PAIRS*/";

/// Writes the page, pair by pair.
pub struct Viewer<W: Write> {
    out: W,
    pairs: usize,
}

/// A tree as the page's script reads it.
#[derive(Serialize)]
struct Tree<'a> {
    words: &'a [String],
    labels: &'a [String],
    /// By node; -1 for the root.
    parents: Vec<i64>,
    /// By word, the number of its node.
    leaves: &'a [u32],
}

#[derive(Serialize)]
struct Pair<'a> {
    source: Tree<'a>,
    target: Tree<'a>,
    links: Vec<[u32; 2]>,
}

impl<W: Write> Viewer<W> {
    /// Starts the page.
    pub fn new(mut out: W) -> io::Result<Self> {
        let start = PAGE.split(PAIRS).next().unwrap_or_default();
        let start = start.replace(STYLE, page::STYLE).replace(DRAWINGS, page::DRAWINGS);
        out.write_all(start.as_bytes())?;
        Ok(Self { out, pairs: 0 })
    }

    /// Adds a pair of trees with its links.
    pub fn add(&mut self, sides: [&NumberedTree; 2], links: &[Link]) -> io::Result<()> {
        let [source, target] = sides.map(tree);
        let links = links.iter().map(|link| [link.src, link.tgt]).collect();
        let json = serde_json::to_string(&Pair { source, target, links })?;
        // A word such as `</script>` must not end the script.
        let json = json.replace('<', "\\u003c");
        let comma = if self.pairs > 0 { ",\n" } else { "" };
        self.pairs += 1;
        write!(self.out, "{comma}{json}")
    }

    /// Ends the page.
    pub fn finish(mut self) -> io::Result<W> {
        let end = PAGE.split(PAIRS).nth(1).unwrap_or_default();
        self.out.write_all(end.as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn tree(side: &NumberedTree) -> Tree<'_> {
    let nodes = &side.nodes;
    Tree {
        words: &side.words,
        labels: &side.labels,
        parents: (0..nodes.len() as u32).map(|node| nodes.parent(node).map_or(-1, i64::from)).collect(),
        leaves: nodes.leaves(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::ConBuilder;

    #[test]
    fn words_cannot_break_out_of_the_page() {
        let mut b = ConBuilder::default();
        let top = b.node("NP", None);
        b.word("</script><b>", top);
        let side = NumberedTree::of_con(&b.finish().unwrap(), 1);
        let mut viewer = Viewer::new(Vec::new()).unwrap();
        viewer.add([&side, &side], &[Link::new(0, 0)]).unwrap();
        viewer.add([&side, &side], &[]).unwrap();
        let page = String::from_utf8(viewer.finish().unwrap()).unwrap();
        assert_eq!(page.matches("</script>").count(), 2, "that of the drawings and that of the pairs");
        assert!(
            page.contains(
                r#""words":["\u003c/script>\u003cb>"],"labels":["NP"],"parents":[-1],"leaves":[0]"#
            )
        );
        assert!([STYLE, DRAWINGS, PAIRS].iter().all(|place| !page.contains(place)));
        assert!(page.ends_with("</html>\n"));
    }
}
