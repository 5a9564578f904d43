//! A page to look at aligned trees with, and to mend their links: one file that needs nothing else, with all pairs, a search over
//! words and labels, both trees of a pair drawn with the links of one set or of two that are compared, and the mended links to be
//! saved as an alignment.

use super::NumberedTree;
use super::named::NodeLink;
use serde::Serialize;
use std::io::{self, Write};
use treeglot_tree::format::tiger_align::{Alignment, LinkType};
use treeglot_tree::page;

/// The page, with places for the style sheet and the drawings that all pages share, for what it says of itself, for the pairs, and
/// for its script.
const PAGE: &str = include_str!("viewer.html");
const SCRIPT: &str = include_str!("viewer.js");
const PLACES: [&str; 5] = ["/*STYLE*/", "/*DRAWINGS*/", "/*ABOUT*/", "/*PAIRS*/", "/*SCRIPT*/"];

/// Writes the page, pair by pair.
pub struct Viewer<W: Write> {
    out: W,
    pairs: usize,
}

/// What the page says of all pairs.
#[derive(Serialize)]
struct About<'a> {
    /// The names of the sets of links: one, or two to be compared.
    sets: &'a [String],
    /// The alignment that mended links are saved in, as text, without the links of nodes.
    frame: String,
    /// The ids of its treebanks.
    treebanks: [&'a str; 2],
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
    /// By node, its name in the treebank.
    ids: &'a [Option<Box<str>>],
}

#[derive(Serialize)]
struct Pair<'a> {
    source: Tree<'a>,
    target: Tree<'a>,
    /// For each set its links.
    sets: Vec<Vec<Shown>>,
}

/// A link: its nodes, and the attributes it has in an alignment.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown {
    Numbered(u32, u32),
    Named(u32, u32, Vec<(String, String)>),
}

impl<W: Write> Viewer<W> {
    /// Starts the page of some sets of links; mended links are saved with all else that `alignment` has.
    pub fn new(mut out: W, sets: &[String], alignment: &Alignment) -> io::Result<Self> {
        let mut rest = alignment.clone();
        rest.links.retain(|link| matches!(link.kind, LinkType::Other(_)));
        let mut frame = Vec::new();
        rest.write(&mut frame)?;
        let about = About {
            sets,
            frame: String::from_utf8_lossy(&frame).into_owned(),
            treebanks: alignment.treebanks.each_ref().map(|treebank| &*treebank.id),
        };
        let start = PAGE.split(PLACES[3]).next().unwrap_or_default();
        let start = start.replace(PLACES[0], page::STYLE).replace(PLACES[1], page::DRAWINGS);
        out.write_all(start.replace(PLACES[2], &json(&about)?).as_bytes())?;
        Ok(Self { out, pairs: 0 })
    }

    /// Adds a pair of trees with its links in each set.
    pub fn add(&mut self, sides: [&NumberedTree; 2], sets: &[&[NodeLink]]) -> io::Result<()> {
        let [source, target] = sides.map(tree);
        let sets = sets.iter().map(|links| links.iter().map(shown).collect()).collect();
        let json = json(&Pair { source, target, sets })?;
        let comma = if self.pairs > 0 { ",\n" } else { "" };
        self.pairs += 1;
        write!(self.out, "{comma}{json}")
    }

    /// Ends the page.
    pub fn finish(mut self) -> io::Result<W> {
        let end = PAGE.split(PLACES[3]).nth(1).unwrap_or_default();
        self.out.write_all(end.replace(PLACES[4], SCRIPT).as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A value as it may stand in a script: a word such as `</script>` must not end that.
fn json(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

fn tree(side: &NumberedTree) -> Tree<'_> {
    let nodes = &side.nodes;
    Tree {
        words: &side.words,
        labels: &side.labels,
        parents: (0..nodes.len() as u32).map(|node| nodes.parent(node).map_or(-1, i64::from)).collect(),
        leaves: nodes.leaves(),
        ids: &side.ids,
    }
}

fn shown(link: &NodeLink) -> Shown {
    let (source, target) = (link.link.src, link.link.tgt);
    let Some(named) = &link.named else { return Shown::Numbered(source, target) };
    let own = [("last_change", &named.last_change), ("author", &named.author)];
    let own =
        own.into_iter().filter_map(|(name, value)| Some((name.to_string(), value.as_ref()?.to_string())));
    let others = named.attrs.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let attributes = [("type".to_string(), named.kind.to_string())].into_iter().chain(own).chain(others);
    Shown::Named(source, target, attributes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::Link;
    use treeglot_tree::ConBuilder;

    #[test]
    fn words_cannot_break_out_of_the_page() {
        let mut b = ConBuilder::default();
        let top = b.node("NP", None);
        b.word("</script><b>", top);
        let side = NumberedTree::of_con(&b.finish().unwrap(), 1);
        let sets = ["</script>".to_string()];
        let mut viewer = Viewer::new(Vec::new(), &sets, &Alignment::new(Default::default())).unwrap();
        viewer.add([&side, &side], &[&[Link::new(0, 0).into()]]).unwrap();
        viewer.add([&side, &side], &[&[]]).unwrap();
        let page = String::from_utf8(viewer.finish().unwrap()).unwrap();
        assert_eq!(page.matches("</script>").count(), 2, "that of the drawings and that of the pairs");
        let tree = r#""words":["\u003c/script>\u003cb>"],"labels":["NP"],"parents":[-1],"leaves":[0],"ids":["s1_1"]"#;
        assert!(page.contains(tree), "{page}");
        assert!(PLACES.iter().all(|place| !page.contains(place)));
        assert!(page.ends_with("</html>\n"));
    }
}
