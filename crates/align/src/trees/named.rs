//! Links of files between the nodes of given pairs of trees: lines of numbers, or the names of an alignment.

use super::files::TreePair;
use crate::error::Result;
use crate::links::{Link, parse};
use rustc_hash::FxHashMap;
use std::io::BufRead;
use std::path::Path;
use treeglot_text::{Input, Lines, Place};
use treeglot_tree::format::tiger_align::{Alignment, Link as NamedLink, LinkType};

/// Links between nodes as a file has them.
pub enum NodeLinks {
    /// A line of numbers for each pair of trees, as `treeglot align trees` writes them.
    Numbered(Lines),
    /// An alignment of the TreeAligner, which names nodes.
    Named(Box<Alignment>),
}

/// A link of a pair, with what an alignment says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeLink {
    /// The numbers of the nodes.
    pub link: Link,
    /// The link with the names of its nodes; none for a link of numbers.
    pub named: Option<NamedLink>,
}

impl From<Link> for NodeLink {
    fn from(link: Link) -> Self {
        Self { link, named: None }
    }
}

/// The links of pairs of trees.
#[derive(Debug, Default)]
pub struct PairedLinks {
    /// The links of each pair.
    pub links: Vec<Vec<NodeLink>>,
    /// How many links join sentences that are no pair here.
    pub unpaired: usize,
}

impl NodeLinks {
    /// Opens a file of either form; what begins with `<` is an alignment.
    pub fn open(path: &Path) -> Result<Self> {
        let Input { name, mut reader } = Input::open(path)?;
        let start = reader
            .fill_buf()
            .map_err(|source| treeglot_text::Error::Read { place: Place::new(name.clone(), 1), source })?;
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        if start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<') {
            return Ok(Self::Named(Box::new(Alignment::read(name, reader)?)));
        }
        Ok(Self::Numbered(Lines::new(name, reader)))
    }

    /// The alignment, if it is one.
    pub fn alignment(&self) -> Option<&Alignment> {
        match self {
            Self::Numbered(_) => None,
            Self::Named(alignment) => Some(alignment),
        }
    }

    /// The links of each of these pairs. Numbers must be those of nodes, and names those of treebanks.
    pub fn of_pairs(&mut self, pairs: &[TreePair]) -> Result<PairedLinks> {
        match self {
            Self::Numbered(lines) => numbered(lines, pairs),
            Self::Named(alignment) => named(alignment, pairs),
        }
    }
}

fn numbered(lines: &mut Lines, pairs: &[TreePair]) -> Result<PairedLinks> {
    let mut all = PairedLinks::default();
    while let Some(line) = lines.next_line()?.map(str::to_string) {
        let links = parse(&line, &lines.place())?;
        let Some(pair) = pairs.get(all.links.len()) else {
            let wanted = pairs.len();
            return Err(lines
                .malformed(format!("a line of links more than there are pairs of trees, {wanted}"))
                .into());
        };
        let [source, target] = pair.each_ref().map(|side| side.as_ref().map_or(0, |side| side.nodes.len()));
        let outside = |link: &&Link| link.src as usize >= source || link.tgt as usize >= target;
        if let Some(link) = links.iter().find(outside) {
            let why = format!("link `{link}` is outside trees of {source} and {target} nodes");
            return Err(lines.malformed(why).into());
        }
        all.links.push(links.into_iter().map(NodeLink::from).collect());
    }
    if all.links.len() < pairs.len() {
        let (read, wanted) = (all.links.len(), pairs.len());
        return Err(lines.malformed(format!("{read} lines of links for {wanted} pairs of trees")).into());
    }
    Ok(all)
}

fn named(alignment: &Alignment, pairs: &[TreePair]) -> Result<PairedLinks> {
    // A sentence may be in several pairs, so an id stands for one node in each of these.
    let index = |side: usize| {
        let mut places: FxHashMap<&str, Vec<(usize, u32)>> = FxHashMap::default();
        for (number, pair) in pairs.iter().enumerate() {
            for (node, id) in (0..).zip(pair[side].iter().flat_map(|side| &side.ids)) {
                id.iter().for_each(|id| places.entry(id).or_default().push((number, node)));
            }
        }
        places
    };
    let nodes = [index(0), index(1)];
    let mut all = PairedLinks { links: vec![Vec::new(); pairs.len()], unpaired: 0 };
    for link in alignment.links.iter().filter(|link| !matches!(link.kind, LinkType::Other(_))) {
        let places = [0, 1].map(|side| nodes[side].get(&*link.ids[side]).map_or(&[][..], Vec::as_slice));
        let mut paired = false;
        for &(number, source) in places[0] {
            for &(_, target) in places[1].iter().filter(|(other, _)| *other == number) {
                let named = Some(link.clone());
                all.links[number].push(NodeLink { link: Link::new(source, target), named });
                paired = true;
            }
        }
        all.unpaired += usize::from(!paired);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::NumberedTree;
    use treeglot_tree::ConBuilder;
    use treeglot_tree::format::tiger_align::TreebankRef;

    fn tree(number: usize) -> Option<NumberedTree> {
        let mut b = ConBuilder::default();
        let top = b.node("S", None);
        let tag = b.node("T", Some(top));
        b.word("a", tag);
        Some(NumberedTree::of_con(&b.finish().unwrap(), number))
    }

    fn file(text: &[u8]) -> NodeLinks {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links");
        std::fs::write(&path, text).unwrap();
        NodeLinks::open(&path).unwrap()
    }

    #[test]
    fn numbers_and_names_give_the_same_links() {
        let pairs = [[tree(1), tree(1)], [tree(2), tree(2)]];
        let treebank = |id: &str| TreebankRef { id: id.into(), ..TreebankRef::default() };
        let mut alignment = Alignment::new([treebank("a"), treebank("b")]);
        for (ids, kind) in
            [(["s1_500", "s1_500"], "good"), (["s2_1", "s2_500"], "fuzzy"), (["s1_1", "s2_1"], "good")]
        {
            alignment.links.push(NamedLink {
                kind: LinkType::from(kind),
                author: None,
                last_change: None,
                attrs: Vec::new(),
                ids: ids.map(Box::from),
                line: 0,
            });
        }
        let mut xml = Vec::new();
        alignment.write(&mut xml).unwrap();
        let named = file(&xml).of_pairs(&pairs).unwrap();
        assert_eq!(named.unpaired, 1, "a link from the first to the second pair");
        let numbered = file(b"0-0\n1-0\n").of_pairs(&pairs).unwrap();
        let links = |all: &PairedLinks| -> Vec<Vec<Link>> {
            all.links.iter().map(|links| links.iter().map(|link| link.link).collect()).collect()
        };
        assert_eq!(links(&named), links(&numbered));
    }

    #[test]
    fn links_of_other_trees_are_refused() {
        let pairs = [[tree(1), tree(1)], [tree(2), None]];
        let error = |text: &[u8]| file(text).of_pairs(&pairs).unwrap_err().to_string();
        assert!(error(b"0-0\n0-0\n").ends_with("links:2: link `0-0` is outside trees of 2 and 0 nodes"));
        assert!(error(b"0-0\n").ends_with("1 lines of links for 2 pairs of trees"));
        assert!(error(b"\n\n\n").ends_with("links:3: a line of links more than there are pairs of trees, 2"));
    }
}
